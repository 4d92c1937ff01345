"""Migrations: they match the tables, run in both directions, and refuse changes that would break tenancy."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import stowage
from database import new_org, opened, superuser, undone
from outdated import as_first_columns, as_objects
from people import join, new_person
from shared_postgres import new_database
from stowage.catalog.snapshot import LATEST, VERSIONS, packaged
from stowage.cli.server.preparation import prepare_database
from stowage.features.catalog.store.catalog import load, regions, versions
from stowage.features.planning.planning import preview_columns
from stowage.features.tables import metadata
from stowage.model.figure import Figure
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE, OWNER_ROLE, DatabaseUrls
from stowage.platform.database.errors import UnfitRole, Unreachable
from stowage.platform.database.migration import migrate, migrations_folder, newest, unmigrate
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.stored_answers import answer_of, packed
from stowage.workloads.workload_file import parse_workload

TABLES = {*metadata.tables, "alembic_version"}


@pytest.fixture
def bare() -> DatabaseUrls:
    """Return the URLs of a database of the test's own, without tables."""
    return new_database("empty")


@pytest.fixture
def prepared() -> DatabaseUrls:
    """Return the URLs of a database of the test's own, with tables and the packaged catalogs."""
    return new_database()


@pytest.fixture
def unfit(postgres: DatabaseUrls) -> Iterator[None]:
    """Create roles for the tests, and drop them: roles belong to the server, which other runs share."""
    names = "stowage_free, stowage_member, stowage_both"
    with superuser(postgres) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {names}")
        connection.execute("CREATE ROLE stowage_free BYPASSRLS")
        connection.execute(f"CREATE ROLE stowage_member IN ROLE {OWNER_ROLE}")
        connection.execute(f"CREATE ROLE stowage_both IN ROLE {GATE_ROLE}")
        yield
        connection.execute(f"DROP ROLE {names}")


def tables(urls: DatabaseUrls) -> set[str]:
    with superuser(urls) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {name for (name,) in rows}


def test_the_migrations_make_the_tables_that_the_queries_expect(owner: Database) -> None:
    # Within a tenant's transaction: defaults are compared by value, and without a tenant they would be null.
    with undone(owner, LOCAL_ORG_ID) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_the_checks_agree_too_which_alembic_does_not_compare(owner: Database) -> None:
    with undone(owner) as connection:
        migrated = checks(connection, "public")
        connection.execute(text("CREATE SCHEMA as_the_queries_expect"))
        connection.execute(text("SET LOCAL search_path TO as_the_queries_expect"))
        metadata.create_all(connection)
        expected = checks(connection, "as_the_queries_expect")
    assert len(migrated) > 10
    assert migrated == expected


def checks(connection: Connection, schema: str) -> set[tuple[str, str, str]]:
    rows = connection.execute(
        text(
            "SELECT relname, conname, pg_get_constraintdef(pg_constraint.oid) FROM pg_constraint "
            "JOIN pg_class ON pg_class.oid = conrelid "
            "WHERE contype = 'c' AND pg_constraint.connamespace = CAST(:schema AS regnamespace)"
        ),
        {"schema": schema},
    )
    return {(table, name, definition) for table, name, definition in rows}


def test_the_newest_version_is_the_one_that_alembic_would_migrate_to() -> None:
    assert newest() == ScriptDirectory(str(migrations_folder())).get_current_head()


def test_up_down_and_up_again(bare: DatabaseUrls) -> None:
    migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    assert tables(bare) == TABLES
    unmigrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    assert tables(bare) == {"alembic_version"}
    for role in (APPLICATION_ROLE, GATE_ROLE):
        with superuser(bare) as connection:
            left = connection.execute(
                "SELECT has_table_privilege(%(role)s, 'alembic_version', 'SELECT'), "
                "(SELECT count(*) FROM pg_shdepend JOIN pg_database ON dbid = pg_database.oid "
                "WHERE refobjid = %(role)s::regrole AND datname = current_database())",
                {"role": role},
            ).fetchone()
        assert left == (False, 0)
    migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    assert tables(bare) == TABLES


