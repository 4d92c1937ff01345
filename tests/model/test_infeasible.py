"""Tests of reasons why a configuration is infeasible."""

import pytest

from stowage.model.infeasible import Infeasible, Limit, feasible


@pytest.mark.parametrize("limit", ["network bandwidth unknown", "storage IOPS unknown"])
def test_a_rate_that_no_source_states_is_unknown(limit: Limit) -> None:
    assert Infeasible(limit, "for a reason").is_unknown_rate


@pytest.mark.parametrize("limit", ["price unknown", "capacity"])
def test_neither_a_price_nor_a_broken_limit_is_an_unknown_rate(limit: Limit) -> None:
    assert not Infeasible(limit, "for a reason").is_unknown_rate


def test_an_answer_that_must_be_feasible_is_returned_or_named_with_its_reason() -> None:
    assert feasible(3.0) == 3.0
    with pytest.raises(RuntimeError, match=r"two searches differ: too few nodes"):
        feasible(Infeasible("capacity", "too few nodes"), "two searches differ")
