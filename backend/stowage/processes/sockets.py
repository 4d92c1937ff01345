"""Where the Unix socket of a server of one machine lies."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stowage.processes.child import User

_LONGEST_PATH = 103
"""Bytes that `sun_path` holds on macOS (104 with the final zero); Linux takes four more."""


@contextmanager
def socket_folder(folder: Path, name: str, user: User | None = None) -> Iterator[Path]:
    """Yield the folder for a server's socket: the requested one, or a short one where the path is too long.

    Parameters
    ----------
    folder : Path
        Resolved; where the socket should lie.
    name : str
        What the server calls its socket.
    user : User or None
        Who the server runs as; None for the user of this process.
    """
    path = os.fsencode(folder / name)
    # A client of PostgreSQL takes a comma for the end of one host and the start of another.
    if len(path) <= _LONGEST_PATH and b"," not in path:
        yield folder
        return
    # In /tmp itself: TMPDIR may be as long, or closed to the server's user.
    with tempfile.TemporaryDirectory(prefix="stowage-", dir="/tmp") as short:
        if user is not None:
            os.chown(short, user.uid, user.gid)
        yield Path(short)
