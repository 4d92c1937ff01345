"""Figures: numbers with their unit, source, date and kind.

The kind is the way in which the number was obtained, such as measured or published.
"""

from dataclasses import fields, replace
from datetime import date
from typing import Any, ClassVar, Literal, Protocol

from stowage.frozen import frozen
from stowage.model.complete import Checked

Kind = Literal["measured", "published", "estimated", "given"]
"""measured: the result of a benchmark; published: a vendor's or author's statement; estimated: our
derivation or assumption; given: written by the user or chosen by the search."""


@frozen
class Figure(Checked):
    """One number with its unit and source."""

    quantity: str
    """Dotted name: `i2.8xlarge.usd_per_hour`."""
    value: float
    """The number, in `unit`."""
    unit: str
    """`MB/s`, `USD/h`, `GB`, `1` for plain numbers."""
    source: str
    """Document and place in the document; for a derived figure, the calculation."""
    kind: Kind
    as_of: date | None = None
    """Day of the measurement or publication; None for figures that the user gives."""

    def of(self, target: str) -> "Figure":
        """Return the figure with a longer name.

        The name then begins with ``target``: ``usd_per_hour`` becomes ``i2.8xlarge.usd_per_hour``.
        """
        return replace(self, quantity=f"{target}.{self.quantity}")


@frozen
class Number:
    """A number that its source makes a figure.

    Examples
    --------
    >>> Number("merge_fan_in", 10.0, "1").published("mapred-default.xml", date(2026, 11, 20)).kind
    'published'
    """

    quantity: str
    """Dotted name, as for `Figure`."""
    value: float
    """The number, in `unit`."""
    unit: str
    """Unit of `value`, written as for `Figure`."""

    def published(self, source: str, as_of: date | None) -> Figure:
        """Return the figure that a vendor or author states."""
        return Figure(self.quantity, self.value, self.unit, source, "published", as_of)

    def estimated(self, source: str, as_of: date | None) -> Figure:
        """Return the figure that we derive or assume."""
        return Figure(self.quantity, self.value, self.unit, source, "estimated", as_of)


class Record(Protocol):
    """Type of any dataclass instance."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def figures_of(row: Record) -> dict[str, Figure]:
    """Return the fields of a record that are figures.

    The result maps field names to figures, in the order of the fields.
    """
    found = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: figure for name, figure in found.items() if isinstance(figure, Figure)}


def value_of(figure: Figure | None, default: float = 0.0) -> float:
    """Return the value of a figure, or ``default`` if there is none."""
    return default if figure is None else figure.value


def given(quantity: str, value: float, unit: str, source: str = "the workload") -> Figure:
    """Build a figure from a number that the user wrote."""
    return Figure(quantity, value, unit, source, "given")
