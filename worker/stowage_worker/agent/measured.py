"""Results of one node in a phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measured:
    """Results of one node in a phase.

    Parameters
    ----------
    status : str
        ``ok``, ``partial`` or ``failed``.
    failure : str or None
    document : dict
        Of a disk benchmark, a DiskBench document, version 1; of Redis, ``tool``, ``text`` and its settings.
    missing : tuple of int
        Nodes that never connected or were lost; only of a network benchmark.
    """

    status: str
    failure: str | None
    document: dict[str, Any]
    missing: tuple[int, ...] = ()
