"""Conversion of the model's predictions and candidates to answers of the API and the CLI."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from stowage.model.cluster import Configuration, Layout
from stowage.model.forecast import PhaseTime
from stowage.model.hardware.resource import Trace
from stowage.model.hardware.volume_limits import VolumeLimits
from stowage.model.jobs.random_io import Latency
from stowage.model.jobs.workload import Workload
from stowage.model.plan import Candidate
from stowage.model.prediction import Prediction, Range
from stowage.model.uncertainty.range import FRAMEWORK_ERROR
from stowage.workloads import wording
from stowage.workloads.answers import (
    CandidateAnswer,
    CostPartsAnswer,
    CourseAnswer,
    CreditAnswer,
    HeadNodeAnswer,
    LatencyAnswer,
    PhaseAnswer,
    PromiseAnswer,
    RangeSourceAnswer,
)
from stowage.workloads.cluster_section import StorageSection, storage_section


def configuration_fields(prediction: Prediction, workload: Workload) -> dict[str, Any]:
    """Convert a prediction to the fields of a `ConfigurationAnswer`, by name."""
    configuration, runs = prediction.configuration, workload.runs_per_month
    cost, sources = prediction.cost_usd, bool(prediction.provenance)
    return {
        "instance": configuration.instance,
        "nodes": configuration.nodes,
        "head_node": _head_node(prediction, workload),
        **storage_fields(configuration),
        "time_s": prediction.time_s,
        "cost_usd": cost,
        "cost_parts_usd": CostPartsAnswer.from_fields(prediction.cost),
        "cost_per_month_usd": Range(cost.p10 * runs, cost.p50 * runs, cost.p90 * runs),
        "billed_s": prediction.billed_s,
        "phases": [_phase(phase) for phase in prediction.phases],
        "physical_limit_s": prediction.physical_limit_s,
        "causes": list(prediction.causes),
        "cost_always_on_usd": prediction.always_on_usd,
        "cost_always_on_parts_usd": CostPartsAnswer.from_fields(prediction.always_on),
        "courses": _courses(prediction) if sources else [],
        "on_empty": prediction.on_empty,
        "latency": None if prediction.latency is None else latency_answer(prediction.latency),
        "promise": None if prediction.limits is None else promise_answer(prediction.limits),
        "meets_deadline": prediction.meets_deadline,
        "meets_budget": prediction.meets_budget,
        "loss_probability": prediction.loss_probability,
        "loss_exposure_s": prediction.loss_exposure_s,
        "range_sources": _range_sources(prediction),
        "provenance": list(prediction.provenance),
        "sources": sources,
        "purchase": prediction.purchase,
        "durability": prediction.durability.model,
        "replicas": prediction.durability.replicas,
    }


def _head_node(prediction: Prediction, workload: Workload) -> HeadNodeAnswer | None:
    if workload.head_role is None or prediction.head_instance is None:
        return None
    return HeadNodeAnswer(role=workload.head_role, instance=prediction.head_instance)


@lru_cache(maxsize=1 << 12)
def _storage(layout: Layout) -> StorageSection:
    # Thousands of points share a few layouts, and validating one takes longer than the rest of a point.
    return _STORAGE.validate_python(storage_section(layout))


_STORAGE: TypeAdapter[StorageSection] = TypeAdapter(StorageSection)


def storage_fields(configuration: Configuration) -> dict[str, Any]:
    """Convert the storage of a configuration to fields of an answer.

    One field has the form of a workload file, the other one is a description in words.
    """
    return {
        "storage": _storage(configuration.layout),
        "storage_words": wording.layout_words(configuration.layout),
    }


def promise_answer(limits: VolumeLimits) -> PromiseAnswer | None:
    """Return the share of its performance that AWS designs a volume type for; None if AWS states none."""
    share, time = limits.promised_share, limits.promised_time
    if share is None or time is None:
        return None
    return PromiseAnswer(share=share.value, time=time.value, source=f"{share.source}, {share.as_of}")


def _phase(phase: PhaseTime) -> PhaseAnswer:
    time_s = float(phase.time_s)
    return PhaseAnswer(
        name=phase.name,
        kind=phase.kind,
        time_s=time_s,
        bottleneck=phase.bottleneck,
        utilization={name: float(busy_s) / time_s if time_s else 0.0 for name, busy_s in phase.resource_times_s},
    )


def latency_answer(latency: Latency) -> LatencyAnswer:
    """Convert a latency to an answer."""
    return LatencyAnswer(io_per_s=latency.io_per_s, mean_ms=1000.0 * latency.mean_s, p99_ms=None)


def _range_sources(prediction: Prediction) -> list[RangeSourceAnswer]:
    return [
        RangeSourceAnswer(
            name=name,
            log_deviation=deviation,
            log_deviation_below=prediction.faster_error if name == FRAMEWORK_ERROR else None,
        )
        for name, deviation in prediction.range_sources
    ]


def _courses(prediction: Prediction) -> list[CourseAnswer]:
    """Return the course of burst credits in each phase of a prediction.

    A course is the burst credit of each resource over time. The launch has no course.
    """
    phases = (phase for phase in prediction.phases if phase.kind != "launch")
    return [_course(phase.name, course) for phase, course in zip(phases, prediction.courses, strict=False)]


def _course(phase: str, course: Trace) -> CourseAnswer:
    return CourseAnswer.from_fields(
        course,
        phase=phase,
        credits=[
            CreditAnswer(
                resource=kept.resource,
                unit="I/O" if (kept.resource, kept.line) == ("EBS volumes", 1) else "MB",
                full=kept.full,
                credit=list(kept.credit),
            )
            for kept in course.credits
        ],
    )


def candidate_answer(candidate: Candidate) -> CandidateAnswer:
    """Convert one candidate of the search space to an answer."""
    configuration = candidate.configuration
    return CandidateAnswer(
        instance=configuration.instance,
        nodes=configuration.nodes,
        storage=_storage(configuration.layout),
        time_s=candidate.time_s,
        cost_usd=candidate.cost_usd,
        cost_always_on_usd=candidate.month_usd,
        purchase=candidate.purchase,
        durability=candidate.durability.model,
        replicas=candidate.durability.replicas,
        loss_probability=candidate.loss,
    )


def evenly(size: int, most: int) -> Sequence[int]:
    """Return at most ``most`` evenly spaced indices below ``size``, including the first and the last index."""
    if size <= most:
        return range(size)
    if most < 2:
        return range(max(0, most))
    return [round(index * (size - 1) / (most - 1)) for index in range(most)]
