"""The search: the best of all candidates of the search space, and the reasons why other candidates are excluded.

The search builds the search problem (`problem`), runs the kernel (`kernel`), and predicts the winners in full with the
model. The kernel is the compiled search. Nothing is sampled. The order of candidates depends on the search problem
only: ties are broken by fewer nodes, then by less time, less loss, instance type and layout.

A candidate is a configuration with its time and cost. A lane is an instance type with one storage layout over a range
of node counts (`space`). Its candidates differ in node count and, on EBS, in the volumes.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.choice import Objective
from stowage.model.cluster import Configuration
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.jobs.task_slots import SORT_MEMORY
from stowage.model.jobs.workload import Workload
from stowage.model.plan import Candidate, Curve, Plan, Points, Rejection, tie_key
from stowage.model.prediction import Prediction, Row, loss_from
from stowage.model.sizes import MB_PER_GIB
from stowage.model.stacked import Predictions, predict_rows
from stowage.optimizer.arrays import Floats, Records
from stowage.optimizer.curves import curves_of
from stowage.optimizer.kernel import Answer
from stowage.optimizer.problem import NOTHING, Excess, SearchProblem

CURVES = 8
"""First rows of an answer that have a curve over the node counts."""

STEPS = Steps()

Kept = tuple[str, int]
"""An instance type, and the index of its replication factor among those of a search problem."""

_ATTEMPTS = 6
"""How often types that exceed a limit on loss are searched again with fewer nodes."""

_REASONS: dict[Limit, str] = {
    "selection": "it is not among the types to choose from",
    "price unknown": "the price is not known",
    "storage bandwidth unknown": "the storage bandwidth is not known",
    "EBS bandwidth unknown": "the EBS bandwidth is not known",
    "network bandwidth unknown": "the network bandwidth is not known",
    "storage IOPS unknown": "how many random I/Os its disks do is not known",
    "no disks": "it has no disks of its own",
    "capacity": "this layout does not hold the data and the room asked for on so few nodes",
    "re-replication": "too slow to copy again in time what a failed node held",
    "max nodes": "capacity needs more nodes than allowed",
    "quota": "the quotas do not allow it",
    "never finishes": "on spot instances it is interrupted too often to finish",
    "deadline": "slower than the deadline",
    "chance": "too unlikely to meet the deadline",
    "budget": "dearer than the budget",
    "loss": "likelier to lose data than allowed",
}

_ORDER: dict[Objective, tuple[str, str, str]] = {
    "cost": ("value9", "nodes", "time9"),
    "month": ("value9", "nodes", "time9"),
    "time": ("value9", "cost9", "nodes"),
}
"""Fields of the kernel's candidates by which rows are ranked, before ties are broken."""


_Search = Callable[[], tuple[SearchProblem, Answer]]

_UNDER_WAY: list[None] = []
"""One element for each search that a thread of this process is in; its methods are atomic."""


def search(
    workload: Workload,
    catalog: Catalog,
    profiles: Profiles,
    most_rows: int | None = None,
    *,
    frontier: bool = True,
    curves: int = CURVES,
    sourced: int = 0,
    steps: Steps = STEPS,
) -> Plan:
    """Rank all configurations of a catalog for a workload.

    Parameters
    ----------
    workload : Workload
        Workload with one purchase option and one durability. Its limits apply to medians, except for a deadline that
        must be met with a minimum confidence.
    catalog : Catalog
    profiles : Profiles
    most_rows : int, optional
        Number of requested rows of the ranking; None for all rows. With a number, the search is faster, since it drops
        rows as soon as they cannot be among the first.
    frontier : bool
        Whether to return the frontier.
    curves : int
        Number of first rows whose curves over the node counts are returned.
    sourced : int
        Number of first rows whose sources will be read. They are worked out here if there is time: while the frontier
        is searched.
    steps : Steps
        Step sizes of the volume search.

    Returns
    -------
    Plan
        Plan with rows that are optimal over the whole search space. It has no near misses, even if it has no rows.

    Raises
    ------
    ValueError
        The workload has spare nodes, or both a required confidence and slow nodes. Searches support neither.
    """
    _check(workload)
    with _second_thread() as begin:
        asked = SearchProblem(workload, catalog, profiles, steps)
        apart = frontier and most_rows is not None and bool(asked.lanes.volume_keys)
        # The kernel holds no lock of the interpreter: it finds the frontier while the rows are found and predicted.
        of_frontier = begin(partial(answered, asked, 1, counted=False)) if apart else None
        problem, answer = answered(asked, most_rows, frontier=frontier and not apart)
        ranked, drawn = _ranked(problem, answer, most_rows, curves)
        if apart:
            ranked.compute(sourced)
        whole, points = (problem, answer) if of_frontier is None else of_frontier()
    listed = Points(points.frontier, partial(candidates_of, whole))
    return _plan(problem, answer, ranked, listed, drawn, answer.computed + apart * points.computed)


