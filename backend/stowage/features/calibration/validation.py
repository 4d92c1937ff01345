"""Validation of the model: every published result compared with its prediction, the same for every team.

A case is one published figure that the model predicts. A fitted case is one that the model was fitted to.
"""

from datetime import date
from functools import lru_cache

from stowage.model import MODEL_VERSION
from stowage.platform.described import Answer
from stowage.validation.accuracy import Accuracy
from stowage.validation.case import Case, Group, Kind, LeftOut, Predicted, Relation
from stowage.validation.comparison import Validation
from stowage.validation.comparison import validate as compare
from stowage.validation.published_jobs import LimitedRun
from stowage.validation.summary import Errors, Experiments
from stowage.workloads.knowledge import KnowledgeSource

CATALOG = "paper-2014"
"""Catalog version that published results are predicted with."""
REGION = "us-east-1"
"""Region in which the published results were measured."""


class CaseRangeAnswer(Answer):
    """The 10% and 90% quantiles of the prediction for a case, in the unit of the case."""

    p10: float
    p90: float


class CaseAnswer(Answer):
    """One case: a published figure with the model's prediction."""

    id: str
    experiment: str
    source: str
    """Document, and place in the document."""
    source_date: date
    group: Group
    quantity: str
    unit: str
    kind: Kind
    relation: Relation
    """Relation of the prediction to the published figure."""
    predicted: float | None
    actual: float | None
    error_pct: float | None
    """Error of the prediction relative to the published figure; 0 for an inequality that holds."""
    range: CaseRangeAnswer | None
    assumptions: list[str]
    reason: str | None
    """Why the prediction misses, or why there is none."""
    left_out: LeftOut | None
    """For fitted cases only."""


class ContradictionAnswer(Answer):
    """A contradiction in published figures: within a source, between sources, or with physical limits."""

    title: str
    text: str
    source: str


class FrameworkAnswer(Answer):
    """A framework's efficiency profile, with the evidence that it was fitted to."""

    name: str
    version: str
    what: str
    evidence: str
    error_log_deviation: float
    """Standard deviation of ln(actual time / predicted time)."""
    faster_log_deviation: float | None = None
    """The same for times below the median, if it differs."""
    best_single_efficiency_leaves_pct: float | None
    """Largest error that remains with one efficiency for all evidence."""


class ValidationAnswer(Answer):
    """All published results with the model's predictions, and the prediction errors."""

    model_version: str
    cases: list[CaseAnswer]
    summary: dict[Kind, dict[Group, Errors]]
    experiments: Experiments
    contradictions: list[ContradictionAnswer]
    frameworks: list[FrameworkAnswer]
    limits: list[LimitedRun]
    accuracies: list[Accuracy]


@lru_cache
def validate(source: KnowledgeSource) -> ValidationAnswer:
    """Compare the model with every published result.

    Parameters
    ----------
    source : KnowledgeSource
        Knowledge with the packaged catalog; the answer is computed once and cached.
    """
    knowledge = source(CATALOG, REGION)
    newer = source("latest", REGION).catalog.instance_types
    found = compare(knowledge.catalog, knowledge.profiles, instances=newer)
    return ValidationAnswer.from_fields(
        found,
        model_version=MODEL_VERSION,
        cases=[_case_answer(case) for case in found.cases],
        frameworks=_framework_answers(found),
    )


def _case_answer(case: Case) -> CaseAnswer:
    published, predicted = case.published, case.predicted
    return CaseAnswer.from_fields(
        published,
        predicted=None if predicted is None else predicted.value,
        error_pct=case.error_pct,
        range=_range(predicted),
        assumptions=list(case.assumptions),
        left_out=None if predicted is None else predicted.left_out,
    )


def _range(predicted: Predicted | None) -> CaseRangeAnswer | None:
    if predicted is None or predicted.p10 is None or predicted.p90 is None:
        return None
    return CaseRangeAnswer(p10=predicted.p10, p90=predicted.p90)


def _framework_answers(found: Validation) -> list[FrameworkAnswer]:
    return [
        FrameworkAnswer.from_fields(
            row.framework,
            error_log_deviation=row.framework.error.value,
            faster_log_deviation=None if row.framework.faster is None else row.framework.faster.value,
            best_single_efficiency_leaves_pct=row.best_single_efficiency_leaves_pct,
        )
        for row in found.frameworks
    ]
