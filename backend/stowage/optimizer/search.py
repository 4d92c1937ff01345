"""The search: every candidate of the space, the cheapest first, and why the others are not in it.

It calls the model for a lane (one type and layout) at all its node counts at once, keeps of each
lane only what can still win, and predicts the winners in full. Nothing is sampled, and no order
depends on anything but the question: ties go to fewer nodes, then less time, less loss, type, layout.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stowage.model.catalogue import Catalogue
from stowage.model.cluster import data_volumes
from stowage.model.forecast import evaluate
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs, gather
from stowage.model.offer import offer_of
from stowage.model.plan import (
    Candidate,
    Curve,
    LayoutKey,
    NearMiss,
    Plan,
    Rejection,
    layout_key,
    nine_digits,
    row_key,
)
from stowage.model.prediction import Prediction, predict_from
from stowage.model.profile import Profiles
from stowage.model.workload import Limits, Workload
from stowage.optimizer.space import NODES_WITHOUT_LIMIT, VOLUMES_PER_NODE, Lane, lanes

CURVE_POINTS = 64
"""Node counts of a drawn curve, evenly spaced in their logarithm."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_REASONS: dict[Limit, str] = {
    "price unknown": "the price is not known",
    "storage bandwidth unknown": "the storage bandwidth is not known",
    "EBS bandwidth unknown": "the EBS bandwidth is not known",
    "network bandwidth unknown": "the network bandwidth is not known",
    "storage IOPS unknown": "how many random I/Os its disks do is not known",
    "no disks": "it has no disks of its own",
    "attachments": f"it does not take {VOLUMES_PER_NODE} volumes beside its root volume",
    "capacity": "this layout does not hold the data on so few nodes",
    "max nodes": "capacity needs more nodes than allowed",
    "deadline": "slower than the deadline",
    "budget": "dearer than the budget",
}


@dataclass(frozen=True, slots=True)
class _Computed:
    """A lane's candidates whose time and cost were computed, by ascending node count."""

    lane: Lane
    inputs: Inputs
    nodes: Ints
    time_s: Floats
    cost_usd: Floats

    def candidate(self, index: int) -> Candidate:
        configuration = self.lane.configuration(int(self.nodes[index]))
        return Candidate(configuration, float(self.time_s[index]), float(self.cost_usd[index]))

    def where(self, mask: NDArray[np.bool_]) -> "_Computed":
        return replace(self, nodes=self.nodes[mask], time_s=self.time_s[mask], cost_usd=self.cost_usd[mask])


@dataclass(slots=True)
class _Tally:
    """Counts of what was excluded, by limit and type."""

    computed: int = 0
    excluded: int = 0
    by_limit: dict[Limit, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))

    def reject(self, limit: Limit, instance: str, count: int) -> None:
        if count > 0:
            self.by_limit[limit][instance] += count

    def rejections(self) -> tuple[Rejection, ...]:
        rows = (
            Rejection(limit, _REASONS[limit], sum(counts.values()), tuple(sorted(counts)))
            for limit, counts in self.by_limit.items()
        )
        return tuple(sorted(rows, key=lambda row: (-row.count, row.limit)))


def search(workload: Workload, catalogue: Catalogue, profiles: Profiles, most_rows: int | None = None) -> Plan:
    """Rank all configurations of a catalogue for a workload.

    Parameters
    ----------
    workload : Workload
        Limits are held against p50; its durability decides where data is kept.
    catalogue : Catalogue
    profiles : Profiles
    most_rows : int, optional
        How many rows of the ranking are predicted in full: what is listed of a row takes a hundred times
        what ranks it. None for all.

    Returns
    -------
    Plan
        An optimum over the whole space. Where nothing is within the limits it has no rows but the
        nearest misses.
    """
    limits, tally = workload.limits, _Tally()
    best: dict[tuple[str, str, str], tuple[Candidate, _Computed]] = {}
    fronts: list[_Computed] = []
    last_nodes = limits.max_nodes if limits.max_nodes is not None else NODES_WITHOUT_LIMIT
    for computed in _computed_lanes(workload, catalogue, profiles, last_nodes, tally):
        within = computed.where(_within(computed, limits, tally))
        if within.nodes.size == 0:
            continue
        fronts.append(within.where(_undominated(within.time_s, within.cost_usd)))
        candidate = within.candidate(_cheapest(within.cost_usd))
        key = row_key(candidate.configuration)
        if key not in best or _order(candidate) < _order(best[key][0]):
            best[key] = (candidate, computed)
    ranked = sorted((_predict(*winner) for winner in _first(list(best.values()), most_rows)), key=_rank)[:most_rows]
    return Plan(
        ranked=tuple(ranked),
        rows=len(best),
        frontier=_frontier(fronts),
        curves=tuple(_curve(best[row_key(row.configuration)][1]) for row in ranked),
        candidates=tally.computed + tally.excluded,
        computed=tally.computed,
        excluded_by_bound=tally.excluded,
        rejected=tally.rejections(),
        near_misses=() if ranked else _near_misses(workload, catalogue, profiles),
    )


