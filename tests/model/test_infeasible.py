"""Tests of reasons why a configuration is infeasible."""

import pytest

from stowage.model.infeasible import Infeasible, Limit, feasible


@pytest.mark.parametrize(
    ("limit", "is_unknown"), [("network bandwidth unknown", True), ("price unknown", False), ("capacity", False)]
)
def test_only_a_rate_that_no_source_states_is_an_unknown_rate(limit: Limit, is_unknown: bool) -> None:
    assert Infeasible(limit, "for a reason").is_unknown_rate is is_unknown


def test_an_answer_that_must_be_feasible_is_returned_or_named_with_its_reason() -> None:
    assert feasible(3.0) == 3.0
    with pytest.raises(RuntimeError, match=r"two searches differ: too few nodes"):
        feasible(Infeasible("capacity", "too few nodes"), "two searches differ")
