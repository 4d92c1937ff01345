"""The state folder of one machine: its lock, and renaming of broken files and folders in it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from stowage.processes.errors import StateInUse, StateUnusable

_LOCK = "lock"

_PATIENCE_S = 0.2
"""Time to retry the lock [s]; `holder` takes it for an instant, which must not look like another process' lock."""


@contextmanager
def sole_use(folder: Path) -> Iterator[Path]:
    """Lock a state folder until the block ends, so that no other process uses it.

    If this process ends before, the kernel releases the lock.

    Parameters
    ----------
    folder : Path
        Created if missing, accessible only to this user.

    Yields
    ------
    Path
        The folder, resolved.

    Raises
    ------
    StateInUse
        Another process uses the folder.
    StateUnusable
        The folder cannot be created or written to.
    """
    try:
        folder = folder.resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, mode=0o600)
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError
        raise StateUnusable(_unusable(folder, str(error))) from error
    try:
        if not _taken(lock):
            raise StateInUse(
                f"{folder} is in use by process {_written(lock)}: stop that one first, or name another folder "
                "with STOWAGE_HOME"
            )
        if not os.access(folder, os.W_OK | os.X_OK):
            raise StateUnusable(_unusable(folder, "it is not writable"))
        try:
            number = f"{os.getpid()}\n".encode()
            os.ftruncate(lock, os.pwrite(lock, number, 0))
        except OSError as error:
            raise StateUnusable(_unusable(folder, str(error))) from error
        yield folder
    finally:
        os.close(lock)


def holder(folder: Path) -> str | None:
    """Return the id of the process that has locked a state folder; None if the folder is not locked.

    Return "unknown" if the folder is locked, but its lock file does not contain the id.
    """
    try:
        lock = os.open(folder / _LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _written(lock)
    finally:
        os.close(lock)
    return None


def put_aside(path: Path) -> Path:
    """Rename a broken file or folder instead of deleting it.

    Returns
    -------
    Path
        The new path: ``<name>.broken-<date and time, UTC>``.
    """
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return path.rename(path.with_name(f"{path.name}.broken-{now}"))


def _taken(lock: int) -> bool:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_PATIENCE_S / 10.0)
        else:
            return True


def _written(lock: int) -> str:
    words = os.pread(lock, 20, 0).decode(errors="replace").strip()
    return words if words.isdecimal() else "unknown"


def _unusable(folder: Path, problem: str) -> str:
    return f"the folder {folder} cannot hold the state of this machine: {problem}"
