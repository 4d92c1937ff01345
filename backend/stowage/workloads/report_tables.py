"""Tables of reports: each column is declared once, with its head and its cells."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from stowage.frozen import frozen
from stowage.model.report import Amount, Column, Row, Table

Cell = Amount | str | None
_Of = TypeVar("_Of")


@frozen
class Field(Generic[_Of]):
    """A column of a table, with the cell that a record has in it."""

    column: Column
    cell: Callable[[_Of], Cell]


def text(key: str, head: str, cell: Callable[[_Of], Cell]) -> Field[_Of]:
    """Declare a column of texts."""
    return Field(Column(key, head), cell)


def number(key: str, head: str, cell: Callable[[_Of], Cell]) -> Field[_Of]:
    """Declare a column of amounts, which are aligned to the right."""
    return Field(Column(key, head, numeric=True), cell)


@frozen
class Records(Generic[_Of]):
    """Records that become the rows of a table."""

    rows: Iterable[tuple[str, _Of]]
    """Key of each row, and its record."""
    chosen: Callable[[_Of], bool] = lambda _: False
    """Whether a record's row is highlighted."""

    def table(self, key: str, caption: str, *fields: Field[_Of]) -> Table:
        """Build the table, with a row for each record."""
        return Table(
            key,
            caption,
            tuple(field.column for field in fields),
            tuple(
                Row(name, tuple(field.cell(record) for field in fields), self.chosen(record))
                for name, record in self.rows
            ),
        )
