"""The search where a workload leaves open how instances are paid for, or how data is kept.

Each way is a workload of its own: they are searched one by one, and the answers put together. Nothing here
computes a time or a cost.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from stowage.model.catalogue import Catalogue
from stowage.model.choice import Quotas, Selection
from stowage.model.cluster import Configuration, Ebs, Layout
from stowage.model.exposure import loss_probabilities
from stowage.model.flows import Durability
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.inputs import Inputs, gather
from stowage.model.offer import Offer, offer_of
from stowage.model.plan import Candidate, Curve, NearMiss, Plan, Rejection, layout_key, nine_digits, rank_key, row_key
from stowage.model.prediction import Prediction, predict
from stowage.model.price import Purchase
from stowage.model.profile import Profiles
from stowage.model.workload import Workload
from stowage.optimizer.search import search

Sources = Literal["all", "first", "none"]
"""Of which rows it is listed what their numbers rest on: that takes far longer than the numbers."""

_PURCHASES: tuple[Purchase, ...] = get_args(Purchase)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of one of the answers; only the first have a curve, and the first of all are among the first of one."""

    prediction: Prediction
    curve: Curve | None
    workload: Workload

    @property
    def key(self) -> tuple[Any, ...]:
        row = self.prediction
        return (*rank_key(row, self.workload.objective), *_ways(row))


def search_open(
    workloads: Sequence[Workload],
    catalogue: Catalogue,
    profiles: Profiles,
    most_rows: int | None = None,
    sources: Sources = "all",
    *,
    frontier: bool = True,
) -> Plan:
    """Rank all configurations of a catalogue for a workload that leaves some choices open.

    Parameters
    ----------
    workloads : sequence of Workload
        One for each choice: they differ in `Place.purchase`, in the durability of their job, or not at all. At
        least one.
    catalogue : Catalogue
    profiles : Profiles
    most_rows : int, optional
        As for `search`.
    sources : {"all", "first", "none"}
        Of which rows to list what their numbers rest on.
    frontier : bool
        Whether the frontier and the curves of the first rows are wanted.

    Returns
    -------
    Plan
        A row holds the best of its key over all choices. Where several durabilities are searched, a point of
        the frontier stays where no other is at most as slow, as dear and as likely to lose data.
    """
    single = len(workloads) == 1
    plans = [
        search(one, catalogue, profiles, most_rows, sources=single and sources == "all", frontier=frontier)
        for one in workloads
    ]
    rows, lost = _rows(workloads, plans)
    ranked = rows[:most_rows]
    listed = {"all": len(ranked), "first": 1, "none": 0}[sources]
    predictions = [
        _with_sources(row, catalogue, profiles) if place < listed and not row.prediction.provenance else row.prediction
        for place, row in enumerate(ranked)
    ]
    return Plan(
        ranked=tuple(predictions),
        # Of what an answer has left out it is not known whether another has it too.
        rows=max(len(rows), *(plan.rows for plan in plans)) if rows else 0,
        frontier=_frontier(workloads, plans, catalogue, profiles),
        curves=tuple(row.curve for row in ranked if row.curve is not None),
        candidates=sum(plan.candidates for plan in plans),
        computed=sum(plan.computed for plan in plans),
        excluded_by_bound=sum(plan.excluded_by_bound for plan in plans),
        rejected=_rejected([*(row for plan in plans for row in plan.rejected), *_refused(lost)]),
        near_misses=() if rows else _near_misses(workloads, plans, catalogue, profiles),
    )


def _rows(workloads: Sequence[Workload], plans: Sequence[Plan]) -> tuple[list[_Row], list[_Row]]:
    """Take the best of each key within the limit on loss, in order; and all rows that are beyond it."""
    best: dict[tuple[str, ...], _Row] = {}
    lost = []
    for workload, plan in zip(workloads, plans, strict=True):
        for prediction, curve in zip_longest(plan.ranked, plan.curves):
            row = _Row(prediction, curve, workload)
            if workload.limits.loss is not None and prediction.loss_probability > workload.limits.loss:
                lost.append(row)
                continue
            key = row_key(prediction.configuration)
            if key not in best or row.key < best[key].key:
                best[key] = row
    return sorted(best.values(), key=lambda row: row.key), lost


def _with_sources(row: _Row, catalogue: Catalogue, profiles: Profiles) -> Prediction:
    found = predict(row.prediction.configuration, row.workload, catalogue, profiles)
    if isinstance(found, Infeasible):
        raise RuntimeError(f"the search ranked what the model refuses: {found.reason}")  # noqa: TRY004 - a fault of ours, not of a type
    return found


def _ways(found: Prediction | Candidate) -> tuple[int, str, int]:
    return _PURCHASES.index(found.purchase), found.durability.model, found.durability.replicas


