"""Network bytes of HDFS in the laboratory.

Runs of the benchmark TestDFSIO on many nodes are predicted from its runs on few nodes. Their times are not predicted:
they consist mostly of the start of containers, and the few blocks are unevenly distributed over the nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.laboratory.engines import FITTED_NODES, least_squares
from bench.laboratory.recorded import BLOCK_MB, Run, runs_of
from stowage.model.jobs.flows import Durability, Nodes, Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.sizes import MB_PER_MIB


def hdfs_runs() -> list[Run]:
    """Return all runs of TestDFSIO.

    Runs on busy CPUs are included, since CPU load does not affect the bytes sent.
    """
    return [run for run in runs_of("hadoop") if run.told["framework"] == "hdfs"]


def job_of(run: Run) -> Hdfs:
    """Convert a run to a job of the model.

    The sizes of its files are rounded to whole MiB. Tasks run on any node with a free slot. So if there are c copies on
    n nodes, the chance that a reader finds a copy on its own node is c / n.
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
    """Predict the payload of a run: the data that nodes send each other [MB].

    It consists of copies that are written to other nodes, and of reads from other nodes.
    """
    [phase] = job_of(run).phases(Nodes(float(run.nodes)))
    return float(phase.flows_mb.get(Role.NETWORK_OUT, 0.0)) * run.nodes


@dataclass(frozen=True, slots=True)
class Sent:
    """One run with its predicted network traffic.

    The run is on more nodes than the runs to which the prediction is fitted.
    """

    run: Run
    payload_mb: float
    """Predicted data that nodes send each other [MB]."""
    sent_mb: float
    """Predicted bytes over the network links, with headers and other traffic [MB]."""

    @property
    def error(self) -> float:
        """Return the relative error of the predicted bytes over the links [1]."""
        return self.sent_mb / self.run.sent_mb - 1.0


def sent_by_many(runs: Sequence[Run]) -> tuple[tuple[float, float], tuple[Sent, ...]]:
    """Predict the bytes over the network links in runs on many nodes.

    The prediction is fitted to the runs on few nodes.

    Returns
    -------
    tuple of float
        Bytes over the links per byte of payload [1], and additional bytes per task [MB].
    tuple of Sent
        The runs on more than `FITTED_NODES` nodes with their predictions.
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
