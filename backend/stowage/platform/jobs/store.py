"""Queries of background jobs, whose parts any worker can claim at any time.

The claim of a worker on a part is valid while the worker stores heartbeats. The number of the attempt is its fencing
token. A worker can lose its claim, by missing heartbeats or because the job was cancelled. It detects the loss at its
next heartbeat, in the same transaction that would have stored its results. Times are those of the database.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Connection, Integer, and_, case, cast, delete, func, not_, or_, select, text, update
from sqlalchemy import insert as insert_into

from stowage.frozen import frozen
from stowage.model.job import JobKind, JobState
from stowage.platform.database.rows import Rows, read_rows, seconds_from_now
from stowage.platform.database.tables import job, job_part
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.heartbeats import ClaimLost as ClaimLost  # noqa: PLC0414 - raised by these queries
from stowage.platform.jobs.job import Job, NewJob

UNFINISHED: tuple[JobState, ...] = ("queued", "running")

LEASE_S = 5.0
"""Time without a heartbeat after which a part is requeued [s]."""

MOST_TAKEOVERS = 5
"""Takeovers after which a part is considered to crash its workers."""


@frozen
class Claim:
    """A worker's claim on a job part."""

    job_id: UUID
    number: int
    attempt: int
    """Distinguishes this claim from earlier ones."""
    takeovers: int
    """Number of earlier claims that ended for lack of heartbeats."""


@frozen
class OpenJobs:
    """Jobs of one kind that have not ended."""

    kind: JobKind
    queued: int
    running: int
    units_left: int
    """Units of all these jobs that are not done, like cells of sweeps."""


_JOBS = Rows(job, Job, noun="job")
get, demand, get_all = _JOBS.get, _JOBS.demand, _JOBS.get_all


def insert(connection: Connection, new: NewJob, parts: int = 1) -> None:
    """Store a job and its parts, which are all queued."""
    _JOBS.store(connection, new, state="queued", done=0)
    connection.execute(
        insert_into(job_part),
        [{"job_id": new.id, "number": number, "state": "queued", "attempt": 0} for number in range(parts)],
    )


def claim(connection: Connection, job_id: UUID, number: int) -> Claim | None:
    """Claim a part of a job.

    Returns None if the part is finished or has a valid claim, or if the job has ended. A heartbeat dated more than a
    lease ahead is invalid: the clock was set back after it was stored.
    """
    silent = not_(job_part.c.heartbeat_at.between(seconds_from_now(-LEASE_S), seconds_from_now(LEASE_S)))
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
        started_at = func.coalesce(job.c.started_at, func.now())
        _JOBS.change(connection, job_id, {"state": "running", "started_at": started_at})
    return Claim(job_id, number, taken.attempt, taken.takeovers)


def advance(connection: Connection, held: Claim, units: int) -> None:
    """Store a heartbeat of a claim, and update the job's count of results.

    The results of this transaction are added to the count.

    Parameters
    ----------
    connection : Connection
    held : Claim
    units : int
        Units of work with results in this transaction.

    Raises
    ------
    ClaimLost
        The job has ended, or another worker has claimed the part; the transaction must be rolled back.
    """
    # Always the job before its part, as everywhere: transactions that lock both cannot block each other.
    running = _JOBS.change(connection, held.job_id, {"done": job.c.done + units}, job.c.state == "running")
    if not running or not _set_part(connection, held, "running"):
        raise ClaimLost


def finish(connection: Connection, held: Claim) -> None:
    """Mark a job part as done.

    The job is marked as done too if all its parts are done.

    Raises
    ------
    ClaimLost
        The job has ended, or another worker has claimed the part; the transaction must be rolled back.
    """
    if not _set_part_of_running(connection, held, "done"):
        raise ClaimLost
    _finish_if_complete(connection, held.job_id)


def is_last(connection: Connection, held: Claim) -> bool:
    """Check whether all other parts of the job are done.

    The job is locked, so that no other part can end before the transaction does.

    Raises
    ------
    ClaimLost
        The job was cancelled, or another worker has claimed the part.
    """
    if not _set_part_of_running(connection, held, "running"):
        raise ClaimLost
    others = select(func.count()).where(
        job_part.c.job_id == held.job_id, job_part.c.number != held.number, job_part.c.state != "done"
    )
    return not connection.scalar(others)


