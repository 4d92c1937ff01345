"""Database queries for CloudWatch metrics: series, their points, and the data of charts.

Points are stored at CloudWatch's resolution and rolled up to five minutes and one hour when they arrive. They are kept
as long as CloudWatch keeps them (15, 63 and 455 days). A bucket is the sum, minimum and maximum of the points in one
interval. A late point overwrites the stored point of its period, and the buckets that contain it are recomputed.
Missing values stay missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import Connection, Table, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.monitoring.tables import (
    metric_five_minutes,
    metric_hour,
    metric_point,
    metric_series,
)
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, lock_team
from stowage.runs.cloud import MetricQuery

_ORIGIN = datetime(2001, 1, 1, tzinfo=UTC)
"""Origin of partitions and buckets; a Monday."""
_WIDEST_STEP_S = 7 * 86_400
_STEPS_S = (60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, _WIDEST_STEP_S)
"""Steps with readable axis labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesKey(MetricQuery):
    """Account, resource and metric that identify a series."""

    account_id: UUID
    region: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSeries(SeriesKey):
    """A stored series: one metric of one resource over time."""

    id: int

    @property
    def key(self) -> SeriesKey:
        """Return the resource and metric that identify the series."""
        return SeriesKey(**{field.name: getattr(self, field.name) for field in fields(SeriesKey)})


@frozen
class Bucket:
    """Summary of the points of a series in one step of a chart."""

    at: datetime
    """Start of the step."""
    points: int
    """Number of points in the step, above 0."""
    total: float
    """Sum of the points."""
    smallest: float
    """Minimum of the points."""
    largest: float
    """Maximum of the points."""


@frozen
class Resolution:
    """Resolution of a chart: which stored data it is drawn from, and how long its steps are."""

    kept: Literal["points", "five minutes", "hours"]
    step_s: int
    """Length of a step [s]."""


_KEPT: tuple[tuple[Literal["points", "five minutes", "hours"], int, timedelta], ...] = (
    ("points", 60, timedelta(days=15)),
    ("five minutes", 300, timedelta(days=63)),
    ("hours", 3_600, timedelta(days=455)),
)
"""Amazon CloudWatch, GetMetricData, 2026: retention of points of 1 min, 5 min and 1 h."""

LONGEST_KEPT = _KEPT[-1][2]
POINTS_KEPT = _KEPT[0][2]

_PUT_IN = text(
    "INSERT INTO metric_point (series_id, at, value) "
    "SELECT * FROM unnest(CAST(:series AS bigint[]), CAST(:at AS timestamptz[]), CAST(:value AS float8[])) "
    "ON CONFLICT (series_id, at) DO UPDATE SET value = excluded.value "
    "WHERE metric_point.value <> excluded.value "
    "RETURNING series_id, at"
)
# Each bucket is looked up separately, so that only the index of its partition is used.
_ROLL_UP_POINTS = text(
    "INSERT INTO metric_five_minutes (series_id, at, points, total, smallest, largest) "
    "SELECT bucket.series_id, bucket.at, found.* FROM ("
    "  SELECT DISTINCT series_id, date_bin('5 minutes', at, '2001-01-01 00:00:00+00') AS at "
    "  FROM unnest(CAST(:series AS bigint[]), CAST(:at AS timestamptz[])) AS given (series_id, at)"
    ") AS bucket CROSS JOIN LATERAL ("
    "  SELECT count(*), sum(value), min(value), max(value) FROM metric_point AS point "
    "  WHERE point.series_id = bucket.series_id "
    "  AND point.at >= bucket.at AND point.at < bucket.at + interval '5 minutes'"
    ") AS found WHERE found.count > 0 "
    "ON CONFLICT (series_id, at) DO UPDATE SET "
    "points = excluded.points, total = excluded.total, smallest = excluded.smallest, largest = excluded.largest"
)
_ROLL_UP_FIVES = text(
    "INSERT INTO metric_hour (series_id, at, points, total, smallest, largest) "
    "SELECT bucket.series_id, bucket.at, found.* FROM ("
    "  SELECT DISTINCT series_id, date_bin('1 hour', at, '2001-01-01 00:00:00+00') AS at "
    "  FROM unnest(CAST(:series AS bigint[]), CAST(:at AS timestamptz[])) AS given (series_id, at)"
    ") AS bucket CROSS JOIN LATERAL ("
    "  SELECT sum(points) AS points, sum(total), min(smallest), max(largest) FROM metric_five_minutes AS five "
    "  WHERE five.series_id = bucket.series_id AND five.at >= bucket.at AND five.at < bucket.at + interval '1 hour'"
    ") AS found WHERE found.points > 0 "
    "ON CONFLICT (series_id, at) DO UPDATE SET "
    "points = excluded.points, total = excluded.total, smallest = excluded.smallest, largest = excluded.largest"
)


