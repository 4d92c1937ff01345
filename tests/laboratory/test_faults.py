"""Whatever goes wrong at whichever step: a run ends in a true state, leaves nothing, and costs no more than agreed.

The whole table, in the slice `faults`; one row of it is for every day, and stands with the runs that go well. Rows of
nodes that are silent are in `test_silent_nodes.py`: their service waits for nodes no longer than it must.
"""

from collections.abc import Callable, Iterator

import pytest

from laboratory.faults import FAULTS, SILENT, STEPS, TOLD, Step, ends_well_or_says_why, strike
from laboratory.lab import Laboratory, laboratory
from laboratory.product import Product, product

pytestmark = pytest.mark.soak("faults")


@pytest.fixture(scope="module")
def lab() -> Iterator[Laboratory]:
    with laboratory(mbit_per_s=80.0) as opened:
        yield opened


@pytest.fixture(scope="module")
def service(lab: Laboratory) -> Iterator[Product]:
    # One for all rows: its start takes longer than a row.
    with product(lab) as started:
        yield started


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != SILENT])
def test_a_run_ends_well_or_says_why(
    service: Product, record_property: Callable[[str, object], None], fault: str, step: Step
) -> None:
    row = strike(service, fault, step)
    record_property(TOLD, row.line())
    ends_well_or_says_why(row)
