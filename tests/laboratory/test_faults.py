"""Every fault at every step: a run ends in a correct state, leaves no resources, and costs no more than approved.

The table is in the slice `faults`; one of its rows runs every day, next to the runs without faults. Faults that a run
survives with all its results are in `test_survived_faults.py`, which runs concurrently; silent nodes are in
`test_silent_nodes.py`, with shorter timeouts.
"""

from collections.abc import Callable

import pytest

from laboratory.faults import FAULTS, SILENT, STEPS, UNHARMED, Step, withstand
from laboratory.product import Product

pytestmark = pytest.mark.soak("faults")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in {SILENT, *UNHARMED}])
def test_a_run_ends_well_or_says_why(
    struck: Product, record_property: Callable[[str, object], None], fault: str, step: Step
) -> None:
    withstand(struck, fault, step, record_property)
