"""Answers about saved plans: summaries, decisions, pins, and changes since a plan was saved."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from stowage.features.explore.schemas import CatalogDifference
from stowage.features.planning.decided import TodayCluster
from stowage.platform.described import Answer
from stowage.workloads.answers import InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer
from stowage.workloads.cluster_section import EbsSection, InstanceStoreSection, ObjectStoreSection
from stowage.workloads.job_section import OneDurability
from stowage.workloads.of_catalog import OfCatalog


class ChangeAnswer(Answer):
    """Something that the same question would rest on today, and that was another then."""

    what: Literal["catalog", "profiles", "model"]
    then: str
    now: str
    """Versions; of profiles the start of their digest."""


class PlanSummaryAnswer(OfCatalog):
    """A saved plan, as a list shows it."""

    id: UUID
    name: str
    created_at: datetime
    catalog_version: str
    best_instance: str | None
    best_nodes: int | None
    best_time_s: float | None
    best_cost_usd: float | None
    """Of one run."""
    best_month_usd: float | None = None
    """Of a month of a cluster that stays; null where the plan's objective is not a month."""
    changes: list[ChangeAnswer]


class RunsTodayAnswer(Answer):
    """Current cluster with its prediction under its own durability."""

    cluster: TodayCluster
    answer: Annotated[PredictionAnswer | InfeasibleAnswer, Field(discriminator="feasible")]


class PinAnswer(Answer):
    """A pinned configuration with its prediction for the question at that time."""

    file: dict[str, Any]
    """The workload file with its cluster, without what is default."""
    answer: Annotated[PredictionAnswer | InfeasibleAnswer, Field(discriminator="feasible")]


class BestOfDurabilityAnswer(Answer):
    """Answer to the plan's question with the data stored in one way."""

    durability: OneDurability
    best: RankedAnswer | None
    """None where nothing meets the limits, or it cannot be had there."""
    sentence: str
    """The answer, or why there is none."""


class DecidedAnswer(Answer):
    """Decisions about a plan, predicted when they were stored; empty in older plans."""

    today: RunsTodayAnswer | None = None
    pins: list[PinAnswer] = []  # noqa: RUF012 - pydantic copies it
    durabilities: list[BestOfDurabilityAnswer] = []  # noqa: RUF012 - pydantic copies it
    """The best configuration of each durability, where they are compared."""
    notes: str = ""


class SavedPlanAnswer(Answer):
    """A saved plan: its question, and its answer, which does not change."""

    id: UUID
    name: str
    created_at: datetime
    answer: PlanAnswer
    changes: list[ChangeAnswer]
    """What the same question would rest on today."""
    decided: DecidedAnswer = DecidedAnswer()


class PlanListAnswer(Answer):
    """Saved plans, newest first."""

    plans: list[PlanSummaryAnswer]
    next_cursor: str | None
    """Give it as `cursor` for the next page."""


class WinnerAnswer(Answer):
    """A configuration that comes first."""

    instance: str
    nodes: int
    storage: InstanceStoreSection | EbsSection | ObjectStoreSection
    storage_words: str
    time_s: float
    cost_usd: float


class MeasuredDifference(Answer):
    """A rate that predictions use now, with the previous one."""

    target: str
    """Instance type."""
    metric: str
    """In words: `network`, `disk reads`."""
    unit: str
    published: float | None
    """As it was before; null where it was not known."""
    measured: float
    percent: float | None
    source: str
    """Of what is taken now."""
    words: str


class MeasuredAnswer(Answer):
    """A difference that measurements make in a ranking."""

    sentence: str
    changed: bool
    """Whether another type, or another sort of storage, comes first."""
    winner_before: WinnerAnswer | None
    winner_now: WinnerAnswer | None
    place_of_before: int | None
    """Where the winner before stands now; null where it is not ranked any more."""
    differences: list[MeasuredDifference]
    """Of the first rows of both rankings."""


class TodayAnswer(Answer):
    """A saved plan, recomputed with the newest version of the catalog."""

    difference: CatalogDifference
    winner: Literal["unchanged", "changed", "none"]
    """none: no configuration meets the limits now, or none did then."""
    sentence: str
    measured: MeasuredAnswer | None
    """Effect of the team's measurements since then; null where there are none."""
    answer: PlanAnswer
