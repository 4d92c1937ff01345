"""Collector of the time series of a monitoring tool, in bounded memory.

Long time series are downsampled, never truncated.
"""

from datetime import datetime

from stowage.measure.files.compiled import Lanes, all_series, append
from stowage.measure.reading import Series

MOST_POINTS_OF_ALL = 160_000
_FEWEST_POINTS = 100


class Recording:
    """Output of a monitoring tool as time series.

    Times are in seconds since an origin. The caller chooses the origin, and passes it to `series`.
    """

    def __init__(self) -> None:
        self.lanes: Lanes = {}
        self.left_out = 0

    def __len__(self) -> int:
        return len(self.lanes)

    def add(self, name: str, of: str, span: tuple[float, float], value: float) -> None:
        """Append the mean value of an interval to a series.

        ``span`` is the start and end of the interval [s]. Intervals that are out of order are skipped and counted. New
        series beyond `MOST_SERIES` are also skipped and counted.
        """
        if not append(self.lanes, (name, of), *span, value):
            self.left_out += 1

    def series(self, started_at: datetime | None, origin: float) -> tuple[Series, ...]:
        """Return all series in the order of their first appearance, with times since `origin`."""
        if not self.lanes:
            return ()
        most = max(_FEWEST_POINTS, MOST_POINTS_OF_ALL // len(self.lanes))
        return all_series(self.lanes, started_at, origin, most)