def fail(connection: Connection, held: Claim, *, reason: str, reference: str | None) -> bool:
    """Mark a job part and its job as failed.

    Returns False if the claim was lost.
    """
    if not _set_part_of_running(connection, held, "failed"):
        return False
    ended = {"state": "failed", "reason": reason, "reference": reference, "finished_at": func.now()}
    _JOBS.change(connection, held.job_id, ended)
    return True


def release(connection: Connection, held: Claim) -> None:
    """Release the claim on a job part, and requeue the part.

    Another worker can then claim it immediately.
    """
    _set_part(connection, held, "queued", sent_at=None)


def cancel(connection: Connection, job_id: UUID) -> bool:
    """Cancel an unfinished job.

    Its stored results stay. Returns False if the job had already ended.
    """
    ended = {"state": "cancelled", "finished_at": func.now()}
    return _JOBS.change(connection, job_id, ended, job.c.state.in_(UNFINISHED))


def revive(connection: Connection, job_id: UUID) -> bool:
    """Requeue the unfinished parts of a failed or cancelled job.

    Returns False for a job in any other state.
    """
    values = {"state": "queued", "started_at": None, "finished_at": None, "reason": None, "reference": None}
    if not _JOBS.change(connection, job_id, values, job.c.state.in_(("failed", "cancelled"))):
        return False
    connection.execute(
        update(job_part)
        .where(job_part.c.job_id == job_id, job_part.c.state != "done")
        # The attempt is not reset: a worker that still computes for the ended job must not pass for the new one.
        .values(state="queued", sent_at=None, takeovers=0)
    )
    _finish_if_complete(connection, job_id)
    return True


def delete_all(connection: Connection) -> None:
    """Delete all jobs of the transaction's organisation permanently.

    The caller must have deleted their results.
    """
    connection.execute(delete(job))


def open_jobs(connection: Connection) -> tuple[OpenJobs, ...]:
    """Return the team's open jobs, by kind."""
    counted = func.count()
    asked = (
        select(
            job.c.kind,
            counted.filter(job.c.state == "queued").label("queued"),
            counted.filter(job.c.state == "running").label("running"),
            cast(func.sum(job.c.total - job.c.done), Integer).label("units_left"),
        )
        .where(job.c.state.in_(("queued", "running")))
        .group_by(job.c.kind)
        .order_by(job.c.kind)
    )
    return read_rows(connection, asked, OpenJobs)


def queued_parts(connection: Connection, job_id: UUID) -> tuple[int, ...]:
    """Return the numbers of the queued parts of a job."""
    query = select(job_part.c.number).where(job_part.c.job_id == job_id, job_part.c.state == "queued")
    return tuple(connection.execute(query.order_by(job_part.c.number)).scalars())


def mark_sent(connection: Connection, job_id: UUID, numbers: Sequence[int], *, sent: bool = True) -> None:
    """Store that the messages for parts of a job were sent now, or that they were not sent."""
    which = job_part.c.job_id == job_id, job_part.c.number.in_(numbers)
    connection.execute(update(job_part).where(*which).values(sent_at=func.now() if sent else None))


def owed(connection: Connection, *, resend_after_s: float, most: int) -> tuple[Part, ...]:
    """List stale parts of unfinished jobs of all organisations, whose messages must be sent again.

    No other query in this module crosses tenants.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction without an organisation.
    resend_after_s : float
        A queued part is stale if its message is older than this [s], or dated in the future. A running part is stale
        if it lacks heartbeats.
    most : int
        Maximum length of the list.
    """
    query = text("SELECT org_id, job_id, kind, number FROM owed_parts(:resend, :silent, :most)")
    return read_rows(connection, query.bindparams(resend=resend_after_s, silent=LEASE_S, most=most), Part)


def _set_part_of_running(connection: Connection, held: Claim, state: str) -> bool:
    """Lock a running job and set the state of its part.

    Returns False if the job does not run or the claim was lost.
    """
    locked = select(job.c.state).where(job.c.id == held.job_id).with_for_update()
    return connection.scalar(locked) == "running" and _set_part(connection, held, state)


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
    """Mark a job as done if all its parts are done.

    This also finishes a job that was cancelled after its last part.
    """
    open_parts = connection.scalar(select(func.count()).where(job_part.c.job_id == job_id, job_part.c.state != "done"))
    if not open_parts:
        _JOBS.change(connection, job_id, {"state": "done", "finished_at": func.now()})
