"""Each rule by which the search leaves something out, without the condition that the rule has: then it errs.

The condition is taken out of the kernel's source, or put out of force in Python. On a small space the kernel finds
what a plain loop finds, and what is left of the rule finds something else: so the condition is needed, and the
space would show that it is missing.
"""

import re
import runpy
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optimizer.brute_force import ROOT, compiler
from optimizer.oracle import Answer, assert_equal, enumerate_all, plain
from optimizer.spaces import GIB_MB, TODAY, USD_PER_VOLUME, Space, figure, profile, space
from stowage.model.append_log import AppendLog
from stowage.model.catalogue import Catalogue, volume_type
from stowage.model.choice import Quotas, VolumeQuota
from stowage.model.flows import Durability, Role
from stowage.model.hdfs import Hdfs
from stowage.model.instance import InstanceType
from stowage.model.mapreduce import MapReduce
from stowage.model.plan import Plan
from stowage.model.profile import Profiles
from stowage.model.random_io import RandomIo
from stowage.model.spelled import FreePhases
from stowage.model.steps import Steps
from stowage.model.straggler import Stragglers
from stowage.model.workload import Job, Limits, Workload
from stowage.optimizer import kernel, question, volume_grid
from stowage.optimizer.question import Floats, Ints
from stowage.optimizer.search import search
from stowage.optimizer.volume_grid import Grid

SOURCE = ROOT / "backend" / "stowage" / "optimizer" / "kernel.c"
# The same bits; how fast does not matter here, nor that a mutant leaves names unused.
FLAGS = tuple(
    flag for flag in runpy.run_path(str(ROOT / "hatch_build.py"))["FLAGS"] if not flag.startswith(("-O", "-W"))
)

ON_EBS = Durability("infrastructure")
READ, WRITE = Hdfs("hdfs-read", 5_000.0, ON_EBS), Hdfs("hdfs-write", 5_000.0, ON_EBS)
LARGE = Hdfs("hdfs-read", 1e6, ON_EBS)
LOG = AppendLog(5_000.0, 4.0, "at the end", durability=ON_EBS)
AT_RANDOM = RandomIo(5_000.0, 16.0, 1.0, 8.0, 5_000.0, ON_EBS)


def phases(*flows_mb: dict[Role, float], data_mb: float = 5_000.0) -> FreePhases:
    named = tuple((f"phase {i}", flows) for i, flows in enumerate(flows_mb, 1))
    return FreePhases(data_mb, named, random_io_kib=16.0, durability=ON_EBS)


def quota(volume: str, size_gib: float | None = None, iops: float | None = None) -> Quotas:
    return Quotas(volumes={volume: VolumeQuota(size_gib, iops)})


