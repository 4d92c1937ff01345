"""Sureness of a saving: the chance that a cluster saves nothing against the current one."""

import math
from collections.abc import Iterable, Iterator
from statistics import NormalDist

from stowage.features.reports.composed.options import Option
from stowage.model.prediction import Range
from stowage.model.report import Amount, Fact
from stowage.model.uncertainty.range import FRAMEWORK_ERROR, chance_below
from stowage.model.uncertainty.scale import Z90
from stowage.workloads import wording
from stowage.workloads.answers import PredictionAnswer, RangeSourceAnswer
from stowage.workloads.saving import CostedCluster, is_saving

_DRAWS = 1_000
_LEAST = 1.0 / _DRAWS
_NOTHING = 0.0, 0.0
_NORMAL = NormalDist()
_Z = tuple(_NORMAL.inv_cdf((place + 0.5) / _DRAWS) for place in range(_DRAWS))
"""Equally likely values of a standard normal variable."""


def saves_nothing(today: PredictionAnswer, costs: CostedCluster, option: Option) -> Iterator[Fact]:
    """Yield the chance that an option saves nothing against the current cluster.

    Both costs have a range, and it is unknown how alike they err. The fact states the chance for independent errors
    and, where both predictions contain the same framework error, for a framework that errs on both by the same factor.
    A cost that the user gave has no range.

    Nothing is yielded if the medians show no saving, or the cost is that of an always-on cluster, which has no range.

    Parameters
    ----------
    today : PredictionAnswer
        Prediction of the current cluster.
    costs : CostedCluster
        Current cluster with its cost, predicted or given.
    """
    before, now = today.cost_usd, option.row.cost_usd
    if option.stays or not is_saving(costs.run_usd, now.p50):
        return
    if costs.given:
        chance = 1.0 - float(chance_below(costs.run_usd, now.p50, *_deviations(now, _NOTHING)))
        said = _words(chance)
    else:
        chance = _chance_dearer(before, now)
        said = f"{_words(chance)} if the two costs err independently"
        common = [_framework_error(row.range_sources) for row in (today, option.row)]
        if common[0] is not None and common[0] == common[1]:
            alike = _chance_dearer(before, now, common[0])
            said += f"; {_words(alike)} if the framework errs on both by the same factor"
    amount = Amount(chance, "1", said, standing="predicted")
    yield Fact("saves_nothing", "Chance that it saves nothing", amount, "less")


def _words(chance: float) -> str:
    """Format a chance; smaller ones than the shape of the distributions can tell are not stated exactly."""
    return f"under {wording.chance(_LEAST)}" if chance < _LEAST else wording.chance(chance)


def _chance_dearer(before: Range, now: Range, common: tuple[float, float] = _NOTHING) -> float:
    """Compute the chance that one cost is at least as high as another [1].

    Parameters
    ----------
    before, now : Range
        Costs [USD], above 0; the logarithm of each is two-piece normal, as for `quantiles` of the model.
    common : tuple of float
        Standard deviations above and below the median [1] of an error that both costs share and that cancels out.
    """
    above, below = _deviations(before, common)
    own = _deviations(now, common)
    reached = (now.p50 * math.exp(z * own[0 if z > 0.0 else 1]) for z in _Z)
    return math.fsum(float(chance_below(usd, before.p50, above, below)) for usd in reached) / _DRAWS


def _deviations(cost: Range, common: tuple[float, float]) -> tuple[float, float]:
    """Return the deviations of a cost above and below its median [1], without an error in common."""
    ends = math.log(cost.p90 / cost.p50) / Z90, math.log(cost.p50 / cost.p10) / Z90
    above, below = (math.sqrt(max(0.0, end**2 - shared**2)) for end, shared in zip(ends, common, strict=True))
    return above, below


def _framework_error(sources: Iterable[RangeSourceAnswer]) -> tuple[float, float] | None:
    """Return the deviations of the framework's error above and below the median [1]; None if there is none."""
    found = next((source for source in sources if source.name == FRAMEWORK_ERROR), None)
    if found is None:
        return None
    below = found.log_deviation if found.log_deviation_below is None else found.log_deviation_below
    return found.log_deviation, below
