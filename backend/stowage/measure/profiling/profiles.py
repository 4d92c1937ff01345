"""Profiles: statistics over the measurements of one target.

Profiles are never edited. They are recomputed from all measurements. The weight of a measurement depends on its age
relative to the newest measurement of the target. So a profile does not change until the next measurement.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, get_args

from stowage.frozen import frozen
from stowage.measure.files.strict import (
    Parser,
    count_of,
    each_of,
    instant_of,
    number_of,
    one_of,
    record_of,
    text_of,
)
from stowage.measure.fits.robust import SpreadOf, location, weighted_mean
from stowage.measure.profiling.facts import Fact, facts_of, kind_of
from stowage.measure.reading import Reading
from stowage.measure.target import Target
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Metric, Statistic

Verdict = Literal["good", "doubtful", "rejected"]

HALF_LIFE_DAYS = 180.0
"""Age relative to the target's newest measurement at which a measurement has half the weight [d]."""
WEIGHT_OF = {"good": 1.0, "doubtful": 0.25, "rejected": 0.0}
"""Weight by verdict [1]. Doubtful measurements alone still make a profile."""
MOST_PARTS = 2_000
"""Maximum number of measurements in a profile, the newest ones."""
_SECONDS_PER_DAY = 86_400.0


@frozen
class Measured:
    """One fact from a stored measurement, with the measurement's time, tool and verdict."""

    id: str
    """Id of the measurement."""
    fact: Fact
    target: Target
    at: datetime
    """Time of the measurement, with its time zone."""
    dated: bool
    """Whether the file states the time of the measurement. If not, `at` is the time of the upload, whose hour of the
    day is meaningless."""
    tool: str
    verdict: Verdict
    host: str | None = None
    """Name of the machine in the file."""


def measured_of(
    measurement_id: str,
    reading: Reading,
    target: Target,
    verdict: Verdict,
    at: datetime,
    catalog: Catalog | None,
    *,
    dated: bool = True,
) -> tuple[Measured, ...]:
    """Return the facts that a stored measurement adds to profiles."""
    return tuple(
        Measured(measurement_id, fact, target, at, dated, reading.tool, verdict, reading.host.name)
        for fact in facts_of(reading, target, catalog)
    )


@frozen
class Part:
    """One measurement that contributes to a profile."""

    id: str
    at: datetime
    value: float
    """Measured value, in the profile's unit."""
    weight: float
    """Weight by age and verdict, from 0 to 1; 0 for a rejected measurement."""
    outlier: bool
    """Whether the measurement is an outlier, which is left out of the statistics."""
    verdict: Verdict
    tool: str
    host: str | None


@frozen
class TargetProfile:
    """Statistics of one metric over measurements of one target."""

    key: str
    """Key that is derived from target, metric, statistic and manner, and so stays the same."""
    target: Target
    metric: str
    unit: str
    statistic: Statistic
    manner: str
    """Access pattern that the measurements share: `random, 4 KiB`."""
    mean: float
    """Mean, in the unit."""
    low: float
    """Lower end of the 95% confidence interval of the mean, in the unit."""
    high: float
    """Upper end of the 95% confidence interval of the mean, in the unit."""
    spread: float
    """Standard deviation of the logarithm of one measurement, without unit."""
    spread_of: SpreadOf
    """Source of the spread; assumed if there is only one measurement."""
    count: int
    """Number of measurements that are neither rejected nor outliers."""
    effective_count: float
    """Equivalent number of independent measurements of full weight."""
    slowest: float
    """Slowest of all measurements that were not rejected."""
    fastest: float
    """Fastest of all measurements that were not rejected."""
    oldest: datetime
    newest: datetime
    by_hour: tuple[float | None, ...] | None
    """Mean of each hour of the day, UTC. The whole is None if fewer than two hours have a mean."""
    by_weekday: tuple[float | None, ...] | None
    """Mean of each weekday, from Monday. The whole is None if fewer than two weekdays have a mean."""
    feeds: Metric | None
    """Figure of the model that the profile supplies."""
    factor: float
    """Factor from the mean to the model's figure."""
    why_not: str | None
    """Reason why predictions do not use the profile."""
    parts: tuple[Part, ...]
    """From the oldest to the newest."""

    @property
    def what(self) -> str:
        """Return a description of the metric, for people."""
        return kind_of(self.metric).what

    def to_dict(self) -> dict[str, Any]:
        """Convert the profile to JSON; inverse of `from_dict`."""
        found = asdict(self)
        for of_time in (found, *found["parts"]):
            of_time |= {name: at.isoformat() for name, at in of_time.items() if isinstance(at, datetime)}
        for name in ("by_hour", "by_weekday", "parts"):
            found[name] = None if found[name] is None else list(found[name])
        return found

    @classmethod
    def from_dict(cls, value: object, where: str = "") -> "TargetProfile":
        """Build a profile from the JSON of `to_dict`.

        Raises
        ------
        BadValue
        """
        return record_of(cls, value, where, _OF_PROFILE)


_FROM_0 = partial(number_of, least=0.0)


def _slot(value: object, where: str) -> float | None:
    return None if value is None else _FROM_0(value, where)


def _slots(value: object, where: str) -> tuple[float | None, ...] | None:
    return None if value is None else each_of(value, where, parse=_slot, most=24)