def _computed_lanes(
    workload: Workload, catalogue: Catalogue, profiles: Profiles, last_nodes: int, tally: _Tally
) -> Iterator[_Computed]:
    """Compute time and cost of every candidate that no bound excludes; count the others."""
    most = workload.limits.max_nodes
    gathered: dict[tuple[str, str], Inputs | Infeasible] = {}
    for lane in lanes(workload, catalogue, last_nodes):
        name = lane.instance.name
        if lane.volume is not None and data_volumes(lane.instance) < VOLUMES_PER_NODE:
            tally.excluded += lane.size
            tally.reject("attachments", name, lane.size)
            continue
        key = (name, "" if lane.volume is None else lane.volume.name)
        if key not in gathered:
            gathered[key] = gather(lane.instance, lane.volume, workload, catalogue, profiles)
        inputs = gathered[key]
        if isinstance(inputs, Infeasible):
            tally.excluded += lane.size
            tally.reject(inputs.limit, name, lane.size)
            continue
        first, last = max(lane.first_nodes, lane.needed_nodes), lane.last_nodes
        if most is not None and first > most:
            limit: Limit = "max nodes" if lane.first_nodes > most else "capacity"
            tally.excluded += lane.size
            tally.reject(limit, name, lane.size)
            continue
        tally.reject("capacity", name, min(first - lane.first_nodes, lane.size))
        if inputs.network_gap is not None:
            known_last = min(last, 0 if workload.talks_outside else 1)
            tally.reject("network bandwidth unknown", name, last - max(first - 1, known_last))
            last = known_last
        count = max(0, last - first + 1)
        tally.excluded += lane.size - count
        tally.computed += count
        if count > 0:
            yield _compute(lane, inputs, np.arange(first, last + 1, dtype=np.int64))


def _compute(lane: Lane, inputs: Inputs, nodes: Ints) -> _Computed:
    counted = nodes.astype(np.float64)
    layout = lane.layout(int(nodes[0]))
    # The median alone: candidates are compared by it, and only the winners need the courses of slow nodes.
    offered = offer_of(inputs, layout, lane.workload, counted, lane.volume_gib(nodes), quantile=0.5)
    evaluation = evaluate(offered, lane.workload, counted)
    cost_usd = np.asarray(evaluation.cost.total)
    return _Computed(lane, inputs, nodes, np.broadcast_to(evaluation.time_s, nodes.shape), cost_usd)


def _within(computed: _Computed, limits: Limits, tally: _Tally) -> NDArray[np.bool_]:
    name = computed.lane.instance.name
    mask = np.ones(computed.nodes.size, dtype=np.bool_)
    if limits.deadline_s is not None:
        in_time = computed.time_s <= limits.deadline_s
        tally.reject("deadline", name, int(np.count_nonzero(~in_time)))
        mask &= in_time
    if limits.budget_usd is not None:
        paid = computed.cost_usd <= limits.budget_usd
        tally.reject("budget", name, int(np.count_nonzero(mask & ~paid)))
        mask &= paid
    return mask


def _cheapest(cost_usd: Floats) -> int:
    """Find the cheapest of a lane; node counts ascend, so the first of equals has fewest nodes."""
    return int(np.argmin(nine_digits(cost_usd)))


def _undominated(time_s: Floats, cost_usd: Floats) -> NDArray[np.bool_]:
    """Mark what no other candidate beats in both time and cost; of equals the first."""
    rounded = np.asarray(nine_digits(cost_usd))
    order = np.lexsort((rounded, time_s))
    cheapest_before = np.concatenate(([np.inf], np.minimum.accumulate(rounded[order])[:-1]))
    mask = np.zeros(time_s.size, dtype=np.bool_)
    mask[order] = rounded[order] < cheapest_before
    return mask


def _frontier(fronts: list[_Computed]) -> tuple[Candidate, ...]:
    """Merge the frontiers of the lanes; of equals fewer nodes, then the first type and layout."""
    if not fronts:
        return ()
    time_s = np.concatenate([front.time_s for front in fronts])
    cost_usd = np.concatenate([front.cost_usd for front in fronts])
    nodes = np.concatenate([front.nodes for front in fronts])
    owners = np.concatenate([np.full(front.nodes.size, i) for i, front in enumerate(fronts)])
    places = np.concatenate([np.arange(front.nodes.size) for front in fronts])
    order = np.lexsort((owners, nodes))
    kept = order[_undominated(time_s[order], cost_usd[order])]
    kept = kept[np.argsort(time_s[kept], kind="stable")]
    return tuple(fronts[owners[i]].candidate(int(places[i])) for i in kept)


