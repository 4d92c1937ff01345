"""Ray on the nodes of the laboratory: a head, a raylet on each worker, and a program that jobs are fed to.

Files lie in each worker's own folder. Reads Ray's task events for times, and its metrics for bytes that nodes received
and spilled.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.laboratory.cluster import Cluster, Node, Talk, await_that
from bench.laboratory.jobs import Asked, answer
from bench.laboratory.tools import HERE, RAY

PORT = 6379
RECORD_BYTES = 100
_STORE_SHARE = 0.3
"""Of a node's memory that is its object store, as Ray has it by default."""
_METRICS_S = 2.0
"""How often a node tells its metrics; the default is 10 s."""
_SETTLED_S = 3.0 * _METRICS_S
_PROGRAM = HERE / "python" / "ray_jobs.py"
_AS_HEAD = ("--head", "--port", str(PORT), "--include-dashboard=false")
_HEAD_MB = 640
_UP_S = 60.0
_LETTERS = 16
_SMALLER = 16
"""How many times smaller blocks are than in practice, which has 128 MiB: sizes of Ray's settings are divided by it."""
_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_metrics_report_interval_ms": str(round(1000 * _METRICS_S)),
    # Up to this, objects go through the driver instead of from node to node.
    "RAY_max_direct_call_object_size": str(100 * 1024 // _SMALLER),
    "RAY_min_spilling_size": str(100 * 1024 * 1024 // _SMALLER),
    # By default 2 GiB in chunks of 5 MiB. What a node asks for waits behind what it sends: 1.7 s at 10 Gbit/s, so at
    # 10 Mbit/s. Chunks are small enough that each of 16 nodes has two on their way.
    "RAY_object_manager_max_bytes_in_flight": str(2 * 1024 * 1024),
    "RAY_object_manager_default_chunk_size": str(64 * 1024),
    # After 10 s by default, Ray asks once more for an object, and gets it twice: here, a block alone takes 7 s.
    "RAY_object_manager_pull_timeout_ms": "600000",
}


@dataclass(frozen=True)
class OwnFolders:
    """Files on each worker's own disk: no file system is shared."""

    cluster: Cluster

    @property
    def address(self) -> str:
        """Return what stands before the name of a folder."""
        return ""

    def generate(self, name: str, each_mb: float, files: int) -> None:
        """Write records of 100 bytes like those of gensort into so many files on each worker.

        Parameters
        ----------
        each_mb : float
            On each worker [MB].
        """
        count = round(each_mb * 1e6 / RECORD_BYTES / files)
        for place, node in enumerate(self.cluster.workers):
            folder = node.folder / name.strip("/")
            folder.mkdir(parents=True)
            for number in range(place * files, (place + 1) * files):
                _records(number, count).tofile(folder / f"part-{number:05}")

    def remove(self, name: str) -> None:
        """Remove a folder from all workers."""
        for node in self.cluster.workers:
            shutil.rmtree(node.folder / name.strip("/"), ignore_errors=True)


def _records(seed: int, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Return records: a random key of 10 bytes, a number of 32 digits, then letters in runs of four."""
    random = np.random.default_rng(seed)
    made = np.empty((count, RECORD_BYTES), np.uint8)
    made[:, :10] = random.integers(0, 256, (count, 10), np.uint8)
    digits = np.frombuffer("".join(f"{number:032X}" for number in range(count)).encode(), np.uint8)
    made[:, 10:42] = digits.reshape(count, 32)
    letters = random.integers(ord("A"), ord("A") + _LETTERS, (count, 15), np.uint8)
    made[:, 42:] = np.repeat(letters, 4, axis=1)[:, :58]
    return made


class Session:
    """A running Ray cluster.

    Parameters
    ----------
    talk : Talk
        The program that runs jobs.
    """

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._before = self._counters()

    def run(self, asked: Asked) -> float:
        """Run a job and return its time [s].

        Raises
        ------
        OSError
            The job failed, or the program ended.
        """
        return answer(self._talk, asked)[0]

    def phases(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the columns of each phase of the job that ran last; what nodes received belongs to its last phase."""
        time.sleep(_SETTLED_S)
        before, self._before = self._before, self._counters()
        moved = {
            column: [now[column] - before[address][column] for address, now in self._before.items()]
            for column in ("received", "spilled")
        }
        found = sorted(json.loads(answer(self._talk, Asked("tasks", "tasks"))[1]), key=lambda phase: phase["began_s"])
        for number, phase in enumerate(found):
            last = number == len(found) - 1
            # A task begins when its inputs are there: to fetch them belongs to the phase.
            yield _columns(phase, found[number - 1]["ended_s"] if number else phase["began_s"]) | (
                {
                    "remote_mb": _mb(sum(moved["received"])),
                    "busiest_remote_mb": _mb(max(moved["received"])),
                    "spilled_mb": _mb(sum(moved["spilled"])),
                }
                if last and asked.kind != "scan"
                else {}
            )

    def _counters(self) -> dict[str, dict[str, float]]:
        """Return Ray's counters of each node, the head's left out [bytes]."""
        found: dict[str, dict[str, float]] = json.loads(answer(self._talk, Asked("counters", "counters"))[1])
        return found


def _columns(phase: Mapping[str, Any], began_s: float) -> dict[str, Any]:
    """Return the columns of one phase."""
    times = {
        "began_s": began_s,
        "phase_s": phase["ended_s"] - began_s,
        **{column: phase[column] for column in ("task_s", "wait_s", "longest_task_s")},
        "task_cpu_s": phase["cpu_s"],
    }
    return {
        **{column: phase[column] for column in ("phase", "tasks", "busiest_tasks")},
        **{column: "" if value is None else round(value, 3) for column, value in times.items()},
        "input_mb": _mb(phase["input"]),
        "output_mb": _mb(phase["output"]),
        "shuffle_mb": _mb(phase["shuffled"]),
    }


def _mb(size: float | None) -> float | str:
    return "" if size is None else round(size / 1e6, 3)


@contextmanager
def session(
    cluster: Cluster, *, program: str, slots: int, memory_mb: int, settings: Mapping[str, str]
) -> Iterator[Session]:
    """Start Ray on the cluster.

    Parameters
    ----------
    program : str
        `tasks` for sorts by Ray's tasks, `data` for those of Ray Data.
    slots : int
        Tasks that each worker runs at once.
    memory_mb : int
        Of each worker, the object store included [MB].
    settings : mapping of str to str
        Besides, of the environment of Ray's programs.
    """
    head = cluster.head
    # Short: the names of Ray's sockets lie below, and have 107 bytes at most.
    scratch = Path(tempfile.mkdtemp(prefix="ray-"))
    environment = {**_ENVIRONMENT, **settings}
    started = [
        _start(
            head, scratch / "0", environment, ("--head", "--port", str(PORT), "--include-dashboard=false"), 0, _HEAD_MB
        )
    ]
    try:
        # A worker that does not find the head gives up.
        _await_port(head)
        for number, node in enumerate(cluster.workers, start=1):
            joining = ("--address", f"{head.address}:{PORT}")
            started.append(_start(node, scratch / str(number), environment, joining, slots, memory_mb))
        disks = tuple(f"{node.address}={node.folder}" for node in cluster.workers)
        talk = head.talk(
            "driver", (str(RAY / "bin" / "python"), str(_PROGRAM), head.address, program, *disks), environment
        )
        started.append(talk.process)
        try:
            if talk.answers.readline().strip() != b"ready":
                raise OSError(f"Ray did not start: {(head.folder / 'driver.log').read_text()[-3000:]}")
            time.sleep(_SETTLED_S)
            yield Session(talk)
        finally:
            talk.questions.close()
    finally:
        for each in reversed(started):
            each.terminate()
        for each in started:
            each.wait(60.0)
        shutil.rmtree(scratch, ignore_errors=True)


def _start(
    node: Node,
    scratch: Path,
    environment: Mapping[str, str],
    joining: Sequence[str],
    slots: int,
    memory_mb: int,
) -> subprocess.Popen[bytes]:
    """Start Ray on a node; it ends with the process that is returned."""
    store_mb = _STORE_SHARE * memory_mb
    options = {
        "--node-ip-address": node.address,
        "--num-cpus": slots,
        "--memory": round(1e6 * (memory_mb - store_mb)),
        "--object-store-memory": round(1e6 * store_mb),
        "--object-spilling-directory": node.folder / "spilled",
        "--temp-dir": scratch,
    }
    (node.folder / "spilled").mkdir()
    asked = (str(each) for option in options.items() for each in option)
    command = (str(RAY / "bin" / "ray"), "start", "--block", "--disable-usage-stats", *asked, *joining)
    return node.start("ray", command, environment)


def _await_port(head: Node) -> None:
    """Wait until the head answers."""

    def answers() -> bool:
        try:
            head.ask(("bash", "-c", f"exec 3<>/dev/tcp/{head.address}/{PORT}"), {}, 10.0)
        except OSError:
            return False
        return True

    await_that(answers, "the head of Ray", _UP_S)
