"""Profiles: measured rates of instance types."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import field
from datetime import date
from itertools import pairwise
from typing import Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind, Number
from stowage.model.uncertainty.scale import exp_of, log_of
from stowage.model.units import Quantity

Metric = Literal[
    "storage_mb_per_s",
    "storage_read_mb_per_s",
    "storage_write_mb_per_s",
    "storage_read_iops",
    "storage_write_iops",
    "network_mb_per_s",
    "ebs_read_mb_per_s",
    "ebs_write_mb_per_s",
]
Statistic = Literal["average", "slowest"]

NETWORK_FALL = Number("network_fall_exponent", math.log(879.0 / 1_085.0) / math.log(178.0 / 2.0), "1").estimated(
    "SoCC 2015 paper, section 5.1: a node's network carried 1,085 MB/s in a cluster of 2 and 879 MB/s in one of "
    "178; ln(879 / 1,085) / ln(178 / 2). Carried over to all types.",
    date(2015, 8, 27),
)
"""Power of the node count by which a network's rate falls: 3% for each factor of 2 [1]."""

FAR_APART = 8.0
"""Ratio of cluster sizes that is enough to estimate a slope [1]. By the published power a rate falls by 9% between
them, which is above the 7% (1.4 x 0.0523) by which two measurements differ by chance."""


@frozen
class Profile:
    """One measured rate of an instance type, in one metric."""

    target: str
    """Instance type."""
    metric: Metric
    """`storage_mb_per_s` is DiskBench's figure: half of the disks read at that rate while the other half write at it.
    `storage_read_mb_per_s` and `storage_write_mb_per_s` are the total rates of all disks of a node that only read, or
    only write; `storage_read_iops` and `storage_write_iops` are the total random IOPS of these disks [1/s]. All other
    metrics are rates of one node [MB/s]."""
    mean: float
    """Mean of the measurements [MB/s or 1/s], above 0."""
    spread: float | None
    """Node-to-node standard deviation of the logarithm of the rate [1]; None if unknown."""
    count: int | None
    """Number of measurements; None if the source does not state it."""
    cluster_nodes: int | None
    """Nodes in the measurement; None for a rate of a single node."""
    statistic: Statistic
    """`slowest`: rate of the slowest node of a cluster, which includes the effect of stragglers (slow nodes).
    `average`: mean over the nodes, without this effect."""
    placement_group: bool | None
    """Whether the nodes were in a cluster placement group; None if that does not affect the rate."""
    source: str
    kind: Kind
    as_of: date

    def figure(self) -> Figure:
        """Return the mean as a figure.

        The figure has a name such as ``i2.8xlarge.network_mb_per_s at 178 nodes``.
        """
        at = "" if self.cluster_nodes is None else f" at {self.cluster_nodes} nodes"
        unit = "1/s" if self.metric.endswith("_iops") else "MB/s"
        return Figure(f"{self.target}.{self.metric}{at}", self.mean, unit, self.source, self.kind, self.as_of)


@frozen
class Profiles:
    """All profiles that a prediction may use, by instance type and metric."""

    rows: tuple[Profile, ...]
    _index: dict[tuple[str, str], tuple[Profile, ...]] = field(init=False, repr=False, compare=False)
    _averages: dict[tuple[str, str], Profile] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index: dict[tuple[str, str], tuple[Profile, ...]] = {}
        averages: dict[tuple[str, str], Profile] = {}
        for row in self.rows:
            key = row.target, row.metric
            index[key] = (*index.get(key, ()), row)
            known = averages.get(key)
            if row.statistic == "average" and (known is None or (row.count or 0) > (known.count or 0)):
                averages[key] = row
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_averages", averages)

    def average(self, target: str, metric: Metric) -> Profile | None:
        """Return the average over the largest number of measurements; None if there is no average."""
        return self._averages.get((target, metric))

    def of(self, target: str, metric: Metric) -> tuple[Profile, ...]:
        """Return the profiles of an instance type in one metric.

        They are in the order in which they were stored.
        """
        return self._index.get((target, metric), ())


