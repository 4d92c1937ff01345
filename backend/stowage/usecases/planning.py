"""Answer a workload: search for configurations, or predict one. Nothing is stored."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Literal, get_args

from stowage.model import MODEL_VERSION
from stowage.model.cluster import Configuration, InstanceStore, Layout, ObjectStore, divisions
from stowage.model.infeasible import Infeasible
from stowage.model.plan import Candidate, LayoutKey, NearMiss, Plan, layout_key, nine_digits
from stowage.model.prediction import Prediction, predict
from stowage.model.price import Purchase
from stowage.model.workload import Workload
from stowage.optimizer.search import search
from stowage.usecases import wording
from stowage.usecases.answers import (
    CurveAnswer,
    InfeasibleAnswer,
    LimitsAnswer,
    NearMissAnswer,
    PlanAnswer,
    PredictionAnswer,
    RankedAnswer,
    RejectionAnswer,
    candidate_answer,
    configuration_fields,
)
from stowage.usecases.errors import BadInput, Problem
from stowage.usecases.knowledge import Knowledge, KnowledgeSource
from stowage.usecases.workload_file import EbsSection, InstanceStoreSection, ObjectStoreSection, WorkloadFile, layout_of
from stowage.usecases.written import MOST_NODES

MOST_FRONTIER_POINTS = 2_000
MOST_ROWS = 50
"""Rows of a ranking that an answer carries: with more, nobody reads them, and their sources are megabytes."""


def preview_plan(file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float]) -> PlanAnswer:
    """Rank configurations for a workload.

    Parameters
    ----------
    file : WorkloadFile
        Its cluster, if there is one, is not used: the search finds its own. Rates under
        ``measured`` then hold for the type of that cluster alone.
    source : KnowledgeSource
    clock : callable
        Monotonic seconds, for the time that the search took.

    Raises
    ------
    BadInput
        An unknown region or catalogue version.
    """
    started = clock()
    knowledge = source(file.place.catalogue, file.place.region)
    refuse_unpriced(file, knowledge)
    workload = file.to_workload()
    plan = search(workload, knowledge.catalogue, knowledge.profiles, MOST_ROWS)
    return _plan_answer(file, workload, plan, knowledge, clock() - started)


def predict_cluster(file: WorkloadFile, source: KnowledgeSource) -> PredictionAnswer | InfeasibleAnswer:
    """Predict a workload on the cluster that its file describes.

    Raises
    ------
    BadInput
        No cluster, an unknown instance or volume type, region or catalogue version.
    """
    knowledge = source(file.place.catalogue, file.place.region)
    refuse_unpriced(file, knowledge)
    if file.cluster is None:
        raise BadInput([Problem("cluster", "is missing: a prediction needs instance, nodes and storage")])
    if file.cluster.spares > 0 and file.cluster.nodes > MOST_NODES:
        message = (
            f"{file.cluster.spares} with {file.cluster.nodes:,} nodes; spares are accepted up to {MOST_NODES:,} nodes"
        )
        raise BadInput([Problem("cluster.spares", message)])
    workload = file.to_workload()
    predictions = [
        predict(
            Configuration(file.cluster.instance, file.cluster.nodes, layout),
            replace(workload, spares=file.cluster.spares),
            knowledge.catalogue,
            knowledge.profiles,
        )
        for layout in _layouts(file, knowledge)
    ]
    feasible = [prediction for prediction in predictions if isinstance(prediction, Prediction)]
    if not feasible:
        obstacles = [prediction for prediction in predictions if isinstance(prediction, Infeasible)]
        return _infeasible_answer(_nearest_obstacle(obstacles))
    best = min(feasible, key=_cheapest_first)
    return PredictionAnswer(
        feasible=True,
        sentence=wording.prediction_sentence(workload, best),
        catalogue_version=knowledge.catalogue.version,
        model_version=MODEL_VERSION,
        profiles_digest=knowledge.digest,
        **configuration_fields(best, workload),
    )


def refuse_unpriced(file: WorkloadFile, knowledge: Knowledge) -> None:
    """Refuse a place of which the catalogue knows no price at all.

    Raises
    ------
    BadInput
        An unknown primary type, EBS where it has no price, or a way to pay that no type has a price for.
    """
    catalogue, place = knowledge.catalogue, file.place
    if place.primary is not None and place.primary not in catalogue.instance_types:
        raise _unknown("place.primary", place.primary, "an instance type", catalogue.version, catalogue.instance_types)
    if file.workload.durability.model == "infrastructure" and not catalogue.volume_types:
        message = f"no prices of EBS in {place.region} are in catalogue {catalogue.version}; accepted: "
        raise BadInput([Problem("place.region", message + (", ".join(knowledge.regions_with_volumes) or "no region"))])
    offers = [instance.offers() for instance in catalogue.instance_types.values()]
    if all(isinstance(offer.under(place.purchase), Infeasible) for offer in offers):
        priced = [
            purchase
            for purchase in get_args(Purchase)
            if not all(isinstance(offer.under(purchase), Infeasible) for offer in offers)
        ]
        message = f"{place.purchase!a} has no prices in catalogue {catalogue.version}; accepted: {', '.join(priced)}"
        raise BadInput([Problem("place.purchase", message)])


def _layouts(file: WorkloadFile, knowledge: Knowledge) -> tuple[Layout, ...]:
    """Give the layout that the cluster names; without counts every division, of which the best is taken."""
    cluster, catalogue = file.cluster, knowledge.catalogue
    if cluster is None:
        raise ValueError("checked before")
    instance = catalogue.instance_types.get(cluster.instance)
    if instance is None:
        raise _unknown(
            "cluster.instance", cluster.instance, "an instance type", catalogue.version, catalogue.instance_types
        )
    storage, model = cluster.storage, file.workload.durability.model
    kinds = {"infrastructure": "ebs", "object-store": "object-store"}
    if storage.kind != kinds.get(model, "instance-store"):
        message = f"durability {model} keeps input and output elsewhere; accepted: {kinds.get(model, 'instance-store')}"
        raise BadInput([Problem("cluster.storage.kind", message)])
    if isinstance(storage, EbsSection):
        if storage.type not in catalogue.volume_types:
            raise _unknown(
                "cluster.storage.type", storage.type, "a volume type", catalogue.version, catalogue.volume_types
            )
        return (layout_of(storage),)
    if isinstance(storage, ObjectStoreSection):
        return (ObjectStore(),)
    job = file.workload.to_job()
    return _divisions(storage, int(instance.disk_count.value), intermediate=job.intermediate_mb > 0.0)


def _divisions(storage: InstanceStoreSection, disk_count: int, *, intermediate: bool) -> tuple[Layout, ...]:
    outer, inner = storage.input_output_disks, storage.intermediate_disks
    if outer is None and inner is None:
        return divisions(disk_count, intermediate=intermediate) if disk_count else (InstanceStore(1, 0),)
    if outer is None or inner is None:
        missing = "input_output_disks" if outer is None else "intermediate_disks"
        raise BadInput([Problem(f"cluster.storage.{missing}", "is missing: give both counts, or neither")])
    if outer < 1:
        raise BadInput([Problem("cluster.storage.input_output_disks", f"{outer} disks hold nothing; at least 1")])
    if inner == 0 and disk_count > 1 and intermediate:
        message = f"0 is accepted where a type has a single disk; this one has {disk_count}"
        raise BadInput([Problem("cluster.storage.intermediate_disks", message)])
    return (InstanceStore(outer, inner),)


def _unknown(path: str, value: str, what: str, version: str, known: Iterable[str]) -> BadInput:
    close = get_close_matches(value, list(known), n=3) or sorted(known)
    message = f"{value!a} is not {what} of catalogue {version}; accepted are, for example, {', '.join(close[:5])}"
    return BadInput([Problem(path, message)])


def _cheapest_first(prediction: Prediction) -> tuple[float, float, LayoutKey]:
    cost_usd = float(nine_digits(prediction.cost_usd.p50))
    return cost_usd, prediction.time_s.p50, layout_key(prediction.configuration.layout)


def _plan_answer(
    file: WorkloadFile, workload: Workload, plan: Plan, knowledge: Knowledge, elapsed_s: float
) -> PlanAnswer:
    return PlanAnswer(
        sentence=wording.plan_sentence(workload, plan),
        limits=LimitsAnswer.of(workload.limits),
        configurations=[
            RankedAnswer(rank=rank, **configuration_fields(row, workload))
            for rank, row in enumerate(plan.ranked, start=1)
        ],
        configurations_size=plan.rows,
        frontier=[candidate_answer(candidate) for candidate in _thinned(plan.frontier)],
        frontier_size=len(plan.frontier),
        curves=[
            CurveAnswer(instance=curve.instance, points=[candidate_answer(point) for point in curve.points])
            for curve in plan.curves
        ],
        candidates=plan.candidates,
        computed=plan.computed,
        excluded_by_bound=plan.excluded_by_bound,
        elapsed_s=elapsed_s,
        rejected=[
            RejectionAnswer(limit=row.limit, reason=row.reason, count=row.count, instances=list(row.instances))
            for row in plan.rejected
        ],
        near_misses=[_near_miss_answer(miss) for miss in plan.near_misses],
        catalogue_version=knowledge.catalogue.version,
        catalogue_as_of=knowledge.catalogue.as_of,
        model_version=MODEL_VERSION,
        profiles_digest=knowledge.digest,
        workload=file.written(),
    )


def _thinned(frontier: Sequence[Candidate]) -> Sequence[Candidate]:
    """Keep what an answer can carry, both ends included: a cluster of up to 100,000 nodes has as many points."""
    if len(frontier) <= MOST_FRONTIER_POINTS:
        return frontier
    step = (len(frontier) - 1) / (MOST_FRONTIER_POINTS - 1)
    return [frontier[round(index * step)] for index in range(MOST_FRONTIER_POINTS)]


def _near_miss_answer(miss: NearMiss) -> NearMissAnswer:
    candidate = miss.candidate
    configuration = candidate.configuration
    needs: dict[Literal["deadline", "budget", "max_nodes"], str] = {}
    words = []
    if "deadline" in miss.limits:
        needs["deadline"] = wording.whole_seconds(math.ceil(candidate.time_s))
        words.append(f"a deadline of {wording.duration(math.ceil(candidate.time_s))}")
    if "budget" in miss.limits:
        cents = math.ceil(candidate.cost_usd * 100)
        needs["budget"] = f"{cents / 100:.2f} USD"
        words.append(f"a budget of {wording.usd(cents / 100)}")
    if "max nodes" in miss.limits:
        needs["max_nodes"] = str(configuration.nodes)
        words.append(f"{configuration.nodes:,} nodes")
    name = f"{configuration.nodes:,} x {configuration.instance}"
    if "network bandwidth unknown" in miss.limits:
        words.append("a measured network bandwidth")
        least = f"at the least {wording.duration(candidate.time_s)} and {wording.usd(candidate.cost_usd)}"
        sentence = f"{name} would need a measured network bandwidth; without that limit it takes {least}."
    else:
        sentence = f"{name} would need {' and '.join(words)}."
    writable = configuration.nodes <= MOST_NODES
    return NearMissAnswer(
        limits=list(miss.limits),
        needs=needs if writable else {},
        relaxation=" and ".join(words),
        candidate=candidate_answer(candidate),
        sentence=sentence,
    )


def _nearest_obstacle(obstacles: list[Infeasible]) -> Infeasible:
    """Of several divisions, report the one that comes farthest: it holds the data, or would on the fewest nodes."""
    return min(obstacles, key=lambda obstacle: obstacle.needed_nodes or 0)


def _infeasible_answer(obstacle: Infeasible) -> InfeasibleAnswer:
    return InfeasibleAnswer(feasible=False, limit=obstacle.limit, reason=obstacle.reason, nearest=obstacle.nearest)
