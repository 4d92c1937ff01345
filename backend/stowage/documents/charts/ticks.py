"""Ticks at round values, and their labels: durations, money, months, shares and counts."""

import math
from collections.abc import Sequence

from stowage.documents.charts.scale import Scale
from stowage.model.units import SECONDS_PER_YEAR

_DAY, _HOUR, _MINUTE = 86_400.0, 3_600.0, 60.0


def _times_s(
    seconds: Sequence[float], minutes: Sequence[int], hours: Sequence[int], powers_of_days: int
) -> tuple[float, ...]:
    """Return round durations [s], including 1, 2 and 5 times each power of ten of seconds and of days."""
    return (
        *(digit * 10.0**power for power in range(-9, 1) for digit in (1, 2, 5)),
        *seconds,
        *(count * _MINUTE for count in minutes),
        *(count * _HOUR for count in hours),
        *(digit * 10.0**power * _DAY for power in range(powers_of_days) for digit in (1, 2, 5)),
    )


_TIMES_S = _times_s((10.0, 20.0, 30.0), (1, 2, 5, 10, 20, 30), (1, 2, 5, 12), 5)
_TIME_STEPS_S = _times_s((10.0, 15.0, 30.0), (1, 2, 5, 10, 15, 30), (1, 2, 3, 6, 12), 9)
_MONTH_STEPS = (1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 60.0, 120.0)
SHOWN_UNITS = frozenset({"", "s", "months", "USD", "1", "%"})
"""Units that need no further mention: values have none, or show it."""
# On less than a decade, 1, 2 and 5 give too few ticks; equal steps are used instead.
_FEWEST = 4
# Numbers beyond these are written with an exponent.
_LONG, _SHORT = 1e12, 1e-6


def ticks(scale: Scale, unit: str, most: int) -> tuple[float, ...]:
    """Return at most `most` ticks at round values between the ends of an axis.

    Parameters
    ----------
    scale : Scale
    unit : str
        Unit of the axis; ``s`` and ``months`` have their own round values, such as 5 min and 12 months.
    most : int
        At least 2.

    Examples
    --------
    >>> ticks(Scale(0.0, 1000.0, False, 0.0, 400.0), "s", 5)
    (0.0, 300.0, 600.0, 900.0)
    >>> ticks(Scale(80.0, 4000.0, True, 0.0, 400.0), "USD", 6)
    (100.0, 200.0, 500.0, 1000.0, 2000.0)
    """
    if scale.log:
        round_values = _TIMES_S if unit == "s" else _decimal(scale)
        inside = [value for value in round_values if scale.holds(value)]
        if len(inside) > most:
            return _thinned(inside, most, unit)
        if len(inside) >= min(_FEWEST, most):
            return tuple(inside)
    return _multiples(scale, unit, most)


def _decimal(scale: Scale) -> list[float]:
    """Return the ticks of a logarithmic axis: 1, 2 and 5 times each power of ten."""
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
    return [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]


def _thinned(values: Sequence[float], most: int, unit: str) -> tuple[float, ...]:
    """Remove ticks until at most `most` are left.

    Powers of ten are preferred, except for durations.
    """
    if unit != "s":
        tens = [value for value in values if f"{value:.0e}".startswith("1")]
        values = tens if len(tens) >= 2 else values
    while len(values) > most:
        values = values[::2]
    return tuple(values)


def _multiples(scale: Scale, unit: str, most: int) -> tuple[float, ...]:
    """Return ticks at the multiples of a round step.

    The step is the smallest with at most `most` ticks.
    """
    steps: Sequence[float] = {"s": _TIME_STEPS_S, "months": _MONTH_STEPS}.get(unit, ())
    width = scale.high - scale.low
    step = next((size for size in steps if _count(scale, size) <= most), None)
    if step is None or step < width / (10 * most):
        step = _round_up(width / (most - 1))
    if unit in {"nodes", "months"}:
        step = max(1.0, step)
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    # Where values are large compared with their differences, two ticks may be the same number.
    return tuple(sorted({float(f"{index * step:.12g}") for index in range(first, last + 1)}))


def _count(scale: Scale, step: float) -> int:
    first, last = scale.low / step - 1e-9, scale.high / step + 1e-9
    return math.floor(last) - math.ceil(first) + 1


def _round_up(step: float) -> float:
    """Round a step up to 1, 2 or 5 times a power of ten."""
    power = math.floor(math.log10(step))
    return next(size for size in (float(f"{digit}e{power}") for digit in (1, 2, 5, 10)) if size >= step * (1 - 1e-9))


def value_words(value: float, unit: str) -> str:
    """Format a value with three digits.

    The text includes the unit of durations, money, months and shares. Titles of axes show all other units.

    Parameters
    ----------
    value : float
        Value in ``unit``.
    unit : str
        ``s``, ``months``, ``USD``, ``USD/month``, ``1`` (a share), ``%`` or any other.

    Examples
    --------
    >>> [value_words(value, "s") for value in (0.0, 0.5, 59.6, 1010.0, 5400.0, 200_000.0, 4e7)]
    ['0', '500 ms', '1 min', '16 min 50 s', '1 h 30 min', '2 d 8 h', '462 d 23 h']
    >>> [value_words(value, "USD") for value in (324.53, 2.5, -1234.0, 0.004, 2.5e13)]
    ['$325', '$2.50', '−$1,230', '$0.004', '$2.5e13']
    >>> value_words(0.99, "1"), value_words(18.0, "months"), value_words(36.0, "months"), value_words(40.0, "MB/s")
    ('99%', '18 mo', '3 y', '40')
    """
    if value < 0.0:
        return f"−{value_words(-value, unit)}"
    if unit == "s":
        return "0" if value == 0.0 else _duration(value)
    if unit == "months":
        return f"{_number(value / 12)} y" if value > 0.0 and value % 12 == 0.0 else f"{_number(value)} mo"
    if unit == "USD" or unit.startswith("USD/"):
        text = _number(value)
        whole, point, cents = text.partition(".")
        return f"${whole}.{cents.ljust(2, '0')}" if point and 0.1 <= value < _LONG else f"${text}"
    if unit in {"1", "%"}:
        return f"{_number(100.0 * value if unit == '1' else value)}%"
    return _number(value)


def _number(value: float) -> str:
    if value == 0.0:
        return "0"
    rounded = float(f"{value:.2e}")
    if not _SHORT <= rounded < _LONG:
        return f"{rounded:.3g}".replace("e+", "e").replace("e-0", "e-").replace("e0", "e")
    places = max(0, 2 - math.floor(math.log10(rounded)))
    text = f"{rounded:,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{_number(1e6 * seconds)} μs"
    if seconds < 1.0:
        return f"{_number(1e3 * seconds)} ms"
    if seconds < 10.0:
        return f"{_number(seconds)} s"
    if round(seconds) < _HOUR:
        return _two_units(round(seconds), 60, "min", "s")
    if round(seconds / _MINUTE) < 2 * 24 * 60:
        return _two_units(round(seconds / _MINUTE), 60, "h", "min")
    if seconds < 1_000 * SECONDS_PER_YEAR:
        return _two_units(round(seconds / _HOUR), 24, "d", "h")
    return f"{_number(seconds / SECONDS_PER_YEAR)} y"


def _two_units(count: int, each: int, large: str, small: str) -> str:
    whole, rest = divmod(count, each)
    parts = [f"{amount:,} {unit}" for amount, unit in ((whole, large), (rest, small)) if amount]
    return " ".join(parts)
