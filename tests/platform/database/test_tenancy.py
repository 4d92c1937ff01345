"""Permissions to read and write, tested with SQL against the migrated database."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from database import new_job, superuser, undone
from stowage.features.catalog.tables import CATALOG_TABLES
from stowage.features.measurements.tables import profile_set, upload, upload_piece
from stowage.features.planning.tables import plan
from stowage.features.reports.tables import report, report_comment, report_file
from stowage.features.tables import PEOPLE_TABLES, SHARED_TABLES
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE, OWNER_ROLE, DatabaseUrls
from stowage.platform.database.tables import audit_event, org
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.fair_queue import Part

POLICY = "(org_id = (NULLIF(current_setting('stowage.org_id'::text, true), ''::text))::uuid)"
WRITTEN_BY_TENANTS = ("plan", "job", "job_part", "sweep", "sweep_cell", "refresh", "refresh_piece")
STAGED = ("upload", "upload_piece", "upload_reading", "upload_job", "upload_problem")
ADDED_TO = ("measurement", "verdict", "profile_set", "calibration")
"""Tables in which no row is ever changed or deleted."""
SEEN_ACROSS = (
    "job",
    "job_part",
    "run",
    "aws_account",
    "watch",
    "plan_watch",
    "report_schedule",
    "alert_address",
    "calibration",
    "inbox_channel",
)
"""Tables that periodic tasks search for due work, for all teams at once."""
OF_MEASUREMENTS = (*STAGED, *ADDED_TO, "finished_job", "finished_job_series", "alert", "alert_address")
OF_RUNS = ("aws_account", "run", "run_event", "run_report", "run_status")
OF_PROCESSES = ("lease",)
"""Tables by which processes coordinate; they store no lasting records."""
POINTS = ("metric_point", "metric_five_minutes", "metric_hour")
OF_METRICS = ("watch", "metric_series", *POINTS)
OF_REPORTS = ("report", "report_file", "report_comment", "report_approval", "report_approval_file", "report_schedule")
OF_WATCHED_PLANS = ("plan_watch", "plan_check")
WATCH_CHANGES = (
    "every",
    "percent",
    "person",
    "starts_at",
    "ended_at",
    "next_check_at",
    "asked_at",
    "sent_at",
    "taken_until",
    "tries",
    "told",
)
CHANNEL_CHANGES = (
    "kinds",
    "delivered_until",
    "due_at",
    "failures",
    "trouble",
    "stopped_at",
    "test_asked_at",
    "tested_at",
    "test_result",
)
OF_TEAMS = ("membership", "invitation", "api_token", "share_link", "audit_event")
ACCOUNT_CHANGES = (
    "name",
    "account",
    "role_arn",
    "bucket",
    "bucket_region",
    "month_limit_usd",
    "state",
    "findings",
    "problem",
    "checked_at",
    "removed_at",
)
RUN_CHANGES = (
    "agreed_usd",
    "agreed_by",
    "agreed_at",
    "state",
    "content",
    "launched_at",
    "deadline",
    "finished_at",
    "spent_usd",
    "next_look_at",
    "attempt",
    "lease_until",
    "cancel_asked_at",
    "cancel_asked_by",
    "accepted_upload_id",
)
TOLD = [column.name for column in audit_event.c if column.name not in {"id", "at"}]
"""Columns of an event that the application may set; number and time are set by the database."""
PROFILES = {"digest": "0" * 64, "cause": "a test", "measurements": 1, "content": []}
PLAN = {
    "name": "nightly sort",
    "workload": {},
    "catalog_version": "paper-2014",
    "profiles_digest": "0" * 64,
    "model_version": "1",
    "answer": b"",
    "created_at": datetime(2026, 7, 1, tzinfo=UTC),
}


def tenant_tables(postgres: DatabaseUrls) -> set[str]:
    with superuser(postgres) as connection:
        rows = connection.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'org_id'"
        )
        return {name for (name,) in rows}


def all_tables(postgres: DatabaseUrls) -> set[str]:
    with superuser(postgres) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') "
            "AND relnamespace = 'public'::regnamespace"
        )
        return {name for (name,) in rows}


def test_every_table_has_an_org_id_or_is_listed_as_shared_and_the_list_has_no_other_name(
    postgres: DatabaseUrls,
) -> None:
    tenants = tenant_tables(postgres)
    assert tenants == {
        "org",
        *WRITTEN_BY_TENANTS,
        *OF_TEAMS,
        *OF_MEASUREMENTS,
        *OF_RUNS,
        *OF_PROCESSES,
        *OF_METRICS,
        *OF_REPORTS,
        *OF_WATCHED_PLANS,
        "team_quota",
        "team_limit",
        "saved_view",
        "inbox",
        "inbox_channel",
        "price_terms",
        "currency",
    }
    assert all_tables(postgres) - tenants == SHARED_TABLES
    assert not tenants & SHARED_TABLES


def test_every_table_with_an_org_id_forces_row_level_security_with_the_policy_of_the_tenant(
    postgres: DatabaseUrls,
) -> None:
    for table in tenant_tables(postgres):
        with superuser(postgres) as connection:
            forced = connection.execute(
                "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table]
            ).fetchone()
            policies = connection.execute(
                "SELECT qual, with_check FROM pg_policies WHERE tablename = %s AND policyname = 'tenant' "
                "AND cmd = 'ALL' AND permissive = 'PERMISSIVE' AND roles = '{public}'",
                [table],
            ).fetchall()
        assert forced == (True, True), table
        assert policies == [(POLICY, POLICY)], table


def test_what_is_the_peoples_forces_row_level_security_with_the_policy_of_the_gate(postgres: DatabaseUrls) -> None:
    with superuser(postgres) as connection:
        forced = connection.execute(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relname = ANY(%s)",
            [sorted(PEOPLE_TABLES)],
        ).fetchall()
    assert {name for (name,) in forced} == PEOPLE_TABLES


def test_besides_the_tenants_policies_the_application_has_one_to_look_at_colleagues(postgres: DatabaseUrls) -> None:
    with superuser(postgres) as connection:
        others = connection.execute(
            "SELECT tablename, policyname, cmd, roles::text, qual, with_check FROM pg_policies "
            "WHERE policyname <> 'tenant' AND permissive = 'PERMISSIVE'"
        ).fetchall()
    gate = f"{{{GATE_ROLE}}}"
    of_the_same_team = "(EXISTS ( SELECT\n   FROM membership\n  WHERE (membership.person_id = person.person_id)))"
    assert set(others) == {
        *((table, "periodic", "SELECT", f"{{{OWNER_ROLE}}}", "true", None) for table in SEEN_ACROSS),
        *((table, "gate", "ALL", gate, "true", "true") for table in PEOPLE_TABLES),
        *((table, "gate", "SELECT", gate, "true", None) for table in ("org", *OF_TEAMS) if table != "audit_event"),
        *((table, "reseal", "ALL", f"{{{OWNER_ROLE}}}", "true", "true") for table in ("second_factor", "identity")),
        *(
            (table, "caller", "SELECT", f"{{{OWNER_ROLE}}}", "true", None)
            for table in ("session", "person", "membership", "api_token")
        ),
        ("person", "colleague", "SELECT", f"{{{APPLICATION_ROLE}}}", of_the_same_team, None),
    }


def test_across_tenants_the_gate_sees_which_parts_are_owed_and_the_application_nothing(
    postgres: DatabaseUrls, database: Database, gate: Database, org_id: UUID
) -> None:
    with superuser(postgres) as connection:
        functions = connection.execute(
            "SELECT proname, prosecdef, pg_get_userbyid(proowner), has_function_privilege(%s, oid, 'EXECUTE'), "
            "has_function_privilege(%s, oid, 'EXECUTE'), proconfig FROM pg_proc "
            "WHERE pronamespace = 'public'::regnamespace ORDER BY proname",
            [GATE_ROLE, APPLICATION_ROLE],
        ).fetchall()
        for_everybody = connection.execute(
            "SELECT proname FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) "
            "WHERE grantee = 0 AND pronamespace = 'public'::regnamespace"
        ).fetchall()
    path = ["search_path=pg_catalog, public, pg_temp"]
    assert functions == [
        ("caller_by_session", True, OWNER_ROLE, True, True, path),
        ("caller_by_token", True, OWNER_ROLE, True, True, path),
        ("connected_accounts", True, OWNER_ROLE, True, False, path),
        ("drop_metric_partitions", True, OWNER_ROLE, False, True, [*path, "lock_timeout=2s"]),
        ("due_inboxes", True, OWNER_ROLE, True, False, path),
        ("due_metrics", True, OWNER_ROLE, True, False, path),
        ("due_plan_watches", True, OWNER_ROLE, True, False, path),
        ("due_report_schedules", True, OWNER_ROLE, True, False, path),
        ("due_runs", True, OWNER_ROLE, True, False, path),
        ("forget_metric_points", True, OWNER_ROLE, False, False, path),
        ("metric_partitioning", False, OWNER_ROLE, False, False, path),
        ("open_metric_partitions", True, OWNER_ROLE, False, True, path),
        ("outdated_calibrations", True, OWNER_ROLE, True, False, path),
        ("owed_parts", True, OWNER_ROLE, True, False, path),
        ("record_change", False, OWNER_ROLE, False, False, path),
    ]
    assert for_everybody == []
    job_id = new_job(database, org_id, total=3, now=datetime(2026, 7, 1, tzinfo=UTC))
    with gate.transaction(None) as connection:
        owed = [row for row in jobs.owed(connection, resend_after_s=0.0, most=1000) if row.job_id == job_id]
    with database.transaction(None) as connection:
        assert connection.execute(text("SELECT FROM job")).rowcount == 0
        assert connection.execute(text("SELECT FROM job_part")).rowcount == 0
    assert owed == [Part(org_id, job_id, "sweep", 0)]


@pytest.mark.parametrize("role", [OWNER_ROLE, APPLICATION_ROLE, GATE_ROLE])
def test_no_role_can_leave_row_level_security(postgres: DatabaseUrls, role: str) -> None:
    with superuser(postgres) as connection:
        attributes = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication "
            "FROM pg_roles WHERE rolname = %s",
            [role],
        ).fetchone()
        memberships = connection.execute(
            "SELECT FROM pg_auth_members WHERE member = %s::regrole OR roleid = %s::regrole", [role, role]
        ).fetchall()
    assert attributes == (False, False, False, False, False)
    assert memberships == []


@pytest.mark.parametrize("role", [APPLICATION_ROLE, GATE_ROLE])
def test_application_and_gate_own_nothing(postgres: DatabaseUrls, role: str) -> None:
    with superuser(postgres) as connection:
        owned = connection.execute(
            "SELECT classid::regclass::text, objid FROM pg_shdepend WHERE refobjid = %s::regrole AND deptype = 'o'",
            [role],
        ).fetchall()
    assert owned == []


def granted(postgres: DatabaseUrls, role: str) -> dict[str, str]:
    """Return the privileges of a role by table; those on single columns by table.column."""
    with superuser(postgres) as connection:
        rows = connection.execute(
            "WITH acl AS (SELECT relname AS name, relacl AS acl, relnamespace FROM pg_class UNION ALL "
            "SELECT relname || '.' || attname, attacl, relnamespace FROM pg_attribute "
            "JOIN pg_class ON pg_class.oid = attrelid WHERE attacl IS NOT NULL) "
            "SELECT name, string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM acl, aclexplode(acl) "
            "WHERE grantee IN (0, %s::regrole) AND relnamespace = 'public'::regnamespace GROUP BY name",
            [role],
        ).fetchall()
    return dict(rows)


def test_the_application_is_granted_what_it_needs_and_no_more(postgres: DatabaseUrls) -> None:
    with superuser(postgres) as connection:
        default_privileges = connection.execute("SELECT * FROM pg_default_acl").fetchall()
    everything = "DELETE INSERT SELECT UPDATE"
    expected = dict.fromkeys(CATALOG_TABLES, "INSERT SELECT") | {"org": "SELECT", "alembic_version": "SELECT"}
    expected |= dict.fromkeys(WRITTEN_BY_TENANTS, everything)
    expected |= {"org.name": "UPDATE", "membership": "DELETE SELECT", "membership.role": "UPDATE"}
    expected |= {"invitation": "DELETE INSERT SELECT", "invitation.mailed_at": "UPDATE", "audit_event": "SELECT"}
    expected |= {f"audit_event.{column}": "INSERT" for column in TOLD}
    for table in ("api_token", "share_link"):
        expected |= {table: "INSERT SELECT", f"{table}.revoked_at": "UPDATE"}
    of_colleagues = ("person_id", "name", "email", "email_verified_at", "signed_in_at", "provider_refused_at")
    expected |= {f"person.{column}": "SELECT" for column in of_colleagues}
    expected |= dict.fromkeys((*STAGED, "finished_job_series", "alert_address"), "DELETE INSERT SELECT")
    expected |= dict.fromkeys((*ADDED_TO, "finished_job", "alert"), "INSERT SELECT")
    changed = {"finished_job": ("withdrawn_at",), "alert": ("seen_at", "seen_by")}
    changed |= {"upload": ("received_bytes", "sha256", "state", "job_id", "problem", "expires_at")}
    expected |= dict.fromkeys((*OF_RUNS, *OF_METRICS), "INSERT SELECT")
    changed |= {"run_status": ("content", "at"), "aws_account": ACCOUNT_CHANGES, "run": RUN_CHANGES}
    rolled_up = ("points", "total", "smallest", "largest")
    of_days = (*rolled_up, *(f"day_{each}" for each in rolled_up))
    changed |= {"metric_point": ("value",), "metric_five_minutes": rolled_up, "metric_hour": of_days}
    expected |= {"report": "DELETE INSERT SELECT", "report.deleted_at": "UPDATE", "report_file": "INSERT SELECT"}
    expected |= {"report_comment": "DELETE INSERT SELECT"}
    expected |= dict.fromkeys(("report_approval", "report_approval_file", "report_schedule"), "INSERT SELECT")
    changed |= {"report_approval": ("state", "comment", "decided_at")}
    expected |= {"team_quota": "SELECT", "team_limit": everything, "saved_view": "DELETE INSERT SELECT"}
    changed |= {"saved_view": ("name", "deleted_at")}
    expected |= {"inbox": "INSERT SELECT UPDATE", "price_terms": "INSERT SELECT", "currency": "INSERT SELECT"}
    expected |= {"inbox_channel": "DELETE INSERT SELECT"}
    changed |= {"inbox_channel": CHANNEL_CHANGES}
    of_schedule = ("report_id", "name", "recipients", "next_at", "sent_at", "sent", "ended_at")
    changed |= {"report_schedule": of_schedule}
    expected |= {"plan_watch": "INSERT SELECT", "plan_check": "DELETE INSERT SELECT"}
    changed |= {"plan_watch": WATCH_CHANGES, "lease": ("holder", "until")}
    changed |= {"calibration": ("not_refitted",)}
    expected |= dict.fromkeys(OF_PROCESSES, "DELETE INSERT SELECT")
    changed |= {"watch": ("description", "ended_at", "problem", "read_until", "next_read_at")}
    expected |= {f"{table}.{column}": "UPDATE" for table, columns in changed.items() for column in columns}
    assert granted(postgres, APPLICATION_ROLE) == expected
    assert default_privileges == []


def test_the_gate_is_granted_what_it_needs_and_nothing_of_what_teams_work_on(postgres: DatabaseUrls) -> None:
    expected = dict.fromkeys(PEOPLE_TABLES, "DELETE INSERT SELECT UPDATE")
    expected |= dict.fromkeys(("org", "membership"), "DELETE INSERT SELECT")
    expected |= {"invitation": "DELETE SELECT"} | {f"audit_event.{column}": "INSERT" for column in TOLD}
    expected |= {"api_token": "INSERT SELECT"}
    expected |= {f"api_token.{column}": "UPDATE" for column in ("last_used_at", "revoked_at")}
    expected |= {"share_link": "SELECT"}
    expected |= {f"share_link.{column}": "UPDATE" for column in ("views", "last_viewed_at")}
    # The operator sets quotas with the auth role.
    expected |= {"team_quota": "DELETE INSERT SELECT UPDATE"}
    assert granted(postgres, GATE_ROLE) == expected


def test_a_table_that_the_owner_adds_is_closed_to_the_application_until_a_migration_says_otherwise(
    owner: Database,
) -> None:
    with undone(owner) as connection:
        connection.execute(text("CREATE TABLE addition (id bigint GENERATED ALWAYS AS IDENTITY)"))
        allowed = connection.scalar(
            text("SELECT has_table_privilege(:role, 'addition', 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')"),
            {"role": APPLICATION_ROLE},
        )
    assert allowed is False


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE loot (id int)",
        "CREATE TEMPORARY TABLE loot (id int)",
        "CREATE SCHEMA loot",
        "TRUNCATE plan",
        "TRUNCATE measurement CASCADE",
        "TRUNCATE profile_set",
        *(f"DELETE FROM {table}" for table in ADDED_TO),
        "UPDATE measurement SET metrics = '[]'",
        "UPDATE verdict SET verdict = 'good'",
        "UPDATE profile_set SET content = '[]'",
        "UPDATE calibration SET content = '[]'",
        "UPDATE upload_piece SET content = ''",
        "UPDATE upload SET name = 'another'",
        "UPDATE finished_job SET measured_s = 1",
        "DELETE FROM finished_job",
        "UPDATE alert SET words = ''",
        "DELETE FROM alert",
        "UPDATE alert_address SET address = ''",
        "UPDATE inbox_channel SET address = ''",
        *(f"DELETE FROM {table}" for table in OF_RUNS),
        "UPDATE aws_account SET external_id = ''",
        *(f"UPDATE run SET {column} = {column}" for column in ("spec", "quote", "quoted_usd", "key", "account_id")),
        "UPDATE run_event SET words = ''",
        "UPDATE run_report SET content = ''",
        "SELECT FROM due_runs(1)",
        *(f"DELETE FROM {table}" for table in OF_METRICS),
        *(f"UPDATE {table} SET at = at" for table in POINTS),
        "UPDATE watch SET volume_id = volume_id",
        "SELECT FROM due_metrics()",
        *(f"UPDATE report SET {column.name} = {column.name}" for column in report.c if column.name != "deleted_at"),
        *(f"UPDATE report_file SET {column.name} = {column.name}" for column in report_file.c),
        "DELETE FROM report_file",
        *(f"UPDATE report_comment SET {column.name} = {column.name}" for column in report_comment.c),
        "UPDATE report_approval SET approver = ''",
        "DELETE FROM report_approval",
        "UPDATE report_approval_file SET content = ''",
        "DELETE FROM report_approval_file",
        "TRUNCATE report CASCADE",
        "UPDATE plan_watch SET id = id",
        "DELETE FROM plan_watch",
        "UPDATE plan_check SET cost_usd = 0",
        "SELECT FROM due_plan_watches(1)",
        "SELECT FROM due_report_schedules(1)",
        "SELECT FROM outdated_calibrations('1', 1)",
        "SELECT FROM metric_partitioning()",
        "CREATE TABLE metric_parts.loot (id int)",
        "SELECT FROM connected_accounts()",
        "ALTER TABLE plan DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE plan NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY tenant ON plan",
        "CREATE POLICY everything ON plan USING (true)",
        f"SET ROLE {OWNER_ROLE}",
        "SET ROLE postgres",
        "UPDATE catalog SET title = 'mine'",
        "DELETE FROM catalog",
        *(f"UPDATE {table} SET part = 0" for table in sorted(CATALOG_TABLES - {"catalog", "catalog_part"})),
        *(f"DELETE FROM {table}" for table in sorted(CATALOG_TABLES - {"catalog"})),
        *(f"TRUNCATE {table} CASCADE" for table in sorted(CATALOG_TABLES)),
        "UPDATE region_price SET value = 0",
        "UPDATE alembic_version SET version_num = 'mine'",
        "UPDATE org SET org_id = gen_random_uuid()",
        "DELETE FROM org",
        "INSERT INTO membership (person_id, role) VALUES (gen_random_uuid(), 'owner')",
        "UPDATE membership SET person_id = gen_random_uuid()",
        "UPDATE audit_event SET action = 'nothing'",
        "DELETE FROM audit_event",
        "TRUNCATE audit_event",
        "ALTER TABLE plan DISABLE TRIGGER record",
        "SET session_replication_role = replica",
        "SELECT created_at FROM person",
        f"SET ROLE {GATE_ROLE}",
        *(f"SELECT FROM {table}" for table in sorted(PEOPLE_TABLES - {"person"})),
    ],
)
def test_the_application_may_not(database: Database, org_id: UUID, statement: str) -> None:
    with pytest.raises(DBAPIError, match=r"permission denied|must be owner"), undone(database, org_id) as connection:
        connection.execute(text(statement))


def insert_plan(connection: Connection) -> None:
    connection.execute(insert(plan), PLAN | {"id": uuid4()})


def test_an_organisation_sees_only_its_own_rows(database: Database, org_id: UUID, other_org_id: UUID) -> None:
    for tenant in (org_id, other_org_id):
        with database.transaction(tenant) as connection:
            insert_plan(connection)
            connection.execute(insert(profile_set), PROFILES | {"org_id": tenant})
    for tenant in (org_id, other_org_id):
        with database.transaction(tenant) as connection:
            for table in (org, plan, profile_set):
                of_anybody = select(table.c.org_id).where(table.c.org_id.is_not(None))
                assert connection.scalars(of_anybody).all() == [tenant], table


def test_without_an_organisation_no_row_of_any_is_seen_but_what_is_published_is(
    database: Database, org_id: UUID
) -> None:
    with database.transaction(org_id) as connection:
        insert_plan(connection)
        connection.execute(insert(profile_set), PROFILES)
    with database.transaction(None) as connection:
        for table in ("plan", "org", "profile_set"):
            assert connection.execute(text(f"SELECT FROM {table}")).rowcount == 0, table
        assert connection.execute(text("SELECT FROM published_profile")).rowcount > 0


def test_the_owner_too_sees_rows_of_no_organisation_but_the_one_it_works_for(
    owner: Database, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    with database.transaction(org_id) as connection:
        insert_plan(connection)
    for tenant, seen in ((None, 0), (other_org_id, 0), (org_id, 1)):
        with owner.transaction(tenant) as connection:
            assert connection.execute(text("SELECT FROM plan")).rowcount == seen


@pytest.mark.parametrize("tenant", ["another", "none"])
def test_rows_of_another_organisation_are_out_of_reach(
    database: Database, org_id: UUID, other_org_id: UUID, tenant: str
) -> None:
    with database.transaction(org_id) as connection:
        insert_plan(connection)
        row_id = connection.scalar(select(plan.c.id).where(plan.c.org_id == org_id))
    this_row = plan.c.id == row_id
    changes = (update(plan).where(this_row).values(org_id=plan.c.org_id), delete(plan).where(this_row))
    stranger = other_org_id if tenant == "another" else None
    for change in changes:
        with database.transaction(stranger) as connection:
            assert connection.execute(change).rowcount == 0
        with database.transaction(org_id) as connection:
            assert connection.execute(change).rowcount == 1


def test_a_row_cannot_be_written_for_another_organisation_or_given_to_it(
    database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    with database.transaction(org_id) as connection:
        insert_plan(connection)
    plan_of_other = PLAN | {"id": uuid4(), "org_id": other_org_id}
    for tenant, statement in (
        (org_id, insert(plan).values(plan_of_other)),
        (org_id, insert(profile_set).values(PROFILES | {"org_id": other_org_id})),
        (org_id, update(plan).values(org_id=other_org_id)),
        (None, insert(plan).values(plan_of_other)),
        (None, insert(plan).values(PLAN | {"id": uuid4()})),
    ):
        with database.transaction(tenant) as connection, pytest.raises(DBAPIError, match="row-level security"):
            connection.execute(statement)


def test_a_profile_belongs_to_a_team(database: Database, org_id: UUID) -> None:
    with pytest.raises(DBAPIError, match="row-level security"), database.transaction(None) as connection:
        connection.execute(insert(profile_set), PROFILES)
    with database.transaction(org_id) as connection:
        connection.execute(insert(profile_set), PROFILES)
    with pytest.raises(DBAPIError, match="permission denied"), database.transaction(org_id) as connection:
        connection.execute(text("UPDATE profile_set SET org_id = NULL"))


def test_an_upload_that_is_kept_is_neither_changed_nor_removed_nor_is_a_piece_of_it(
    database: Database, org_id: UUID
) -> None:
    kept, staged = uuid4(), uuid4()
    with database.transaction(org_id) as connection:
        for upload_id in (kept, staged):
            named = {"id": upload_id, "name": "fio.json", "size_bytes": 1, "state": "read", "person": "Ada"}
            connection.execute(insert(upload), named | {"expires_at": datetime(2026, 12, 1, tzinfo=UTC)})
            connection.execute(insert(upload_piece), {"upload_id": upload_id, "number": 0, "content": b"x"})
        keeping = update(upload).where(upload.c.id == kept).values(state="kept", expires_at=None)
        assert connection.execute(keeping).rowcount == 1
    changes = (
        update(upload).values(problem="x").returning(upload.c.id),
        delete(upload_piece).returning(upload_piece.c.upload_id),
        delete(upload).returning(upload.c.id),
    )
    for change in changes:
        with database.transaction(org_id) as connection:
            assert connection.scalars(change).all() == [staged]


def test_an_organisation_is_created_by_the_owner_working_for_it_only(
    owner: Database, org_id: UUID, other_org_id: UUID
) -> None:
    with pytest.raises(DBAPIError, match="row-level security"), owner.transaction(org_id) as connection:
        connection.execute(insert(org), {"org_id": uuid4(), "name": "Sneaked in"})
    with owner.transaction(org_id) as connection:
        changed = connection.execute(text("UPDATE org SET name = 'x' WHERE org_id = :other"), {"other": other_org_id})
        assert changed.rowcount == 0
