"""Home page of a team: savings, changed plans, runs, new results, reports and activity, each with a few rows."""

from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.activity import audit
from stowage.features.activity.home_schemas import (
    BegunAnswer,
    ChangedPlanRow,
    ChangedPlansAnswer,
    HomeAnswer,
    NewResultsRow,
    OpenRunRow,
    OpenRunsAnswer,
    PlanSavingRow,
    RecentEventRow,
    RecentReportRow,
    SavingsAnswer,
)
from stowage.features.activity.store import audit as audit_store
from stowage.features.activity.store import home as store
from stowage.model.money.currency import Currency
from stowage.platform import currency_store
from stowage.platform.access import Principal
from stowage.platform.database.database import Connection, Database
from stowage.workloads.saving import SavingAnswer, is_saving

MOST_ROWS = 5
"""Rows of each part."""
NEW_FOR = timedelta(days=30)
"""Time for which results are listed as new."""


def read(database: Database, org_id: UUID, principal: Principal, now: datetime) -> HomeAnswer:
    """Return the state of a team, with the parts that the caller may read."""
    may = principal.permissions
    plans, measurements = "plans.read" in may, "measurements.read" in may
    with database.transaction(org_id) as connection:
        begun = store.begun(connection) if plans else None
        return HomeAnswer(
            begun=None if begun is None else _begun(begun, results=measurements),
            savings=_savings(connection) if plans else None,
            changed=None if begun is None else _changed(connection, begun.watched),
            runs=_runs(connection, now) if "runs.read" in may else None,
            results=_results(connection, now, plans=plans) if measurements else None,
            reports=_reports(connection) if "reports.read" in may else None,
            activity=_activity(connection) if "audit.read" in may else None,
        )


def _begun(found: store.Begun, *, results: bool) -> BegunAnswer:
    return BegunAnswer(plans=found.plans, baselines=found.baselines, results=found.results if results else None)


def _savings(connection: Connection) -> SavingsAnswer:
    """Sum up the savings of the team's plans, and list the largest that are not marked.

    The newest plan counts for all plans with its workload and baseline. If one of them is marked, none is listed.
    """
    unmarked: dict[int, store.PlanCosts] = {}
    marked, done = set[int](), dict[int, store.PlanCosts]()
    for row in store.costs(connection):
        if row.is_done:
            done.setdefault(row.same, row)
        if row.is_done or row.is_dismissed:
            marked.add(row.same)
        elif is_saving(row.baseline_usd, row.chosen_usd):
            unmarked.setdefault(row.same, row)
    rows = sorted((row for same, row in unmarked.items() if same not in marked), key=_month_usd, reverse=True)
    largest = [row.id for row in rows[:MOST_ROWS]]
    savings = store.savings(connection, largest)
    currency = currency_store.current(connection)
    return SavingsAnswer(
        rows=[_saving_row(savings[plan_id], currency) for plan_id in largest],
        size=len(rows),
        month_usd=sum(map(_month_usd, rows)),
        done=len(done),
        done_month_usd=sum(map(_month_usd, done.values())),
    )


def _saving_row(plan: store.PlanSaving, currency: Currency | None) -> PlanSavingRow:
    saving = SavingAnswer.model_validate({**plan.saving, "currency": currency})
    return PlanSavingRow.from_fields(plan, plan_id=plan.id, saving=saving)


def _month_usd(row: store.PlanCosts) -> float:
    return row.baseline_usd - row.chosen_usd


def _changed(connection: Connection, watched: int) -> ChangedPlansAnswer:
    found = store.changed_plans(connection)
    rows = [ChangedPlanRow.from_fields(row, direction=row.content.get("direction")) for row in found[:MOST_ROWS]]
    return ChangedPlansAnswer(rows=rows, size=len(found), watched=watched)


def _runs(connection: Connection, now: datetime) -> OpenRunsAnswer:
    awaiting, in_progress = list[OpenRunRow](), list[OpenRunRow]()
    for run in store.open_runs(connection):
        is_quoted = run.state == "quoted"
        if is_quoted and run.valid_until <= now:
            # It needs a new quote before it can be approved.
            continue
        until = run.valid_until if is_quoted or run.deadline is None else run.deadline
        rate = sum(each["usd_per_hour"] for each in run.resources if each.get("ended_at") is None)
        row = OpenRunRow.from_fields(run, usd_per_hour=rate, until=until)
        (awaiting if is_quoted else in_progress).append(row)
    in_progress.sort(key=lambda row: -row.usd_per_hour)
    return OpenRunsAnswer(
        rows=[*awaiting, *in_progress][:MOST_ROWS],
        awaiting=len(awaiting),
        in_progress=len(in_progress),
        usd_per_hour=sum(row.usd_per_hour for row in in_progress),
        spent_usd=sum(row.spent_usd for row in in_progress),
    )


def _results(connection: Connection, now: datetime, *, plans: bool) -> list[NewResultsRow]:
    """List the results that were kept in the last days, each file with the number of plans that they may change."""
    found = store.kept_results(connection, now - NEW_FOR, MOST_ROWS)
    measured = sorted({instance for row in found for instance in row.instances})
    won = store.won_before(connection, measured) if plans and measured else []
    return [
        NewResultsRow.from_fields(
            row,
            plans=sum(instance in row.instances and at < row.at for instance, at in won) if plans else None,
        )
        for row in found
    ]


def _reports(connection: Connection) -> list[RecentReportRow]:
    return [RecentReportRow.from_fields(row) for row in store.reports(connection, MOST_ROWS)]


def _activity(connection: Connection) -> list[RecentEventRow]:
    return [
        RecentEventRow(at=event.at, sentence=audit.sentence(event))
        for event in audit_store.read_changes(connection, limit=MOST_ROWS)
    ]
