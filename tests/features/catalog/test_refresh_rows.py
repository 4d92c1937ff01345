"""Catalog versions from refreshes: kept while an object refers to them, deleted when they are old."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from database import undone
from stowage.catalog.snapshot import VERSIONS, packaged
from stowage.cli.server.preparation import prepare_database
from stowage.features.catalog.store.catalog import find, load, put_version, versions
from stowage.features.catalog.store.refresh import KEEP_DAYS, prune_versions
from stowage.features.planning import store as plans
from stowage.features.sweeps import store as sweeps
from stowage.model.hardware.catalog import CatalogVersion
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import NewJob

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def fetched(name: str, factor: float, as_of: date = date(2020, 1, 1)) -> CatalogVersion:
    """Return the paper's catalog with other prices, as a refresh might produce it."""
    paper = packaged("paper-2014")
    regions = {
        region: replace(
            row,
            prices={
                sold: {quantity: replace(figure, value=figure.value * factor) for quantity, figure in prices.items()}
                for sold, prices in row.prices.items()
            },
        )
        for region, row in paper.regions.items()
    }
    digest = sha256(name.encode()).hexdigest()
    return replace(paper, version=name, as_of=as_of, regions=regions, digest=digest)


def put(connection: Connection, version: CatalogVersion, days_ago: float) -> None:
    put_version(connection, version, origin="refresh")
    connection.execute(
        text("UPDATE catalog SET loaded_at = now() - make_interval(hours => :hours) WHERE version = :version"),
        {"hours": round(days_ago * 24), "version": version.version},
    )


def names(connection: Connection) -> set[str]:
    return {row.version for row in versions(connection)} - set(VERSIONS)


def parts(connection: Connection) -> int:
    return int(connection.execute(text("SELECT count(*) FROM catalog_part")).scalar_one())


def without_team(connection: Connection) -> None:
    connection.execute(text("SELECT set_config('stowage.org_id', '', true)"))


@pytest.fixture
def connection(owner: Database, org_id: UUID) -> Iterator[Connection]:
    with undone(owner, org_id) as connection:
        yield connection


def test_old_versions_of_refreshes_go_with_the_parts_that_no_other_has(connection: Connection) -> None:
    # Tests share a database: unreferenced parts that another test left would be deleted with these.
    put(connection, fetched("before", 1.3), KEEP_DAYS + 1)
    prune_versions(connection)
    before = parts(connection)
    put(connection, fetched("old", 1.1), KEEP_DAYS + 1)
    put(connection, fetched("old, of the same prices", 1.1), KEEP_DAYS + 2)
    put(connection, fetched("young, of the prices of another", 1.2), KEEP_DAYS - 1)
    put(connection, fetched("old, of shared prices", 1.2), KEEP_DAYS + 1)
    assert parts(connection) == before + 2
    without_team(connection)
    assert set(prune_versions(connection)) == {"old", "old, of the same prices", "old, of shared prices"}
    assert names(connection) == {"young, of the prices of another"}
    assert parts(connection) == before + 1
    left = load(connection, "young, of the prices of another")
    assert left.regions["us-east-1"].prices == fetched("", 1.2).regions["us-east-1"].prices
    assert prune_versions(connection) == ()


def test_what_plans_and_sweeps_rest_on_stays_whosever_they_are(connection: Connection) -> None:
    for name in ("of a plan", "of a sweep", "unused"):
        put(connection, fetched(name, 1.1), 90)
    digest, job_id = sha256(b"").hexdigest(), uuid4()
    rests_on: dict[str, Any] = {"profiles_digest": digest, "model_version": "1"}
    plans.insert(
        connection,
        plans.StoredPlan(
            id=uuid4(),
            name="nightly sort",
            workload={},
            catalog_version="of a plan",
            answer=b"",
            best_instance=None,
            best_nodes=None,
            best_time_s=None,
            best_cost_usd=None,
            created_at=NOW,
            **rests_on,
        ),
    )
    sweep = sweeps.StoredSweep(uuid4(), "a", {}, "of a sweep", job_id=job_id, created_at=NOW, **rests_on)
    jobs.insert(connection, NewJob(job_id, "sweep", sweep.id, "test", NOW))
    sweeps.insert(connection, sweep)
    without_team(connection)
    assert prune_versions(connection) == ("unused",)
    assert names(connection) == {"of a plan", "of a sweep"}


def test_the_newest_stays_however_old_it_is_and_so_does_what_was_packaged(connection: Connection) -> None:
    put(connection, fetched("newest", 1.1, date(2099, 1, 1)), 400)
    connection.execute(text("UPDATE catalog SET loaded_at = now() - interval '1 year' WHERE origin = 'package'"))
    assert prune_versions(connection) == ()
    latest = find(connection, "latest")
    assert latest is not None
    assert latest.version == "newest"
    assert {row.version for row in versions(connection)} >= {*VERSIONS, "newest"}


def test_the_application_removes_nothing(database: Database, owner: Database) -> None:
    name = f"old-{uuid4()}"
    with owner.transaction(None) as connection:
        put(connection, fetched(name, 1.3), 90)
    with undone(database) as connection, pytest.raises(ProgrammingError, match="permission denied"):
        prune_versions(connection)
    with owner.transaction(None) as connection:
        assert name in prune_versions(connection)


def test_preparing_a_database_removes_what_is_old(postgres: DatabaseUrls, owner: Database, database: Database) -> None:
    name = f"old-{uuid4()}"
    with owner.transaction(None) as connection:
        put(connection, fetched(name, 1.4), 90)
    prepare_database(postgres.owner, postgres.application, postgres.gate)
    with database.transaction(None) as connection:
        assert find(connection, name) is None
