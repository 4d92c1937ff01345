"""Flink on the nodes of the laboratory: a session cluster, and a program that submits jobs to it.

Reads Flink's REST interface for what the tasks of each job read, wrote and when.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bench.laboratory.cluster import Cluster, Talk, await_that
from bench.laboratory.hdfs import FileSystem
from bench.laboratory.jobs import Asked, answer
from bench.laboratory.tools import FLINK, HADOOP, java, programs

PORT = 8081
_RPC_PORT = 6123
_UP_S = 120.0
_JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
_TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"


class Session:
    """A running session cluster of Flink.

    Parameters
    ----------
    cluster : Cluster
    talk : Talk
        The program that submits jobs.
    """

    def __init__(self, cluster: Cluster, talk: Talk) -> None:
        self._cluster = cluster
        self._talk = talk
        self._ids: dict[str, str] = {}

    def run(self, asked: Asked) -> None:
        """Run a job.

        Raises
        ------
        OSError
            The job failed, or the program that submits jobs ended.
        """
        self._ids[asked.id] = answer(self._talk, asked)[1]

    def phases(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the columns of each vertex of a job that has run: its tasks run beside those of the others."""
        for vertex in self.get(f"/jobs/{self._ids[asked.id]}")["vertices"]:
            metrics = vertex["metrics"]
            tasks = self.get(f"/jobs/{self._ids[asked.id]}/vertices/{vertex['id']}")["subtasks"]
            hosts: dict[str, int] = {}
            for task in tasks:
                hosts[task["endpoint"]] = hosts.get(task["endpoint"], 0) + 1
            yield {
                "phase": _named(vertex["name"]),
                "phase_s": round(vertex["duration"] / 1000.0, 2),
                "began_s": round(vertex["start-time"] / 1000.0, 2),
                "tasks": len(tasks),
                "busiest_tasks": max(hosts.values(), default=0),
                "task_s": round(sum(task["duration"] for task in tasks) / 1000.0, 2),
                "wait_s": round(metrics.get("accumulated-idle-time", 0) / 1000.0, 2),
                "longest_task_s": round(max(task["duration"] for task in tasks) / 1000.0, 2),
                "shuffle_mb": round(metrics["read-bytes"] / 1e6, 3),
                "output_mb": round(metrics["write-bytes"] / 1e6, 3),
            }

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return what the REST interface says."""
        head = self._cluster.head
        return json.loads(head.ask(("curl", "-sf", "-m", "30", f"http://{head.address}:{PORT}{path}"), {}, 60.0))


def _named(vertex: str) -> str:
    """Return a short name of a vertex, whose own lists all that is chained in it."""
    if "DataSource" in vertex:
        return "read"
    return "write" if "DataSink" in vertex and "Partition" not in vertex and "Sort" not in vertex else "sort"


@contextmanager
def session(
    cluster: Cluster, files: FileSystem, *, slots: int, memory_mb: int, settings: Mapping[str, str]
) -> Iterator[Session]:
    """Start Flink on the cluster.

    Parameters
    ----------
    slots : int
        Tasks of each kind that each node runs at once.
    memory_mb : int
        All memory of a worker's process [MiB].
    settings : mapping of str to str
        Besides, of Flink.
    """
    head = cluster.head
    environment = files.environment()
    classes = (str(programs("flink")), str(files.configuration), f"{FLINK}/*", f"{HADOOP}/*")
    shared = {
        "jobmanager.rpc.address": head.address,
        "jobmanager.rpc.port": str(_RPC_PORT),
        "jobmanager.bind-host": head.address,
        "jobmanager.memory.process.size": "700m",
        "rest.address": head.address,
        "rest.bind-address": head.address,
        "rest.port": str(PORT),
        "taskmanager.numberOfTaskSlots": str(slots),
        "taskmanager.memory.process.size": f"{memory_mb}m",
        "taskmanager.memory.jvm-metaspace.size": "96m",
        "taskmanager.memory.jvm-overhead.min": "64m",
        "taskmanager.memory.network.min": "48m",
        "taskmanager.memory.network.max": "48m",
        "taskmanager.memory.managed.size": "160m",
        "taskmanager.network.bind-policy": "ip",
        **settings,
    }
    started = []
    for node in cluster.every:
        own = node.folder / "flink"
        own.mkdir()
        mine = {"taskmanager.host": node.address, "taskmanager.bind-host": node.address, "io.tmp.dirs": str(own)}
        lines = (f"{name}: {value}\n" for name, value in (shared if node is head else shared | mine).items())
        (own / "config.yaml").write_text("".join(lines))
        (own / "flink-conf.yaml").symlink_to("config.yaml")
        main = _JOB_MANAGER if node is head else _TASK_MANAGER
        dynamic = () if node is head else _memory(memory_mb)
        command = java(main, "--configDir", str(own), *dynamic, jars=classes, heap_mb=384)
        started.append(node.start("flink", command, environment))
    talk = head.talk("submit", java("FlinkJobs", head.address, str(PORT), jars=classes, heap_mb=256), environment)
    started.append(talk.process)
    try:
        talk.answers.readline()
        made = Session(cluster, talk)

        def complete() -> bool:
            try:
                return bool(made.get("/overview")["taskmanagers"] == len(cluster.workers))
            except OSError:
                return False

        await_that(complete, "all workers of Flink", _UP_S)
        yield made
    finally:
        talk.questions.close()
        for each in reversed(started):
            each.terminate()
        for each in started:
            each.wait(60.0)


def _memory(memory_mb: int) -> tuple[str, ...]:
    """Return the parts of a worker's memory, which its start script would compute."""
    task_heap = memory_mb - 96 - 64 - 48 - 160 - 128
    parts = {
        "taskmanager.memory.framework.off-heap.size": "64m",
        "taskmanager.memory.network.max": "48m",
        "taskmanager.memory.network.min": "48m",
        "taskmanager.memory.framework.heap.size": "64m",
        "taskmanager.memory.managed.size": "160m",
        "taskmanager.cpu.cores": "1.0",
        "taskmanager.memory.task.heap.size": f"{task_heap}m",
        "taskmanager.memory.task.off-heap.size": "0m",
        "taskmanager.memory.jvm-metaspace.size": "96m",
        "taskmanager.memory.jvm-overhead.max": "64m",
        "taskmanager.memory.jvm-overhead.min": "64m",
    }
    return tuple(word for name, value in parts.items() for word in ("-D", f"{name}={value}"))
