"""The runs of Hadoop: TeraSort of MapReduce on YARN, and TestDFSIO on HDFS with one to three copies.

Reads MapReduce's own job history for the times of its phases and for its counters.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.laboratory.cluster import Cluster, await_that, cluster
from bench.laboratory.hdfs import FileSystem, file_system, write_settings
from bench.laboratory.measure import MOST_CPU_SHARE, seen
from bench.laboratory.series import Series
from bench.laboratory.tools import HADOOP, HADOOP_VERSION, java, java_home, jvm_options

SLOTS = 2
CONTAINER_MB = 512
SORT_BUFFER_MB = 16
_DONE = "/history"
_JOB_S = 900.0
_HISTORY_S = 60.0
_SAMPLED_RECORDS = 10_000
_UP_S = 120.0
_SCHEDULERS = "org.apache.hadoop.yarn.server.resourcemanager.scheduler"


@dataclass(frozen=True, slots=True)
class Run:
    """One job of MapReduce."""

    kind: str
    """sort, dfsio-write or dfsio-read."""
    each_mb: float
    """Data for each node [MB]."""
    reduces_per_slot: int = 1
    """Reduce tasks per slot of the cluster, for sort."""
    replication: int = 1
    """Copies of the output."""

    def name(self, series: Series) -> str:
        """Return a name that no other run of the table has."""
        how = f"d{self.each_mb:g}-p{self.reduces_per_slot}-c{self.replication}"
        return f"hadoop{HADOOP_VERSION}-{self.kind}-n{series.nodes}-r{series.mbit_per_s:g}-{how}"


def design(nodes: int) -> tuple[Run, ...]:
    """Return the runs of a cluster size."""
    copies = [each for each in (1, 2, 3) if each <= nodes]
    return (
        *(Run("sort", each) for each in (6.0, 12.0, 24.0)),
        Run("sort", 12.0, reduces_per_slot=2),
        *(Run("sort", 12.0, replication=each) for each in copies[1:2]),
        *(Run("dfsio-write", 12.0, replication=each) for each in copies),
        *(Run("dfsio-read", 12.0, replication=each) for each in copies),
    )


def run(series: Series, seed: int) -> None:
    """Run what the table does not hold yet, in a random order; reads follow the writes whose files they read."""
    there = series.table.runs()
    left = [each for each in design(series.nodes) if each.name(series) not in there]
    random.Random(f"{seed} hadoop {series.nodes}").shuffle(left)  # noqa: S311 - an order of runs
    left.sort(key=lambda each: each.kind == "dfsio-read")
    if not left:
        return
    folder = series.folder / "hadoop"
    folder.mkdir()
    with cluster(series.nodes, series.mbit_per_s, folder) as nodes, file_system(nodes) as files, _yarn(nodes, files):
        jobs = _Jobs(nodes, files)
        for each_mb in sorted({each.each_mb for each in left if each.kind == "sort"} | {6.0}):
            files.generate(f"/data-{each_mb:g}", each_mb, SLOTS)
        _run(jobs, series, Run("sort", 6.0), len(left))
        jobs.history()
        for number, each in enumerate(left):
            if each.kind == "dfsio-read":
                # Its files must have the copies that are asked for.
                _dfsio(jobs, series, Run("dfsio-write", each.each_mb, replication=each.replication))
                jobs.history()
            with seen(nodes) as found:
                _run(jobs, series, each, number)
            history = jobs.history()
            rows_of = list(_rows(history))
            whole = _whole(series, each) | dict(found.columns())
            whole["note"] = "limited by the machine's CPU" if found.cpu_share > MOST_CPU_SHARE else ""
            series.table.add([{**whole, **row} for row in rows_of])
            print(f"{whole['run']}: {found.took_s:.1f} s, CPU {found.cpu_share:.0%}", flush=True)


def _run(jobs: "_Jobs", series: Series, asked: Run, number: int) -> None:
    if asked.kind != "sort":
        _dfsio(jobs, series, asked)
        return
    jobs.run(
        "org.apache.hadoop.examples.terasort.TeraSort",
        # A hundred thousand by default, all of which the client reads: as much as the laboratory's data.
        f"-Dmapreduce.terasort.partitions.sample={_SAMPLED_RECORDS}",
        f"-Dmapreduce.job.reduces={asked.reduces_per_slot * SLOTS * series.nodes}",
        f"-Dmapreduce.terasort.output.replication={asked.replication}",
        f"/data-{asked.each_mb:g}",
        f"/sorted-{number}",
    )


def _dfsio(jobs: "_Jobs", series: Series, asked: Run) -> None:
    files = SLOTS * series.nodes
    size_mib = max(1, round(asked.each_mb * 1e6 / SLOTS / 2**20))
    jobs.run(
        "org.apache.hadoop.fs.TestDFSIO",
        f"-Ddfs.replication={asked.replication}",
        "-write" if asked.kind == "dfsio-write" else "-read",
        "-nrFiles", str(files), "-fileSize", f"{size_mib}MB", "-resFile", str(jobs.results),
    )  # fmt: skip


class _Jobs:
    """Runs jobs and finds their history."""

    def __init__(self, nodes: Cluster, files: FileSystem) -> None:
        self._nodes = nodes
        self._files = files
        self._read: set[str] = set()
        self.results = nodes.head.folder / "TestDFSIO_results.log"

    def run(self, main: str, *arguments: str) -> None:
        """Run a program of Hadoop that submits a job and waits for it."""
        own = ("-Dmapreduce.job.user.name=laboratory",)
        options, rest = _split(arguments)
        command = java(main, *own, *options, *rest, jars=(str(self._files.configuration), f"{HADOOP}/*"), heap_mb=256)
        self._nodes.head.ask(command, self._files.environment(), _JOB_S)

    def history(self) -> list[Mapping[str, Any]]:
        """Return the events of the newest job's history."""
        # The ApplicationMaster writes it at its end, shortly after the client has been told that the job is done.
        for _ in range(int(_HISTORY_S)):
            try:
                listed = self._files.ask("-ls", "-C", f"{_DONE}/*/*.jhist").split()
            except OSError:  # nothing is there yet
                listed = []
            new = sorted({each for each in listed if each.endswith(".jhist")} - self._read)
            if new:
                self._read |= set(new)
                lines = self._files.ask("-cat", new[-1]).splitlines()
                # The first of them is the schema.
                found = [json.loads(line) for line in lines if line.startswith('{"type"')]
                return [each for each in found if "event" in each]
        raise TimeoutError("no history of the job")


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    options = [each for each in arguments if each.startswith("-D")]
    return options, [each for each in arguments if not each.startswith("-D")]


