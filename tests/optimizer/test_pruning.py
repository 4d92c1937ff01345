"""Mutants of the pruning rules: without its condition, each rule gives a wrong result.

The condition is removed from the kernel's source, or disabled in Python. On a small space the kernel finds the plain
loop's result, and the mutant finds another: so the condition is needed, and the space would show that it is
missing.
"""

import runpy
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optimizer.brute_force import ROOT, compiler
from optimizer.certificate import assert_equal as assert_equal_to
from optimizer.certificate import resolution_of
from optimizer.oracle import Answer, enumerate_all
from optimizer.pruning_rules import RULES, Rule, kernel_source
from optimizer.small_spaces import phases, small
from optimizer.spaces import Space, space
from soaking import everyday
from stowage.model.jobs.flows import Role
from stowage.model.plan import Plan
from stowage.optimizer import kernel, problem, volume_grid
from stowage.optimizer.arrays import Floats, Indices
from stowage.optimizer.cache import Cache
from stowage.optimizer.search import search
from stowage.optimizer.volume_grid import ROLES, Grid

# The same bits; speed does not matter here, nor that a mutant leaves names unused.
FLAGS = tuple(
    flag for flag in runpy.run_path(str(ROOT / "hatch_build.py"))["FLAGS"] if not flag.startswith(("-O", "-W"))
)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Make the search use a kernel compiled from another source."""
    command = compiler()
    if command is None:
        pytest.skip("no C compiler")

    def compile_and_load(source: str) -> None:
        text, made = tmp_path / "mutant.c", tmp_path / "mutant.so"
        text.write_text(source)
        subprocess.run([*command, *FLAGS, "-O0", "-w", "-o", str(made), str(text), "-lm"], check=True)
        monkeypatch.setattr(kernel, "LIBRARY", made)
        kernel.library.cache_clear()

    yield compile_and_load
    monkeypatch.undo()
    kernel.library.cache_clear()


EVERYDAY = (
    "more volumes instead: no quota of IOPS",
    "interval: the largest page cache",
    "dominated: in cost as well",
)
"""A rule of volumes, of bounds and of types; the soak removes the others from the kernel, one by one."""

EXACT = 0.0
"""Resolution of the frontier in these tests: a coarser one would hide what a mutant loses."""

SLOW = {
    "for so much a month: of the most volumes",
    "more volumes instead: what they beat is searched of the likely number too",
    "bins: as fast as the fastest",
}
"""Spaces that the plain loop needs a second or more for."""


def found(of: Space, most_rows: int | None) -> Plan:
    with resolution_of(EXACT):
        return search(of.workload, of.catalog, of.profiles, most_rows, steps=of.steps)


def expected(of: Space) -> Answer:
    return enumerate_all(of.workload, of.catalog, of.profiles, of.steps, at_once=True)


def errs(plan: Plan, answer: Answer, most_rows: int | None = None) -> bool:
    try:
        assert_equal(plan, answer, most_rows)
    except AssertionError:
        return True
    return False


def assert_equal(plan: Plan, answer: Answer, most_rows: int | None = None) -> None:
    assert_equal_to(plan, answer, most_rows, EXACT)


@pytest.mark.parametrize("name", everyday(RULES.keys() - SLOW, RULES, "spaces"))
def test_where_a_rule_needs_its_condition_the_search_finds_what_the_plain_loop_finds(name: str) -> None:
    rule = RULES[name]
    of = rule.space()
    answer = expected(of)
    assert answer.rows
    assert_equal(found(of, rule.most_rows), answer, rule.most_rows)


@pytest.mark.parametrize("name", everyday(EVERYDAY, RULES, "spaces"))
def test_without_its_condition_a_rule_errs(name: str, load: Callable[[str], None]) -> None:
    rule = RULES[name]
    of = rule.space()
    answer = expected(of)
    load(rule.mutated(kernel_source()))
    assert errs(found(of, rule.most_rows), answer, rule.most_rows)


def test_what_was_computed_of_a_count_is_not_counted_twice(load: Callable[[str], None]) -> None:
    of = space(7_897, wild=False)
    answer = expected(of)
    assert_equal(found(of, None), answer)
    rule = Rule("", "best->step, 1)", "best->step, 0)", small)
    computed = found(of, None).computed
    load(rule.mutated(kernel_source()))
    assert found(of, None).computed > computed


def test_more_volumes_beat_an_offer_only_where_a_node_takes_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = partial(small, phases({Role.INPUT_READ: 1e6}, data_mb=1.0), link=(1_000.0, 1_000.0))
    answer = expected(ask())
    assert_equal(found(ask(), None), answer)
    of_counts = Grid._cut  # noqa: SLF001 - disabled

    def of_any(grid: Grid, offers: Any, streams: float | None) -> Any:
        cut = of_counts(grid, offers, streams)
        return np.ascontiguousarray(np.broadcast_to(cut[-1], cut.shape))

    monkeypatch.setattr(Grid, "_cut", of_any)
    forget_grids(monkeypatch)
    assert errs(found(ask(), None), answer)


def forget_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the cache of grids, so that a disabled part of them has an effect."""
    monkeypatch.setattr(volume_grid, "_grids", Cache(most=8))


