"""Sweeps: start, read, list, rename, delete and restore a sweep, and compute its cells.

A sweep is computed by a job of several parts, each of which has some of the cells.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any
from uuid import UUID

from stowage.features.calibration import team_knowledge
from stowage.features.planning import planning
from stowage.features.sweeps import store
from stowage.features.sweeps.schemas import (
    CellBestAnswer,
    RunnerUpAnswer,
    SweepAnswer,
    SweepCellAnswer,
    SweepListAnswer,
    SweepSummaryAnswer,
)
from stowage.features.sweeps.sweep_file import QUANTITIES, Grid, SweepFile, grid_of, stored_sweep
from stowage.frozen import frozen
from stowage.model import MODEL_VERSION
from stowage.model.choice import Objective
from stowage.platform import quotas
from stowage.platform.database.database import Database
from stowage.platform.errors import problems_at
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job, NewJob
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.paging import read_page
from stowage.workloads.answers import NearMissAnswer, PlanAnswer, RankedAnswer
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.of_catalog import TermsAnswer
from stowage.workloads.refusals import refuse_unknown

_MOST_PARTS, _MOST_CELLS_A_PART = 40, 8
_STORE_EVERY_S = 0.2
"""Time between two heartbeats [s]: how long a cancelled sweep still runs, and how much work a crash loses."""


@frozen
class NewIds:
    """Ids of a new sweep and of its job.

    The caller chooses them, so that a repeated request stores nothing twice.
    """

    sweep: UUID
    job: UUID


def start_sweep(
    database: Database, org_id: UUID, queue: Queue, file: SweepFile, *, ids: NewIds, asked_by: str, now: datetime
) -> SweepAnswer:
    """Store a sweep and queue the job that computes it; if a sweep with this id exists, it does not change.

    Raises
    ------
    BadInput
        A value of an axis or of the base workload is not accepted; nothing is stored.
    NotFound
        The id belongs to another team's sweep, or to a deleted one.
    QuotaExceeded
        The team has reached its quota of sweeps, or of sweeps in progress.
    """
    knowledge, total = check_sweep(database, org_id, file)
    request = file.model_dump(mode="json", exclude_defaults=True)
    request["base"] = file.base.written()
    sweep = store.StoredSweep(
        id=ids.sweep,
        name=file.name or _name(file),
        request=request,
        **knowledge.versions,
        job_id=ids.job,
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        quotas.lock(connection)
        if store.insert(connection, sweep):
            job = NewJob(ids.job, "sweep", ids.sweep, asked_by, now, total)
            job_store.insert(connection, job, len(_parts(total)))
            quotas.hold(connection, "sweeps", "sweeps-per-day", "open-sweeps", "open-cells", now=now)
    answer = read_sweep(database, org_id, ids.sweep)
    if answer.job.state == "queued":
        jobs.enqueue(database, org_id, queue, answer.job.id, "sweep")
    return answer


def check_sweep(database: Database, org_id: UUID, file: SweepFile) -> tuple[Knowledge, int]:
    """Check every cell of a sweep, and return what it would be computed with and its number of cells.

    Raises
    ------
    BadInput
        A value of an axis or of the base workload is not accepted.
    """
    # Loaded once for all cells, which differ at most in their region.
    source = cache(team_knowledge.stored_knowledge(database, org_id))
    knowledge = _of_first_region(file, source)
    version = knowledge.catalog.version
    grid = grid_of(file, version)
    for position, cell in enumerate(grid.cells):
        with problems_at(partial(_path_of, file, position)):
            refuse_unknown(cell, source(version, cell.place.region))
    return knowledge, len(grid.cells)


def read_sweep(database: Database, org_id: UUID, sweep_id: UUID) -> SweepAnswer:
    """Return a sweep with the cells computed so far."""
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, sweep_id)
        job = job_store.demand(connection, stored.job_id)
        cells = store.cells(connection, sweep_id)
        terms = team_knowledge.price_terms_at(connection, stored.created_at)
    file = stored_sweep(stored.request)
    return SweepAnswer.from_fields(
        stored,
        price_terms=TermsAnswer.of(terms),
        columns=file.columns,
        rows=file.rows,
        job=job,
        base=file.base.written(),
        cells=[SweepCellAnswer.model_validate(answer) for answer in cells.values()],
    )


def list_sweeps(database: Database, org_id: UUID, *, limit: int, cursor: str | None) -> SweepListAnswer:
    """Return a page of the team's sweeps, newest first; paginated like `plans.list_plans`."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection))
        of_page = job_store.get_all(connection, [row.job_id for row in page])
    return SweepListAnswer(
        sweeps=[_summary(row, of_page[row.job_id]) for row in page],
        next_cursor=next_cursor,
    )


def rename_sweep(database: Database, org_id: UUID, sweep_id: UUID, name: str) -> SweepAnswer:
    """Rename a sweep."""
    with database.transaction(org_id) as connection:
        store.rename(connection, sweep_id, name)
    return read_sweep(database, org_id, sweep_id)


def delete_sweep(database: Database, org_id: UUID, queue: Queue, sweep_id: UUID, now: datetime) -> None:
    """Delete a sweep and cancel its job; the sweep can be restored for 30 days."""
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, sweep_id)
        job_store.cancel(connection, stored.job_id)
        store.discard(connection, sweep_id, now)
    queue.announce(stored.job_id)


def restore_sweep(database: Database, org_id: UUID, sweep_id: UUID) -> SweepAnswer:
    """Restore a deleted sweep with its computed cells."""
    with database.transaction(org_id) as connection:
        store.set_deleted(connection, sweep_id, None)
    return read_sweep(database, org_id, sweep_id)