def _plan(
    problem: SearchProblem,
    answer: Answer,
    ranked: Predictions,
    frontier: Points,
    curves: tuple[Curve, ...],
    computed: int,
) -> Plan:
    candidates = _candidates(problem, answer)
    return Plan(
        ranked=ranked,
        rows=int(np.count_nonzero(answer.best["lane"] >= 0)),
        frontier=frontier,
        curves=curves,
        candidates=candidates,
        computed=computed,
        excluded_by_bound=candidates - computed,
        rejected=_rejections(problem, answer),
    )


@contextmanager
def _second_thread() -> Iterator[Callable[[_Search], _Search]]:
    """Yield a function that begins a search on a second thread, and returns a function that waits for its result.

    While this process searches for another question too, the second search is not begun before its result is needed:
    each question then has one thread, and two would only wait for each other's cores.
    """
    _UNDER_WAY.append(None)
    try:
        if len(_UNDER_WAY) > 1:
            yield lambda searching: searching
        else:
            with ThreadPoolExecutor(1) as pool:
                yield lambda searching: pool.submit(searching).result
    finally:
        _UNDER_WAY.pop()


def answered(
    problem: SearchProblem,
    most_rows: int | None,
    *,
    frontier: bool = True,
    counted: bool = True,
    excess: Excess | None = None,
) -> tuple[SearchProblem, Answer]:
    """Run the kernel until its results meet all limits.

    The kernel itself cannot check some limits, so several runs may be needed.

    Parameters
    ----------
    problem : SearchProblem
    most_rows, frontier
        As for `search`.
    counted : bool
        Whether to count the candidates, and those that break a limit.
    excess : Excess, optional
        Minimize the excess over limits instead of the workload's objective.

    Returns
    -------
    problem : SearchProblem
        Search problem that was solved last. Earlier search problems allowed more nodes of some types.
    answer : Answer

    Notes
    -----
    With several copies, the loss probability grows with the node count. A type that exceeds the limit on loss is
    searched again, up to the largest node count that meets the limit. After some attempts, only types that are known to
    meet the limit are searched.
    """
    banned, most_nodes, safe = NOTHING, dict[Kept, int](), set[Kept]()
    whole, attempts = problem, 0
    while True:
        answer = problem.answer(most_rows, frontier=frontier, counted=counted, excess=excess, banned=banned)
        first = _first(problem, answer, most_rows)
        fewer = _within_loss(problem, (first, answer.frontier), safe)
        if fewer:
            most_nodes |= fewer
            attempts += 1
            if attempts > _ATTEMPTS:
                # Bounding all remaining types one by one may take too long: keep the types known to meet the limit.
                judged = safe | most_nodes.keys()
                every = product(
                    (each.name for each in problem.rate_columns.instances), range(len(problem.lanes.workloads))
                )
                most_nodes |= {kept: 0 for kept in every if kept not in judged}
            # The indices of lanes differ between spaces.
            problem, banned = whole.with_fewer(most_nodes), NOTHING
            continue
        beyond = _beyond(problem, answer)
        if beyond.size == 0:
            return problem, answer
        banned = np.concatenate([banned, beyond])