def test_plans_of_the_first_version_learn_who_won_them(bare: DatabaseUrls) -> None:
    migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    unmigrate(bare.owner, APPLICATION_ROLE, GATE_ROLE, "0001")
    with superuser(bare) as connection:
        connection.execute("INSERT INTO org VALUES ('00000000-0000-4000-8000-00000000000a', 'A')")
        connection.execute(
            "INSERT INTO catalogue (version, title, as_of, region, digest) "
            "VALUES ('v', 'V', '2026-01-01', 'us-east-1', repeat('0', 64))"
        )
        for plan_id, answer in (
            (1, '{"configurations": [{"instance": "i2.8xlarge", "nodes": 178}]}'),
            (2, '{"configurations": []}'),
        ):
            connection.execute(
                "INSERT INTO plan (id, org_id, name, workload, catalogue_version, profiles_digest, model_version, "
                "answer, created_at) VALUES (lpad(%s::text, 32, '0')::uuid, '00000000-0000-4000-8000-00000000000a', "
                "'n', '{}', 'v', '', '1', %s, now())",
                [plan_id, answer],
            )
        migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
        winners = connection.execute("SELECT best_instance, best_nodes, deleted_at FROM plan ORDER BY id").fetchall()
        forced = connection.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'plan'").fetchone()
    assert winners == [("i2.8xlarge", 178, None), (None, None, None)]
    assert forced == (True,)


def test_answers_in_every_form_of_columns_become_objects_again(prepared: DatabaseUrls) -> None:
    file = parse_workload({"workload": {"data": "10 TB"}, "limits": {"max_nodes": 50}, "choose": {"families": ["i4i"]}})
    columns = preview_columns(file, packaged_knowledge, lambda: 0.0).encoded
    expected = answer_of(packed(columns)).model_dump(mode="json")
    with superuser(prepared) as connection:
        for number, answer in enumerate((packed(columns), as_first_columns(columns), as_objects(expected))):
            connection.execute(
                "INSERT INTO plan (id, org_id, name, workload, catalog_version, profiles_digest, model_version, "
                "answer, created_at) VALUES (lpad(%s::text, 32, '0')::uuid, %s, 'n', '{}', %s, '', '1', %s, now())",
                [number, LOCAL_ORG_ID, LATEST, answer],
            )
        unmigrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE, "0037")
        assert connection.execute("SELECT answer FROM plan").fetchall() == [(expected,)] * 3
    migrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE)
    with superuser(prepared) as connection:
        [*stored] = connection.execute("SELECT answer FROM plan").fetchall()
    assert [answer_of(answer).model_dump(mode="json") for (answer,) in stored] == [expected] * 3


def test_catalogs_of_one_region_go_through_both_forms_unchanged_with_what_rests_on_them(
    prepared: DatabaseUrls,
) -> None:
    with superuser(prepared) as connection:
        for number, version in enumerate(("paper-2014", LATEST)):
            connection.execute(
                "INSERT INTO plan (id, org_id, name, workload, catalog_version, profiles_digest, model_version, "
                "answer, created_at) VALUES (lpad(%s::text, 32, '0')::uuid, %s, 'n', '{}', %s, '', '1', %s, now())",
                [number, LOCAL_ORG_ID, version, b"\0{}"],
            )
        unmigrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE, "0002")
        # Data that the older tables cannot hold is deleted: versions of other or of many regions, and their plans.
        assert connection.execute("SELECT version, region FROM catalogue").fetchall() == [("paper-2014", "us-east-1")]
        assert connection.execute("SELECT catalogue_version FROM plan").fetchall() == [("paper-2014",)]
        assert connection.execute("SELECT count(*) FROM instance_figure").fetchone() == (paper_figures(),)
    migrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE)
    with opened(prepared.application) as database, database.transaction(LOCAL_ORG_ID) as connection:
        assert load(connection, "paper-2014") == packaged("paper-2014")
        [region] = regions(connection, ["paper-2014"])["paper-2014"]
        assert (region.name, region.instance_types, region.volume_types) == ("us-east-1", 17, 1)
        assert connection.scalar(text("SELECT count(*) FROM plan")) == 1
    prepare_database(prepared.owner, prepared.application, prepared.gate)
    with opened(prepared.application) as database, database.transaction(None) as connection:
        assert {row.version for row in versions(connection)} == set(VERSIONS)


def test_a_type_is_counted_as_priced_by_its_on_demand_price_alone(prepared: DatabaseUrls) -> None:
    priced = sum("usd_per_hour" in prices for prices in packaged("paper-2014").regions["us-east-1"].prices.values())
    with superuser(prepared) as connection:
        unmigrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE, "0002")
        # The fee of its link stays known.
        connection.execute("DELETE FROM instance_figure WHERE target = 'c3.4xlarge' AND quantity = 'usd_per_hour'")
    migrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE)
    with opened(prepared.application) as database, database.transaction(None) as connection:
        [region] = regions(connection, ["paper-2014"])["paper-2014"]
    assert region.priced == priced - 1


def paper_figures() -> int:
    catalog = packaged("paper-2014").in_region("us-east-1")
    return sum(
        isinstance(getattr(instance, field.name), Figure)
        for instance in catalog.instance_types.values()
        for field in fields(instance)
    )