def _whole(series: Series, asked: Run) -> dict[str, Any]:
    return {
        **series.told,
        "run": asked.name(series),
        "framework": "hadoop-mapreduce" if asked.kind == "sort" else "hdfs",
        "version": HADOOP_VERSION,
        "job": asked.kind,
        "nodes": series.nodes,
        "mbit_per_s": series.mbit_per_s,
        "slots": SLOTS,
        "memory_mb": CONTAINER_MB,
        "partitions": asked.reduces_per_slot * SLOTS * series.nodes if asked.kind == "sort" else SLOTS * series.nodes,
        "data_mb": asked.each_mb * series.nodes,
        "replication": asked.replication,
        "compression": "none",
        "skew": 0.0,
        "output_share": 1.0,
    }


def _rows(history: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each phase: map, shuffle (until the last reduce task has all its input), reduce."""
    events = [(each["type"], next(iter(each["event"].values()))) for each in history]
    maps = [one for kind, one in events if kind == "MAP_ATTEMPT_FINISHED"]
    reduces = [one for kind, one in events if kind == "REDUCE_ATTEMPT_FINISHED"]
    begun = {one["attemptId"]: one["startTime"] / 1000.0 for kind, one in events if kind.endswith("_ATTEMPT_STARTED")}
    counted = _Counters(maps)
    yield _phase("map", maps, begun, "finishTime") | {
        "task_cpu_s": counted.seconds("CPU_MILLISECONDS"),
        "gc_s": counted.seconds("GC_TIME_MILLIS"),
        "input_mb": counted.mb("HDFS_BYTES_READ"),
        "output_mb": counted.mb("HDFS_BYTES_WRITTEN"),
        "shuffle_mb": counted.mb("MAP_OUTPUT_MATERIALIZED_BYTES"),
        "spilled_mb": counted.mb("FILE_BYTES_WRITTEN"),
    }
    if not reduces:
        return
    counted = _Counters(reduces)
    shuffled = {one["attemptId"]: one["shuffleFinishTime"] / 1000.0 for one in reduces}
    yield _phase("shuffle", reduces, begun, "shuffleFinishTime") | {"shuffle_mb": counted.mb("REDUCE_SHUFFLE_BYTES")}
    yield _phase("reduce", reduces, shuffled, "finishTime") | {
        "task_cpu_s": counted.seconds("CPU_MILLISECONDS"),
        "gc_s": counted.seconds("GC_TIME_MILLIS"),
        "output_mb": counted.mb("HDFS_BYTES_WRITTEN"),
        "spilled_mb": counted.mb("FILE_BYTES_WRITTEN"),
    }


class _Counters:
    """Sums of the counters of attempts."""

    def __init__(self, attempts: Sequence[Mapping[str, Any]]) -> None:
        self._sums: dict[str, int] = {}
        for one in attempts:
            for group in one["counters"]["groups"]:
                for counter in group["counts"]:
                    self._sums[counter["name"]] = self._sums.get(counter["name"], 0) + counter["value"]

    def mb(self, name: str) -> float:
        return round(self._sums.get(name, 0) / 1e6, 3)

    def seconds(self, name: str) -> float:
        return round(self._sums.get(name, 0) / 1000.0, 2)


def _phase(name: str, attempts: Sequence[Mapping[str, Any]], begun: Mapping[str, float], end: str) -> dict[str, Any]:
    spans = [(begun[one["attemptId"]], one[end] / 1000.0) for one in attempts]
    by_host: dict[str, int] = {}
    for one in attempts:
        by_host[one["hostname"]] = by_host.get(one["hostname"], 0) + 1
    return {
        "phase": name,
        "began_s": round(min(first for first, _ in spans), 2),
        "phase_s": round(max(last for _, last in spans) - min(first for first, _ in spans), 2),
        "tasks": len(attempts),
        "busiest_tasks": max(by_host.values()),
        "task_s": round(sum(last - first for first, last in spans), 2),
        "longest_task_s": round(max(last - first for first, last in spans), 2),
    }


@contextmanager
def _yarn(cluster: Cluster, files: FileSystem) -> Iterator[None]:
    """Start YARN; it ends with the cluster."""
    head = cluster.head
    classes = f"{HADOOP}/*"
    options = " ".join(jvm_options(320))
    write_settings(
        files.configuration / "mapred-site.xml",
        {
            "mapreduce.framework.name": "yarn",
            "mapreduce.application.classpath": classes,
            "mapreduce.map.memory.mb": str(CONTAINER_MB),
            "mapreduce.reduce.memory.mb": str(CONTAINER_MB),
            "mapreduce.map.java.opts": options,
            "mapreduce.reduce.java.opts": options,
            "yarn.app.mapreduce.am.resource.mb": str(CONTAINER_MB),
            "yarn.app.mapreduce.am.command-opts": options,
            "yarn.app.mapreduce.am.staging-dir": "/staging",
            "mapreduce.jobhistory.intermediate-done-dir": _DONE,
            "mapreduce.jobhistory.jhist.format": "json",
            "mapreduce.task.io.sort.mb": str(SORT_BUFFER_MB),
            "mapreduce.map.speculative": "false",
            "mapreduce.reduce.speculative": "false",
        },
    )
    shared = {
        "yarn.resourcemanager.hostname": head.address,
        "yarn.resourcemanager.webapp.address": f"{head.address}:8088",
        # The others want a file with queues.
        "yarn.resourcemanager.scheduler.class": f"{_SCHEDULERS}.fifo.FifoScheduler",
        "yarn.nodemanager.aux-services": "mapreduce_shuffle",
        "yarn.application.classpath": classes,
        "yarn.scheduler.minimum-allocation-mb": "128",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.pmem-check-enabled": "false",
        "yarn.nodemanager.env-whitelist": "JAVA_HOME,HADOOP_CONF_DIR,PATH",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
    }
    write_settings(files.configuration / "yarn-site.xml", shared)
    rm = files.command("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", heap_mb=256)
    manager = head.start("resourcemanager", rm, files.environment())
    for node in cluster.workers:
        own = node.folder / "conf"
        (own / "mapred-site.xml").symlink_to(files.configuration / "mapred-site.xml")
        write_settings(
            own / "yarn-site.xml",
            shared
            | {
                "yarn.nodemanager.hostname": node.address,
                "yarn.nodemanager.bind-host": node.address,
                # One container more than slots: the ApplicationMaster of a job takes one of some node.
                "yarn.nodemanager.resource.memory-mb": str((SLOTS + 1) * CONTAINER_MB),
                "yarn.nodemanager.resource.cpu-vcores": str(SLOTS + 1),
                "yarn.nodemanager.local-dirs": str(node.folder / "local"),
                "yarn.nodemanager.log-dirs": str(node.folder / "logs"),
                "mapreduce.shuffle.port": "13562",
            },
        )
        command = java("org.apache.hadoop.yarn.server.nodemanager.NodeManager", jars=(str(own), classes), heap_mb=192)
        own_environment = {"HADOOP_CONF_DIR": str(own), "JAVA_HOME": java_home()}
        node.start("nodemanager", command, {**files.environment(), **own_environment})

    def complete() -> bool:
        if manager.poll() is not None:
            raise OSError("the ResourceManager of YARN has ended")
        try:
            metrics = head.ask(
                ("curl", "-sf", "-m", "30", f"http://{head.address}:8088/ws/v1/cluster/metrics"), {}, 60.0
            )
        except OSError:
            return False
        return bool(json.loads(metrics)["clusterMetrics"]["activeNodes"] == len(cluster.workers))

    await_that(complete, "all NodeManagers of YARN", _UP_S)
    yield
