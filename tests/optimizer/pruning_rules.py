"""The pruning rules of the search: the condition of each in the kernel's source, and a space that needs it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from optimizer.brute_force import ROOT
from optimizer.small_spaces import AT_RANDOM, LARGE, LOG, ON_EBS, READ, phases, quota, small
from optimizer.spaces import GIB_MB, Space, calibrated, space
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Role
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Assumptions, Measured, Place
from stowage.model.uncertainty.straggler import Stragglers

CSRC = ROOT / "backend" / "stowage" / "optimizer" / "csrc"


@dataclass(frozen=True)
class Rule:
    """A condition in the kernel's source, its replacement for the mutant, and a space that needs it."""

    within: str
    """Beginning of the only statement in which to search; "" for the whole source."""
    condition: str
    """With any line breaks."""
    instead: str
    """With any line breaks."""
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


ALIKE, MORE = "x->alike =", "x->more_is_better ="
CACHED = AppendLog(5_000.0, 4.0, "every second", durability=ON_EBS)
SLOW = Stragglers(1.0, 1.5)
MOST = "q->nodes[q->places - 1]"
COMMITTED = Place(purchase="1-year", commitment="alone")
PRORATED = Assumptions(launch="ignored", billing="prorated")
# The node's month costs so much that nine digits of the total show nothing of volumes kept for a second.
PENNIES = partial(small, phases({Role.INPUT_READ: 50.0}), link=(200.0, 200.0), place=COMMITTED, assume=PRORATED)
NO_BUCKETS = partial(
    small,
    phases({Role.RANDOM_WRITE: 5_000.0}, {Role.CPU: 10_000.0}, data_mb=1e6),
    "gp2",
    link_iops=(4_000.0, 4_000.0),
    credits=0.0,
)
SIMILAR = partial(
    small,
    Hdfs("hdfs-read", 17.3e6, ON_EBS),
    "st1",
    nodes=1_024,
    data_volumes=2,
    largest_gib=8.0,
    objective="month",
)
HINDERED = partial(
    small,
    phases({Role.OUTPUT_WRITE: 5_000.0}, {Role.CPU: 5_000.0}, data_mb=1.0),
    "gp2",
    nodes=3,
    types=2,
    link=(1e4, 1e4),
    objective="time",
    scratch=True,
)
PAID = partial(small, phases({Role.INPUT_READ: 1e6}, {Role.RANDOM_READ: 5_000.0}), "sc1", "io1", nodes=8)
UNLIKELY = partial(small, deadline_s=17.0, chance=0.1)
# Volumes of io2 that are faster than the fastest of gp3, before a link that is faster still.
BEYOND = partial(
    small,
    phases({Role.INPUT_READ: 1_618.0, Role.RANDOM_WRITE: 229_077.0}, data_mb=24_944.5),
    "gp3",
    "io2",
    "sc1",
    nodes=3,
    data_volumes=2,
    link=(20_000.0, 20_000.0),
    link_iops=(300_000.0, 300_000.0),
    network={1: 100.0},
    objective="month",
)
EACH_WAY = "take_high ? larger(a, b) : smaller(a, b)"


def kernel_source() -> str:
    """Return the kernel's source as one text, with its own headers in place of their includes."""
    included: set[str] = set()

    def flat(name: str) -> str:
        included.add(name)
        return re.sub(
            r'#include "(\w+\.h)"\n',
            lambda found: "" if found[1] in included else flat(found[1]),
            (CSRC / name).read_text(),
        )

    return flat("kernel.c")


def growing(number: int, *, wild: bool) -> Space:
    """Build a space whose framework takes longer to start on more nodes."""
    of = calibrated(space(number, wild=wild), number)
    return replace(of, workload=replace(of.workload, objective="cost"))


