"""Nodes of the laboratory: network namespaces with a shaped link, a folder and a CPU count of their own.

A node is a network namespace behind a switch, whose link is limited in both directions. Its processes share one cgroup,
so that their CPU time is counted with all child processes. Nothing leaves the machine, and everything is removed at
the end.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Interface
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.extend(map(str, (ROOT / "tests" / "support").iterdir()))

from laboratory.namespaces import Link, Switch, owner, run, switch  # noqa: E402 - it lies in tests

_ACCOUNTS = Path("/sys/fs/cgroup/cpuacct")
_HEAD_MBIT_PER_S = 1000.0
"""Link of the head node, which holds no data: it must not be what limits a job."""
_SEGMENTS = "1"
"""Packets that a link hands over at once: as many as are counted."""
_STOP_S = 20.0
LOG_LINES = 12
"""Of each log, printed after a failure."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources that a node has used since it was created."""

    cpu_s: float
    """CPU time of all its processes [s]."""
    sent_bytes: int
    """Sent over its link, with headers [bytes]."""
    received_bytes: int
    """Received over its link, with headers [bytes]."""

    def since(self, before: "Usage") -> "Usage":
        """Return what was used since an earlier look."""
        return Usage(
            self.cpu_s - before.cpu_s,
            self.sent_bytes - before.sent_bytes,
            self.received_bytes - before.received_bytes,
        )


@dataclass(frozen=True, slots=True)
class Talk:
    """A program that reads questions and writes answers, line by line."""

    process: subprocess.Popen[bytes]
    questions: IO[bytes]
    answers: IO[bytes]


@dataclass
class Node:
    """One machine of the cluster."""

    name: str
    address: str
    """Address of its only link."""
    folder: Path
    """Its disk."""
    link: Link
    accounts: Path
    """The cgroup that counts its CPU time."""
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a program on the node; what it prints goes to a file in the node's folder."""
        process = self._popen(command, environment, self.folder / f"{name}.log", stdin=subprocess.DEVNULL)
        self._processes.append(process)
        return process

    def talk(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> "Talk":
        """Start a program that is written to and read from; its errors go to a file in the node's folder."""
        process = self._popen(command, environment, self.folder / f"{name}.log", stdin=subprocess.PIPE, piped=True)
        self._processes.append(process)
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the pipes of a program were not made")
        return Talk(process, process.stdin, process.stdout)

    def ask(self, command: Sequence[str], environment: Mapping[str, str], timeout_s: float) -> str:
        """Run a program on the node and return what it prints, errors included.

        Raises
        ------
        OSError
            It failed.
        TimeoutError
            It took longer than `timeout_s`.
        """
        path = self.folder / "asked.log"
        process = self._popen(command, environment, path, stdin=subprocess.DEVNULL)
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _end(process)
            raise TimeoutError(f"{' '.join(command)[:200]}: not done after {timeout_s:g} s") from None
        printed = path.read_text(errors="replace")
        path.unlink()
        if status:
            raise OSError(f"{' '.join(command)[-200:]}: {printed[-3000:]}")
        return printed

    def usage(self) -> Usage:
        """Return what the node has used so far."""
        received, sent = self.link.carried_bytes()  # by the switch: what it received is what the node sent
        return Usage(int((self.accounts / "cpuacct.usage").read_text()) / 1e9, received, sent)

    def stop(self) -> None:
        """End what was started, the last first."""
        for process in reversed(self._processes):
            _end(process)
        self._processes.clear()

    def _popen(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        printed: Path,
        *,
        stdin: int,
        piped: bool = False,
    ) -> subprocess.Popen[bytes]:
        # Outside of the namespace, in which another /sys is mounted.
        counted = ("sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.accounts / "tasks"))
        with printed.open("ab") as log:
            return subprocess.Popen(
                (*counted, "ip", "netns", "exec", self.link.namespace, *command),
                stdin=stdin,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **environment},
                start_new_session=True,
            )


@dataclass(frozen=True)
class Cluster:
    """A head node, which holds no data, and workers."""

    head: Node
    workers: Sequence[Node]
    mbit_per_s: float
    """Rate of each worker's link in each direction [Mbit/s]."""

    @property
    def every(self) -> tuple[Node, ...]:
        """Return the head and the workers."""
        return (self.head, *self.workers)

    def usage(self) -> tuple[Usage, ...]:
        """Return what each node has used so far, the head first."""
        return tuple(node.usage() for node in self.every)


@contextmanager
def cluster(nodes: int, mbit_per_s: float, folder: Path) -> Iterator[Cluster]:
    """Make a cluster; at the end it is gone, with its folders.

    Parameters
    ----------
    nodes : int
        Workers, at least 1.
    mbit_per_s : float
        Rate of each worker's link in each direction [Mbit/s], above 0.
    folder : Path
        New or empty; each node gets a folder in it.

    Raises
    ------
    OSError
        This process may not make network namespaces or cgroups.
    """
    made: list[Node] = []
    group = _ACCOUNTS / owner()
    group.mkdir()
    try:
        with switch() as between:
            try:
                for number in range(nodes + 1):
                    rate = mbit_per_s if number else _HEAD_MBIT_PER_S
                    made.append(_node(between, number, rate, folder, group))
                yield Cluster(made[0], made[1:], mbit_per_s)
            except (OSError, TimeoutError):
                _print_logs(made)
                raise
            finally:
                for node in reversed(made):
                    node.stop()
    finally:
        for node in made:
            _remove_group(node.accounts)
            shutil.rmtree(node.folder, ignore_errors=True)
        _remove_group(group)


def _print_logs(nodes: Sequence[Node]) -> None:
    """Print the ends of what the programs of the first nodes said, before it is removed."""
    for node in nodes[:2]:
        for log in (*node.folder.glob("*.log"), *node.folder.glob("work/*/*/stderr")):
            lines = log.read_text(errors="replace").splitlines()
            failures = [line for line in lines if "Exception" in line or "Error" in line]
            print(f"--- {node.name}: {log.name}", *failures[:5], "...", *lines[-LOG_LINES:], sep="\n", file=sys.stderr)


def _node(between: Switch, number: int, mbit_per_s: float, folder: Path, group: Path) -> Node:
    name = f"node{number}" if number else "head"
    address = f"10.77.0.{number + 1}"
    link = between.plug(name, IPv4Interface(f"{address}/24"), mbit_per_s)
    run("ip", "-n", link.namespace, "link", "set", "eth0", "gso_max_segs", _SEGMENTS)
    run("ip", "-n", link.switch, "link", "set", link.port, "gso_max_segs", _SEGMENTS)
    own, accounts = folder / name, group / name
    own.mkdir(parents=True)
    accounts.mkdir()
    return Node(name, address, own, link, accounts)


def await_that(holds: Callable[[], bool], what: str, timeout_s: float) -> None:
    """Wait until a condition holds.

    Raises
    ------
    TimeoutError
        It does not hold after `timeout_s`.
    """
    give_up_at = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"{what}: not after {timeout_s:g} s")
        time.sleep(0.2)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it started, which are one session."""
    for asked in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, asked)
        try:
            process.wait(_STOP_S if asked == signal.SIGTERM else None)
        except subprocess.TimeoutExpired:
            continue
        break
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _remove_group(group: Path) -> None:
    give_up_at = time.monotonic() + _STOP_S
    while group.exists() and time.monotonic() < give_up_at:
        try:
            group.rmdir()
        except OSError:  # a process of it has not ended yet
            time.sleep(0.1)
