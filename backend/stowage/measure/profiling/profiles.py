"""Profiles: statistics over the measurements of one target.

Profiles are never edited, but recomputed from all measurements. The weight of a measurement depends on its age relative
to the target's newest measurement, not to today, so a profile stays the same until the next measurement.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from stowage.measure.files.strict import BadValue, count_of, instant_of, list_of, number_of, object_of, text_of
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


@dataclass(frozen=True, slots=True)
class Measured:
    """A fact from a stored measurement.

    Parameters
    ----------
    id : str
        Id of the measurement.
    fact : Fact
    target : Target
    at : datetime
        Time of the measurement, with its time zone.
    dated : bool
        Whether the file states the time; else `at` is the time of the upload, and its hour is meaningless.
    tool : str
    verdict : Verdict
    host : str or None
        Name of the machine in the file.
    """

    id: str
    fact: Fact
    target: Target
    at: datetime
    dated: bool
    tool: str
    verdict: Verdict
    host: str | None = None


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


@dataclass(frozen=True, slots=True)
class Part:
    """A measurement in a profile.

    Parameters
    ----------
    id : str
    at : datetime
    value : float
        In the profile's unit.
    weight : float
        Weight by age and verdict, from 0 to 1; 0 for a rejected measurement.
    outlier : bool
        Whether the measurement is an outlier, which does not count.
    verdict : Verdict
    tool : str
    host : str or None
    """

    id: str
    at: datetime
    value: float
    weight: float
    outlier: bool
    verdict: Verdict
    tool: str
    host: str | None


@dataclass(frozen=True, slots=True)
class TargetProfile:
    """Statistics of one metric over measurements of one target.

    Parameters
    ----------
    key : str
        Stable key of target, metric, statistic and manner.
    target : Target
    metric, unit : str
    statistic : {"average", "slowest"}
    manner : str
        Access pattern that the measurements share: ``random, 4 KiB``.
    mean, low, high : float
        Mean and its 95% confidence interval, in the unit.
    spread : float
        Standard deviation of the logarithm of one measurement, without unit.
    spread_of : {"nodes", "measurements", "assumed"}
        Source of the spread; assumed if there is only one measurement.
    count : int
        Number of measurements that are neither rejected nor outliers.
    effective_count : float
        Equivalent number of independent measurements of full weight.
    slowest, fastest : float
        Extremes of all measurements that were not rejected.
    oldest, newest : datetime
    by_hour : tuple of (float or None) or None
        Means by hour of the day, UTC; None if the means of fewer than two hours are known.
    by_weekday : tuple of (float or None) or None
        Means by weekday, from Monday.
    feeds : Metric or None
        Figure of the model that the profile supplies.
    factor : float
        Ratio of the model's figure to the mean.
    why_not : str or None
        Reason why predictions do not use the profile.
    parts : tuple of Part
        From the oldest to the newest.
    """

    key: str
    target: Target
    metric: str
    unit: str
    statistic: Statistic
    manner: str
    mean: float
    low: float
    high: float
    spread: float
    spread_of: SpreadOf
    count: int
    effective_count: float
    slowest: float
    fastest: float
    oldest: datetime
    newest: datetime
    by_hour: tuple[float | None, ...] | None
    by_weekday: tuple[float | None, ...] | None
    feeds: Metric | None
    factor: float
    why_not: str | None
    parts: tuple[Part, ...]

    @property
    def what(self) -> str:
        """Describe the metric for people."""
        return kind_of(self.metric).what

    def to_dict(self) -> dict[str, Any]:
        """Convert the profile to JSON; inverse of `from_dict`."""
        found: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        found["target"] = self.target.to_dict()
        for name in ("oldest", "newest"):
            found[name] = found[name].isoformat()
        for name in ("by_hour", "by_weekday"):
            found[name] = None if found[name] is None else list(found[name])
        found["parts"] = [
            {
                field.name: part.at.isoformat() if field.name == "at" else getattr(part, field.name)
                for field in fields(part)
            }
            for part in self.parts
        ]
        return found

    @classmethod
    def from_dict(cls, value: object, where: str = "") -> "TargetProfile":
        """Build a profile from the JSON of `to_dict`.

        Raises
        ------
        BadValue
        """
        said = object_of(value, where, tuple(field.name for field in fields(cls)))
        known: dict[str, Any] = dict(said)
        known["target"] = Target.from_dict(said["target"], f"{where}.target".lstrip("."))
        for name in ("mean", "low", "high", "effective_count", "slowest", "fastest", "factor"):
            known[name] = number_of(said[name], f"{where}.{name}".lstrip("."), least=0.0)
        known["spread"] = number_of(said["spread"], f"{where}.spread".lstrip("."), least=0.0)
        known["oldest"] = instant_of(said["oldest"], f"{where}.oldest".lstrip("."))
        known["newest"] = instant_of(said["newest"], f"{where}.newest".lstrip("."))
        for name in ("by_hour", "by_weekday"):
            known[name] = None if said[name] is None else _slots(said[name], f"{where}.{name}".lstrip("."))
        for name in ("key", "metric", "unit"):
            known[name] = text_of(said[name], f"{where}.{name}".lstrip("."))
        known["count"] = count_of(said["count"], f"{where}.count".lstrip("."))
        _check(said["feeds"], f"{where}.feeds".lstrip("."), (None, *get_args(Metric)))
        _check(said["statistic"], f"{where}.statistic".lstrip("."), get_args(Statistic))
        _check(said["spread_of"], f"{where}.spread_of".lstrip("."), get_args(SpreadOf))
        parts = list_of(said["parts"], f"{where}.parts".lstrip("."), most=MOST_PARTS)
        known["parts"] = tuple(_part(part, f"{where}.parts.{at}".lstrip(".")) for at, part in enumerate(parts))
        return cls(**known)


def _check(value: object, where: str, accepted: Sequence[object]) -> None:
    if value not in accepted:
        raise BadValue(where, value, f"one of {', '.join(map(str, accepted))}")


def _slots(value: object, where: str) -> tuple[float | None, ...]:
    slots = enumerate(list_of(value, where, most=24))
    return tuple(None if one is None else number_of(one, f"{where}.{at}", least=0.0) for at, one in slots)


def _part(value: object, where: str) -> Part:
    said = object_of(value, where, tuple(field.name for field in fields(Part)))
    _check(said["verdict"], f"{where}.verdict", get_args(Verdict))
    _check(said["outlier"], f"{where}.outlier", (True, False))
    host = said["host"]
    return Part(
        id=text_of(said["id"], f"{where}.id"),
        at=instant_of(said["at"], f"{where}.at"),
        value=number_of(said["value"], f"{where}.value", least=0.0),
        weight=number_of(said["weight"], f"{where}.weight", least=0.0, most=1.0),
        outlier=said["outlier"],
        verdict=said["verdict"],
        tool=text_of(said["tool"], f"{where}.tool"),
        host=None if host is None else str(host),
    )


def key_of(target: Target, metric: str, statistic: str, manner: str) -> str:
    """Return the key of a profile: 20 hexadecimal digits that depend only on the parameters."""
    written = json.dumps([target.to_dict(), metric, statistic, manner], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:20]


def profiles_of(measured: Iterable[Measured]) -> tuple[TargetProfile, ...]:
    """Compute the profiles of each target, metric and manner.

    Parameters
    ----------
    measured : iterable of Measured
        In any order.

    Returns
    -------
    tuple of TargetProfile
        Sorted by key. Targets with only rejected measurements have no profile.
    """
    groups: dict[str, list[Measured]] = {}
    for one in measured:
        fact = one.fact
        groups.setdefault(key_of(one.target, fact.metric, fact.statistic, fact.manner), []).append(one)
    made = (_profile(key, groups[key]) for key in sorted(groups))
    return tuple(profile for profile in made if profile is not None)


def age_weight(at: datetime, newest: datetime) -> float:
    """Return the weight of a measurement by its age: 2^(-age / 180 d), relative to the target's newest measurement."""
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
