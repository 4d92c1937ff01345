"""Routes of benchmark runs under /api/v1: quote, approval, progress, results."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Depends, Query, Response

from stowage.features.benchmarks import run_quotes, run_results, runs
from stowage.features.benchmarks.schemas import (
    LOG_SHOWN,
    Approval,
    NewRun,
    QuoteAnswer,
    RerankingAnswer,
    RunAnswer,
    RunComparisonAnswer,
    RunListAnswer,
    RunLogAnswer,
    RunRequest,
)
from stowage.features.measurements.schemas import KeptAnswer
from stowage.runs.run import RunState
from stowage.web.admission import Person, needs
from stowage.web.following import EventStream, News, followed, news
from stowage.web.parameters import Cursor, OnceOnly, PageLimit
from stowage.web.responses import CONFLICT, OVER_QUOTA, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["runs"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("runs.read")]
Writing = Annotated[TeamServices, needs("runs.write")]
Approving = Annotated[TeamServices, needs("runs.approve")]


@router.post("/runs/quote")
def quote_run(asked: RunRequest, services: Writing) -> QuoteAnswer:
    """Return the quote of a run, with the saved plans that would benefit from its results. Nothing is stored."""
    return run_quotes.quote_run(
        services.database, services.org_id, asked, pace=services.outside.pace, now=datetime.now(UTC)
    )


@router.post("/runs", status_code=201, responses=CONFLICT)
def create_run(new: NewRun, services: Writing, response: Response, key: OnceOnly = None) -> RunAnswer:
    """Store a run with its quote. Nothing is launched until a person approves it."""
    run = runs.create_run(
        services.database,
        services.org_id,
        new,
        run_id=key or uuid4(),
        pace=services.outside.pace,
        person=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return run


@router.get("/runs")
def list_runs(
    services: Reading,
    limit: PageLimit = 50,
    cursor: Cursor = None,
    state: RunState | None = None,
) -> RunListAnswer:
    """List runs, newest first."""
    return runs.list_runs(services.database, services.org_id, state=state, limit=limit, cursor=cursor)


@router.get("/runs/compare")
def compare_runs(
    services: Reading,
    ids: Annotated[str, Query(max_length=400, description="Of two to eight runs, with commas between them.")],
) -> RunComparisonAnswer:
    """Compare the results of several runs."""
    return run_results.compare_runs(services.database, services.org_id, ids)


@router.get("/runs/{run_id}")
def read_run(run_id: UUID, services: Reading) -> RunAnswer:
    """Return a run with its nodes, results and log."""
    return runs.read_run(services.database, services.org_id, run_id, datetime.now(UTC))


@router.get("/runs/{run_id}/log")
def read_run_log(
    run_id: UUID,
    services: Reading,
    after: Annotated[int, Query(ge=0, le=2**62, description="Id of the last entry that is known.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = LOG_SHOWN,
) -> RunLogAnswer:
    """Return a page of a run's log, oldest entry first."""
    return runs.read_log(services.database, services.org_id, run_id, after=after, limit=limit)


async def _heard(run_id: UUID, services: Reading) -> AsyncIterator[News]:
    async with news(run_id, services) as heard:
        yield heard


@router.get("/runs/{run_id}/events", responses=OVER_QUOTA, response_class=EventStream)
def run_events(
    run: Annotated[RunAnswer, Depends(read_run)], heard: Annotated[News, Depends(_heard)], services: Reading
) -> EventStream:
    """Stream the progress of a run. Each event is the complete run, so a reconnect loses nothing.

    The stream ends with the event that reports the end of the run.
    """

    def read() -> RunAnswer:
        return runs.read_run(services.database, services.org_id, run.id, datetime.now(UTC))

    return followed("run", read, heard, services)


@router.post("/runs/{run_id}/approve", responses=CONFLICT)
def approve_run(run_id: UUID, approval: Approval, _person: Person, services: Approving) -> RunAnswer:
    """Approve the quote of a run; a worker then launches the run.

    Only a person can approve, and only the exact quoted amount.
    """
    return runs.approve_run(
        services.database,
        services.org_id,
        services.queue,
        run_id,
        approval,
        by=services.actor.name,
        now=datetime.now(UTC),
    )


@router.post("/runs/{run_id}/cancel", responses=CONFLICT)
def cancel_run(run_id: UUID, services: Writing) -> RunAnswer:
    """Cancel a run. Its AWS resources are removed; its results are kept."""
    return runs.cancel_run(
        services.database, services.org_id, services.queue, run_id, by=services.actor.name, now=datetime.now(UTC)
    )


@router.post("/runs/{run_id}/accept", responses=CONFLICT | OVER_QUOTA)
def accept_run(run_id: UUID, services: Writing) -> KeptAnswer:
    """Store the results of a run as measurements, and recompute the team's profiles.

    A repeated call changes nothing.
    """
    return run_results.accept_run(
        services.database, services.org_id, services.queue, run_id, person=services.actor.name, now=datetime.now(UTC)
    )


@router.get("/runs/{run_id}/reranking")
def rerank_by_run(run_id: UUID, services: Reading) -> RerankingAnswer:
    """Return the changes that a run's accepted results made in the newest saved plans."""
    return run_results.rerank_by_run(services.database, services.org_id, run_id)
