"""Near-ties of cells: the second-best type, and how far it is behind by the ranked quantity."""

import pytest

from stowage.features.planning.planning import preview_plan
from stowage.features.sweeps.schemas import NEAR_TIE, CellBestAnswer
from stowage.features.sweeps.sweep_file import SweepFile, grid_of
from stowage.features.sweeps.sweeps import compute_cell
from stowage.workloads.answers import DescribedCluster, RankedAnswer
from stowage.workloads.knowledge import packaged_knowledge


def best(objective: str, values: list[str]) -> list[CellBestAnswer]:
    file = SweepFile.model_validate(
        {
            "base": {
                "objective": objective,
                "workload": {"data": "1 TB"},
                "limits": {"max_nodes": 100},
            },
            "columns": {"quantity": "data", "values": values},
            "rows": {"quantity": "purchase", "values": ["on-demand"]},
        }
    )
    grid = grid_of(file, "latest")
    cells = [compute_cell(grid, position, packaged_knowledge) for position in range(len(values))]
    for cell, workload in zip(cells, grid.cells, strict=True):
        if cell.best is not None and cell.best.runner_up is not None:
            ranking = preview_plan(workload, packaged_knowledge, lambda: 0.0, "none").configurations
            _agrees(objective, cell.best, ranking)
    return [cell.best for cell in cells if cell.best is not None]


def _agrees(objective: str, found: CellBestAnswer, ranking: list[RankedAnswer]) -> None:
    """Compare a runner-up with the whole ranking, by the quantity that the workload ranks by."""
    second = found.runner_up
    assert second is not None
    amounts = [
        {"cost": row.cost_usd.p50, "time": row.time_s.p50, "month": row.cost_always_on_usd or 0.0}[objective]
        for row in ranking
    ]
    others = [amount for amount, row in zip(amounts, ranking, strict=True) if _type(row) != _type(found)]
    assert second.instance in {row.instance for row in ranking}
    assert second.behind == pytest.approx(min(others) / min(amounts) - 1.0, rel=1e-6, abs=1e-9)


def _type(found: DescribedCluster) -> tuple[str, str, object]:
    return found.instance, found.storage.kind, getattr(found.storage, "type", None)


@pytest.mark.parametrize("objective", ["cost", "time", "month"])
def test_a_runner_up_is_the_next_type_by_the_ranked_quantity(objective: str) -> None:
    found = best(objective, ["1 TB", "30 TB"])
    assert len(found) == 2
    for cell in found:
        assert cell.runner_up is not None
        assert _type(cell.runner_up) != _type(cell)
        assert cell.near_tie == (cell.runner_up.behind <= NEAR_TIE)


def test_sweeps_from_before_the_runner_up_was_stored_have_no_near_ties() -> None:
    (found,) = best("cost", ["1 TB"])
    old = CellBestAnswer.model_validate(found.model_dump(mode="json", exclude={"runner_up"}))
    assert old.runner_up is None
    assert not old.near_tie
