"""Celery tasks: each passes its message to a use case."""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID

from celery import Celery

from stowage import example as demo
from stowage import logs
from stowage.catalog.schedule import Schedule
from stowage.features.activity import delivering
from stowage.features.alerts import alerts
from stowage.features.benchmarks import aws_accounts, reaping, running
from stowage.features.calibration import refitting
from stowage.features.catalog import refresh
from stowage.features.measurements import upload_reading
from stowage.features.monitoring import watching
from stowage.features.planning.watches import checking as plan_watching
from stowage.features.reports import files as report_files
from stowage.features.reports import schedules
from stowage.features.sweeps import sweeps
from stowage.model.job import JobKind
from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.database.keyring import Keyring
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.errors import BadInput
from stowage.platform.jobs import jobs
from stowage.platform.jobs.errors import Unreachable as NoQueue
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.leases import AWS_LEASES, leased
from stowage.platform.jobs.queue import (
    CHECK_PLAN,
    CHECK_PLANS,
    DELIVER_INBOX,
    DELIVER_INBOXES,
    NOTE_CREDENTIALS,
    POLL_METRICS,
    READ_METRICS,
    REAP,
    REAP_ACCOUNT,
    RECONCILE_RUN,
    RECONCILE_RUNS,
    REFIT,
    REFIT_ALL,
    REFRESH_IF_DUE,
    REQUEUE_STALE,
    SEND_REPORTS,
    WORK_ON_NEXT,
    Queue,
    QueueName,
)
from stowage.platform.outside import Mailer
from stowage.runs.cloud import Clouds
from stowage.runs.pace import Pace

log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def _reader() -> refresh.Reader:
    # Imported only when needed: botocore takes memory that workers for sweeps do not have to spare.
    from stowage_worker.aws.reader import AwsReader  # noqa: PLC0415

    return AwsReader()


@lru_cache(maxsize=1)
def _clouds() -> Clouds:
    # Imported as above. One instance per process, because it caches the credentials of assumed roles.
    from stowage_worker.aws.clouds import AwsClouds  # noqa: PLC0415

    return AwsClouds()


WORKS: dict[JobKind, jobs.Work] = {
    "sweep": sweeps.compute_part,
    "demo": demo.load_part,
    "refresh": lambda claimed: refresh.read_part(claimed, _reader()),
    "upload": upload_reading.read_part,
    "account": lambda claimed: aws_accounts.check_part(claimed, _clouds()),
}

_CREDENTIALS_NOTED_FOR_S = 300

_NOTIFIED_WITHIN_S = 5.0
"""Time limit of a delivery to the webhook of a person [s], who may have chosen a slow one."""

_MOST_RETRIES, _LONGEST_PAUSE_S = 8, 30


