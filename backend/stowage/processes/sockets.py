"""Sockets of servers on one machine: listening on TCP ports, and folders for Unix sockets."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stowage.processes.child import User

_LONGEST_PATH = 103
"""Maximum length of `sun_path` on macOS [bytes] (104 with the final zero); Linux allows four more."""


def listen(address: str, port: int) -> socket.socket:
    """Return a socket that listens on a port of an IPv4 or IPv6 address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.create_server((address, port), family=family, backlog=128)


@contextmanager
def socket_folder(folder: Path, name: str, user: User | None = None) -> Iterator[Path]:
    """Yield a folder for a server's Unix socket.

    It is the requested folder if the path of the socket there is short enough and has no comma. Otherwise, it is a
    temporary folder, which is removed after the block.

    Parameters
    ----------
    folder : Path
        Requested folder, resolved.
    name : str
        File name of the socket.
    user : User or None
        User of the server; None for the user of this process.
    """
    path = os.fsencode(folder / name)
    # PostgreSQL clients treat a comma as a separator of hosts.
    if len(path) <= _LONGEST_PATH and b"," not in path:
        yield folder
        return
    # Use /tmp: TMPDIR may be too long as well, or inaccessible to the server's user.
    with tempfile.TemporaryDirectory(prefix="stowage-", dir="/tmp") as short:
        if user is not None:
            os.chown(short, user.uid, user.gid)
        yield Path(short)
