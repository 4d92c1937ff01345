"""Silent nodes: their rows of the table of faults, with a service that does not wait long for them; and a mutant."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from laboratory.faults import SILENT, STEPS, Step, holds, strike, withstand
from laboratory.lab import Laboratory, laboratory
from laboratory.product import HASTE, PACE, Product, product

pytestmark = pytest.mark.soak("aws")


_MUTANT = """
from dataclasses import replace
from stowage.runs import machine
from stowage.runs.step import Step


def nothing(run, seen, now, pace):
    return Step(replace(run, state=run.outcome, finished_at=now, verified=True))


machine.from_tearing_down = nothing
"""


def test_a_service_that_does_not_tear_down_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every Python process loads this module first: the service and its workers are the mutant, this process is not.
    (tmp_path / "sitecustomize.py").write_text(_MUTANT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # An account of its own: the mutant leaves resources in it.
    with laboratory(mbit_per_s=80.0) as lab, product(lab) as mutant:
        row = strike(mutant, "results posted twice", "running")
        assert (row.outcome, sorted(row.left)) == ("done", ["objects", "placement groups", "security groups"])
        with pytest.raises(AssertionError, match="placement groups"):
            holds(row)


@pytest.fixture(scope="module")
def hasty(own_lab: Laboratory) -> Iterator[Product]:
    with product(own_lab, {**PACE, **HASTE}) as started:
        yield started


@pytest.mark.parametrize("step", STEPS)
def test_a_run_with_a_silent_node_ends_well_or_says_why(
    hasty: Product, record_property: Callable[[str, object], None], step: Step
) -> None:
    withstand(hasty, SILENT, step, record_property)
