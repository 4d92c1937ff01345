"""Summaries of prediction errors: by kind and group of the published figures, and over independent experiments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stowage.validation.case import Case, Group, Kind


@dataclass(frozen=True, slots=True)
class Worst:
    """The case or experiment with the largest error, and this error [%]."""

    name: str
    error_pct: float


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of the published figures of one kind and group.

    Parameters
    ----------
    count : int
        Number of figures, including those without a prediction.
    median_abs_error_pct, p90_abs_error_pct : float or None
        Quantiles of the absolute errors of cases with the relation "equal" [%]; None if there are no such cases.
        Inequalities do not count, since a satisfied inequality is not an error of 0.
    worst : Worst or None
        Case with the largest error, which may be a violated inequality; None if there are no errors.
    """

    count: int
    median_abs_error_pct: float | None
    p90_abs_error_pct: float | None
    worst: Worst | None


@dataclass(frozen=True, slots=True)
class Experiment:
    """An independent experiment, with the median of the absolute errors of its cases [%]."""

    experiment: str
    name: str
    figures: int
    median_abs_error_pct: float


@dataclass(frozen=True, slots=True)
class Experiments:
    """Median errors of independent experiments, each of which counts once.

    Parameters
    ----------
    rows : tuple of Experiment
        Experiments in the order of their first cases.
    median_abs_error_pct, p90_abs_error_pct : float
        Quantiles of the experiments' median errors [%].
    worst : Worst
    """

    rows: tuple[Experiment, ...]
    median_abs_error_pct: float
    p90_abs_error_pct: float
    worst: Worst


def by_kind_and_group(cases: Sequence[Case]) -> dict[Kind, dict[Group, Errors]]:
    """Summarize errors by kind and group of the published figures, in the order of first appearance."""
    parts: dict[Kind, dict[Group, list[Case]]] = {}
    for case in cases:
        parts.setdefault(case.published.kind, {}).setdefault(case.published.group, []).append(case)
    return {kind: {group: _errors(part) for group, part in groups.items()} for kind, groups in parts.items()}


def over_experiments(cases: Sequence[Case], names: Mapping[str, str]) -> Experiments:
    """Compute the median error of each experiment, and the median over experiments.

    Parameters
    ----------
    cases : sequence of Case
        Cases; at least one of them has a prediction and the relation "equal".
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
        rows=rows,
        median_abs_error_pct=_quantile(medians, 0.5),
        p90_abs_error_pct=_quantile(medians, 0.9),
        worst=Worst(worst.experiment, worst.median_abs_error_pct),
    )


def _errors(cases: Sequence[Case]) -> Errors:
    sizes = [abs(case.error_pct) for case in cases if case.error_pct is not None and _is_equality(case)]
    known = [(case.published.id, case.error_pct) for case in cases if case.error_pct is not None]
    return Errors(
        count=len(cases),
        median_abs_error_pct=_quantile(sizes, 0.5) if sizes else None,
        p90_abs_error_pct=_quantile(sizes, 0.9) if sizes else None,
        worst=Worst(*max(known, key=lambda pair: abs(pair[1]))) if known else None,
    )


def _is_equality(case: Case) -> bool:
    return case.published.relation == "equal"


def _quantile(sizes: Iterable[float], share: float) -> float:
    """Return a quantile of sizes, with linear interpolation, which is the default of numpy."""
    return float(np.quantile(np.array(list(sizes)), share))
