"""The runs of Spark and Flink: sorts, MapReduce with skew and scans over data, partitions, copies and compression."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bench.laboratory import flink, spark
from bench.laboratory.cluster import Cluster, cluster
from bench.laboratory.hdfs import FileSystem, file_system
from bench.laboratory.jobs import Asked
from bench.laboratory.measure import MOST_CPU_SHARE, seen
from bench.laboratory.series import Series
from bench.laboratory.tools import FLINK_VERSION

SLOTS = 2
MEMORY_MB = 640
EACH_MB = (6.0, 12.0, 24.0)
"""Data for each node [MB]."""
WARM_UP_MB = 12.0


class Running(Protocol):
    """A framework on a cluster, to which jobs are fed."""

    def run(self, asked: Asked) -> object:
        """Run a job."""

    def phases(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the columns of each phase of a job that has run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One job, and what it is given."""

    kind: str
    each_mb: float
    partitions_per_slot: int = 1
    replication: int = 1
    skew: float = 0.0
    output_share: float = 1.0
    codec: str = "none"

    def name(self, series: Series, framework: str) -> str:
        """Return a name that no other run of the table has."""
        return "-".join(
            (
                framework, self.kind, f"n{series.nodes}", f"r{series.mbit_per_s:g}", f"d{self.each_mb:g}",
                f"p{self.partitions_per_slot}", f"c{self.replication}", f"s{self.skew:g}", f"o{self.output_share:g}",
                self.codec,
            )
        )  # fmt: skip


def design(framework: str, nodes: int) -> tuple[Run, ...]:
    """Return the runs of a cluster size."""
    sorts = [Run("sort", each) for each in EACH_MB]
    # Flink's jobs have one slot for each partition.
    several = [replace(sorts[1], partitions_per_slot=times) for times in (2, 3)] if framework == "spark" else []
    return (
        *sorts,
        *several,
        *([replace(sorts[1], replication=2)] if nodes > 1 else []),
        *(replace(sort, codec="lz4") for sort in sorts[1:]),
        Run("mapreduce", 12.0, skew=0.5, output_share=0.25),
        Run("mapreduce", 24.0, skew=0.0, output_share=0.05),
        Run("scan", 24.0),
    )


def run(series: Series, framework: str, versions: Sequence[str], seed: int) -> None:
    """Run what the table does not hold yet, in a random order."""
    for version in versions:
        there = series.table.runs()
        for codec in ("none", "lz4"):
            wanted = (each for each in design(framework, series.nodes) if each.codec == codec)
            left = [each for each in wanted if each.name(series, framework + version) not in there]
            random.Random(f"{seed} {framework} {version} {series.nodes}").shuffle(left)  # noqa: S311 - an order of runs
            if left:
                _run(series, framework, version, codec, left)


def _run(series: Series, framework: str, version: str, codec: str, left: Sequence[Run]) -> None:
    folder = series.folder / f"{framework}-{version}-{codec}"
    folder.mkdir()
    with (
        cluster(series.nodes, series.mbit_per_s, folder) as nodes,
        file_system(nodes) as files,
        _opened(framework, version, codec, nodes, files) as running,
    ):
        files.generate("/warm-up", WARM_UP_MB, SLOTS)
        running.run(
            Asked("warm-up", "sort", f"{files.address}/warm-up", f"{files.address}/warmed-up", SLOTS * series.nodes)
        )
        for each_mb in sorted({each.each_mb for each in left}):
            files.generate(f"/data-{each_mb:g}", each_mb, SLOTS)
        for number, each in enumerate(left):
            rows = list(_rows(series, framework, version, each, nodes, files, running, number))
            series.table.add(rows)
            first = rows[0]
            print(f"{first['run']}: {first['time_s']:.1f} s, CPU {first['cpu_share']:.0%}", flush=True)


def _opened(
    framework: str, version: str, codec: str, nodes: Cluster, files: FileSystem
) -> AbstractContextManager[Running]:
    if framework == "spark":
        settings = {"spark.shuffle.compress": str(codec != "none").lower(), "spark.io.compression.codec": "lz4"}
        return spark.application(nodes, files, version, slots=SLOTS, memory_mb=MEMORY_MB, settings=settings)
    compressed = {"taskmanager.network.batch-shuffle.compression.enabled": str(codec != "none").lower()}
    return flink.session(nodes, files, slots=SLOTS, memory_mb=MEMORY_MB + 128, settings=compressed)


VERSIONS: Mapping[str, Sequence[str]] = {"spark": ("3.5.7", "4.0.1"), "flink": (FLINK_VERSION,)}


def _rows(
    series: Series,
    framework: str,
    version: str,
    asked: Run,
    nodes: Cluster,
    files: FileSystem,
    running: Running,
    number: int,
) -> Iterator[dict[str, Any]]:
    partitions = asked.partitions_per_slot * SLOTS * series.nodes
    name = asked.name(series, framework + version)
    source, target = f"{files.address}/data-{asked.each_mb:g}", f"{files.address}/out-{number}"
    job = Asked(name, asked.kind, source, target, partitions, asked.replication, asked.skew, asked.output_share)
    with seen(nodes) as found:
        running.run(job)
    files.ask("-rm", "-r", "-f", "-skipTrash", target)
    whole = {
        **series.told,
        "run": name,
        "framework": framework,
        "version": version,
        "job": asked.kind,
        "nodes": series.nodes,
        "mbit_per_s": series.mbit_per_s,
        "slots": SLOTS,
        "memory_mb": MEMORY_MB,
        "partitions": partitions,
        "data_mb": asked.each_mb * series.nodes,
        "replication": asked.replication,
        "compression": asked.codec,
        "skew": asked.skew,
        "output_share": asked.output_share,
        "note": "limited by the machine's CPU" if found.cpu_share > MOST_CPU_SHARE else "",
        **found.columns(),
    }
    for phase in running.phases(job):
        yield {**whole, **phase}
