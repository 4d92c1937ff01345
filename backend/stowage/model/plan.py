"""Plans: the results of a search.

A plan has the ranked configurations that the search found, and the reasons that exclude the others.
"""

from dataclasses import field
from typing import TypeAlias

import numpy as np

from stowage.frozen import frozen
from stowage.model.choice import Objective
from stowage.model.cluster import Configuration, Ebs, Layout, ObjectStore, StorageKind, storage_kind
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import Durability
from stowage.model.lazy import Built
from stowage.model.money.price import Purchase
from stowage.model.prediction import Prediction
from stowage.model.stacked import Predictions
from stowage.model.units import Quantity

LayoutKey: TypeAlias = tuple[str, int, int, int, int]
RankKey: TypeAlias = tuple[float | int | str | LayoutKey, ...]

_EXPONENTS = range(-12, 31)
POWERS = np.array([10.0**exponent for exponent in _EXPONENTS])
SCALES = np.array([10.0 ** (8 - exponent) for exponent in _EXPONENTS])
"""Factors of `nine_digits`, one for each interval between ``POWERS``."""

FRONTIER_RESOLUTION = 0.0025
"""Resolution of the Pareto frontier in time and cost [1]: finer differences are smaller than a pixel of a chart, and
far smaller than the error of any prediction."""


@frozen
class Candidate:
    """One point of the search space: a configuration with its median time and cost."""

    configuration: Configuration
    time_s: float
    """Median time of a run [s], at least 0."""
    cost_usd: float
    """Median cost of a run [USD]."""
    purchase: Purchase = "on-demand"
    durability: Durability = field(default_factory=Durability)
    """Durability model and number of replicas."""
    loss: float | None = None
    """Chance that data is lost while it is exposed [1]; None if it was not requested."""
    month_usd: float | None = None
    """Always-on cost of a month [USD]; None if the objective is not a month."""

    @property
    def sought_usd(self) -> float:
        """Cost that the Pareto frontier compares with time [USD].

        It is the cost of a month if that is the objective, else the cost of a run.
        """
        return self.cost_usd if self.month_usd is None else self.month_usd


Points: TypeAlias = Built[Candidate]
"""Candidates that are built when they are accessed: a frontier has thousands of points, a chart shows only a few."""


@frozen
class Curve:
    """Time and cost of one ranked instance type and layout at many node counts.

    Used to draw a curve; some points are left out.
    """

    instance: str
    points: Points


@frozen
class Rejection:
    """One reason that excludes candidates."""

    limit: Limit
    reason: str
    count: int
    """Number of excluded candidates."""
    instances: tuple[str, ...]
    """Instance types of these candidates."""


@frozen
class NearMiss:
    """One candidate that would be admitted if some limits were relaxed.

    Used to show the closest option if no candidate meets all limits.
    """

    limits: tuple[Limit, ...]
    """Limits to relax; the candidate meets all other limits. `network bandwidth unknown` is listed alone: the effect of
    the network cannot be computed then, so the candidate's time and cost are lower bounds."""
    candidate: Candidate


@frozen
class Plan:
    """Ranked configurations for one workload."""

    ranked: Predictions
    """Best layout and node count of each type, storage kind and volume type, sorted by the workload's objective, best
    first."""
    rows: int
    """Number of rows that the search found; `ranked` may have only the first of them. If only the first rows were
    requested, more rows may exist than were found."""
    frontier: Points
    """Pareto frontier, fastest first. For each of its candidates, no other candidate within the limits is better by
    more than `FRONTIER_RESOLUTION` in both time and cost (cost of a month if the objective is a month). If several
    durability models were searched, the chance of loss is a third criterion."""
    curves: tuple[Curve, ...]
    """Curves of the first ranked rows, in the same order."""
    candidates: int
    """Number of all candidates in the search space: the sum of `computed` and `excluded_by_bound`."""
    computed: int
    """Number of computed candidates; those that the searches for rows and for the frontier both compute count twice."""
    excluded_by_bound: int
    """Number of candidates that a bound excludes before they are computed."""
    rejected: tuple[Rejection, ...]
    """Reasons that exclude candidates; the reason that excludes most candidates comes first."""
    near_misses: tuple[NearMiss, ...] = ()
    """Closest candidates beyond the limits; empty if any row is ranked."""


def nine_digits(usd: Quantity) -> Quantity:
    """Round a cost to nine significant digits.

    Used in the ranking: costs that agree in nine digits are a tie.

    Parameters
    ----------
    usd : float or array
        Cost, between 10^-12 and 10^30 [USD].

    Examples
    --------
    >>> float(nine_digits(324.51529999996))
    324.5153
    """
    # Only multiplication, division and rint, so that an array and its elements have equal results.
    scale = SCALES[POWERS.searchsorted(usd, side="right") - 1]
    rounded: Quantity = np.rint(usd * scale) / scale
    return rounded


def rank_key(row: Prediction, objective: Objective) -> RankKey:
    """Return the key that sorts a row of the ranking.

    The first part of the key depends on the objective. Values that agree in nine digits are a tie. Ties are broken by
    fewer nodes, then by less time; for the objective ``time``, by lower cost, then by fewer nodes. Further ties are
    broken by lower chance of loss, by type and by layout.
    """
    configuration = row.configuration
    first = objective_key(objective, configuration.nodes, row.time_s.p50, row.cost_usd.p50, row.always_on_usd)
    return (*first, *tie_key(configuration, row.loss_probability))


def tie_key(configuration: Configuration, loss: float) -> tuple[float, str, LayoutKey]:
    """Return the last part of the key that sorts rows of the ranking: chance of loss, instance type and layout."""
    return loss, configuration.instance, layout_key(configuration.layout)


def objective_key(
    objective: Objective, nodes: int, time_s: float, cost_usd: float, month_usd: float
) -> tuple[float, float, float]:
    """Return the first part of the key that sorts rows of the ranking: the three values that `rank_key` describes."""
    time9, cost9, month9 = np.asarray(nine_digits(np.array([time_s, cost_usd, month_usd]))).tolist()
    return first_key(objective, nodes, time9, cost9, month9)


def first_key(
    objective: Objective, nodes: int, time9: float, cost9: float, month9: float
) -> tuple[float, float, float]:
    """Return `objective_key` of a time and costs that have nine digits already."""
    if objective == "time":
        return time9, cost9, nodes
    return cost9 if objective == "cost" else month9, nodes, time9


def row_key(configuration: Configuration) -> tuple[str, StorageKind, str]:
    """Return the key that identifies the row of a configuration in the ranking.

    The key is instance type, storage kind and volume type.
    """
    layout = configuration.layout
    return configuration.instance, storage_kind(layout), layout.volume_type if isinstance(layout, Ebs) else ""


def layout_key(layout: Layout) -> LayoutKey:
    """Return the key that sorts layouts.

    Used to order rows that tie in everything else.
    """
    if isinstance(layout, Ebs):
        provisioned = (layout.iops or 0, layout.throughput_mib_per_s or 0)
        return (f"ebs {layout.volume_type}", layout.count, layout.size_gib, *provisioned)
    if isinstance(layout, ObjectStore):
        return ("object-store", 0, 0, 0, 0)
    return ("instance-store", layout.input_output_disks, layout.intermediate_disks, 0, 0)