def candidates_of(problem: SearchProblem, found: Records) -> list[Candidate]:
    """Build candidates from the kernel's result.

    Their monthly costs are set only if the monthly cost is the objective.
    """
    of_month = problem.workload.objective == "month"
    months = found["value"].tolist() if of_month else [None] * found.size
    columns = (found[name].tolist() for name in ("time_s", "cost_usd", "lane"))
    return [
        Candidate(
            configuration,
            time_s,
            cost_usd,
            problem.workload.place.paid_by,
            problem.workload_of(lane).job.durability,
            month_usd=month_usd,
        )
        for configuration, time_s, cost_usd, lane, month_usd in zip(
            problem.configurations(found), *columns, months, strict=True
        )
    ]


def _check(workload: Workload) -> None:
    """Raise an error if searches do not support a workload."""
    if workload.spares > 0:
        raise ValueError("spares are of one configuration: predict it")
    if workload.stragglers is not None and workload.limits.chance is not None:
        raise ValueError("with slow nodes the chance to meet a deadline follows from courses: predict it")


def _candidates(problem: SearchProblem, answer: Answer) -> int:
    """Return the number of candidates of a search problem, with those that it leaves out."""
    return round(float(answer.size.sum()) + sum(float(sizes.sum()) for sizes in problem.lanes.excluded.values()))


def _ranked(
    problem: SearchProblem, answer: Answer, most_rows: int | None, curves: int
) -> tuple[Predictions, tuple[Curve, ...]]:
    """Predict the first rows of the kernel's result, in order, and draw curves of the first of them.

    Predictions are computed when they are read.
    """
    first = _first(problem, answer, most_rows)
    predicted = predict_rows(_rows(problem, first))
    keys = list(zip(*(first[name].tolist() for name in _ORDER[problem.workload.objective]), strict=True))
    order = list(range(first.size))
    if len(set(keys)) < len(keys):
        losses = predicted.column(lambda part: part.loss_probability).tolist()
        ties = [tie_key(row.configuration, loss) for row, loss in zip(predicted.rows, losses, strict=True)]
        order.sort(key=lambda place: (keys[place], ties[place]))
    ranked = predicted.picked(order[:most_rows])
    return ranked, curves_of(problem, ranked.rows[:curves], first["lane"][order[: len(ranked)][:curves]])


def _first(problem: SearchProblem, answer: Answer, most_rows: int | None) -> Records:
    """Return the first ``most_rows`` rows of the kernel's result.

    They are in the order of the ranking, but for ties. Further rows that tie with the last row are included.
    """
    found = np.flatnonzero(answer.best["lane"] >= 0)
    columns = [answer.best[name][found] for name in _ORDER[problem.workload.objective]]
    order = np.lexsort(columns[::-1])
    if most_rows is not None and order.size > most_rows:
        kept = np.logical_and.reduce([column[order] == column[order[most_rows - 1]] for column in columns])
        kept[:most_rows] = True
        order = order[kept]
    return answer.best.take(found[order])


def _rows(problem: SearchProblem, found: Records) -> list[Row]:
    """Return what the model needs to predict each candidate that the kernel found."""
    return [
        Row(problem.inputs(configuration.instance, configuration.layout), configuration, problem.workload_of(lane))
        for configuration, lane in zip(problem.configurations(found), found["lane"].tolist(), strict=True)
    ]


def _beyond(problem: SearchProblem, answer: Answer) -> Records:
    """Return the candidates that the kernel accepts but the model rejects.

    They are so close to the required confidence, or to the limit on loss, that rounding decides.
    """
    limits = problem.workload.limits
    parts = [found[(found["lane"] >= 0) & (found["on_edge"] > 0)] for found in (answer.best, answer.frontier)]
    if not any(part.size for part in parts):
        return NOTHING
    edges = np.concatenate(parts)

    def is_beyond(row: Prediction) -> bool:
        return any(limits.judge(chance=row.meets_deadline, loss=row.loss_probability))

    return edges[list(map(is_beyond, predict_rows(_rows(problem, edges))))]


