"""Bounds on the number of executed lines: an endless loop fails at once on any machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any


@contextmanager
def at_most(most: int, module: ModuleType) -> Iterator[None]:
    """Fail as soon as a module has executed more than `most` lines within the block."""
    count = 0

    def traced(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            count += 1
            assert count <= most, f"{module.__name__} executed more than {most:,} lines"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        yield
    finally:
        sys.settrace(before)