def small(  # noqa: PLR0913 - by name
    job: Job = READ,
    *volumes: str,
    nodes: int = 1,
    data_volumes: int = 5,
    types: int = 1,
    link: tuple[float, float] = (400.0, 400.0),
    link_iops: tuple[float, float] | None = None,
    network: dict[int, float] | None = None,
    network_baseline: float | None = None,
    largest_gib: float = 16_384.0,
    memory_gib: float = 16.0,
    free: bool = False,
    scratch: bool = False,
    ratio: float = 4.0,
    deadline_s: float | None = None,
    chance: float | None = None,
    loss: float | None = None,
    **asked: Any,
) -> Space:
    """Make a space of types that differ in nothing but their name, on EBS, with a disk for scratch or without."""
    volume_types = {}
    for name in volumes or ("gp3",):
        usd = {key: figure(key, 0.0 if free else price) for key, price in USD_PER_VOLUME[name].items()}
        usd["annual_failure_rate"] = figure("annual_failure_rate", 0.002, "1/a")
        usd["smallest_gib"] = figure("smallest_gib", 1.0, "GiB")
        usd["largest_gib"] = figure("largest_gib", largest_gib, "GiB")
        volume_types[name] = volume_type(name, usd, TODAY)
    measured = network or {1: 1_000.0}
    fastest = max(measured.values())
    rates = {
        "ebs_baseline_mb_per_s": link[0],
        "ebs_maximum_mb_per_s": link[1],
        "network_baseline_mb_per_s": network_baseline or fastest,
        "network_peak_mb_per_s": fastest,
    }
    if link_iops is not None:
        rates |= {"ebs_baseline_iops": link_iops[0], "ebs_maximum_iops": link_iops[1]}
    names = ("a1.large", "a1.xlarge")[:types]
    instances = {
        name: InstanceType(
            name=name,
            vcpus=figure("vcpus", 2.0),
            memory_gib=figure("memory_gib", memory_gib, "GiB"),
            disk_count=figure("disk_count", float(scratch)),
            disk_size_gb=figure("disk_size_gb", 3_200.0, "GB") if scratch else None,
            disk_media="ssd" if scratch else None,
            placement_group=True,
            usd_per_hour=figure("usd_per_hour", 0.1, "USD/h"),
            ebs_usd_per_hour=None,
            gaps={},
            # One of them holds the system.
            most_volumes=figure("most_volumes", data_volumes + 1.0),
            traits=frozenset(("nitro", "x86_64")),
            **{quantity: figure(quantity, rate) for quantity, rate in rates.items()},
        )
        for name in names
    }
    rows = [profile(name, "network_mb_per_s", rate, at=size) for name in names for size, rate in measured.items()]
    if scratch:
        rows += [profile(name, "storage_mb_per_s", 333.3) for name in names]
    limits = Limits(max_nodes=nodes, deadline_s=deadline_s, chance=chance, loss=loss)
    catalogue = Catalogue("test", "made up", TODAY, "us-east-1", instances, volume_types)
    return Space(Workload("", job, limits=limits, **asked), catalogue, Profiles(tuple(rows)), Steps(ratio))


@dataclass(frozen=True)
class Rule:
    """A condition in the kernel's source, what stands there without it, and a space that needs it.

    Parameters
    ----------
    within : str
        Beginning of the only statement in which to look; "" for the whole source.
    condition, instead : str
        However the lines are broken.
    space : callable
    most_rows : int, optional
    """

    within: str
    condition: str
    instead: str
    space: Callable[[], Space]
    most_rows: int | None = None

    def mutated(self, source: str) -> str:
        start, end = 0, len(source)
        if self.within:
            assert source.count(self.within) == 1, self.within
            start = source.index(self.within)
            end = source.index(";", start)
        pattern = re.compile(r"\s+".join(map(re.escape, self.condition.split())))
        part, times = pattern.subn(lambda _: self.instead, source[start:end])
        assert times == 1, f"{self.condition} is there {times} times"
        return source[:start] + part + source[end:]


ALIKE, STEP = "int alike =", "x.more_is_better ="
CACHED = AppendLog(5_000.0, 4.0, "every second", durability=ON_EBS)
TWICE = AppendLog(10_000.0, 4.0, "every second", 0.5, snapshot=True, durability=ON_EBS)
SLOW = Stragglers(1.0, 1.5)
SORT = MapReduce("sort", 1e6, durability=ON_EBS)
MOST = "q->nodes[q->places - 1]"
EACH_WAY = "take_high ? larger(a, b) : smaller(a, b)"
FEWER = "if (a->layout[0] != b->layout[0]) return a->layout[0]"

