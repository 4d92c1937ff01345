"""Sweeps: start, read, rename and delete a sweep, and process the parts of its job."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from stowage.features.calibration import team_knowledge
from stowage.features.planning import planning
from stowage.features.planning.plans import KEPT_AFTER_DELETION
from stowage.features.sweeps import store
from stowage.features.sweeps.schemas import (
    CellBestAnswer,
    SweepAnswer,
    SweepCellAnswer,
    SweepListAnswer,
    SweepSummaryAnswer,
)
from stowage.features.sweeps.sweep_file import Grid, Quantity, SweepFile, grid_of, stored_sweep
from stowage.model import MODEL_VERSION
from stowage.platform import quotas
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.paging import cut, read_cursor
from stowage.workloads.answers import NearMissAnswer
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.refusals import refuse_unknown

_WORDS: dict[Quantity, str] = {
    "data": "data size",
    "deadline": "deadline",
    "durability": "durability",
    "replicas": "copies",
    "region": "region",
    "purchase": "price option",
}

_MOST_PARTS, _MOST_CELLS_A_PART = 40, 8
_STORE_EVERY_S = 0.2
"""Time between two heartbeats [s]: how long a cancelled sweep still runs, and how much work a crash loses."""


@dataclass(frozen=True, slots=True)
class NewIds:
    """Ids of a sweep and its job, chosen by the caller, so that a retry stores nothing twice."""

    sweep: UUID
    job: UUID


def start_sweep(
    database: Database, org_id: UUID, queue: Queue, file: SweepFile, *, ids: NewIds, asked_by: str, now: datetime
) -> SweepAnswer:
    """Store a sweep and queue its job; an existing sweep with this id is left unchanged.

    Raises
    ------
    BadInput
        A value of an axis, or of the base, is not accepted; nothing is stored.
    NotFound
        The id belongs to another team's sweep, or to a deleted one.
    QuotaExceeded
        The team has reached its quota of sweeps, or of sweeps in progress.
    """
    # Loaded once for all cells, which differ at most in their region.
    source = cache(team_knowledge.stored_knowledge(database, org_id))
    knowledge = _of_first_region(file, source)
    version = knowledge.catalog.version
    grid = grid_of(file, version)
    for position, cell in enumerate(grid.cells):
        try:
            refuse_unknown(cell, source(version, cell.place.region))
        except BadInput as error:
            at_axis = (Problem(_path_of(file, position, problem.path), problem.message) for problem in error.problems)
            raise BadInput(list(at_axis)) from None
    request = file.model_dump(mode="json", exclude_defaults=True)
    request["base"] = file.base.written()
    total = len(grid.cells)
    sweep = store.StoredSweep(
        id=ids.sweep,
        name=file.name or _name(file),
        request=request,
        catalog_version=version,
        profiles_digest=knowledge.digest,
        model_version=MODEL_VERSION,
        job_id=ids.job,
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        quotas.lock(connection)
        if store.insert(connection, sweep):
            job_store.insert(
                connection,
                job_id=ids.job,
                kind="sweep",
                subject_id=ids.sweep,
                asked_by=asked_by,
                total=total,
                parts=len(_parts(total)),
                now=now,
            )
            quotas.hold(connection, "sweeps", "sweeps-per-day", "open-sweeps", "open-cells", now=now)
    answer = read_sweep(database, org_id, ids.sweep)
    if answer.job.state == "queued":
        jobs.enqueue(database, org_id, queue, answer.job.id, "sweep")
    return answer


def read_sweep(database: Database, org_id: UUID, sweep_id: UUID) -> SweepAnswer:
    """Return a sweep with the cells computed so far.

    Raises
    ------
    NotFound
        The sweep does not exist, or belongs to another team.
    """
    with database.transaction(org_id) as connection:
        stored = store.get(connection, sweep_id)
        job = None if stored is None else job_store.get(connection, stored.job_id)
        cells = store.cells(connection, sweep_id)
    if stored is None or job is None:
        raise _no_sweep(sweep_id)
    file = stored_sweep(stored.request)
    return SweepAnswer.from_fields(
        stored,
        columns=file.columns,
        rows=file.rows,
        job=job,
        base=file.base.written(),
        cells=[SweepCellAnswer.model_validate(answer) for answer in cells.values()],
    )


def list_sweeps(database: Database, org_id: UUID, *, limit: int, cursor: str | None) -> SweepListAnswer:
    """Return a page of the team's sweeps, newest first; paginated like `plans.list_plans`.

    Raises
    ------
    BadInput
        The cursor is invalid.
    """
    before = read_cursor(cursor)
    with database.transaction(org_id) as connection:
        rows = store.list_newest(connection, limit=limit + 1, before=before)
        page, next_cursor = cut(rows, limit)
        of_page = job_store.get_all(connection, [row.job_id for row in page])
    return SweepListAnswer(
        sweeps=[_summary(row, of_page[row.job_id]) for row in page],
        next_cursor=next_cursor,
    )


def rename_sweep(database: Database, org_id: UUID, sweep_id: UUID, name: str) -> SweepAnswer:
    """Rename a sweep.

    Raises
    ------
    NotFound
        The sweep does not exist, or belongs to another team.
    """
    with database.transaction(org_id) as connection:
        store.rename(connection, sweep_id, name)
    return read_sweep(database, org_id, sweep_id)


def delete_sweep(database: Database, org_id: UUID, queue: Queue, sweep_id: UUID, now: datetime) -> None:
    """Delete a sweep and end its job; it can be restored for 30 days.

    Raises
    ------
    NotFound
        The sweep does not exist, or belongs to another team.
    """
    with database.transaction(org_id) as connection:
        stored = store.get(connection, sweep_id)
        if stored is None:
            raise _no_sweep(sweep_id)
        job_store.cancel(connection, stored.job_id)
        store.set_deleted(connection, sweep_id, now)
        store.purge(connection, now - KEPT_AFTER_DELETION)
    queue.announce(stored.job_id)


def restore_sweep(database: Database, org_id: UUID, sweep_id: UUID) -> SweepAnswer:
    """Restore a deleted sweep with its computed cells.

    Raises
    ------
    NotFound
        The sweep no longer exists, or belongs to another team.
    """
    with database.transaction(org_id) as connection:
        store.set_deleted(connection, sweep_id, None)
    return read_sweep(database, org_id, sweep_id)


def compute_part(part: ClaimedPart) -> None:
    """Compute the missing cells of one part of a job of kind `sweep`.

    Raises
    ------
    ClaimLost
        The sweep was cancelled, or another worker has leased the part.
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
        batch[position] = _cell(grid, position, source).model_dump(mode="json")
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
    """Load the catalog and profiles of a sweep's first region; the catalog version is used for all cells."""
    axes = [axis for axis in (file.columns, file.rows) if axis.quantity == "region"]
    region = axes[0].values[0] if axes else file.base.place.region
    try:
        return source(file.base.place.catalog, region)
    except BadInput as error:
        paths = {"place.catalog": "base.place.catalog", "place.region": _path_of(file, 0, "place.region")}
        problems = [Problem(paths[problem.path], problem.message) for problem in error.problems]
        raise BadInput(problems) from None