def compute_part(part: ClaimedPart) -> None:
    """Compute the missing cells of one part of a job of kind `sweep`.

    Raises
    ------
    ClaimLost
        The sweep was cancelled or deleted, or another worker has leased the part.
    """
    database, org_id, sweep_id = part.database, part.org_id, part.job.subject_id
    positions = _parts(part.job.total)[part.claim.number]
    with database.transaction(org_id) as connection:
        stored = store.get(connection, sweep_id)
        there = store.computed_positions(connection, sweep_id, positions)
    if stored is None:
        raise job_store.ClaimLost
    # Loaded once for all cells, which differ at most in their region. The team's measurements are those from the start
    # of the sweep, so that all cells depend on the same data.
    source = cache(team_knowledge.stored_knowledge(database, org_id, stored.created_at))
    grid = grid_of(stored_sweep(stored.request), stored.catalog_version)
    knowledge = source(stored.catalog_version, grid.cells[0].place.region)
    now = knowledge.digest, MODEL_VERSION
    if now != (stored.profiles_digest, stored.model_version):
        raise jobs.CannotGoOn("The measurements or the model have changed since it was started: run it again.")
    batch: dict[int, dict[str, Any]] = {}
    stored_at = part.clock()
    for position in positions:
        if position in there:
            continue
        batch[position] = compute_cell(grid, position, source).model_dump(mode="json")
        if part.clock() - stored_at >= _STORE_EVERY_S:
            with database.transaction(org_id) as connection:
                job_store.advance(connection, part.claim, store.add_cells(connection, sweep_id, batch))
            part.queue.announce(part.job.id)
            batch.clear()
            stored_at = part.clock()
    with database.transaction(org_id) as connection:
        job_store.advance(connection, part.claim, store.add_cells(connection, sweep_id, batch))
        job_store.finish(connection, part.claim)


def _of_first_region(file: SweepFile, source: KnowledgeSource) -> Knowledge:
    """Load the catalog and profiles of the first region of a sweep.

    The version of this catalog is used for all cells.
    """
    axes = [axis for axis in (file.columns, file.rows) if axis.quantity == "region"]
    region = axes[0].values[0] if axes else file.base.place.region
    paths = {"place.catalog": "base.place.catalog", "place.region": _path_of(file, 0, "place.region")}
    with problems_at(paths.__getitem__):
        return source(file.base.place.catalog, region)


def _parts(total: int) -> Sequence[range]:
    """Split the cells of a grid into parts of a job, as ranges of positions.

    Parts are small, so that workers share the cells evenly and a crash loses little. A part ends within its time limit
    even if each cell takes ten seconds.
    """
    size = max(1, min(_MOST_CELLS_A_PART, total // _MOST_PARTS))
    return [range(first, min(first + size, total)) for first in range(0, total, size)]


def compute_cell(grid: Grid, position: int, source: KnowledgeSource) -> SweepCellAnswer:
    """Compute the cell at a position of a grid."""
    answer = planning.preview_rows(grid.cells[position], source, lambda: 0.0, 2)
    best = answer.configurations[0] if answer.configurations else None
    row, column = divmod(position, grid.columns)
    return SweepCellAnswer(
        column=column,
        row=row,
        candidates=answer.candidates,
        sentence=answer.sentence if best is not None else _why_not(answer.sentence, answer.near_misses),
        best=None
        if best is None
        else CellBestAnswer.from_fields(
            best,
            bottleneck=max(best.phases, key=lambda phase: phase.time_s).bottleneck,
            runner_up=_runner_up(answer),
        ),
    )


def _runner_up(answer: PlanAnswer) -> RunnerUpAnswer | None:
    """Return the second row, which has another instance type or other storage than the winner."""
    if len(answer.configurations) < 2:
        return None
    winner, second = answer.configurations
    least, value = _ranked(winner, answer.objective), _ranked(second, answer.objective)
    return RunnerUpAnswer.from_fields(second, behind=max(0.0, value / least - 1.0) if least > 0.0 else 0.0)


def _ranked(configuration: RankedAnswer, objective: Objective) -> float:
    """Return the quantity by which a ranking is sorted [USD, s or USD/month]."""
    if objective == "time":
        return configuration.time_s.p50
    month_usd = configuration.cost_always_on_usd
    return month_usd if objective == "month" and month_usd is not None else configuration.cost_usd.p50


def _why_not(sentence: str, near_misses: Sequence[NearMissAnswer]) -> str:
    return f"{sentence} {near_misses[0].sentence}" if near_misses else sentence


def _summary(row: store.SweepSummary, job: Job) -> SweepSummaryAnswer:
    return SweepSummaryAnswer.from_fields(row, columns=row.request["columns"], rows=row.request["rows"], job=job)


def _name(file: SweepFile) -> str:
    asked, varied = file.base.workload, {file.columns.quantity, file.rows.quantity}
    what = asked.name or (asked.job if "data" in varied else f"{asked.data} {asked.job}")
    return f"{what}: {QUANTITIES[file.columns.quantity].in_text} by {QUANTITIES[file.rows.quantity].in_text}"


def _path_of(file: SweepFile, position: int, field: str) -> str:
    """Return the path in the sweep file from which a cell has the value of a field.

    The path is that of a value of an axis, or of the field in the base workload.
    """
    row, column = divmod(position, len(file.columns.values))
    quantity = field.removeprefix("place.")
    if file.columns.quantity == quantity:
        return f"columns.values.{column}"
    return f"rows.values.{row}" if file.rows.quantity == quantity else f"base.{field}"
