"""A number that can be defended: with its unit, its source, its date and how it was come by."""

from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, ClassVar, Literal, Protocol

Kind = Literal["measured", "published", "estimated", "given"]
"""measured: somebody's benchmark; published: a vendor's or author's statement; estimated: our
derivation or assumption; given: what the user wrote or the search chose."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number and where it comes from.

    Parameters
    ----------
    quantity : str
        What it is, as a dotted name: ``i2.8xlarge.usd_per_hour``.
    value : float
        The number, in ``unit``.
    unit : str
        ``MB/s``, ``USD/h``, ``GB``, ``1`` for plain numbers.
    source : str
        Document and place in it; for derived figures the working.
    kind : Kind
    as_of : date or None
        Day of the measurement or publication; None for what the user gives.
    """

    quantity: str
    value: float
    unit: str
    source: str
    kind: Kind
    as_of: date | None = None

    def of(self, target: str) -> "Figure":
        """Name the same figure after a target: ``usd_per_hour`` of ``i2.8xlarge``."""
        return replace(self, quantity=f"{target}.{self.quantity}")


class Record(Protocol):
    """A dataclass, whichever it is."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def figures_of(row: Record) -> dict[str, Figure]:
    """Return the figures among the fields of a record by the fields' names, in their order."""
    found = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: figure for name, figure in found.items() if isinstance(figure, Figure)}


def given(quantity: str, value: float, unit: str, source: str = "the workload") -> Figure:
    """Make the figure of a number that the user wrote."""
    return Figure(quantity, value, unit, source, "given")
