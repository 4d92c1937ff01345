"""Jobs as rows: what is to be done in the background, in parts that any worker may take up at any time.

A worker that takes up a part becomes its holder, for as long as it gives signs of life; its token is the
attempt's number. Whoever lost the part, because it was silent for too long or the job was cancelled, finds out
at its next sign of life, in the very transaction that would have stored its results. Times are the database's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, and_, case, delete, func, not_, or_, select, text, update
from sqlalchemy import insert as insert_into

from stowage.model.job import JobKind, JobState
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job, job_part

UNFINISHED: tuple[JobState, ...] = ("queued", "running")

LEASE_S = 5.0
"""A part whose holder is silent for longer is owed again [s]."""

MOST_TAKEOVERS = 5
"""A part whose holder fell silent so often seems to kill its workers."""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job of one organisation.

    Parameters
    ----------
    id : UUID
    kind : {'sweep', 'demo', 'refresh'}
    subject_id : UUID
        What it works on.
    state : {'queued', 'running', 'done', 'failed', 'cancelled'}
    asked_by : str
    total, done : int
        Units of work, and those whose result is stored.
    reason, reference : str or None
        Of a failure: in words for people, and for finding it in the log.
    created_at : datetime
    started_at, finished_at : datetime or None
    """

    id: UUID
    kind: JobKind
    subject_id: UUID
    state: JobState
    asked_by: str
    total: int
    done: int
    reason: str | None
    reference: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A part that is held.

    Parameters
    ----------
    job_id : UUID
    number : int
    attempt : int
        Tells this holder from an earlier one.
    takeovers : int
        How many holders fell silent before this one.
    """

    job_id: UUID
    number: int
    attempt: int
    takeovers: int


@dataclass(frozen=True, slots=True)
class Owed:
    """A part that nobody works on although its job goes on."""

    org_id: UUID
    job_id: UUID
    kind: JobKind
    number: int


class ClaimLost(Exception):
    """Somebody else holds the part by now, or the job was cancelled; the transaction must be undone."""


def insert(
    connection: Connection,
    *,
    job_id: UUID,
    kind: JobKind,
    subject_id: UUID,
    asked_by: str,
    total: int,
    parts: int,
    now: datetime,
) -> None:
    """Store a job with its parts, all queued."""
    connection.execute(
        insert_into(job).values(
            id=job_id,
            kind=kind,
            subject_id=subject_id,
            state="queued",
            asked_by=asked_by,
            total=total,
            done=0,
            created_at=now,
        )
    )
    connection.execute(
        insert_into(job_part),
        [{"job_id": job_id, "number": number, "state": "queued", "attempt": 0} for number in range(parts)],
    )


def get(connection: Connection, job_id: UUID) -> StoredJob | None:
    """Read a job; None where there is none, or it is another organisation's."""
    row = connection.execute(select(*columns_of(job, StoredJob)).where(job.c.id == job_id)).mappings().one_or_none()
    return None if row is None else StoredJob(**row)


def get_all(connection: Connection, job_ids: Sequence[UUID]) -> dict[UUID, StoredJob]:
    """Read several jobs at once."""
    rows = connection.execute(select(*columns_of(job, StoredJob)).where(job.c.id.in_(job_ids))).mappings()
    return {row["id"]: StoredJob(**row) for row in rows}


def claim(connection: Connection, job_id: UUID, number: int) -> Claim | None:
    """Take up a part; None where it is finished, held by somebody who lives, or its job has ended.

    A heartbeat further ahead than a lease is from a clock that was set back since; nobody lives by it.
    """
    lease = func.make_interval(0, 0, 0, 0, 0, 0, LEASE_S)
    silent = not_(job_part.c.heartbeat_at.between(func.now() - lease, func.now() + lease))
    state = connection.execute(select(job.c.state).where(job.c.id == job_id).with_for_update()).scalar_one_or_none()
    if state not in UNFINISHED:
        return None
    taken = connection.execute(
        update(job_part)
        .where(
            job_part.c.job_id == job_id,
            job_part.c.number == number,
            or_(job_part.c.state == "queued", and_(job_part.c.state == "running", silent)),
        )
        .values(
            state="running",
            attempt=job_part.c.attempt + 1,
            takeovers=job_part.c.takeovers + case((job_part.c.state == "running", 1), else_=0),
            heartbeat_at=func.now(),
        )
        .returning(job_part.c.attempt, job_part.c.takeovers)
    ).one_or_none()
    if taken is None:
        return None
    if state == "queued":
        connection.execute(
            update(job)
            .where(job.c.id == job_id)
            .values(state="running", started_at=func.coalesce(job.c.started_at, func.now()))
        )
    return Claim(job_id, number, taken.attempt, taken.takeovers)


def advance(connection: Connection, held: Claim, units: int) -> None:
    """Give a sign of life and count what this transaction stored.

    Parameters
    ----------
    connection : Connection
    held : Claim
    units : int
        Units of work whose results are new with this transaction.

    Raises
    ------
    ClaimLost
        Nothing of this transaction may be kept.
    """
    # Always the job before its part, as everywhere: transactions that take both cannot block each other.
    running = connection.execute(
        update(job).where(job.c.id == held.job_id, job.c.state == "running").values(done=job.c.done + units)
    )
    if not running.rowcount or not _set_part(connection, held, "running"):
        raise ClaimLost


