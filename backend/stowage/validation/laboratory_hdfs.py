"""Network bytes of HDFS in the laboratory: TestDFSIO on many nodes, predicted from runs on few.

Times are not predicted, because the start of containers dominates them and the few blocks are unevenly distributed
over the nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.sizes import MB_PER_MIB
from stowage.validation.laboratory_engines import FITTED_NODES, least_squares
from stowage.validation.laboratory_runs import BLOCK_MB, Run, runs_of


def hdfs_runs() -> list[Run]:
    """Return all runs of TestDFSIO, including those on busy CPUs, since CPU load does not affect the bytes sent."""
    return [run for run in runs_of("hadoop") if run.told["framework"] == "hdfs"]


def job_of(run: Run) -> Hdfs:
    """Convert a run to a job of the model, with files of whole MiB.

    Tasks run on any node with a free slot, so with c copies on n nodes, a reader finds a copy on its own node with the
    chance c / n.
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
    """Predict the data that nodes send each other [MB]: copies that are written, and reads from other nodes."""
    [phase] = job_of(run).phases(Nodes(float(run.nodes)))
    return float(phase.flows_mb.get(Role.NETWORK_OUT, 0.0)) * run.nodes


@dataclass(frozen=True, slots=True)
class Sent:
    """A run on more nodes than the fitted runs, with its predicted network traffic.

    Parameters
    ----------
    run : Run
    payload_mb, sent_mb : float
        Predicted payload between nodes, and predicted bytes over the links with headers and other traffic [MB].
    """

    run: Run
    payload_mb: float
    sent_mb: float

    @property
    def error(self) -> float:
        """Return the relative error of the predicted bytes over the links [1]."""
        return self.sent_mb / self.run.sent_mb - 1.0


def sent_by_many(runs: Sequence[Run]) -> tuple[tuple[float, float], tuple[Sent, ...]]:
    """Fit the bytes over the links to runs on few nodes, and predict the runs on more nodes.

    Returns
    -------
    tuple of float
        Bytes over the links per byte of payload [1], and additional bytes per task [MB].
    tuple of Sent
        The runs on more than `FITTED_NODES` nodes.
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
