"""Background jobs: reading, cancelling and retrying them, working on their parts, and requeueing stale parts.

A repeated call has no second effect: the state of a part is in its row, and only the worker that has claimed the part
can change the row.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from uuid import UUID, uuid4

from stowage.frozen import frozen
from stowage.model.job import JobKind
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.jobs import store
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.heartbeats import heartbeats
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.queue import Queue

log = logging.getLogger(__name__)

RESEND_AFTER_S = 15.0
"""Age at which an unprocessed message is sent again [s]; a duplicate message does no harm."""

_MOST_OWED = 500
_BEAT_EVERY_S = 1.0
_GOES_ON_IN_TIME: tuple[JobKind, ...] = ("refresh",)
"""Kinds of jobs whose parts store their progress: a part that runs out of time is resumed, and does not fail."""


@frozen
class ClaimedPart:
    """A job part that a worker has claimed, and the objects that the worker needs to process it."""

    database: Database
    queue: Queue
    org_id: UUID
    job: Job
    """The job at the time of the claim."""
    claim: store.Claim
    clock: Callable[[], float]
    """Monotonic seconds."""


Work = Callable[[ClaimedPart], None]
"""Processes a part of a job and marks it as done; raises `store.ClaimLost` if its claim was lost."""


class CannotGoOn(Exception):
    """A job cannot be finished. The message has the reason and what to do."""


def read_job(database: Database, org_id: UUID, job_id: UUID) -> Job:
    """Return a job of the team.

    Raises
    ------
    NotFound
        There is no such job, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        return store.demand(connection, job_id)


def kind_of(database: Database, org_id: UUID, job_id: UUID) -> JobKind | None:
    """Return the kind of a job.

    Returns None if the job does not exist or is another team's.
    """
    with database.transaction(org_id) as connection:
        job = store.get(connection, job_id)
    return None if job is None else job.kind


def cancel_job(database: Database, org_id: UUID, queue: Queue, job_id: UUID) -> Job:
    """Cancel a job.

    Its stored results stay. A job that has ended is unchanged.

    Raises
    ------
    NotFound
        There is no such job, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        store.cancel(connection, job_id)
    answer = read_job(database, org_id, job_id)
    queue.announce(job_id)
    return answer


def retry_job(
    database: Database,
    org_id: UUID,
    queue: Queue,
    job_id: UUID,
    check: Callable[[Connection, Job], None] | None = None,
) -> Job:
    """Resume a failed or cancelled job where it stopped.

    A job in any other state is unchanged.

    Parameters
    ----------
    database : Database
    org_id : UUID
    queue : Queue
    job_id : UUID
    check : callable, optional
        Raises an error if a failed or cancelled job cannot be resumed; runs in the same transaction.

    Raises
    ------
    NotFound
        There is no such job, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        job = store.get(connection, job_id)
        if check is not None and job is not None and job.state in {"failed", "cancelled"}:
            check(connection, job)
        revived = store.revive(connection, job_id)
    answer = read_job(database, org_id, job_id)
    if revived:
        # Even if the job is running again: a worker may have claimed one part by an old message that was still queued.
        enqueue(database, org_id, queue, job_id, answer.kind)
    queue.announce(job_id)
    return answer


def enqueue(database: Database, org_id: UUID, queue: Queue, job_id: UUID, kind: JobKind) -> None:
    """Send messages for the queued parts of a job.

    Call this after the data that the parts need was committed. If Redis is unreachable, `requeue_stale` sends the
    messages later.
    """
    with database.transaction(org_id) as connection:
        numbers = store.queued_parts(connection, job_id)
        # Before they are sent: a message that is sent twice costs more than one that is sent late.
        store.mark_sent(connection, job_id, numbers)
    if not queue.send([Part(org_id, job_id, kind, number) for number in numbers]):
        with database.transaction(org_id) as connection:
            store.mark_sent(connection, job_id, numbers, sent=False)