@dataclass(slots=True)
class Connections:
    """Connections of one worker process; opened in the process itself, since a fork must not share them."""

    database_url: str
    """Database address for the application's role."""
    redis_url: str
    schedule: Schedule = field(default_factory=Schedule)
    """Schedule of automatic catalog refreshes."""
    gate_url: str | None = None
    """Connects with the auth role; None for workers that do not serve the queue ``periodic``."""
    mail: Mailer | None = None
    """Sends notifications of changes to teams; None without mail."""
    page: str | None = None
    """Public address of the web page, without a trailing slash."""
    pace: Pace = field(default_factory=Pace)
    """Intervals and timeouts of benchmark runs."""
    keyring: Keyring | None = None
    """Encrypts secrets; None if the work needs none."""
    _database: Database | None = None
    _gate: Database | None = None
    _queue: Queue | None = None

    @property
    def database(self) -> Database:
        """Return the database, connected as the application's role."""
        if self._database is None:
            self._database = Database(self.database_url, pool_size=1, keyring=self.keyring)
        return self._database

    @property
    def gate(self) -> Database:
        """Return the database, connected as the auth role."""
        if self.gate_url is None:
            raise RuntimeError("GATE_DATABASE_URL is not set: this worker cannot look for what is owed")
        if self._gate is None:
            self._gate = Database(self.gate_url, pool_size=1)
        return self._gate

    @property
    def queue(self) -> Queue:
        """Return the connection to the queue, for sending messages."""
        if self._queue is None:
            self._queue = Queue(self.redis_url)
        return self._queue

    def works(self) -> dict[JobKind, jobs.Work]:
        """Return the function for each kind of job."""
        return {
            **WORKS,
            "alert": self._send_alert,
            "document": lambda claimed: report_files.make_part(claimed, self.page),
        }

    def _send_alert(self, claimed: ClaimedPart) -> None:
        # Imported only when needed, as above.
        from stowage_worker.webhooks import HttpsWebhooks  # noqa: PLC0415

        if not schedules.send_part(claimed, self.mail, self.page):
            alerts.send_part(claimed, self.mail, HttpsWebhooks(), page=self.page)

    def delivery(self) -> delivering.Services:
        """Return the services that deliver notifications of persons."""
        # Imported only when needed, as above.
        from stowage_worker.webhooks import HttpsWebhooks  # noqa: PLC0415

        return delivering.Services(self.mail, HttpsWebhooks(within_s=_NOTIFIED_WITHIN_S), self.page)

    def outside(self) -> running.Outside:
        """Return the database, queue, clouds, timeouts and clock that the reconciliation of runs needs."""
        return running.Outside(self.database, self.queue, _clouds(), self.pace, lambda: datetime.now(UTC))

    @contextmanager
    def aws_lease(self, org_id: UUID) -> Iterator[bool]:
        """Claim a lease for work in a team's AWS accounts, and yield whether it was granted.

        It is not granted if all leases are taken, or if the team must wait because it has used much CPU time. The CPU
        time of the work is charged to the team's share, as by `work_on_next` for parts of jobs.
        """
        if self.queue.rests("runs", org_id):
            yield False
            return
        cpu_s_before = _cpu_s()
        try:
            with leased(self.database, org_id, *AWS_LEASES) as is_leased:
                yield is_leased
        finally:
            self.queue.end("runs", org_id, _cpu_s() - cpu_s_before)

    def close(self) -> None:
        """Close all open connections."""
        for database in (self._database, self._gate):
            if database is not None:
                database.close()
        if self._queue is not None:
            self._queue.close()


def register(app: Celery, connections: Connections) -> None:
    """Register the tasks with one Celery application; other applications in the process register their own tasks."""

    @app.task(
        name=WORK_ON_NEXT,
        shared=False,
        autoretry_for=(Unreachable, NoQueue),
        max_retries=_MOST_RETRIES,
        retry_backoff=True,
        retry_backoff_max=_LONGEST_PAUSE_S,
    )
    def work_on_next(name: QueueName) -> None:
        queue = connections.queue
        taken = queue.take(name)
        if taken is None:
            return
        part = taken.part
        cpu_s_before = _cpu_s()
        try:
            with (
                logs.job_context(part.org_id, part.job_id, part.number),
                taken.held(),
                _aws_lease_for(connections, part) as is_leased,
            ):
                # Without a lease the part stays queued in its row and is sent again later.
                if is_leased:
                    jobs.work_on_part(connections.database, queue, part, connections.works(), time.monotonic)
        except Unreachable:
            queue.send([part])
            raise
        finally:
            queue.end(name, part.org_id, _cpu_s() - cpu_s_before)

    @app.task(name=REFRESH_IF_DUE, shared=False)
    def refresh_if_due() -> None:
        now = datetime.now(UTC)
        try:
            refresh.refresh_if_due(connections.database, LOCAL_ORG_ID, connections.queue, connections.schedule, now=now)
        except (Unreachable, BadInput) as error:
            log.warning("cannot start a refresh of the catalog: %s", error)

    @app.task(name=NOTE_CREDENTIALS, shared=False)
    def note_what_was_found() -> None:
        note_credentials(connections.queue)

    for task, (trouble, work) in _PERIODIC.items():
        _register_periodic(app, connections, task, trouble, work)
    _register_asked(app, connections)


