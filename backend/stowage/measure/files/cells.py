"""Split of a line of CSV into cells."""

import csv

from stowage.measure.files.compiled import cells

LONGEST_LINE = 100_000
"""Maximum length of a line [characters]; below the library's limit for one cell."""


def cells_of(text: str, delimiter: str = ",") -> list[str]:
    """Split a line of CSV into cells without surrounding spaces.

    A quote that is never closed extends to the end of the line.

    Returns
    -------
    list of str
        Cells of the line; empty if the line is too long.

    Examples
    --------
    >>> cells_of('a, "b, c",')
    ['a', 'b, c', '']
    """
    if (plain := cells(text, delimiter)) is not None:
        return plain
    if len(text) > LONGEST_LINE:
        return []
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []
