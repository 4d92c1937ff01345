"""A row in every table of a team, generated from the schema, so that tests also cover future tables."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection, sql
from sqlalchemy import JSON, Boolean, Column, Date, DateTime, Double, Integer, LargeBinary, Numeric, Table, Text, Uuid

from database import KEYRING, superuser
from stowage.features.tables import metadata
from stowage.platform.database.columns import ExactFloat, Sealed
from stowage.platform.database.embedded import DatabaseUrls

TENANT_TABLES: Mapping[str, Table] = {
    name: table for name, table in metadata.tables.items() if "org_id" in table.c and name != "org"
}
"""Every table with rows of a team, except the table of teams itself."""

CHECKED: Mapping[str, Any] = {
    "upload.state": "arriving",
    "upload.expires_at": datetime(2026, 12, 1, tzinfo=UTC),
    "measurement.status": "partial",
    "measurement.verdict": "doubtful",
    "measurement.failure": "It ended early.",
    "verdict.verdict": "doubtful",
    "profile_set.digest": "0" * 64,
    "profile_set.content": json.dumps({"profiles": []}),
    "calibration.digest": "0" * 64,
    "alert_address.kind": "mail",
    "inbox_channel.channel": "mail",
    # Never due, like the watch below.
    "inbox_channel.due_at": datetime(2126, 1, 1, tzinfo=UTC),
    "job.kind": "sweep",
    "job.state": "queued",
    "job.done": 0,
    "job_part.state": "done",
    "membership.role": "viewer",
    "invitation.role": "viewer",
    "share_link.kind": "plan",
    "audit_event.actor_kind": "system",
    "aws_account.state": "unchecked",
    "aws_account.prefix": "stowage/",
    "run.state": "quoted",
    "watch.volume_id": "vol-0123456789abcdef0",
    "alert.profile_key": "x",
    "alert.metric": "x",
    "plan_watch.every": "month",
    # Never due: the database is shared with tests whose services would check it.
    "plan_watch.next_check_at": datetime(2126, 1, 1, tzinfo=UTC),
    "plan_check.problem": "It could not be answered.",
    "metric_series.statistic": "Sum",
    "report.kind": "plan",
    "report.content": "{}",
    "report.digest": hashlib.sha256(b"{}").hexdigest(),
    "metric_point.value": [1.0] * 60,
    **{
        f"{table}.{column}": [1] * cells
        for table, cells in (("metric_five_minutes", 12), ("metric_hour", 24))
        for column in ("points", "total", "smallest", "largest")
    },
    "report_file.format": "pdf",
    "report_file.content": b"%PDF",
    "report_file.digest": hashlib.sha256(b"%PDF").hexdigest(),
    "report_approval.state": "requested",
    "report_approval_file.content": b"%PDF",
    "report_approval_file.digest": hashlib.sha256(b"%PDF").hexdigest(),
    "report_schedule.every": "week",
    "report_schedule.content": "link",
    "report_schedule.next_at": datetime(2126, 1, 1, tzinfo=UTC),
    "plan.catalog_version": "paper-2014",
    "sweep.catalog_version": "paper-2014",
}
"""Values that constraints of some columns require."""


def fill(postgres: DatabaseUrls, org_id: UUID) -> None:
    """Write one row of a team into each table, as the superuser, bypassing triggers and foreign keys."""
    with superuser(postgres) as connection:
        connection.execute("SET session_replication_role = replica")
        for table in TENANT_TABLES.values():
            values = row(table, org_id)
            if "series_id" in values:
                # Points belong to a series, so they must use the team's own.
                values["series_id"] = _series_of(connection, org_id)
            _insert(connection, table, values)


def empty(postgres: DatabaseUrls, org_id: UUID) -> None:
    """Delete a team's rows: they violate foreign keys, and other tests read all rows of a table."""
    with superuser(postgres) as connection:
        connection.execute("SET session_replication_role = replica")
        for name in TENANT_TABLES:
            query = sql.SQL("DELETE FROM {} WHERE org_id = %s").format(sql.Identifier(name))
            connection.execute(query, [org_id])


def row(table: Table, org_id: UUID) -> dict[str, Any]:
    """Return a row that a table would accept."""
    values = {
        column.name: CHECKED[named] if named in CHECKED else _any_of(column)
        for column in table.columns
        if (named := f"{table.name}.{column.name}") in CHECKED or (not column.nullable and column.identity is None)
    }
    return values | {"org_id": org_id}


def _series_of(connection: Connection[Any], org_id: UUID) -> int:
    found = connection.execute("SELECT max(id) FROM metric_series WHERE org_id = %s", [org_id]).fetchone()
    assert found is not None
    number: int = found[0]
    return number


def _insert(connection: Connection[Any], table: Table, values: Mapping[str, Any]) -> None:
    query = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table.name),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(sql.Placeholder() for _ in values),
    )
    connection.execute(query, list(values.values()))


def _any_of(column: Column[Any]) -> Any:
    for kind, value in (
        (Uuid, uuid4()),
        (JSON, json.dumps([])),
        (LargeBinary, uuid4().bytes),
        (Sealed, KEYRING.seal(bytes(32))),
        (Boolean, True),
        (Integer, 1),
        ((Double, ExactFloat), 1.0),
        (Numeric, Decimal(1)),
        (DateTime, datetime.now(UTC)),
        (Date, date(2026, 11, 21)),
        (Text, uuid4().hex if column.unique else "x"),
    ):
        if isinstance(column.type, kind):
            return value
    raise NotImplementedError(column)
