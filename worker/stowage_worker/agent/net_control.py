"""Authenticated connections between the nodes of a NetBench run.

The server sends 16 random bytes. The client answers with 16 random bytes, its identity, and an HMAC over all of these.
The server answers with another HMAC. This proves that both peers belong to the run, and prevents replay. Later messages
are not signed: they contain no secrets, and the nodes' security group admits no other hosts.
"""

from __future__ import annotations

import json
import os
import select
import socket
import time
from typing import Any

from stowage_worker.agent.signing import digest, matches

FIRST_PORT, LAST_PORT = 47000, 47063
CONTROL_PORT, COMPARE_PORT = FIRST_PORT, LAST_PORT
FIRST_DATA_PORT, MOST_PROCESSES = FIRST_PORT + 1, LAST_PORT - FIRST_PORT - 1

_NONCE = 16
_LONGEST_FRAME = 1 << 17
HANDSHAKE_S = 5.0


class StrangerError(Exception):
    """The peer did not prove that it belongs to this run and phase."""


class Frames:
    """JSON objects over a socket, each prefixed with its length.

    Parameters
    ----------
    sock : socket.socket
        Connected socket; `close` closes it.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._held = b""

    def fileno(self) -> int:
        """Return the file descriptor of the socket, for `select`."""
        return self.sock.fileno()

    def send(self, said: dict[str, Any], timeout_s: float = HANDSHAKE_S) -> None:
        """Send an object.

        Raises
        ------
        OSError
            The peer does not accept it in time, or the connection is lost.
        """
        content = json.dumps(said, allow_nan=False).encode()
        self.sock.settimeout(timeout_s)
        self.sock.sendall(len(content).to_bytes(4, "big") + content)

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """Wait for the next object and return it.

        Raises
        ------
        OSError
            No object arrives in time (`TimeoutError`), or the connection is closed.
        StrangerError
            The data is not a JSON object.
        """
        until = time.monotonic() + timeout_s
        while True:
            found = self._take()
            if found is not None:
                return found
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise socket.timeout("no answer in time")
            self.sock.settimeout(left_s)
            self._fill()

    def waiting(self) -> list[dict[str, Any]]:
        """Return the objects that have arrived, without waiting.

        Raises
        ------
        OSError
            The connection is lost, and no received object is left to return.
        StrangerError
            The data is not a sequence of JSON objects.
        """
        found = []
        while True:
            one = self._take()
            if one is not None:
                found.append(one)
            elif not select.select([self.sock], [], [], 0)[0]:
                return found
            else:
                try:
                    self._fill()
                except OSError:
                    if found:
                        return found
                    raise

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()

    def _fill(self) -> None:
        content = self.sock.recv(1 << 16)
        if not content:
            raise ConnectionResetError("the other side is gone")
        self._held += content

    def _take(self) -> dict[str, Any] | None:
        if len(self._held) < 4:
            return None
        length = int.from_bytes(self._held[:4], "big")
        if length > _LONGEST_FRAME:
            raise StrangerError("a frame is longer than any of ours")
        if len(self._held) < 4 + length:
            return None
        content, self._held = self._held[4 : 4 + length], self._held[4 + length :]
        try:
            said = json.loads(content)
        except (ValueError, RecursionError):
            raise StrangerError("a frame is no JSON") from None
        if not isinstance(said, dict):
            raise StrangerError("a frame is no object")
        return said


def welcome(sock: socket.socket, key: bytes, purpose: str) -> tuple[Frames, dict[str, Any]]:
    """Accept a connection of a node of this run.

    Parameters
    ----------
    sock : socket.socket
        Accepted socket.
    key : bytes
        Shared key of the run's nodes.
    purpose : str
        Run, phase and kind of connection; part of the HMAC, so that a handshake is valid for one purpose only.

    Returns
    -------
    Frames
    dict
        Identity that the peer sent.

    Raises
    ------
    StrangerError, OSError
    """
    frames = Frames(sock)
    ours = os.urandom(_NONCE)
    frames.send({"nonce": ours.hex()})
    said = frames.receive(HANDSHAKE_S)
    who, theirs = said.get("who"), said.get("nonce")
    if not isinstance(who, str) or not isinstance(theirs, str):
        raise StrangerError("this is no greeting")
    if not matches(said.get("mac"), _mac(key, "enter", purpose, ours.hex(), theirs, who)):
        raise StrangerError("it does not have the run's key, or asks for another phase")
    frames.send({"mac": _mac(key, "welcome", purpose, theirs, ours.hex(), who)})
    try:
        about = json.loads(who)
    except ValueError:
        about = None
    if not isinstance(about, dict):
        raise StrangerError("it does not say who it is")
    return frames, about


def enter(sock: socket.socket, key: bytes, purpose: str, about: dict[str, Any]) -> Frames:
    """Authenticate as the client of a connection; the counterpart of `welcome`.

    Raises
    ------
    StrangerError, OSError
    """
    frames = Frames(sock)
    theirs = frames.receive(HANDSHAKE_S).get("nonce")
    if not isinstance(theirs, str) or len(theirs) != 2 * _NONCE:
        raise StrangerError("this is no greeting")
    ours, who = os.urandom(_NONCE).hex(), json.dumps(about)
    frames.send({"nonce": ours, "who": who, "mac": _mac(key, "enter", purpose, theirs, ours, who)})
    if not matches(frames.receive(HANDSHAKE_S).get("mac"), _mac(key, "welcome", purpose, ours, theirs, who)):
        raise StrangerError("the other side does not have the run's key")
    return frames


def listener(address: str, port: int) -> socket.socket:
    """Return a listening socket, bound to the given address if this machine has it, else to all addresses.

    Raises
    ------
    OSError
        The port is in use.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((address, port))
        except OSError as wrong:
            # Behind NAT, the machine does not have the address that others use.
            if wrong.errno != 99:  # EADDRNOTAVAIL
                raise
            sock.bind(("", port))
        sock.listen(1024)
    except OSError:
        sock.close()
        raise
    return sock


def dial(address: str, port: int, timeout_s: float = HANDSHAKE_S) -> socket.socket:
    """Connect to another node.

    Raises
    ------
    OSError
    """
    return socket.create_connection((address, port), timeout_s)


def _mac(key: bytes, *parts: str) -> str:
    return digest(key, *(part.encode() for part in parts))
