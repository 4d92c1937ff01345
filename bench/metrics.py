"""Metric points: how fast they are taken in, how large they are, and how long a chart of them takes.

Run: python bench/metrics.py [--points 10000000] [--volumes 100]
A PostgreSQL of its own, as `stowage up` runs one, and the calls that the worker and the API make. First all points, a
day of a volume after the other, as after a long absence; then readings as they come, the last 20 minutes of every
series; then charts, each of another volume and another time.
"""

import argparse
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

from sqlalchemy import text

from stowage.cli.server.preparation import prepare_database
from stowage.features.benchmarks.store import aws_accounts
from stowage.features.benchmarks.store.aws_accounts import StoredAccount
from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.store import metrics, watches
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.features.monitoring.store.watches import NewWatch
from stowage.features.monitoring.watches import read_series
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import embedded_postgres
from stowage.platform.database.orgs import LOCAL_ORG_ID

REGION, DAYS = "us-east-1", 14
METRICS = watched_metrics.of_volume("gp2")
CHARTS = 200
SPANS = {"6 hours": 0.25, "1 day": 1.0, "7 days": 7.0, "14 days": 14.0}


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
            measure(database, asked.points, asked.volumes)
        finally:
            database.close()


def measure(database: Database, most: int, volumes: int) -> None:
    """Store points and draw them."""
    account_id, now = uuid4(), datetime.now(UTC).replace(second=0, microsecond=0)
    watched, series = make(database, account_id, volumes, now)
    minutes = min(most // (volumes * len(METRICS)), DAYS * 1440)
    first = now - timedelta(minutes=minutes)
    with database.transaction(LOCAL_ORG_ID) as connection:
        metrics.open_partitions(connection, first, now)
    took, stored = fill(database, series, first, minutes)
    print(
        f"{stored:,} points of {len(series)} series over {minutes / 1440:.1f} days: {took:.0f} s, "
        f"{stored / took:,.0f} points/s with both roll-ups"
    )
    with database.transaction(LOCAL_ORG_ID) as connection:
        rows = connection.execute(
            text(
                "SELECT kind, pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM ("
                "VALUES ('metric_point'), ('metric_five_minutes'), ('metric_hour')) AS kinds (kind) "
                "JOIN pg_inherits ON inhparent = kind::regclass GROUP BY kind ORDER BY kind"
            )
        )
        for kind, size in rows:
            print(f"  {kind}: {size}")
    in_turn(database, series, now)
    draw(database, watched, first, now)


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


def fill(database: Database, series: Sequence[int], first: datetime, minutes: int) -> tuple[float, int]:
    """Store all points, seven series of a volume at a time and a day at a time."""
    took, stored = 0.0, 0
    for day in range(0, minutes, 1440):
        times = [first + timedelta(minutes=minute) for minute in range(day, min(day + 1440, minutes))]
        for start in range(0, len(series), len(METRICS)):
            points = {
                each: {at: random.random() * 1e9 for at in times}  # noqa: S311 - no secret
                for each in series[start : start + len(METRICS)]
            }
            began = time.perf_counter()
            with database.transaction(LOCAL_ORG_ID) as connection:
                stored += metrics.put_in(connection, points)
            took += time.perf_counter() - began
    return took, stored


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


def draw(database: Database, watched: Sequence[UUID], first: datetime, now: datetime) -> None:
    """Draw charts of seven series each with at most 400 steps, as the page asks for them."""
    print(f"{'chart of':10} {'step':>7} {'p50 ms':>8} {'p95 ms':>8} {'largest':>8}")
    for name, days in SPANS.items():
        if timedelta(days=days) > now - first:
            continue
        steps: list[int] = []

        def chart(days: float = days, steps: list[int] = steps) -> None:
            end = now - (now - first - timedelta(days=days)) * random.random()  # noqa: S311 - no secret
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

        times_ms = timed(chart)
        p95 = statistics.quantiles(times_ms, n=20)[-1]
        print(f"{name:10} {max(steps):5} s {statistics.median(times_ms):8.1f} {p95:8.1f} {max(times_ms):8.1f}")


def timed(call: Callable[[], None]) -> list[float]:
    """Time a call often [ms], the first few left out."""
    for _ in range(5):
        call()
    found = []
    for _ in range(CHARTS):
        began = time.perf_counter()
        call()
        found.append((time.perf_counter() - began) * 1e3)
    return found


if __name__ == "__main__":
    main()
