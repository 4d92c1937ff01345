"""Cost over time: requests and answers."""

from typing import Annotated, Literal

from pydantic import Field

from stowage.documents.charts.marks import Drawing
from stowage.model.jobs.workload import Commitment
from stowage.model.money.price import Purchase
from stowage.model.report import Block
from stowage.platform.described import Answer, RequestBody
from stowage.workloads.answers import RangeAnswer
from stowage.workloads.of_catalog import OfCatalog
from stowage.workloads.workload_file import WorkloadFile


class OutlookRequest(RequestBody):
    """Horizon and data growth."""

    growth_pct_per_month: Annotated[float, Field(ge=-50, le=100, allow_inf_nan=False)] = 0.0
    """[%] of the month before."""
    months: Annotated[int, Field(ge=1, le=120)] = 36


class DrawingsAnswer(Answer):
    """A chart as SVG, 720 px and 340 px wide."""

    wide: Drawing
    narrow: Drawing


class NewOutlook(OutlookRequest):
    """A configuration with horizon and data growth."""

    file: WorkloadFile
    """With its `cluster`."""
    commitment: Commitment = "alone"
    """Whether commitments are paid in full by this job, or others use what it leaves."""


class MonthAnswer(Answer):
    """A month under one way to pay."""

    month: Annotated[int, Field(ge=1)]
    """From 1, which is now."""
    data_mb: float
    nodes: int
    time_s: RangeAnswer
    cost_usd: RangeAnswer
    """Of one run; of a cluster that stays, of the month."""
    month_usd: RangeAnswer
    sum_usd: float
    """Paid until the end of this month, at the median."""
    owed_usd: float
    """What commitments would still cost if the job ended with this month."""
    used: float
    """Billed of the month's hours."""


class SpendingAnswer(Answer):
    """All months under one way to pay."""

    purchase: Purchase
    usd_per_hour: float
    """Of a node."""
    months: list[MonthAnswer]
    total_usd: float
    end: str | None
    """Why there are fewer months than asked."""


class UnpricedAnswer(Answer):
    """A purchase option without a known price."""

    purchase: Purchase
    reason: str


class BreakEvenAnswer(Answer):
    """When a commitment has paid."""

    commitment: Purchase
    against: Purchase
    month: int | None
    """The first with which the job may end; null where none of those asked for is late enough."""
    sentence: str


class OutlookAnswer(OfCatalog):
    """Cost of a configuration over the coming months."""

    feasible: Literal[True]
    sentence: str
    blocks: list[Block]
    """To be read in this order: those of a report's section on cost over time."""
    drawings: dict[str, DrawingsAnswer]
    """By the key of the chart."""
    spendings: list[SpendingAnswer]
    unpriced: list[UnpricedAnswer]
    break_evens: list[BreakEvenAnswer]
    growth_pct_per_month: float
    months: int
    commitment: Commitment
    catalog_version: str
    model_version: str
    profiles_digest: str
