"""The innermost loops of the readers, compiled from `measure/csrc`.

Each function handles the usual form of its input, and returns None for every other form, which the caller handles in
Python. So the C code has no rules of its own, and its results are those of the Python code to the last bit.
"""

import ctypes
from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from stowage.measure.reading import MOST_POINTS, MOST_SERIES, Metric, PrintedValue, Series

LIBRARY = Path(__file__).parents[1] / "libreaders.so"

_Record = TypeVar("_Record")
Paths: TypeAlias = dict[str, "Paths"]
"""Keys of containers to open, with the keys to open in each of them; ``*`` for any index of a list."""


def _functions() -> Any:  # noqa: ANN401 - functions of C
    function = ctypes.PyDLL(str(LIBRARY)).readers_functions
    function.restype, function.argtypes = ctypes.py_object, ()
    return function()


(
    _MAKER,
    _METRIC_FUNCTIONS,
    _NUMBER,
    _VALUE_FUNCTIONS,
    _DOCUMENT_FUNCTIONS,
    _TABLE_FUNCTIONS,
    _SHAPE_FUNCTIONS,
) = _functions()


def maker(kind: type[_Record]) -> Callable[..., _Record]:
    """Return a function that builds a frozen dataclass from the values of all its fields.

    It is several times as fast as the class itself, and skips `__post_init__`.

    Examples
    --------
    >>> maker(PrintedValue)("1.50", "KiB/s", "bw")
    PrintedValue(text='1.50', unit='KiB/s', name='bw')
    """
    made: Callable[..., _Record] = _MAKER(kind, _names(kind))
    return made


def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _fraction(factor: Decimal) -> tuple[int, int]:
    """Return a factor as numerator and number of decimal places; (0, 0) if it is not a usual one."""
    sign, digits, exponent = factor.as_tuple()
    if sign or not isinstance(exponent, int) or not -30 <= exponent <= 12:
        return 0, 0
    numerator = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
    return (numerator, max(-exponent, 0)) if numerator < 10**18 else (0, 0)


make_metric: Callable[[str, str, str, str, str, Decimal], Metric | None]
"""Returns the metric of a name, its digits, the text to show, the tool's unit and name, and a factor to our unit.

The value is the exact product of digits and factor, rounded once.
"""
Plan: TypeAlias = tuple[tuple[Any, str, str, str, Decimal], ...]
"""Figures to store: the key of each, the name of our metric, the tool's unit and name, and the factor to our unit."""
FloatPlan: TypeAlias = tuple[tuple[Any, str, str, str, float], ...]
"""The same with factors that are floats: a value is then the product of two floats."""
add_metrics: Callable[[dict[str, Metric], Plan | FloatPlan, Any, int], int]
"""Adds a metric for each item of a plan, from an index on. The digits are those of `Number` in a dict of JSON values,
where other values are skipped, or the texts of any other container: a list by index, a match by group.

Returns the index of the first item whose text is not in the usual form.
"""
product: Callable[[str, Decimal], float | None]
"""Returns the value of such a metric."""
make_metric, add_metrics, product = _METRIC_FUNCTIONS(
    Metric, _names(Metric), PrintedValue, _names(PrintedValue), _fraction
)

plain_number: Callable[[str], float | None] = _NUMBER
"""Returns the value of at most 18 digits with at most one decimal point; None for every other text."""


def value_functions(number: type) -> tuple[Callable[..., Any], ...]:
    """Return the functions of `files.values`; every number of a document becomes one of the given class."""
    found: tuple[Callable[..., Any], ...] = _VALUE_FUNCTIONS(number, _names(number))
    return found


