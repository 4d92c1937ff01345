"""The sweep file: every cell is the base workload with the two values in their fields."""

from itertools import product
from typing import Any

from stowage.features.sweeps.sweep_file import QUANTITIES, SweepFile, grid_of

BASE: dict[str, Any] = {"workload": {"data": "1 TB", "runs_per_month": 30.0}, "limits": {"max_nodes": 200}}
AXES: dict[str, list[str]] = {str(name): each.suggested.split(", ")[:2] for name, each in QUANTITIES.items()} | {
    "data": ["2 TB", "3 TB"],
    "deadline": ["10 min", "1 h"],
    "durability": ["none", "application", "infrastructure"],
    "replicas": ["1", "3"],
    "region": ["us-east-1", "eu-west-1"],
    "purchase": ["on-demand"],
}


def cells(columns: str, rows: str, base: dict[str, Any] = BASE) -> list[dict[str, Any]]:
    axes = {"columns": {"quantity": columns, "values": AXES[columns]}, "rows": {"quantity": rows, "values": AXES[rows]}}
    grid = grid_of(SweepFile.model_validate({"base": base, **axes}), "paper-2014")
    assert (grid.columns, grid.rows) == (len(AXES[columns]), len(AXES[rows]))
    return [cell.model_dump(mode="json") for cell in grid.cells]


def test_cells_stand_row_by_row_with_both_values_in_their_fields() -> None:
    found = [(cell["limits"]["deadline"], cell["workload"]["data"]) for cell in cells("data", "deadline")]
    assert found == list(product(AXES["deadline"], AXES["data"]))
    for cell in cells("data", "deadline"):
        assert cell["workload"]["runs_per_month"] == 30.0
        assert cell["limits"]["max_nodes"] == 200
        assert cell["place"]["catalog"] == "paper-2014"


def test_any_two_quantities_make_a_grid() -> None:
    for columns, rows in product(AXES, AXES):
        if columns != rows:
            assert len(cells(columns, rows)) == len(AXES[columns]) * len(AXES[rows])


def test_copies_are_kept_by_the_application_for_every_base() -> None:
    for model in ("none", "application", "infrastructure"):
        base = {**BASE, "workload": {**BASE["workload"], "durability": {"model": model}}}
        kept = [cell["workload"]["durability"] for cell in cells("replicas", "data", base)]
        assert kept == [{"model": "application", "replicas": replicas} for replicas in (1, 3)] * 2


def test_beside_an_axis_of_durability_copies_change_only_those_that_the_application_keeps() -> None:
    for columns, rows in (("durability", "replicas"), ("replicas", "durability")):
        found = {
            (d["model"], d.get("replicas")) for d in (cell["workload"]["durability"] for cell in cells(columns, rows))
        }
        assert found == {("none", None), ("application", 1), ("application", 3), ("infrastructure", None)}


def test_the_cluster_of_the_base_is_left_out() -> None:
    base = {**BASE, "cluster": {"instance": "i2.8xlarge", "nodes": 10}}
    assert all(cell["cluster"] is None for cell in cells("data", "deadline", base))


def test_quantities_have_the_names_of_the_field() -> None:
    labels = {name: each.label for name, each in QUANTITIES.items()}
    assert labels == labels | {
        "data": "Data size",
        "deadline": "Deadline",
        "durability": "Durability",
        "replicas": "Copies of the output",
        "region": "Region",
        "purchase": "Purchase option",
    }
    assert QUANTITIES["replicas"].in_text == "copies of the output"
