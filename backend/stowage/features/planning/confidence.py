"""Price of confidence: the best configuration for each confidence of meeting a deadline, and what more risk saves."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from stowage.model.choice import Objective
from stowage.model.jobs.usual import CONFIDENCE
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction
from stowage.optimizer.merge import search_open
from stowage.platform.described import Answer
from stowage.workloads import amounts, wording
from stowage.workloads.knowledge import Knowledge, KnowledgeSource
from stowage.workloads.limits_section import MEDIAN
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile

LESS_CONFIDENT = (0.90, 0.80, MEDIAN)
"""Confidences that are compared with a higher one [1], highest first."""
MOST_SEARCHES = 2 + len(LESS_CONFIDENT)
"""Maximum number of searches of a comparison: with the workload's own, the usual and all lower confidences."""


class ConfidenceAnswer(Answer):
    """Best configuration for another confidence of meeting the deadline."""

    confidence: float
    """Minimum probability of meeting the deadline."""
    instance: str
    nodes: int
    meets_deadline: float
    """Predicted probability of meeting the deadline."""
    saves_usd: float
    """Saving compared with the workload's own confidence, a run, or a month where that is the objective; negative if it
    costs more."""
    saves_share: float
    """The same as a share of the cost with the workload's own confidence."""
    sentence: str


class ConfidencesAnswer(Answer):
    """Savings and extra costs of other confidences of meeting the deadline."""

    confidence: float | None
    """The workload's own confidence; None if it has no deadline, or none that can be varied."""
    others: list[ConfidenceAnswer]
    """Other confidences with another cost: 95 % if the workload's own is lower, and lower ones, highest first. Empty
    if no configuration meets the workload's limits, and where the objective is the time."""
    elapsed_s: float


def compare_confidences(file: WorkloadFile, source: KnowledgeSource, clock: Callable[[], float]) -> ConfidencesAnswer:
    """Search for the best configuration with other confidences of meeting the deadline.

    Parameters
    ----------
    file : WorkloadFile
    source : KnowledgeSource
    clock : callable
        Monotonic seconds.

    Raises
    ------
    BadInput
        As for `planning.preview_plan`.
    """
    started = clock()
    knowledge = source(file.place.catalog, file.place.region)
    workloads = possible_workloads(file, knowledge)
    limits = workloads[0].limits
    if limits.deadline_s is None or workloads[0].stragglers is not None:
        return ConfidencesAnswer(confidence=None, others=[], elapsed_s=clock() - started)
    own = MEDIAN if limits.chance is None else limits.chance
    best = None if file.objective == "time" else _best(workloads, own, knowledge)
    others = []
    if best is not None:
        usual = (CONFIDENCE.value,) if own < CONFIDENCE.value else ()
        last = best
        for confidence in (*usual, *(lower for lower in LESS_CONFIDENT if lower < own)):
            found = _best(workloads, confidence, knowledge)
            if found is not None and _differ(last, found, file.objective):
                others.append(_compared(best, own, found, confidence, file.objective))
                last = found if confidence < own else best
    return ConfidencesAnswer(confidence=own, others=others, elapsed_s=clock() - started)


def _best(workloads: Sequence[Workload], confidence: float, knowledge: Knowledge) -> Prediction | None:
    """Return the best configuration with a confidence; None if no configuration meets the limits."""
    chance = None if confidence == MEDIAN else confidence
    asked = [replace(workload, limits=replace(workload.limits, chance=chance)) for workload in workloads]
    found = search_open(asked, knowledge.catalog, knowledge.profiles, 1, frontier=False, curves=0).ranked
    return found[0] if found else None


def _usd(found: Prediction, objective: Objective) -> float:
    return found.always_on_usd if objective == "month" else found.cost_usd.p50


def _differ(one: Prediction, other: Prediction, objective: Objective) -> bool:
    """Return whether the costs of two configurations differ enough to be worth a sentence."""
    return abs(_usd(other, objective) / _usd(one, objective) - 1.0) >= amounts.SAME


def _compared(
    best: Prediction, own: float, found: Prediction, confidence: float, objective: Objective
) -> ConfidenceAnswer:
    configuration, usd = found.configuration, _usd(best, objective)
    saves_usd = usd - _usd(found, objective)
    each = "a month" if objective == "month" else "a run"
    money, share = f"{wording.usd(abs(saves_usd))} {each}", f"({amounts.percent_words(-saves_usd / usd)})"
    instead = f"{wording.chance(confidence)} instead of {wording.chance(own)} confidence"
    said = f"Accepting {instead} saves {money} {share}" if saves_usd > 0.0 else f"{instead} costs {money} more {share}"
    return ConfidenceAnswer(
        confidence=confidence,
        instance=configuration.instance,
        nodes=configuration.nodes,
        meets_deadline=found.meets_deadline or 0.0,
        saves_usd=saves_usd,
        saves_share=saves_usd / usd,
        sentence=f"{said}: {configuration.nodes:,} × {configuration.instance}.",
    )
