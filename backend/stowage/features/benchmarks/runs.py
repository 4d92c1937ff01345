"""Benchmark runs: creation with a quote, approval, reading and cancellation.

This module makes no AWS calls: a worker reconciles approved runs
(`stowage.features.benchmarks.running`).

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

import secrets
from datetime import datetime
from decimal import Decimal
from functools import partial
from uuid import UUID

from stowage.features.benchmarks import run_measured, run_quotes, run_views
from stowage.features.benchmarks.aws_accounts import DOUBT, month_of
from stowage.features.benchmarks.run_views import RunDetails
from stowage.features.benchmarks.schemas import (
    LOG_SHOWN,
    Approval,
    NewRun,
    RunAnswer,
    RunEventAnswer,
    RunListAnswer,
    RunLogAnswer,
)
from stowage.features.benchmarks.store import aws_accounts, run_news
from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.aws_accounts import UNUSED
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.features.benchmarks.stored_runs import content_of, run_of, written_quote, written_spec
from stowage.features.measurements.store import measurements
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.jobs.queue import Queue
from stowage.platform.paging import read_page
from stowage.runs.pace import Pace
from stowage.runs.run import ENDED, Run, RunState

MOST_QUOTED = 100
"""Maximum number of a team's runs that await approval."""

_KEY_BYTES = 32


def create_run(
    database: Database, org_id: UUID, new: NewRun, *, run_id: UUID, pace: Pace, person: str, now: datetime
) -> RunAnswer:
    """Store a run with its quote; do nothing if a run with this id exists.

    Raises
    ------
    BadInput
        The run is not possible, or a price is missing from the catalog.
    NotFound
        There is no such account, or the id belongs to another team's run.
    Conflict
        Too many of the team's runs are open.
    """
    quoted = run_quotes.quote_of(database, new.spec, pace, now)
    run = Run(id=run_id, spec=new.spec, quote=quoted, state="quoted", created_at=now)
    with database.transaction(org_id) as connection:
        account = aws_accounts.demand(connection, new.account_id)
        if store.get(connection, run_id) is None:
            if store.count(connection, "quoted") >= MOST_QUOTED:
                raise Conflict(f"{MOST_QUOTED} runs of your team wait to be agreed to; cancel some first.")
            row = store.NewRun(
                id=run_id,
                account_id=account.id,
                name=new.name,
                spec=written_spec(new.spec),
                quote=written_quote(quoted),
                quoted_usd=quoted.total_usd,
                content=content_of(run),
                key=secrets.token_bytes(_KEY_BYTES),
                person=person,
                created_at=now,
            )
            if store.insert(connection, row):
                words = f"{person} asked for it; it costs at most ${quoted.total_usd:,.2f}"
                _say(connection, run_id, now, words, state="quoted")
    return read_run(database, org_id, run_id, now)


def list_runs(
    database: Database, org_id: UUID, *, state: RunState | None, limit: int, cursor: str | None
) -> RunListAnswer:
    """List the team's runs, newest first."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection, state=state))
        names = aws_accounts.names(connection)
        # Only runs in progress need their reports: the reports give their progress.
        reports = {
            each.id: frozenset(run_news.reported(connection, each.id)) for each in page if each.state == "running"
        }
    return RunListAnswer(
        runs=[
            run_views.summary(each, run_of(each, reports.get(each.id, frozenset())), names.get(each.account_id))
            for each in page
        ],
        next_cursor=next_cursor,
    )


def read_run(database: Database, org_id: UUID, run_id: UUID, now: datetime) -> RunAnswer:
    """Return a run with its nodes, results and log."""
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, run_id)
        reported = run_news.reported(connection, run_id)
        account = aws_accounts.names(connection).get(stored.account_id)
        upload_id = stored.accepted_upload_id
        said = RunDetails(
            statuses=run_news.statuses(connection, run_id),
            log=run_news.events(connection, run_id, limit=LOG_SHOWN, newest=True),
            accepted=() if upload_id is None else measurements.of_upload(connection, upload_id),
        )
    run = run_of(stored, frozenset(reported))
    return run_views.whole(
        database,
        stored,
        run,
        account,
        said,
        run_measured.measured_of(database, org_id, run, reported),
        now=now,
    )


def read_log(database: Database, org_id: UUID, run_id: UUID, *, after: int, limit: int) -> RunLogAnswer:
    """Return a page of a run's log, oldest entry first."""
    with database.transaction(org_id) as connection:
        store.demand(connection, run_id)
        events = run_news.events(connection, run_id, after=after, limit=limit + 1)
    shown = [RunEventAnswer.from_fields(each) for each in events[:limit]]
    return RunLogAnswer(run_id=run_id, events=shown, more=len(events) > limit)


