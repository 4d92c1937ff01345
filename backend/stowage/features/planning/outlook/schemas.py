"""Requests and answers about the cost of a configuration over time."""

from typing import Annotated, Literal

from pydantic import Field

from stowage.documents.charts.marks import Drawing
from stowage.model.jobs.workload import Commitment
from stowage.model.money.price import Purchase
from stowage.model.prediction import Range
from stowage.model.report import Block
from stowage.platform.described import Answer, RequestBody
from stowage.workloads.of_catalog import OfVersions
from stowage.workloads.workload_file import WorkloadFile


class OutlookRequest(RequestBody):
    """Number of months and data growth of a cost forecast."""

    growth_pct_per_month: Annotated[float, Field(ge=-50, le=100, allow_inf_nan=False)] = 0.0
    """[%] of the previous month."""
    months: Annotated[int, Field(ge=1, le=120)] = 36


class DrawingsAnswer(Answer):
    """A chart as two SVG drawings: `wide` has 720 px, `narrow` has 340 px."""

    wide: Drawing
    narrow: Drawing


class NewOutlook(OutlookRequest):
    """A configuration whose cost over time is requested, with the number of months and the data growth."""

    file: WorkloadFile
    """Includes its `cluster`."""
    commitment: Commitment = "alone"
    """Whether this job pays for commitments in full, or other jobs use the remaining hours."""


class MonthAnswer(Answer):
    """Cost and size of the cluster in one month, under one purchase option."""

    month: Annotated[int, Field(ge=1)]
    """From 1, the current month."""
    data_mb: float
    nodes: int
    time_s: Range
    cost_usd: Range
    """Cost of one run; for a permanent cluster, of the month."""
    month_usd: Range
    sum_usd: float
    """Cumulative cost at the end of this month, at the median."""
    owed_usd: float
    """Remaining cost of commitments if the job ended with this month."""
    used: float
    """Share of the month's hours that is billed."""


class SpendingAnswer(Answer):
    """Costs of all months under one purchase option."""

    purchase: Purchase
    usd_per_hour: float
    """Price of a node."""
    months: list[MonthAnswer]
    total_usd: float
    end: str | None
    """Why there are fewer months than requested."""


class UnpricedAnswer(Answer):
    """A purchase option without a known price."""

    purchase: Purchase
    reason: str


class BreakEvenAnswer(Answer):
    """Month after which a commitment has cost no more than another purchase option."""

    commitment: Purchase
    against: Purchase
    month: int | None
    """The first month after which the job may end without a loss; null if there is none among those requested."""
    sentence: str


class OutlookAnswer(OfVersions):
    """Cost of a configuration over the coming months."""

    feasible: Literal[True]
    sentence: str
    blocks: list[Block]
    """The blocks of a report's section on cost over time, in reading order."""
    drawings: dict[str, DrawingsAnswer]
    """By chart key."""
    spendings: list[SpendingAnswer]
    unpriced: list[UnpricedAnswer]
    break_evens: list[BreakEvenAnswer]
    growth_pct_per_month: float
    months: int
    commitment: Commitment
