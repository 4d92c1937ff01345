"""Parsing of formatted numbers into the span of values that are formatted alike."""

import math
import re
from dataclasses import dataclass

_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0}
_ROUNDING = 1.0 + 1e-9
"""Rounding tolerance: a value in the middle between two texts may be written as either."""


@dataclass(frozen=True, slots=True)
class Span:
    """Values from ``low`` to ``high``."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Return whether a value may be written like this."""
        middle, reach = (self.low + self.high) / 2, (self.high - self.low) / 2
        return abs(value - middle) <= reach * _ROUNDING + 1e-15


def duration(text: str) -> Span:
    """Parse a duration [s]: its last unit determines the rounding.

    >>> duration("16 min 50 s"), duration("2 h"), duration("1.5 s")
    (Span(low=1009.5, high=1010.5), Span(low=7170.0, high=7230.0), Span(low=1.495, high=1.505))
    """
    parts = re.findall(r"([\d,.]+) (ms|min|s|h|d)\b", text)
    assert " ".join(f"{number} {unit}" for number, unit in parts) == text, text
    value = sum(_plain(number) * _SECONDS[unit] for number, unit in parts)
    number, unit = parts[-1]
    if unit == "ms" or (unit == "s" and len(parts) == 1 and value < 10.0):
        return _three_digits(_plain(number), _SECONDS[unit])
    units = {unit for _, unit in parts}
    # Rounded to minutes from an hour on, and to hours from two days on.
    step = 3_600.0 if "d" in units else 60.0 if "h" in units else 1.0
    return Span(value - step / 2, value + step / 2)


def usd(text: str) -> Span:
    """Parse an amount [USD].

    >>> usd("$1,230"), usd("$2.50")
    (Span(low=1225.0, high=1235.0), Span(low=2.495, high=2.505))
    """
    assert text.startswith("$"), text
    return _three_digits(_plain(text[1:]), 1.0)


def percent(text: str) -> Span:
    """Parse a probability [1].

    >>> percent("50%"), percent("over 99.9%")
    (Span(low=0.495, high=0.505), Span(low=0.999, high=1.0))
    """
    if text == "over 99.9%":
        return Span(0.999, 1.0)
    if text == "under 0.0001%":
        return Span(0.0, 1e-6)
    value = _plain(text.removesuffix("%"))
    if value == 0.0:
        return Span(0.0, 0.0)
    digits = 2 if value < 99.0 else 3
    half = 0.5 * 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return Span((value - half) / 100.0, (value + half) / 100.0)


def ends(text: str) -> tuple[float, float, float]:
    """Parse a range of durations: both ends, and the maximum rounding error of each, to nearest or outwards [s].

    >>> ends("51–71 min")
    (3060.0, 4260.0, 60.0)
    """
    low, high, unit = re.fullmatch(r"([\d,.]+)–([\d,.]+) (s|min|h|d)", text).groups()  # type: ignore[union-attr]
    size = _SECONDS[unit]
    first, last = _plain(low), _plain(high)
    step = 1.0 if first >= 10.0 else 10.0 ** (math.floor(math.log10(last)) - 2)
    return first * size, last * size, step * size


def _plain(text: str) -> float:
    return float(text.replace(",", ""))


def _three_digits(value: float, unit: float) -> Span:
    if value == 0.0:
        return Span(0.0, 0.0)
    half = 0.5 * 10.0 ** (math.floor(math.log10(value)) - 2)
    return Span((value - half) * unit, (value + half) * unit)