RULES: dict[str, Rule] = {
    # Counts of volumes of which the cheapest that holds nothing back stands for all.
    "alike: no slow volumes": Rule(ALIKE, "t->late_table < 0", "1", partial(small, nodes=3, stragglers=SLOW)),
    "alike: no limit of loss": Rule(
        ALIKE,
        "!isfinite(t->loss_limit)",
        "1",
        partial(
            small, phases({Role.RANDOM_WRITE: 50_000.0}, data_mb=3.0 * GIB_MB), link_iops=(500.0, 4_000.0), loss=9e-8
        ),
    ),
    "alike: no quota of IOPS": Rule(
        ALIKE, "!isfinite(t->iops_limit)", "1", partial(small, quotas=quota("gp3", iops=3_000.0))
    ),
    "alike: no buckets that phases share": Rule(
        ALIKE,
        "(need.phases == 1 || !t->by_size)",
        "1",
        partial(
            small,
            phases({Role.RANDOM_WRITE: 5_000.0}, {Role.CPU: 10_000.0}, data_mb=1e6),
            "gp2",
            link_iops=(4_000.0, 4_000.0),
            credits=0.0,
        ),
    ),
    "alike: of a link that phases share its credit is not counted on": Rule(
        "double unhindered_s =",
        "need.phases == 1 ? larger(need.total0, need.base_s) : need.total0",
        "larger(need.total0, need.base_s)",
        partial(small, phases({Role.INPUT_READ: 1e6}, {Role.RANDOM_READ: 5_000.0}), "io1", link=(20.0, 400.0)),
    ),
    "alike: holds nothing back": Rule("", "if (time_s > unhindered_s * (1.0 + SLACK)) {", "if (0) {", small),
    "alike: within the quota of GiB": Rule(
        "",
        "|| n * (double)count * (double)a.size > t->gib_limit",
        "",
        partial(small, nodes=8, quotas=quota("gp3", size_gib=12.0)),
    ),
    "alike: of equal prices the fewest": Rule(
        "",
        "a.month_usd <= best_usd * (1.0 + SLACK)",
        "a.month_usd <= best_usd",
        partial(small, SORT, nodes=40, scratch=True),
    ),
    "as cheap as the data: costs no more": Rule(
        "if (best_usd <=", "best_usd <= least_usd * (1.0 + SLACK)", "1", partial(small, LOG, "io2", network={1: 100.0})
    ),
    "as cheap as the data: credits that last": Rule(
        "if (best_usd <=", "worked_s <= unhindered_s * (1.0 + SLACK)", "1", partial(space, 10_602, wild=False)
    ),
    "as cheap as the data: where provisioning costs something": Rule(
        "if (best_usd <=", "!t->free", "1", partial(small, free=True)
    ),
    "one more volume instead: no quota of GiB": Rule(
        STEP, "!isfinite(t->gib_limit)", "1", partial(small, nodes=8, ratio=2.0, quotas=quota("gp3", size_gib=12.0))
    ),
    "the largest volume ends a chain": Rule(
        "", "if (a.size <= t->largest &&", "if (", partial(small, AT_RANDOM, "io1", largest_gib=100.0)
    ),
    "as fast as the best of its row: cheaper": Rule(
        "",
        "nine_digits(q, cost) > best->cost9",
        "nine_digits(q, cost) >= best->cost9",
        partial(small, READ, "st1", "gp2", objective="time"),
    ),
    "an envelope of as many volumes": Rule(
        "",
        "if (t->bucket_counts[b] >= most) return b;",
        "return most > 0 ? b : 0;",
        partial(small, phases({Role.CPU: 5_000.0}, data_mb=1e6), "gp2", data_volumes=33, largest_gib=100.0),
    ),
    "one more volume instead: no slow volumes": Rule(
        STEP,
        "t->late_table < 0",
        "1",
        partial(small, nodes=8, data_volumes=2, ratio=2.0, stragglers=Stragglers(0.05, 3.0), straggling="volumes"),
    ),
    "one more volume instead: no limit of loss": Rule(
        STEP, "!isfinite(t->loss_limit)", "1", partial(small, SORT, ratio=2.0, loss=1e-6, scratch=True)
    ),
    "one more volume instead: no quota of IOPS": Rule(
        STEP, "!isfinite(t->iops_limit)", "1", partial(small, ratio=2.0, quotas=quota("gp3", iops=3_000.0))
    ),
    # Along a chain.
    "along: nothing is faster than without volumes": Rule(
        "",
        "order_one(x, &knee) > floor_s * (1.0 + SLACK)",
        "order_one(x, &knee) > INFINITY",
        partial(small, phases({Role.OUTPUT_WRITE: 5_000.0}, {Role.CPU: 5_000.0}, data_mb=1.0), "gp2", credits=0.0),
    ),
    "along: as fast as the fastest": Rule(
        "", "worthwhile(x, &dearer, &fastest)", "worthwhile(x, &dearer, &dearer)", partial(small, READ, "st1")
    ),
    "between: as fast as the fastest": Rule(
        "",
        "if (!worthwhile(x, &cheapest, &fastest)) return; if (low == high)",
        "if (!worthwhile(x, &cheapest, &cheapest)) return; if (low == high)",
        partial(small, AT_RANDOM, "io2"),
    ),
    "a quota of GiB ends a chain": Rule(
        "",
        "&& x->n * per * (double)a.size <= t->gib_limit",
        "",
        partial(small, READ, "sc1", quotas=quota("sc1", 100.0)),
    ),
    "a quota of IOPS ends a chain": Rule(
        "", "&& x->n * per * a.offer->base_io <= t->iops_limit", "", partial(small, quotas=quota("gp3", iops=9_000.0))
    ),
    "of a chain what is within the quota stays": Rule(
        "", "break; last--;", "break; last = first - 1;", partial(small, READ, "io1", largest_gib=16.0)
    ),
    # Intervals of node counts.
    "interval: the least of all places": Rule(
        "", EACH_WAY, "take_high ? larger(a, b) : a", partial(small, nodes=2, deadline_s=22.0)
    ),
    "interval: the most of all places": Rule(
        "", EACH_WAY, "take_high ? a : smaller(a, b)", partial(small, LARGE, "st1", nodes=2, largest_gib=100.0)
    ),
    "interval: a network that rises and falls": Rule(
        "",
        "lift(w->table_high + t * wide, leaves, 1, 1)",
        "lift(w->table_high + t * wide, leaves, 1, 0)",
        partial(small, LOG, nodes=4, network={2: 333.3, 4: 100.0}),
    ),
    "interval: the largest page cache": Rule(
        "",
        "lift(w->cache_high + p * wide, leaves, 1, 1);",
        "lift(w->cache_high + p * wide, leaves, 1, 0);",
        partial(small, CACHED, "st1", nodes=3, largest_gib=16.0),
    ),
    "interval: credits of the most nodes, of volumes": Rule(
        "",
        "need->credit_scale = v->scale;",
        "need->credit_scale = 1.0;",
        partial(small, RandomIo(1e6, 16.0, 0.0, 8.0, 1e6, ON_EBS), "gp3", "gp2", nodes=3),
    ),
    "interval: credits of the most nodes, of the link": Rule(
        "",
        "(link_mb - v->scale * link.base.first)",
        "(link_mb - link.base.first)",
        partial(small, phases({Role.INPUT_READ: 1e6}), "gp2", "gp3", nodes=3, link=(80.0, 400.0)),
    ),
    "interval: credits of the most nodes, of the link's IOPS": Rule(
        "",
        "(link_ios - v->scale * link.base_ios.first)",
        "(link_ios - link.base_ios.first)",
        partial(small, phases({Role.RANDOM_READ: 1e6}), nodes=3, types=2, link_iops=(500.0, 4_000.0)),
    ),
    "interval: on the most nodes the least is held": Rule(
        "",
        "w->held_low[k] / (w->nodes_high[k] * w->q->mb_per_gib)",
        "w->held_low[k] / (w->nodes_low[k] * w->q->mb_per_gib)",
        partial(small, LARGE, "st1", nodes=2, largest_gib=100.0),
    ),
    "interval: quota of GiB of the fewest nodes": Rule(
        "",
        "x->n_low * (double)t->smallest",
        f"{MOST} * (double)t->smallest",
        partial(small, nodes=8, quotas=quota("gp3", 5.0)),
    ),
    "interval: quota of IOPS of the fewest nodes": Rule(
        "",
        "x->n_low * t->least_io > t->iops_limit",
        f"{MOST} * t->least_io > t->iops_limit",
        partial(small, nodes=4, quotas=quota("gp3", iops=9_000.0)),
    ),
    "interval: loss of the fewest nodes": Rule(
        "", "q->stays ? x->n_low :", f"q->stays ? {MOST} :", partial(small, nodes=4, kept_s=3_600.0, loss=8.6e-7)
    ),
    "interval: what is kept loses by its own time": Rule(
        "", "q->stays ? x->n_low : x->n_low * floor_s", "x->n_low * floor_s", partial(small, kept_s=3_600.0, loss=1e-6)
    ),
    # Bins of the envelope.
    "bins: as cheap as the cheapest": Rule(
        "",
        "Bound b = relaxed_bound(x, low, high);",
        "Bound b = relaxed_bound(x, high, high);",
        partial(small, READ, "st1", "io1", nodes=2),
    ),
    "bins: as fast as the fastest": Rule(
        "",
        "Bound b = relaxed_bound(x, low, high);",
        "Bound b = relaxed_bound(x, low, low);",
        partial(small, READ, "sc1", nodes=2),
    ),
    # What is listed.
    "nine digits": Rule("", "TIE = 6e-9", "TIE = 0.0", partial(small, READ, "io1", nodes=2)),
    "slack for rounding": Rule("", "SLACK = 1e-11", "SLACK = 0.0", partial(small, SORT, nodes=40, scratch=True)),
    "dominated: in cost as well": Rule(
        "",
        "at > 0 && w->front_cost[at - 1] <= less_usd",
        "at > 0",
        partial(small, READ, "st1", objective="time"),
    ),
    "dominated: in time as well": Rule(
        "",
        "int64_t at = slower_than(w, faster_s);",
        "int64_t at = r->frontier_size;",
        partial(small, READ, "io2"),
    ),
    "dominated by what beat the last: in cost as well": Rule(
        "",
        "w->beating_time <= faster_s && w->beating_cost <= less_usd",
        "w->beating_time <= faster_s",
        partial(space, 17, wild=False),
    ),
    "dominated by what beat the last: in time as well": Rule(
        "",
        "w->beating_time <= faster_s && w->beating_cost <= less_usd",
        "w->beating_cost <= less_usd",
        partial(small, READ, "io2"),
    ),
    "dominated: not by what ties in both": Rule(
        "",
        "|| (w->front_cost[at - 1] == cost9 && w->front_time[at - 1] == time9)",
        "",
        partial(small, AT_RANDOM, "io1"),
    ),
    "best of its row, but on the frontier": Rule(
        "", "if (!q->want_frontier) return 0;", "return 0;", partial(small, READ, "io2")
    ),
    "equals: fewer nodes": Rule(
        "static int first_of_equals(", "a->nodes < b->nodes", "a->nodes > b->nodes", partial(space, 10_756, wild=False)
    ),
    "equals: by type": Rule(
        "", "if (one != other) return one < other;", "if (one != other) return one > other;", partial(small, types=2)
    ),
    "equals: fewer volumes": Rule(
        "", f"{FEWER} < b->layout[0];", f"{FEWER} > b->layout[0];", partial(small, READ, "st1")
    ),
    "equals: by volume type": Rule(
        "",
        "if (one_volume != other_volume) return one_volume < other_volume;",
        "if (one_volume != other_volume) return one_volume > other_volume;",
        partial(small, READ, "io1", "gp2", free=True, credits=0.0),
    ),
    "the k-th row: its ties": Rule(
        "",
        "INFINITY : w->top[w->top_size - 1];",
        "INFINITY : w->top[w->top_size - 1] * (1.0 - 2.0 * TIE);",
        partial(small, READ, "sc1", objective="month"),
        1,
    ),
    "the k-th row: not the first": Rule(
        "", "INFINITY : w->top[w->top_size - 1];", "INFINITY : w->top[0];", partial(small, READ, "gp2", "io1", "st1"), 2
    ),
    "the k-th row: of as many": Rule(
        "static double threshold(",
        "w->top_size < w->q->most_rows",
        "w->top_size < 1",
        partial(small, READ, "gp2", "io1", "st1"),
        2,
    ),
    "a chance below one half": Rule(
        "",
        "time_s > q->relaxed_deadline_s || cost > q->budget_usd",
        "time_s > q->deadline_s || cost > q->budget_usd",
        partial(small, deadline_s=17.0, chance=0.1),
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Have the search use a kernel of another source."""
    command = compiler()
    if command is None:
        pytest.skip("no C compiler")

    def compile_and_load(source: str) -> None:
        text, made = tmp_path / "mutant.c", tmp_path / "mutant.so"
        text.write_text(source)
        subprocess.run([*command, *FLAGS, "-O0", "-w", "-o", str(made), str(text), "-lm"], check=True)
        monkeypatch.setattr(kernel, "LIBRARY", made)
        kernel._library.cache_clear()  # noqa: SLF001 - what is loaded is kept

    yield compile_and_load
    monkeypatch.undo()
    kernel._library.cache_clear()  # noqa: SLF001


def found(of: Space, most_rows: int | None) -> Plan:
    return search(of.workload, of.catalogue, of.profiles, most_rows, sources=False, steps=of.steps)


def expected(of: Space) -> Answer:
    return enumerate_all(of.workload, of.catalogue, of.profiles, of.steps, at_once=True)


def errs(plan: Plan, answer: Answer, most_rows: int | None = None) -> bool:
    points = [plain(point) for point in plan.frontier]
    return list(plan.ranked) != answer.rows[:most_rows] or points != [plain(point) for point in answer.frontier]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_without_its_condition_a_rule_errs(rule: Rule, load: Callable[[str], None]) -> None:
    of = rule.space()
    answer = expected(of)
    assert answer.rows
    assert_equal(found(of, rule.most_rows), answer, rule.most_rows)
    load(rule.mutated(SOURCE.read_text()))
    assert errs(found(of, rule.most_rows), answer, rule.most_rows)


@pytest.mark.parametrize("phase", [0, 1])
def test_where_phases_ask_for_other_ratios_of_iops_to_throughput_one_of_them_does_not_stand_for_both(
    phase: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, link = phases({Role.RANDOM_READ: 50_000.0}, {Role.INPUT_READ: 50_000.0}), (1_000.0, 1_000.0)
    answer = expected(small(job, link=link))
    assert_equal(found(small(job, link=link), None), answer)
    of_both = question._io_per_mb  # noqa: SLF001 - put out of force

    def of_one(grid: Grid, flows: Floats, role: Ints) -> tuple[float, float]:
        return of_both(grid, flows[:, phase : phase + 1], role[phase : phase + 1])

    monkeypatch.setattr(question, "_io_per_mb", of_one)
    assert errs(found(small(job, link=link), None), answer)


def test_where_reads_and_writes_reach_other_shares_of_a_volume_more_ratios_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = phases({Role.RANDOM_READ: 50_000.0, Role.OUTPUT_WRITE: 50_000.0})
    ask = partial(small, job, nodes=2, link=(1e4, 1e4), largest_gib=1_024.0, ratio=1.5, framework="hadoop-dfsio")
    answer = expected(ask())
    assert_equal(found(ask(), None), answer)
    monkeypatch.setattr(question, "_apart", lambda _: 1.0)
    assert errs(found(ask(), None), answer)


def test_what_costs_more_in_an_envelope_is_at_least_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bin's own maximum is not enough: a dearer bin may hold slower volumes only."""
    ask = partial(space, 1_279)
    answer = expected(ask())
    assert_equal(found(ask(), None), answer)
    monkeypatch.setattr(volume_grid, "np", _OwnMaximum(np))
    assert errs(found(ask(), None), answer)


class _OwnMaximum:
    """Stands where numpy does, and accumulates nothing."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __getattr__(self, name: str) -> Any:
        return _OwnMaximum(np.maximum) if name == "maximum" else getattr(self._original, name)

    def __call__(self, *parts: Any) -> Any:
        return self._original(*parts)

    def accumulate(self, values: Any) -> Any:
        return values
