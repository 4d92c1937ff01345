"""A line of a table as its cells."""

import csv

LONGEST_LINE = 100_000
"""Characters; below what the library takes for one cell."""


def cells_of(text: str, delimiter: str = ",") -> list[str]:
    """Cut a line into cells without the blanks around them; a quote that is not closed ends with the line.

    Returns
    -------
    list of str
        Empty for a line that is too long to be one of a table.

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
