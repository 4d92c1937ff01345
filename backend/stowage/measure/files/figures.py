"""Parsers of numbers in the forms in which tools print them.

Parsing is strict. The decimal separator may be a comma or a point.
"""

import re

from stowage.measure.files.compiled import maker, plain_number
from stowage.measure.reading import PrintedValue

_LONGEST = 60
LONGEST_NAME = 120
"""Maximum length of a tool's name for a number that is stored."""
_SMALLEST, _LARGEST = 1e-30, 1e30
_printed = maker(PrintedValue)
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]{1,3})?\Z")


def number_of(text: str) -> float | None:
    """Parse a number with a point or a comma as its decimal separator.

    Thousands separators are not accepted.

    Parameters
    ----------
    text : str
        At most 60 characters.

    Returns
    -------
    float or None
        None if it is not a finite number.

    Examples
    --------
    >>> number_of("0,50"), number_of("1.5e3"), number_of("NaN"), number_of("1e309")
    (0.5, 1500.0, None, None)
    """
    if (plain := plain_number(text)) is not None:
        return plain
    if len(text) > _LONGEST or not _NUMBER.match(text):
        return None
    value = float(text.replace(",", "."))
    return bounded(value)


def bounded(value: float | None) -> float | None:
    """Return a value if calculations with it cannot overflow; else None.

    Accepted are 0 and values from 1e-30 to 1e30 in magnitude.

    Examples
    --------
    >>> bounded(12.5), bounded(0.0), bounded(1e300), bounded(None)
    (12.5, 0.0, None, None)
    """
    return value if value is not None and (value == 0 or _SMALLEST <= abs(value) <= _LARGEST) else None


def spoken(value: float) -> str:
    """Format a number with four significant digits.

    From 1,000 on, it is a whole number with commas.

    Examples
    --------
    >>> spoken(262.144), spoken(15754.2), spoken(2861.02), spoken(0.0312)
    ('262.1', '15,754', '2,861', '0.0312')
    """
    return f"{value:,.0f}" if 1_000.0 <= abs(value) < 1e15 else f"{value:.4g}"


def told(text: str, unit: str, name: str) -> PrintedValue:
    """Build a `PrintedValue` from the text that a tool printed.

    Texts that are too long are shortened.
    """
    return _printed(text[:_LONGEST], unit[:_LONGEST], name[:LONGEST_NAME])
