"""Queries of benchmark runs: specification, quote, approval, state, and claims by workers.

A worker that reconciles a run has a claim on it, which heartbeats extend. The number of the attempt identifies the
claim. A worker that lost its claim notices this in the transaction that would store its result. Requests of people and
reconciliations change different columns, so that neither overwrites the other. Lease and due times use the database's
clock.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, case, func, not_, or_, select, text, update

from stowage.features.benchmarks.tables import run
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, read_rows, seconds_from_now, values_of
from stowage.platform.jobs.heartbeats import ClaimLost
from stowage.runs.run import ENDED, RunState

LEASE_S = 8.0
"""Lease: a worker without a heartbeat for this long loses its claim [s]."""


@frozen
class NewRun:
    """A run to store, in state quoted."""

    id: UUID
    account_id: UUID
    """AWS account of the run."""
    name: str
    spec: Mapping[str, Any]
    """Specification, as a JSON document."""
    quote: Mapping[str, Any]
    """Quote, as a JSON document."""
    quoted_usd: Decimal
    content: Mapping[str, Any]
    """Remaining fields of the run, see `stowage.features.benchmarks.stored_runs`."""
    key: bytes
    """32 random bytes, unique to the run and never shown."""
    person: str
    """Person who created the run."""
    created_at: datetime


@frozen
class StoredRun:
    """A stored run, without its secret key."""

    id: UUID
    account_id: UUID
    name: str
    spec: Mapping[str, Any]
    quote: Mapping[str, Any]
    quoted_usd: Decimal
    agreed_usd: Decimal | None
    agreed_by: str | None
    agreed_at: datetime | None
    state: RunState
    content: Mapping[str, Any]
    """Remaining fields of the run, see `stowage.features.benchmarks.stored_runs`."""
    person: str
    created_at: datetime
    launched_at: datetime | None
    deadline: datetime | None
    finished_at: datetime | None
    spent_usd: Decimal
    cancel_asked_at: datetime | None
    cancel_asked_by: str | None
    accepted_upload_id: UUID | None


@frozen
class Reconciled:
    """Values of a run that a reconciliation updates."""

    state: RunState
    content: Mapping[str, Any]
    launched_at: datetime | None
    deadline: datetime | None
    finished_at: datetime | None
    spent_usd: Decimal


@frozen
class Claim:
    """A worker's claim on a run, which excludes other workers."""

    run_id: UUID
    attempt: int
    """Number of the attempt; distinguishes this claim from earlier ones."""
    cancel_asked: bool
    """Whether cancellation had been requested when the run was claimed."""


_RUNS = Rows(run, StoredRun, noun="run")
get, demand, get_all = _RUNS.get, _RUNS.demand, _RUNS.get_all


def insert(connection: Connection, new: NewRun) -> bool:
    """Store a run in state quoted; return False if its id is taken."""
    return _RUNS.add(connection, new, state="quoted")


def list_newest(
    connection: Connection, *, limit: int, state: RunState | None = None, before: tuple[datetime, UUID] | None = None
) -> tuple[StoredRun, ...]:
    """Return runs, newest first.

    Parameters
    ----------
    state : RunState or None
        Only runs in this state.
    before : (datetime, UUID) or None
        Creation time and id of the last run of the previous page.
    """
    which = () if state is None else (run.c.state == state,)
    return _RUNS.list_newest(connection, *which, limit=limit, before=before)


def count(connection: Connection, state: RunState) -> int:
    """Return the number of runs in a state."""
    return _RUNS.count(connection, run.c.state == state)


def key_of(connection: Connection, run_id: UUID) -> bytes:
    """Return the secret key of a run, which signs orders to nodes and verifies their reports."""
    key: bytes = connection.execute(select(run.c.key).where(run.c.id == run_id)).scalar_one()
    return key


def agree(connection: Connection, run_id: UUID, *, usd: Decimal, by: str, at: datetime) -> bool:
    """Approve a run for at most `usd` [USD]; return False if the run is not in state quoted."""
    agreed = {"state": "approved", "agreed_usd": usd, "agreed_by": by, "agreed_at": at, "next_look_at": func.now()}
    return _RUNS.change(connection, run_id, agreed, run.c.state == "quoted")


def ask_cancel(connection: Connection, run_id: UUID, *, by: str, at: datetime) -> bool:
    """Request the cancellation of a run.

    A run that is only quoted is cancelled at once. The result is False if the run has ended, or if its cancellation was
    requested before.
    """
    quoted = run.c.state == "quoted"
    asked = {
        "state": case((quoted, "cancelled"), else_=run.c.state),
        "finished_at": case((quoted, at), else_=None),
        "next_look_at": case((quoted, None), else_=func.now()),
        "cancel_asked_at": at,
        "cancel_asked_by": by,
    }
    return _RUNS.change(connection, run_id, asked, run.c.state.not_in(ENDED), run.c.cancel_asked_at.is_(None))


def accept(connection: Connection, run_id: UUID, upload_id: UUID) -> bool:
    """Record the upload that contains a run's accepted results; return False if they were accepted before."""
    return _RUNS.change(connection, run_id, {"accepted_upload_id": upload_id}, run.c.accepted_upload_id.is_(None))


def regions(connection: Connection, account_id: UUID) -> tuple[str, ...]:
    """Return the distinct regions of all approved runs of an account, including ended runs."""
    region = run.c.spec["region"].as_string()
    query = select(region).where(run.c.account_id == account_id, run.c.agreed_at.is_not(None)).distinct()
    return tuple(sorted(connection.execute(query).scalars()))