_SERIES = Rows(metric_series, StoredSeries)


def open_partitions(connection: Connection, first: datetime, last: datetime) -> int:
    """Create the table partitions that points of a time span need, and return their number.

    Partitions that exist already are not counted. The call waits for other transactions that create the same
    partitions. It must therefore have a transaction of its own, before points are stored.
    """
    opening = select(func.open_metric_partitions(first, last))
    return connection.scalar(opening) or 0


def drop_partitions(connection: Connection) -> int:
    """Drop the table partitions in which the points of all teams have expired, and return their number."""
    return connection.scalar(select(func.drop_metric_partitions())) or 0


def series_of(connection: Connection, keys: Sequence[SeriesKey]) -> Mapping[SeriesKey, int]:
    """Return the id of each series, by its key; series that do not exist are created."""
    if not keys:
        return {}
    names = [field.name for field in fields(SeriesKey)]
    rows = [{name: getattr(key, name) for name in names} for key in dict.fromkeys(keys)]
    found = _found(connection, rows, names)
    missing = [row for row in rows if SeriesKey(**row) not in found]
    if missing:
        connection.execute(insert_unless(metric_series).on_conflict_do_nothing(), missing)
        found |= _found(connection, missing, names)
    return found


def _found(connection: Connection, rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> dict[SeriesKey, int]:
    wanted = tuple_(*(metric_series.c[name] for name in names)).in_(
        [tuple(row[name] for name in names) for row in rows]
    )
    return {row.key: row.id for row in _SERIES.list_all(connection, wanted)}


def find_series(
    connection: Connection, resources: Sequence[str], account_id: UUID | None = None
) -> tuple[StoredSeries, ...]:
    """Return the stored series of the given volumes or instances."""
    of_account = () if account_id is None else (metric_series.c.account_id == account_id,)
    order = metric_series.c.resource, metric_series.c.metric, metric_series.c.id
    return _SERIES.list_all(connection, metric_series.c.resource.in_(resources), *of_account, order=order)


def put_in(connection: Connection, points: Mapping[int, Mapping[datetime, float]]) -> int:
    """Store points and recompute their buckets; return the number of new or changed points.

    Existing points are overwritten.

    Parameters
    ----------
    points : mapping of int to mapping of datetime to float
        Id of a series -> start of a period -> value. Values must be finite, and the table partitions for the times must
        exist.
    """
    # Sorted like the index of the table. Some AWS protocols deliver whole numbers as int; a list for the database must
    # have one type.
    rows = [
        (series_id, at, float(value)) for series_id in sorted(points) for at, value in sorted(points[series_id].items())
    ]
    if not rows:
        return 0
    # Two concurrent recomputations of a bucket would lose points.
    lock_team(connection, "stowage.metrics")
    changed = connection.execute(_PUT_IN, _columns(rows, "series", "at", "value")).all()
    if changed:
        # Most points that are read again are unchanged, and so are their buckets.
        given = _columns(changed, "series", "at")
        connection.execute(_ROLL_UP_POINTS, given)
        connection.execute(_ROLL_UP_FIVES, given)
    return len(changed)


def _columns(rows: Iterable[Sequence[object]], *names: str) -> dict[str, list[object]]:
    """Convert rows to lists of their values, by the names of the columns."""
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def resolution(start: datetime, end: datetime, *, most: int, now: datetime) -> Resolution:
    """Return the finest resolution that a chart can have.

    It has at most ``most`` steps, and its data are still stored for the start of the chart.

    Parameters
    ----------
    most : int
        Maximum number of steps of the chart, at least 1.

    Examples
    --------
    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 21, tzinfo=UTC)
    >>> resolution(now - timedelta(hours=6), now, most=400, now=now)
    Resolution(kept='points', step_s=60)
    >>> resolution(now - timedelta(days=7), now, most=400, now=now)
    Resolution(kept='five minutes', step_s=1800)
    >>> resolution(now - timedelta(days=20), now - timedelta(days=19.9), most=400, now=now)
    Resolution(kept='five minutes', step_s=300)
    """
    wanted_s = (end - start).total_seconds() / most
    step_s = next((step for step in _STEPS_S if step >= wanted_s), _WIDEST_STEP_S)
    while (end - start).total_seconds() / step_s > most:
        step_s += _WIDEST_STEP_S
    left = [(kept, period_s) for kept, period_s, age in _KEPT if now - start <= age] or [_KEPT[-1][:2]]
    kept, period_s = next(((kept, period_s) for kept, period_s in reversed(left) if period_s <= step_s), left[0])
    return Resolution(kept, max(step_s, period_s))


def finest(start: datetime, now: datetime) -> Resolution:
    """Return the finest resolution at which points of a given time are still stored.

    Examples
    --------
    >>> finest(datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 21, tzinfo=UTC))
    Resolution(kept='five minutes', step_s=300)
    """
    kept, step_s, _ = next((each for each in _KEPT if now - start <= each[2]), _KEPT[-1])
    return Resolution(kept, step_s)


def begins(at: datetime, step_s: int) -> datetime:
    """Return the start of the chart step that contains a time."""
    return at - (at - _ORIGIN) % timedelta(seconds=step_s)


def read(
    connection: Connection, series_ids: Sequence[int], start: datetime, end: datetime, drawn: Resolution
) -> Mapping[int, tuple[Bucket, ...]]:
    """Load the buckets of the series that a chart shows.

    Parameters
    ----------
    start, end : datetime
        Time span, excluding the end.

    Returns
    -------
    mapping of int to tuple of Bucket
        Id of a series -> its buckets in order. Steps without points have no bucket, and series without buckets are left
        out.
    """
    table, figures = _drawn_from(drawn)
    bucket = func.date_bin(timedelta(seconds=drawn.step_s), table.c.at, _ORIGIN).label("bucket")
    query = (
        select(table.c.series_id, bucket, *figures)
        .where(table.c.series_id.in_(series_ids), table.c.at >= start, table.c.at < end)
        .group_by(table.c.series_id, bucket)
        .order_by(table.c.series_id, bucket)
    )
    found: dict[int, list[Bucket]] = {}
    for series_id, *figured in connection.execute(query):
        found.setdefault(series_id, []).append(Bucket(*figured))
    return {series_id: tuple(buckets) for series_id, buckets in found.items()}


def _drawn_from(drawn: Resolution) -> tuple[Table, tuple[object, ...]]:
    if drawn.kept == "points":
        value = metric_point.c.value
        return metric_point, (func.count(), func.sum(value), func.min(value), func.max(value))
    table = metric_five_minutes if drawn.kept == "five minutes" else metric_hour
    return table, (
        func.sum(table.c.points),
        func.sum(table.c.total),
        func.min(table.c.smallest),
        func.max(table.c.largest),
    )


def newest(connection: Connection, series_ids: Sequence[int], since: datetime) -> Mapping[int, tuple[datetime, float]]:
    """Return the newest point of each series; series without a point since `since` are left out."""
    query = (
        select(metric_point.c.series_id, metric_point.c.at, metric_point.c.value)
        .where(metric_point.c.series_id.in_(series_ids), metric_point.c.at >= since)
        .order_by(metric_point.c.series_id, metric_point.c.at.desc())
        .ext(distinct_on(metric_point.c.series_id))
    )
    return {series_id: (at, value) for series_id, at, value in connection.execute(query)}
