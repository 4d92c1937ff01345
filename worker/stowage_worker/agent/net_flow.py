"""Traffic of NetBench: processes that send synthetic records and discard received ones.

There is one copy of the sent data in memory, passed to the kernel by ``sendfile``; received data is discarded in the
kernel (``MSG_TRUNC``). So the network limits the result, not copying. Each process has its own connections, so that
several cores can fill a fast link.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import signal
import socket
import struct
import threading
import time
from dataclasses import dataclass
from typing import Any

from stowage_worker.agent.net_control import (
    FIRST_DATA_PORT,
    HANDSHAKE_S,
    StrangerError,
    dial,
    enter,
    listener,
    welcome,
)

_RECORDS = 8 << 20
_RECORD = 100  # bytes: a key of 10 and a value of 90, as in sorting benchmarks
_AT_ONCE = 4 << 20
_SILENT_MS = 6000
_WAKE_AT = 128 << 10
_SLOTS = 8
_RECEIVED, _SENT, _IN, _OUT, _BROKEN, _RETRANSMITS, _STRANGERS = range(7)
_RETRANSMITS_AT = 100  # tcpi_total_retrans of Linux' struct tcp_info


@dataclass(frozen=True)
class Share:
    """Bytes received and sent so far, summed over a node's processes."""

    at: float
    """Monotonic time [s]."""
    received: int
    """Sum of bytes received since the start [bytes]."""
    sent: int
    """Sum of bytes sent since the start [bytes]."""


