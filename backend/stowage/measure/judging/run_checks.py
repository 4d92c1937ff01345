"""Checks of how a test was run.

They cover the duration and the settings of the test, and whether its figures are steady and consistent.
"""

import math
from collections.abc import Iterator

from stowage.measure.files.figures import spoken
from stowage.measure.profiling.facts import kind_of
from stowage.measure.profiling.profiles import Verdict, key_of
from stowage.measure.reason import (
    BLOCK_TOOLS,
    JOB_TOOLS,
    NETWORK_TOOLS,
    STORE_TOOLS,
    WATCHERS,
    WAYS,
    Case,
    Reason,
    ReasonFigure,
    cited,
)
from stowage.measure.tool import WITH_OPTIONS

SHORTEST_S = 60.0
"""Shorter tests measure caches, bursts and start-up more than the sustained rate [s]."""
SHORTEST_OF_NETWORK_S = 10.0
"""A TCP stream reaches its rate within a second or two; iperf3 runs 10 s by default [s]."""
UNSTEADY = 0.15
"""Coefficient of variation above which a single run is not representative [1]."""
RESTLESS = 0.4
"""Coefficient of variation above which the mean is meaningless [1]."""
FEWEST_IOS = 1_000.0
"""Minimum number of I/Os for a rate or a 99th percentile [1]."""
LITTLE_OFF = 0.25
"""Allowed deviation of latency x IOPS from the queue depth: the queue is not always full [1]."""
FAR_FROM_BEFORE = 4.0
"""Standard deviations from earlier measurements above which a result gets a remark [1]."""

_FEWEST_INTERVALS = 6
_FEWEST_BEFORE = 5


def _partial(case: Case) -> Iterator[Reason]:
    if case.reading.status == "partial":
        yield Reason("partial", "doubtful", f"only a part of it is there: {case.reading.failure}")


def _short(case: Case) -> Iterator[Reason]:
    seconds, least = case.reading.duration_s or case.values.get("time_s"), _least_s(case)
    if seconds is None and least is not None and case.tool in STORE_TOOLS:
        # redis-benchmark sends 100,000 requests by default, which take a second.
        words = f"how long it ran is not told; what stays shows after {least:,.0f} s at least"
        yield Reason("length-not-told", "good", words)
    if least is None or seconds is None or seconds >= least * 0.98:
        return
    yield Reason(
        "short",
        "doubtful",
        f"it ran for {seconds:,.3g} s; what stays shows after {least:,.0f} s at least",
        (ReasonFigure("duration", seconds, "s"), ReasonFigure("shortest", least, "s", "our rule")),
    )


def _least_s(case: Case) -> float | None:
    """Return the minimum duration of a test [s].

    It depends on the tool and, for tables without a tool, on what was measured. It is None if the tool has no minimum.
    """
    if case.tool in BLOCK_TOOLS | JOB_TOOLS:
        return SHORTEST_S
    if case.tool in NETWORK_TOOLS | STORE_TOOLS:
        return SHORTEST_OF_NETWORK_S
    if case.tool not in {"csv", "perfkit"}:
        return None
    # A table without a tool: its metrics show what was tested.
    if case.rates or case.per_s:
        return SHORTEST_S
    return SHORTEST_OF_NETWORK_S if any(name.startswith("network_") for name in case.values) else None


def _warm_up(case: Case) -> Iterator[Reason]:
    access, seconds = case.access, case.reading.duration_s
    if case.tool not in WITH_OPTIONS or (access.warm_up_s or 0.0) > 0.0:
        return
    if case.reading.settings and (seconds is None or seconds < 5 * SHORTEST_S):
        yield Reason(
            "no-warm-up",
            "good",
            "its first seconds count as all others: a warm-up (--ramp_time=10) leaves out caches that fill",
        )


def _page_cache(case: Case) -> Iterator[Reason]:
    access, instance = case.access, case.instance
    if case.tool not in WITH_OPTIONS or access.direct is not False:
        return
    memory = None if instance is None else instance.memory_gib
    if access.size_gib is None or memory is None:
        yield Reason("page-cache", "doubtful", "it went through the page cache, and how much it touched is not known")
        return
    figures = (ReasonFigure("touched", access.size_gib, "GiB"), cited("memory", memory))
    if access.size_gib < memory.value:
        yield Reason(
            "page-cache",
            "rejected",
            f"it touched {access.size_gib:,.3g} GiB through the page cache of a node with {memory.value:,g} GiB of "
            "memory: memory was measured; --direct=1 passes the cache",
            figures,
        )
    elif access.size_gib < 2.0 * memory.value:
        yield Reason(
            "page-cache",
            "doubtful",
            f"it touched {access.size_gib:,.3g} GiB through the page cache, less than twice the node's memory of "
            f"{memory.value:,g} GiB: part of it never reached a disk",
            figures,
        )


def _unsteady(case: Case) -> Iterator[Reason]:
    if case.tool in WATCHERS:
        return
    for what, varies in _variations(case):
        if varies < UNSTEADY:
            continue
        verdict: Verdict = "rejected" if varies >= 2.5 * RESTLESS else "doubtful"
        yield Reason(
            "unsteady",
            verdict,
            f"{what} varied by {varies:.0%} of its mean within the run: credit that ran out, a neighbour or a cache",
            (ReasonFigure("coefficient of variation", varies, "1"), ReasonFigure("from", UNSTEADY, "1", "our rule")),
        )
        return


