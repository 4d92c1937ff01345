"""Answers about watched plans and their checks."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field

from stowage.features.planning.watches.tables import Every
from stowage.model.choice import Objective
from stowage.model.jobs.flows import DurabilityModel
from stowage.model.money.price import Purchase
from stowage.platform.described import Answer
from stowage.platform.written import Section
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.cluster_section import StorageSection
from stowage.workloads.of_catalog import OfCatalog

SMALLEST_PERCENT, LARGEST_PERCENT = 0.1, 1_000.0
"""By more than which cost or time may have to change to be told."""


class NewPlanWatch(Section):
    """How a plan is to be watched."""

    every: Every
    percent: Annotated[float, Field(ge=SMALLEST_PERCENT, le=LARGEST_PERCENT, allow_inf_nan=False)] = 5.0
    """The team is told when the winner's cost or time, whichever it looks for, changed by more, or another won."""


class PlanWinner(Answer):
    """The configuration that comes first, with the costs and times that a watch compares."""

    instance: str
    nodes: int
    storage: StorageSection
    storage_words: str
    purchase: Purchase | None
    durability: DurabilityModel | None
    replicas: int | None
    """These three are null in plans that were saved when the workload still said them for all."""
    time_s: float
    cost_usd: float
    """Of a run."""
    month_usd: float | None = None
    """Of a month in which the cluster stays; null in plans that were saved before that was counted."""

    @classmethod
    def of(cls, answer: PlanAnswer) -> Self | None:
        """Build the winner from the first row of an answer; None if nothing meets the limits."""
        if not answer.configurations:
            return None
        best = answer.configurations[0]
        return cls(
            instance=best.instance,
            nodes=best.nodes,
            storage=best.storage,
            storage_words=best.storage_words,
            purchase=best.purchase,
            durability=best.durability,
            replicas=best.replicas,
            time_s=best.time_s.p50,
            cost_usd=best.cost_usd.p50,
            month_usd=best.cost_always_on_usd,
        )


class PlanOutcome(OfCatalog):
    """Outcome of a plan's question, with the versions it rests on."""

    winner: PlanWinner | None
    """Null where nothing meets the limits."""
    objective: Objective = "cost"
    """What the plan looks for, and so what of two winners is compared: the cost of a run or of a month, or the time."""
    catalog_version: str
    profiles_digest: str
    model_version: str

    @classmethod
    def of(cls, answer: PlanAnswer) -> Self:
        """Build the outcome from an answer."""
        return cls(
            winner=PlanWinner.of(answer),
            objective=answer.objective,
            catalog_version=answer.catalog_version,
            profiles_digest=answer.profiles_digest,
            model_version=answer.model_version,
        )


class ReportedOutcome(PlanOutcome):
    """The answer last reported to a team: at first that of the saved plan."""

    at: datetime

    @classmethod
    def since(cls, outcome: PlanOutcome, at: datetime) -> Self:
        """Return the outcome with the time since when the team knows it."""
        return cls(**outcome.model_dump(), at=at)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Read one that was stored."""
        return cls.model_validate(document)


class PlanCheckAnswer(OfCatalog):
    """Result of a check."""

    at: datetime
    catalog_version: str | None
    """Null where nothing could be answered."""
    winner: PlanWinner | None
    """Null where nothing met the limits, or nothing could be answered."""
    problem: str | None
    told: bool
    """Whether the team was told of it."""


class PlanWatchAnswer(Answer):
    """How a plan is watched, and how its winners went."""

    plan_id: UUID
    state: Literal["off", "on"]
    """What checks found stays where a watch is ended."""
    every: Every | None
    """Null, as what follows, where the plan was never watched."""
    percent: float | None
    person: str | None
    """Who began to watch it, as they were called then."""
    checking: bool
    """Whether a check is asked for or under way."""
    next_check_at: datetime | None
    told: ReportedOutcome | None
    """With what the next check is compared."""
    checks: list[PlanCheckAnswer]
    """The last ones, oldest first."""


class PlanWatchRow(Answer):
    """A watched plan in a list."""

    plan_id: UUID
    plan_name: str
    every: Every
    percent: float
    checking: bool
    next_check_at: datetime
    told: ReportedOutcome
    last: PlanCheckAnswer | None
    """Null before the first check."""


class PlanWatchListAnswer(Answer):
    """All plans that the team watches, newest first."""

    watches: list[PlanWatchRow]
    most: int
    """That a team may watch at once."""
