"""Units: parsers of quantities that users write, and conversions between units.

Inside the model, data is in MB (10^6 bytes), rates in MB/s, time in seconds, money in USD.
"""

import re
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Quantity: TypeAlias = float | NDArray[np.float64]
"""One value, or an array with one for each node count of a search; results are equal bit for bit."""

Condition: TypeAlias = bool | NDArray[np.bool_]
"""Whether something holds of one value, or of each element of an array."""

SECONDS_PER_HOUR = 3_600.0
"""Definition [s/h]."""
SECONDS_PER_YEAR = 365.25 * 86_400.0
"""Year of 365.25 days [s/a]."""
HOURS_PER_MONTH = 730.0
"""AWS bills EBS by a month of 730 hours [h/month] (EBS pricing page, 2026)."""


class Bounds(NamedTuple):
    """Accepted range of a quantity.

    It is wide enough for any job, and so narrow that no product in the model overflows.
    """

    smallest: Decimal
    largest: Decimal
    words: str


_SIZE_BOUNDS_MB = Bounds(Decimal("1e-6"), Decimal("1e15"), "1 B to 1,000 EB")
_DURATION_BOUNDS_S = Bounds(Decimal("1e-3"), Decimal(3652 * 86_400), "0.001 s to 3,652 days")
_RATE_BOUNDS_MB_PER_S = Bounds(Decimal("1e-3"), Decimal("1e9"), "1 kB/s to 1,000 TB/s")
_MONEY_BOUNDS_USD = Bounds(Decimal("1e-4"), Decimal("1e12"), "0.0001 USD to 10^12 USD")

_PREFIXES = "kMGTPE"
_DECIMAL_BYTES = {prefix: Decimal(1000) ** power for power, prefix in enumerate(_PREFIXES, start=1)}
_BINARY_BYTES = {prefix: Decimal(1024) ** power for power, prefix in enumerate(_PREFIXES, start=1)}

_DURATION_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Decimal(1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), Decimal(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), Decimal(3600)),
    **dict.fromkeys(("d", "day", "days"), Decimal(86400)),
}

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?"
_SIZE = re.compile(rf"(?P<number>[+-]?{_NUMBER})\s*(?P<unit>[A-Za-z]*)")
_DURATION_PART = re.compile(rf"\s*(?P<number>[+-]?{_NUMBER})\s*(?P<unit>[A-Za-z]*)")
_RATE = re.compile(rf"(?P<number>[+-]?{_NUMBER})\s*(?P<unit>[A-Za-z]*)(?P<each>/s)?")
_BITS = re.compile(r"(?P<prefix>[kKMGT]?)(?:bit|(?P<ps>bps))")
_MONEY = re.compile(rf"(?:\$|USD)?\s*(?P<number>[+-]?{_NUMBER})\s*(?:USD|\$)?", re.IGNORECASE)


class UnitError(ValueError):
    """Error of a quantity that cannot be parsed.

    The message quotes the text and states the accepted form.
    """


@overload
def longer(a: float, b: float) -> float: ...
@overload
def longer(a: Quantity, b: Quantity) -> Quantity: ...
def longer(a: Quantity, b: Quantity) -> Quantity:
    """Return the larger of two quantities, element by element.

    The result is a float for two floats.
    """
    if isinstance(a, float) and isinstance(b, float):
        return max(a, b)
    return np.maximum(a, b)


@overload
def smaller(a: float, b: float) -> float: ...
@overload
def smaller(a: Quantity, b: Quantity) -> Quantity: ...
def smaller(a: Quantity, b: Quantity) -> Quantity:
    """Return the smaller of two quantities, element by element.

    The result is a float for two floats.
    """
    if isinstance(a, float) and isinstance(b, float):
        return min(a, b)
    return np.minimum(a, b)


def either(condition: Condition, a: Quantity, b: Quantity) -> Quantity:
    """Return one quantity where a condition holds and another elsewhere, element by element."""
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else a if condition else b