def test_migrating_what_is_migrated_changes_nothing_and_prints_nothing(
    bare: DatabaseUrls, capfd: pytest.CaptureFixture[str]
) -> None:
    migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    with superuser(bare) as connection:
        connection.execute(f"SET ROLE {OWNER_ROLE}")
        connection.execute("INSERT INTO catalog_part (digest) VALUES (repeat('0', 64))")
        connection.execute(
            "INSERT INTO catalog (version, title, as_of, provider, origin, digest, hardware) "
            "SELECT 'v', 'V', '2026-01-01', 'aws', 'package', digest, id FROM catalog_part"
        )
        migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
        assert connection.execute("SELECT version FROM catalog").fetchall() == [("v",)]
    assert capfd.readouterr() == ("", "")


def test_processes_that_migrate_at_once_all_find_it_done(bare: DatabaseUrls) -> None:
    call = "import sys; from stowage.platform.database.migration import migrate; migrate(*sys.argv[1:])"
    command = [sys.executable, "-W", "error", "-c", call, bare.owner, APPLICATION_ROLE, GATE_ROLE]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    endings = [(process.communicate()[1], process.returncode) for process in processes]
    assert endings == [("", 0)] * 2
    assert tables(bare) == TABLES


@pytest.mark.parametrize(
    ("role", "problem"),
    [
        ("stowage_missing", "does not exist"),
        ("postgres", "is a superuser"),
        ("stowage_free", "bypasses row-level security"),
        (OWNER_ROLE, "is, or can become, the owner"),
        ("stowage_member", "is, or can become, the owner"),
    ],
)
@pytest.mark.usefixtures("unfit")
def test_a_role_that_no_policy_would_hold_is_refused_by_name(postgres: DatabaseUrls, role: str, problem: str) -> None:
    with pytest.raises(UnfitRole, match=f"application role '{role}' {problem}"):
        migrate(postgres.owner, role, GATE_ROLE)
    with pytest.raises(UnfitRole, match=f"gate role '{role}' {problem}"):
        migrate(postgres.owner, APPLICATION_ROLE, role)


@pytest.mark.usefixtures("unfit")
def test_application_and_gate_are_roles_apart(postgres: DatabaseUrls) -> None:
    for application, gate in ((APPLICATION_ROLE, APPLICATION_ROLE), ("stowage_both", GATE_ROLE)):
        with pytest.raises(UnfitRole, match="they must be roles apart"):
            migrate(postgres.owner, application, gate)


def test_a_database_that_is_not_there_is_unreachable(postgres: DatabaseUrls) -> None:
    with pytest.raises(Unreachable, match="no connection to the database 'stowage"):
        migrate(postgres.owner.replace("host=%2F", "host=%2Fnowhere%2F"), APPLICATION_ROLE, GATE_ROLE)


def test_an_installed_package_brings_its_migrations_and_a_checkout_has_them_at_its_top(
    bare: DatabaseUrls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = migrations_folder()
    assert checkout.parent.joinpath("backend").is_dir()
    package = tmp_path / "50% of %(here)s" / "stowage"
    shutil.copytree(checkout, package / "migrations")
    monkeypatch.setattr(stowage, "__file__", str(package / "__init__.py"))
    assert migrations_folder() == package / "migrations"
    migrate(bare.owner, APPLICATION_ROLE, GATE_ROLE)
    assert tables(bare) == TABLES


def test_choices_of_mail_survive_both_directions_and_those_of_people_who_left_do_not(prepared: DatabaseUrls) -> None:
    with opened(prepared.gate) as gate, opened(prepared.owner) as owner:
        org_id = new_org(owner)
        member, left = new_person(gate, "Ada"), new_person(gate, "Bob")
        join(gate, org_id, member, "viewer")
    unmigrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE, "0034")
    with superuser(prepared) as connection:
        for person_id in (member, left):
            connection.execute(
                "INSERT INTO inbox (org_id, person_id, read_ids, mailed_kinds, mailed_until) "
                "VALUES (%s, %s, '[]', '[\"plan\"]', '2026-11-01 12:00Z')",
                [org_id, person_id],
            )
    migrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE)
    with superuser(prepared) as connection:
        moved = connection.execute(
            "SELECT person_id, channel, kinds, due_at - delivered_until FROM inbox_channel"
        ).fetchall()
    assert moved == [(member, "mail", ["plan"], timedelta(hours=1))]
    unmigrate(prepared.owner, APPLICATION_ROLE, GATE_ROLE, "0034")
    with superuser(prepared) as connection:
        back = connection.execute("SELECT person_id FROM inbox WHERE mailed_until = '2026-11-01 12:00Z'").fetchall()
    assert back == [(member,)]
