"""Whether the service lives, and whether it can work: for balancers, containers and people.

Neither answer names a host, an address or an error's text: anybody may ask. The log tells more.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Any, Generic, Literal, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict

import stowage
from stowage.api.admission import public
from stowage.api.services import Services
from stowage.store.migration import is_migrated

log = logging.getLogger(__name__)

PATIENCE_S = 2.0
"""How long readiness waits for what it asks, all of it together."""

_SILENT = {
    "sweeps": ("worker", "sweeps and uploads wait until a worker runs"),
    "quick": ("worker-quick", "short jobs, and parts that are owed, wait until a worker runs"),
    "refresh": ("worker-refresh", "the catalogue is not refreshed until a worker runs"),
    "runs": ("worker-runs", "benchmark runs are not moved on until a worker runs; their nodes end themselves in time"),
    "scheduler": ("scheduler", "what was lost on the way is not sent again until a scheduler runs"),
}
"""Who gives signs of life; the part's name, and what its silence means."""

PartStatus = Literal["ok", "note", "failed"]

T = TypeVar("T")


class HealthAnswer(BaseModel):
    """That the service lives."""

    status: str
    version: str


class ReadinessPart(BaseModel):
    """One thing that the service needs, or that works beside it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    name: str
    status: PartStatus
    """`failed` makes the service not ready; a `note` does not: requests are answered, background jobs may wait."""
    detail: str


class ReadinessAnswer(BaseModel):
    """Whether the service can work, and what of it cannot."""

    status: Literal["ready", "not ready"]
    parts: list[ReadinessPart]


router = APIRouter(tags=["service"])
_PROBE = public("balancers and containers sign in nowhere; it tells nothing of anybody")


@router.get("/health", dependencies=[_PROBE])
async def health() -> HealthAnswer:
    """Say that the service lives. Asks nobody else, and waits for no thread: what hangs elsewhere is not this."""
    return HealthAnswer(status="ok", version=stowage.__version__)


@router.get(
    "/readiness",
    dependencies=[_PROBE],
    responses={503: {"model": ReadinessAnswer, "description": "Something needed fails"}},
)
def readiness(request: Request, response: Response) -> ReadinessAnswer:
    """Say whether the service can work: database, tables, Redis; and when workers were last seen."""
    parts = request.app.state.readiness.parts()
    if any(part.status == "failed" for part in parts):
        response.status_code = 503
        return ReadinessAnswer(status="not ready", parts=parts)
    return ReadinessAnswer(status="ready", parts=parts)


class Readiness:
    """What readiness asks, started together so that its patience is spent once.

    Parameters
    ----------
    services : Services
    """

    def __init__(self, services: Services) -> None:
        self._stopping = services.stopping
        self._migrated = _Check(lambda: is_migrated(services.database))
        self._last_seen = _Check(services.queue.last_seen)

    def parts(self) -> list[ReadinessPart]:
        """Return the state of each thing that the service needs."""
        if self._stopping.is_set():
            return [ReadinessPart(name="api", status="failed", detail="is stopping")]
        migrated, last_seen = self._migrated.begin(), self._last_seen.begin()
        asked: list[Future[Any]] = [migrated, last_seen]
        wait(asked, PATIENCE_S)
        return [*_database_parts(migrated), *_redis_parts(last_seen)]


class _Check(Generic[T]):
    """A question asked in a thread, so that whoever waits for the answer can stop waiting.

    One at a time: who asks while an answer is awaited waits for the same one. A server that hangs thus holds one
    thread, however often it is asked for.
    """

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._lock = Lock()
        self._answer: Future[T] | None = None

    def begin(self) -> Future[T]:
        with self._lock:
            if self._answer is None or self._answer.done():
                self._answer = Future()
                # A daemon: an answer that is still awaited does not hold up the end of the process.
                Thread(target=self._run, args=(self._answer,), name="readiness", daemon=True).start()
            return self._answer

    def _run(self, answer: Future[T]) -> None:
        try:
            answer.set_result(self._ask())
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            answer.set_exception(error)


def _database_parts(migrated: Future[bool]) -> list[ReadinessPart]:
    try:
        at_head = migrated.result(0)
    except Exception as error:  # noqa: BLE001 - no answer of any kind
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
    except Exception as error:  # noqa: BLE001 - no answer of any kind
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
