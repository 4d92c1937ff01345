"""Bytes over the network of HDFS in the laboratory: TestDFSIO on many nodes, predicted from few.

Times are not predicted: they are mostly those of starting containers, and a few blocks lie unevenly on the nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.sizes import MB_PER_MIB
from stowage.validation.laboratory_engines import FITTED_NODES, least_squares
from stowage.validation.laboratory_runs import BLOCK_MB, Run, runs_of


def hdfs_runs() -> list[Run]:
    """Return the runs of TestDFSIO; what they send does not depend on who else uses the CPUs."""
    return [run for run in runs_of("hadoop") if run.told["framework"] == "hdfs"]


def job_of(run: Run) -> Hdfs:
    """Return a run as the model has it: files of whole MiB, and tasks that run wherever a slot is free.

    A reader then finds one of c copies on its own of n nodes in c / n of all cases.
    """
    files, copies = run.number("partitions"), int(run.told["replication"])
    job = Hdfs(
        "hdfs-write",
        files * max(1, round(run.data_mb / files / MB_PER_MIB)) * MB_PER_MIB,
        Durability("application", copies),
        BLOCK_MB,
    )
    reads = run.told["job"] == "dfsio-read"
    return replace(job, kind="hdfs-read", local_share=min(1.0, copies / run.nodes)) if reads else job


def payload_mb(run: Run) -> float:
    """Predict what nodes send each other: copies that are written, and blocks that are read elsewhere [MB]."""
    [phase] = job_of(run).phases(Nodes(float(run.nodes)))
    return float(phase.flows_mb.get(Role.NETWORK_OUT, 0.0)) * run.nodes


@dataclass(frozen=True, slots=True)
class Sent:
    """A run of more nodes than any that was fitted.

    Parameters
    ----------
    run : Run
    payload_mb, sent_mb : float
        Predicted bytes between nodes, without and with headers and what else is sent [MB].
    """

    run: Run
    payload_mb: float
    sent_mb: float

    @property
    def error(self) -> float:
        """Return predicted over measured bytes over the links, less one [1]."""
        return self.sent_mb / self.run.sent_mb - 1.0


def sent_by_many(runs: Sequence[Run]) -> tuple[tuple[float, float], tuple[Sent, ...]]:
    """Fit bytes over the links to runs of few nodes, and predict the others.

    Returns
    -------
    tuple of float
        Bytes over the links for each byte that nodes send each other [1], and beside that for each task [MB].
    tuple of Sent
        The runs of more than `FITTED_NODES` nodes.
    """
    few = [run for run in runs if run.nodes <= FITTED_NODES]
    wire_size, task_mb = least_squares(
        [[payload_mb(run), run.number("partitions")] for run in few], [run.sent_mb for run in few], [1.0] * len(few)
    )
    many = tuple(
        Sent(run, payload_mb(run), wire_size * payload_mb(run) + task_mb * run.number("partitions"))
        for run in runs
        if run.nodes > FITTED_NODES
    )
    return (wire_size, task_mb), many
