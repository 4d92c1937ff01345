"""Cells of a line of CSV."""

import csv

LONGEST_LINE = 100_000
"""Maximum length of a line [characters]; below the library's limit for one cell."""


def cells_of(text: str, delimiter: str = ",") -> list[str]:
    """Split a line into cells without surrounding spaces; a quote that is never closed extends to the end of the line.

    Returns
    -------
    list of str
        Empty for a line that is too long.

    Examples
    --------
    >>> cells_of('a, "b, c",')
    ['a', 'b, c', '']
    """
    if len(text) > LONGEST_LINE:
        return []
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])]
    except csv.Error:
        return []