RULES: dict[str, Rule] = {
    # Counts of volumes represented by the cheapest that is no bottleneck.
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
        "(need->phases == 1 || !t->by_size)",
        "1",
        NO_BUCKETS,
    ),
    "alike: of a link that phases share its credit is not counted on": Rule(
        "double unhindered_s =",
        "need.phases == 1 ? larger(need.total0, need.base_s) : need.total0",
        "larger(need.total0, need.base_s)",
        partial(small, phases({Role.INPUT_READ: 1e6}, {Role.RANDOM_READ: 5_000.0}), "io1", link=(20.0, 400.0)),
    ),
    "alike: where the best limits as much as the CPU, others may be likelier": Rule(
        "",
        "(ruled || (first_of(",
        "((first_of(",
        partial(
            small,
            phases({Role.INPUT_READ: 125.0 * 1.048576 * 100.0, Role.CPU: 1e4}, data_mb=1.0),
            link=(1e4, 1e4),
            network={1: 1e4},
            objective="month",
            deadline_s=75.0,
            chance=0.1,
            measured=Measured(cpu_mb_per_s_per_vcpu=50.0),
        ),
    ),
    "alike: holds nothing back": Rule("", "if (time_s > unhindered_s * (1.0 + SLACK)) {", "if (0) {", small),
    "alike: within the quota of GiB": Rule(
        "",
        "|| x->n * (double)x->count * (double)first->size > t->gib_limit",
        "",
        partial(small, AT_RANDOM, "gp2", nodes=3, quotas=quota("gp2", size_gib=5.0)),
    ),
    "as cheap as the data: costs no more": Rule(
        "if (best->usd <=",
        "best->usd <= least_usd * (1.0 + SLACK)",
        "1",
        partial(small, LOG, "io2", network={1: 100.0}),
    ),
    "as cheap as the data: what it takes instead costs something": Rule(
        "if (best->usd <=", "told_usd < t->step_usd", "1", partial(small, free=True)
    ),
    "as cheap as the data: nine digits tell what it costs": Rule(
        "if (best->usd <=", "told_usd < t->step_usd", "t->step_usd > 0.0", PENNIES
    ),
    "dearer is worse: than what nine digits tell": Rule(
        "", "x->most_usd = best->usd + told_usd", "x->most_usd = best->usd", PENNIES
    ),
    "along a chain until it is too dear": Rule(
        "", "usd * (1.0 - SLACK) > x->most_usd", "usd * 1.1 > x->most_usd", partial(space, 7_783), 2
    ),
    "the largest volume ends a chain": Rule(
        "", "if (a.size <= t->largest &&", "if (", partial(small, AT_RANDOM, "io1", largest_gib=100.0)
    ),
    "as fast as the best of its row: cheaper": Rule(
        "",
        "nine_digits(q, cost) > w->r->best[l->row].cost9",
        "nine_digits(q, cost) >= w->r->best[l->row].cost9",
        partial(space, 5_498),
    ),
    "an envelope of as many volumes": Rule(
        "",
        "if (t->bucket_counts[b] >= most) return b;",
        "return most > 0 ? b : 0;",
        partial(
            small,
            phases({Role.CPU: 50_000.0}, data_mb=1e6),
            "sc1",
            nodes=2,
            data_volumes=33,
            largest_gib=16.0,
            ratio=1.5,
        ),
    ),
    "more volumes instead: no limit of loss": Rule(
        MORE,
        "!isfinite(t->loss_limit)",
        "1",
        partial(
            small,
            phases({Role.INPUT_READ: 50_000.0}, data_mb=1.0),
            nodes=8,
            data_volumes=33,
            link=(20.0, 400.0),
            link_iops=(500.0, 4_000.0),
            largest_gib=100.0,
            assume=PRORATED,
            framework="unknown",
            loss=3e-7,
            kept_s=3_600.0,
        ),
    ),
    "more volumes instead: no quota of IOPS": Rule(
        MORE,
        "!isfinite(t->iops_limit)",
        "1",
        partial(small, nodes=8, data_volumes=33, link=(1e4, 1e4), quotas=quota("gp3", iops=6_000.0)),
    ),
    "more volumes instead: what they beat is searched of the likely number too": Rule(
        "",
        "if (try_first) x->done[likely] = 0;",
        "",
        partial(
            small,
            replace(AT_RANDOM, io_kib=4.0),
            nodes=2,
            data_volumes=3,
            link=(1e3, 1e3),
            network={1: 1e4},
            ratio=1.1,
            objective="month",
            deadline_s=16.2,
            chance=0.95,
        ),
    ),
    # Numbers of volumes represented by one bound.
    "counts: as cheap as the cheapest, not the most": Rule(
        "", "gib = smaller(gib, x->gib[step]);", "gib = x->gib[step];", partial(space, 7_485, wild=False)
    ),
    "counts: as fast as the most": Rule(
        "",
        "of_one_volume(q, need, x->need, q->counts[high]);",
        "of_one_volume(q, need, x->need, q->counts[low]);",
        partial(
            small,
            AT_RANDOM,
            "sc1",
            nodes=3,
            data_volumes=33,
            link=(1_000.0, 1_000.0),
            network={1: 100.0},
            largest_gib=16.0,
            free=True,
            assume=PRORATED,
        ),
    ),
    "counts: the fewest pay least": Rule(
        "",
        "double fewest = (double)q->counts[low]",
        "double fewest = (double)q->counts[high]",
        partial(space, 156, wild=False),
    ),
    "counts: as fast as the last offer of any": Rule(
        "", "if (end > last) last = end;", "", partial(small, READ, "sc1")
    ),
    # Along a chain.
    "along: nothing is faster than without volumes": Rule(
        "",
        "no_limit = made.work_s <= floor_s * (1.0 + SLACK)",
        "no_limit = 1",
        partial(small, phases({Role.OUTPUT_WRITE: 5_000.0}, {Role.CPU: 5_000.0}, data_mb=1.0), "gp2", credits=0.0),
    ),
    "along: as fast as the fastest": Rule(
        "",
        "if (!worthwhile(x, &cheapest, &fastest)) return; Reach",
        "if (!worthwhile(x, &cheapest, &cheapest)) return; Reach",
        partial(small, READ, "sc1", "gp3", nodes=2, link=(1_000.0, 1_000.0)),
    ),
    "between: as fast as the fastest": Rule(
        "",
        "payable_at(x, offer_bound(x->w->q, x->need, fastest.offer))",
        "payable_at(x, offer_bound(x->w->q, x->need, ordered(x->t, x->count, x->fit, x->from, low).offer))",
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
    "interval: the most of all places": Rule("", EACH_WAY, "take_high ? a : smaller(a, b)", partial(space, 9_865)),
    "interval: a network that rises and falls": Rule(
        "",
        "            w->table_high,\n",
        "            w->table_low,\n",
        partial(space, 416),
    ),
    "interval: the largest page cache": Rule(
        "",
        "extend(w, one, 1, q->cache + i * q->places, 1, NULL, 1);",
        "extend(w, one, 1, q->cache + i * q->places, 1, NULL, 0);",
        partial(small, CACHED, "st1", nodes=3, largest_gib=16.0),
    ),
    "interval: credits of the most nodes, of volumes": Rule(
        "", "need->credit_scale = v->scale;", "need->credit_scale = 1.0;", partial(space, 4_377, wild=False)
    ),
    "interval: credits of the most nodes, of the link": Rule(
        "",
        "(link_mb - v->scale * link->base.first)",
        "(link_mb - link->base.first)",
        partial(space, 4_079),
    ),
    "interval: credits of the most nodes, of the link's IOPS": Rule(
        "",
        "(link_ios - v->scale * link->base_ios.first)",
        "(link_ios - link->base_ios.first)",
        partial(space, 3_170, wild=False),
    ),
    "interval: on the most nodes the least is held": Rule(
        "",
        "w->held_low[k] / (w->nodes_high[k] * w->q->mb_per_gib)",
        "w->held_low[k] / (w->nodes_low[k] * w->q->mb_per_gib)",
        partial(space, 18, wild=False),
    ),
    "interval: the least start-up of all places": Rule(
        "",
        "lift(w->overhead_low, leaves, 0);",
        "lift(w->overhead_low, leaves, 1);",
        partial(growing, 50_003, wild=False),
    ),
    "interval: the least start-up of all nodes together": Rule(
        "",
        "lift(w->overhead_n_low, leaves, 0);",
        "lift(w->overhead_n_low, leaves, 1);",
        partial(growing, 50_037, wild=False),
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
    # Bounds on a chain by its best candidate, and on all numbers of volumes by bins.
    "too cheap: below the first bin that may be of use": Rule(
        "",
        "worth->floor_usd = x->bins[first * 8]",
        "worth->floor_usd = x->bins[knee * 8]",
        partial(small, LOG, "io2", network={1: 100.0}),
    ),
    "too expensive: above the last bin that may be of use": Rule(
        "",
        "last + 1 < bins ? x->bins[(last + 1) * 8]",
        "knee + 1 < bins ? x->bins[(knee + 1) * 8]",
        NO_BUCKETS,
    ),
    "for so much a month: of the fewest volumes": Rule(
        "",
        "larger(busy_few * (own_usd - slope[0] * fewest), busy_most * (own_usd - slope[0] * most))",
        "busy_most * (own_usd - slope[0] * most)",
        partial(
            small, LARGE, "io2", ratio=1.5, framework="hadoop-dfsio", link=(5e3, 5e3), data_volumes=33, scratch=True
        ),
    ),
    "for so much a month: of the most volumes": Rule(
        "",
        "larger(busy_few * (own_usd - slope[0] * fewest), busy_most * (own_usd - slope[0] * most))",
        "busy_few * (own_usd - slope[0] * fewest)",
        partial(
            small,
            READ,
            "gp3",
            nodes=2,
            data_volumes=33,
            objective="month",
            framework="hadoop-dfsio",
            link=(3e3, 3e3),
            ratio=1.05,
        ),
    ),
    # Divisions of the disks.
    "divisions: the disks hold nothing back": Rule(
        "", "l->volume < 0 && ruled[STORAGE] == 0.0", "l->volume < 0", partial(space, 0)
    ),
    "divisions: the first of equals": Rule(
        "", "|| !divided_before(&w->q->lane[bare - 1], l)", "", partial(space, 4_200, wild=False)
    ),
    "divisions: at every place": Rule(
        "",
        "place <= last && place <= l->last;",
        "place <= first && place <= l->last;",
        partial(space, 8_502, wild=False),
    ),
    # Bounds on a part of an interval by the whole.
    "part: over its most nodes": Rule(
        "", "larger(one, all / most)", "larger(one, all / fewest)", partial(space, 1_930)
    ),
    "part: times its fewest nodes": Rule(
        "", "larger(all, one * fewest)", "larger(all, one * most)", partial(space, 7_730)
    ),
    "part: credits of its most nodes": Rule(
        "", "all->credit_scale = most;", "all->credit_scale = 1.0;", partial(space, 2_001, wild=False)
    ),
    # Prices that can be listed with a known time.
    "payable: as cheap as the cheapest": Rule(
        "",
        "if (!payable(p, usd(of, low))) return low - 1;",
        "if (!payable(p, usd(of, high))) return low - 1;",
        PAID,
    ),
    "payable: on the frontier": Rule(
        "double in_value =",
        "larger(most * (1.0 + 2.0 * TIE), covered_usd)",
        "most * (1.0 + 2.0 * TIE)",
        NO_BUCKETS,
    ),
    "payable: best of its row": Rule(
        "double in_value =",
        "larger(most * (1.0 + 2.0 * TIE), covered_usd)",
        "covered_usd",
        partial(space, 7_783),
        2,
    ),
    "payable: ties with the best of its row": Rule(
        "double in_value =", "(1.0 + 2.0 * TIE)", "(1.0 - 2.0 * TIE)", partial(space, 21, wild=False), 2
    ),
    "payable: as fast as the best of its row, on the frontier": Rule(
        "", "highest = (covered_usd - u->without.cost_usd) / u->cost_each;", "highest = -INFINITY;", HINDERED
    ),
    "payable: as fast as the best of its row": Rule("", "return NAN; } else", "return -INFINITY; } else", HINDERED),
    "payable: a chance below one half": Rule(
        "", "(time_s > q->relaxed_deadline_s) return", "(time_s > q->deadline_s) return", UNLIKELY
    ),
    # Bins of the envelope.
    "bins: none is cheaper than the first": Rule(
        "", "usd_of_bin(x, 0));", "usd_of_bin(x, bins - 1));", partial(space, 7_485, wild=False)
    ),
    "bins: as fast as the fastest": Rule(
        "", "Span s = span_of(x, high, high);", "Span s = span_of(x, low, low);", partial(space, 7_783), 2
    ),
    "bins: the first of all": Rule(
        "", "else low = middle + 1; } return last;", "else low = last; } return last;", PAID
    ),
    "bins: below the knee": Rule(
        "",
        "int found = last_useful(x, 0, knee - 1, 0);",
        "int found = -1;",
        HINDERED,
    ),
    # Boxes of similar node counts.
    "similar node counts: the fewest pay least": Rule(
        "",
        ".n = w->nodes_low[k],",
        ".n = w->nodes_high[k],",
        partial(
            small,
            Hdfs("hdfs-read", 17.25e6, ON_EBS),
            "gp2",
            nodes=1_012,
            data_volumes=1,
            largest_gib=17.0,
            objective="time",
        ),
    ),
    "similar node counts: the most need the smallest volumes": Rule(
        "",
        ".most_n = w->nodes_high[k],",
        ".most_n = w->nodes_low[k],",
        SIMILAR,
    ),
    "similar node counts: every chain": Rule(
        "",
        "chain < t->chains && !x.found",
        "chain < 1 && !x.found",
        partial(
            small,
            phases({Role.INPUT_READ: 17.2e6}, {Role.RANDOM_READ: 17.2e6}, data_mb=17.2e6),
            "gp3",
            nodes=1_024,
            data_volumes=1,
            largest_gib=16.0,
            ratio=1.5,
        ),
    ),
    # Volume types that another dominates.
    "volumes of another type: their fastest is not as fast": Rule(
        "", "found.offers = SLOW_OFFERS;", "found.offers = ALL_OFFERS;", BEYOND, 1
    ),
    "volumes of another type: no slower than the link": Rule(
        "", "if (rate <= 0.0 || volume_s * (1.0 + SLACK) > link_s) return 0;", "", BEYOND, 1
    ),
    "volumes of another type: as fast as they are together": Rule(
        "", "* together / q->slowed", "* 100.0 * together / q->slowed", BEYOND, 1
    ),
    "volumes of another type: each GiB costs less": Rule(
        "",
        "a->usd_per_gib >= b->usd_per_gib || a->smallest",
        "a->smallest",
        partial(
            small,
            phases({Role.INPUT_READ: 439_600.0, Role.RANDOM_WRITE: 3_259.1855}, data_mb=140_623.74),
            "gp3",
            "io2",
            nodes=2,
            data_volumes=1,
            link=(1_000.0, 1_000.0),
            ratio=2.0,
        ),
        1,
    ),
    "volumes of another type: no quota of IOPS": Rule(
        "",
        "isfinite(a->iops_limit) || isfinite(a->loss_limit)) return none;",
        "isfinite(a->loss_limit)) return none;",
        partial(
            small,
            Hdfs("hdfs-write", 3_510.4274540968127, ON_EBS),
            "gp3",
            "io1",
            "io2",
            data_volumes=2,
            link=(3_000.0, 3_000.0),
            largest_gib=16.0,
            ratio=2.0,
            quotas=quota("gp3", None, 500.0),
            objective="month",
        ),
        1,
    ),
    "volumes of another type: no quota of GiB": Rule(
        "",
        "isfinite(a->gib_limit) || isfinite(a->iops_limit) ||",
        "isfinite(a->iops_limit) ||",
        partial(
            small,
            RandomIo(19_832.8, 4.0, 1.0, 8.0, 19_832.8, ON_EBS),
            "gp3",
            "io1",
            "sc1",
            data_volumes=2,
            link=(3_000.0, 3_000.0),
            link_iops=(300_000.0, 300_000.0),
            largest_gib=100.0,
            quotas=quota("gp3", 10.0),
            network={1: 100_000.0},
        ),
        1,
    ),
    "volumes of another type: none slower than the others": Rule(
        "",
        "if (a->late_table >= 0 || b->late_table >= 0) return none;",
        "",
        partial(
            small,
            phases({Role.INPUT_READ: 205_765.8, Role.RANDOM_WRITE: 36_170.1}, data_mb=41_786.16),
            "gp3",
            "io2",
            "gp2",
            link=(3_000.0, 3_000.0),
            largest_gib=16.0,
            deadline_s=6_167.4,
            stragglers=SLOW,
            network={1: 20_000.0},
        ),
        1,
    ),
    # What may be the fastest.
    "fastest: not searched twice where candidates are counted": Rule(
        "", "if (!w->r->refused && whole.first", "if (whole.first", partial(space, 50, wild=False)
    ),
    # Wide boxes.
    "wide boxes: as cheap as the fewest nodes": Rule(
        "",
        "bound_of(x->w, x->l, fewest, x->charges, node_s",
        "bound_of(x->w, x->l, most, x->charges, node_s",
        partial(space, 3_439, wild=False),
    ),
    "wide boxes: as fast as the most nodes": Rule(
        "",
        "larger(span[i].time_s, span[i].node_s / most)",
        "larger(span[i].time_s, span[i].node_s / fewest)",
        partial(space, 69, wild=False),
    ),
    # Interruptions.
    "interruptions: what they cost at least": Rule(
        "", "1.0 + x * (1.0 / 2.0 +", "1.0 + x * (2.0 +", partial(space, 37)
    ),
    "interruptions: of each node at least": Rule("", "1.0 + h * (1.0 / 2.0 +", "1.0 + h * (2.0 +", partial(space, 161)),
    # Results that are listed.
    "nine digits": Rule("", "TIE = 6e-9", "TIE = 0.0", partial(space, 18), 2),
    "slack for rounding": Rule("", "SLACK = 1e-11", "SLACK = 0.0", partial(space, 16_420, wild=False)),
    "dominated: in cost as well": Rule(
        "", "return covered_from(w, time_s) <= usd;", "return isfinite(covered_from(w, time_s));", SIMILAR
    ),
    "dominated: in the cost of what is looked for": Rule(
        "",
        "q->objective == BY_MONTH ? value : cost",
        "cost",
        partial(small, READ, "st1", objective="month"),
    ),
    "dominated: in time as well": Rule(
        "double covered_from(", "slower_than(w, time_s)", "w->r->frontier_size", NO_BUCKETS
    ),
    "dominated by an earlier cell: in cost as well": Rule(
        "",
        "if (least[0] <= usd) return 1;",
        "if (isfinite(least[0])) return 1;",
        partial(small, AT_RANDOM, "io1", largest_gib=100.0),
    ),
    "dominated by an earlier cell: not by its own": Rule(
        "", "w->front_least + cell_of(time_s);", "w->front_least + cell_of(time_s) + 1;", SIMILAR
    ),
    "a point is not before its own cell": Rule(
        "", "i = cell_of(found->time9) + 1;", "i = cell_of(found->time9);", SIMILAR
    ),
    "best of its row, but on the frontier": Rule(
        "", "if (!q->want_frontier) return 0;", "return 0;", partial(small, READ, "io2")
    ),
    "the k-th row: its ties": Rule(
        "",
        "INFINITY : w->top[w->top_size - 1];",
        "INFINITY : w->top[w->top_size - 1] * (1.0 - 2.0 * TIE);",
        partial(space, 17, wild=False),
        2,
    ),
    "the k-th row: not the first": Rule(
        "", "INFINITY : w->top[w->top_size - 1];", "INFINITY : w->top[0];", partial(small, READ, "gp2", "io1", "st1"), 2
    ),
    "the k-th row: of as many": Rule(
        "static double threshold(",
        "w->top_size < w->q->most_rows",
        "w->top_size < 1",
        partial(space, 12_937),
        2,
    ),
    "a chance below one half": Rule(
        "",
        "time_s > q->relaxed_deadline_s || cost > q->budget_usd",
        "time_s > q->deadline_s || cost > q->budget_usd",
        UNLIKELY,
    ),
    "a chance below one half, with an error of two sides": Rule(
        "",
        "time_s > q->relaxed_deadline_s || cost > q->budget_usd",
        "time_s > q->deadline_s || cost > q->budget_usd",
        partial(small, deadline_s=17.0, chance=0.1, framework="unknown"),
    ),
}
