"""The innermost loops of the readers, compiled from `measure/csrc/records.c`.

Each function handles the usual form of its input, and returns None for every other form, which the caller handles in
Python. So the C code has no rules of its own, and its results are those of the Python code to the last bit.
"""

import ctypes
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from stowage.measure.reading import Metric, PrintedValue

LIBRARY = Path(__file__).parents[1] / "libreaders.so"

_Record = TypeVar("_Record")


def _functions() -> Any:  # noqa: ANN401 - functions of C
    function = ctypes.PyDLL(str(LIBRARY)).readers_functions
    function.restype, function.argtypes = ctypes.py_object, ()
    return function()


_MAKER, _METRIC_FUNCTIONS, _NUMBER, _OBJECT_OF, _OUTLINE, _NEWLINES = _functions()


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
add_metrics: Callable[[dict[str, Metric], tuple[tuple[str, str, str, Decimal], ...], list[str], int], int]
"""Adds a metric for each text of a list from an index on, by a plan of names, units, tool's names and factors.

Returns the index of the first text that is not in the usual form.
"""
make_metric, add_metrics = _METRIC_FUNCTIONS(Metric, _names(Metric), PrintedValue, _names(PrintedValue), _fraction)

plain_number: Callable[[str], float | None] = _NUMBER
"""Returns the value of at most 18 digits with at most one decimal point; None for every other text."""

object_of: Callable[[list[tuple[str, Any]]], dict[str, Any]] = _OBJECT_OF
"""Returns the members of a JSON object as a dict; raises ValueError if a key stands twice."""

outline: Callable[[str, int], tuple[int, list[int], int] | None] = _OUTLINE
"""Returns the depth of a valid JSON container, the lines of members, and the number of newlines.

The lines are those of the members of its outer levels, at most 8; the first line is 0. The line of a list or an object
is that of its bracket. The line of another value is that of its key, or of the outer bracket if it is the first member.
The result is None if a string has a ``\\u`` escape.
"""

newlines: Callable[[str], int] = _NEWLINES
"""Returns the number of newlines of a text."""
