"""Searches for workloads that leave the purchase option or the durability open.

Each combination of a purchase option and a durability is a separate workload. The workloads are searched one by one,
and their plans are merged. A plan has at most one row for each `row_key`, i.e. for each instance type, storage kind and
volume type. This module computes no time or cost.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, get_args

import numpy as np

from stowage.frozen import frozen
from stowage.model.choice import Objective
from stowage.model.cluster import Configuration
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.infeasible import Limit
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.workload import Workload
from stowage.model.money.price import Purchase
from stowage.model.plan import (
    Candidate,
    Curve,
    Plan,
    Points,
    RankKey,
    Rejection,
    first_key,
    layout_key,
    nine_digits,
    row_key,
    tie_key,
)
from stowage.model.stacked import Predictions, joined
from stowage.optimizer.losses import loss_of, with_losses
from stowage.optimizer.near_misses import near_misses
from stowage.optimizer.search import CURVES, search

_PURCHASES: tuple[Purchase, ...] = get_args(Purchase)


@frozen
class _Row:
    """One row of the ranking of one of the plans to merge.

    Only the first rows of a plan have a curve over node counts. Each of the first rows of the merged plan is among the
    first rows of its own plan, and thus has a curve.
    """

    index: int
    """Index of its prediction among those of all plans."""
    configuration: Configuration
    key: tuple[Any, ...]
    """Key that sorts the rows of several plans."""
    curve: Curve | None


def search_open(
    workloads: Sequence[Workload],
    catalog: Catalog,
    profiles: Profiles,
    most_rows: int | None = None,
    *,
    frontier: bool = True,
    curves: int = CURVES,
    sourced: int = 0,
) -> Plan:
    """Rank all configurations of a catalog for a workload with open choices.

    The open choices are the purchase option, the durability or both.

    Parameters
    ----------
    workloads : sequence of Workload
        One workload for each combination of choices, at least one; the workloads differ only in `Place.purchase` and in
        the durability of the job.
    catalog : Catalog
    profiles : Profiles
    most_rows : int, optional
        As for `search`.
    frontier, curves, sourced
        As for `search`.

    Returns
    -------
    Plan
        For each `row_key`, the plan has only the best row over all choices. With several durability options, the
        frontier has three criteria: time, cost and the chance of loss.
    """
    sourced = sourced if len(workloads) == 1 else 0
    plans = [
        search(one, catalog, profiles, most_rows, frontier=frontier, curves=curves, sourced=sourced)
        for one in workloads
    ]
    rows, lost = _rows(workloads, plans)
    ranked = rows[:most_rows]
    return Plan(
        ranked=joined([plan.ranked for plan in plans]).picked(row.index for row in ranked),
        # Rows that a plan leaves out may have the same keys as rows of another plan.
        rows=max(len(rows), *(plan.rows for plan in plans)) if rows else 0,
        frontier=_frontier(workloads, plans, catalog, profiles),
        curves=tuple(row.curve for row in ranked if row.curve is not None),
        candidates=sum(plan.candidates for plan in plans),
        computed=sum(plan.computed for plan in plans),
        excluded_by_bound=sum(plan.excluded_by_bound for plan in plans),
        rejected=_rejected([*(row for plan in plans for row in plan.rejected), *_refused(lost)]),
        near_misses=() if rows else near_misses(workloads, catalog, profiles),
    )


def _rows(workloads: Sequence[Workload], plans: Sequence[Plan]) -> tuple[list[_Row], list[_Row]]:
    """Merge the rankings of plans.

    Returns
    -------
    list of _Row
        Rows that meet the limit on loss, sorted. Of the rows with the same `row_key`, only the best is kept.
    list of _Row
        All rows that exceed the limit on loss.
    """
    best: dict[tuple[str, ...], _Row] = {}
    lost, index = [], 0
    for workload, plan in zip(workloads, plans, strict=True):
        ranked, most = plan.ranked, workload.limits.loss
        keys = [()] * len(ranked) if len(plans) == 1 else _rank_keys(ranked, workload.objective)
        losses = ranked.column(lambda part: part.loss_probability).tolist()
        for asked, loss, key, curve in zip_longest(ranked.rows, losses, keys, plan.curves):
            configuration, of = asked.configuration, asked.workload
            row = _Row(index, configuration, (*key, *_ways(of.place.paid_by, of.job.durability)), curve)
            index += 1
            if most is not None and loss > most:
                lost.append(row)
                continue
            of_row = row_key(configuration)
            if of_row not in best or row.key < best[of_row].key:
                best[of_row] = row
    return list(best.values()) if len(plans) == 1 else sorted(best.values(), key=lambda row: row.key), lost


def _rank_keys(rows: Predictions, objective: Objective) -> list[RankKey]:
    """Return the `rank_key` of each row."""
    amounts = (
        rows.column(lambda part: part.median.time_s),
        rows.column(lambda part: part.median.cost.total),
        rows.column(lambda part: part.always_on.total),
    )
    times, costs, months = (np.asarray(nine_digits(amount)).tolist() for amount in amounts)
    losses = rows.column(lambda part: part.loss_probability).tolist()
    keys: list[RankKey] = []
    for row, time9, cost9, month9, loss in zip(rows.rows, times, costs, months, losses, strict=True):
        configuration = row.configuration
        first = first_key(objective, configuration.nodes, time9, cost9, month9)
        keys.append((*first, *tie_key(configuration, loss)))
    return keys


def _ways(purchase: Purchase, durability: Durability) -> tuple[int, str, int]:
    return _PURCHASES.index(purchase), durability.model, durability.replicas


def _frontier(workloads: Sequence[Workload], plans: Sequence[Plan], catalog: Catalog, profiles: Profiles) -> Points:
    """Merge the frontiers of plans.

    First, the frontiers of plans with the same durability are merged by time and cost. The results for the different
    durabilities are then merged by time, cost and loss probability.
    """
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
            return Points(found, list)
        paid = {workload.place.paid_by: workload for workload, _ in alike}
        of_each += with_losses(found, paid, catalog, profiles)
    return Points(
        _undominated([candidate for candidate in of_each if most is None or loss_of(candidate) <= most]), list
    )


def _undominated(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that no other candidate dominates, fastest first.

    A candidate dominates another if it is at least as good in time, cost and loss probability. Of candidates that are
    equal in all three, only the candidate with the fewest nodes is kept. In a tie, it is the first by purchase option,
    durability, instance type and layout.
    """
    if not candidates:
        return ()
    times = np.asarray(nine_digits(np.array([candidate.time_s for candidate in candidates]))).tolist()
    usd = np.asarray(nine_digits(np.array([candidate.sought_usd for candidate in candidates]))).tolist()
    losses = [loss_of(candidate) for candidate in candidates]

    def last(place: int) -> tuple[Any, ...]:
        found = candidates[place]
        configuration, ways = found.configuration, _ways(found.purchase, found.durability)
        return configuration.nodes, *ways, configuration.instance, layout_key(configuration.layout)

    def order(place: int) -> tuple[float, float, float]:
        return times[place], usd[place], losses[place]

    # Few candidates are equal in all three values, and the tie-break takes longer than everything else.
    counts = Counter(map(order, range(len(candidates))))
    kept = []
    # Staircase of the candidates so far: costs ascend, losses fall. A candidate that is not below it is dominated.
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
        yield Rejection("loss", "more likely to lose data than allowed", 1, (row.configuration.instance,))
