"""Screening: finding nodes of a cluster that are slower than the others.

Such nodes should be replaced before a job must wait for them.
"""

import math
from collections.abc import Iterable, Mapping
from statistics import median

from stowage.frozen import frozen
from stowage.model.uncertainty.scale import MAD_TO_SIGMA
from stowage.runs.assembly import results
from stowage.runs.report import Report
from stowage.runs.spec import RunSpec

DEVIATIONS = 3.5
"""Limit in robust standard deviations below the median of the logarithms; 1 in 4,300 for a normal distribution."""

LEAST_LOSS = 0.05
"""A node within this share of the median is never dropped, even if the others are more alike; it costs a job at most
that much [1]."""

FEWEST = 4
"""Minimum number of nodes for a comparison."""

_WORDS = {
    "storage_mb_per_s": "reading and writing at once",
    "read_mb_per_s": "reading",
    "write_mb_per_s": "writing",
    "network_mb_per_s": "receiving",
    "network_sent_mb_per_s": "sending",
}


@frozen
class Drop:
    """One node that should be replaced."""

    node: int
    reasons: tuple[str, ...]
    """Description of each figure in which the node is too slow, and of each failed or missing report."""


@frozen
class Screening:
    """Result of a screening: the nodes that should be replaced."""

    drop: tuple[Drop, ...]
    words: str
    """Description of the comparison and of its threshold, for people."""


def screen(spec: RunSpec, reports: Iterable[Report]) -> Screening:
    """Find the nodes that are slower than the others in any figure, and those that did not report."""
    found = results(spec, None, reports)
    reasons: dict[int, list[str]] = {}
    compared = 0
    for result in found:
        for node in result.missing:
            reasons.setdefault(node, []).append(f"it did not report on {result.phase}")
        for found_by in result.per_node:
            if found_by.status == "failed":
                reasons.setdefault(found_by.node, []).append(f"{result.phase} failed: {found_by.failure}")
        for metric, words in _WORDS.items():
            values = {node.node: node.metrics[metric] for node in result.per_node if node.metrics.get(metric, 0.0) > 0}
            compared = max(compared, len(values))
            for number, reason in _slow(values).items():
                reasons.setdefault(number, []).append(f"{words} in {result.phase}: {reason}")
    drop = tuple(Drop(node, tuple(why)) for node, why in sorted(reasons.items()))
    if compared < FEWEST:
        return Screening(drop, f"{compared:,} nodes are too few to tell which are slow: it takes {FEWEST}")
    words = (
        f"{compared:,} nodes compared: dropped is what is more than {LEAST_LOSS:.0%} and {DEVIATIONS} robust standard "
        "deviations (median absolute deviation of the logarithms) below the median, or did not report"
    )
    return Screening(drop, words)


def _slow(values: Mapping[int, float]) -> dict[int, str]:
    if len(values) < FEWEST:
        return {}
    logs = {node: math.log(value) for node, value in values.items()}
    middle = median(logs.values())
    sigma = MAD_TO_SIGMA * median(abs(each - middle) for each in logs.values())
    threshold = middle - max(DEVIATIONS * sigma, -math.log1p(-LEAST_LOSS))
    usual = math.exp(middle)
    return {
        node: f"{values[node]:,.0f} MB/s, {1 - values[node] / usual:.0%} below the median of {usual:,.0f}"
        for node, each in logs.items()
        if each < threshold
    }
