"""Conversion of times, costs and chances to amounts of reports.

An amount is a number with its formatted text, a source and, for predictions, a range.
"""

import math
from datetime import date

from stowage.model.figure import Figure
from stowage.model.prediction import Range
from stowage.model.report import Amount, Standing
from stowage.workloads import wording

SAME = 0.005
"""Relative difference [1] below which two values are shown as the same: too small to act on."""


def seconds(value: float) -> Amount:
    """Return a predicted duration [s] as an amount for reports."""
    return Amount(value, "s", wording.duration(value), standing="predicted")


def time_range(found: Range) -> Amount:
    """Return a predicted time [s] as an amount for reports, with its range."""
    low, high, words = _range(found, wording.duration_range(found))
    return Amount(found.p50, "s", wording.duration(found.p50), low, high, words, "predicted")


def money(value: float, unit: str = "USD") -> Amount:
    """Return a predicted sum of money as an amount for reports."""
    return Amount(value, unit, wording.usd(value), standing="predicted")


def given_money(value: float, unit: str, per: str = "") -> Amount:
    """Return a sum of money that a user gave as an amount for reports; `per` follows the sum, as in `` a month``."""
    return Amount(value, unit, f"{wording.usd(value)}{per} (given)", standing="given", source="the user")


def money_range(found: Range, unit: str = "USD") -> Amount:
    """Return a predicted cost as an amount for reports, with its range."""
    low, high, words = _range(found, money_span(found.p10, found.p90))
    return Amount(found.p50, unit, wording.usd(found.p50), low, high, words, "predicted")


def money_span(low: float, high: float) -> str:
    """Format a range of sums of money.

    Examples
    --------
    >>> money_span(312.3, 427.2)
    '$312–$427'
    """
    return f"{wording.usd(low)}–{wording.usd(high)}"


def chance(value: float) -> Amount:
    """Return a predicted probability as an amount for reports.

    The probability is from 0 to 1.
    """
    return Amount(value, "1", wording.chance(value), standing="predicted")


def risk(met: float) -> Amount:
    """Return the risk of missing a target as an amount for reports.

    The argument ``met`` is the predicted probability of meeting the target.
    """
    return Amount(1.0 - met, "1", wording.risk(met), standing="predicted")


def share(value: float, standing: Standing | None = "predicted") -> Amount:
    """Return a share of a whole as an amount for reports.

    The share is from 0 to 1. The text is in percent.
    """
    return Amount(value, "1", f"{wording.three_digits(100.0 * value)}%", standing=standing)


def count(value: float, unit: str = "1", standing: Standing | None = None) -> Amount:
    """Return a whole number as an amount for reports."""
    named = "" if unit == "1" else f" {unit if value != 1 else unit.removesuffix('s')}"
    return Amount(float(value), unit, f"{value:,.0f}{named}", standing=standing)


def data(value: float) -> Amount:
    """Return an amount of data [MB] as an amount for reports."""
    return Amount(value, "MB", wording.size(value))


def number(value: float, unit: str, standing: Standing | None = None) -> Amount:
    """Return a number with any unit as an amount for reports."""
    return Amount(value, unit, with_unit(value, unit), standing=standing)


def with_unit(value: float, unit: str) -> str:
    """Format a number with its unit, in the same way as the web page does.

    Examples
    --------
    >>> with_unit(903.98, "MB/s"), with_unit(90.0, "s"), with_unit(450.8, "USD"), with_unit(0.0523, "1")
    ('904 MB/s', '1 min 30 s', '$451', '0.0523')
    """
    if unit == "s" and value > 0.0:
        return wording.duration(value)
    if unit == "USD":
        return f"−{wording.usd(-value)}" if value < 0.0 else wording.usd(value)
    text = f"−{wording.three_digits(-value)}" if value < 0.0 else wording.three_digits(value)
    return text if unit == "1" else f"{text} {unit}"


def figure(found: Figure) -> Amount:
    """Return an input of a prediction as an amount for reports.

    The amount has the source and the date of the input.
    """
    unit = "" if found.unit == "1" else f" {found.unit}"
    words = f"{wording.three_digits(found.value)}{unit}"
    return Amount(found.value, found.unit, words, standing=found.kind, source=found.source, as_of=found.as_of)


def difference(value: float, reference: float, unit: str) -> Amount | None:
    """Describe the difference of a time or cost from a reference, with a sign.

    The result is "same" if the relative difference is below `SAME`. The unit is ``s``, ``USD`` or another unit of cost.

    Examples
    --------
    >>> difference(300.0, 365.0, "USD").words, difference(90.0, 60.0, "s").words
    ('−$65', '+30 s')
    """
    apart = value - reference
    if abs(apart) <= SAME * abs(reference):
        return Amount(apart, unit, "same", standing="predicted")
    size = wording.duration(abs(apart)) if unit == "s" else wording.usd(abs(apart))
    return Amount(apart, unit, f"{'−' if apart < 0.0 else '+'}{size}", standing="predicted")


def percent(value: float, reference: float) -> Amount | None:
    """Return the relative difference from a reference, in percent.

    The result is None if the reference is not above 0.

    Examples
    --------
    >>> [percent(value, 100.0).words for value in (62.0, 112.4, 100.2, 320.0)]
    ['−38%', '+12%', 'same', '3.2 ×']
    """
    if reference <= 0.0 or not math.isfinite(value / reference):
        return None
    change = value / reference - 1.0
    return Amount(100.0 * change, "%", percent_words(change), standing="predicted")


def percent_words(change: float) -> str:
    """Format a relative change in percent, with a sign.

    From +100% on, it is formatted as a factor.
    """
    if abs(change) < SAME:
        return "same"
    if change >= 1.0:
        return f"{wording.three_digits(1.0 + change)} ×"
    return f"{'−' if change < 0.0 else '+'}{wording.three_digits(float(f'{100.0 * abs(change):.2g}'))}%"


def day(when: date) -> str:
    """Format a date.

    Examples
    --------
    >>> day(date(2026, 11, 3))
    '3 Nov 2026'
    """
    return f"{when.day} {when:%b %Y}"


def _range(found: Range, words: str) -> tuple[float | None, float | None, str | None]:
    """Format a range.

    Returns
    -------
    tuple
        Low end, high end, and formatted text of the range. All three are None if the range has no width.
    """
    if found.p10 == found.p90:
        return None, None, None
    return found.p10, found.p90, words
