"""Rows and numbers of the tables from which a catalog is built."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
"""Plain numbers; other forms that Python and YAML accept (1_0, 010, nan, other digits) are assumed to be typos."""


class TableError(ValueError):
    """A table is invalid; the message names the place in the table."""


def rows_of(
    lines: Iterable[str], columns: Sequence[str], *, headings: int = 1, accepted: str = "the headings are"
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the number and the cells of each line of a CSV table.

    Parameters
    ----------
    lines : iterable of str
        Lines of the file from the headings on.
    columns : sequence of str
        Columns that the table must have.
    headings : int
        Number of the line with the headings.
    accepted : str
        Words that precede the list of columns in a message.

    Raises
    ------
    TableError
        A column is missing.
    """
    reader = csv.DictReader(lines, restval="")
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise TableError(f"line {headings}: no column {missing[0]!a}; {accepted} {', '.join(columns)}")
    yield from enumerate(reader, headings + 1)


def above_0(row: Mapping[str, str], column: str, line: int, what: str) -> float:
    """Parse the number above 0 in a cell.

    ``line`` and ``what``, such as ``price``, are for the message.

    Raises
    ------
    TableError
        The cell has any other text.

    Examples
    --------
    >>> above_0({"on_demand": "0.096"}, "on_demand", 2, "price")
    0.096
    """
    cell = row[column]
    number = float(cell) if NUMBER.fullmatch(cell) else 0.0
    if not 0.0 < number < float("inf"):
        raise TableError(f"line {line}: {column} {cell!a} is no {what} above 0")
    return number
