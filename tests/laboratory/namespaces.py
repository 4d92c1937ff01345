"""Virtual switch and links in network namespaces: each node has one link with a shaped rate.

All of it is removed at the end. After a SIGKILL, the next run removes it: the names identify the process that
created it. No interface, address or route of this machine is touched.
"""

import ctypes
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Interface
from itertools import count
from pathlib import Path
from signal import SIGKILL
from threading import Thread

PREFIX = "stw"
MTU = 9001
"""MTU of a network of EC2: jumbo frames (AWS, "Network maximum transmission unit (MTU) for your EC2 instance")."""

LATENCY = "50ms"
"""Maximum time that a packet waits in the queue of a shaped link before it is dropped."""

BURST_S = 0.02
"""Burst of a link: idle time that it may make up for, as long as a busy machine does not schedule a process [s]."""

_NAMED = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_numbers = count(1)


def run(*command: str, within: str | None = None) -> str:
    """Run a command of iproute2 in a namespace; return its output."""
    into = ("ip", "netns", "exec", within) if within else ()
    done = subprocess.run([*into, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join([*into, *command])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def owner() -> str:
    """Return a name for this process that no later process gets."""
    return f"{PREFIX}-{os.getpid()}-{_started(os.getpid())}"


def _started(pid: int) -> str:
    """Return the start of a process, in ticks since boot, which setting the clock does not change."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def sweep() -> list[str]:
    """Remove namespaces of processes that have ended; return their names."""
    removed = []
    for path in sorted(_NAMED.glob(f"{PREFIX}-*")) if _NAMED.is_dir() else ():
        _, pid, started, *_ = path.name.split("-")
        try:
            alive = _started(int(pid)) == started
        except FileNotFoundError:
            alive = False
        if not alive:
            _remove(path.name)
            removed.append(path.name)
    return removed


def _remove(name: str) -> None:
    with suppress(OSError):
        # Processes in these namespaces were started by the tests; they would keep a namespace alive without a name.
        for pid in run("ip", "netns", "pids", name).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), SIGKILL)
    with suppress(OSError):
        run("ip", "netns", "delete", name)


@dataclass(frozen=True, slots=True)
class Link:
    """The link of one node."""

    namespace: str
    """Namespace of the node."""
    switch: str
    """Namespace of the switch."""
    port: str
    """The switch's end of the link; the node's end is `eth0`."""

    def shape(self, mbit_per_s: float) -> None:
        """Limit the rate in each direction [Mbit/s]."""
        burst = max(round(mbit_per_s * 1e6 / 8 * BURST_S), 2 * 65536)
        rate = ("root", "tbf", "rate", f"{mbit_per_s:g}mbit", "burst", str(burst), "latency", LATENCY)
        run("tc", "-n", self.switch, "qdisc", "replace", "dev", self.port, *rate)
        run("tc", "-n", self.namespace, "qdisc", "replace", "dev", "eth0", *rate)

    def unplug(self) -> None:
        """Disconnect the link from the switch."""
        run("ip", "-n", self.switch, "link", "set", self.port, "down")

    def carried_bytes(self) -> tuple[int, int]:
        """Return bytes that the switch received from the node, and sent to it."""
        counters = Path("/sys/class/net") / self.port / "statistics"
        told = run("cat", str(counters / "rx_bytes"), str(counters / "tx_bytes"), within=self.switch)
        received, sent = told.split()
        return int(received), int(sent)


@dataclass
class Switch:
    """A bridge, and the links connected to it."""

    name: str
    links: dict[str, Link] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def plug(self, node: str, address: IPv4Interface, mbit_per_s: float) -> Link:
        """Create a namespace for a node, with a link to the switch."""
        number = next(self.numbers)
        link = Link(f"{self.name}-{number}", self.name, f"port{number}")
        self.links[node] = link
        run("ip", "netns", "add", link.namespace)
        mtu = ("mtu", str(MTU))
        peer = ("peer", "name", "eth0", *mtu, "netns", link.namespace)
        run("ip", "link", "add", link.port, *mtu, "netns", self.name, "type", "veth", *peer)
        run("ip", "-n", self.name, "link", "set", link.port, "master", "br0", "up")
        run("ip", "-n", link.namespace, "address", "add", str(address), "dev", "eth0")
        run("ip", "-n", link.namespace, "link", "set", "eth0", "up")
        run("ip", "-n", link.namespace, "link", "set", "lo", "up")
        link.shape(mbit_per_s)
        return link

    def remove(self, node: str) -> None:
        """Delete the node's namespace, its link, and its remaining processes."""
        _remove(self.links.pop(node).namespace)

    def close(self) -> None:
        """Delete the switch and all nodes."""
        for node in list(self.links):
            self.remove(node)
        _remove(self.name)


@contextmanager
def switch() -> Iterator[Switch]:
    """Create a switch; at the end, delete it with everything connected to it."""
    sweep()
    made = Switch(f"{owner()}-{next(_numbers)}")
    try:
        run("ip", "netns", "add", made.name)
        run("ip", "-n", made.name, "link", "add", "br0", "type", "bridge")
        run("ip", "-n", made.name, "link", "set", "br0", "mtu", str(MTU), "up")
        yield made
    finally:
        made.close()


def listening(namespace: str, address: tuple[str, int]) -> socket.socket:
    """Open a socket that listens inside a namespace and is served from outside it."""
    made: list[socket.socket | OSError] = []

    def open_there() -> None:
        # A thread enters the namespace for good, and ends; the rest of the process stays in its own.
        try:
            with (_NAMED / namespace).open() as there:
                if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), _CLONE_NEWNET):
                    made.append(OSError(ctypes.get_errno(), f"setns into {namespace}"))
                    return
            made.append(socket.create_server(address, backlog=128))
        except OSError as error:
            made.append(error)

    thread = Thread(target=open_there)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]