def work_on_part(
    database: Database, queue: Queue, part: Part, works: Mapping[JobKind, Work], clock: Callable[[], float]
) -> None:
    """Claim and process a job part.

    Does nothing if the part is done, or if another worker has claimed it. An exception fails the job, with a reason and
    a reference; the job's earlier results stay. An exception is ignored if the team was deleted meanwhile.

    Raises
    ------
    Unreachable
        The connection to the database was lost; the part will be requeued.
    """
    with database.transaction(part.org_id) as connection:
        claim = store.claim(connection, part.job_id, part.number)
        job = None if claim is None else store.get(connection, part.job_id)
    if claim is None or job is None:
        return
    queue.announce(job.id)
    try:
        if claim.takeovers >= store.MOST_TAKEOVERS:
            words = f"Workers ended, or ran out of time, {claim.takeovers} times in the same part."
            _fail(database, part, claim, words)
        else:
            started = clock()
            works[part.kind](ClaimedPart(database, queue, part.org_id, job, claim, clock))
            log.info("part done", extra={"duration_s": round(clock() - started, 3)})
    except store.ClaimLost:
        log.info("part %d of job %s was claimed by another worker", part.number, part.job_id)
    except Unreachable:
        raise
    except CannotGoOn as error:
        _fail(database, part, claim, str(error))
    except Exception as error:
        if _is_gone(database, part):
            log.info("part %d of job %s was deleted with its team", part.number, part.job_id)
            return
        if is_out_of_time(error) and part.kind in _GOES_ON_IN_TIME:
            # The claim stays without heartbeats: the part is requeued in a few seconds, and counted as a takeover.
            log.warning("part %d of job %s reached the time limit and will be continued", part.number, part.job_id)
            return
        reference = uuid4().hex[:12]
        log.exception("reference %s: part %d of job %s failed", reference, part.number, part.job_id)
        _fail(database, part, claim, _reason(error), reference)
    queue.announce(job.id)


def requeue_stale(gate: Database, database: Database, queue: Queue) -> int:
    """Requeue stale job parts of all teams.

    A part is stale if its message was lost, or if its worker sends no heartbeats.

    Parameters
    ----------
    gate : Database
        Database as the auth role, which may read the stale parts of all teams, and little more.
    database : Database
    queue : Queue

    Returns
    -------
    int
        Number of messages that were sent.
    """
    resend_after_s = 0.0 if queue.lost_everything() else RESEND_AFTER_S
    with gate.transaction(None) as connection:
        owed = store.owed(connection, resend_after_s=resend_after_s, most=_MOST_OWED)
    by_job: dict[tuple[UUID, UUID], list[Part]] = defaultdict(list)
    for part in owed:
        by_job[part.org_id, part.job_id].append(part)
    for (org_id, job_id), parts in by_job.items():
        with database.transaction(org_id) as connection:
            store.mark_sent(connection, job_id, [part.number for part in parts])
        queue.send(parts)
        log.info("requeued %d parts of job %s", len(parts), job_id)
    return len(owed)


@contextmanager
def beating(claimed: ClaimedPart) -> Iterator[Event]:
    """Store heartbeats of a claim until the block ends.

    Needed if a call in the block takes longer than a lease.

    Yields
    ------
    Event
        Event that is set when the claim is lost.
    """
    with heartbeats(
        claimed.database,
        claimed.org_id,
        lambda connection: store.advance(connection, claimed.claim, 0),
        _BEAT_EVERY_S,
    ) as lost:
        yield lost


def _is_gone(database: Database, part: Part) -> bool:
    with database.transaction(part.org_id) as connection:
        return store.get(connection, part.job_id) is None


def _fail(database: Database, part: Part, claim: store.Claim, reason: str, reference: str | None = None) -> None:
    with database.transaction(part.org_id) as connection:
        store.fail(connection, claim, reason=reason, reference=reference)


def _reason(error: Exception) -> str:
    if is_out_of_time(error):
        return "A part of it took longer than it may."
    return "Something went wrong on our side."


def is_out_of_time(error: Exception) -> bool:
    """Check whether an error was raised by the soft time limit of a worker's task."""
    return type(error).__name__ == "SoftTimeLimitExceeded"
