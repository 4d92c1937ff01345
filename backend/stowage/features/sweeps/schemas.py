"""Answers (response models) of the routes for sweeps.

A cell of a sweep is a column and a row of its grid, with the best configuration for the workload there.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from stowage.features.sweeps.sweep_file import AxisSection
from stowage.platform.described import Answer
from stowage.platform.jobs.job import Job
from stowage.workloads.answers import RangeAnswer
from stowage.workloads.cluster_section import StorageSection
from stowage.workloads.of_catalog import OfCatalog


class CellBestAnswer(Answer):
    """The best configuration for the workload of one cell of a sweep."""

    instance: str
    nodes: int
    storage: StorageSection
    storage_words: str
    time_s: RangeAnswer
    cost_usd: RangeAnswer
    cost_always_on_usd: float | None = None
    """Monthly cost of an always-on cluster; null in sweeps from before this field was stored."""
    bottleneck: str
    """Bottleneck of the longest phase."""
    meets_deadline: float | None


class SweepCellAnswer(Answer):
    """One cell of a sweep: the best configuration, or the reason why there is none."""

    column: int
    row: int
    candidates: int
    sentence: str
    best: CellBestAnswer | None


class SweepSummaryAnswer(OfCatalog):
    """A sweep as shown in a list, without its cells."""

    id: UUID
    name: str
    created_at: datetime
    catalog_version: str
    columns: AxisSection
    rows: AxisSection
    job: Job


class SweepAnswer(SweepSummaryAnswer):
    """A sweep with the cells computed so far."""

    base: dict[str, Any]
    """The workload file without default values."""
    model_version: str
    profiles_digest: str
    cells: list[SweepCellAnswer]
    """Computed cells, row by row; all of them once the job is done."""


class SweepListAnswer(Answer):
    """Sweeps, newest first."""

    sweeps: list[SweepSummaryAnswer]
    next_cursor: str | None
    """Value of `cursor` for the next page."""