def _parts(total: int) -> Sequence[range]:
    """Split the cells of a grid into parts, so small that workers share the cells evenly and a crash loses little.

    Parts are also so small that a part ends within its time limit if each cell takes ten seconds.
    """
    size = max(1, min(_MOST_CELLS_A_PART, total // _MOST_PARTS))
    return [range(first, min(first + size, total)) for first in range(0, total, size)]


def _cell(grid: Grid, position: int, source: KnowledgeSource) -> SweepCellAnswer:
    answer = planning.preview_plan(grid.cells[position], source, lambda: 0.0, "none")
    best = answer.configurations[0] if answer.configurations else None
    row, column = divmod(position, grid.columns)
    return SweepCellAnswer(
        column=column,
        row=row,
        candidates=answer.candidates,
        sentence=answer.sentence if best is not None else _why_not(answer.sentence, answer.near_misses),
        best=None
        if best is None
        else CellBestAnswer.from_fields(best, bottleneck=max(best.phases, key=lambda phase: phase.time_s).bottleneck),
    )


def _why_not(sentence: str, near_misses: Sequence[NearMissAnswer]) -> str:
    return f"{sentence} {near_misses[0].sentence}" if near_misses else sentence


def _summary(row: store.SweepSummary, job: job_store.StoredJob) -> SweepSummaryAnswer:
    return SweepSummaryAnswer.from_fields(row, columns=row.request["columns"], rows=row.request["rows"], job=job)


def _name(file: SweepFile) -> str:
    asked, varied = file.base.workload, {file.columns.quantity, file.rows.quantity}
    what = asked.name or (asked.job if "data" in varied else f"{asked.data} {asked.job}")
    return f"{what}: {_WORDS[file.columns.quantity]} by {_WORDS[file.rows.quantity]}"


def _path_of(file: SweepFile, position: int, field: str) -> str:
    """Return the path in the sweep file from which a field of a cell comes: the axis that sets it, or the base."""
    row, column = divmod(position, len(file.columns.values))
    quantity = field.removeprefix("place.")
    if file.columns.quantity == quantity:
        return f"columns.values.{column}"
    return f"rows.values.{row}" if file.rows.quantity == quantity else f"base.{field}"


def _no_sweep(sweep_id: UUID) -> NotFound:
    return NotFound(f"There is no sweep {sweep_id}.")
