"""The runs of Spark, Flink and Ray: sorts, MapReduce with skew and scans over data, partitions, copies, compression."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bench.laboratory import flink, ray_nodes, spark
from bench.laboratory.cluster import Cluster, cluster
from bench.laboratory.hdfs import FileSystem, file_system
from bench.laboratory.jobs import Asked
from bench.laboratory.measure import MOST_CPU_SHARE, seen
from bench.laboratory.series import Series
from bench.laboratory.tools import FLINK_VERSION, RAY_VERSION

SLOTS = 2
MEMORY_MB = 640
EACH_MB = (6.0, 12.0, 24.0)
"""Data for each node [MB]."""
WARM_UP_MB = 12.0
SPILLING_MB = 263
"""Memory of a node whose object store, the smallest that Ray takes, does not hold a sort of 72 MB."""


class Files(Protocol):
    """Where data lies."""

    @property
    def address(self) -> str:
        """Return what stands before the name of a folder."""

    def generate(self, name: str, each_mb: float, files: int) -> None:
        """Write records of 100 bytes on all workers, in so many files each."""

    def remove(self, name: str) -> None:
        """Remove a folder."""


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
    memory_mb: int = MEMORY_MB

    def name(self, series: Series, framework: str) -> str:
        """Return a name that no other run of the table has."""
        return "-".join(
            (
                framework, self.kind, f"n{series.nodes}", f"r{series.mbit_per_s:g}", f"d{self.each_mb:g}",
                f"p{self.partitions_per_slot}", f"c{self.replication}", f"s{self.skew:g}", f"o{self.output_share:g}",
                self.codec, *([f"m{self.memory_mb}"] if self.memory_mb != MEMORY_MB else []),
            )
        )  # fmt: skip


def design(framework: str, nodes: int) -> tuple[Run, ...]:
    """Return the runs of a cluster size."""
    sorts = [Run("sort", each) for each in EACH_MB]
    if framework == "ray-data":
        # Its processes take 10 CPU seconds a node and job.
        return (*sorts[1:], replace(sorts[2], codec="zstd")) if nodes <= 4 else ()
    # Flink's jobs have one slot for each partition.
    several = [replace(sorts[1], partitions_per_slot=times) for times in (2, 3)] if framework != "flink" else []
    others = (
        Run("mapreduce", 12.0, skew=0.5, output_share=0.25),
        Run("mapreduce", 24.0, skew=0.0, output_share=0.05),
        Run("scan", 24.0),
    )
    if framework == "ray":
        # Each file has one copy, on its node's disk, and Ray does not compress objects.
        spilling = [Run("sort", 72.0, memory_mb=SPILLING_MB)] if nodes <= 2 else []  # more would take minutes
        return (*sorts, *several, *spilling, *others)
    return (
        *sorts,
        *several,
        *([replace(sorts[1], replication=2)] if nodes > 1 else []),
        *(replace(sort, codec="lz4") for sort in sorts[1:]),
        *others,
    )


def run(series: Series, framework: str, versions: Sequence[str], seed: int) -> None:
    """Run what the table does not hold yet, in a random order."""
    for version in versions:
        there = series.table.runs()
        every = design(framework, series.nodes)
        for codec, memory_mb in dict.fromkeys((each.codec, each.memory_mb) for each in every):
            wanted = (each for each in every if (each.codec, each.memory_mb) == (codec, memory_mb))
            left = [each for each in wanted if each.name(series, framework + version) not in there]
            random.Random(f"{seed} {framework} {version} {series.nodes}").shuffle(left)  # noqa: S311 - an order of runs
            if left:
                _run(series, framework, version, left)


def _run(series: Series, framework: str, version: str, left: Sequence[Run]) -> None:
    """Run jobs that share a codec and the memory of nodes, in one session."""
    folder = series.folder / f"{framework}-{version}-{left[0].codec}-{left[0].memory_mb}"
    folder.mkdir()
    with (
        cluster(series.nodes, series.mbit_per_s, folder) as nodes,
        _opened(framework, version, left[0], nodes) as (files, running),
    ):
        files.generate("/warm-up", WARM_UP_MB, SLOTS)
        source, target = (f"{files.address}/{name}" for name in ("warm-up", "warmed-up"))
        warm_up = Asked("warm-up", "sort", source, target, SLOTS * series.nodes)
        running.run(warm_up)
        list(running.phases(warm_up))  # what it moved must not count for the next one
        for each_mb in sorted({each.each_mb for each in left}):
            files.generate(f"/data-{each_mb:g}", each_mb, SLOTS)
        for number, each in enumerate(left):
            rows = list(_rows(series, framework, version, each, nodes, files, running, number))
            series.table.add(rows)
            first = rows[0]
            print(f"{first['run']}: {first['time_s']:.1f} s, CPU {first['cpu_share']:.0%}", flush=True)


@contextmanager
def _opened(framework: str, version: str, asked: Run, nodes: Cluster) -> Iterator[tuple[Files, Running]]:
    """Start a framework on a cluster, and the file system that its jobs read."""
    if framework.startswith("ray"):
        program = "data" if framework == "ray-data" else "tasks"
        settings = {"SHUFFLE_COMPRESSION": asked.codec}
        with ray_nodes.session(
            nodes, program=program, slots=SLOTS, memory_mb=asked.memory_mb, settings=settings
        ) as running:
            yield ray_nodes.OwnFolders(nodes), running
        return
    with file_system(nodes) as files, _on_files(framework, version, asked, nodes, files) as running:
        yield files, running


def _on_files(
    framework: str, version: str, asked: Run, nodes: Cluster, files: FileSystem
) -> AbstractContextManager[Running]:
    """Start Spark or Flink on HDFS."""
    compresses = str(asked.codec != "none").lower()
    if framework == "spark":
        settings = {"spark.shuffle.compress": compresses, "spark.io.compression.codec": "lz4"}
        return spark.application(nodes, files, version, slots=SLOTS, memory_mb=asked.memory_mb, settings=settings)
    compressed = {"taskmanager.network.batch-shuffle.compression.enabled": compresses}
    return flink.session(nodes, files, slots=SLOTS, memory_mb=asked.memory_mb + 128, settings=compressed)


VERSIONS: Mapping[str, Sequence[str]] = {
    "spark": ("3.5.7", "4.0.1"),
    "flink": (FLINK_VERSION,),
    "ray": (RAY_VERSION,),
    "ray-data": (RAY_VERSION,),
}


def _rows(
    series: Series,
    framework: str,
    version: str,
    asked: Run,
    nodes: Cluster,
    files: Files,
    running: Running,
    number: int,
) -> Iterator[dict[str, Any]]:
    partitions = asked.partitions_per_slot * SLOTS * series.nodes
    name = asked.name(series, framework + version)
    source, target = f"{files.address}/data-{asked.each_mb:g}", f"{files.address}/out-{number}"
    job = Asked(name, asked.kind, source, target, partitions, asked.replication, asked.skew, asked.output_share)
    with seen(nodes) as found:
        running.run(job)
    files.remove(f"/out-{number}")
    whole = {
        **series.told,
        "run": name,
        "framework": framework,
        "version": version,
        "job": asked.kind,
        "nodes": series.nodes,
        "mbit_per_s": series.mbit_per_s,
        "slots": SLOTS,
        "memory_mb": asked.memory_mb,
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
