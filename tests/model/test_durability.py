"""The chance of loss against exact arithmetic on fractions."""

import math
from fractions import Fraction

import pytest

from stowage.model.durability import chance_of_failures
from stowage.model.units import SECONDS_PER_YEAR


def exactly(units: int, copies: int, chance: Fraction) -> Fraction:
    return sum(
        (Fraction(math.comb(units, k)) * chance**k * (1 - chance) ** (units - k) for k in range(copies, units + 1)),
        Fraction(0),
    )


@pytest.mark.parametrize(
    ("units", "copies"), [(units, copies) for units in (1, 2, 5, 40, 178) for copies in (1, 2, 3) if copies <= units]
)
@pytest.mark.parametrize("hazard", [1e-9, 1e-3, 0.1, 2.0])
def test_chance_is_the_binomial_tail(units: int, copies: int, hazard: float) -> None:
    chance = Fraction(-math.expm1(-hazard))
    found = chance_of_failures(units, copies, hazard, SECONDS_PER_YEAR)
    assert found == pytest.approx(float(exactly(units, copies, chance)), rel=1e-9)


def test_nothing_fails_in_no_time() -> None:
    assert chance_of_failures(178, 1, 0.08, 0.0) == 0.0


def test_everything_fails_in_the_end() -> None:
    assert chance_of_failures(178, 3, 1e6, SECONDS_PER_YEAR) == pytest.approx(1.0)