def whole(quantity: Quantity) -> Quantity:
    """Round a quantity up to whole numbers."""
    # Rounding up is exact, so numpy's and Python's agree.
    return float(np.ceil(quantity)) if isinstance(quantity, float) else np.ceil(quantity)


def quantity_of(number: float | NDArray[np.float64]) -> Quantity:
    """Convert a whole number to a float.

    Arrays are returned unchanged.
    """
    return number if isinstance(number, np.ndarray) else float(number)


def element(quantity: Quantity | NDArray[np.intp], index: int | NDArray[np.intp]) -> Any:  # noqa: ANN401 - one or many
    """Return the element of an array at an index, or its elements at several; a single value holds for all indices."""
    return quantity[index] if isinstance(quantity, np.ndarray) and quantity.ndim else quantity


def is_zero(quantity: Quantity) -> bool:
    """Return whether a quantity is a single 0.

    An array is not: whoever builds it keeps zeros in arrays of their own.
    """
    return not isinstance(quantity, np.ndarray) and quantity == 0.0


def plain(quantity: Quantity) -> Quantity:
    """Convert a 0-dimensional array to a float.

    Other arrays are returned unchanged.
    """
    return float(quantity) if np.ndim(quantity) == 0 else quantity


def parse_size(text: str) -> float:
    """Parse a data size.

    Parameters
    ----------
    text : str
        A number and a unit: B, kB ... EB (powers of 1000) or KiB ... EiB (powers of 1024).

    Returns
    -------
    float
        Size [MB], from 1 byte to 1,000 EB.

    Raises
    ------
    UnitError
        No number, no unit, an unknown unit, bits instead of bytes, or out of range.

    Examples
    --------
    >>> parse_size("100 TB")
    100000000.0
    >>> parse_size("135 GiB") == 135 * 1073.741824
    True
    """
    accepted = "a size like 100 TB or 512 GiB"
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UnitError(f"{_quoted(text)} is not a size; write {accepted}")
    size_bytes = _decimal(match["number"]) * _bytes_per(match["unit"], text, accepted)
    return _bounded(size_bytes / 1_000_000, text, accepted, _SIZE_BOUNDS_MB)


def parse_duration(text: str) -> float:
    """Parse a duration.

    Parameters
    ----------
    text : str
        One or more numbers with units s, min, h or d.

    Returns
    -------
    float
        Duration [s], from a millisecond to 3,652 days.

    Raises
    ------
    UnitError
        No number, no unit, an unknown unit, or out of range.

    Examples
    --------
    >>> parse_duration("30 min")
    1800.0
    >>> parse_duration("1 h 30 min")
    5400.0
    """
    accepted = "a duration like 30 min, 2 h or 1 h 30 min"
    position, seconds = 0, Decimal(0)
    stripped = text.strip()
    while position < len(stripped):
        match = _DURATION_PART.match(stripped, position)
        if match is None:
            raise UnitError(f"{_quoted(text)} is not a duration; write {accepted}")
        factor = _DURATION_SECONDS.get(match["unit"].lower())
        if factor is None:
            unit = match["unit"]
            what = f"{_quoted(unit)} is not a unit of time" if unit else f"{_quoted(text)} has no unit"
            raise UnitError(f"{what}; write {accepted}")
        seconds += _decimal(match["number"]) * factor
        position = match.end()
    return _bounded(seconds, text, accepted, _DURATION_BOUNDS_S)