@frozen
class ScalingCurve:
    """A rate that changes with the number of nodes.

    The curve goes through measured points. Between two points, and beyond the last one, the logarithm of the rate is
    linear in the logarithm of the node count. Below the first point, the rate is that of the first point.

    Beyond the last point the rate never rises: more nodes do not make a node's network faster, although two
    measurements may suggest that by chance. An extrapolation from two close points would amplify chance. If the node
    counts of the last two points differ by less than a factor of `FAR_APART`, the rate beyond the last point therefore
    does not fall faster than the published power law with exponent `NETWORK_FALL`. Only the points are measured; the
    rest of the curve is estimated.
    """

    points: tuple[Profile, ...]
    """At least one profile. All are of the same target and metric, and have different `cluster_nodes`, by which they
    are sorted."""

    @classmethod
    def through(cls, rows: Iterable[Profile]) -> "ScalingCurve | None":
        """Build a curve through profiles.

        Profiles without a cluster size are ignored; the result is None if no profile has one. Of several profiles at
        one cluster size, the one with the most measurements is used.
        """
        points: dict[int, Profile] = {}
        for row in rows:
            if row.cluster_nodes is not None:
                best = points.setdefault(row.cluster_nodes, row)
                if (row.count or 0) > (best.count or 0):
                    points[row.cluster_nodes] = row
        return cls(tuple(points[nodes] for nodes in sorted(points))) if points else None

    def support(self, nodes: int) -> tuple[Profile, ...]:
        """Return the measured points that determine the rate at a cluster size of ``nodes``.

        There are one or two such points.
        """
        points = self.points
        above = bisect_left(points, nodes, key=_nodes)
        if above < len(points) and _nodes(points[above]) == nodes:
            return (points[above],)
        if len(points) == 1 or above == 0:
            return (points[0],)
        if above == len(points):
            return points[-2:] if self._power_beyond() is None else points[-1:]
        return (points[above - 1], points[above])

    def is_measured_at(self, nodes: int) -> bool:
        """Return whether the rate was measured in a cluster of exactly ``nodes``."""
        return self.support(nodes)[0].cluster_nodes == nodes

    def estimate(self, nodes: int) -> Figure:
        """Return the rate at a cluster size without a measurement, as an estimated figure."""
        support = self.support(nodes)
        measured_at = " and ".join(f"{_nodes(point):,}" for point in support)
        how = "power law through" if len(support) == 2 else "the same as"
        if nodes > _nodes(self.points[-1]) and self._power_beyond() == NETWORK_FALL.value:
            how = f"falling as published (with nodes^{NETWORK_FALL.value:.3f}, SoCC 2015 paper, section 5.1) from"
        return Figure(
            f"{support[0].target}.{support[0].metric} at {nodes} nodes",
            float(self.rate_mb_per_s(float(nodes))),
            "MB/s",
            f"Not measured at this cluster size: {how} the rate measured at {measured_at} nodes",
            "estimated",
            max(point.as_of for point in support),
        )

    def rate_mb_per_s(self, nodes: Quantity) -> Quantity:
        """Return the rate of one node in a cluster of ``nodes`` [MB/s].

        Between two measured sizes, and beyond the largest, the rate follows a power law through the two nearest sizes.
        Below the smallest measured size, the rate is that at the smallest size. Beyond the largest size, the rate never
        exceeds that at the largest size; if the two largest sizes are close, it also never falls below the published
        power law. The results for an array equal those for its elements one by one, bit for bit.
        """
        if isinstance(nodes, np.ndarray):
            rates = np.full(nodes.shape, self.points[0].mean)
            for low, high in pairwise(self.points):
                rates = np.where(nodes > _nodes(low), _power_law(low, high, nodes), rates)
            beyond = self._power_beyond()
            if beyond is not None:
                last = self.points[-1]
                rates = np.where(nodes > _nodes(last), _fallen(last, beyond, nodes), rates)
            for point in self.points:
                rates = np.where(nodes == _nodes(point), point.mean, rates)
            return rates
        support = self.support(int(nodes))
        if len(support) == 2:
            return float(_power_law(support[0], support[1], nodes))
        power = self._power_beyond() if nodes > _nodes(self.points[-1]) else None
        return support[0].mean if power is None else float(_fallen(support[0], power, nodes))

    def _power_beyond(self) -> float | None:
        """Return the exponent of the power law beyond the last point [1].

        The result is None if the last two points determine the exponent.
        """
        if len(self.points) == 1:
            return None
        low, high = self.points[-2:]
        if high.mean > low.mean:
            return 0.0
        close = _nodes(high) < FAR_APART * _nodes(low)
        return NETWORK_FALL.value if close and _slope(low, high) < NETWORK_FALL.value else None


def _slope(low: Profile, high: Profile) -> float:
    return math.log(high.mean / low.mean) / math.log(_nodes(high) / _nodes(low))


def _power_law(low: Profile, high: Profile, nodes: Quantity) -> Quantity:
    return _fallen(low, _slope(low, high), nodes)


def _fallen(point: Profile, power: float, nodes: Quantity) -> Quantity:
    return point.mean * exp_of(power * log_of(nodes / _nodes(point)))


def _nodes(point: Profile) -> int:
    if point.cluster_nodes is None:
        raise ValueError(f"profile of {point.target} {point.metric} does not say at how many nodes it was measured")
    return point.cluster_nodes