class _LittleRoom:
    """Stands in for the kernel, with room for few points of the frontier."""

    def __init__(self, library: Any, points: int) -> None:
        self.library = library
        self._points = points

    def __getattr__(self, name: str) -> Any:
        return getattr(self.library, name)

    def stowage_search(self, asked: Any, result: Any) -> int:
        result._obj.most_frontier = self._points  # noqa: SLF001 - the object behind the reference
        outcome: int = self.library.stowage_search(asked, result)
        assert outcome == 0, "too little"
        return outcome


ROOM = "if (w->front_time == w->front_memory || w->front_time + size == end) recentre(w, size);"
SPOILT = """{
  recentre(w, size);
  for (int64_t i = 0; i < size / 2; i++) {
    int32_t slot = w->front_slot[i];
    w->front_slot[i] = w->front_slot[size - 1 - i];
    w->front_slot[size - 1 - i] = slot;
  }
}"""


@pytest.mark.parametrize(
    ("end", "number"), [("w->front_time == w->front_memory", 374), ("w->front_time + size == end", 658)]
)
def test_a_frontier_that_has_reached_either_end_of_its_room_moves_to_the_middle(
    end: str, number: int, load: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for only as many points as remain, the result drifts: a wrong step in it becomes visible."""
    of = space(number, wild=False)
    answer = expected(of)

    def in_little_room() -> Plan:
        library = kernel.library()
        with monkeypatch.context() as patch:
            patch.setattr(kernel, "library", lambda: _LittleRoom(library, len(answer.frontier)))
            return found(of, None)

    assert_equal(in_little_room(), answer)
    load(Rule("", ROOM, f"if ({end}) {SPOILT} else {ROOM}", small).mutated(kernel_source()))
    assert errs(in_little_room(), answer)


@pytest.mark.parametrize("phase", [0, 1])
def test_where_phases_ask_for_other_ratios_of_iops_to_throughput_one_of_them_does_not_stand_for_both(
    phase: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, link = phases({Role.RANDOM_READ: 50_000.0}, {Role.INPUT_READ: 50_000.0}), (1_000.0, 1_000.0)
    answer = expected(small(job, link=link))
    assert_equal(found(small(job, link=link), None), answer)
    of_both = problem._io_per_mb  # noqa: SLF001 - disabled

    def of_one(grid: Grid, flows: Floats, role: Indices, slower: Floats) -> tuple[float, float]:
        return of_both(grid, flows[:, phase : phase + 1], role[phase : phase + 1], slower)

    monkeypatch.setattr(problem, "_io_per_mb", of_one)
    assert errs(found(small(job, link=link), None), answer)


def test_where_reads_and_writes_reach_other_shares_of_a_volume_other_ratios_balance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = phases({Role.RANDOM_READ: 50_000.0, Role.OUTPUT_WRITE: 50_000.0})
    ask = partial(small, job, nodes=2, link=(1e4, 1e4), largest_gib=1_024.0, ratio=1.5, framework="hadoop-dfsio")
    answer = expected(ask())
    assert_equal(found(ask(), None), answer)
    monkeypatch.setattr(problem, "_slower", lambda _: np.ones(len(ROLES)))
    assert errs(found(ask(), None), answer)


STREAMING = partial(
    small,
    phases({Role.INPUT_READ: 50_000.0}, data_mb=1.0),
    "gp3",
    nodes=2,
    types=2,
    data_volumes=33,
    link=(5e3, 5e3),
    deadline_s=60.0,
    framework="hadoop-dfsio",
)


def test_streams_keep_fewer_of_more_volumes_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """More volumes replace faster ones only as far as streams use them."""
    answer = expected(STREAMING())
    assert_equal(found(STREAMING(), None), answer)
    monkeypatch.setattr(volume_grid, "reached", lambda counts, _: np.asarray(counts, np.float64))
    forget_grids(monkeypatch)
    assert errs(found(STREAMING(), None), answer)
