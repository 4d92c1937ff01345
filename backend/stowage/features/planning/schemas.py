"""Answers about saved plans: summaries, decisions, pins, and changes since a plan was saved."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field, ValidationError, field_validator

from stowage.features.explore.schemas import CatalogDifference
from stowage.features.planning.decided import TodayCluster
from stowage.model.money.currency import Currency
from stowage.platform.described import Answer
from stowage.workloads.answers import DescribedCluster, InfeasibleAnswer, PlanAnswer, PredictionAnswer, RankedAnswer
from stowage.workloads.columns import PlanColumns
from stowage.workloads.job_section import OneDurability
from stowage.workloads.of_catalog import OfCatalog
from stowage.workloads.saving import SavingAnswer, SavingMark
from stowage.workloads.stored import as_stored


class ChangeAnswer(Answer):
    """A catalog, set of profiles, price terms or model that has changed since an answer was saved."""

    what: Literal["catalog", "profiles", "price terms", "model"]
    then: str
    now: str
    """Version; for profiles, the start of their digest or their date; for price terms, the discounts."""


class PlanSummaryAnswer(OfCatalog):
    """A saved plan in a list."""

    id: UUID
    name: str
    created_at: datetime
    catalog_version: str
    best_instance: str | None
    best_nodes: int | None
    best_time_s: float | None
    best_cost_usd: float | None
    """Cost of one run."""
    best_month_usd: float | None = None
    """Monthly cost of a permanent cluster; null if the plan's objective is not a month."""
    price_terms: str | None = None
    """Discounts that the costs include, in a few words; null for published prices."""
    changes: list[ChangeAnswer]
    saving: SavingAnswer | None = None
    """Saving against the baseline; null if the plan has no baseline, or no configuration meets its limits."""
    saving_mark: SavingMark = SavingMark()


class RunsTodayAnswer(Answer):
    """Current cluster, predicted with its own durability."""

    cluster: TodayCluster
    answer: Annotated[PredictionAnswer | InfeasibleAnswer, Field(discriminator="feasible")]


class PinAnswer(Answer):
    """A pinned configuration, with its prediction for the workload with which it was pinned."""

    file: dict[str, Any]
    """The workload file with its cluster, without fields that have their default."""
    answer: Annotated[PredictionAnswer | InfeasibleAnswer, Field(discriminator="feasible")]

    @field_validator("file")
    @classmethod
    def _as_it_was_asked(cls, value: dict[str, Any]) -> dict[str, Any]:
        # The page sends this document in its requests, and reports parse it.
        return as_stored(value)


class BestOfDurabilityAnswer(Answer):
    """Best configuration for the plan's workload under one durability option."""

    durability: OneDurability
    best: RankedAnswer | None
    """None if no configuration meets the limits or offers this durability."""
    sentence: str
    """The answer, or why there is none."""


class DecidedAnswer(Answer):
    """Decisions about a plan, with the predictions from the time at which the decisions were stored.

    In older plans, they are empty.
    """

    today: RunsTodayAnswer | None = None
    pins: list[PinAnswer] = []  # noqa: RUF012 - pydantic copies it
    durabilities: list[BestOfDurabilityAnswer] = []  # noqa: RUF012 - pydantic copies it
    """The best configuration of each durability, if the comparison includes them."""
    notes: str = ""

    @classmethod
    def readable(cls, stored: Mapping[str, Any]) -> tuple[Self, list[str]]:
        """Convert stored decisions to the answer about them, without those that do not conform to today's schema.

        Returns
        -------
        DecidedAnswer
        list of str
            The decisions that are left out, in words.
        """
        try:
            return cls.model_validate(stored), []
        except ValidationError as error:
            wrong = {str(each["loc"][0]) for each in error.errors() if each["loc"]}
            kept = {name: value for name, value in stored.items() if name in _DECISIONS and name not in wrong}
            return cls.model_validate(kept), [words for name, words in _DECISIONS.items() if name in wrong]


_DECISIONS = {"today": "baseline", "pins": "pins", "durabilities": "comparison of durabilities", "notes": "notes"}