def finish(connection: Connection, held: Claim) -> None:
    """Mark a part as done, and the job with its last one.

    Raises
    ------
    ClaimLost
        Nothing of this transaction may be kept.
    """
    state = connection.execute(
        select(job.c.state).where(job.c.id == held.job_id).with_for_update()
    ).scalar_one_or_none()
    if state != "running" or not _set_part(connection, held, "done"):
        raise ClaimLost
    open_parts = connection.scalar(
        select(func.count()).where(job_part.c.job_id == held.job_id, job_part.c.state != "done")
    )
    if not open_parts:
        connection.execute(update(job).where(job.c.id == held.job_id).values(state="done", finished_at=func.now()))


def is_last(connection: Connection, held: Claim) -> bool:
    """Whether all other parts are done; until the transaction ends, no other part can end.

    Raises
    ------
    ClaimLost
        The job was cancelled, or is another holder's by now.
    """
    state = connection.execute(
        select(job.c.state).where(job.c.id == held.job_id).with_for_update()
    ).scalar_one_or_none()
    if state != "running" or not _set_part(connection, held, "running"):
        raise ClaimLost
    others = select(func.count()).where(
        job_part.c.job_id == held.job_id, job_part.c.number != held.number, job_part.c.state != "done"
    )
    return not connection.scalar(others)


def fail(connection: Connection, held: Claim, *, reason: str, reference: str | None) -> bool:
    """Mark a part and with it the job as failed; False where the part is not held any more."""
    state = connection.execute(
        select(job.c.state).where(job.c.id == held.job_id).with_for_update()
    ).scalar_one_or_none()
    if state != "running" or not _set_part(connection, held, "failed"):
        return False
    connection.execute(
        update(job)
        .where(job.c.id == held.job_id)
        .values(state="failed", reason=reason, reference=reference, finished_at=func.now())
    )
    return True


def release(connection: Connection, held: Claim) -> None:
    """Put a part back, for somebody else to take up at once."""
    _set_part(connection, held, "queued", sent_at=None)


def cancel(connection: Connection, job_id: UUID) -> bool:
    """End a job that is not finished; what is stored stays. False where there was nothing to end."""
    ended = connection.execute(
        update(job)
        .where(job.c.id == job_id, job.c.state.in_(UNFINISHED))
        .values(state="cancelled", finished_at=func.now())
    )
    return bool(ended.rowcount)


def revive(connection: Connection, job_id: UUID) -> bool:
    """Queue what a failed or cancelled job still lacks; False where it is neither."""
    revived = connection.execute(
        update(job)
        .where(job.c.id == job_id, job.c.state.in_(("failed", "cancelled")))
        .values(state="queued", started_at=None, finished_at=None, reason=None, reference=None)
    )
    if not revived.rowcount:
        return False
    connection.execute(
        update(job_part)
        .where(job_part.c.job_id == job_id, job_part.c.state != "done")
        # The token rises on: whoever still computes for the ended job must not pass for the new holder.
        .values(state="queued", sent_at=None, takeovers=0)
    )
    _finish_if_complete(connection, job_id)
    return True


def delete_all(connection: Connection) -> None:
    """Delete for good all jobs of the organisation that the transaction runs for; what they computed goes first."""
    connection.execute(delete(job))


def queued_parts(connection: Connection, job_id: UUID) -> tuple[int, ...]:
    """Give the numbers of the parts that nobody has taken up."""
    query = select(job_part.c.number).where(job_part.c.job_id == job_id, job_part.c.state == "queued")
    return tuple(connection.execute(query.order_by(job_part.c.number)).scalars())


def mark_sent(connection: Connection, job_id: UUID, numbers: Sequence[int]) -> None:
    """Note that messages for these parts were sent now."""
    connection.execute(
        update(job_part).where(job_part.c.job_id == job_id, job_part.c.number.in_(numbers)).values(sent_at=func.now())
    )


def mark_unsent(connection: Connection, job_id: UUID, numbers: Sequence[int]) -> None:
    """Note that messages for these parts are still to be sent."""
    connection.execute(
        update(job_part).where(job_part.c.job_id == job_id, job_part.c.number.in_(numbers)).values(sent_at=None)
    )


def owed(connection: Connection, *, resend_after_s: float, most: int) -> tuple[Owed, ...]:
    """List parts of all organisations that nobody works on: the one look across tenants.

    Parameters
    ----------
    connection : Connection
        The gate's, in a transaction for no organisation.
    resend_after_s : float
        A queued part is owed when its message is older [s] or dated in the future; a running one when its holder is
        silent.
    most : int
        How many are listed.
    """
    rows = connection.execute(
        text("SELECT org_id, job_id, kind, number FROM owed_parts(:resend, :silent, :most)"),
        {"resend": resend_after_s, "silent": LEASE_S, "most": most},
    )
    return tuple(Owed(**row) for row in rows.mappings())


def _set_part(connection: Connection, held: Claim, state: str, **more: object) -> bool:
    held_still = update(job_part).where(
        job_part.c.job_id == held.job_id,
        job_part.c.number == held.number,
        job_part.c.attempt == held.attempt,
        job_part.c.state == "running",
    )
    changed = connection.execute(held_still.values(state=state, heartbeat_at=func.now(), **more))
    return bool(changed.rowcount)


def _finish_if_complete(connection: Connection, job_id: UUID) -> None:
    """End a job at once if it was cancelled between its last part and its end."""
    open_parts = connection.scalar(select(func.count()).where(job_part.c.job_id == job_id, job_part.c.state != "done"))
    if not open_parts:
        connection.execute(update(job).where(job.c.id == job_id).values(state="done", finished_at=func.now()))
