"""Search for configurations of a workload, and prediction of a single configuration. Nothing is stored."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, Literal

from stowage.features.planning.assumed import assumed_of_plan, assumed_of_run
from stowage.frozen import frozen
from stowage.model.cluster import Configuration, fewest_nodes
from stowage.model.hardware.instance import InstanceType
from stowage.model.infeasible import Infeasible, feasible
from stowage.model.jobs.head import head_of
from stowage.model.jobs.workload import Workload
from stowage.model.plan import Candidate, NearMiss, Plan, Points, rank_key
from stowage.model.prediction import Prediction, predict
from stowage.model.uncertainty.scale import Z90
from stowage.optimizer.merge import search_open
from stowage.optimizer.outcome import outcome_of
from stowage.optimizer.search import CURVES
from stowage.platform.errors import BadInput, Problem
from stowage.platform.written import MOST_NODES
from stowage.workloads import columns, wording
from stowage.workloads.answer_conversion import candidate_answer, configuration_fields, evenly
from stowage.workloads.answers import (
    CurveAnswer,
    InfeasibleAnswer,
    LimitsAnswer,
    NearMissAnswer,
    Need,
    PlanAnswer,
    PlanHead,
    PredictionAnswer,
    RankedAnswer,
    TodayRunAnswer,
)
from stowage.workloads.job_section import WorkloadSection
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.layouts import keeps_data_on, layouts_of
from stowage.workloads.limits_section import MEDIAN
from stowage.workloads.refusals import possible_workloads, workload_of
from stowage.workloads.workload_file import WorkloadFile

MOST_FRONTIER_POINTS, MOST_DRAWN_POINTS, MOST_POINTS_OF_COLUMNS = 2_000, 300, 72
"""Points of a frontier in an answer: the maximum, that in an answer without full provenance, and that in columns."""
_REFUSED = "a near miss that the model refuses"
Sources = Literal["all", "first", "none"]
"""Rows whose provenance is listed, which takes far longer than the numbers themselves."""
MOST_ROWS = 50
"""Rows of a ranking in an answer: users rarely read more, and their provenance takes megabytes."""
FIRST_ROWS = 15
"""Rows of a ranking in an answer to the page: what its table shows at once. It asks for more when a user does."""
Curves = Literal["all", "without limits", "none"]
"""Questions whose first rows get curves: all, those without deadline and budget, or none."""


def preview_plan(
    file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float], sources: Sources = "all"
) -> PlanAnswer:
    """Rank configurations for a workload.

    Parameters
    ----------
    file : WorkloadFile
        A `cluster` section is ignored, as the search finds the cluster. But rates under ``measured`` then apply only to
        the instance type of that section.
    clock : callable
        Monotonic seconds, for the time that the search took.
    sources : {"all", "first", "none"}
        Configurations for which the answer lists the sources of the inputs.

    Raises
    ------
    BadInput
        An unknown region or catalog version, or a name that the catalog does not know.
    """
    listed = {"all": MOST_ROWS, "first": 1, "none": 0}[sources]
    searched = _searched(file, source, clock, MOST_ROWS, sourced=listed)
    plan = searched.plan
    points = MOST_FRONTIER_POINTS if sources == "all" else MOST_DRAWN_POINTS
    return PlanAnswer(
        **_head_fields(searched),
        configurations=_ranked(searched, min(listed, len(plan.ranked))),
        frontier=[candidate_answer(candidate) for candidate in _thinned(plan.frontier, points)],
        curves=[
            CurveAnswer(instance=curve.instance, points=[candidate_answer(point) for point in curve.points])
            for curve in plan.curves
        ],
        rejected=list(plan.rejected),
    )


def preview_rows(file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float], most_rows: int) -> PlanAnswer:
    """Return the answer of `preview_plan` with at most ``most_rows`` rows, without sources, frontier and curves.

    For a single row it takes a fifth of the time. The other parameters and the exceptions are those of `preview_plan`.
    """
    searched = _searched(file, source, clock, most_rows, frontier=False, curves="none")
    return PlanAnswer(
        **_head_fields(searched),
        configurations=_ranked(searched, 0),
        frontier=[],
        curves=[],
        rejected=list(searched.plan.rejected),
    )


@frozen
class ColumnsAnswer:
    """An answer as columns, and the parts of it that are stored beside them."""

    head: PlanHead
    first: RankedAnswer | None
    """The first row; None if no configuration meets the limits."""
    encoded: bytes
    """JSON of a `PlanColumns`."""


def preview_columns(
    file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float], *, for_page: bool = False
) -> ColumnsAnswer:
    """Return the answer of `preview_plan`, with the sources of the first row, as columns.

    With ``for_page``, it has what the page draws of it: the first rows, and curves only without deadline and budget.
    With these, the page draws the curves of the question without them (`preview_curves`). The other parameters and the
    exceptions are those of `preview_plan`.
    """
    if for_page:
        searched = _searched(file, source, clock, FIRST_ROWS, curves="without limits", sourced=1)
    else:
        searched = _searched(file, source, clock, MOST_ROWS, sourced=1)
    plan, workload = searched.plan, searched.workloads[0]
    head, first = PlanHead(**_head_fields(searched)), None
    if plan.ranked:
        first = RankedAnswer(rank=1, **configuration_fields(plan.ranked.sourced(0), workload))
    frontier = _thinned(plan.frontier, MOST_POINTS_OF_COLUMNS)
    return ColumnsAnswer(head, first, columns.encoded(head, first, plan, frontier, workload))


def preview_curves(file: WorkloadFile, source: KnowledgeSource) -> bytes:
    """Return the curves of the first rows that `preview_columns` ranks, as JSON of a `CurveColumns`.

    A search for them takes less than half the time, as it needs neither the other rows nor the frontier.
    """
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    plan = search_open(workloads, knowledge.catalog, knowledge.profiles, CURVES, frontier=False)
    return columns.encoded_curves(plan)


@frozen
class _Searched:
    """A search, with its question and the data behind it."""

    file: WorkloadFile
    workloads: Sequence[Workload]
    """At least one. They are identical in all values that an answer has only once."""
    knowledge: Knowledge
    plan: Plan
    elapsed_s: float


def _searched(
    file: WorkloadFile,
    source: KnowledgeSource,
    clock: Callable[[], float],
    most_rows: int,
    *,
    frontier: bool = True,
    curves: Curves = "all",
    sourced: int = 0,
) -> _Searched:
    started = clock()
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    limits = workloads[0].limits
    limited = limits.deadline_s is not None or limits.budget_usd is not None
    plan = search_open(
        workloads,
        knowledge.catalog,
        knowledge.profiles,
        most_rows,
        frontier=frontier,
        curves=CURVES if curves == "all" or (curves == "without limits" and not limited) else 0,
        sourced=sourced,
    )
    return _Searched(file, workloads, knowledge, plan, clock() - started)


def _ranked(searched: _Searched, listed: int) -> list[RankedAnswer]:
    """Return the rows of an answer, the first ``listed`` with their sources."""
    ranked, workload = searched.plan.ranked, searched.workloads[0]
    rows = [*(ranked.sourced(index) for index in range(listed)), *ranked[listed:]]
    return [RankedAnswer(rank=rank, **configuration_fields(made, workload)) for rank, made in enumerate(rows, start=1)]


def get_ready(source: KnowledgeSource) -> None:
    """Preload the newest catalog, and the search data for typical workloads.

    Raises
    ------
    BadInput
        No catalog is stored.
    """
    for durability in ("none", "infrastructure", "object-store"):
        section = WorkloadSection.model_validate({"data": "1 TB", "durability": {"model": durability}})
        preview_plan(WorkloadFile(workload=section), source, time.perf_counter, "none")


def predict_cluster(file: WorkloadFile, source: KnowledgeSource) -> PredictionAnswer | InfeasibleAnswer:
    """Predict a workload on the cluster that the workload file describes.

    Raises
    ------
    BadInput
        No cluster, an unknown instance or volume type, region or catalog version.
    """
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    if file.cluster is None:
        raise BadInput([Problem("cluster", "is missing: a prediction needs instance, nodes and storage")])
    if file.cluster.spares > 0 and file.cluster.nodes > MOST_NODES:
        message = (
            f"{file.cluster.spares} with {file.cluster.nodes:,} nodes; spares are accepted up to {MOST_NODES:,} nodes"
        )
        raise BadInput([Problem("cluster.spares", message)])
    possible: list[tuple[Workload, Configuration, Prediction]] = []
    obstacles = []
    for layout in layouts_of(file, knowledge):
        configuration = Configuration(file.cluster.instance, file.cluster.nodes, layout)
        for one in workloads:
            if not keeps_data_on(one, layout):
                continue
            workload = replace(one, spares=file.cluster.spares)
            found = predict(configuration, workload, knowledge.catalog, knowledge.profiles, sources=False)
            if isinstance(found, Infeasible):
                obstacles.append(found)
            else:
                possible.append((workload, configuration, found))
    if not possible:
        return InfeasibleAnswer.from_fields(_nearest_obstacle(obstacles), feasible=False)
    instance = knowledge.catalog.instance_types[file.cluster.instance]
    workload, configuration, _ = min(possible, key=lambda one: _by_limits(one[2], one[0], instance))
    again = predict(configuration, workload, knowledge.catalog, knowledge.profiles)
    return prediction_answer(file, workload, feasible(again, "predicted before, and not now"), knowledge)


def prediction_answer(
    file: WorkloadFile, workload: Workload, best: Prediction, knowledge: Knowledge
) -> PredictionAnswer:
    """Return the answer about a prediction with sources.

    Parameters
    ----------
    workload : Workload
        The predicted one of the workloads of ``file``.
    """
    return PredictionAnswer(
        feasible=True,
        sentence=wording.with_price_terms(wording.prediction_sentence(workload, best), knowledge.catalog.price_terms),
        **knowledge.answer_fields,
        assumed=assumed_of_run(file, workload.job),
        **configuration_fields(best, workload),
    )


def _by_limits(prediction: Prediction, workload: Workload, instance: InstanceType) -> tuple[bool, tuple[object, ...]]:
    """Return the sort key by which a search orders predictions.

    Predictions within all limits come before all others. In both groups, the objective decides.
    """
    broken = workload.limits.judge(
        time_s=prediction.time_s.p50,
        cost_usd=prediction.cost_usd.p50,
        chance=prediction.meets_deadline,
        loss=prediction.loss_probability,
    )
    configuration = prediction.configuration
    cramped = configuration.nodes < fewest_nodes(configuration.layout, instance, workload.at(configuration.nodes))
    return any(broken) or cramped, rank_key(prediction, workload.objective)


def _head_fields(searched: _Searched) -> dict[str, Any]:
    """Return the fields of a `PlanHead`."""
    file, knowledge, plan = searched.file, searched.knowledge, searched.plan
    workload = searched.workloads[0]
    return {
        "sentence": wording.with_price_terms(wording.plan_sentence(workload, plan), knowledge.catalog.price_terms),
        "objective": workload.objective,
        "limits": LimitsAnswer.from_fields(workload.limits),
        "configurations_size": plan.rows,
        "frontier_size": len(plan.frontier),
        "candidates": plan.candidates,
        "computed": plan.computed,
        "excluded_by_bound": plan.excluded_by_bound,
        "elapsed_s": searched.elapsed_s,
        "near_misses": [_near_miss_answer(miss, searched.workloads, knowledge) for miss in plan.near_misses],
        "catalog_as_of": knowledge.catalog.as_of,
        **knowledge.answer_fields,
        "assumed": assumed_of_plan(file, (each.job for each in searched.workloads)),
        "workload": file.written(),
        "today": TodayRunAnswer.of(workload.reached),
    }


def _thinned(frontier: Points, most: int) -> Sequence[Candidate]:
    """Return at most ``most`` evenly spaced points of a Pareto frontier, including its two end points.

    If the chance of data loss is an objective too, points that are best in time and cost are preferred. A quarter is
    reserved for points whose only advantage is less data loss: without them, the safest options would be missing.
    """
    if len(frontier) <= most:
        return frontier
    if frontier[0].loss is None:
        return frontier.at(evenly(len(frontier), most))
    best, others, cheapest_usd = list[int](), list[int](), math.inf
    for place, candidate in enumerate(frontier):
        (best if candidate.sought_usd < cheapest_usd else others).append(place)
        cheapest_usd = min(cheapest_usd, candidate.sought_usd)
    kept = [best[place] for place in evenly(len(best), most - min(len(others), most // 4))]
    kept += [others[place] for place in evenly(len(others), most - len(kept))]
    return frontier.at(sorted(kept))


def _near_miss_answer(miss: NearMiss, workloads: Sequence[Workload], knowledge: Knowledge) -> NearMissAnswer:
    candidate = miss.candidate
    configuration = candidate.configuration
    again_s = _rereplication_s(candidate, workloads, knowledge) if "re-replication" in miss.limits else None
    limits = list(miss.limits)
    needs: dict[Need, str] = {}
    words = []
    if "deadline" in limits:
        deadline_s = math.ceil(_deadline_s(candidate, workloads, knowledge))
        needs["deadline"] = wording.whole_seconds(deadline_s)
        words.append(f"a deadline of {wording.duration(deadline_s)}")
    if "chance" in limits:
        met = _confidence(candidate, workloads, knowledge)
        needs["chance"] = f"{100.0 * met:g} %"
        words.append(f"a confidence of {wording.chance(met)}")
    if "budget" in limits:
        cents = math.ceil(candidate.cost_usd * 100)
        needs["budget"] = f"{cents / 100:.2f} USD"
        words.append(f"a budget of {wording.usd(cents / 100)}")
    if "max nodes" in limits:
        needs["max_nodes"] = str(configuration.nodes)
        words.append(f"{configuration.nodes:,} nodes")
    if "loss" in limits and candidate.loss is not None:
        # Round up, so that rounding cannot make the limit too tight.
        needs["loss"] = f"{min(101.0 * candidate.loss, 100.0):.2e} %"
        words.append(f"a chance of loss of {wording.chance(candidate.loss)}")
    if "quota" in limits:
        words.append(_quota_words(candidate, workloads[0], knowledge))
    if again_s is not None:
        needs["rereplication"] = wording.whole_seconds(math.ceil(again_s))
        words.append(f"{wording.duration(math.ceil(again_s))} to re-replicate a failed node")
    taken_away = {
        "free space": "limits without free space and node failures to survive",
        "head node memory": f"a head node with {workloads[0].head_memory_gib:,.3g} GiB of memory",
        "selection": "a wider choice of types",
    }
    words += [taken_away[limit] for limit in limits if limit in taken_away]
    name = f"{configuration.nodes:,} × {configuration.instance}"
    if "network bandwidth unknown" in limits:
        words.append("a measured network bandwidth")
        money = wording.usd(candidate.sought_usd) + ("" if candidate.month_usd is None else " a month")
        least = f"at the least {wording.duration(candidate.time_s)} and {money}"
        sentence = f"{name} would need a measured network bandwidth; without that limit it takes {least}."
    else:
        sentence = f"{name} would need {' and '.join(words)}."
    writable = configuration.nodes <= MOST_NODES
    return NearMissAnswer(
        limits=limits,
        needs=needs if writable else {},
        relaxation=" and ".join(words),
        candidate=candidate_answer(candidate),
        sentence=sentence,
    )


def _deadline_s(candidate: Candidate, workloads: Sequence[Workload], knowledge: Knowledge) -> float:
    """Return the time within which a candidate finishes with the requested probability [s].

    If the workload requests no probability, the time is the median.
    """
    chance = workloads[0].limits.chance
    if chance is None:
        return candidate.time_s
    workload = _workload_of(candidate, workloads)
    found = predict(candidate.configuration, workload, knowledge.catalog, knowledge.profiles, sources=False)
    z, times = NormalDist().inv_cdf(chance), feasible(found, _REFUSED).time_s
    deviation = math.log(times.p90 / times.p50 if z > 0.0 else times.p50 / times.p10) / Z90
    return times.p50 * math.exp(z * deviation)


def _confidence(candidate: Candidate, workloads: Sequence[Workload], knowledge: Knowledge) -> float:
    """Return the confidence with which a candidate meets the deadline [1], rounded down to percent.

    It meets the deadline at the median, so the confidence is 0.5 at least; a rounding error may put it below.
    """
    workload = _workload_of(candidate, workloads)
    found = predict(candidate.configuration, workload, knowledge.catalog, knowledge.profiles, sources=False)
    met = feasible(found, _REFUSED).meets_deadline or 0.0
    return max(MEDIAN, math.floor(100.0 * met) / 100.0)


def _rereplication_s(candidate: Candidate, workloads: Sequence[Workload], knowledge: Knowledge) -> float | None:
    """Return the time that re-replication of a failed node's data takes [s].

    Return None if the time is within the limit.
    """
    workload = _workload_of(candidate, workloads)
    found = outcome_of(candidate.configuration, workload, knowledge.catalog, knowledge.profiles)
    return next((one.value for one in feasible(found, _REFUSED).broken if one.limit == "re-replication"), None)


def _workload_of(candidate: Candidate, workloads: Sequence[Workload]) -> Workload:
    """Return the workload with the purchase option and the durability of a candidate."""
    nodes, kept = candidate.configuration.nodes, candidate.durability
    found = workload_of(workloads, nodes, candidate.purchase, kept.model, kept.replicas)
    if found is None:
        raise RuntimeError(f"a near miss of no workload: {candidate}")
    return found


def _quota_words(candidate: Candidate, workload: Workload, knowledge: Knowledge) -> str:
    """Describe the larger AWS quota that a candidate needs."""
    types, configuration = knowledge.catalog.instance_types, candidate.configuration
    instance = types[configuration.instance]
    head = head_of(workload, instance, types).vcpus.value * workload.head_nodes
    vcpus = configuration.nodes * instance.vcpus.value + head
    quota = workload.quotas.vcpus
    return f"a quota of {vcpus:,.0f} vCPUs" if quota is not None and vcpus > quota else "larger quotas"


def _nearest_obstacle(obstacles: list[Infeasible]) -> Infeasible:
    """Return the reason to report why a cluster is infeasible.

    There is one reason for each division of the disks between input-output and intermediate data. The returned one
    needs the fewest nodes. A reason that does not depend on the number of nodes is preferred, because with its
    division the disks can store the data.
    """
    return min(obstacles, key=lambda obstacle: obstacle.needed_nodes or 0)
