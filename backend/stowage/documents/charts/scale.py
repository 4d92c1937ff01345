"""Scale of an axis: maps any finite value to a position within its ends."""

import math
from collections.abc import Iterable

from stowage.frozen import frozen

# Beyond these, differences and quotients of two values are not finite.
_LARGEST, _SMALLEST = 1e150, 1e-150
_ROOM = 1.08
_WIDER = 0.06


@frozen
class Scale:
    """Mapping of an axis' values to positions."""

    low: float
    """Value at `start`, in the axis' unit; above 0 on a logarithmic axis."""
    high: float
    """Value at `end`, in the axis' unit; above 0 on a logarithmic axis."""
    log: bool
    start: float
    """Position of the low end [px]."""
    end: float
    """Position of the high end [px]."""

    def place(self, value: float) -> float:
        """Return the position of a value [px].

        A value beyond the ends of the axis is placed at the nearer end.
        """
        low, high, at = self.low, self.high, tame(value)
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(at, _SMALLEST))
        share = min(1.0, max(0.0, (at - low) / (high - low)))
        return self.start + share * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Return whether a value lies between the ends."""
        return self.low <= value <= self.high

    @property
    def length(self) -> float:
        """Length of the axis [px]."""
        return abs(self.end - self.start)


def tame(value: float) -> float:
    """Clip a value to a range in which differences and quotients of two values are finite."""
    return 0.0 if abs(value) < _SMALLEST else min(_LARGEST, max(-_LARGEST, value))


def span(values: Iterable[float], *, log: bool, tight: bool = False) -> tuple[float, float]:
    """Return the ends of an axis that fit values.

    Parameters
    ----------
    values : iterable of float
        Values in the unit of the axis; infinite values are ignored, and so are values of 0 and below on a logarithmic
        axis.
    log : bool
    tight : bool
        Whether the axis has no padding at its ends, and need not include 0, as for months and nodes.

    Returns
    -------
    tuple of float
        The low and the high end; they differ.

    Examples
    --------
    >>> span([100.0, 1000.0], log=False)
    (0.0, 1080.0)
    >>> span([1.0, 36.0], log=False, tight=True), span([], log=True)
    ((1.0, 36.0), (1.0, 10.0))
    """
    seen = [tame(value) for value in values if math.isfinite(value)]
    if log:
        return _logarithmic([value for value in seen if value > 0.0], tight=tight)
    if tight and seen:
        low, high = min(seen), max(seen)
        return (low, high) if _apart(low, high) else _around(low)
    low, high = min([0.0, *seen]), max([0.0, *seen])
    if not _apart(low, high):
        return 0.0, 1.0
    return low * (_ROOM if low < 0.0 else 1.0), high * (_ROOM if high > 0.0 else 1.0)


def _logarithmic(seen: list[float], *, tight: bool) -> tuple[float, float]:
    if not seen:
        return 1.0, 10.0
    low, high = min(seen), max(seen)
    if tight and high > 1.001 * low:
        return low, high
    room = max(_ROOM, (high / low) ** _WIDER)
    return low / room, high * room


def _apart(low: float, high: float) -> bool:
    """Return whether two values differ noticeably, both absolutely and relative to their size."""
    return high - low > max(_SMALLEST, 1e-9 * max(abs(low), abs(high)))


def _around(value: float) -> tuple[float, float]:
    reach = 0.5 * abs(value) or 0.5
    return value - reach, value + reach
