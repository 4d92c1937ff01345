"""Deletion of a team during its work: the remaining work ends without an error."""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest

from grids import SMALL, start_sweep
from stowage.catalog.schedule import Schedule
from stowage.cli.server.preparation import prepare_database
from stowage.features.catalog import refresh
from stowage.features.sweeps import sweeps
from stowage.features.teams.sign_in.store import team as teams_store
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue


def delete(gate: Database, org_id: UUID) -> None:
    with gate.transaction(org_id) as connection:
        assert teams_store.delete_team(connection, org_id)


def stumbles(_claimed: ClaimedPart) -> None:
    raise RuntimeError("something is missing that was there a moment ago")


@pytest.mark.parametrize("work", [sweeps.compute_part, stumbles])
def test_a_part_whose_team_goes_while_it_is_computed_is_no_fault(
    database: Database,
    gate: Database,
    queue: Queue,
    org_id: UUID,
    caplog: pytest.LogCaptureFixture,
    work: Callable[[ClaimedPart], None],
) -> None:
    caplog.set_level(logging.INFO)
    sweep = start_sweep(database, org_id, queue, SMALL)

    def interrupted(claimed: ClaimedPart) -> None:
        delete(gate, org_id)
        work(claimed)

    part = Part(org_id, sweep.job.id, "sweep", 0)
    jobs.work_on_part(database, queue, part, {"sweep": interrupted}, time.monotonic)
    assert {record.levelname for record in caplog.records} == {"INFO"}
    # The message of another part arrives late: there is nothing to claim.
    jobs.work_on_part(database, queue, Part(org_id, sweep.job.id, "sweep", 1), {}, time.monotonic)


def test_a_part_that_stumbles_over_something_else_fails_its_job_as_before(
    database: Database, queue: Queue, org_id: UUID
) -> None:
    sweep = start_sweep(database, org_id, queue, SMALL)
    part = Part(org_id, sweep.job.id, "sweep", 0)
    jobs.work_on_part(database, queue, part, {"sweep": stumbles}, time.monotonic)
    assert jobs.read_job(database, org_id, sweep.job.id).state == "failed"


def test_pending_work_of_a_deleted_team_is_not_sent(
    database: Database, gate: Database, queue: Queue, org_id: UUID
) -> None:
    start_sweep(database, org_id, queue, SMALL)
    delete(gate, org_id)
    with gate.transaction(None) as connection:
        owed = job_store.owed(connection, resend_after_s=0.0, most=1000)
    assert org_id not in {row.org_id for row in owed}


def test_the_team_that_runs_the_service_has_no_refresh_due_once_it_is_deleted_and_comes_back_with_the_next_start(
    database: Database, gate: Database, queue: Queue, postgres: DatabaseUrls
) -> None:
    def due() -> bool:
        schedule = Schedule(every_s=3600.0, regions=("us-east-1",))
        now = datetime.now(UTC)
        return refresh.refresh_if_due(database, LOCAL_ORG_ID, queue, schedule, now=now) is not None

    delete(gate, LOCAL_ORG_ID)
    assert not due()
    assert not prepare_database(postgres.owner, postgres.application, postgres.gate)
    assert due()
    # Restored for the following tests, without work in progress.
    delete(gate, LOCAL_ORG_ID)
    prepare_database(postgres.owner, postgres.application, postgres.gate)
