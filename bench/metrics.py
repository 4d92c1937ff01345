"""Metric points: how fast they are taken in, how large they are, and how long a chart of them takes.

Run: python bench/metrics.py [--points 10000000] [--volumes 100]
A PostgreSQL of its own, as `stowage up` runs one, and the calls that the worker and the API make. First all points, a
day of some series after the other, as after a long absence, and beside them a reference: COPY of 1,000,000 rows into a
table without index, row-level security and roll-ups. Then readings as they come, the last 20 minutes of every series;
then charts, each of another volume and another time. CPU times are those of this process and of its server process.
"""

import argparse
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

import psycopg
from sqlalchemy import text

from stowage.cli.server.preparation import prepare_database
from stowage.features.benchmarks.store import aws_accounts
from stowage.features.benchmarks.store.aws_accounts import StoredAccount
from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.store import metrics, watches
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.features.monitoring.store.watches import NewWatch
from stowage.features.monitoring.watches import read_series
from stowage.features.monitoring.watching import STORED_AT_ONCE
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import embedded_postgres
from stowage.platform.database.orgs import LOCAL_ORG_ID

REGION, DAYS = "us-east-1", 14
METRICS = watched_metrics.of_volume("gp2")
CHARTS = 200
SPANS = {"6 hours": 0.25, "1 day": 1.0, "7 days": 7.0, "60 days": 60.0, "1 year": 365.0}
HISTORY_DAYS = 380
COPIED = 1_000_000


def main() -> None:
    """Print tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--points", type=int, default=10_000_000)
    arguments.add_argument("--volumes", type=int, default=100)
    asked = arguments.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}")
    with TemporaryDirectory(prefix="stowage-bench-") as folder, embedded_postgres(Path(folder)) as urls:
        prepare_database(urls.owner, urls.application, urls.gate)
        database = Database(urls.application)
        try:
            account_id, now = uuid4(), datetime.now(UTC).replace(second=0, microsecond=0)
            watched, series = make(database, account_id, asked.volumes, now)
            points(database, urls.owner, series, asked.points, now)
            in_turn(database, series, now)
            remember(database, series, now)
            draw(database, watched, now)
        finally:
            database.close()


def points(database: Database, owner: str, series: Sequence[int], most: int, now: datetime) -> None:
    """Store points, and print how long it took and how large they are."""
    minutes = min(most // len(series), DAYS * 1440)
    first = now - timedelta(minutes=minutes)
    with database.transaction(LOCAL_ORG_ID) as connection:
        metrics.open_partitions(connection, first, now)
    copied_s = copied(owner)
    took_s, here_s, there_s = fill(database, series, first, minutes)
    copied_s = (copied_s + copied(owner)) / 2
    count = len(series) * minutes
    print(
        f"{count:,} points of {len(series)} series over {minutes / 1440:.1f} days: {took_s:.1f} s, "
        f"{count / took_s:,.0f} points/s with both roll-ups; "
        f"CPU {here_s:.1f} s in Python, {there_s:.1f} s in PostgreSQL"
    )
    print(
        f"COPY of {COPIED:,} rows without all that: {copied_s:.2f} s CPU, "
        f"so {copied_s * count / COPIED:.1f} s for as many"
    )
    with database.transaction(LOCAL_ORG_ID) as connection:
        for kind, size in connection.execute(
            text(
                "SELECT kind, pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM ("
                "VALUES ('metric_point'), ('metric_five_minutes'), ('metric_hour')) AS kinds (kind) "
                "JOIN pg_inherits ON inhparent = kind::regclass GROUP BY kind ORDER BY kind"
            )
        ):
            print(f"  {kind}: {size}")


def copied(owner: str) -> float:
    """Copy points into a plain table, as text that is made beforehand; return the CPU time of the server [s]."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    lines = "".join(
        f"{number // 1440}\t{at + timedelta(minutes=number % 1440)}\t{LOCAL_ORG_ID}\t{random.random() * 1e9}\n"  # noqa: S311
        for number in range(COPIED)
    )
    with psycopg.connect(owner.replace("postgresql+psycopg://", "postgresql://")) as connection:
        connection.execute("CREATE TABLE plain (series_id bigint, at timestamptz, org_id uuid, value float8)")
        connection.commit()
        began = cpu_s(connection.info.backend_pid)
        with connection.cursor() as cursor, cursor.copy("COPY plain FROM STDIN") as copy:
            copy.write(lines)
        connection.commit()
        took = cpu_s(connection.info.backend_pid) - began
        connection.execute("DROP TABLE plain")
    return took


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make(database: Database, account_id: UUID, volumes: int, now: datetime) -> tuple[list[UUID], list[int]]:
    """Make an account, watched volumes, and their series."""
    account = StoredAccount(
        id=account_id,
        name="Bench",
        account="123456789012",
        external_id=str(account_id),
        prefix="stowage/",
        bucket_region=None,
        month_limit_usd=Decimal(1),
        person="Bench",
        created_at=now,
    )
    names = [f"vol-{number:017x}" for number in range(volumes)]
    with database.transaction(LOCAL_ORG_ID) as connection:
        aws_accounts.add(connection, account)
        ids = [uuid4() for _ in names]
        for watch_id, name in zip(ids, names, strict=True):
            watches.add(connection, NewWatch(watch_id, account_id, REGION, name, "Bench", now, now))
            watches.describe(connection, watch_id, {"type": "gp2", "size_gib": 500, "iops": 1500})
        keys = [
            SeriesKey(
                each.namespace,
                each.metric,
                each.dimension,
                name,
                each.statistic,
                each.period_s,
                account_id=account_id,
                region=REGION,
            )
            for name in names
            for each in METRICS
        ]
        found = metrics.series_of(connection, keys)
    return ids, [found[key] for key in keys]


