"""Schedules of faults by seed, and the tables of their outcomes."""

from collections import Counter
from typing import Any

import pytest

from bench.load import record
from bench.load.faults import BACK, DISK, FAULTS, FORWARD, possible, schedule


def test_a_seed_has_one_schedule_and_seeds_differ() -> None:
    assert schedule(5, 40) == schedule(5, 40)
    assert len({tuple(each.fault for each in schedule(seed, 6)) for seed in range(50)}) == 50


@pytest.mark.parametrize("seed", range(5))
def test_every_fault_comes_once_before_one_comes_twice(seed: int) -> None:
    assert sorted(each.fault for each in schedule(seed, len(FAULTS))) == sorted(FAULTS)
    counts = Counter(each.fault for each in schedule(seed, 2 * len(FAULTS) + 3))
    assert set(counts.values()) == {2, 3}


def test_what_this_machine_cannot_do_is_left_out_in_words() -> None:
    assert possible(volume=True, clock=True) == (list(FAULTS), [])
    names, skipped = possible(volume=False, clock=False)
    assert set(FAULTS) - set(names) == {DISK, FORWARD, BACK}
    assert [line.partition(":")[0] for line in skipped] == ["clock moved", "disk full"]


def chaos(**changed: Any) -> dict[str, Any]:
    faults = [{"fault": DISK, "recovered_s": 2.0, "words": ""}, {"fault": DISK, "recovered_s": None, "words": "gone"}]
    usual = {"kind": "chaos", "date": "2026-11-23", "commit": "abc1234", "machine": "x86_64", "seed": 1}
    found = {"faults": faults, "acknowledged": 10, "lost": [], "repeated": [], "undone": [], "skipped": []}
    return usual | found | changed


def test_results_of_many_calls_add_up_and_what_is_bad_is_counted() -> None:
    results = [chaos(), chaos(lost=["/a: gone"], undone=["sweep 1"], faults=[]), chaos(skipped=["clock moved: no"])]
    text = "\n".join(record.tables_of(results))
    assert "3 schedules with 4 faults" in text
    assert "30 acknowledged writes, 1 lost, 0 duplicated, 1 jobs not done" in text
    assert "| disk full | 4 | 2.0 | 2.0 | 2 |" in text
    assert "Left out in 1 of 3: clock moved: no." in text
