"""Metric points in partitions by time beside one table with a BRIN index: time and size of both layouts.

    python bench/metric_layouts.py [--series 200] [--rounds 2]

A PostgreSQL of its own, as `stowage up` runs one. Both layouts get the same rows: 14 days of minutes, an hour at a
time, and 455 days of hours, a day at a time. Then charts are drawn from them, and the oldest day and the oldest 35 days
go.
"""

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from stowage.platform.database.embedded import embedded_postgres

START = datetime(2025, 1, 1, tzinfo=UTC)
COLUMNS = "series_id bigint, at timestamptz, org_id uuid NOT NULL, value float8 NOT NULL, PRIMARY KEY (series_id, at)"
CHARTS = 50
Connection = psycopg.Connection[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Kind:
    """Kind of points: what is stored, how long a partition is, and what a chart shows."""

    name: str
    days: int
    period: timedelta
    batch: timedelta
    partition_days: int
    chart_days: int
    step: timedelta


KINDS = (
    Kind("minutes", 14, timedelta(minutes=1), timedelta(hours=1), 1, 7, timedelta(minutes=30)),
    Kind("hours", 455, timedelta(hours=1), timedelta(days=1), 35, 365, timedelta(days=1)),
)


def main() -> None:
    """Print a line for each layout and step."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--series", type=int, default=200)
    arguments.add_argument("--rounds", type=int, default=2)
    given = arguments.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {given.series} series")
    with TemporaryDirectory(prefix="stowage-bench-") as folder, embedded_postgres(Path(folder)) as urls:
        address = urls.owner.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(address, autocommit=True) as connection:
            for _ in range(given.rounds):
                for layout in (_partitioned, _plain):
                    for kind in KINDS:
                        print(
                            layout.__name__[1:],
                            kind.name,
                            *_measured(connection, layout, kind, given.series),
                            sep=" | ",
                        )


def _partitioned(connection: Connection, kind: Kind) -> None:
    connection.execute(f"CREATE TABLE kept ({COLUMNS}) PARTITION BY RANGE (at)".encode())
    for first in range(0, kind.days, kind.partition_days):
        low, high = (START + timedelta(days=day) for day in (first, first + kind.partition_days))
        part = f"CREATE TABLE kept_{first} PARTITION OF kept FOR VALUES FROM ('{low}') TO ('{high}')"
        connection.execute(part.encode())


def _plain(connection: Connection, _: Kind) -> None:
    connection.execute(f"CREATE TABLE kept ({COLUMNS})".encode())
    connection.execute(b"CREATE INDEX ON kept USING brin (at)")


def _measured(
    connection: Connection, layout: Callable[[Connection, Kind], None], kind: Kind, series: int
) -> tuple[str, ...]:
    connection.execute(b"DROP TABLE IF EXISTS kept")
    layout(connection, kind)
    filled_s = _seconds(lambda: _fill(connection, kind, series))
    connection.execute(b"VACUUM ANALYZE kept")
    rows, size = _size(connection)
    drawn_ms = [1e3 * _seconds(partial(_draw, connection, kind, 1 + at % series)) for at in range(CHARTS)]
    dropped_s = _seconds(lambda: _drop(connection, layout, kind))
    _, left = _size(connection)
    return (
        f"{rows:,} rows in {filled_s:.0f} s",
        f"{size:.0f} MiB",
        f"chart {statistics.median(drawn_ms):.1f} ms",
        f"oldest gone in {dropped_s * 1e3:.0f} ms",
        f"then {left:.0f} MiB",
    )


def _seconds(call: Callable[[], None]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _fill(connection: Connection, kind: Kind, series: int) -> None:
    """Store all rows as readings bring them: of all series, a batch of time after the other."""
    for batch in range(timedelta(days=kind.days) // kind.batch):
        first = START + batch * kind.batch
        connection.execute(
            "INSERT INTO kept SELECT series, at, '00000000-0000-0000-0000-000000000001', random() "
            "FROM generate_series(1, %(series)s) AS series, "
            "generate_series(%(first)s::timestamptz, %(last)s, %(period)s) AS at ORDER BY series, at "
            "ON CONFLICT (series_id, at) DO UPDATE SET value = excluded.value WHERE kept.value <> excluded.value",
            {"series": series, "first": first, "last": first + kind.batch - kind.period, "period": kind.period},
        )


def _draw(connection: Connection, kind: Kind, series_id: int) -> None:
    """Read the chart of a series, from its third day on."""
    start = START + timedelta(days=3)
    connection.execute(
        "SELECT date_bin(%(step)s, at, %(origin)s) AS step, count(*), sum(value), min(value), max(value) FROM kept "
        "WHERE series_id = %(series)s AND at >= %(start)s AND at < %(end)s GROUP BY step ORDER BY step",
        {
            "step": kind.step,
            "origin": START,
            "series": series_id,
            "start": start,
            "end": start + timedelta(days=kind.chart_days),
        },
    ).fetchall()


def _drop(connection: Connection, layout: Callable[[Connection, Kind], None], kind: Kind) -> None:
    """Remove the oldest partition, or its rows and the room that they took."""
    if layout is _partitioned:
        connection.execute(b"DROP TABLE kept_0")
        return
    connection.execute("DELETE FROM kept WHERE at < %s", (START + timedelta(days=kind.partition_days),))
    connection.execute(b"VACUUM kept")


def _size(connection: Connection) -> tuple[int, float]:
    """Return the number of rows, and the size of the table with its indexes [MiB]."""
    [(rows, size)] = connection.execute(
        b"SELECT (SELECT count(*) FROM kept), sum(pg_total_relation_size(oid))::float8 FROM pg_class "
        b"WHERE relkind = 'r' AND relname ~ '^kept(_[0-9]+)?$'"
    ).fetchall()
    return int(str(rows)), float(str(size)) / (1 << 20)


if __name__ == "__main__":
    main()
