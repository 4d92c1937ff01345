"""Whatever goes wrong at whichever step: a run ends in a true state, leaves nothing, and costs no more than agreed.

The whole table, which `make soak` prints; one row of it is for every day, and stands with the runs that go well.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from laboratory.faults import FAULTS, STEPS, TOLD, Step, ends_well_or_says_why, holds, strike
from laboratory.lab import Laboratory, laboratory
from laboratory.product import HASTE, PACE, Product, product

pytestmark = pytest.mark.soak

TABLE = [
    # Who waits for a node that is silent does not wait for long; all others wait for as long as a busy machine takes.
    pytest.param(HASTE if fault == "agent never reports" else PACE, fault, step, id=f"{fault}-{step}")
    for fault in FAULTS
    for step in STEPS
]


@pytest.fixture(scope="module")
def lab() -> Iterator[Laboratory]:
    with laboratory(mbit_per_s=80.0) as opened:
        yield opened


@pytest.fixture(scope="module")
def service(lab: Laboratory, request: pytest.FixtureRequest) -> Iterator[Product]:
    with product(lab, {**PACE, **request.param}) as started:
        yield started


@pytest.mark.parametrize(("service", "fault", "step"), TABLE, indirect=["service"])
def test_a_run_ends_well_or_says_why(
    service: Product, record_property: Callable[[str, object], None], fault: str, step: Step
) -> None:
    row = strike(service, fault, step)
    record_property(TOLD, row.line())
    ends_well_or_says_why(row)


_MUTANT = """
from dataclasses import replace
from stowage.runs import machine
from stowage.runs.step import Step


def nothing(run, seen, now, pace):
    return Step(replace(run, state=run.outcome, finished_at=now, verified=True))


machine.from_tearing_down = nothing
"""


def test_a_service_that_does_not_tear_down_would_be_found(
    lab: Laboratory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every Python process begins with this module: the service and its workers are the mutant, this process is not.
    (tmp_path / "sitecustomize.py").write_text(_MUTANT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with product(lab) as mutant:
        row = strike(mutant, "results posted twice", "running")
        assert (row.outcome, sorted(row.left)) == ("done", ["objects", "placement groups", "security groups"])
        with pytest.raises(AssertionError, match="placement groups"):
            holds(row)
