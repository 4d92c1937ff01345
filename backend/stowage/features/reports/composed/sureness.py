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
from stowage.workloads.answers import ConfigurationAnswer, RangeSourceAnswer
from stowage.workloads.saving import CostedCluster, is_saving

_DRAWS = 1_000
_LEAST = 1.0 / _DRAWS
_NOTHING = 0.0, 0.0
_NORMAL = NormalDist()
_Z = tuple(_NORMAL.inv_cdf((place + 0.5) / _DRAWS) for place in range(_DRAWS))
"""Equally likely values of a standard normal variable."""


def saves_nothing(today: ConfigurationAnswer, costs: CostedCluster, option: Option) -> Iterator[Fact]:
    """Yield the chance that an option saves nothing against the current cluster.

    Both costs have a range, and it is unknown how alike they err. The fact states the chance for independent errors
    and, where both predictions contain the same framework error, for a framework that errs on both by the same factor.
    A cost that the user gave has no range.

    Nothing is yielded if the medians show no saving, or the cost is that of an always-on cluster, which has no range.

    Parameters
    ----------
    today : ConfigurationAnswer
        Prediction of the current cluster.
    costs : CostedCluster
        Current cluster with its cost, predicted or given.
    """
    now = option.row
    if option.stays or not is_saving(costs.run_usd, now.cost_usd.p50):
        return
    if costs.given:
        chance = 1.0 - float(chance_below(costs.run_usd, now.cost_usd.p50, *_deviations(now)))
        said = _words(chance)
    else:
        chance = _chance_dearer(today, now)
        said = f"{_words(chance)} if the two costs err independently"
        common = [_framework_error(row.range_sources) for row in (today, now)]
        if common[0] is not None and common[0] == common[1]:
            alike = _chance_dearer(today, now, common[0])
            said += f"; {_words(alike)} if the framework errs on both by the same factor"
    amount = Amount(chance, "1", said, standing="predicted")
    yield Fact("saves_nothing", "Chance that it saves nothing", amount, "less")


def _words(chance: float) -> str:
    """Format a chance; smaller ones than the shape of the distributions can tell are not stated exactly."""
    return f"under {wording.chance(_LEAST)}" if chance < _LEAST else wording.chance(chance)


def _chance_dearer(
    before: ConfigurationAnswer, now: ConfigurationAnswer, common: tuple[float, float] = _NOTHING
) -> float:
    """Compute the chance that the cost of one row is at least as high as that of another [1].

    Parameters
    ----------
    before, now : ConfigurationAnswer
        With costs above 0; the logarithm of each is two-piece normal, as for `quantiles` of the model.
    common : tuple of float
        Standard deviations of ln(time) above and below the median [1] of an error that both times share. Its effects
        on the two costs cancel out.
    """
    above, below = _deviations(before, common)
    own = _deviations(now, common)
    reached = (now.cost_usd.p50 * math.exp(z * own[0 if z > 0.0 else 1]) for z in _Z)
    return math.fsum(float(chance_below(usd, before.cost_usd.p50, above, below)) for usd in reached) / _DRAWS


def _deviations(row: ConfigurationAnswer, common: tuple[float, float] = _NOTHING) -> tuple[float, float]:
    """Return the deviations of a row's cost above and below its median [1], without an error of its time in common.

    A part of the cost may not depend on the time, such as that of requests. The cost then deviates by less than the
    time, and the error accounts for the same share of both variances.
    """
    above, below = (
        end * math.sqrt(max(0.0, 1.0 - (shared / of_time) ** 2)) if shared > 0.0 and of_time > 0.0 else end
        for end, of_time, shared in zip(_ends(row.cost_usd), _ends(row.time_s), common, strict=True)
    )
    return above, below


def _ends(found: Range) -> tuple[float, float]:
    """Return the deviations of a quantity above and below its median [1]."""
    above, below = (max(0.0, math.log(ratio) / Z90) for ratio in (found.p90 / found.p50, found.p50 / found.p10))
    return above, below


def _framework_error(sources: Iterable[RangeSourceAnswer]) -> tuple[float, float] | None:
    """Return the deviations of the framework's error above and below the median [1]; None if there is none."""
    found = next((source for source in sources if source.name == FRAMEWORK_ERROR), None)
    if found is None:
        return None
    below = found.log_deviation if found.log_deviation_below is None else found.log_deviation_below
    return found.log_deviation, below
