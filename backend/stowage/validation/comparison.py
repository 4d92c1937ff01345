"""Comparison of predictions with all published figures."""

from collections.abc import Mapping

from stowage.frozen import frozen
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


@frozen
class FrameworkEvidence:
    """A framework with the evidence for its profile."""

    framework: Framework
    best_single_efficiency_leaves_pct: float | None
    """Largest error of the paper's three sorts with a single efficiency for all three [%]. The efficiency is chosen to
    minimize this error. None if the profile is not based on these three sorts alone."""


@frozen
class Validation:
    """All published figures with their predictions, and summaries of the errors."""

    cases: tuple[Case, ...]
    summary: dict[Kind, dict[Group, Errors]]
    """Errors by the kind and group of the published figures."""
    experiments: Experiments
    """Errors of independent experiments."""
    contradictions: tuple[Contradiction, ...]
    frameworks: tuple[FrameworkEvidence, ...]
    """All frameworks with the evidence for their profiles."""
    limits: tuple[LimitedRun, ...]
    """All published runs with their physical limits."""
    accuracies: tuple[Accuracy, ...]
    """Prediction errors by framework, kind of job and cluster size."""


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
    """Return the largest error of the paper's three sorts with a single efficiency for all three [%].

    The efficiency is chosen to minimize this error.

    Notes
    -----
    For each sort, let q be its time by the paper's equations divided by its measured time. Let c be the factor that
    minimizes the largest |c q - 1|. With this factor, the largest and the smallest q have equal errors. So c is
    2 / (max + min), and the remaining error is (max - min) / (max + min).
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
