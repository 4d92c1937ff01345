"""Database queries for CloudWatch metrics: series and their points.

Points are stored at CloudWatch's resolution and rolled up to five minutes and one hour when they arrive. They are kept
as long as CloudWatch keeps them (15, 63 and 455 days). A bucket is the number, sum, minimum and maximum of the points
in one interval. A late point overwrites the stored point of its period, and its buckets are recomputed.
Missing values stay missing. A stored row has the points of an hour of a series, or its buckets of an hour or a day.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.monitoring.tables import metric_series
from stowage.frozen import frozen
from stowage.platform.database.arrays import accept_arrays
from stowage.platform.database.rows import Rows, lock_team
from stowage.runs.cloud import MetricQuery


@frozen(kw_only=True)
class SeriesKey(MetricQuery):
    """Account, resource and metric that identify a series."""

    account_id: UUID
    region: str


@frozen(kw_only=True)
class StoredSeries(SeriesKey):
    """A stored series: one metric of one resource over time."""

    id: int

    @property
    def key(self) -> SeriesKey:
        """Return the resource and metric that identify the series."""
        return SeriesKey(**{field.name: getattr(self, field.name) for field in fields(SeriesKey)})


# Missing values are NULL, and NaN in parameters. LIMIT 1 keeps the lookup of each hour apart, so that only the index of
# its partition is used: without it, partitions without statistics would be read whole.
_PUT_IN = text(
    "WITH hour AS ("
    "  SELECT series_id, at, array_replace((CAST(:values AS float8[]))[60 * number - 59:60 * number], 'NaN', NULL) "
    "  AS value FROM unnest(CAST(:series AS bigint[]), CAST(:hours AS timestamptz[])) "
    "  WITH ORDINALITY AS given (series_id, at, number)"
    "), known AS ("
    "  SELECT hour.series_id, hour.at, point.value AS before, CASE WHEN point.value IS NULL THEN hour.value ELSE "
    "  ARRAY(SELECT coalesce(new, old) FROM unnest(hour.value, point.value) AS minute (new, old)) END AS value "
    "  FROM hour LEFT JOIN LATERAL ("
    "    SELECT value FROM metric_point WHERE series_id = hour.series_id AND at = hour.at LIMIT 1"
    "  ) AS point ON true"
    "), changed AS MATERIALIZED ("
    "  SELECT series_id, at, value FROM known WHERE value IS DISTINCT FROM before"
    "), stored AS ("
    "  INSERT INTO metric_point (series_id, at, value) SELECT series_id, at, value FROM changed "
    "  ON CONFLICT (series_id, at) DO UPDATE SET value = excluded.value"
    "), fives AS MATERIALIZED ("
    "  SELECT changed.series_id, changed.at, five.* FROM changed CROSS JOIN LATERAL ("
    "    SELECT array_agg(nullif(points, 0) ORDER BY number) AS points, array_agg(total ORDER BY number) AS total, "
    "    array_agg(smallest ORDER BY number) AS smallest, array_agg(largest ORDER BY number) AS largest FROM ("
    "      SELECT (number - 1) / 5 AS number, count(value)::integer AS points, sum(value) AS total, "
    "      min(value) AS smallest, max(value) AS largest "
    "      FROM unnest(changed.value) WITH ORDINALITY AS minute (value, number) GROUP BY 1"
    "    ) AS one"
    "  ) AS five"
    "), stored_fives AS ("
    "  INSERT INTO metric_five_minutes (series_id, at, points, total, smallest, largest) SELECT * FROM fives "
    "  ON CONFLICT (series_id, at) DO UPDATE SET points = excluded.points, total = excluded.total, "
    "  smallest = excluded.smallest, largest = excluded.largest"
    "), hours AS ("
    "  SELECT fives.series_id, fives.at, hour.* FROM fives CROSS JOIN LATERAL ("
    "    SELECT sum(points)::integer AS points, sum(total) AS total, min(smallest) AS smallest, "
    "    max(largest) AS largest FROM unnest(fives.points, fives.total, fives.smallest, fives.largest) "
    "    AS five (points, total, smallest, largest)"
    "  ) AS hour"
    "), days AS ("
    "  SELECT day.series_id, day.at, array_agg(points ORDER BY number) AS points, "
    "  array_agg(total ORDER BY number) AS total, array_agg(smallest ORDER BY number) AS smallest, "
    "  array_agg(largest ORDER BY number) AS largest, sum(points)::integer AS day_points, "
    "  sum(total ORDER BY number) AS day_total, min(smallest) AS day_smallest, max(largest) AS day_largest "
    "  FROM (SELECT DISTINCT series_id, date_bin('1 day', at, '2001-01-01 00:00:00+00') AS at FROM hours) AS day "
    "  CROSS JOIN generate_series(0, 23) AS number "
    "  LEFT JOIN hours ON hours.series_id = day.series_id AND hours.at = day.at + number * interval '1 hour' "
    "  GROUP BY day.series_id, day.at"
    "), stored_hours AS ("
    "  INSERT INTO metric_hour AS known ("
    "    series_id, at, points, total, smallest, largest, day_points, day_total, day_smallest, day_largest"
    "  ) SELECT * FROM days "
    "  ON CONFLICT (series_id, at) DO UPDATE SET ("
    "    points, total, smallest, largest, day_points, day_total, day_smallest, day_largest"
    "  ) = ("
    "    SELECT array_agg(points), array_agg(total), array_agg(smallest), array_agg(largest), "
    "    sum(points)::integer, sum(total), min(smallest), max(largest) FROM ("
    "      SELECT coalesce(points, points_before) AS points, coalesce(total, total_before) AS total, "
    "      coalesce(smallest, smallest_before) AS smallest, coalesce(largest, largest_before) AS largest "
    "      FROM unnest("
    "        excluded.points, known.points, excluded.total, known.total, "
    "        excluded.smallest, known.smallest, excluded.largest, known.largest"
    "      ) AS hour (points, points_before, total, total_before, smallest, smallest_before, largest, largest_before)"
    "    ) AS hour"
    "  )"
    ") SELECT count(*) FROM changed"
)


# A row has at least one value: the newest row has the newest point.
_NEWEST = text(
    "SELECT series_id, minute.at, minute.value FROM ("
    "  SELECT DISTINCT ON (series_id) series_id, at, value FROM metric_point "
    "  WHERE series_id = ANY(:series) AND at > :hour ORDER BY series_id, at DESC"
    ") AS hour CROSS JOIN LATERAL ("
    "  SELECT hour.at + (number - 1) * interval '1 minute' AS at, minute.value "
    "  FROM unnest(hour.value) WITH ORDINALITY AS minute (value, number) "
    "  WHERE minute.value IS NOT NULL ORDER BY number DESC LIMIT 1"
    ") AS minute WHERE minute.at >= :since"
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
    """Store points and recompute their buckets; return the number of hours of series with new or changed points.

    Existing points are overwritten.

    Parameters
    ----------
    points : mapping of int to mapping of datetime to float
        Id of a series -> start of a period, which is a full minute -> value. Values must be finite, and the table
        partitions for the times must exist.
    """
    hours = _hours(points)
    if not len(hours["series"]):
        return 0
    accept_arrays(connection)
    # Two concurrent recomputations of a bucket would lose points.
    lock_team(connection, "stowage.metrics")
    return connection.scalar(_PUT_IN, hours) or 0


def _hours(points: Mapping[int, Mapping[datetime, float]]) -> dict[str, NDArray[Any]]:
    """Return the ids of the series, the starts of the hours, and the values of their minutes, NaN without a value.

    The hours are sorted like the index of the table.
    """
    ids = sorted(points)
    minutes = [np.fromiter((at.timestamp() for at in points[each]), np.float64, len(points[each])) for each in ids]
    minute = np.floor(np.concatenate([*minutes, np.empty(0)]) / 60).astype(np.int64)
    values = np.concatenate([*(np.fromiter(points[each].values(), np.float64) for each in ids), np.empty(0)])
    number = np.repeat(np.arange(len(ids)), [len(each) for each in minutes])
    # Hours since 1970 stay below 2^24 for 1,900 years.
    rows, row_of = np.unique((number << 24) | (minute // 60), return_inverse=True)
    in_rows = np.full((len(rows), 60), np.nan)
    in_rows[row_of, minute % 60] = values
    return {
        "series": np.array(ids, np.int64)[rows >> 24],
        "hours": ((rows & 0xFFFFFF) * 3_600_000_000).astype("datetime64[us]"),
        "values": in_rows.ravel(),
    }


def newest(connection: Connection, series_ids: Sequence[int], since: datetime) -> Mapping[int, tuple[datetime, float]]:
    """Return the newest point of each series; series without a point since `since` are left out."""
    found = connection.execute(
        _NEWEST, {"series": list(series_ids), "hour": since - timedelta(hours=1), "since": since}
    )
    return {series_id: (at, value) for series_id, at, value in found}
