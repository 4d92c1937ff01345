"""Answer of the route for the home page."""

from datetime import datetime
from uuid import UUID

from stowage.measure.profiling.changes import Trend
from stowage.platform.described import Answer
from stowage.runs.run import RunState
from stowage.workloads.saving import SavingAnswer


class PlanSavingRow(Answer):
    """A saved plan that costs less than its baseline."""

    plan_id: UUID
    name: str
    created_at: datetime
    saving: SavingAnswer


class SavingsAnswer(Answer):
    """Savings of saved plans against their baselines.

    Plans with the same workload and baseline count once, at any number of runs a month: the newest.
    """

    rows: list[PlanSavingRow]
    """The largest monthly savings that are not marked, at most 5."""
    size: int
    """Number of savings that are not marked."""
    month_usd: float
    """Their sum [USD per month]."""
    done: int
    """Number of savings that are marked as done."""
    done_month_usd: float
    """Sum of those [USD per month]."""


class ChangedPlanRow(Answer):
    """A watched plan whose answer changed."""

    plan_id: UUID
    name: str
    words: str
    """The change."""
    at: datetime
    direction: Trend | None
    """Direction of the change: cost or time is higher (regression) or lower (improvement) now."""


class ChangedPlansAnswer(Answer):
    """Watched plans with an alert that no one in the team has seen, newest first."""

    rows: list[ChangedPlanRow]
    """At most 5."""
    size: int
    watched: int
    """Number of watched plans."""


class OpenRunRow(Answer):
    """A benchmark run that awaits approval or costs money."""

    id: UUID
    name: str
    state: RunState
    person: str
    created_at: datetime
    quoted_usd: float
    """Maximum cost of the run."""
    spent_usd: float
    """Cost so far, at the prices of the quote."""
    usd_per_hour: float
    """Current cost rate; 0 before the launch."""
    until: datetime
    """End of the quote's validity; after the launch, the time at which the last node terminates itself."""


class OpenRunsAnswer(Answer):
    """Benchmark runs that have not ended."""

    rows: list[OpenRunRow]
    """Runs that await approval first, then those that cost most per hour; at most 5."""
    awaiting: int
    """Number of runs that await approval and whose quote is valid."""
    in_progress: int
    """Number of approved runs that have not ended."""
    usd_per_hour: float
    """Current cost rate of all runs."""
    spent_usd: float
    """Cost so far of the runs in progress."""


class NewResultsRow(Answer):
    """Benchmark results that were kept from one file."""

    upload_id: UUID
    file: str
    person: str
    at: datetime
    results: int
    instances: list[str]
    """Measured instance types."""
    plans: int | None
    """Number of older saved plans in which one of the types ranks first; null if the caller may not read plans."""


class RecentReportRow(Answer):
    """A published report."""

    id: UUID
    name: str
    sentence: str
    author: str
    created_at: datetime


class RecentEventRow(Answer):
    """An event of the audit log."""

    at: datetime
    sentence: str


class BegunAnswer(Answer):
    """Numbers of objects of the team, which tell the steps that it has taken."""

    plans: int
    baselines: int
    """Plans with a baseline that was compared with the answer."""
    results: int | None
    """Benchmark results; null if the caller may not read them."""


class HomeAnswer(Answer):
    """State of a team: savings, changes, runs, results, reports and activity.

    A part is null if the caller may not read it.
    """

    begun: BegunAnswer | None
    savings: SavingsAnswer | None
    changed: ChangedPlansAnswer | None
    runs: OpenRunsAnswer | None
    results: list[NewResultsRow] | None
    """Of the last 30 days, newest first; at most 5 files."""
    reports: list[RecentReportRow] | None
    """The newest, at most 5."""
    activity: list[RecentEventRow] | None
    """The newest events that changed something, at most 5."""
