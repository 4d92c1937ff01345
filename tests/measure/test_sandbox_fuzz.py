"""Fuzz of the sandboxed reader: no input exceeds its limits, however many inputs a process reads."""

import pytest

from sandbox_fuzz import fuzz
from soaking import everyday

SEED = 10_000_000


EVERYDAY = ((0, 400, 400), (0, 4, 1))
"""Seed, number of inputs, and inputs per process."""


@pytest.mark.parametrize(
    "part", everyday(EVERYDAY, (*EVERYDAY, *((seed, 25_000, 1_000) for seed in range(1, 5)), (5, 400, 1)), "fuzz")
)
def test_no_input_exceeds_the_limits_of_the_reader(part: tuple[int, int, int]) -> None:
    seed, inputs, each = part
    tally = fuzz(seed * SEED, inputs, each)
    assert (tally.stopped, tally.faults) == ([], [])
    assert (tally.inputs, tally.processes) == (inputs, -(-inputs // each))
    assert tally.read + tally.refused == inputs
    assert tally.read > inputs // 2
