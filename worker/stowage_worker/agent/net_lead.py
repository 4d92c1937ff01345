"""Leader of a NetBench phase: a process on node 0 that all nodes, including node 0, connect to.

The leader waits for all nodes (up to a time limit), lets them connect to each other, starts them at once, and ends the
phase when all have measured. A silent node counts as lost; the others are informed within seconds.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable

from stowage_worker.agent.net_control import CONTROL_PORT, Frames, StrangerError, listener, welcome

TICK_S = 0.5
SILENT_S = 5.0
CONNECT_S = 25.0
_LOST_BEFORE_S = 5.0
_COMPARE_S = 60.0
_MOST_GREETINGS = 256
_LOOK_S = 0.05


@dataclass
class _Member:
    frames: Frames
    processes: int
    heard: float
    is_ready: bool = False
    has_measured: bool = False


@dataclass
class Lead:
    """Leader of one phase."""

    key: bytes
    purpose: str
    """Run and phase."""
    addresses: dict[int, str]
    """Addresses of the nodes of the phase."""
    lost: frozenset[int]
    """Nodes that were missing in an earlier phase; the leader waits only briefly for these nodes."""
    gather_s: float
    """Time to wait for nodes [s]."""
    measure_s: float
    """Time limit from the start until all nodes have measured [s]."""
    compare: bool
    """Whether nodes 0 and 1 also measure with iperf3 after the phase's measurement."""
    members: dict[int, _Member] = field(default_factory=dict)
    _entering: queue.SimpleQueue[tuple[int, _Member]] = field(default_factory=queue.SimpleQueue)
    _room: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(_MOST_GREETINGS))

    def run(self, listening: socket.socket, ending: socket.socket) -> None:
        """Lead the phase until it is over, or until the peer of the socket ``ending`` is closed."""
        if not self._gather(listening, ending):
            return
        nodes = {str(node): [self.addresses[node], each.processes] for node, each in sorted(self.members.items())}
        self._tell_all({"do": "connect", "members": nodes})
        if self._until(
            listening, ending, lambda: all(each.is_ready for each in self.members.values()), CONNECT_S, "connect"
        ):
            self._tell_all({"do": "go"})
            measured = self._until(
                listening,
                ending,
                lambda: all(each.has_measured for each in self.members.values()),
                self.measure_s,
                "measure",
            )
            if measured:
                self._tell_all({"do": "finish"})
                if self.compare and {0, 1} <= set(self.members):
                    self._until(listening, ending, lambda: not {0, 1} <= set(self.members), _COMPARE_S, None)
        for each in self.members.values():
            each.frames.close()

    def _gather(self, listening: socket.socket, ending: socket.socket) -> bool:
        began, ticked = time.monotonic(), 0.0
        while True:
            missing = set(self.addresses) - set(self.members)
            waited_s = time.monotonic() - began
            patience_s = self.gather_s if missing - self.lost else min(_LOST_BEFORE_S, self.gather_s)
            if not missing or waited_s > patience_s:
                if len(self.members) < 2:
                    self._tell_all({"do": "alone", "missing": sorted(missing)})
                    return False
                return True
            ready = self._ready(listening, ending, _LOOK_S)
            if ending in ready:
                return False
            if listening in ready:
                self._greet(listening)
            while not self._entering.empty():
                node, member = self._entering.get()
                if node in self.members:  # the node reconnected
                    self.members[node].frames.close()
                self.members[node] = member
            self._hear(None)
            ticked = self._tick(ticked)

    def _greet(self, listening: socket.socket) -> None:
        """Authenticate a new connection in a thread; close the connection if too many of these threads are running."""
        sock, _ = listening.accept()
        if self._room.acquire(blocking=False):
            threading.Thread(target=self._let_in, args=(sock,), daemon=True).start()
        else:
            sock.close()

    def _let_in(self, sock: socket.socket) -> None:
        try:
            frames, about = welcome(sock, self.key, self.purpose)
        except (OSError, StrangerError):
            sock.close()
        else:
            node, processes = about.get("node"), about.get("processes")
            if node in self.addresses and isinstance(processes, int) and 0 < processes < 64:
                self._entering.put((node, _Member(frames, processes, time.monotonic())))
            else:
                frames.close()
        finally:
            self._room.release()

    def _until(
        self,
        listening: socket.socket,
        ending: socket.socket,
        is_so: Callable[[], bool],
        timeout_s: float,
        what: str | None,
    ) -> bool:
        """Process messages of nodes until a condition is met, and return whether it is met.

        It is not met if the timeout expires or ``ending`` is closed first. ``what`` names the step that nodes are to
        take; if it is not None, a lost node ends the wait too, and all nodes are informed of a lost or late node.
        """
        until = time.monotonic() + timeout_s
        ticked = 0.0
        while not is_so():
            now, ticked = time.monotonic(), self._tick(ticked)
            ready = self._ready(listening, ending, TICK_S)
            if listening in ready:
                # A node of the next, larger cluster: accept and close, so that it sees a live leader and retries.
                listening.accept()[0].close()
            lost = self._hear(what)
            silent = [node for node, each in self.members.items() if time.monotonic() - each.heard > SILENT_S]
            for node in [*lost, *(silent if what is not None else [])]:
                if what is not None:
                    words = lost.get(node, f"node {node} was silent for {SILENT_S:g} s")
                    self._tell_all({"do": "lost", "node": node, "words": words})
                    return False
            if ending in ready:
                return False
            if now > until:
                if what is not None:
                    late = [
                        n for n, m in self.members.items() if not (m.is_ready if what == "connect" else m.has_measured)
                    ]
                    words = f"node {late[0]} did not {what} within {timeout_s:.0f} s" if late else "it took too long"
                    self._tell_all({"do": "lost", "node": late[0] if late else None, "words": words})
                return False
        return True

    def _ready(self, listening: socket.socket, ending: socket.socket, wait_s: float) -> list[socket.socket | Frames]:
        """Wait for messages and new connections, and return the sockets that have some."""
        members = (each.frames for each in self.members.values())
        watched: list[socket.socket | Frames] = [listening, ending, *members]
        return select.select(watched, [], [], wait_s)[0]

    def _hear(self, what: str | None) -> dict[int, str]:
        """Read the members' messages, and return each lost member with the reason of its loss.

        Without an awaited step (``what`` is None), losses are ignored.
        """
        lost: dict[int, str] = {}
        for node, each in list(self.members.items()):
            try:
                said = each.frames.waiting()
                if said:
                    each.heard = time.monotonic()
                for one in said:
                    self._take(node, each, one, lost)
            except (OSError, StrangerError):  # noqa: PERF203 - each may go on its own
                each.frames.close()
                del self.members[node]
                if not each.has_measured:
                    lost[node] = f"node {node} went away"
        return lost if what is not None else {}

    def _take(self, node: int, each: _Member, said: dict[str, Any], lost: dict[int, str]) -> None:
        told = said.get("is")
        if told == "ready":
            each.is_ready = True
        elif told == "measured":
            each.has_measured = True
        elif told == "broken" and not each.has_measured:
            peer = said.get("node")
            # Both ends see a broken connection; the member that reports it is alive, so the other one is lost.
            gone = peer if isinstance(peer, int) and peer in self.addresses else node
            lost[gone] = f"node {node} lost its connection to node {gone}"
        elif told in ("serving", "compared"):
            for other, member in self.members.items():
                if other != node and other in (0, 1):
                    with contextlib.suppress(OSError):
                        member.frames.send({"do": told, "figures": said.get("figures")})

    def _tick(self, before: float) -> float:
        """Send the number of members to all of them if it is due; return the time of the last such message."""
        now = time.monotonic()
        if now - before < TICK_S:
            return before
        self._tell_all({"do": "tick", "here": len(self.members)})
        return now

    def _tell_all(self, said: dict[str, Any]) -> None:
        for each in self.members.values():
            # A lost member is noticed at the next read.
            with contextlib.suppress(OSError):
                each.frames.send(said, timeout_s=1.0)


class LeadProcess:
    """A leader in a separate process, so that heavy load on node 0 does not delay the other nodes.

    Parameters
    ----------
    lead : Lead
    address : str
        Address of node 0.

    Raises
    ------
    OSError
        The port is in use.
    """

    def __init__(self, lead: Lead, address: str) -> None:
        listening = listener(address, CONTROL_PORT)
        self._pipe, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid:
            listening.close()
            theirs.close()
            return
        status = 1
        try:
            self._pipe.close()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            lead.run(listening, theirs)
            status = 0
        finally:
            os._exit(status)

    def close(self) -> None:
        """End the leader process."""
        self._pipe.close()
        for _ in range(100):
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                return
            time.sleep(0.01)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
