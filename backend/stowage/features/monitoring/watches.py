"""Monitored volumes: start, list, read and end the monitoring, and read the charts of volumes and runs.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from stowage.features.benchmarks.store import aws_accounts
from stowage.features.benchmarks.stored_runs import read_run
from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.metric_charts import factor_of, run_chart, volume_chart
from stowage.features.monitoring.schemas import (
    LatestAnswer,
    MetricsAnswer,
    NewWatch,
    WatchAnswer,
    WatchedVolumeAnswer,
    WatchListAnswer,
)
from stowage.features.monitoring.store import chart_data, metrics
from stowage.features.monitoring.store import watches as store
from stowage.features.monitoring.store.metrics import StoredSeries
from stowage.features.monitoring.store.watches import StoredWatch
from stowage.features.monitoring.watching import READ_EVERY
from stowage.platform.access import must_exist
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.paging import read_page

MOST_WATCHES = 200
"""Maximum number of volumes that a team watches at once."""
MOST_STEPS = 1_000
LATEST_FOR = timedelta(hours=3)
"""Maximum age of a value that is shown as the latest."""


def add(database: Database, org_id: UUID, asked: NewWatch, *, by: str, now: datetime) -> WatchAnswer:
    """Start to monitor a volume; a worker reads the volume's metrics within about two minutes.

    Raises
    ------
    Conflict
        The volume is watched already, or the team watches the maximum number of volumes.
    """
    with database.transaction(org_id) as connection:
        account = must_exist(aws_accounts.get(connection, asked.account_id))
        # Use the id that was read in this team: foreign keys ignore row-level security.
        new = store.NewWatch(uuid4(), account.id, asked.region, asked.volume_id, by, now, now)
        if store.count_open(connection) >= MOST_WATCHES:
            raise Conflict(f"The team watches {MOST_WATCHES} volumes; end one first.")
        if not store.add(connection, new):
            raise Conflict(f"{asked.volume_id} is watched already.")
    return read(database, org_id, new.id, now=now)


def list_watches(
    database: Database, org_id: UUID, *, ended: bool, limit: int, cursor: str | None, now: datetime
) -> WatchListAnswer:
    """Return monitored volumes, newest first."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection, ended=ended))
        answers = _answers(connection, page, now)
        watched = store.count_open(connection)
    return WatchListAnswer(
        watches=answers,
        next_cursor=next_cursor,
        read_every_s=READ_EVERY.total_seconds(),
        most=MOST_WATCHES,
        watched=watched,
    )


def read(database: Database, org_id: UUID, watch_id: UUID, *, now: datetime) -> WatchAnswer:
    """Return a monitored volume with its latest metrics."""
    with database.transaction(org_id) as connection:
        [answer] = _answers(connection, [store.demand(connection, watch_id)], now)
    return answer


def end(database: Database, org_id: UUID, watch_id: UUID, *, now: datetime) -> None:
    """Stop monitoring a volume; do nothing if it is no longer monitored.

    Its metrics are kept for the usual time.
    """
    with database.transaction(org_id) as connection:
        store.demand(connection, watch_id)
        store.end(connection, watch_id, now)


def read_series(
    database: Database,
    org_id: UUID,
    watch_id: UUID,
    *,
    start: datetime | None,
    end: datetime | None,
    most: int,
    now: datetime,
) -> MetricsAnswer:
    """Return the CloudWatch metrics of a volume, with the burst-credit balance that the model expects.

    Parameters
    ----------
    start, end : datetime or None
        Time span. By default it ends now, and starts six hours before its end.
    most : int
        Maximum number of steps, 1 to `MOST_STEPS`.

    Raises
    ------
    BadInput
        The end is not after the start, or the whole span is older than the stored data.
    """
    oldest = now - chart_data.LONGEST_KEPT
    until = min(_in_utc(end, "to") or now, now)
    if until <= oldest:
        raise BadInput([Problem("to", f"is too long ago; accepted: the last {chart_data.LONGEST_KEPT.days} days")])
    since = max(_in_utc(start, "from") or until - timedelta(hours=6), oldest)
    if since >= until:
        raise BadInput([Problem("from", "is not before the end, or now; accepted: an earlier time")])
    with database.transaction(org_id) as connection:
        return volume_chart(connection, store.demand(connection, watch_id), since, until, most=most, now=now)


def read_run_metrics(database: Database, org_id: UUID, run_id: UUID, *, most: int, now: datetime) -> MetricsAnswer:
    """Return the CloudWatch metrics of a run, each combined over the run's volumes or nodes."""
    with database.transaction(org_id) as connection:
        return run_chart(connection, *must_exist(read_run(connection, run_id)), most=most, now=now)


def _answers(connection: Connection, rows: Sequence[StoredWatch], now: datetime) -> list[WatchAnswer]:
    names = aws_accounts.names(connection)
    series = metrics.find_series(connection, [row.volume_id for row in rows]) if rows else ()
    newest = metrics.newest(connection, [each.id for each in series], now - LATEST_FOR) if series else {}
    return [
        WatchAnswer.from_fields(
            row,
            account_name=names[row.account_id].name if row.account_id in names else "",
            volume=None if row.description is None else _described(row.description),
            latest=[
                latest
                for each in series
                if (each.resource, each.account_id) == (row.volume_id, row.account_id) and each.id in newest
                for latest in _latest(each, newest[each.id])
            ],
            usd_per_month=None if row.description is None else _usd_per_month(row.description),
        )
        for row in rows
    ]


def _latest(series: StoredSeries, newest: tuple[datetime, float]) -> Iterable[LatestAnswer]:
    wanted = watched_metrics.ALL.get((series.namespace, series.metric))
    if wanted is not None:
        at, value = newest
        yield LatestAnswer.from_fields(wanted, value=value * factor_of(wanted, series.period_s), at=at)


def _usd_per_month(described: Mapping[str, Any]) -> float:
    count = len(watched_metrics.of_volume(str(described["type"])))
    if described.get("instance") is not None:
        count += len(watched_metrics.of_instance(bursts=True))
    return watched_metrics.usd_per_month(count, READ_EVERY.total_seconds())


def _described(described: Mapping[str, Any]) -> WatchedVolumeAnswer:
    kind, size_gib = str(described["type"]), int(described["size_gib"])
    iops, throughput = described.get("iops"), described.get("throughput_mib_per_s")
    words = [f"{kind}, {size_gib:,} GiB"]
    if iops is not None:
        words.append(f"{int(iops):,} IOPS")
    if throughput is not None:
        words.append(f"{int(throughput):,} MiB/s")
    instance = described.get("instance")
    words.append("not attached" if instance is None else f"attached to {instance}")
    return WatchedVolumeAnswer(
        type=kind,
        size_gib=size_gib,
        iops=None if iops is None else int(iops),
        throughput_mib_per_s=None if throughput is None else int(throughput),
        zone=described.get("zone"),
        instance=instance,
        words=", ".join(words),
    )


def _in_utc(at: datetime | None, field: str) -> datetime | None:
    """Convert a time to UTC; a time without a zone is interpreted as UTC."""
    if at is None:
        return None
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise BadInput([Problem(field, "is no time that anything was measured at; accepted: one of lately")]) from None
