"""Requests and answers about watched plans and their checks."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field

from stowage.features.planning.watches.tables import Every
from stowage.model.choice import Objective
from stowage.model.jobs.flows import DurabilityModel
from stowage.model.money.price import Purchase
from stowage.platform.described import Answer
from stowage.platform.written import Section
from stowage.workloads.answers import DescribedCluster, PlanAnswer
from stowage.workloads.of_catalog import OfCatalog, OfVersions

SMALLEST_PERCENT, LARGEST_PERCENT = 0.1, 1_000.0
"""Range of the threshold for alerts about cost or time [%]."""


class NewPlanWatch(Section):
    """Settings of the watch of a plan."""

    every: Every
    percent: Annotated[float, Field(ge=SMALLEST_PERCENT, le=LARGEST_PERCENT, allow_inf_nan=False)] = 5.0
    """The team is alerted when the winner's cost or time (the objective) changes by more, or the winner changes."""


class PlanWinner(DescribedCluster):
    """The first configuration of a ranking, with the costs and times that a watch compares."""

    purchase: Purchase | None
    durability: DurabilityModel | None
    replicas: int | None
    """Null, like the next two, in plans that were saved when the workload set these for all configurations."""
    time_s: float
    cost_usd: float
    """Cost of a run."""
    month_usd: float | None = None
    """Monthly cost of a permanent cluster; null in plans that were saved before it was computed."""

    @classmethod
    def of(cls, answer: PlanAnswer) -> Self | None:
        """Build the winner from the first row of an answer; None if no configuration meets the limits."""
        if not answer.configurations:
            return None
        best = answer.configurations[0]
        return cls.from_fields(
            best, time_s=best.time_s.p50, cost_usd=best.cost_usd.p50, month_usd=best.cost_always_on_usd
        )


class PlanOutcome(OfVersions):
    """Winner for a plan's workload, with the versions from which it was computed."""

    winner: PlanWinner | None
    """Null if no configuration meets the limits."""
    objective: Objective = "cost"
    """The value compared between two winners: the cost of a run or of a month, or the time."""

    @classmethod
    def of(cls, answer: PlanAnswer) -> Self:
        """Build the outcome from an answer."""
        return cls.from_fields(answer, winner=PlanWinner.of(answer))


class ReportedOutcome(PlanOutcome):
    """The answer that was last reported to a team; before the first report, the answer of the saved plan."""

    at: datetime

    @classmethod
    def since(cls, outcome: PlanOutcome, at: datetime) -> Self:
        """Mark an outcome as reported to the team at a time."""
        return cls.from_fields(outcome, at=at)


class PlanCheckAnswer(OfCatalog):
    """Result of one check of a watched plan."""

    at: datetime
    catalog_version: str | None
    """Null if the check failed."""
    winner: PlanWinner | None
    """Null if no configuration met the limits, or the check failed."""
    problem: str | None
    told: bool
    """Whether the team was alerted."""


class PlanWatchAnswer(Answer):
    """Settings of a watch, and the winners of the watched plan over time."""

    plan_id: UUID
    state: Literal["off", "on"]
    """Results of checks are kept when a watch ends."""
    every: Every | None
    """Null, like the next fields, if the plan was never watched."""
    percent: float | None
    person: str | None
    """Name of the user who started the watch, as it was then."""
    checking: bool
    """Whether a check is requested or running."""
    next_check_at: datetime | None
    told: ReportedOutcome | None
    """The outcome that the next check is compared with."""
    checks: list[PlanCheckAnswer]
    """The last checks, oldest first."""


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
    """Maximum number of plans that a team may watch at the same time."""
