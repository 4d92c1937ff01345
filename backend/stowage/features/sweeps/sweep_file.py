"""Sweep file, which describes one workload over a grid of two of its quantities.

Each cell of the grid is a workload file: the base workload, with the two quantities set to the values of its column and
row. An axis accepts every value that the field of its quantity accepts in a workload file.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from stowage.frozen import frozen
from stowage.platform.errors import BadInput, Problem
from stowage.platform.written import Name, Section
from stowage.workloads.stored import as_stored, with_catalog
from stowage.workloads.workload_file import WorkloadFile, parse_workload

MOST_VALUES = 50
"""Maximum number of values on an axis; a heat map has at most 2,500 cells."""

Quantity = Literal["data", "deadline", "durability", "replicas", "region", "purchase"]


@frozen
class AxisQuantity:
    """A quantity of the workload that an axis can vary.

    The page gets this table through the OpenAPI description; `hint` and `suggested` are for its form.
    """

    label: str
    """Name of the quantity, as a title."""
    section: str
    """Section of the workload file that contains `field`."""
    field: str
    """Field of the workload file that the axis sets."""
    hint: str
    """Values as a user would type them, as examples."""
    suggested: str
    """Values of a new axis, separated by commas."""
    amounts: Literal["sizes", "durations"] | None = None
    """Kind of amounts that the values are, between which a form interpolates; None for other values."""

    @property
    def in_text(self) -> str:
        """Name within a sentence."""
        return self.label[:1].lower() + self.label[1:]


QUANTITIES: dict[Quantity, AxisQuantity] = {
    "data": AxisQuantity(
        "Data size",
        "workload",
        "data",
        "1 TB, 3 TB, 10 TB, or 1 TB to 1 PB, 7 steps",
        "1 TB, 3 TB, 10 TB, 30 TB, 100 TB, 300 TB, 1 PB",
        "sizes",
    ),
    "deadline": AxisQuantity(
        "Deadline",
        "limits",
        "deadline",
        "15 min, 30 min, 1 h, or 10 min to 8 h, 6 steps",
        "10 min, 15 min, 30 min, 1 h, 2 h, 4 h, 8 h",
        "durations",
    ),
    "durability": AxisQuantity("Durability", "workload", "durability", "none, copies, EBS", "none, copies, EBS"),
    "replicas": AxisQuantity("Copies of the output", "workload", "durability", "1, 2, 3, or 1 to 5", "1, 2, 3"),
    "region": AxisQuantity("Region", "place", "region", "us-east-1", "us-east-1"),
    "purchase": AxisQuantity("Purchase option", "place", "purchase", "on-demand", "on-demand"),
}
"""The quantities, in the order in which forms show them."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Value = Annotated[str, BeforeValidator(_as_text), Field(min_length=1, max_length=100)]


class AxisSection(Section):
    """An axis of the grid: one quantity of the workload, with its values as written in a workload file."""

    quantity: Quantity
    """`replicas` are application-level copies; with a durability axis, they do not affect other durability models."""
    values: Annotated[list[Value], Field(min_length=1, max_length=MOST_VALUES)]


class SweepFile(Section):
    """A sweep: one base workload, and the two axes of the grid."""

    name: Name = ""
    base: WorkloadFile
    """Workload file of all cells; its cluster is ignored, and the axes overwrite their fields."""
    columns: AxisSection
    rows: AxisSection

    @model_validator(mode="after")
    def _two_quantities(self) -> Self:
        if self.columns.quantity == self.rows.quantity:
            raise ValueError(f"columns and rows are both {self.rows.quantity}; a sweep has two different quantities")
        kept = {"durability", "replicas"} & {self.columns.quantity, self.rows.quantity}
        if self.base.today is not None and kept:
            raise ValueError(
                f"{' and '.join(sorted(kept))} with base.today, whose run was measured with its data kept in one way; "
                "accepted: other quantities, or a base without today"
            )
        return self


def stored_sweep(request: Mapping[str, Any]) -> SweepFile:
    """Parse the sweep file of a stored sweep."""
    return SweepFile.model_validate({**request, "base": as_stored(request["base"])})


@frozen
class Grid:
    """The grid of a sweep: the workload files of its cells, row by row."""

    columns: int
    rows: int
    cells: tuple[WorkloadFile, ...]
    """`columns * rows` workload files; the cell at a column and row has position `row * columns + column`."""


def grid_of(file: SweepFile, catalog_version: str) -> Grid:
    """Build the grid of a sweep, with the workload file of every cell.

    Parameters
    ----------
    catalog_version : str
        Catalog version with which all cells are computed.

    Raises
    ------
    BadInput
        A field does not accept a value of its axis, or a value occurs twice on an axis.
    """
    base = file.base.written()
    base.pop("cluster", None)
    base = with_catalog(base, catalog_version)
    if "durability" not in (quantities := {file.columns.quantity, file.rows.quantity}) and "replicas" in quantities:
        base = _with_copies(base)
    problems = [*_axis_problems(base, "columns", file.columns), *_axis_problems(base, "rows", file.rows)]
    if problems:
        raise BadInput(problems)
    cells = []
    for row in file.rows.values:
        for column in file.columns.values:
            pair = sorted(
                ((file.columns.quantity, column), (file.rows.quantity, row)), key=lambda pair: pair[0] == "replicas"
            )
            document = base
            for quantity, value in pair:
                document = _set(document, quantity, value)
            cells.append(parse_workload(document))
    return Grid(len(file.columns.values), len(file.rows.values), tuple(cells))


def _axis_problems(base: dict[str, Any], name: str, axis: AxisSection) -> list[Problem]:
    problems = []
    for index, value in enumerate(axis.values):
        path = f"{name}.values.{index}"
        if value in axis.values[:index]:
            problems.append(Problem(path, f"{value!a} stands there twice"))
            continue
        try:
            parse_workload(_set(_with_copies(base) if axis.quantity == "replicas" else base, axis.quantity, value))
        except BadInput as error:
            problems.append(Problem(path, "; ".join(problem.message for problem in error.problems)))
    return problems


def _with_copies(base: dict[str, Any]) -> dict[str, Any]:
    """Return the base workload with application-level replication as its durability."""
    return _with(base, "workload", "durability", {"model": "application"})


def _with(document: dict[str, Any], section: str, field: str, value: object) -> dict[str, Any]:
    return {**document, section: {**document.get(section, {}), field: value}}


def _set_durability(document: dict[str, Any], value: str) -> dict[str, Any]:
    written = document["workload"].get("durability", {})
    kept = written if written.get("model") == value else {}
    return _with(document, "workload", "durability", {**kept, "model": value})


def _set_replicas(document: dict[str, Any], value: str) -> dict[str, Any]:
    if document["workload"].get("durability", {}).get("model") != "application":
        return document
    replicas = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
    return _with(document, "workload", "durability", {"model": "application", "replicas": replicas})


def _set(document: dict[str, Any], quantity: Quantity, value: str) -> dict[str, Any]:
    if quantity == "durability":
        return _set_durability(document, value)
    if quantity == "replicas":
        return _set_replicas(document, value)
    varied = QUANTITIES[quantity]
    return _with(document, varied.section, varied.field, value)
