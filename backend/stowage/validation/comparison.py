"""Comparison of predictions with all published figures."""

from collections.abc import Mapping
from dataclasses import dataclass

from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, IDEAL
from stowage.validation import ebs_2014, evaluations, records, redis, ssd, st1, table2
from stowage.validation.accuracy import Accuracy, accuracies
from stowage.validation.case import Case, Contradiction, Group, Kind, Predicted, held_against
from stowage.validation.inputs import PublishedInputs
from stowage.validation.published_jobs import LimitedRun, limited_runs
from stowage.validation.sources import Sources, packaged
from stowage.validation.summary import Errors, Experiments, by_kind_and_group, over_experiments


@dataclass(frozen=True, slots=True)
class FrameworkEvidence:
    """A framework's profile, and the error that would remain with a single efficiency for all its runs.

    Parameters
    ----------
    framework : Framework
    best_single_efficiency_leaves_pct : float or None
        Largest error of the paper's three sorts, if all three are predicted with the efficiency that minimizes this
        largest error [%]; None if the profile is not based on these three sorts alone.
    """

    framework: Framework
    best_single_efficiency_leaves_pct: float | None


@dataclass(frozen=True, slots=True)
class Validation:
    """All published figures with their predictions, and summaries of the errors.

    Parameters
    ----------
    cases : tuple of Case
    summary : dict
        Errors by the kind and group of the published figures.
    experiments : Experiments
    contradictions : tuple of Contradiction
    frameworks : tuple of FrameworkEvidence
    limits : tuple of LimitedRun
        All published runs with their physical limits.
    accuracies : tuple of Accuracy
        Prediction errors by framework, kind of job and cluster size.
    """

    cases: tuple[Case, ...]
    summary: dict[Kind, dict[Group, Errors]]
    experiments: Experiments
    contradictions: tuple[Contradiction, ...]
    frameworks: tuple[FrameworkEvidence, ...]
    limits: tuple[LimitedRun, ...]
    accuracies: tuple[Accuracy, ...]


_FOREMOST: tuple[Kind, ...] = ("predicted", "fitted", "reproduced", "context")
"""Order of cases, the strongest evidence first."""


def validate(
    paper: Catalog,
    profiles: Profiles,
    sources: Sources | None = None,
    instances: Mapping[str, InstanceType] | None = None,
) -> Validation:
    """Compare the model with all published results.

    Parameters
    ----------
    paper : Catalog
        The paper's instance types and prices, of 2014.
    profiles : Profiles
        The paper's measurements of these types.
    sources : Sources, optional
        Published figures; by default the package's.
    instances : Mapping[str, InstanceType], optional
        Newer instance types, on which published jobs ran; by default the paper's instance types.

    Returns
    -------
    Validation
        Result, which is bit-identical for identical input.

    Raises
    ------
    ValueError
        A case that requires a prediction has none, or a prediction has no case.
    """
    known = {**paper.instance_types, **(instances or {})}
    inputs = PublishedInputs(packaged() if sources is None else sources, paper, profiles)
    predicted = _predictions(inputs)
    published = inputs.sources.cases
    held = {case.id for case in published if case.kind != "context"}
    if held != predicted.keys():
        raise ValueError(f"without a counterpart: {', '.join(sorted(held ^ predicted.keys()))}")
    compared = (held_against(case, predicted.get(case.id)) for case in published)
    cases = tuple(sorted(compared, key=lambda case: _FOREMOST.index(case.published.kind)))
    return Validation(
        cases=cases,
        summary=by_kind_and_group(cases),
        experiments=over_experiments(cases, inputs.sources.experiments),
        contradictions=inputs.sources.contradictions,
        frameworks=tuple(
            FrameworkEvidence(framework, single_efficiency_leaves_pct(inputs) if framework is IDEAL else None)
            for framework in FRAMEWORKS.values()
        ),
        limits=limited_runs(inputs, known),
        accuracies=accuracies(inputs, known),
    )


def single_efficiency_leaves_pct(inputs: PublishedInputs) -> float:
    """Return the largest error of the paper's three sorts, if a single efficiency is chosen to minimize it [%].

    Notes
    -----
    Let q be the time by the equations divided by the measured time of a sort. The factor c that minimizes the largest
    |c q - 1| makes the errors of the largest and the smallest q equal: c = 2 / (max + min). The remaining error is
    (max - min) / (max + min).
    """
    shares = [
        evaluations.bound_time_s(inputs, name) / inputs.actual(f"{name}-time") for name in evaluations.EVALUATIONS
    ]
    return 100.0 * (max(shares) - min(shares)) / (max(shares) + min(shares))


def _predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    found: dict[str, Predicted] = {}
    for room in (table2, evaluations, records, ebs_2014, st1, ssd, redis):
        found |= room.predictions(inputs)
    return found
