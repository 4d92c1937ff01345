"""Sweeps as the worker computes them: complete, equal to plans, cancelled, failed and resumed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

import psutil
import pytest
from sqlalchemy import text

from background import Background
from database import new_org, superuser
from grids import LARGE, MEDIUM, SMALL, start_sweep
from stowage import example as demo
from stowage.features.planning import plans
from stowage.features.planning.planning import preview_plan
from stowage.features.sweeps import store, sweeps
from stowage.features.sweeps.sweep_file import SweepFile, grid_of
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs import jobs
from stowage.platform.jobs.queue import Queue
from stowage.workloads.knowledge import packaged_knowledge


def test_each_cell_of_a_sweep_is_what_a_plan_of_its_workload_says(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    workers.worker()
    started = start_sweep(database, org_id, queue, SMALL)
    assert (started.job.total, started.cells) == (6, [])
    assert workers.ended(org_id, started.job.id).state == "done"
    swept = sweeps.read_sweep(database, org_id, started.id)
    assert [(cell.row, cell.column) for cell in swept.cells] == [(r, c) for r in range(2) for c in range(3)]
    grid = grid_of(SMALL, swept.catalog_version)
    for cell, file in zip(swept.cells, grid.cells, strict=True):
        plan = preview_plan(file, packaged_knowledge, lambda: 0.0)
        best = plan.configurations[0] if plan.configurations else None
        assert cell.candidates == plan.candidates
        assert (cell.best is None) == (best is None)
        if cell.best is not None and best is not None:
            for name in ("instance", "nodes", "storage", "time_s", "cost_usd", "meets_deadline"):
                assert getattr(cell.best, name) == getattr(best, name), name
            assert cell.sentence == plan.sentence
        else:
            assert cell.sentence.startswith("No configuration")
    assert {cell.best is None for cell in swept.cells} == {True, False}


@contextmanager
def suspended(worker: psutil.Process) -> Iterator[None]:
    """Make a worker's units take as long as the block does."""
    processes = [worker, *worker.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


@pytest.mark.soak("kills")
def test_a_short_task_does_not_wait_for_a_long_sweep(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    long = workers.worker()
    workers.worker("quick")
    sweep = start_sweep(database, org_id, queue, LARGE)
    workers.until(org_id, sweep.job.id, done=1)
    with suspended(long):
        demo.load_in_background(database, queue, datetime.now(UTC))
        assert workers.ended(EXAMPLE_ORG_ID, demo.JOB_ID).state == "done"
        assert workers.job(org_id, sweep.job.id).state == "running"
    jobs.cancel_job(database, org_id, queue, sweep.job.id)
    assert len(plans.list_plans(database, EXAMPLE_ORG_ID, limit=100, cursor=None).plans) == len(demo.PLANS)
    for stored in sweeps.list_sweeps(database, EXAMPLE_ORG_ID, limit=100, cursor=None).sweeps:
        assert workers.ended(EXAMPLE_ORG_ID, stored.job.id).state == "done"
    demo.remove(database)
    assert plans.list_plans(database, EXAMPLE_ORG_ID, limit=100, cursor=None).plans == []
    assert sweeps.list_sweeps(database, EXAMPLE_ORG_ID, limit=100, cursor=None).sweeps == []


def test_a_cancelled_sweep_keeps_its_cells_adds_none_and_goes_on_when_asked(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    workers.worker(processes=2)
    sweep = start_sweep(database, org_id, queue, LARGE)
    workers.until(org_id, sweep.job.id, done=10)
    cancelled = jobs.cancel_job(database, org_id, queue, sweep.job.id)
    assert cancelled.state == "cancelled"
    assert 10 <= cancelled.done < cancelled.total
    # The worker is free for other jobs, and has discarded its remaining part of the cancelled one.
    other = start_sweep(database, org_id, queue, SMALL)
    assert workers.ended(org_id, other.job.id).state == "done"
    kept = sweeps.read_sweep(database, org_id, sweep.id)
    assert len(kept.cells) == kept.job.done == cancelled.done
    jobs.retry_job(database, org_id, queue, sweep.job.id)
    done = workers.ended(org_id, sweep.job.id)
    assert (done.state, done.done) == ("done", done.total)
    assert len(sweeps.read_sweep(database, org_id, sweep.id).cells) == done.total


def test_a_fault_fails_the_sweep_with_a_reference_that_the_log_has_and_it_can_be_tried_again(
    workers: Background, database: Database, postgres: DatabaseUrls, queue: Queue, org_id: UUID
) -> None:
    sweep = start_sweep(database, org_id, queue, SMALL)
    with database.transaction(org_id) as connection:
        stored = store.get(connection, sweep.id)
        connection.execute(text("UPDATE sweep SET request = '[]'"))
    assert stored is not None
    workers.worker()
    failed = workers.ended(org_id, sweep.job.id)
    assert (failed.state, failed.reason) == ("failed", "Something went wrong on our side.")
    records = [json.loads(line) for line in workers.log.read_text().splitlines() if line.startswith("{")]
    [record] = [record for record in records if str(failed.reference) in record["event"]]
    assert record["job_id"] == str(sweep.job.id)
    assert str(org_id) not in json.dumps(record)
    with superuser(postgres) as superusers:
        superusers.execute("UPDATE sweep SET request = %s WHERE id = %s", [json.dumps(dict(stored.request)), sweep.id])
    again = jobs.retry_job(database, org_id, queue, sweep.job.id)
    # The worker may have claimed it before the answer was read.
    assert again.state in {"queued", "running", "done"}
    assert again.reason is None
    assert workers.ended(org_id, sweep.job.id).state == "done"


def test_a_sweep_whose_measurements_changed_says_so_instead_of_mixing_them(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    sweep = start_sweep(database, org_id, queue, SMALL)
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE sweep SET profiles_digest = 'of yesterday'"))
    workers.worker()
    failed = workers.ended(org_id, sweep.job.id)
    assert failed.state == "failed"
    assert failed.reason is not None
    assert "run it again" in failed.reason
    assert sweeps.read_sweep(database, org_id, sweep.id).cells == []


def test_a_sweep_over_every_durability_is_answered_in_every_cell(
    workers: Background, database: Database, queue: Queue, org_id: UUID
) -> None:
    workers.worker()
    every = SweepFile.model_validate(
        {
            "base": {"workload": {"data": "1 TB"}, "assume": {"network": "unlimited"}, "limits": {"max_nodes": 60}},
            "columns": {"quantity": "data", "values": ["1 TB"]},
            "rows": {"quantity": "durability", "values": ["none", "application", "infrastructure", "object-store"]},
        }
    )
    started = start_sweep(database, org_id, queue, every)
    assert workers.ended(org_id, started.job.id).state == "done"
    kinds = [
        None if cell.best is None else cell.best.storage.kind
        for cell in sweeps.read_sweep(database, org_id, started.id).cells
    ]
    assert kinds == ["instance-store", "instance-store", "ebs", "object-store"]


def test_a_small_sweep_does_not_wait_for_another_teams_large_sweep(
    workers: Background, database: Database, queue: Queue, org_id: UUID, owner: Database
) -> None:
    large = start_sweep(database, org_id, queue, MEDIUM)
    other_id = new_org(owner)
    small = start_sweep(database, other_id, queue, SMALL)
    workers.worker("sweeps")
    both = workers.ended(other_id, small.job.id), workers.ended(org_id, large.job.id)
    assert [each.state for each in both] == ["done", "done"]
    first, last = (each.finished_at for each in both)
    assert first is not None
    assert last is not None
    assert first < last