def launched(connection: Connection, ended_after: datetime) -> tuple[StoredRun, ...]:
    """Return the team's launched runs that have not ended, or that ended after `ended_after`."""
    recent = or_(run.c.finished_at.is_(None), run.c.finished_at > ended_after)
    return _RUNS.list_all(connection, run.c.launched_at.is_not(None), recent, order=(run.c.created_at,))


def is_active(connection: Connection, account_id: UUID, since: datetime) -> bool:
    """Return whether an account has an approved run that has not ended, or that ended after `since`."""
    recent = or_(run.c.finished_at.is_(None), run.c.finished_at > since)
    return _RUNS.count(connection, run.c.account_id == account_id, run.c.agreed_at.is_not(None), recent) > 0


def due(connection: Connection, most: int) -> list[tuple[UUID, UUID]]:
    """Return the teams and ids of all runs that are due for a reconciliation and not claimed.

    Parameters
    ----------
    connection : Connection
        Connection as the auth role, in a transaction without a team.
    most : int
        Maximum number of runs to return.
    """
    found = connection.execute(text("SELECT org_id, run_id FROM due_runs(:most)"), {"most": most})
    return [(org_id, run_id) for org_id, run_id in found]


def connected(connection: Connection) -> list[tuple[UUID, UUID]]:
    """Return the teams and ids of all connected accounts whose role and bucket are known.

    Like `due`, it requires a connection as the auth role.
    """
    found = connection.execute(text("SELECT org_id, account_id FROM connected_accounts()"))
    return [(org_id, account_id) for org_id, account_id in found]


def claim(connection: Connection, run_id: UUID) -> Claim | None:
    """Claim a run; return None if it is not due or another worker has a valid claim.

    A lease that ends more than `LEASE_S` from now counts as expired: it was written before the clock was set back.
    """
    taken = connection.execute(
        update(run)
        .where(
            run.c.id == run_id,
            run.c.next_look_at <= func.now(),
            or_(run.c.lease_until.is_(None), not_(run.c.lease_until.between(func.now(), seconds_from_now(LEASE_S)))),
        )
        .values(attempt=run.c.attempt + 1, lease_until=seconds_from_now(LEASE_S))
        .returning(run.c.attempt, run.c.cancel_asked_at)
    ).one_or_none()
    return None if taken is None else Claim(run_id, taken.attempt, taken.cancel_asked_at is not None)


def keep(connection: Connection, held: Claim) -> None:
    """Store a heartbeat, which extends a claim.

    Raises
    ------
    ClaimLost
        Another worker has claimed the run.
    """
    _change(connection, held, lease_until=seconds_from_now(LEASE_S))


def store(connection: Connection, held: Claim, moved: Reconciled) -> None:
    """Store the state of a run during a reconciliation, and extend the claim.

    The run is reconciled again later, unless it has ended.

    Raises
    ------
    ClaimLost
        The transaction must be rolled back.
    """
    due_still = None if moved.state in ENDED else run.c.next_look_at
    _change(connection, held, **values_of(moved), next_look_at=due_still, lease_until=seconds_from_now(LEASE_S))


def release(connection: Connection, held: Claim, moved: Reconciled, again_in_s: float) -> None:
    """Store the state of a run at the end of a reconciliation, and release the claim.

    The run is due again after `again_in_s` seconds, unless it has ended.

    Parameters
    ----------
    again_in_s : float
        Delay from now [s]; ignored if cancellation was requested meanwhile: the run is then due immediately.

    Raises
    ------
    ClaimLost
        The transaction must be rolled back.
    """
    again: Any = seconds_from_now(again_in_s)
    if not held.cancel_asked:
        again = case((run.c.cancel_asked_at.is_not(None), func.now()), else_=again)
    next_look_at = None if moved.state in ENDED else again
    _change(connection, held, **values_of(moved), next_look_at=next_look_at, lease_until=None)


def let_go(connection: Connection, held: Claim, again_in_s: float) -> None:
    """Release the claim of a run without storing a state.

    The run is due again after `again_in_s` seconds. Nothing is done if the claim was lost.
    """
    released = {"lease_until": None, "next_look_at": seconds_from_now(again_in_s)}
    _RUNS.change(connection, held.run_id, released, *_held(held), run.c.next_look_at.is_not(None))


def in_doubt(
    connection: Connection,
    account_id: UUID | None = None,
    *,
    ended_before: datetime | None = None,
    ended_after: datetime | None = None,
) -> tuple[StoredRun, ...]:
    """Return the ended runs without a verified tear-down, of one account or of all accounts of the team."""
    query = _RUNS.select(
        run.c.state.in_(ENDED),
        run.c.launched_at.is_not(None),
        run.c.content["verified"].as_boolean().is_(False),
    )
    if account_id is not None:
        query = query.where(run.c.account_id == account_id)
    if ended_before is not None:
        query = query.where(run.c.finished_at < ended_before)
    if ended_after is not None:
        query = query.where(run.c.finished_at > ended_after)
    return read_rows(connection, query, StoredRun)


def verify(connection: Connection, run_id: UUID, content: Mapping[str, Any]) -> bool:
    """Mark the tear-down of an ended run as verified; return False if the run has not ended."""
    return _RUNS.change(connection, run_id, {"content": dict(content)}, run.c.state.in_(ENDED))


def _change(connection: Connection, held: Claim, **values: object) -> None:
    if not _RUNS.change(connection, held.run_id, values, *_held(held)):
        raise ClaimLost


def _held(held: Claim) -> tuple[ColumnElement[bool], ...]:
    # An expired claim is still valid if no other worker has claimed the run.
    return run.c.attempt == held.attempt, run.c.lease_until.is_not(None)