def _first(winners: list[tuple[Candidate, _Computed]], most: int | None) -> list[tuple[Candidate, _Computed]]:
    """Leave the winners that the ranking begins with, and all that tie with the last of them."""

    def key(winner: tuple[Candidate, _Computed]) -> tuple[float, int, float]:
        return _order(winner[0])[:3]

    if most is None or len(winners) <= most:
        return winners
    last = sorted(map(key, winners))[most - 1]
    return [winner for winner in winners if key(winner) <= last]


def _order(candidate: Candidate) -> tuple[float, int, float, LayoutKey]:
    """Order candidates of one row. Loss follows from nodes, durability and time there: no key of its own."""
    configuration = candidate.configuration
    cost_usd = float(nine_digits(candidate.cost_usd))
    return cost_usd, configuration.nodes, candidate.time_s, layout_key(configuration.layout)


def _rank(row: Prediction) -> tuple[float, int, float, float, str, LayoutKey]:
    configuration = row.configuration
    return (
        float(nine_digits(row.cost_usd.p50)),
        configuration.nodes,
        row.time_s.p50,
        row.loss_probability,
        configuration.instance,
        layout_key(configuration.layout),
    )


def _predict(candidate: Candidate, computed: _Computed) -> Prediction:
    prediction = predict_from(computed.inputs, candidate.configuration, computed.lane.workload)
    if isinstance(prediction, Infeasible):
        raise RuntimeError(f"the search ranked what the model refuses: {prediction.reason}")  # noqa: TRY004 - a fault of ours, not of a type
    return prediction


def _curve(computed: _Computed) -> Curve:
    """Thin a lane to what can be drawn, first and last node count included."""
    count = computed.nodes.size
    picked = np.unique(np.rint(np.geomspace(1, count, min(count, CURVE_POINTS))).astype(np.int64)) - 1
    points = tuple(computed.candidate(int(i)) for i in picked)
    return Curve(computed.lane.instance.name, points)


def _near_misses(workload: Workload, catalogue: Catalogue, profiles: Profiles) -> tuple[NearMiss, ...]:
    """Find the fewest limits whose relaxation admits a candidate, and for each such set the nearest one.

    Nearest is the candidate whose largest excess over a relaxed limit, as a ratio, is smallest.
    """
    limits = workload.limits
    bounds: dict[Limit, float] = {}
    if limits.deadline_s is not None:
        bounds["deadline"] = limits.deadline_s
    if limits.budget_usd is not None:
        bounds["budget"] = limits.budget_usd
    if limits.max_nodes is not None:
        bounds["max nodes"] = float(limits.max_nodes)
    relaxations = [frozenset(some) for size in range(1, len(bounds) + 1) for some in combinations(bounds, size)]
    nearest: dict[frozenset[Limit], tuple[float, Candidate]] = {}
    unlimited = replace(workload, limits=Limits())
    last_nodes = max(limits.max_nodes or 0, NODES_WITHOUT_LIMIT)
    for computed in _computed_lanes(unlimited, catalogue, profiles, last_nodes, _Tally()):
        for relaxed in relaxations:
            excess = _excess(computed, bounds, relaxed)
            place = int(np.argmin(excess))
            if excess[place] < nearest.get(relaxed, (np.inf,))[0]:
                nearest[relaxed] = (float(excess[place]), computed.candidate(place))
    if not nearest:
        return _without_network(workload, catalogue, profiles)
    fewest = min(map(len, nearest))
    return tuple(
        NearMiss(tuple(limit for limit in bounds if limit in relaxed), nearest[relaxed][1])
        for relaxed in relaxations
        if len(relaxed) == fewest and relaxed in nearest
    )


def _excess(computed: _Computed, bounds: dict[Limit, float], relaxed: frozenset[Limit]) -> Floats:
    """Give by which factor each candidate exceeds the worst of the relaxed limits; infinite where it breaks another."""
    values: dict[Limit, Floats | Ints] = {
        "deadline": computed.time_s,
        "budget": computed.cost_usd,
        "max nodes": computed.nodes,
    }
    excess = np.zeros(computed.nodes.size)
    for limit, bound in bounds.items():
        ratio = values[limit] / bound
        excess = np.maximum(excess, ratio if limit in relaxed else np.where(ratio <= 1.0, 0.0, np.inf))
    return excess


def _without_network(workload: Workload, catalogue: Catalogue, profiles: Profiles) -> tuple[NearMiss, ...]:
    """Where nothing could be computed: the best that the rest of what is known allows, were the network known."""
    if workload.assume.network == "unlimited":
        return ()
    boundless = replace(workload, limits=Limits(), assume=replace(workload.assume, network="unlimited"))
    bound = search(boundless, catalogue, profiles).ranked
    if not bound:
        return ()
    best = Candidate(bound[0].configuration, bound[0].time_s.p50, bound[0].cost_usd.p50)
    return (NearMiss(("network bandwidth unknown",), best),)
