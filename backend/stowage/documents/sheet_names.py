"""Names of sheets and cells that spreadsheets accept."""

import re
from collections.abc import Iterable
from itertools import chain, count
from typing import Final

_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\]")
_LONGEST: Final = 31
_TAKEN: Final = "history"  # reserved by spreadsheets
_NO_PART: Final = re.compile(r"[^A-Za-z0-9_]+")


class SheetNames:
    """Unique names for the sheets of a workbook."""

    def __init__(self) -> None:
        self._taken = {_TAKEN}

    def name(self, wanted: str) -> str:
        """Return a unique name, as close to the wanted one as possible.

        Examples
        --------
        >>> names = SheetNames()
        >>> [names.name(wanted) for wanted in ("a/b", "a:b", "History", "", "x" * 40)]
        ['a b', 'a b (2)', 'History (2)', 'Sheet', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx']
        """
        plain = " ".join(_FORBIDDEN.sub(" ", wanted).split()).strip("' ")[:_LONGEST].strip("' ") or "Sheet"
        ends = (f" ({number})" for number in count(2))
        return _first_free(self._taken, plain, (plain[: _LONGEST - len(end)].rstrip() + end for end in ends))


class CellNames:
    """Unique names for the named cells of a workbook."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, calculation: str, key: str) -> str:
        """Return a unique name for the cell of a calculation step; its underscore makes it differ from cell addresses.

        Examples
        --------
        >>> names = CellNames()
        >>> names.name("cost", "nodes"), names.name("1-year", "r1"), names.name("1 year", "r1")
        ('cost_nodes', '_1_year_r1', '_1_year_r1_2')
        """
        plain = _NO_PART.sub("_", f"{calculation}_{key}")[:200]
        plain = plain if plain[0].isalpha() else f"_{plain}"
        return _first_free(self._taken, plain, (f"{plain}_{number}" for number in count(2)))


def _first_free(taken: set[str], wanted: str, others: Iterable[str]) -> str:
    """Return the first name that is not taken in upper or lower case, and add it to the taken names."""
    found = next(name for name in chain([wanted], others) if name.lower() not in taken)
    taken.add(found.lower())
    return found
