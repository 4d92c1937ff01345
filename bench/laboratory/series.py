"""A series of runs on one cluster size."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.laboratory.measure import Table


@dataclass(frozen=True)
class Series:
    """Common settings of the runs of one cluster size."""

    nodes: int
    """Workers."""
    mbit_per_s: float
    """Rate of each worker's link [Mbit/s]."""
    folder: Path
    """For the nodes' disks."""
    table: Table
    told: Mapping[str, str]
    """Columns that hold for all runs."""
