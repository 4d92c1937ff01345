"""The queue: messages, the Celery queue of each message, and the Celery application that sender and worker share.

A job is a row and its parts are rows (`store`). A message only announces that a part waits; `fair_queue` chooses
the part. A lost, late or duplicate message does no harm: the row decides, and a periodic task requeues parts
whose messages were lost (`stowage.platform.jobs.jobs.requeue_stale`).
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import urlsplit
from uuid import UUID

import redis
from celery import Celery
from kombu import Queue as KombuQueue
from kombu.exceptions import OperationalError

from stowage.model.job import JobKind
from stowage.platform.jobs import fair_queue
from stowage.platform.jobs.counters import Lease, Limit, answering, held, wait_for_rate
from stowage.platform.jobs.errors import BadUrl
from stowage.platform.jobs.fair_queue import Part, Taken

log = logging.getLogger(__name__)

QueueName = Literal["periodic", "quick", "sweeps", "uploads", "refresh", "runs", "alerts"]

PERIODIC: QueueName = "periodic"
"""Queue of the scheduler's messages: requeue stale jobs, reconcile runs, sweep accounts, find due checks. No user's
request adds to it, so no user can delay it."""

QUEUES: tuple[QueueName, ...] = (PERIODIC, "quick", "sweeps", "uploads", "refresh", "runs", "alerts")
"""One queue for each kind of work, each with its own workers, so that long work, and work that waits for the network,
delays no other."""

QUEUE_OF: dict[JobKind, QueueName] = {
    "sweep": "sweeps",
    "demo": "quick",
    "refresh": "refresh",
    "upload": "uploads",
    # Its workers call servers that teams choose: they hold no AWS credentials and delay no other queue.
    "alert": "alerts",
    "account": "runs",
    "document": "quick",
}

WORK_ON_NEXT = "stowage.work_on_next"
REQUEUE_STALE = "stowage.requeue_stale"
REFRESH_IF_DUE, NOTE_CREDENTIALS = "stowage.refresh_if_due", "stowage.note_credentials"
RECONCILE_RUNS, RECONCILE_RUN = "stowage.reconcile_runs", "stowage.reconcile_run"
REAP, REAP_ACCOUNT = "stowage.reap", "stowage.reap_account"
POLL_METRICS, READ_METRICS = "stowage.poll_metrics", "stowage.read_metrics"
DELIVER_INBOXES, DELIVER_INBOX = "stowage.deliver_inboxes", "stowage.deliver_inbox"
CHECK_PLANS, CHECK_PLAN = "stowage.check_plans", "stowage.check_plan"
SEND_REPORTS = "stowage.send_reports"
REFIT_ALL, REFIT = "stowage.refit_all", "stowage.refit"

REQUEUE_EVERY_S = 2.0
REFRESH_LOOKED_FOR_EVERY_S = 30.0
RECONCILE_EVERY_S = 1.0
REAP_EVERY_S = 60.0
METRICS_EVERY_S = 60.0
CHECKS_LOOKED_FOR_EVERY_S = 60.0
REFITS_LOOKED_FOR_EVERY_S = 600.0
INBOXES_LOOKED_FOR_EVERY_S = 30.0
REPORTS_LOOKED_FOR_EVERY_S = 60.0
RESEND_CHECKS_AFTER_S = 600.0
"""Time after which a check that waits behind sweeps expires in the queue and is sent again (`due_plan_watches`)."""
SEEN_FOR_S = 60
"""Time after which a worker without heartbeats is no longer listed."""

_SOFT_LIMIT_S, _HARD_LIMIT_S = 120, 150
_LIMITS_OF: dict[QueueName, tuple[int, int]] = {"uploads": (600, 630)}
"""Soft and hard time limit of queues whose work is one large part; others have the limits above."""
_MOST_WAKES = 32
"""Largest number of wake-ups in a queue; each worker that finishes a part sends the next one."""
_VISIBILITY_S = 600
_CONNECT_TIMEOUT_S = 2.0
_SEEN = "stowage:seen:"
_NOTED = "stowage:noted:"
_EPOCH = "stowage:epoch"
_UNREACHABLE = (OperationalError, redis.RedisError, OSError)


def celery_app(redis_url: str) -> Celery:
    """Build the Celery application that sends and receives messages.

    Raises
    ------
    BadUrl
        The URL of Redis is malformed.
    """
    app = Celery("stowage", broker=_broker_url(redis_url), set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # Acknowledged when done: the messages of a dying worker are delivered again.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        task_soft_time_limit=_SOFT_LIMIT_S,
        task_time_limit=_HARD_LIMIT_S,
        task_queues=[KombuQueue(name) for name in QUEUES],
        task_create_missing_queues=False,
        task_default_queue="quick",
        # One attempt: a request must not wait for an unreachable queue; unsent parts are requeued later.
        task_publish_retry=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": _VISIBILITY_S,
            "socket_connect_timeout": _CONNECT_TIMEOUT_S,
            "socket_keepalive": True,
        },
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        beat_schedule=_schedule(),
    )
    return app


def _schedule() -> dict[str, dict[str, Any]]:
    """Return the periodic messages of the scheduler by name, in the form of Celery's `beat_schedule`."""
    return {
        "requeue stale jobs": _periodic(REQUEUE_STALE, REQUEUE_EVERY_S, expires_s=2 * REQUEUE_EVERY_S),
        "refresh if due": _periodic(REFRESH_IF_DUE, REFRESH_LOOKED_FOR_EVERY_S),
        # Runs in the worker that has the credentials; only a remark on the page depends on it.
        "note credentials": _periodic(NOTE_CREDENTIALS, REFRESH_LOOKED_FOR_EVERY_S, queue="refresh"),
        # Work across teams is done by the worker for `periodic`, which calls no external services.
        "reconcile runs": _periodic(RECONCILE_RUNS, RECONCILE_EVERY_S, expires_s=2 * RECONCILE_EVERY_S),
        "reap": _periodic(REAP, REAP_EVERY_S),
        "poll metrics": _periodic(POLL_METRICS, METRICS_EVERY_S),
        "check plans": _periodic(CHECK_PLANS, CHECKS_LOOKED_FOR_EVERY_S),
        "send reports": _periodic(SEND_REPORTS, REPORTS_LOOKED_FOR_EVERY_S),
        "refit": _periodic(REFIT_ALL, REFITS_LOOKED_FOR_EVERY_S),
        "deliver inboxes": _periodic(DELIVER_INBOXES, INBOXES_LOOKED_FOR_EVERY_S),
    }


