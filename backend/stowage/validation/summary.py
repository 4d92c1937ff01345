"""Summaries of the errors of predictions of published figures.

One summary is by kind and group of the figures, the other is over independent experiments. A case is a published figure
with its prediction. An experiment is all figures that one author measured with one tool on one setup.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.validation.case import Case, Group, Kind


@frozen
class WorstCase:
    """The case with the largest error [%], by its id."""

    id: str
    error_pct: float


@frozen
class Errors(Checked):
    """Prediction errors of the published figures of one kind and group."""

    count: int
    """Number of figures, including those without a prediction."""
    median_abs_error_pct: float | None
    """Median of the absolute errors of cases with the relation "equal" [%]; null if there are no such cases.
    Inequalities do not count, since a satisfied inequality is not an error of 0."""
    p90_abs_error_pct: float | None
    """90% quantile of the absolute errors of cases with the relation "equal" [%]; null if there are no such cases."""
    worst: WorstCase | None
    """Case with the largest error, which may be a violated inequality; None if there are no errors."""


@frozen
class Experiment(Checked):
    """One independent experiment, with the median of the absolute errors of its cases [%]."""

    experiment: str
    name: str
    figures: int
    median_abs_error_pct: float


@frozen
class WorstExperiment:
    """The experiment with the largest median error [%], by its id."""

    experiment: str
    error_pct: float


@frozen
class Experiments(Checked):
    """Median errors of independent experiments, each of which counts once."""

    count: int
    """Number of experiments."""
    median_abs_error_pct: float
    """Median of the experiments' median errors [%]."""
    p90_abs_error_pct: float
    """90% quantile of the experiments' median errors [%]."""
    worst: WorstExperiment
    """Experiment with the largest median error."""
    rows: tuple[Experiment, ...]
    """Experiments in the order of their first cases."""


def by_kind_and_group(cases: Sequence[Case]) -> dict[Kind, dict[Group, Errors]]:
    """Summarize errors by kind and group of the published figures.

    Kinds and groups are in the order of their first cases.
    """
    parts: dict[Kind, dict[Group, list[Case]]] = {}
    for case in cases:
        parts.setdefault(case.published.kind, {}).setdefault(case.published.group, []).append(case)
    return {kind: {group: _errors(part) for group, part in groups.items()} for kind, groups in parts.items()}


def over_experiments(cases: Sequence[Case], names: Mapping[str, str]) -> Experiments:
    """Summarize the errors of independent experiments.

    The error of an experiment is the median of the absolute errors of its cases.

    Parameters
    ----------
    cases : sequence of Case
        Cases of all kinds. Only cases of the kind "predicted" with the relation "equal" count, and at least one of them
        must have a prediction.
    names : Mapping[str, str]
        Names of experiments, by id.
    """
    sizes: dict[str, list[float]] = {}
    for case in cases:
        if case.published.kind == "predicted" and case.error_pct is not None and _is_equality(case):
            sizes.setdefault(case.published.experiment, []).append(abs(case.error_pct))
    rows = tuple(
        Experiment(experiment, names[experiment], len(errors), _quantile(errors, 0.5))
        for experiment, errors in sizes.items()
    )
    medians = [row.median_abs_error_pct for row in rows]
    worst = max(rows, key=lambda row: row.median_abs_error_pct)
    return Experiments(
        count=len(rows),
        median_abs_error_pct=_quantile(medians, 0.5),
        p90_abs_error_pct=_quantile(medians, 0.9),
        worst=WorstExperiment(worst.experiment, worst.median_abs_error_pct),
        rows=rows,
    )


def _errors(cases: Sequence[Case]) -> Errors:
    sizes = [abs(case.error_pct) for case in cases if case.error_pct is not None and _is_equality(case)]
    known = [(case.published.id, case.error_pct) for case in cases if case.error_pct is not None]
    return Errors(
        count=len(cases),
        median_abs_error_pct=_quantile(sizes, 0.5) if sizes else None,
        p90_abs_error_pct=_quantile(sizes, 0.9) if sizes else None,
        worst=WorstCase(*max(known, key=lambda pair: abs(pair[1]))) if known else None,
    )


def _is_equality(case: Case) -> bool:
    return case.published.relation == "equal"


def _quantile(sizes: Iterable[float], share: float) -> float:
    """Return a quantile of numbers, with linear interpolation between neighbors."""
    return float(np.quantile(np.array(list(sizes)), share))
