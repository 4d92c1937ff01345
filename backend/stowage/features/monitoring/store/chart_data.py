"""Data of charts of metrics: which resolutions are stored for how long, and the buckets of the steps of a chart.

A bucket is the number, sum, minimum and maximum of the points of a series in one interval.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Double,
    Integer,
    Select,
    Table,
    any_,
    bindparam,
    case,
    cast,
    extract,
    func,
    literal,
    null,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from stowage.features.monitoring.tables import metric_five_minutes, metric_hour, metric_point
from stowage.frozen import frozen
from stowage.platform.database.arrays import moments, table_of
from stowage.platform.database.columns import Moment

_ORIGIN = datetime(2001, 1, 1, tzinfo=UTC)
"""Origin of partitions and buckets; a Monday."""
_WIDEST_STEP_S = 7 * 86_400
_STEPS_S = (60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 172_800, _WIDEST_STEP_S)
"""Steps with readable axis labels."""


Kept = Literal["points", "five minutes", "hours"]
"""Stored resolution."""


@frozen
class Buckets:
    """Summary of the points of a series in each step of a chart; NaN for steps without points."""

    points: NDArray[np.float64]
    """Number of points in the step."""
    total: NDArray[np.float64]
    """Sum of the points."""
    smallest: NDArray[np.float64]
    """Minimum of the points."""
    largest: NDArray[np.float64]
    """Maximum of the points."""


@frozen
class Resolution:
    """Resolution of a chart: which stored data it is drawn from, and how long its steps are."""

    kept: Kept
    step_s: int
    """Length of a step [s]."""


_KEPT: tuple[tuple[Kept, int, timedelta], ...] = (
    ("points", 60, timedelta(days=15)),
    ("five minutes", 300, timedelta(days=63)),
    ("hours", 3_600, timedelta(days=455)),
)
"""Amazon CloudWatch, GetMetricData, 2026: retention of points of 1 min, 5 min and 1 h."""

LONGEST_KEPT = _KEPT[-1][2]
POINTS_KEPT = _KEPT[0][2]


@frozen
class _Layout:
    """Stored form of the points of one resolution: rows of a series, each with a cell for each period."""

    cell_s: int
    """Length of a period [s]."""
    row: timedelta
    """Time that a row covers."""
    query: Select[Any]
    """Query of the starts of the rows and of their cells, a column for each kind of value, by series."""

    @property
    def cells(self) -> int:
        """Return the number of cells of a row."""
        return self.row // timedelta(seconds=self.cell_s)


_END = bindparam("end", type_=Moment)


def _layout(cell_s: int, row: timedelta, *columns: ColumnElement[Any], table: Table) -> _Layout:
    # Whole and in binary: the text of 61,000 hours, the year of a volume, would take longer than all else.
    if row == timedelta(seconds=cell_s):
        sent = [_binary(func.array_agg(aggregate_order_by(each, table.c.at))) for each in columns]
    else:
        in_order = aggregate_order_by(literal(b""), table.c.at)
        sent = [func.string_agg(_binary(each), in_order) for each in columns]
    rows = func.array_send(func.array_agg(aggregate_order_by(table.c.at, table.c.at)))
    wanted = table.c.series_id == any_(bindparam("series", type_=ARRAY(BigInteger)))
    since = bindparam("since", type_=Moment)
    query = select(table.c.series_id, rows, *sent).where(wanted, table.c.at > since, table.c.at < _END)
    return _Layout(cell_s, row, query.group_by(table.c.series_id))


def _binary(values: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.array_send(func.array_replace(cast(values, ARRAY(Double)), null(), math.nan))


def _of_day(column: str, combine: Callable[[ColumnElement[Any]], ColumnElement[Any]]) -> ColumnElement[Any]:
    """Return the value of a whole day, or of its hours that begin before the end of the chart."""
    day = metric_hour.c
    hours = cast(func.ceil(extract("epoch", _END - day.at) / 3600), Integer)
    hour = func.unnest(day[column][1:hours]).column_valued("hour")
    is_whole = day.at <= bindparam("day_before_end", type_=Moment)
    return case((is_whole, day[f"day_{column}"]), else_=select(combine(hour)).scalar_subquery())


def _columns(table: Table, *names: str) -> list[ColumnElement[Any]]:
    return [table.c[name] for name in names]


_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_SUMS = ("points", "total")
_ALL = (*_SUMS, "smallest", "largest")
_OF_DAYS = (
    _of_day("points", func.sum),
    _of_day("total", func.sum),
    _of_day("smallest", func.min),
    _of_day("largest", func.max),
)
_LAYOUTS: Mapping[tuple[Kept, int], _Layout] = {
    ("points", 60): _layout(60, _HOUR, metric_point.c.value, table=metric_point),
    ("five minutes", 300): _layout(300, _HOUR, *_columns(metric_five_minutes, *_ALL), table=metric_five_minutes),
    ("hours", 3_600): _layout(3_600, _DAY, *_columns(metric_hour, *_ALL), table=metric_hour),
    ("hours", 86_400): _layout(86_400, _DAY, *_OF_DAYS, table=metric_hour),
}
"""Layouts by resolution and by length of a cell [s]; of a resolution, the coarsest is last."""
_MEANS: Mapping[Kept, _Layout] = {
    "points": _LAYOUTS["points", 60],
    "five minutes": _layout(300, _HOUR, *_columns(metric_five_minutes, *_SUMS), table=metric_five_minutes),
    "hours": _layout(3_600, _DAY, *_columns(metric_hour, *_SUMS), table=metric_hour),
}


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
) -> Mapping[int, Buckets]:
    """Load the buckets of the series that a chart shows.

    Parameters
    ----------
    start : datetime
        Start of the first step.
    end : datetime
        End of the time span, which is excluded.

    Returns
    -------
    mapping of int to Buckets
        Id of a series -> its buckets; series without stored data in the time span are left out.
    """
    [*_, layout] = [
        each for (kept, cell_s), each in _LAYOUTS.items() if kept == drawn.kept and drawn.step_s % cell_s == 0
    ]
    found = _cells(connection, series_ids, start, end, layout, drawn.step_s)
    return {series_id: _combined(columns) for series_id, columns in found.items()}


def read_means(
    connection: Connection, series_ids: Sequence[int], start: datetime, end: datetime, kept: Kept
) -> Mapping[int, NDArray[np.float64]]:
    """Load the mean of each stored period of the series, NaN without points; see `read`."""
    layout = _MEANS[kept]
    means = {}
    for series_id, columns in _cells(connection, series_ids, start, end, layout, layout.cell_s).items():
        [*points, [total]] = columns
        means[series_id] = total / points[0][0] if points else total
    return means


def _cells(
    connection: Connection, series_ids: Sequence[int], start: datetime, end: datetime, layout: _Layout, step_s: int
) -> Mapping[int, list[NDArray[np.float64]]]:
    """Load columns of cells, by series; each has a row for each position within a step, and a column for each step."""
    together = step_s // layout.cell_s
    steps = -(-(end - start) // timedelta(seconds=step_s))
    origin = np.datetime64(start.astimezone(UTC).replace(tzinfo=None), "us")
    cells = -(-(end - start) // timedelta(seconds=layout.cell_s))
    found: dict[int, list[NDArray[np.float64]]] = {}
    given = {"series": list(series_ids), "since": start - layout.row, "end": end, "day_before_end": end - _DAY}
    for series_id, at, *columns in connection.execute(layout.query, given):
        first = (moments(at) - origin) // np.timedelta64(layout.cell_s, "s")
        place = first[:, None] + np.arange(layout.cells)
        shown = (place >= 0) & (place < cells)
        found[series_id] = []
        for column in columns:
            in_steps = np.full(steps * together, np.nan)
            # Rows of one cell come as one array of all rows.
            cells_of_rows = table_of(column, layout.cells if layout.cells > 1 else len(first)).reshape(place.shape)
            in_steps[place[shown]] = cells_of_rows[shown]
            found[series_id].append(np.ascontiguousarray(in_steps.reshape(steps, together).T))
    return found


def _combined(columns: Sequence[NDArray[np.float64]]) -> Buckets:
    """Combine the cells of each step; the sums add them in the order of time."""
    if len(columns) == 1:
        [value] = columns
        points, total, smallest, largest = np.ones_like(value), value, value, value
    else:
        points, total, smallest, largest = columns
    missing = np.isnan(total)
    counted = np.where(missing, 0.0, points).sum(axis=0)
    return Buckets(
        points=np.where(counted > 0.0, counted, np.nan),
        total=np.where(counted > 0.0, np.where(missing, 0.0, total).sum(axis=0), np.nan),
        smallest=np.fmin.reduce(smallest, axis=0),
        largest=np.fmax.reduce(largest, axis=0),
    )
