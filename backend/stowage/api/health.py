"""Routes for health and readiness, for load balancers, containers and operators.

They need no sign-in, so no response contains a host, an address or the text of an error. The log has the details.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Any, Generic, Literal, TypeVar

from fastapi import Request, Response
from pydantic import BaseModel

import stowage
from stowage.platform.database.migration import is_migrated
from stowage.platform.described import Described
from stowage.web.admission import public
from stowage.web.router import ApiRouter
from stowage.web.services import Services

log = logging.getLogger(__name__)

PATIENCE_S = 2.0
"""Time limit for all checks of one request together [s]."""

_SILENT = {
    "sweeps": ("worker", "sweeps and uploads wait until a worker runs"),
    "periodic": ("worker-periodic", "lost jobs are not requeued and runs are not reconciled until a worker runs"),
    "quick": ("worker-quick", "short jobs wait until a worker runs"),
    "refresh": ("worker-refresh", "the catalog is not refreshed until a worker runs"),
    "runs": ("worker-runs", "benchmark runs are not reconciled until a worker runs; nodes terminate at the deadline"),
    "alerts": ("worker-alerts", "alerts are not sent by mail or webhook until a worker runs"),
    "scheduler": ("scheduler", "lost messages are not sent again until a scheduler runs"),
}
"""Name and consequence of a missing heartbeat, by worker."""

PartStatus = Literal["ok", "note", "failed"]

T = TypeVar("T")


class HealthAnswer(BaseModel):
    """Liveness of the service: the API process answers."""

    status: str
    version: str


class ReadinessPart(Described):
    """A dependency of the service, or one of its workers."""

    name: str
    status: PartStatus
    """`failed` makes the service not ready; a `note` does not: requests are answered, background jobs may wait."""
    detail: str


class ReadinessAnswer(BaseModel):
    """Readiness of the service to handle requests, and the state of each part."""

    status: Literal["ready", "not ready"]
    parts: list[ReadinessPart]


router = ApiRouter(tags=["service"])
_PROBE = public("load balancers and containers do not sign in; the answer holds no data of users")


@router.get("/health", dependencies=[_PROBE])
async def health() -> HealthAnswer:
    """Return the fixed status of a process that answers.

    Other services are not checked.
    """
    return HealthAnswer(status="ok", version=stowage.__version__)


@router.get(
    "/readiness",
    dependencies=[_PROBE],
    responses={503: {"model": ReadinessAnswer, "description": "A dependency fails"}},
)
def readiness(request: Request, response: Response) -> ReadinessAnswer:
    """Return the state of the database, its tables, Redis and the workers."""
    parts = request.app.state.readiness.parts()
    if any(part.status == "failed" for part in parts):
        response.status_code = 503
        return ReadinessAnswer(status="not ready", parts=parts)
    return ReadinessAnswer(status="ready", parts=parts)


class Readiness:
    """Checks of the dependencies, whose results determine whether the service is ready.

    The checks run concurrently, within one time limit.
    """

    def __init__(self, services: Services) -> None:
        self._stopping = services.stopping
        self._migrated = _Check(lambda: is_migrated(services.database))
        self._last_seen = _Check(services.queue.last_seen)

    def parts(self) -> list[ReadinessPart]:
        """Return the state of each dependency and of each worker."""
        if self._stopping.is_set():
            return [ReadinessPart(name="api", status="failed", detail="is stopping")]
        migrated, last_seen = self._migrated.begin(), self._last_seen.begin()
        asked: list[Future[Any]] = [migrated, last_seen]
        wait(asked, PATIENCE_S)
        return [*_database_parts(migrated), *_redis_parts(last_seen)]


class _Check(Generic[T]):
    """A check of one dependency that runs in a thread, so that a caller can stop waiting for its result.

    Concurrent callers share one run of the check. So a dependency that hangs blocks only one thread.
    """

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._lock = Lock()
        self._answer: Future[T] | None = None

    def begin(self) -> Future[T]:
        with self._lock:
            if self._answer is None or self._answer.done():
                self._answer = Future()
                # A daemon thread does not delay the exit of the process.
                Thread(target=self._run, args=(self._answer,), name="readiness", daemon=True).start()
            return self._answer

    def _run(self, answer: Future[T]) -> None:
        try:
            answer.set_result(self._ask())
        except Exception as error:  # noqa: BLE001 - any error is the result
            answer.set_exception(error)


def _database_parts(migrated: Future[bool]) -> list[ReadinessPart]:
    try:
        at_head = migrated.result(0)
    except Exception as error:  # noqa: BLE001 - any error means no answer
        log.warning("not ready, the database does not answer: %s", str(error) or "too late")
        return [
            ReadinessPart(name="database", status="failed", detail="does not answer"),
            ReadinessPart(name="migrations", status="failed", detail="not known: the database does not answer"),
        ]
    tables = (
        ReadinessPart(name="migrations", status="ok", detail="the tables are of this version")
        if at_head
        else ReadinessPart(name="migrations", status="failed", detail="the tables are not of this version: migrate")
    )
    return [ReadinessPart(name="database", status="ok", detail="answers"), tables]


def _redis_parts(last_seen: Future[dict[str, float]]) -> list[ReadinessPart]:
    try:
        seen = last_seen.result(0)
    except Exception as error:  # noqa: BLE001 - any error means no answer
        log.warning("not ready, Redis does not answer: %s", str(error) or "too late")
        redis = ReadinessPart(name="redis", status="failed", detail="does not answer")
        unknown = "not known: Redis does not answer"
        return [redis, *(ReadinessPart(name=name, status="note", detail=unknown) for name, _ in _SILENT.values())]
    parts = [ReadinessPart(name="redis", status="ok", detail="answers")]
    for who, (name, silence) in _SILENT.items():
        if who in seen:
            parts.append(ReadinessPart(name=name, status="ok", detail=f"last seen {seen[who]:.0f} s ago"))
        else:
            parts.append(ReadinessPart(name=name, status="note", detail=f"not seen lately: {silence}"))
    return parts
