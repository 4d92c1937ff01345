"""Parser of numbers in the tables from which a catalog is built."""

import re

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
"""Plain numbers; other forms that Python and YAML accept (1_0, 010, nan, other digits) are assumed to be typos."""


def above_0(text: str) -> float | None:
    """Parse a number above 0; return None for any other text.

    Examples
    --------
    >>> above_0("0.096"), above_0("1_0"), above_0("-1"), above_0("nan")
    (0.096, None, None, None)
    """
    number = float(text) if NUMBER.fullmatch(text) else 0.0
    return number if 0.0 < number < float("inf") else None