class Flow:
    """Sending and receiving processes of one node for one phase.

    Parameters
    ----------
    node : int
    address : str
        Address of this node.
    processes : int
    key : bytes
    purpose : str
        Run and phase.

    Raises
    ------
    OSError
        A port is in use.
    """

    def __init__(self, node: int, address: str, processes: int, key: bytes, purpose: str) -> None:
        self.processes = processes
        self._memory = mmap.mmap(-1, 8 * _SLOTS * processes)
        self._counters = memoryview(self._memory).cast("Q")
        self._pipes: list[socket.socket] = []
        self._pids: list[int] = []
        listeners = []
        try:
            listeners = [listener(address, FIRST_DATA_PORT + index) for index in range(processes)]
            records = _records()
            for index in range(processes):
                self._start(index, listeners, _Worker(node, key, purpose, self._counters, index * _SLOTS, records))
            os.close(records)
        except BaseException:
            self.close()
            raise
        finally:
            for each in listeners:
                each.close()

    def connect(self, members: dict[int, tuple[str, int]], node: int, connections: int) -> None:
        """Open all connections of this node to the other nodes.

        Parameters
        ----------
        members : dict of int to (str, int)
            Address and number of processes of each node.
        node : int
            Number of this node.
        connections : int
            Connections to each other node.
        """
        others = sorted(set(members) - {node})
        # Incoming connections are assigned after the last outgoing one: with one of each, two processes get one each.
        outgoing, incoming = len(others) * connections, len(others) * connections
        wanted: list[list[dict[str, Any]]] = [[] for _ in range(self.processes)]
        for place in range(outgoing):
            peer, index = others[place // connections], place % connections
            address, processes = members[peer]
            theirs = sorted(set(members) - {peer}).index(node) * connections + index
            port = FIRST_DATA_PORT + (theirs + outgoing) % processes
            wanted[place % self.processes].append({"peer": peer, "address": address, "port": port})
        expected = [0] * self.processes
        for place in range(incoming):
            expected[(place + outgoing) % self.processes] += 1
        for index, pipe in enumerate(self._pipes):
            self._tell(pipe, {"connect": wanted[index], "expected": expected[index]})

    def is_connected(self, connections: int) -> bool:
        """Return whether at least `connections` connections are open in each direction."""
        return self._sum(_OUT) >= connections and self._sum(_IN) >= connections

    def go(self) -> None:
        """Start sending in all processes."""
        for pipe in self._pipes:
            self._tell(pipe, {"go": True})

    def share(self) -> Share:
        """Return the bytes received and sent so far by all processes."""
        return Share(time.monotonic(), self._sum(_RECEIVED), self._sum(_SENT))

    @property
    def broken(self) -> int | None:
        """Return the node whose connection broke; None if all connections are intact."""
        for index in range(self.processes):
            found = self._counters[index * _SLOTS + _BROKEN]
            if found:
                return int(found) - 1
        return None

    @property
    def strangers(self) -> int:
        """Return the number of rejected connections."""
        return self._sum(_STRANGERS)

    def finish(self, timeout_s: float = 3.0) -> int:
        """Stop all processes and return the number of retransmitted segments."""
        for pipe in self._pipes:
            self._tell(pipe, {"finish": True})
        until = time.monotonic() + timeout_s
        left = list(self._pids)
        while left and time.monotonic() < until:
            left = [pid for pid in left if not _is_over(pid)]
            if left:
                time.sleep(0.01)
        self._pids = left
        count = self._sum(_RETRANSMITS)
        self.close()
        return count

    def close(self) -> None:
        """Kill the remaining processes."""
        for pipe in self._pipes:
            pipe.close()
        for pid in self._pids:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        self._pipes, self._pids = [], []

    def _start(self, index: int, listeners: list[socket.socket], worker: _Worker) -> None:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            self._pipes.append(ours)
            self._pids.append(pid)
            return
        status = 1
        try:
            ours.close()
            for pipe in self._pipes:
                pipe.close()
            for place, each in enumerate(listeners):
                if place != index:
                    each.close()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the parent stops it after reading its counters
            worker.run(listeners[index], theirs)
            status = 0
        finally:
            os._exit(status)

    @staticmethod
    def _tell(pipe: socket.socket, said: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            pipe.sendall(json.dumps(said).encode() + b"\n")

    def _sum(self, slot: int) -> int:
        return sum(self._counters[index * _SLOTS + slot] for index in range(self.processes))


class _Worker:
    """A process that sends and receives, with its connections and counters."""

    def __init__(self, node: int, key: bytes, purpose: str, counters: memoryview, at: int, records: int) -> None:
        self._node, self._key, self._purpose = node, key, purpose
        self._counters, self._at, self._records = counters, at, records
        self._incoming: dict[socket.socket, int] = {}
        self._outgoing: dict[socket.socket, int] = {}
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(64)

    def run(self, listening: socket.socket, pipe: socket.socket) -> None:
        """Follow the parent process' commands until the parent ends the phase or exits."""
        said = pipe.makefile("r", encoding="utf-8")
        accepting = threading.Thread(target=self._accept, args=(listening,), daemon=True)
        accepting.start()
        for line in said:
            order = json.loads(line)
            if "connect" in order:
                for wanted in order["connect"]:
                    threading.Thread(target=self._dial, args=(wanted,), daemon=True).start()
            elif "go" in order:
                with contextlib.suppress(OSError):
                    listening.shutdown(socket.SHUT_RDWR)
                self._move(pipe)
                break
            else:
                break
        for sock in self._outgoing:
            with contextlib.suppress(OSError):
                info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                if len(info) >= _RETRANSMITS_AT + 4:
                    self._add(_RETRANSMITS, struct.unpack_from("=I", info, _RETRANSMITS_AT)[0])

    def _add(self, slot: int, count: int) -> None:
        self._counters[self._at + slot] += count

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                sock, _ = listening.accept()
            except OSError:
                return
            # Limits the unauthenticated connections, each of which may last five seconds.
            if self._room.acquire(blocking=False):
                threading.Thread(target=self._welcome, args=(sock,), daemon=True).start()
            else:
                sock.close()

    def _welcome(self, sock: socket.socket) -> None:
        try:
            _, about = welcome(sock, self._key, self._purpose + "/data")
            peer = about.get("node")
            _prepare(sock)
        except (OSError, StrangerError):
            peer = None
        with self._lock:
            if isinstance(peer, int) and about.get("to") == self._node:
                self._incoming[sock] = peer
                self._add(_IN, 1)
            else:
                sock.close()
                self._add(_STRANGERS, 1)
        self._room.release()

    def _dial(self, wanted: dict[str, Any]) -> None:
        until = time.monotonic() + 4 * HANDSHAKE_S
        while time.monotonic() < until:
            sock = None
            try:
                sock = dial(wanted["address"], wanted["port"])
                enter(sock, self._key, self._purpose + "/data", {"node": self._node, "to": wanted["peer"]})
                _prepare(sock)
            except (OSError, StrangerError):
                if sock is not None:
                    sock.close()
                time.sleep(0.1)
            else:
                with self._lock:
                    self._outgoing[sock] = wanted["peer"]
                    self._add(_OUT, 1)
                return

    def _move(self, pipe: socket.socket) -> None:
        """Send and receive until the next command of the parent."""
        with self._lock:
            receiving = {sock.fileno(): (sock, peer) for sock, peer in self._incoming.items()}
            sending = {sock.fileno(): (sock, peer) for sock, peer in self._outgoing.items()}
        waiting = select.epoll()
        waiting.register(pipe, select.EPOLLIN)
        for place in receiving:
            waiting.register(place, select.EPOLLIN)
        for place in sending:
            waiting.register(place, select.EPOLLOUT)
        room, ended, offset = bytearray(_AT_ONCE), pipe.fileno(), 0
        while True:
            for place, _ in waiting.poll():
                if place == ended:
                    return
                try:
                    if place in receiving:
                        self._delete(receiving[place][0], room)
                    else:
                        count = os.sendfile(place, self._records, offset, _RECORDS - offset)
                        offset = (offset + count) % _RECORDS
                        self._counters[self._at + _SENT] += count
                except BlockingIOError:
                    continue
                except OSError:
                    waiting.unregister(place)
                    if not self._counters[self._at + _BROKEN]:
                        self._counters[self._at + _BROKEN] = (receiving.get(place) or sending[place])[1] + 1

    def _delete(self, sock: socket.socket, room: bytearray) -> None:
        """Discard received data in the kernel; nothing is written to the buffer."""
        count = sock.recv_into(room, _AT_ONCE, socket.MSG_TRUNC)
        if not count:
            raise ConnectionResetError
        self._counters[self._at + _RECEIVED] += count


def _records() -> int:
    """Return a memory file of synthetic records, whose random content cannot be compressed in transit."""
    place = os.memfd_create("records")
    content = os.urandom(_RECORDS // _RECORD * _RECORD)
    content += content[: _RECORDS - len(content)]
    with memoryview(content) as left:
        done = 0
        while done < len(content):
            done += os.write(place, left[done:])
    return place


def _prepare(sock: socket.socket) -> None:
    sock.settimeout(0.0)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, _WAKE_AT)
    user_timeout = getattr(socket, "TCP_USER_TIMEOUT", 18)
    sock.setsockopt(socket.IPPROTO_TCP, user_timeout, _SILENT_MS)


def _is_over(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True
