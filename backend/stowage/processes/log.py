"""Log files of child processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LARGEST_BYTES = 10_000_000
_MOST_LINES = 5
_MOST_BYTES = 4_000


@contextmanager
def appended(path: Path) -> Iterator[int]:
    """Yield the descriptor of a log file that is opened for appending.

    Only this user can read the file. A large file is first renamed to ``<name>.1``, and a new one is begun.
    """
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists() and path.stat().st_size > _LARGEST_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode=0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def last_lines(path: Path, since: int) -> str:
    """Return the last lines that were written to a log after its size was `since` [bytes].

    The lines are indented, for use in error messages.
    """
    lines: list[str] = []
    with suppress(FileNotFoundError), path.open("rb") as log:  # it may have been removed
        log.seek(max(since, log.seek(0, os.SEEK_END) - _MOST_BYTES))
        lines = log.read().decode(errors="replace").split("\n")
    said = [line.rstrip() for line in lines if line.strip()]
    return "\n".join(f"  {line}" for line in said[-_MOST_LINES:]) or "  (no output)"
