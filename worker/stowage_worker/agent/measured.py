"""Results of one node in a phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measured:
    """Results of one node in a phase."""

    status: str
    """`ok`, `partial` or `failed`."""
    failure: str | None
    document: dict[str, Any]
    """After a disk benchmark, a DiskBench document, version 1; after a network benchmark, this node's rates and
    settings; after a Redis benchmark, `tool`, `text` (the tool's output) and settings."""
    missing: tuple[int, ...] = ()
    """Nodes of a network benchmark that never connected or were lost; empty for other benchmarks."""