class SavedPlanHead(Answer):
    """Base class of answers about a saved plan: everything but the answer that was saved."""

    id: UUID
    name: str
    created_at: datetime
    question: str
    """The question as a sentence: job, data size, region, durability and limits; empty if the stored workload is no
    longer accepted."""
    outdated: str | None = None
    """Fields of the stored plan that were written for an earlier version and are no longer accepted, and what can be
    done; null if there are none. The answer is shown as it was stored."""
    changes: list[ChangeAnswer]
    """Versions that have changed since the plan was answered."""
    decided: DecidedAnswer = DecidedAnswer()
    saving: SavingAnswer | None = None
    """Saving of the first configuration against the baseline; null if there is none."""
    saving_mark: SavingMark = SavingMark()
    currency: Currency | None = None
    """Currency in which the team also sees its sums now; null for US dollars only."""


class SavedPlanAnswer(SavedPlanHead):
    """A saved plan, with its workload and the answer that was saved.

    In plans that were saved as columns, since 2026-11-29, the rows after the first have no sources, numbers of nine
    significant digits, and utilizations of three digits after the point.
    """

    answer: PlanAnswer


class SavedPlanColumns(SavedPlanHead):
    """A saved plan, with its workload and the answer that was saved, as columns."""

    answer: PlanColumns | PlanAnswer
    """Objects in plans that were saved before 2026-11-29."""


class PlanListAnswer(Answer):
    """Saved plans, newest first."""

    plans: list[PlanSummaryAnswer]
    next_cursor: str | None
    """Pass it as `cursor` to get the next page."""


class WinnerAnswer(DescribedCluster):
    """The first configuration of a ranking."""

    time_s: float
    cost_usd: float
    """Cost of one run."""
    month_usd: float | None
    """Cost of a month with the cluster always on."""


class MeasuredDifference(Answer):
    """A rate of an instance type that predictions use now, with the earlier value."""

    target: str
    """Instance type."""
    metric: str
    """In words, e.g. `network` or `disk reads`."""
    unit: str
    published: float | None
    """Earlier value; null if it was unknown."""
    measured: float
    percent: float | None
    source: str
    """Source of the current value."""
    words: str


class MeasuredAnswer(Answer):
    """Effect of a team's measurements on a ranking."""

    sentence: str
    changed: bool
    """True if another instance type or storage kind ranks first."""
    winner_before: WinnerAnswer | None
    winner_now: WinnerAnswer | None
    place_of_before: int | None
    """Current rank of the previous winner; null if it is no longer ranked."""
    differences: list[MeasuredDifference]
    """In the first rows of both rankings."""


class TodayAnswer(Answer):
    """A saved plan, recomputed with the newest catalog version."""

    difference: CatalogDifference
    winner: Literal["unchanged", "changed", "none"]
    """none: no configuration meets the limits now, or none met them then."""
    sentence: str
    measured: MeasuredAnswer | None
    """Effect of the team's measurements since then; null if there are none."""
    answer: PlanAnswer


class ExamplePoint(Answer):
    """Median time and cost of one configuration."""

    time_s: float
    usd: float
    """Cost of a run or of a month, as the example states."""


class ExampleSummary(Answer):
    """An example workload, without its answer."""

    name: str
    """Name in addresses."""
    title: str
    sentence: str
    """Description of the workload."""
    workload: dict[str, Any]
    """The workload file without fields that have their default."""


class GalleryAnswer(Answer):
    """Example workloads."""

    examples: list[ExampleSummary]


class ExampleAnswer(Answer):
    """The answer to an example workload by published measurements and the newest catalog version."""

    catalog_version: str
    catalog_as_of: date
    per: Literal["run", "month"]
    """Period of the costs."""
    deadline_s: float | None
    configuration: str | None
    """The first configuration of the ranking; null if no configuration meets the limits, like `chosen`."""
    chosen: ExamplePoint | None
    frontier: list[ExamplePoint]
    """Pareto frontier, fastest first, evenly thinned to 40 points."""
