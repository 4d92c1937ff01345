"""A switch and the links to it, of network namespaces: each node has one cable, as fast as it was shaped.

All of it is removed at the end. Where the end was a SIGKILL, the next one that begins removes it: the names say whose
they were. No interface, address or route of this machine is touched.
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
"""Of a network of EC2: jumbo frames (AWS, "Network maximum transmission unit (MTU) for your EC2 instance")."""

LATENCY = "50ms"
"""How long a packet waits for its turn on a shaped link before it is dropped."""

BURST_S = 0.02
"""For how long a link may be silent and make up for it: as long as a busy machine does not get to run a process [s]."""

_NAMED = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_numbers = count(1)


def run(*command: str, within: str | None = None) -> str:
    """Run a command of iproute2, in a namespace; give what it says."""
    into = ("ip", "netns", "exec", within) if within else ()
    done = subprocess.run([*into, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join([*into, *command])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def owner() -> str:
    """Name this process so that no later one is taken for it."""
    return f"{PREFIX}-{os.getpid()}-{_started(os.getpid())}"


def _started(pid: int) -> str:
    """Return when a process began, in ticks since the machine did: no clock that is set changes it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def sweep() -> list[str]:
    """Remove what processes left behind that are no more; give the names of it."""
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
        # What runs in a namespace of ours was started by us; it would keep the namespace after its name is gone.
        for pid in run("ip", "netns", "pids", name).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), SIGKILL)
    with suppress(OSError):
        run("ip", "netns", "delete", name)


@dataclass(frozen=True, slots=True)
class Link:
    """The cable of one node.

    Parameters
    ----------
    namespace : str
        The node's.
    switch : str
        The switch's namespace.
    port : str
        The switch's end; the node's is ``eth0``.
    """

    namespace: str
    switch: str
    port: str

    def shape(self, mbit_per_s: float) -> None:
        """Let no more through than this, in each direction [Mbit/s]."""
        burst = max(round(mbit_per_s * 1e6 / 8 * BURST_S), 2 * 65536)
        rate = ("root", "tbf", "rate", f"{mbit_per_s:g}mbit", "burst", str(burst), "latency", LATENCY)
        run("tc", "-n", self.switch, "qdisc", "replace", "dev", self.port, *rate)
        run("tc", "-n", self.namespace, "qdisc", "replace", "dev", "eth0", *rate)

    def unplug(self) -> None:
        """Pull the cable out of the switch."""
        run("ip", "-n", self.switch, "link", "set", self.port, "down")

    def carried_bytes(self) -> tuple[int, int]:
        """Read what the switch has had of the node, and given to it [bytes]."""
        counters = Path("/sys/class/net") / self.port / "statistics"
        told = run("cat", str(counters / "rx_bytes"), str(counters / "tx_bytes"), within=self.switch)
        received, sent = told.split()
        return int(received), int(sent)


@dataclass
class Switch:
    """A bridge, and the links that were plugged into it."""

    name: str
    links: dict[str, Link] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def plug(self, node: str, address: IPv4Interface, mbit_per_s: float) -> Link:
        """Make a namespace for a node, with a cable to the switch."""
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
        """Take away the node's namespace, its cable, and what still runs in it."""
        _remove(self.links.pop(node).namespace)

    def close(self) -> None:
        """Take away all of it."""
        for node in list(self.links):
            self.remove(node)
        _remove(self.name)


@contextmanager
def switch() -> Iterator[Switch]:
    """Make a switch; at the end it is gone, with all that was plugged into it."""
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
    """Open a socket that listens inside a namespace, to be served from outside of it."""
    made: list[socket.socket | OSError] = []

    def open_there() -> None:
        # A thread goes there for good, and ends; the rest of the process stays where it is.
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