def _within_loss(problem: SearchProblem, parts: Sequence[Records], safe: set[Kept]) -> dict[Kept, int]:
    """Return the largest node counts that meet the limit on loss.

    The result has only the instance types with a candidate in ``parts`` that exceeds the limit. A node count of 0 means
    that none meets the limit. Types that meet the limit are added to ``safe``.

    At a constant replication factor, the loss probability grows with the node count. If the factor grows with the
    cluster, each factor has its own largest node count.

    The kernel checks single copies by itself. With more copies, the loss probability follows from a Markov chain, whose
    computation takes as long as a search. So it is computed only for the largest node count of each type in ``parts``.
    If the probability is too high, the largest allowed node count is found by bisection.
    """
    workload = problem.workload
    limit, durability = workload.limits.loss, workload.job.durability
    copies = durability.replicas > 1 or workload.job.default_copies
    if limit is None or not copies or durability.model == "object-store":
        return {}

    def loses_more(configuration: Configuration, nodes: int) -> bool:
        inputs = problem.inputs(configuration.instance, configuration.layout)
        loss = loss_from(inputs, replace(configuration, nodes=nodes), workload.at(nodes))
        return not isinstance(loss, Infeasible) and loss > limit

    fewer = {}
    lanes, found = problem.lanes, np.concatenate(parts)
    places = lanes.rows["type"][found["lane"]] * len(lanes.workloads) + lanes.workload_of[found["lane"]]
    largest = found[_largest_of_each(places, found["nodes"])]
    for configuration, lane in zip(problem.configurations(largest), largest["lane"].tolist(), strict=True):
        kept = (configuration.instance, int(lanes.workload_of[lane]))
        if not loses_more(configuration, configuration.nodes):
            safe.add(kept)
            continue
        high = configuration.nodes
        low = _fewest_with_as_many_copies(workload, high)
        if low >= high or loses_more(configuration, low):
            fewer[kept] = 0
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if loses_more(configuration, middle) else (middle, high)
        fewer[kept] = low
    return fewer


def _fewest_with_as_many_copies(workload: Workload, nodes: int) -> int:
    """Return the smallest node count with the same replication factor as ``nodes`` nodes.

    Each copy must be on a different node.
    """
    copies = workload.at(nodes).job.durability.replicas
    return next(fewer for fewer in range(copies, nodes + 1) if workload.at(fewer).job.durability.replicas == copies)


def _largest_of_each(types: NDArray[np.integer[Any]], nodes: Floats) -> NDArray[np.intp]:
    """Return the index of the largest node count of each type.

    Both arrays have one element for each candidate. Of equal node counts, the index of the first is returned.
    """
    order = np.lexsort((-nodes, types))
    ordered = types[order]
    return order[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if order.size else order


def _rejections(problem: SearchProblem, answer: Answer) -> tuple[Rejection, ...]:
    """Return the number of excluded candidates for each reason.

    If the kernel proves with bounds that candidates break a limit, the number for this limit is a lower bound.
    """
    lanes, names, workload = problem.lanes, problem.rate_columns.names, problem.workload
    type_of = lanes.rows["type"]
    parts: list[tuple[Limit, NDArray[Any]]] = list(lanes.excluded.items())
    for limit, unsearched in lanes.unsearched:
        parts.append((limit, np.bincount(type_of[unsearched], np.rint(answer.size[unsearched]), names.size)))
    for limit, refused in answer.refused.items():
        if not refused.any():
            continue
        named: Limit = "chance" if limit == "deadline" and workload.limits.chance is not None else limit
        parts.append((named, np.bincount(type_of, np.rint(refused), names.size)))
    counts: dict[Limit, NDArray[Any]] = {}
    for limit, of_types in parts:
        counts[limit] = counts[limit] + of_types if limit in counts else of_types
    rows = [
        Rejection(
            limit,
            _reason(limit, workload),
            round(float(of_types.sum())),
            tuple(names[of_types > 0.0].tolist()),
        )
        for limit, of_types in counts.items()
    ]
    return tuple(sorted((row for row in rows if row.count), key=lambda row: (-row.count, row.limit)))


def _reason(limit: Limit, workload: Workload) -> str:
    if limit == "head node memory":
        return f"its head node has less than the {workload.head_memory_gib:,.3g} GiB that so many blocks of HDFS need"
    if limit == "task memory":
        task_gib = (workload.tasks.memory_mb or 0.0) / MB_PER_GIB
        return f"{SORT_MEMORY.value:.0%} of its memory is less than the {task_gib:,.4g} GiB in which a task sorts"
    return _REASONS[limit]
