"""Answers (response models) of the routes for sweeps.

A cell of a sweep is a column and a row of its grid, with the best configuration for the workload there.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from stowage.features.sweeps.sweep_file import AxisSection
from stowage.model.prediction import Range
from stowage.platform.described import Answer
from stowage.platform.jobs.job import Job
from stowage.workloads.answers import DescribedCluster
from stowage.workloads.of_catalog import OfCatalog, OfVersions

NEAR_TIE = 0.02
"""Largest `RunnerUpAnswer.behind` of a near-tie. Predictions differ from measurements by more than this."""


class RunnerUpAnswer(DescribedCluster):
    """The best configuration of a cell with another instance type or other storage than the winner's."""

    behind: float
    """Excess of its ranked quantity (cost, time or monthly cost) over the winner's, as a share of the winner's."""


class CellBestAnswer(DescribedCluster):
    """The best configuration for the workload of one cell of a sweep."""

    time_s: Range
    cost_usd: Range
    cost_always_on_usd: float | None = None
    """Monthly cost of an always-on cluster; null in sweeps from before this field was stored."""
    bottleneck: str
    """Bottleneck of the longest phase."""
    meets_deadline: float | None
    runner_up: RunnerUpAnswer | None = None
    """Null if no other type meets the limits, and in sweeps from before this field was stored."""

    @property
    def near_tie(self) -> bool:
        """Return whether the runner-up is as good as the winner, within `NEAR_TIE`."""
        return self.runner_up is not None and self.runner_up.behind <= NEAR_TIE


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


class SweepAnswer(SweepSummaryAnswer, OfVersions):
    """A sweep with the cells computed so far."""

    base: dict[str, Any]
    """The workload file without default values."""
    cells: list[SweepCellAnswer]
    """Computed cells, row by row; all of them once the job is done."""


class SweepSizeAnswer(Answer):
    """Size of a sweep whose values are all accepted."""

    cells: int


class SweepListAnswer(Answer):
    """Sweeps, newest first."""

    sweeps: list[SweepSummaryAnswer]
    next_cursor: str | None
    """Value of `cursor` for the next page."""
