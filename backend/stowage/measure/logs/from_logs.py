"""Conversion of logged jobs to finished jobs, by adding the cluster details that logs lack."""

from collections.abc import Iterable
from typing import Final, Literal

from stowage.frozen import frozen
from stowage.measure.fits.finished_jobs import FinishedJob
from stowage.measure.logs.logged_jobs import LoggedJob
from stowage.model.units import parse_size

GivenJob = Literal["sort", "mapreduce", "hdfs-write", "hdfs-read"]
"""Kinds of job that a user can choose for a log with times only."""
ACCEPTED: Final = {
    "nodes": "a whole number from 1",
    "job": "sort, mapreduce, hdfs-write or hdfs-read",
    "data": "a size above 0, as in 100 GB",
}
"""Accepted values of fields that some logs lack."""

LEAST_SELECTIVITY = 1e-4
"""Selectivity of jobs that write hardly any output, such as counts [1]."""


@frozen
class ClusterOfLog:
    """Details of a cluster that the logs of its jobs lack."""

    instance: str
    """EC2 type of the nodes."""
    input_output: str
    """Storage of input and output, as in `FinishedJob`."""
    framework: str
    """Name of the calibration."""
    replicas: int = 1
    """Copies of the output in the application's file system, at least 1."""
    region: str | None = None
    """Region of the cluster. None for the region in the log. If the log names no region either, it is the default
    region of workload files."""
    nodes: int | None = None
    """Number of nodes that store data, at least 1. None for the number of hosts in the log."""
    job: GivenJob | None = None
    """Kind of the job, used only if its log has nothing but times."""
    data: str | None = None
    """Size of the job, used only if its log has nothing but times."""


def lacking(jobs: Iterable[LoggedJob], cluster: ClusterOfLog) -> tuple[str, ...]:
    """Return the required fields of jobs that neither the log nor the cluster details have."""
    found: set[str] = set()
    for job in jobs:
        if job.nodes is None and cluster.nodes is None:
            found.add("nodes")
        if job.kind is None:
            found |= {field for field in ("job", "data") if getattr(cluster, field) is None}
    return tuple(field for field in ACCEPTED if field in found)


def is_size(text: str) -> bool:
    """Return whether a text is a data size above 0.

    Examples
    --------
    >>> is_size("100 GB"), is_size("0 GB"), is_size("much")
    (True, False, False)
    """
    try:
        return parse_size(text) > 0.0
    except ValueError:
        return False


def finished_job(logged: LoggedJob, cluster: ClusterOfLog) -> FinishedJob:
    """Convert a logged job to a finished job.

    A job with a shuffle is a MapReduce job. Its selectivities are bytes written over bytes read. A job without a
    shuffle is a read job, or a write job if it wrote more than it read.

    Raises
    ------
    ValueError
        A required field is missing (`lacking`).
    """
    job, nodes = logged.kind or cluster.job, cluster.nodes or logged.nodes
    data = cluster.data if logged.kind is None else _data(logged)
    if job is None or nodes is None or data is None:
        raise ValueError(f"the log does not have {', '.join(lacking([logged], cluster))}")
    options: dict[str, str] = {}
    region = cluster.region or logged.region
    if region is not None:
        options["region"] = region
    if logged.cpu_mb_per_s is not None:
        options["cpu_mb_per_s_per_vcpu"] = f"{logged.cpu_mb_per_s:.4g}"
    if logged.kind == "mapreduce":
        options["map_selectivity"] = _ratio(logged.shuffled_mb, logged.data_mb)
        options["reduce_selectivity"] = _ratio(logged.output_mb, logged.shuffled_mb)
    if job in {"hdfs-read", "hdfs-write"}:
        options["replication"] = str(cluster.replicas)
    elif cluster.replicas > 1:
        options["replicas"] = str(cluster.replicas)
    return FinishedJob(
        name=logged.name,
        job=job,
        framework=cluster.framework,
        instance=cluster.instance,
        nodes=nodes,
        data=data,
        input_output=cluster.input_output,
        measured_s=logged.time_s,
        phases_s=logged.phases_s,
        options=options,
        started_at=logged.started_at,
    )


def _data(logged: LoggedJob) -> str:
    return f"{logged.output_mb if logged.kind == 'hdfs-write' else logged.data_mb:.6g} MB"


def _ratio(part: float, whole: float) -> str:
    return f"{max(part / whole, LEAST_SELECTIVITY):.6g}"
