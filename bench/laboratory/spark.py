"""Spark on the nodes of the laboratory: its standalone cluster and one application that jobs are fed to.

Reads Spark's own event log for what tasks read, wrote, spilled and sent.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.laboratory.cluster import Cluster, Talk, await_that
from bench.laboratory.hdfs import FileSystem
from bench.laboratory.jobs import Asked, answer
from bench.laboratory.tools import EXAMPLES, java, jvm_options, programs, spark
from stowage.measure.logs.spark_events import Stage, read_events

PORT = 7077
_SCALA = "2.13"
"""Any: workers ask for it where there is no source tree to tell it, and use it for nothing else."""
STAGES = {"sort": ("map", "reduce"), "mapreduce": ("map", "reduce"), "scan": ("scan",)}
"""Names of the stages of each kind of job."""
_UP_S = 120.0
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"


class Application:
    """A running application of Spark.

    Parameters
    ----------
    talk : Talk
        Its driver, which reads jobs.
    events : Path
        Folder of its event log.
    """

    def __init__(self, talk: Talk, events: Path) -> None:
        self._talk = talk
        self._events = events

    def run(self, asked: Asked) -> float:
        """Run a job and return its time [s].

        Raises
        ------
        OSError
            The job failed, or the application ended.
        """
        return answer(self._talk, asked)[0]

    def phases(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the columns of each phase of a job that has run."""
        for path in sorted(self._events.iterdir()):
            with path.open("rb") as log:
                job = next((job for job in read_events(log).jobs if job.name == asked.id), None)
            if job is not None:
                for stage, phase in zip(job.stages, STAGES[asked.kind], strict=True):
                    yield _columns(stage, phase, _tasks(path, stage.number))


@contextmanager
def application(
    cluster: Cluster,
    files: FileSystem,
    version: str,
    *,
    slots: int,
    memory_mb: int,
    settings: Mapping[str, str],
) -> Iterator[Application]:
    """Start Spark on the cluster and an application on all of its nodes.

    Parameters
    ----------
    version : str
        One of `tools.SPARK_VERSIONS`.
    slots : int
        Tasks that each node runs at once.
    memory_mb : int
        Heap of the executor on each node [MiB].
    settings : mapping of str to str
        Besides, of Spark.
    """
    home, head = spark(version), cluster.head
    events = head.folder / f"events-{version}"
    events.mkdir()
    environment = {**files.environment(), "SPARK_HOME": str(home), "SPARK_SCALA_VERSION": _SCALA}
    jars = (f"{home}/jars/*",)
    master = f"spark://{head.address}:{PORT}"
    started = [
        head.start(
            "master",
            java(_MASTER, "--host", head.address, "--port", str(PORT), "--webui-port", "8080", jars=jars, heap_mb=128),
            {**environment, "SPARK_LOCAL_IP": head.address},
        )
    ]
    for node in cluster.workers:
        asked = (
            "--host",
            node.address,
            "--cores",
            str(slots),
            "--memory",
            f"{memory_mb + 512}M",
            "--webui-port",
            "8081",
        )
        own = {**environment, "SPARK_LOCAL_IP": node.address, "SPARK_LOCAL_DIRS": str(node.folder / "scratch")}
        command = java(_WORKER, *asked, "--work-dir", str(node.folder / "work"), master, jars=jars, heap_mb=128)
        started.append(node.start("worker", command, own))
    chosen = {
        "spark.master": master,
        "spark.driver.host": head.address,
        "spark.executor.memory": f"{memory_mb}m",
        "spark.executor.cores": str(slots),
        "spark.executor.extraClassPath": f"{programs(f'spark-{version}')}:{EXAMPLES}",
        "spark.executor.extraJavaOptions": " ".join(jvm_options(0)[1:]),
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.ui.enabled": "false",
        "spark.hadoop.fs.defaultFS": files.address,
        **settings,
    }
    options = tuple(f"-D{name}={value}" for name, value in chosen.items())
    classes = (str(programs(f"spark-{version}")), f"{home}/jars/*", str(EXAMPLES), str(files.configuration))
    talk = head.talk(
        "driver",
        java("SparkJobs", jars=classes, heap_mb=512, options=options),
        {**environment, "SPARK_LOCAL_IP": head.address},
    )
    started.append(talk.process)
    try:
        first = talk.answers.readline().strip()
        if first != b"ready":
            raise OSError(f"Spark {version} did not start: {(head.folder / 'driver.log').read_text()[-3000:]}")
        yield Application(talk, events)
    finally:
        talk.questions.close()
        for each in reversed(started):
            each.terminate()
        for each in started:
            each.wait(60.0)
        await_that(lambda: all(each.poll() is not None for each in started), "the end of Spark", _UP_S)


def _tasks(log: Path, stage: int) -> list[dict[str, Any]]:
    """Return the events of the tasks of a stage that succeeded."""
    with log.open() as lines:
        events = [json.loads(line) for line in lines if '"SparkListenerTaskEnd"' in line[:80]]
    return [one for one in events if one["Stage ID"] == stage and one["Task End Reason"]["Reason"] == "Success"]


def _columns(stage: Stage, name: str, tasks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns of one stage."""
    shares: dict[str, list[float]] = {}
    sums = dict.fromkeys(("task_s", "gc_s", "wait_s", "remote_mb", "spilled_mb"), 0.0)
    for task in tasks:
        metrics = task["Task Metrics"]
        read = metrics["Shuffle Read Metrics"]
        remote_mb = read["Remote Bytes Read"] / 1e6
        shares.setdefault(task["Task Info"]["Host"], []).append(remote_mb)
        sums["task_s"] += metrics["Executor Run Time"] / 1e3
        sums["gc_s"] += metrics["JVM GC Time"] / 1e3
        sums["wait_s"] += read["Fetch Wait Time"] / 1e3
        sums["remote_mb"] += remote_mb
        sums["spilled_mb"] += metrics["Disk Bytes Spilled"] / 1e6
    lasted_ms = (task["Task Info"]["Finish Time"] - task["Task Info"]["Launch Time"] for task in tasks)
    found = {
        "began_s": stage.began_s,
        "phase_s": stage.time_s,
        "task_cpu_s": stage.cpu_s,
        **sums,
        "longest_task_s": max(lasted_ms, default=0) / 1e3,
        "input_mb": stage.input_mb,
        "output_mb": stage.output_mb,
        "shuffle_mb": stage.written_mb or stage.fetched_mb,
        "busiest_remote_mb": max(map(sum, shares.values()), default=0.0),
    }
    counts = {"tasks": len(tasks), "busiest_tasks": max(map(len, shares.values()), default=0)}
    return {"phase": name, **counts, **{column: round(value, 3) for column, value in found.items()}}