def parse_rate(text: str) -> float:
    """Parse a data rate.

    Parameters
    ----------
    text : str
        A number and a unit: bytes per second (kB/s ... TB/s, KiB/s ... TiB/s) or bits per second (Mbit/s, Gbit/s,
        Gbps).

    Returns
    -------
    float
        Rate [MB/s], from 1 kB/s to 1,000 TB/s.

    Raises
    ------
    UnitError
        No number, no unit, an unknown unit, or out of range.

    Examples
    --------
    >>> [parse_rate(text) for text in ("10 Gbit/s", "800 Mbps", "500 MB/s", "1 GiB/s")]
    [1250.0, 100.0, 500.0, 1073.741824]
    """
    accepted = "a rate like 10 Gbit/s or 500 MB/s"
    match = _RATE.fullmatch(text.strip())
    if match is None:
        raise UnitError(f"{_quoted(text)} is not a rate; write {accepted}")
    bits = _BITS.fullmatch(match["unit"])
    per_second = match["each"] is not None
    if bits is not None and per_second == (bits["ps"] is None):
        prefix = bits["prefix"].replace("K", "k")
        bytes_each = (_DECIMAL_BYTES[prefix] if prefix else Decimal(1)) / 8
    elif not match["unit"]:
        raise UnitError(f"{_quoted(text)} has no unit; write {accepted}")
    elif re.fullmatch("[kKMGT]b", match["unit"]):
        raise UnitError(f"{_quoted(text)} could mean bits or bytes; write {accepted}")
    elif not per_second:
        raise UnitError(f"{_quoted(text)} has no time unit; write {accepted}")
    else:
        bytes_each = _bytes_per(match["unit"], text, accepted)
    return _bounded(_decimal(match["number"]) * bytes_each / 1_000_000, text, accepted, _RATE_BOUNDS_MB_PER_S)


def parse_money(text: str) -> float:
    """Parse an amount of money.

    Parameters
    ----------
    text : str
        A number, alone or with ``$`` or ``USD`` before or after it.

    Returns
    -------
    float
        Amount [USD], from 0.0001 to 10^12.

    Raises
    ------
    UnitError
        No number, another currency, or out of range.

    Examples
    --------
    >>> parse_money("$1,500")
    1500.0
    """
    accepted = "an amount like 500 USD or $500"
    match = _MONEY.fullmatch(text.strip())
    if match is None:
        raise UnitError(f"{_quoted(text)} is not an amount in US dollars; write {accepted}")
    return _bounded(_decimal(match["number"]), text, accepted, _MONEY_BOUNDS_USD)


def _bytes_per(unit: str, text: str, accepted: str) -> Decimal:
    if not unit:
        raise UnitError(f"{_quoted(text)} has no unit; write {accepted}")
    if unit in {"B", "b"} or unit.lower() in {"byte", "bytes"}:
        return Decimal(1)
    if len(unit) == 2 and unit[0].isupper() and unit[1] == "b":
        raise UnitError(f"{_quoted(unit)} would be bits; for bytes write {unit[0]}B, as in {accepted}")
    prefix = "k" if unit[0] in "kK" else unit[0].upper()
    rest = unit[1:].lower()
    if rest == "b" and prefix in _DECIMAL_BYTES:
        return _DECIMAL_BYTES[prefix]
    if rest == "ib" and prefix in _BINARY_BYTES:
        return _BINARY_BYTES[prefix]
    raise UnitError(f"{_quoted(unit)} is not a unit of size; write {accepted}")


def _decimal(number: str) -> Decimal:
    return Decimal(number.replace(",", ""))


def _bounded(value: Decimal, text: str, accepted: str, bounds: Bounds) -> float:
    if value <= 0:
        raise UnitError(f"{_quoted(text)} is not above 0; write {accepted}")
    if not bounds.smallest <= value <= bounds.largest:
        raise UnitError(f"{_quoted(text)} is out of range; accepted: {bounds.words}")
    return float(value)


def printable(text: str) -> str:
    """Return a text that has printable characters only.

    Raises
    ------
    ValueError
        The text has another character, which a page could not show.
    """
    if not text.isprintable():
        raise ValueError("only printable characters are accepted")
    return text


def _quoted(text: str) -> str:
    """Return user input in quotes, for a message.

    The text has printable characters only and is cut to 40 characters.
    """
    shown = text if len(text) <= 40 else text[:37] + "..."
    return repr(shown)
