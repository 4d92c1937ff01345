"""Metric points as arrays: a row has the values of a whole hour or day of a series."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from alembic import context, op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_ORIGIN = "timestamptz '2001-01-01 00:00:00+00'"
_ROLLED_UP: Mapping[str, sa.types.TypeEngine[Any]] = {
    "points": sa.Integer(),
    "total": sa.Double(),
    "smallest": sa.Double(),
    "largest": sa.Double(),
}


_OF_DAY = {
    "day_points": "sum(points)",
    "day_total": "sum(total ORDER BY cell)",
    "day_smallest": "min(smallest)",
    "day_largest": "max(largest)",
}


class _Table(NamedTuple):
    """A table of points: its columns, the time that a cell and a row of it cover, and for how long it is kept."""

    name: str
    columns: Mapping[str, sa.types.TypeEngine[Any]]
    cell_s: int
    row: str
    row_s: int
    kept: str

    @property
    def cells(self) -> int:
        return self.row_s // self.cell_s


_TABLES = (
    _Table("metric_point", {"value": sa.Double()}, 60, "hour", 3_600, "15 days"),
    _Table("metric_five_minutes", _ROLLED_UP, 300, "hour", 3_600, "63 days"),
    _Table("metric_hour", _ROLLED_UP, 3_600, "day", 86_400, "455 days"),
)


def upgrade() -> None:
    """Store the points of each hour or day in one row; what has expired is left out."""
    for table in _TABLES:
        columns = ", ".join(table.columns)
        in_arrays = ", ".join(f"array_agg({column}) AS {column}" for column in table.columns)
        in_order = ", ".join(f"array_agg({column} ORDER BY cell) AS {column}" for column in table.columns)
        of_rows = ", ".join(f"point.{column}" for column in table.columns)
        one_each = ", ".join(f"max(point.{column}) AS {column}" for column in table.columns)
        of_day = _OF_DAY if table.row == "day" else {}
        sums = "".join(f", {sum_} AS {column}" for column, sum_ in of_day.items())
        begins = f"date_bin('1 {table.row}', at, {_ORIGIN})"
        _replace(
            table,
            f"SELECT series_id, at, org_id, whole.* FROM ("  # noqa: S608 - our own words
            f"  SELECT series_id, {begins} AS at, org_id, "
            f"    array_agg(floor(extract(epoch FROM at - {begins}) / {table.cell_s})::integer) AS cell, {in_arrays} "
            f"  FROM {table.name} WHERE at >= now() - interval '{table.kept}' GROUP BY 1, 2, 3"
            f") AS point CROSS JOIN LATERAL (SELECT {in_order}{sums} FROM ("
            f"  SELECT number AS cell, {one_each} FROM generate_series(0, {table.cells - 1}) AS number "
            f"  LEFT JOIN unnest(point.cell, {of_rows}) AS point (cell, {columns}) ON cell = number GROUP BY number"
            f") AS filled) AS whole",
            [
                *(
                    sa.Column(column, sa.ARRAY(kind), nullable=False, comment=_comment(column))
                    for column, kind in table.columns.items()
                ),
                *(
                    sa.Column(
                        column, table.columns[column.removeprefix("day_")], nullable=False, comment="of all hours"
                    )
                    for column in of_day
                ),
                *(
                    sa.CheckConstraint(f"cardinality({column}) = {table.cells}", name=op.f(f"ck_{table.name}_{column}"))
                    for column in table.columns
                ),
            ],
            f"when its {table.row} begins",
            [*table.columns, *of_day],
        )


def _comment(column: str) -> str:
    return "of each minute, as CloudWatch gave it; null: none came" if column == "value" else "null: no point"


def downgrade() -> None:
    """Store each point in a row of its own again."""
    for table in _TABLES:
        columns = ", ".join(table.columns)
        of_rows = ", ".join(f"kept.{column}" for column in table.columns)
        first = next(iter(table.columns))
        of_columns = ", ".join(f"cell.{column}" for column in table.columns)
        at = f"at + (number - 1) * interval '{table.cell_s} seconds'"
        is_point = first == "value"
        check = [] if is_point else [sa.CheckConstraint("points > 0", name=op.f(f"ck_{table.name}_points"))]
        comments = {
            "value": "as CloudWatch gave it",
            "points": "that are there; others are missing, and not 0",
        }
        _replace(
            table,
            f"SELECT series_id, {at}, org_id, {of_columns} FROM {table.name} AS kept "  # noqa: S608 - our own words
            f"CROSS JOIN unnest({of_rows}) WITH ORDINALITY AS cell ({columns}, number) "
            f"WHERE cell.{first} IS NOT NULL AND at >= now() - interval '{table.kept}'",
            [
                *(
                    sa.Column(column, kind, nullable=False, comment=comments.get(column))
                    for column, kind in table.columns.items()
                ),
                *check,
            ],
            "when its period begins" if is_point else "when it begins",
            table.columns,
        )


def _replace(
    table: _Table,
    content: str,
    columns: list[sa.Column[object] | sa.CheckConstraint],
    at: str,
    changed: Iterable[str],
) -> None:
    """Replace a table by one of other columns and this content; its partitions are replaced with it."""
    before = f"{table.name}_before"
    # The owner migrates for no team: row-level security would hide every row from it.
    op.execute(f"ALTER TABLE {table.name} NO FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE TABLE {before} AS {content}")
    op.drop_table(table.name)
    op.create_table(
        table.name,
        sa.Column("series_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment=at),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("series_id", "at", name=op.f(f"pk_{table.name}")),
        postgresql_partition_by="RANGE (at)",
    )
    op.execute(
        "SELECT open_metric_partitions("  # noqa: S608 - our own words
        f"greatest(least(now(), min(column2)), now() - interval '{table.kept}'), now() + interval '2 days'"
        f") FROM {before} AS kept (column1, column2)"
    )
    op.execute(f"INSERT INTO {table.name} SELECT * FROM {before}")  # noqa: S608 - our own words
    op.drop_table(before)
    op.execute(f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table.name} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON {table.name} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ({', '.join(changed)}) ON {table.name} TO {_role('application_role')}")


def _role(which: str) -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes[which])