def approve_run(
    database: Database, org_id: UUID, queue: Queue, run_id: UUID, approval: Approval, *, by: str, now: datetime
) -> RunAnswer:
    """Approve the quote of a run; a worker then launches the run.

    Approving the same amount again changes nothing.

    Raises
    ------
    BadInput
        The amount differs from the quote.
    Conflict
        The quote has expired, the run has ended, or the run cannot be launched in its account.
    """
    usd = Decimal(repr(approval.agreed_usd))
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, run_id)
        # Lock the account, so that two approvals together cannot exceed its monthly limit.
        account = aws_accounts.get(connection, stored.account_id, lock=True)
        stored = store.demand(connection, run_id, lock=True)
        if usd != stored.quoted_usd:
            raise BadInput(
                [Problem("agreed_usd", f"{usd} is not what was quoted; accepted: {stored.quoted_usd.normalize():f}")]
            )
        if stored.state in ENDED:
            raise Conflict(f"It is over: {stored.state}.")
        if stored.state == "quoted":
            if now >= run_of(stored).quote.valid_until:
                raise Conflict("Its quote is not valid any more: prices move. Ask for the run again.")
            if account is None:
                raise Conflict("Its account is not connected any more.")
            used = aws_accounts.usage(connection, month_of(now)).get(account.id, UNUSED)
            against = run_quotes.obstacles(account, used.committed_usd, stored.quoted_usd)
            if against:
                raise Conflict(" ".join(against))
            store.agree(connection, run_id, usd=stored.quoted_usd, by=by, at=now)
            words = f"{by} agreed to at most ${stored.quoted_usd:,.2f}"
            _say(connection, run_id, now, words, state="approved")
    queue.announce(run_id)
    return read_run(database, org_id, run_id, now)


def cancel_run(database: Database, org_id: UUID, queue: Queue, run_id: UUID, *, by: str, now: datetime) -> RunAnswer:
    """Request the cancellation of a run.

    Nothing changes if this was requested before, or if the run has ended.
    """
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, run_id)
        if store.ask_cancel(connection, run_id, by=by, at=now):
            ends = stored.state == "quoted"
            words = f"{by} cancelled it" if ends else f"{by} asked for its end; what it made is removed"
            _say(connection, run_id, now, words, state="cancelled" if ends else None)
    queue.announce(run_id)
    return read_run(database, org_id, run_id, now)


def _say(connection: Connection, run_id: UUID, now: datetime, words: str, *, state: RunState | None) -> None:
    """Add an entry about a user's action to the log of a run.

    `state` is the state of the run after the action; None if the action does not change it.
    """
    kind, content = ("remark", {}) if state is None else ("state", {"state": state})
    run_news.add_events(connection, run_id, [NewEvent(now, kind, words, content)])


def demand_nothing_runs(connection: Connection, now: datetime) -> None:
    """Check that none of the team's runs has, or may have, AWS resources.

    This must be so before the team is deleted. Afterwards, nothing would remove such resources, except that nodes
    terminate themselves after some time.

    Raises
    ------
    Conflict
        A run is in progress, or ended without a verified tear-down.
    """
    if any(each.open_runs for each in aws_accounts.usage(connection, now).values()):
        raise Conflict("A benchmark run is under way; wait until it has ended, or cancel it.")
    if store.in_doubt(connection, ended_after=now - DOUBT):
        raise Conflict(
            "Of a benchmark run it was not seen that nothing is left; wait until the sweep has seen it, or for "
            f"{DOUBT.days} days."
        )