_PERIODIC: Mapping[str, tuple[str, Callable[[Connections], object]]] = {
    REQUEUE_STALE: ("cannot look for stale parts", lambda to: jobs.requeue_stale(to.gate, to.database, to.queue)),
    RECONCILE_RUNS: ("runs were not looked for", lambda to: running.send_due(to.gate, to.queue)),
    REAP: ("accounts were not swept", lambda to: reaping.send_due(to.gate, to.queue)),
    POLL_METRICS: ("metrics were not looked for", lambda to: watching.send_due(to.gate, to.database, to.queue)),
    CHECK_PLANS: (
        "watched plans were not looked for",
        lambda to: plan_watching.send_due(to.gate, to.database, to.queue),
    ),
    DELIVER_INBOXES: ("notifications were not looked for", lambda to: delivering.send_due(to.gate, to.queue)),
    SEND_REPORTS: (
        "scheduled reports were not looked for",
        lambda to: schedules.start_due(to.gate, to.database, to.queue, datetime.now(UTC)),
    ),
    REFIT_ALL: ("outdated calibrations were not looked for", lambda to: refitting.send_outdated(to.gate, to.queue)),
}
"""Periodic tasks that look for due work, by name: the message if a service is unreachable, and the work.

Failed tasks are not retried: their work is due again within seconds."""


def _register_periodic(
    app: Celery, connections: Connections, name: str, trouble: str, work: Callable[[Connections], object]
) -> None:
    @app.task(name=name, shared=False)
    def look_for_due() -> None:
        with _due_again(trouble):
            work(connections)


def _register_asked(app: Celery, connections: Connections) -> None:
    """Register the tasks that do due work. Like periodic tasks they are not retried."""

    @app.task(name=RECONCILE_RUN, shared=False)
    def reconcile_run(org_id: str, run_id: str) -> None:
        with (
            logs.job_context(UUID(org_id), UUID(run_id)),
            _due_again("a run was not moved on"),
            connections.aws_lease(UUID(org_id)) as is_leased,
        ):
            if is_leased:
                running.reconcile(connections.outside(), UUID(org_id), UUID(run_id))

    @app.task(name=REAP_ACCOUNT, shared=False)
    def reap_account(org_id: str, account_id: str) -> None:
        with _due_again("an account was not swept"), connections.aws_lease(UUID(org_id)) as is_leased:
            if is_leased:
                reaping.reap(connections.outside(), UUID(org_id), UUID(account_id))

    @app.task(name=READ_METRICS, shared=False)
    def read_metrics(org_id: str) -> None:
        with _due_again("metrics were not read"), connections.aws_lease(UUID(org_id)) as is_leased:
            if is_leased:
                watching.read(connections.database, _clouds(), UUID(org_id), datetime.now(UTC))

    @app.task(name=CHECK_PLAN, shared=False)
    def check_plan(org_id: str, plan_id: str) -> None:
        now = datetime.now(UTC)
        with logs.job_context(UUID(org_id), UUID(plan_id)), _due_again("a plan was not checked"):
            plan_watching.check(connections.database, UUID(org_id), UUID(plan_id), now, time.perf_counter)
            connections.queue.announce(UUID(plan_id))

    @app.task(name=DELIVER_INBOX, shared=False)
    def deliver_inbox(org_id: str, person_id: str) -> None:
        with _due_again("notifications were not delivered"):
            services, now = connections.delivery(), datetime.now(UTC)
            delivering.deliver(connections.database, UUID(org_id), UUID(person_id), services, now)

    @app.task(name=REFIT, shared=False)
    def refit(org_id: str, framework: str) -> None:
        with _due_again("a calibration was not fitted again"):
            refitting.refit(connections.database, UUID(org_id), framework, today=datetime.now(UTC).date())


def _aws_lease_for(connections: Connections, part: Part) -> AbstractContextManager[bool]:
    """Return a context that claims a lease for a part of a job, and yields whether it was granted.

    Only parts that work in an AWS account need a lease; for other parts the context yields True.
    """
    if part.kind != "account":
        return nullcontext(enter_result=True)
    return leased(connections.database, part.org_id, *AWS_LEASES)


def _cpu_s() -> float:
    """Return the CPU time of this process and its ended children [s].

    The process works on one part at a time, so the increase during a part is the CPU time of this part.
    """
    return sum(os.times()[:4])


@contextmanager
def _due_again(what: str) -> Iterator[None]:
    try:
        yield
    except (Unreachable, NoQueue) as error:
        log.warning("%s: %s", what, error)


def note_credentials(queue: Queue) -> None:
    """Store in the queue, for other processes, whether this process finds AWS credentials."""
    from stowage_worker.aws.session import has_credentials  # noqa: PLC0415 - as above

    queue.note(refresh.CREDENTIALS, "found" if has_credentials() else "missing", _CREDENTIALS_NOTED_FOR_S)