_OF_PART: Mapping[str, Parser] = {
    "id": text_of,
    "at": instant_of,
    "value": _FROM_0,
    "weight": partial(number_of, least=0.0, most=1.0),
    "outlier": partial(one_of, accepted=(True, False)),
    "verdict": partial(one_of, accepted=get_args(Verdict)),
    "tool": text_of,
    "host": lambda value, _where: None if value is None else str(value),
}
_OF_PROFILE: Mapping[str, Parser] = {
    "target": Target.from_dict,
    **dict.fromkeys(("key", "metric", "unit"), text_of),
    **dict.fromkeys(("mean", "low", "high", "spread", "effective_count", "slowest", "fastest", "factor"), _FROM_0),
    **dict.fromkeys(("oldest", "newest"), instant_of),
    **dict.fromkeys(("by_hour", "by_weekday"), _slots),
    "count": count_of,
    "feeds": partial(one_of, accepted=(None, *get_args(Metric))),
    "statistic": partial(one_of, accepted=get_args(Statistic)),
    "spread_of": partial(one_of, accepted=get_args(SpreadOf)),
    "parts": partial(each_of, parse=lambda value, where: record_of(Part, value, where, _OF_PART), most=MOST_PARTS),
}


def key_of(target: Target, metric: str, statistic: str, manner: str) -> str:
    """Return the key of a profile.

    The key has 20 hexadecimal digits, which depend only on the parameters.
    """
    written = json.dumps([target.to_dict(), metric, statistic, manner], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:20]


def profiles_of(measured: Iterable[Measured]) -> tuple[TargetProfile, ...]:
    """Compute one profile for each target, metric, statistic and manner.

    The manner is the access pattern that measurements share.

    Parameters
    ----------
    measured : iterable of Measured
        Facts of measurements, in any order.

    Returns
    -------
    tuple of TargetProfile
        Profiles, sorted by key. Facts of which all measurements are rejected have no profile.
    """
    groups: dict[str, list[Measured]] = {}
    for one in measured:
        fact = one.fact
        groups.setdefault(key_of(one.target, fact.metric, fact.statistic, fact.manner), []).append(one)
    made = (_profile(key, groups[key]) for key in sorted(groups))
    return tuple(profile for profile in made if profile is not None)


def age_weight(at: datetime, newest: datetime) -> float:
    """Return the weight of a measurement by its age.

    The weight is 2^(-age / 180 d). The age is relative to the newest measurement of the target.
    """
    return float(2.0 ** (-max(0.0, (newest - at).total_seconds()) / _SECONDS_PER_DAY / HALF_LIFE_DAYS))


def _profile(key: str, group: list[Measured]) -> TargetProfile | None:
    group = sorted(group, key=lambda one: (one.at, one.id, one.fact.value))[-MOST_PARTS:]
    believed = [one for one in group if WEIGHT_OF[one.verdict] > 0.0]
    if not believed:
        return None
    newest = believed[-1].at
    weights = [WEIGHT_OF[one.verdict] * age_weight(one.at, newest) for one in believed]
    values = [one.fact.value for one in believed]
    found = location(values, weights, [one.host for one in believed])
    outliers = {id(believed[at]) for at in found.outliers}
    weight_of = {id(one): weight for one, weight in zip(believed, weights, strict=True)}
    # Later measurements may have more details, so the newest one decides which figure of the model is supplied.
    fact = next((one.fact for one in reversed(believed) if one.fact.feeds), believed[-1].fact)
    timed = [
        (one, weight) for one, weight in zip(believed, weights, strict=True) if one.dated and id(one) not in outliers
    ]
    return TargetProfile(
        key=key,
        target=group[0].target,
        metric=fact.metric,
        unit=fact.unit,
        statistic=fact.statistic,
        manner=fact.manner,
        mean=found.mean,
        low=found.low,
        high=found.high,
        spread=found.spread,
        spread_of=found.spread_of,
        count=len(believed) - len(found.outliers),
        effective_count=found.effective_count,
        slowest=min(values),
        fastest=max(values),
        oldest=believed[0].at.astimezone(UTC),
        newest=newest.astimezone(UTC),
        by_hour=_by(timed, 24, lambda at: at.hour),
        by_weekday=_by(timed, 7, lambda at: at.weekday()),
        feeds=fact.feeds,
        factor=fact.factor,
        why_not=fact.why_not,
        parts=tuple(
            Part(
                id=one.id,
                at=one.at.astimezone(UTC),
                value=one.fact.value,
                weight=weight_of.get(id(one), 0.0),
                outlier=id(one) in outliers,
                verdict=one.verdict,
                tool=one.tool,
                host=one.host,
            )
            for one in group
        ),
    )


def _by(
    timed: Sequence[tuple[Measured, float]], size: int, slot_of: Callable[[datetime], int]
) -> tuple[float | None, ...] | None:
    slots: list[list[tuple[float, float]]] = [[] for _ in range(size)]
    for one, weight in timed:
        slots[slot_of(one.at.astimezone(UTC))].append((one.fact.value, weight))
    if sum(map(bool, slots)) < 2:
        return None
    return tuple(weighted_mean(slot) if slot else None for slot in slots)
