"""Events of a running phase, as lines of JSON for the parent process."""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, TextIO

Say = Callable[[dict[str, Any]], None]


def sayer(stream: TextIO = sys.stdout) -> Say:
    """Return a function that writes events to a stream, one per line.

    An event is an object whose key ``event`` is its kind:

    - ``log``: a message (``words``)
    - ``progress``: completed share of the phase from 0 to 1 (``progress``), a message, current rates by name (``live``)
    - ``report``: the report on the phase (``report``)
    - ``known``: the state for later phases of this node (``known``)
    """

    def say(event: dict[str, Any]) -> None:
        stream.write(json.dumps(event, allow_nan=False) + "\n")
        stream.flush()

    return say


def log(say: Say, words: str) -> None:
    """Emit a log event with a message."""
    say({"event": "log", "words": words[:500]})


def progress(say: Say, done: float, words: str, live: dict[str, float] | None = None) -> None:
    """Emit a progress event.

    Parameters
    ----------
    say : callable
    done : float
        Completed share of the phase, from 0 to 1.
    words : str
    live : dict of str to float, optional
        Current rates, ``read_mb_per_s`` and the like [MB/s].
    """
    say({"event": "progress", "progress": round(min(1.0, max(0.0, done)), 4), "words": words, "live": live or {}})