def _variations(case: Case) -> Iterator[tuple[str, float]]:
    for way in WAYS:
        for name in (f"{way}_mb_per_s", f"{way}_iops"):
            mean, deviation = case.values.get(f"{name}.mean"), case.values.get(f"{name}.stddev")
            mean = case.values.get(name) if mean is None else mean
            if mean and deviation is not None:
                yield kind_of(name).what, deviation / mean
    for series in case.reading.series:
        if series.name.startswith(("network_", *WAYS)) and len(series.values) >= _FEWEST_INTERVALS:
            # TCP ramps up in the first interval.
            values = series.values[1:]
            mean = math.fsum(values) / len(values)
            if mean > 0.0:
                squares = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
                yield kind_of(series.name).what, math.sqrt(squares) / mean


def _few(case: Case) -> Iterator[Reason]:
    seconds = case.reading.duration_s
    if case.tool not in BLOCK_TOOLS or seconds is None or case.access.is_large is True:
        return
    for way, per_s in case.per_s.items():
        if per_s * seconds < FEWEST_IOS:
            yield Reason(
                "few",
                "doubtful",
                f"{per_s * seconds:,.0f} {way}s are too few for a rate: {FEWEST_IOS:,.0f} at least",
                (ReasonFigure(f"{way}s", per_s * seconds, "1"), ReasonFigure("fewest", FEWEST_IOS, "1", "our rule")),
            )


def _little(case: Case) -> Iterator[Reason]:
    """Yield a reason if latency x IOPS does not match the queue depth.

    By Little's law, latency x IOPS is the mean number of I/Os under way. If it is above the queue depth, one of the
    figures is wrong. If it is far below, the queue was not full.
    """
    under_way = case.access.under_way
    if under_way is None or case.tool != "fio" or case.access.one_of > 1:
        return
    busy = 0.0
    for way, per_s in case.per_s.items():
        mean = case.values.get(f"{way}_latency_us.mean", case.values.get(f"{way}_latency_us"))
        if mean is None:
            return
        busy += per_s * mean / 1e6
    if busy > under_way * (1.0 + LITTLE_OFF):
        # For a group of different jobs fio (3.33) reports the options of the last job and the figures of all jobs.
        unlike = any(reason.code == "pieces" for reason in _pieces(case))
        yield Reason(
            "little's-law",
            "doubtful" if unlike else "rejected",
            f"by their time and rate {busy:,.3g} I/Os were under way, and {under_way:,} were allowed at once: "
            + ("fio told the options of one of several jobs" if unlike else "one of the figures is of something else"),
            (ReasonFigure("under way", busy, "1"), ReasonFigure("allowed", float(under_way), "1")),
        )
    elif 0.0 < busy < under_way * 0.5 and under_way > 1:
        yield Reason(
            "queue-not-full",
            "good",
            f"of {under_way:,} I/Os that were allowed at once, {busy:,.3g} were under way on average: the machine that "
            "asked was slower than the disks, or the option does not hold for its engine",
            (ReasonFigure("under way", busy, "1"), ReasonFigure("allowed", float(under_way), "1")),
        )


def _pieces(case: Case) -> Iterator[Reason]:
    """Yield a reason if throughput differs from IOPS times the block size."""
    block, settings = case.access.block_kib, case.reading.settings
    varied = "," in settings.get("bs", "") or not settings.keys().isdisjoint({"bsrange", "bssplit"})
    if block is None or varied or case.tool not in WITH_OPTIONS or not settings:
        return
    for way in WAYS:
        rate, per_s = case.rates.get(way), case.per_s.get(way)
        if rate is None or per_s is None or per_s < 1.0:
            continue
        kib = rate * 1e6 / 1024.0 / per_s
        if abs(kib / block - 1.0) > 0.1:
            yield Reason(
                "pieces",
                "doubtful",
                f"{spoken(rate)} MB/s over {spoken(per_s)} {way}s/s are pieces of {kib:,.3g} KiB, not of "
                f"{block:,g} KiB",
                (ReasonFigure("by the figures", kib, "KiB"), ReasonFigure("as told", block, "KiB")),
            )


def _before(case: Case) -> Iterator[Reason]:
    """Yield a remark if a result is far from the team's earlier results.

    The result still counts, since the target may have become faster or slower.
    """
    known = {profile.key: profile for profile in case.profiles}
    for name, place in (("network_mb_per_s", "network_mb_per_s"), ("storage_mb_per_s", "storage_mb_per_s")):
        value = case.values.get(name, 0.0)
        profile = known.get(key_of(case.target, place, "average", ""))
        if value <= 0.0 or profile is None or profile.count < _FEWEST_BEFORE:
            continue
        off = math.log(value / profile.mean) / max(profile.spread, 0.01)
        if abs(off) > FAR_FROM_BEFORE:
            yield Reason(
                "far-from-before",
                "good",
                f"{spoken(value)} {profile.unit} are {abs(off):.2g} deviations "
                f"{'above' if off > 0.0 else 'below'} the {spoken(profile.mean)} {profile.unit} of {profile.count} "
                "before",
                (
                    ReasonFigure("measured", value, profile.unit),
                    ReasonFigure("before", profile.mean, profile.unit, "your measurements"),
                ),
            )


CHECKS = (_partial, _page_cache, _little, _pieces, _short, _few, _unsteady, _warm_up, _before)