Scan: TypeAlias = Callable[[str, int, int, Paths | None, int, int, Any], tuple[list[Any], int, int, int]]
"""Returns the events of the documents and lines of text from an index on, the index behind them, its line, and why it
stopped: `CUT`, `REFUSED`, or 0 if more events follow.

Arguments: the text, the index, its line, the paths to open (None to open none), the maximum depth, the maximum length
of a document, and the shape of lines that are one event (None if there are none).
"""
Decode: TypeAlias = Callable[[str, int, int, int], tuple[Any, int, int] | bool]
"""Returns the value of a JSON container, its end, and its number of newlines; or whether the text is cut.

Arguments: the text, the index of the bracket, the maximum depth, and the maximum length.
"""
CUT, REFUSED = 1, 2
"""Reasons for the end of a scan: the end of the text, or a form that only Python handles."""


def document_functions(*kinds: type) -> tuple[Scan, Decode]:
    r"""Return the functions that read JSON, for the classes of the start of a document, piece, end and text.

    They refuse whatever is not JSON, a key that stands twice, and ``\u`` escapes.
    """
    found: tuple[Scan, Decode] = _DOCUMENT_FUNCTIONS(*(each for kind in kinds for each in (kind, _names(kind))))
    return found


Match: TypeAlias = Callable[[Any, str, int, int], tuple[Any, int] | None]
"""Returns the block of lines that begins at an index, and the number of its lines; None if they have another form.

Arguments: the shape, the text, the index, and its line.
"""


def shape_functions(block: type, longest: int) -> tuple[Callable[[bytes, bytes, int], Any], Match]:
    """Return the functions of `files.shapes`, for the class of blocks and their maximum length."""
    found: tuple[Callable[[bytes, bytes, int], Any], Match] = _SHAPE_FUNCTIONS(block, _names(block), longest)
    return found


Cells: TypeAlias = Callable[[str, str], list[str] | None]
"""Returns the stripped cells of a line with a delimiter; None if one has quotes other than around all of it."""
Columns: TypeAlias = tuple[tuple[Any, str, Any, float, float], ...]
"""Columns of a table whose figures are stored: the key of each in a row, its name, its meaning, and what its figures
are multiplied with, and then divided by, to be in our unit."""
Figures: TypeAlias = Callable[[Columns, Any], tuple[tuple[float, ...], tuple[str, ...]] | None]
"""Returns the figures of a row in our units, and their texts; None if one is not `plain_number`."""
Lanes: TypeAlias = dict[tuple[str, str], Any]
"""Time series by metric and device: intervals, of which neighbors are merged if there are too many."""
Targets: TypeAlias = tuple[tuple[tuple[str, str], str, str, str, bool], ...]
"""Where the figures of a row are stored: the key of the series of each, the name of the metric for its extreme with the
tool's unit and name, and whether that is the lowest figure."""
Record: TypeAlias = Callable[
    [Lanes | None, dict[str, Metric], Targets, tuple[float, ...], tuple[str, ...], float, float], int
]
"""Appends figures of an interval [s] to the series of their targets, and updates the extremes, which are metrics.

Without series, only the extremes are updated. Returns how many figures are out of order, or have no series.
"""
cells: Cells
figures: Figures
append: Callable[[Lanes, tuple[str, str], float, float, float], bool]
"""Appends the mean of an interval [s] to a series; returns whether there is one, and it is later than those before."""
record: Record
record_row: Callable[[Lanes | None, dict[str, Metric], Targets, Columns, str, float, float], int | None]
"""Does what `figures` and `record` do, with a row of words in ASCII; None, and nothing is recorded, if `figures` would
return None."""
words_at: Callable[[tuple[str, ...], int, int], tuple[str, ...] | None]
"""Returns the word at a place of each of several texts; None if one of them has not so many words, at most 64 and in
ASCII."""
all_series: Callable[[Lanes, datetime | None, float, int], tuple[Series, ...]]
"""Returns all series, which start at a time, with ends since an origin [s], each merged to at most so many intervals.
"""
cells, figures, append, record, record_row, words_at, all_series = _TABLE_FUNCTIONS(
    *(Metric, _names(Metric), PrintedValue, _names(PrintedValue), Series, _names(Series)), MOST_SERIES, MOST_POINTS
)
