"""A team's currency: its rate and its sign."""

from datetime import date

import pytest

from stowage.model.money.currency import HIGHEST_RATE, LOWEST_RATE, Currency

DAY = date(2026, 11, 28)


@pytest.mark.parametrize("rate", [0.0, LOWEST_RATE / 2.0, HIGHEST_RATE * 2.0, -0.86, float("nan"), float("inf")])
def test_a_rate_outside_its_range_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match=r"a rate is from 0\.0001 to 1,000,000"):
        Currency("EUR", rate, DAY)


@pytest.mark.parametrize("rate", [LOWEST_RATE, HIGHEST_RATE])
def test_the_ends_of_the_range_are_accepted(rate: float) -> None:
    assert Currency("EUR", rate, DAY).usd_rate == rate


def test_a_currency_without_a_sign_is_written_with_its_code() -> None:
    assert (Currency("EUR", 0.86, DAY).sign, Currency("CHF", 0.8, DAY).sign) == ("€", "CHF ")