def _periodic(
    task: str, every_s: float, *, expires_s: float | None = None, queue: QueueName = PERIODIC
) -> dict[str, Any]:
    """Build an entry of the schedule.

    Messages expire, by default after one period, so that no backlog builds up.
    """
    return {
        "task": task,
        "schedule": every_s,
        "options": {"queue": queue, "expires": every_s if expires_s is None else expires_s},
    }


@contextmanager
def _unless_unreachable(failure: str) -> Iterator[None]:
    """Log a warning, and leave the block, if Redis is unreachable."""
    try:
        yield
    except _UNREACHABLE as error:
        log.warning("%s, Redis is unreachable: %s", failure, error)


class Queue:
    """Client of Redis, for the job queue, announcements of changes, heartbeats of workers, and leases.

    Parameters
    ----------
    redis_url : str
        ``redis://``, ``rediss://`` or ``unix://``.

    Raises
    ------
    BadUrl
        The URL of Redis is malformed.
    """

    __slots__ = ("_app", "_redis", "url")

    def __init__(self, redis_url: str) -> None:
        self._app = celery_app(redis_url)
        self._redis = redis.Redis.from_url(
            redis_url, socket_connect_timeout=_CONNECT_TIMEOUT_S, socket_timeout=_CONNECT_TIMEOUT_S
        )
        self.url = redis_url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, parts: Sequence[Part]) -> bool:
        """Enqueue job parts.

        Returns False if Redis is unreachable. The periodic task then sends them later.
        """
        try:
            for part in parts:
                fair_queue.put(self._redis, QUEUE_OF[part.kind], part)
            for queue in {QUEUE_OF[part.kind] for part in parts}:
                self._wake(queue)
        except _UNREACHABLE as error:
            log.warning("cannot send %d parts, Redis is unreachable: %s", len(parts), error)
            return False
        return True

    def take(self, queue: QueueName) -> Taken | None:
        """Assign the next job part to the calling worker, as `fair_queue.take` does.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        return fair_queue.take(self._redis, queue)

    def end(self, queue: QueueName, org_id: UUID, cpu_s: float) -> None:
        """Count the CPU time of a finished job part, and wake workers for waiting parts.

        Does nothing while Redis is unreachable: the periodic task wakes the workers later.
        """
        with _unless_unreachable("cannot wake workers"):
            if rest_s := fair_queue.end(self._redis, queue, org_id, cpu_s):
                self._send_wake(queue, countdown=rest_s)
            self._wake(queue)

    def rests(self, queue: QueueName, org_id: UUID) -> bool:
        """Check whether a team rests, as in `fair_queue.rests`.

        Returns False while Redis is unreachable.
        """
        try:
            return fair_queue.rests(self._redis, queue, org_id)
        except redis.RedisError:
            return False

    def cpu_time(self, org_id: UUID) -> float:
        """Return the recent CPU time of a team's job parts [s], as `fair_queue.cpu_time` does.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        return fair_queue.cpu_time(self._redis, org_id)

    def note_at_work(self, teams: Iterable[UUID]) -> None:
        """Record that teams send requests now, as `fair_queue.note_at_work` does."""
        with _unless_unreachable("cannot store the active teams"):
            fair_queue.note_at_work(self._redis, teams)

    def _wake(self, queue: QueueName) -> None:
        """Send wake-ups for waiting job parts.

        Their number is limited, so that they do not delay other messages.
        """
        missing = min(fair_queue.waiting(self._redis, queue), _MOST_WAKES) - int(self._redis.llen(queue))
        for _ in range(missing):
            self._send_wake(queue)

    def _send_wake(self, queue: QueueName, countdown: float = 0.0) -> None:
        soft_s, hard_s = _LIMITS_OF.get(queue, (_SOFT_LIMIT_S, _HARD_LIMIT_S))
        self._app.send_task(
            WORK_ON_NEXT,
            args=(queue,),
            queue=queue,
            countdown=countdown or None,
            soft_time_limit=soft_s,
            time_limit=hard_s,
        )

    def send_reconciliations(self, runs: Sequence[tuple[UUID, UUID]]) -> None:
        """Send messages to reconcile runs, as `send_each` does.

        Each run is given as a pair of team id and run id.
        """
        self.send_each(
            RECONCILE_RUN, [(str(org_id), str(run_id)) for org_id, run_id in runs], expires_s=5 * RECONCILE_EVERY_S
        )

    def send_each(
        self, task: str, arguments: Sequence[tuple[str, ...]], expires_s: float, queue: QueueName = "runs"
    ) -> bool:
        """Send messages that the caller repeats as long as they are needed.

        Returns False if Redis is unreachable.

        Parameters
        ----------
        task : str
        arguments : sequence of tuple of str
            Arguments of each message.
        expires_s : float
            Time after which a message is discarded [s]. The caller has repeated the message by then.
        queue : {'periodic', 'quick', 'sweeps', 'uploads', 'refresh', 'runs'}
            Queue that carries the messages.
        """
        try:
            for each in arguments:
                self._app.send_task(task, args=each, queue=queue, expires=expires_s)
        except _UNREACHABLE as error:
            log.warning("%s: cannot send %d messages, Redis is unreachable: %s", task, len(arguments), error)
            return False
        return True

    def announce(self, job_id: UUID) -> None:
        """Announce a change of a job, a run or a watched plan to the subscribers.

        The announcement may be lost. Correctness must not depend on it.
        """
        with _unless_unreachable("cannot announce a change"):
            self._redis.publish(channel(job_id), b"")

    def lost_everything(self) -> bool:
        """Check whether Redis has lost its data since the last call, by a restart or a flush.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        with answering():
            return bool(self._redis.set(_EPOCH, b"", nx=True))

    def waits(self, queues: Sequence[QueueName]) -> bool:
        """Check whether one of the queues has messages that no worker has received.

        Returns False if Redis is unreachable.
        """
        try:
            return any(self._redis.llen(name) for name in queues)
        except _UNREACHABLE as error:
            log.warning("cannot read the lengths of the queues, Redis is unreachable: %s", error)
            return False

    def ping(self) -> None:
        """Check that Redis answers.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        with answering():
            self._redis.ping()

    def saw(self, who: str) -> None:
        """Store a heartbeat of a worker or the scheduler."""
        with _unless_unreachable(f"cannot store the heartbeat of {who}"):
            self._redis.set(_SEEN + who, b"", ex=SEEN_FOR_S)

    def lease(self, limits: Sequence[Limit]) -> Lease:
        """Acquire a lease under each of several limits that all processes share.

        Raises
        ------
        stowage.platform.jobs.counters.Full, Unreachable
            As in `Lease.take`.
        """
        return Lease.take(self._redis, limits)

    def leases(self, key: str) -> int:
        """Return the number of active leases under a key, over all processes.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        return held(self._redis, key)

    def wait_for_rate(self, key: str, per_s: int, weight: int = 1) -> float:
        """Count a request against a rate limit, as `weight` requests.

        Returns 0 if the request was counted; else the time until another request is admitted [s].

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        return wait_for_rate(self._redis, key, per_s, weight)

    def note(self, name: str, value: str, for_s: int) -> None:
        """Share a value with the other processes for some time [s].

        The value may be lost. Correctness must not depend on it.
        """
        with _unless_unreachable(f"cannot store {name}"):
            self._redis.set(_NOTED + name, value, ex=for_s)

    def noted(self, name: str) -> str | None:
        """Return a value that a process has shared by `note`.

        Returns None if there is no such value, it has expired, or Redis is unreachable.
        """
        value = None
        with _unless_unreachable(f"cannot read {name}"):
            value = self._redis.get(_NOTED + name)
        return value.decode() if isinstance(value, bytes) else None

    def last_seen(self) -> dict[str, float]:
        """Return the time since the last heartbeat of each worker and of the scheduler [s].

        Expired heartbeats are left out.

        Raises
        ------
        Unreachable
            Redis does not answer.
        """
        with answering():
            left_ms = {who: self._redis.pttl(_SEEN + who) for who in (*QUEUES, "scheduler")}
        return {who: SEEN_FOR_S - left / 1000 for who, left in left_ms.items() if left >= 0}

    def close(self) -> None:
        """Close the connections to Redis."""
        self._app.close()
        self._redis.close()


def channel(job_id: UUID) -> str:
    """Return the name of the channel on which changes of a job are announced."""
    return f"stowage:job:{job_id}"


def _broker_url(redis_url: str) -> str:
    """Convert the URL of Redis to the form that Celery's transport accepts."""
    try:
        parts = urlsplit(redis_url)
        redis.ConnectionPool.from_url(redis_url)
    except ValueError as error:
        raise BadUrl(f"REDIS_URL: {error}") from None
    return f"redis+socket://{parts.path}" if parts.scheme == "unix" else redis_url