def fill(database: Database, series: Sequence[int], first: datetime, minutes: int) -> tuple[float, float, float]:
    """Store all points, a day at a time and as many series as the worker stores in a transaction.

    Returns the time that it took, and the CPU time here and of the server [s].
    """
    took, here, there = 0.0, 0.0, 0.0
    for day in range(0, minutes, 1440):
        times = [first + timedelta(minutes=minute) for minute in range(day, min(day + 1440, minutes))]
        together = STORED_AT_ONCE // 1440
        for start in range(0, len(series), together):
            points = {
                each: {at: random.random() * 1e9 for at in times}  # noqa: S311 - no secret
                for each in series[start : start + together]
            }
            began, began_here = time.perf_counter(), time.process_time()
            with database.transaction(LOCAL_ORG_ID) as connection:
                [(pid,)] = connection.execute(text("SELECT pg_backend_pid()"))
                began_there = cpu_s(pid)
                metrics.put_in(connection, points)
            took += time.perf_counter() - began
            here += time.process_time() - began_here
            there += cpu_s(pid) - began_there
    return took, here, there


def remember(database: Database, series: Sequence[int], now: datetime) -> None:
    """Store what a year of readings leaves: hours, and five minutes of the last two months, day by day."""
    whole = "1440, 6e9 * random(), 1e7, 2e8"
    for table, days, row, cells, more, of_day in (
        ("metric_hour", HISTORY_DAYS, "1 day", 24, ", day_points, day_total, day_smallest, day_largest", f", {whole}"),
        ("metric_five_minutes", 62, "1 hour", 12, "", ""),
    ):
        first = (now - timedelta(days=days)).replace(hour=0, minute=0)
        with database.transaction(LOCAL_ORG_ID) as connection:
            metrics.open_partitions(connection, first, now)
        # All series have the same few days: what they hold does not change how long a chart takes.
        made = f"array_fill({{}}, ARRAY[{cells}])"
        for day in range(days):
            at = first + timedelta(days=day)
            with database.transaction(LOCAL_ORG_ID) as connection:
                connection.execute(
                    text(
                        f"INSERT INTO {table} (series_id, at, points, total, smallest, largest{more}) "  # noqa: S608 - ours
                        f"SELECT series, at, {made.format('60')}, {made.format('6e9 * random()')}, "
                        f"{made.format('1e7::float8')}, {made.format('2e8::float8')}{of_day} "
                        "FROM generate_series(CAST(:at AS timestamptz), CAST(:last AS timestamptz), "
                        f"interval '{row}') AS at, unnest(CAST(:series AS bigint[])) AS series "
                        "ON CONFLICT DO NOTHING"
                    ),
                    {"at": at, "last": at + timedelta(hours=23), "series": list(series)},
                )


def in_turn(database: Database, series: Sequence[int], now: datetime) -> None:
    """Store what readings bring: of every series five minutes that are new and fifteen that are there."""
    times_s = []
    for reading in range(10):
        newest = now + timedelta(minutes=5 * reading)
        times = [newest - timedelta(minutes=back) for back in range(20)]
        points = {each: {at: float(at.timestamp() % 97) for at in times} for each in series}
        began = time.perf_counter()
        with database.transaction(LOCAL_ORG_ID) as connection:
            metrics.put_in(connection, points)
        times_s.append(time.perf_counter() - began)
    # The first changes what was drawn at random; from then on only what is new does.
    told = statistics.median(times_s[4:])
    print(f"a reading of {len(series)} series (5 new points, 15 known): median {told * 1e3:.0f} ms")


def draw(database: Database, watched: Sequence[UUID], now: datetime) -> None:
    """Draw charts of seven series each with at most 400 steps, as the page asks for them."""
    print(f"{'chart of':10} {'step':>8} {'p50 ms':>8} {'p95 ms':>8} {'largest':>8} {'CPU ms':>8} {'server ms':>10}")
    for name, days in SPANS.items():
        steps: list[int] = []

        def chart(days: float = days, steps: list[int] = steps) -> None:
            end = now - timedelta(days=0.04 * days) * random.random()  # noqa: S311 - no secret
            start = end - timedelta(days=days)
            answer = read_series(
                database,
                LOCAL_ORG_ID,
                random.choice(watched),  # noqa: S311, TID251 - no secret
                start=start,
                end=end,
                most=400,
                now=now,
            )
            steps.append(answer.step_s)

        times_ms, here_ms, there_ms = timed(database, chart)
        p50, p95 = statistics.median(times_ms), statistics.quantiles(times_ms, n=20)[-1]
        print(f"{name:10} {max(steps):6} s {p50:8.1f} {p95:8.1f} {max(times_ms):8.1f} {here_ms:8.1f} {there_ms:10.1f}")


def timed(database: Database, call: Callable[[], None]) -> tuple[list[float], float, float]:
    """Time a call often [ms], the first few left out; return its mean CPU time here and in the server too [ms]."""
    for _ in range(5):
        call()
    # One call after the other: all use the same connection of the pool.
    with database.transaction(LOCAL_ORG_ID) as connection:
        [(pid,)] = connection.execute(text("SELECT pg_backend_pid()"))
    found = []
    here, there = time.process_time(), cpu_s(pid)
    for _ in range(CHARTS):
        began = time.perf_counter()
        call()
        found.append((time.perf_counter() - began) * 1e3)
    return found, (time.process_time() - here) / CHARTS * 1e3, (cpu_s(pid) - there) / CHARTS * 1e3


if __name__ == "__main__":
    main()