def _frontier(
    workloads: Sequence[Workload], plans: Sequence[Plan], catalogue: Catalogue, profiles: Profiles
) -> Sequence[Candidate]:
    """Put frontiers together: those of one durability in time and cost, then all of them in loss as well."""
    most = workloads[0].limits.loss
    if len(plans) == 1 and most is None:
        return plans[0].frontier
    together: dict[Durability, list[tuple[Workload, Plan]]] = {}
    for workload, plan in zip(workloads, plans, strict=True):
        together.setdefault(workload.job.durability, []).append((workload, plan))
    of_each: list[Candidate] = []
    for alike in together.values():
        found = tuple(candidate for _, plan in alike for candidate in plan.frontier)
        if len(alike) > 1:
            found = _undominated(found)
        if len(together) == 1 and most is None:
            return found
        paid = {workload.place.paid_by: workload for workload, _ in alike}
        of_each += _with_losses(found, paid, catalogue, profiles)
    return _undominated([candidate for candidate in of_each if most is None or _loss(candidate) <= most])


def _undominated(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Leave what no other is at most as slow, as dear and as likely to lose as; the fastest first.

    Of equals the one with fewer nodes, then the first way to pay, durability, type and layout.
    """
    if not candidates:
        return ()
    times = np.asarray(nine_digits(np.array([candidate.time_s for candidate in candidates]))).tolist()
    usd = np.asarray(nine_digits(np.array([candidate.sought_usd for candidate in candidates]))).tolist()
    losses = [_loss(candidate) for candidate in candidates]

    def last(place: int) -> tuple[Any, ...]:
        found = candidates[place]
        configuration = found.configuration
        return configuration.nodes, *_ways(found), configuration.instance, layout_key(configuration.layout)

    def order(place: int) -> tuple[float, float, float]:
        return times[place], usd[place], losses[place]

    # Few are equal in all three, and the rest of their order takes longer than all else.
    counts = Counter(map(order, range(len(candidates))))
    kept = []
    # What is at most as fast as the next: costs ascend, losses fall. Whoever is not below the steps is beaten.
    costs: list[float] = []
    least: list[float] = []
    for place in sorted(range(len(candidates)), key=lambda at: (order(at), last(at) if counts[order(at)] > 1 else ())):
        cost, loss = usd[place], losses[place]
        at = bisect_right(costs, cost)
        if at and least[at - 1] <= loss:
            continue
        kept.append(candidates[place])
        end = at
        while end < len(least) and least[end] >= loss:
            end += 1
        costs[at:end], least[at:end] = [cost], [loss]
    return tuple(kept)


def _loss(candidate: Candidate) -> float:
    return 0.0 if candidate.loss is None else candidate.loss


def _with_losses(
    candidates: Sequence[Candidate], paid: Mapping[Purchase, Workload], catalogue: Catalogue, profiles: Profiles
) -> list[Candidate]:
    """Give candidates of one durability with their chance of loss.

    What the nodes of a type and layout offer is looked up once for all node counts.
    """
    alike: dict[tuple[str, str | Layout, Purchase], list[int]] = {}
    for place, candidate in enumerate(candidates):
        layout = candidate.configuration.layout
        # The size of a volume, and what is provisioned for it, change nothing in how it fails.
        of_layout = layout.volume_type if isinstance(layout, Ebs) else layout
        alike.setdefault((candidate.configuration.instance, of_layout, candidate.purchase), []).append(place)
    exposed: dict[int, _Exposed] = {}
    for (name, _, purchase), places in alike.items():
        workload, layout = paid[purchase], candidates[places[0]].configuration.layout
        volume = catalogue.volume_types[layout.volume_type] if isinstance(layout, Ebs) else None
        inputs = gather(catalogue.instance_types[name], volume, workload, catalogue, profiles)
        if isinstance(inputs, Infeasible):
            raise RuntimeError(f"the search found what the model refuses: {inputs.reason}")  # noqa: TRY004 - as above
        exposed |= zip(places, _exposed([candidates[place] for place in places], inputs, workload), strict=True)
    losses = dict(zip(exposed, loss_probabilities(list(exposed.values())), strict=True))
    return [replace(candidate, loss=losses[place]) for place, candidate in enumerate(candidates)]


_Exposed: TypeAlias = tuple[Inputs, Offer, Configuration, Workload, float]
"""What `loss_probability` takes."""


def _exposed(candidates: Sequence[Candidate], inputs: Inputs, workload: Workload) -> Iterator[_Exposed]:
    """Say of candidates of one type and layout what their chance of loss follows from."""
    nodes = np.array([float(candidate.configuration.nodes) for candidate in candidates])
    offered = offer_of(inputs, candidates[0].configuration.layout, workload, nodes, quantile=0.5)
    repair_mb_per_s = np.broadcast_to(offered.repair_mb_per_s, nodes.shape).tolist()
    for candidate, rate in zip(candidates, repair_mb_per_s, strict=True):
        configuration = candidate.configuration
        here = workload.at(configuration.nodes)
        # Only what has copies is repaired.
        alone = offered if here.job.durability.replicas == 1 else replace(offered, repair_mb_per_s=rate)
        yield inputs, alone, configuration, here, workload.exposure_s(candidate.time_s)


def _rejected(rows: Iterable[Rejection]) -> tuple[Rejection, ...]:
    together: dict[Limit, Rejection] = {}
    for row in rows:
        known = together.get(row.limit)
        if known is not None:
            names = tuple(sorted({*known.instances, *row.instances}))
            together[row.limit] = replace(known, count=known.count + row.count, instances=names)
        else:
            together[row.limit] = row
    return tuple(sorted(together.values(), key=lambda row: (-row.count, row.limit)))


def _refused(lost: Sequence[_Row]) -> Iterator[Rejection]:
    for row in lost:
        yield Rejection("loss", "more likely to lose data than allowed", 1, (row.prediction.configuration.instance,))


def _near_misses(
    workloads: Sequence[Workload], plans: Sequence[Plan], catalogue: Catalogue, profiles: Profiles
) -> tuple[NearMiss, ...]:
    """Of all answers take the misses with the fewest limits to relax, and for each such set the nearest."""
    misses = [
        miss
        for workload, plan in zip(workloads, plans, strict=True)
        for miss in plan.near_misses
        if _keeps_data(miss, workload, catalogue, profiles)
    ]
    misses += _by_relaxing(workloads, catalogue, profiles)
    # Where nothing could be computed is no miss, as long as something could.
    known = [miss for miss in misses if "network bandwidth unknown" not in miss.limits] or misses
    nearest: dict[tuple[Limit, ...], NearMiss] = {}
    for miss in known:
        if len(miss.limits) > min(len(other.limits) for other in known):
            continue
        if miss.limits not in nearest or _excess(miss, workloads[0]) < _excess(nearest[miss.limits], workloads[0]):
            nearest[miss.limits] = miss
    return tuple(nearest.values())


def _keeps_data(miss: NearMiss, workload: Workload, catalogue: Catalogue, profiles: Profiles) -> bool:
    """Say whether a miss keeps to the limit on loss; no other limit makes up for that one."""
    most = workload.limits.loss
    if most is None or "network bandwidth unknown" in miss.limits:
        return True
    [found] = _with_losses([miss.candidate], {workload.place.paid_by: workload}, catalogue, profiles)
    return _loss(found) <= most


def _by_relaxing(workloads: Sequence[Workload], catalogue: Catalogue, profiles: Profiles) -> Iterator[NearMiss]:
    """Give what would be an answer without the limit on loss, the quotas, or the selection, each alone."""
    for limit, relax in _RELAXED.items():
        found: list[Candidate] = []
        for workload in workloads:
            relaxed = relax(workload)
            if relaxed == workload:
                continue
            frontier = search(relaxed, catalogue, profiles, 1, sources=False).frontier
            found += _with_losses(frontier, {relaxed.place.paid_by: relaxed}, catalogue, profiles)
        if found:
            yield NearMiss((limit,), min(found, key=lambda candidate: _excess_of(limit, candidate, catalogue)))


def _excess_of(limit: Limit, candidate: Candidate, catalogue: Catalogue) -> tuple[float, float]:
    """Give what a relaxed limit has to make room for, then the cost."""
    if limit == "loss":
        return _loss(candidate), candidate.sought_usd
    if limit == "quota":
        vcpus = catalogue.instance_types[candidate.configuration.instance].vcpus.value
        return candidate.configuration.nodes * vcpus, candidate.sought_usd
    return 0.0, candidate.sought_usd


_RELAXED: Mapping[Limit, Callable[[Workload], Workload]] = {
    "loss": lambda workload: replace(workload, limits=replace(workload.limits, loss=None)),
    "quota": lambda workload: replace(workload, quotas=Quotas()),
    "selection": lambda workload: replace(workload, selection=Selection()),
    "free space": lambda workload: replace(workload, limits=replace(workload.limits, free_space=0.0, lost_nodes=0)),
    "head node memory": lambda workload: replace(workload, limits=replace(workload.limits, gib_per_million_blocks=0.0)),
    "re-replication": lambda workload: replace(workload, limits=replace(workload.limits, rereplication_s=None)),
}
"""A workload without one of the limits that are not of time, cost or nodes."""


def _excess(miss: NearMiss, workload: Workload) -> tuple[float, float]:
    """Give the largest factor by which a candidate is beyond a limit, then its cost."""
    limits, candidate = workload.limits, miss.candidate
    factors = {
        "deadline": (candidate.time_s, limits.deadline_s),
        "budget": (candidate.cost_usd, limits.budget_usd),
        "max nodes": (candidate.configuration.nodes, limits.max_nodes),
    }
    beyond = [value / bound for value, bound in (factors[one] for one in miss.limits if one in factors) if bound]
    return max(beyond, default=1.0), candidate.sought_usd
