"""Measures one job of the laboratory: what each node used while it ran, as rows of a table."""

import csv
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.laboratory.cluster import Cluster, Usage

MOST_CPU_SHARE = 0.7
"""CPU use of this machine above which a run counts as limited by its processor, not by the nodes' links."""

COLUMNS = (
    "run", "date", "machine", "framework", "version", "job", "nodes", "mbit_per_s", "slots", "memory_mb",
    "partitions", "data_mb", "replication", "compression", "skew", "output_share",
    "time_s", "cpu_share", "cpu_s", "head_cpu_s", "sent_mb", "busiest_sent_mb", "busiest_received_mb",
    "phase", "began_s", "phase_s", "tasks", "busiest_tasks", "task_s", "task_cpu_s", "gc_s", "wait_s", "longest_task_s",
    "input_mb", "output_mb", "shuffle_mb", "remote_mb", "busiest_remote_mb", "spilled_mb", "note",
)  # fmt: skip
"""Of the table: one row for each phase of each run. Times in seconds, sizes in MB (10^6 bytes)."""


@dataclass
class Seen:
    """Resources used during a job."""

    took_s: float = 0.0
    """[s]."""
    cpu_share: float = 0.0
    """Mean CPU use of this machine by the nodes' programs, 1 for all cores. Other programs count for nothing: they must
    run at idle priority."""
    nodes: Sequence[Usage] = ()
    """The head first."""

    def columns(self) -> Mapping[str, float]:
        """Return the columns that hold for the whole run."""
        workers = self.nodes[1:]
        return {
            "time_s": round(self.took_s, 2),
            "cpu_share": round(self.cpu_share, 3),
            "cpu_s": round(sum(node.cpu_s for node in workers), 2),
            "head_cpu_s": round(self.nodes[0].cpu_s, 2),
            "sent_mb": round(sum(node.sent_bytes for node in workers) / 1e6, 3),
            "busiest_sent_mb": round(max(node.sent_bytes for node in workers) / 1e6, 3),
            "busiest_received_mb": round(max(node.received_bytes for node in workers) / 1e6, 3),
        }


@contextmanager
def seen(cluster: Cluster) -> Iterator[Seen]:
    """Look at all nodes before and after the block."""
    found = Seen()
    before = cluster.usage()
    began = time.monotonic()
    yield found
    found.took_s = time.monotonic() - began
    found.nodes = [now.since(then) for now, then in zip(cluster.usage(), before, strict=True)]
    found.cpu_share = sum(node.cpu_s for node in found.nodes) / (found.took_s * (psutil.cpu_count() or 1))


def machine() -> str:
    """Return what the runs share as hardware, without the machine's name."""
    return f"{platform.machine()}, {psutil.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB"


class Table:
    """A CSV file that rows are added to; each is on disk when `add` returns.

    Parameters
    ----------
    path : Path
        Made with a header where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.exists():
            with path.open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(COLUMNS)

    def runs(self) -> set[str]:
        """Return the names of the runs that it holds."""
        with self._path.open(newline="") as file:
            return {row["run"] for row in csv.DictReader(file)}

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows."""
        with self._path.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows)
