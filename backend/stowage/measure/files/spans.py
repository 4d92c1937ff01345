"""Collector of the time series of a monitoring tool, in bounded memory.

Long time series are downsampled, never truncated.
"""

from array import array
from datetime import datetime

from stowage.measure.files.compiled import maker
from stowage.measure.reading import MOST_POINTS, Series

_series = maker(Series)

MOST_SERIES = 256
"""Maximum number of series in a recording; a machine with 24 disks and four interfaces has about 200."""
MOST_POINTS_OF_ALL = 160_000
_FEWEST_POINTS = 100


class Recording:
    """Output of a monitoring tool as time series.

    Times are in seconds since an origin. The caller chooses the origin, and passes it to `series`.
    """

    def __init__(self) -> None:
        self._quantities: dict[tuple[str, str], _Quantity] = {}
        self.left_out = 0

    def __len__(self) -> int:
        return len(self._quantities)

    def add(self, name: str, of: str, span: tuple[float, float], value: float) -> None:
        """Append the mean value of an interval to a series.

        ``span`` is the start and end of the interval [s]. Intervals that are out of order are skipped and counted. New
        series beyond `MOST_SERIES` are also skipped and counted.
        """
        quantity = self._quantities.get((name, of))
        if quantity is None:
            if len(self._quantities) == MOST_SERIES:
                self.left_out += 1
                return
            quantity = self._quantities[name, of] = _Quantity()
        if not quantity.add(span, value):
            self.left_out += 1

    def series(self, started_at: datetime | None, origin: float) -> tuple[Series, ...]:
        """Return all series in the order of their first appearance, with times since `origin`."""
        most = max(_FEWEST_POINTS, min(MOST_POINTS, MOST_POINTS_OF_ALL // max(len(self._quantities), 1)))
        return tuple(
            quantity.series(name, of, started_at, origin, most) for (name, of), quantity in self._quantities.items()
        )


class _Quantity:
    """Intervals of one series.

    If there are too many, neighbors are merged in pairs.
    """

    def __init__(self) -> None:
        self.starts = array("d")
        self.ends = array("d")
        self.means = array("d")
        self.peaks = array("d")

    def add(self, span: tuple[float, float], value: float) -> bool:
        start, end = span
        ends = self.ends
        if ends:
            last = ends[-1]
            if end <= last:
                return False
            start = max(start, last)
        self.starts.append(start)
        ends.append(end)
        self.means.append(value)
        self.peaks.append(value)
        if len(ends) > MOST_POINTS:
            self._halve()
        return True

    def _halve(self) -> None:
        starts, ends, means, peaks = array("d"), array("d"), array("d"), array("d")
        for first in range(0, len(self.ends), 2):
            last = min(first + 1, len(self.ends) - 1)
            lengths = [self.ends[place] - self.starts[place] for place in (first, last)]
            total = sum(lengths)
            starts.append(self.starts[first])
            ends.append(self.ends[last])
            means.append(
                (self.means[first] * lengths[0] + self.means[last] * lengths[1]) / total
                if total > 0
                else self.means[last]
            )
            peaks.append(max(self.peaks[first], self.peaks[last]))
        self.starts, self.ends, self.means, self.peaks = starts, ends, means, peaks

    def series(self, name: str, of: str, started_at: datetime | None, origin: float, most: int) -> Series:
        while len(self.ends) > most:
            self._halve()
        times_s = tuple([end - origin for end in self.ends])
        return _series(name, of, started_at, times_s, tuple(self.means), tuple(self.peaks))
