"""Worker tasks that read the CloudWatch metrics of monitored volumes and of benchmark runs.

CloudWatch delivers points minutes late, sometimes even later. Each read therefore starts some time before the newest
stored point and overwrites points that have changed. Points that CloudWatch does not have stay missing. After a failure
the next read starts where the last successful read ended.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.benchmarks.aws_accounts import connection_of
from stowage.features.benchmarks.store import aws_accounts
from stowage.features.benchmarks.store.aws_accounts import StoredAccount
from stowage.features.benchmarks.stored_runs import launched_runs
from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.store import chart_data, metrics, watches
from stowage.features.monitoring.store.metrics import SeriesKey
from stowage.features.monitoring.store.watches import StoredWatch
from stowage.features.monitoring.watched_metrics import Watched
from stowage.frozen import frozen
from stowage.model.hardware.catalog import Catalog
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput
from stowage.platform.jobs.queue import METRICS_EVERY_S, READ_METRICS, Queue
from stowage.runs.cloud import Cloud, Clouds
from stowage.runs.observation import CloudError
from stowage.runs.spec import Volumes
from stowage.workloads.knowledge import packaged_knowledge

READ_EVERY = timedelta(minutes=5)
"""Read interval of a monitored volume. AWS charges per requested metric, regardless of the number of points."""
LATE = timedelta(minutes=20)
"""Overlap of successive reads: points that arrive later than this are missed."""
BACK_AT_FIRST = timedelta(hours=24)
"""Time span of existing metrics that the first read of a volume fetches."""

STORED_AT_ONCE = 100_000
"""Most points of several series in one transaction. After a failure in between, the next read asks for all again."""

_AHEAD = timedelta(minutes=1)
"""Allowed clock difference: points further in the future are dropped."""


@frozen
class _Wanted:
    """Metrics of one resource that are to be read."""

    resource: str
    """Id of a volume or an instance: `vol-...`, `i-...`."""
    metrics: tuple[Watched, ...]
    since: datetime


def send_due(gate: Database, database: Database, queue: Queue) -> None:
    """Send a message to the workers for each team whose metrics are due to be read.

    Table partitions with only expired points are dropped.
    """
    with database.transaction(None) as connection:
        metrics.drop_partitions(connection)
    with gate.transaction(None) as connection:
        teams = watches.due_teams(connection)
    queue.send_each(READ_METRICS, [(str(org_id),) for org_id in teams], expires_s=METRICS_EVERY_S)


def read(database: Database, clouds: Clouds, org_id: UUID, now: datetime) -> None:
    """Read the metrics of a team that are due, and store them.

    The call can be repeated, because points that were read twice are stored once. If the metrics of an account cannot
    be read, the error is stored with the account's monitored volumes.
    """
    with database.transaction(org_id) as connection:
        due = watches.take_due(connection, now, now + READ_EVERY)
        accounts = {each.id: each for each in aws_accounts.connected(connection)}
    for account_id, region in dict.fromkeys((each.account_id, each.region) for each in due):
        here = [each for each in due if (each.account_id, each.region) == (account_id, region)]
        _read_watches(database, clouds, org_id, accounts.get(account_id), here, now)
    _read_runs(database, clouds, org_id, accounts, now)


def _read_watches(
    database: Database,
    clouds: Clouds,
    org_id: UUID,
    account: StoredAccount | None,
    due: Sequence[StoredWatch],
    now: datetime,
) -> None:
    """Read the metrics of monitored volumes in one region of an account; store the error if the read fails."""
    ids = [each.id for each in due]
    reached = None if account is None else connection_of(account, org_id)
    # A role that is not proven for this connection may belong to another account that trusts Stowage.
    if account is None or reached is None or account.state != "connected":
        with database.transaction(org_id) as connection:
            watches.note_problem(connection, ids, "The AWS account is not connected.")
        return
    try:
        cloud = clouds.of(reached, due[0].region)
        described = {str(each["id"]): each for each in cloud.volumes_of([each.volume_id for each in due])}
        found = [each for each in due if each.volume_id in described]
        wanted = [one for each in found for one in _wanted_of(each, described[each.volume_id], now)]
        points = _asked(cloud, account.id, due[0].region, wanted, now)
    except CloudError as error:
        with database.transaction(org_id) as connection:
            watches.note_problem(connection, ids, error.words)
        return
    _store(database, org_id, points)
    with database.transaction(org_id) as connection:
        for each in found:
            watches.describe(connection, each.id, described[each.volume_id])
        watches.note_read(connection, [each.id for each in found], now)
        for each in due:
            if each.volume_id not in described:
                there = f"{each.region} of the account has no volume {each.volume_id}."
                watches.note_problem(connection, [each.id], f"{there} It was deleted, or is elsewhere.")


def _wanted_of(watch: StoredWatch, described: Mapping[str, object], now: datetime) -> Iterable[_Wanted]:
    """Yield the metrics that are to be read of a volume and of the instance that it is attached to."""
    since = now - BACK_AT_FIRST if watch.read_until is None else watch.read_until - LATE
    yield _Wanted(watch.volume_id, watched_metrics.of_volume(str(described["type"])), since)
    instance = described.get("instance")
    if isinstance(instance, str):
        bursts = _bursts(described.get("instance_type"), watch.region)
        yield _Wanted(instance, watched_metrics.of_instance(bursts=bursts), since)


def _bursts(instance_type: object, region: str) -> bool:
    """Return whether the EBS bandwidth of an instance type has burst credits; True if it is unknown.

    CloudWatch has metrics of the credit balance only for types with burst credits.
    """
    if not isinstance(instance_type, str):
        return True
    try:
        catalog: Catalog = packaged_knowledge("latest", region).catalog
    except BadInput:
        return True
    known = catalog.instance_types.get(instance_type)
    if known is None or known.ebs_baseline_mb_per_s is None or known.ebs_maximum_mb_per_s is None:
        return True
    return known.ebs_baseline_mb_per_s.value < known.ebs_maximum_mb_per_s.value


def _read_runs(
    database: Database, clouds: Clouds, org_id: UUID, accounts: Mapping[UUID, StoredAccount], now: datetime
) -> None:
    """Read the metrics of benchmark runs and store them.

    Errors are ignored, because the reconciliation of the run reports them.
    """
    with database.transaction(org_id) as connection:
        launched = launched_runs(connection, now - LATE)
    for run, account_id in launched:
        account = accounts.get(account_id)
        reached = None if account is None else connection_of(account, org_id)
        if account is None or reached is None or run.launched_at is None:
            continue
        # An open run keeps the role that was checked. The quote covers only a limited time after the deadline.
        if (run.is_over and account.state != "connected") or now > (run.deadline or now) + LATE:
            continue
        things = {
            (each.kind, each.id)
            for each in run.resources
            if each.kind in {"instance", "volume"} and each.attempt == run.attempt
        }
        since = _since(database, org_id, account.id, [name for _, name in things], run.launched_at)
        bursts = _bursts(run.spec.instance, run.spec.region)
        volume_type = run.spec.storage.type if isinstance(run.spec.storage, Volumes) else ""
        of_kind = {
            "instance": watched_metrics.of_instance(bursts=bursts),
            "volume": watched_metrics.of_volume(volume_type),
        }
        wanted = [_Wanted(name, of_kind[kind], since) for kind, name in sorted(things)]
        try:
            points = _asked(clouds.of(reached, run.spec.region), account.id, run.spec.region, wanted, now)
        except CloudError:
            continue
        _store(database, org_id, points)


def _since(
    database: Database, org_id: UUID, account_id: UUID, resources: Sequence[str], launched_at: datetime
) -> datetime:
    """Return the time from which metrics of a run are read.

    It is some time before the newest stored point, or the launch of the run if no point is stored.
    """
    with database.transaction(org_id) as connection:
        series = metrics.find_series(connection, resources, account_id)
        newest = metrics.newest(connection, [each.id for each in series], launched_at)
    return max((at for at, _ in newest.values()), default=launched_at + LATE) - LATE


def _asked(
    cloud: Cloud, account_id: UUID, region: str, wanted: Sequence[_Wanted], now: datetime
) -> dict[SeriesKey, dict[datetime, float]]:
    """Request metrics from CloudWatch and return their points by series.

    Metrics with the same start time are requested together. Points with an invalid time or value are left out.
    """
    oldest = now - chart_data.POINTS_KEPT + timedelta(hours=1)
    points: dict[SeriesKey, dict[datetime, float]] = {}
    starts = {each: _aligned(max(each.since, oldest)) for each in wanted}
    for start in sorted(set(starts.values())):
        keys = [
            SeriesKey(
                one.namespace,
                one.metric,
                one.dimension,
                each.resource,
                one.statistic,
                one.period_s,
                account_id=account_id,
                region=region,
            )
            for each in wanted
            if starts[each] == start
            for one in each.metrics
        ]
        for key, found in cloud.metrics(keys, start, now).items():
            kept = {at: value for at, value in found if oldest <= at <= now + _AHEAD and math.isfinite(value)}
            if kept:
                points.setdefault(key, {}).update(kept)
    return points


def _aligned(at: datetime) -> datetime:
    """Round a time down to a multiple of the longest metric period.

    If a query started within a period, CloudWatch would return only a part of that period.
    """
    return chart_data.begins(at, watched_metrics.INSTANCE_PERIOD_S)


def _store(database: Database, org_id: UUID, points: Mapping[SeriesKey, Mapping[datetime, float]]) -> None:
    times = [at for each in points.values() for at in each]
    if not times:
        return
    with database.transaction(org_id) as connection:
        metrics.open_partitions(connection, min(times), max(times))
    for some in _batches(points):
        with database.transaction(org_id) as connection:
            series = metrics.series_of(connection, list(some))
            metrics.put_in(connection, {series[key]: found for key, found in some.items()})


def _batches(
    points: Mapping[SeriesKey, Mapping[datetime, float]],
) -> Iterable[Mapping[SeriesKey, Mapping[datetime, float]]]:
    """Yield the points of some series at a time, of several only up to `STORED_AT_ONCE` points."""
    batch: dict[SeriesKey, Mapping[datetime, float]] = {}
    count = 0
    for key, found in points.items():
        if batch and count + len(found) > STORED_AT_ONCE:
            yield batch
            batch, count = {}, 0
        batch[key] = found
        count += len(found)
    yield batch
