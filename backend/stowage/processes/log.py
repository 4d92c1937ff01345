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
    """Open a log for appending, readable only by this user; a large log is rotated to ``<name>.1`` first."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists() and path.stat().st_size > _LARGEST_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode=0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def last_lines(path: Path, since: int) -> str:
    """Return, indented, the last lines that were written to a log since its size was `since` [bytes]."""
    lines: list[str] = []
    with suppress(FileNotFoundError), path.open("rb") as log:  # it may have been removed
        log.seek(max(since, log.seek(0, os.SEEK_END) - _MOST_BYTES))
        lines = log.read().decode(errors="replace").split("\n")
    said = [line.rstrip() for line in lines if line.strip()]
    return "\n".join(f"  {line}" for line in said[-_MOST_LINES:]) or "  (no output)"
