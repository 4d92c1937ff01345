"""Celery's view of the work: thin bodies that hand a message to a use case."""

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid4

from celery import Celery, Task

from stowage import logs
from stowage.jobs.errors import Unreachable as NoQueue
from stowage.jobs.queue import REFRESH_IF_DUE, TEND, WORK_ON_PART, Part, Queue
from stowage.model.job import JobKind
from stowage.store.database import Database
from stowage.store.errors import Unreachable
from stowage.store.orgs import LOCAL_ORG_ID
from stowage.usecases import alerts, demo, jobs, refresh, sweeps, upload_reading
from stowage.usecases.errors import BadInput
from stowage.usecases.jobs import Held
from stowage.usecases.outside import Mailer
from stowage.usecases.refresh import Schedule

log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def _reader() -> refresh.Reader:
    # Not before it is needed: botocore takes memory that workers for sweeps have other uses for.
    from stowage_worker.aws.reader import AwsReader  # noqa: PLC0415

    return AwsReader()


def _refresh_part(held: Held) -> None:
    refresh.read_part(held, _reader())


WORKS: dict[JobKind, jobs.Work] = {
    "sweep": sweeps.compute_part,
    "demo": demo.load_part,
    "refresh": _refresh_part,
    "upload": upload_reading.read_part,
}

_CREDENTIALS_NOTED_FOR_S = 300

_MOST_RETRIES, _LONGEST_PAUSE_S = 8, 30


@dataclass(slots=True)
class Connections:
    """What one process of a worker holds open; opened in the process itself, since a fork must not share them."""

    database_url: str
    redis_url: str
    schedule: Schedule = field(default_factory=Schedule)
    gate_url: str | None = None
    """Where nothing is tended, None."""
    mail: Mailer | None = None
    page: str | None = None
    """Where people reach the page, without a slash at its end."""
    _database: Database | None = None
    _gate: Database | None = None
    _queue: Queue | None = None

    @property
    def database(self) -> Database:
        """The database, as the application's role."""
        if self._database is None:
            self._database = Database(self.database_url, pool_size=1)
        return self._database

    @property
    def gate(self) -> Database:
        """The database, as the role that may look across teams."""
        if self.gate_url is None:
            raise RuntimeError("GATE_DATABASE_URL is not set: this worker cannot look for what is owed")
        if self._gate is None:
            self._gate = Database(self.gate_url, pool_size=1)
        return self._gate

    @property
    def queue(self) -> Queue:
        """The sending end of the queue."""
        if self._queue is None:
            self._queue = Queue(self.redis_url)
        return self._queue

    def works(self) -> dict[JobKind, jobs.Work]:
        """Give all kinds of work, those that tell somebody outside among them."""
        return {**WORKS, "alert": self._send_alert}

    def _send_alert(self, held: Held) -> None:
        # Not before it is needed, as above.
        from stowage_worker.webhooks import HttpsWebhooks  # noqa: PLC0415

        alerts.send_part(held, self.mail, HttpsWebhooks(), page=self.page)

    def close(self) -> None:
        """Close what was opened."""
        for database in (self._database, self._gate):
            if database is not None:
                database.close()
        if self._queue is not None:
            self._queue.close()


def register(app: Celery, connections: Connections) -> None:
    """Teach an application its tasks."""

    @app.task(
        name=WORK_ON_PART,
        bind=True,
        autoretry_for=(Unreachable,),
        max_retries=_MOST_RETRIES,
        retry_backoff=True,
        retry_backoff_max=_LONGEST_PAUSE_S,
    )
    def work_on_part(_task: Task[..., None], org_id: str, job_id: str, kind: JobKind, number: int) -> None:
        part = Part(UUID(org_id), UUID(job_id), kind, number)
        with logs.job_context(part.org_id, part.job_id, number):
            jobs.work_on_part(connections.database, connections.queue, part, connections.works(), time.monotonic)

    @app.task(name=TEND)
    def tend() -> None:
        try:
            jobs.tend(connections.gate, connections.database, connections.queue)
        except (Unreachable, NoQueue) as error:
            # In two seconds it is tried again.
            log.warning("owed parts were not looked for: %s", error)

    @app.task(name=REFRESH_IF_DUE)
    def refresh_if_due() -> None:
        note_credentials(connections.queue)
        ids = refresh.NewIds(uuid4(), uuid4())
        now = datetime.now(UTC)
        try:
            refresh.refresh_if_due(
                connections.database, LOCAL_ORG_ID, connections.queue, connections.schedule, ids=ids, now=now
            )
        except (Unreachable, BadInput) as error:
            log.warning("no refresh of the catalogue was started: %s", error)


def note_credentials(queue: Queue) -> None:
    """Tell the other processes whether this one finds credentials for AWS."""
    from stowage_worker.aws.session import has_credentials  # noqa: PLC0415 - as above

    queue.note(refresh.CREDENTIALS, "found" if has_credentials() else "missing", _CREDENTIALS_NOTED_FOR_S)
