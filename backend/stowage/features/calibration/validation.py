"""Validation of the model: every published result compared with its prediction, the same for every team.

A case is one published figure that the model predicts. A fitted case is one that the model was fitted to.
"""

from datetime import date
from functools import lru_cache

from stowage.model import MODEL_VERSION
from stowage.platform.described import Answer
from stowage.validation.accuracy import Known, Size
from stowage.validation.case import Case, Group, Kind, Predicted, Relation
from stowage.validation.comparison import Validation
from stowage.validation.comparison import validate as compare
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


class LeftOutErrorAnswer(Answer):
    """Error of the prediction for a fitted case if the model is fitted to all other cases only."""

    row_error_pct: float
    layout_error_pct: float
    """Error if all rows of its layout are left out."""


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
    left_out: LeftOutErrorAnswer | None
    """For fitted cases only."""


class WorstCaseAnswer(Answer):
    """The case with the largest prediction error."""

    id: str
    error_pct: float


class ErrorsAnswer(Answer):
    """Prediction errors of all cases of one kind and group.

    Cases that state a bound instead of a value are not included in median and quantile.
    """

    count: int
    median_abs_error_pct: float | None
    p90_abs_error_pct: float | None
    worst: WorstCaseAnswer | None


class ExperimentAnswer(Answer):
    """One experiment that is independent of all others, with the median error of its cases."""

    experiment: str
    name: str
    figures: int
    median_abs_error_pct: float


class WorstExperimentAnswer(Answer):
    """The experiment with the largest median error."""

    experiment: str
    error_pct: float


class ExperimentsAnswer(Answer):
    """Median prediction error of each independent experiment, and quantiles of these errors."""

    count: int
    median_abs_error_pct: float
    p90_abs_error_pct: float
    worst: WorstExperimentAnswer
    rows: list[ExperimentAnswer]


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


class LimitAnswer(Answer):
    """A published run, with the shortest time in which any framework could run it on the same cluster."""

    id: str
    what: str
    source: str
    source_date: date
    actual_s: float
    limit_s: float | None
    """None if the source states neither disks nor network."""


class AccuracyAnswer(Answer):
    """Prediction errors of finished jobs with the same framework, kind of job and cluster size."""

    framework: str
    kind: str
    """Kind of job, such as `sort`."""
    size: Size
    known: Known
    """`left out`: without the source of the job; `fitted`: fitted to the job itself; `predicted`: with a profile from
    other jobs only; `laboratory`: laboratory runs, predicted from those on at most four nodes."""
    jobs: int
    fewest_nodes: int
    most_nodes: int
    median_abs_error_pct: float
    largest_abs_error_pct: float
    """Of predicted relative to measured time."""
    held: int
    """Number of jobs whose measured time is in the 80% range."""


class ValidationAnswer(Answer):
    """All published results with the model's predictions, and the prediction errors."""

    model_version: str
    cases: list[CaseAnswer]
    summary: dict[Kind, dict[Group, ErrorsAnswer]]
    experiments: ExperimentsAnswer
    contradictions: list[ContradictionAnswer]
    frameworks: list[FrameworkAnswer]
    limits: list[LimitAnswer]
    accuracies: list[AccuracyAnswer]


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
        summary={
            kind: {group: _errors_answer(errors) for group, errors in groups.items()}
            for kind, groups in found.summary.items()
        },
        experiments=_experiments_answer(found.experiments),
        frameworks=_framework_answers(found),
        limits=[LimitAnswer.from_fields(run, actual_s=run.time_s) for run in found.limits],
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


def _errors_answer(errors: Errors) -> ErrorsAnswer:
    worst = errors.worst
    return ErrorsAnswer.from_fields(
        errors, worst=None if worst is None else WorstCaseAnswer(id=worst.name, error_pct=worst.error_pct)
    )


def _experiments_answer(found: Experiments) -> ExperimentsAnswer:
    worst = WorstExperimentAnswer(experiment=found.worst.name, error_pct=found.worst.error_pct)
    return ExperimentsAnswer.from_fields(found, count=len(found.rows), worst=worst)


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
