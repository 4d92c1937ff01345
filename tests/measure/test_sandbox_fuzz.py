"""Hostile inputs keep the limits that the sandboxed reader gives a single one, however many a process reads."""

import pytest

from sandbox_fuzz import fuzz
from soaking import everyday

SEED = 10_000_000


EVERYDAY = ((0, 400, 400), (0, 4, 1))
"""Seed, inputs, and inputs of each process."""


@pytest.mark.parametrize(
    "part", everyday(EVERYDAY, (*EVERYDAY, *((seed, 25_000, 1_000) for seed in range(1, 5)), (5, 400, 1)), "fuzz")
)
def test_no_input_goes_over_the_limits_of_one(part: tuple[int, int, int]) -> None:
    seed, inputs, each = part
    tally = fuzz(seed * SEED, inputs, each)
    assert (tally.stopped, tally.faults) == ([], [])
    assert (tally.inputs, tally.processes) == (inputs, -(-inputs // each))
    assert tally.read + tally.refused == inputs
    assert tally.read > inputs // 2
