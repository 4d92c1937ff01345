"""Finished jobs made of logged jobs, and of what a log does not say."""

from dataclasses import dataclass

from stowage.measure.finished_jobs import FinishedJob
from stowage.measure.logged_jobs import LoggedJob

LEAST_SELECTIVITY = 1e-4
"""For jobs that write next to nothing, such as counts [1]."""


@dataclass(frozen=True, slots=True)
class ClusterOfLog:
    """Details of a cluster that are missing from the log of its jobs.

    Parameters
    ----------
    instance : str
        EC2 type of the nodes.
    input_output : str
        As in `FinishedJob`.
    framework : str
        The name that a calibration gets.
    replicas : int
        Copies of the output that the application's file system kept, at least 1.
    region : str or None
        None for the one of the log, else the default of workload files.
    nodes : int or None
        That hold data, at least 1; None for the hosts that the log names.
    """

    instance: str
    input_output: str
    framework: str
    replicas: int = 1
    region: str | None = None
    nodes: int | None = None


def finished_job(logged: LoggedJob, cluster: ClusterOfLog) -> FinishedJob:
    """Return a logged job as a finished job.

    A job with a shuffle is a MapReduce job whose selectivities are what it wrote over what it read; one without is a
    read, or a write where it read less.
    """
    options: dict[str, str] = {}
    region = cluster.region or logged.region
    if region is not None:
        options["region"] = region
    if logged.cpu_mb_per_s is not None:
        options["cpu_mb_per_s_per_vcpu"] = f"{logged.cpu_mb_per_s:.4g}"
    if logged.kind == "mapreduce":
        options["map_selectivity"] = _ratio(logged.shuffled_mb, logged.data_mb)
        options["reduce_selectivity"] = _ratio(logged.output_mb, logged.shuffled_mb)
        if cluster.replicas > 1:
            options["replicas"] = str(cluster.replicas)
    else:
        options["replication"] = str(cluster.replicas)
    data_mb = logged.output_mb if logged.kind == "hdfs-write" else logged.data_mb
    return FinishedJob(
        name=logged.name,
        job=logged.kind,
        framework=cluster.framework,
        instance=cluster.instance,
        nodes=cluster.nodes or logged.nodes,
        data=f"{data_mb:.6g} MB",
        input_output=cluster.input_output,
        measured_s=logged.time_s,
        phases_s=logged.phases_s,
        options=options,
        started_at=logged.started_at,
    )


def _ratio(part: float, whole: float) -> str:
    return f"{max(part / whole, LEAST_SELECTIVITY):.6g}"
