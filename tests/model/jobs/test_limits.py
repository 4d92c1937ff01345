"""Limits name what a result breaks, and compare only what is given."""

import pytest

from stowage.model.infeasible import Broken
from stowage.model.jobs.workload import Limits

RESULT = {"time_s": 60.0, "cost_usd": 10.0, "nodes": 5, "chance": 0.9, "loss": 0.01}


def broken(limits: Limits, **result: float) -> list[Broken]:
    return list(limits.judge(**result))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(), []),
        (Limits(deadline_s=60.0, budget_usd=10.0, max_nodes=5, loss=0.01), []),
        (Limits(deadline_s=59.0), [Broken("deadline", 60.0, 59.0)]),
        (Limits(deadline_s=59.0, chance=0.9), []),
        (Limits(deadline_s=59.0, chance=0.95), [Broken("chance", 0.9, 0.95)]),
        (Limits(budget_usd=9.0), [Broken("budget", 10.0, 9.0)]),
        (Limits(max_nodes=4), [Broken("max nodes", 5.0, 4.0)]),
        (Limits(loss=0.001), [Broken("loss", 0.01, 0.001)]),
    ],
)
def test_a_result_is_held_against_each_limit(limits: Limits, expected: list[Broken]) -> None:
    assert broken(limits, **RESULT) == expected


def test_what_is_not_given_breaks_nothing() -> None:
    assert broken(Limits(deadline_s=1.0, budget_usd=1.0, max_nodes=1, loss=0.0)) == []
    assert broken(Limits(deadline_s=1.0, chance=0.5)) == []
