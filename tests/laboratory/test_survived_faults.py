"""Faults that a run survives with all its results: the other rows of the table in `test_faults.py`."""

from collections.abc import Callable

import pytest

from laboratory.faults import STEPS, UNHARMED, Step, withstand
from laboratory.product import Product

pytestmark = pytest.mark.soak("faults")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", sorted(UNHARMED))
def test_a_run_ends_well(
    struck: Product, record_property: Callable[[str, object], None], fault: str, step: Step
) -> None:
    withstand(struck, fault, step, record_property)
