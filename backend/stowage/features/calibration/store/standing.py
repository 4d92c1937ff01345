"""Digests of the profiles, calibrations and price terms that a team's predictions use now, or used in the past."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Select, Text, cast, literal, null, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.calibration.tables import calibration, price_terms
from stowage.features.measurements.tables import NOTHING, profile_set
from stowage.frozen import frozen
from stowage.platform.database.rows import read_rows


@frozen
class StandingPart:
    """Id and digest of a calibration, a set of profiles or price terms, without its content."""

    kind: Literal["profiles", "calibration", "terms"]
    id: str
    """UUID of a calibration or of price terms, number of a set of profiles."""
    name: str | None
    """Framework of a calibration, short description of price terms, None for a set of profiles."""
    digest: str
    """"" for price terms without a discount."""
    created_at: datetime


@frozen
class Standing:
    """Digests of the team data that a team's predictions use at one time, without its content."""

    profiles: StandingPart | None = None
    """Newest set of profiles; None if there are no measurements."""
    calibrations: tuple[StandingPart, ...] = ()
    """Newest calibration of each framework, sorted by framework name."""
    terms: StandingPart | None = None
    """Price terms; None without a discount."""

    @property
    def digest(self) -> str:
        """Return a single digest of profiles, calibrations and price terms; "" if the team has none."""
        parts = self._measured
        parts += [] if self.terms is None else [f"price terms {self.terms.digest}"]
        return _digest(parts)

    @property
    def measured_digest(self) -> str:
        """Return a single digest of profiles and calibrations; "" if the team has neither."""
        return _digest(self._measured)

    @property
    def _measured(self) -> list[str]:
        parts = [] if self.profiles is None or self.profiles.digest == NOTHING else [f"profiles {self.profiles.digest}"]
        return parts + [f"{each.name} {each.digest}" for each in self.calibrations]

    @property
    def newest(self) -> datetime | None:
        """Return the time at which profiles or calibrations last changed; None if the team has neither."""
        made = [each.created_at for each in self.calibrations]
        if self.profiles is not None and self.profiles.digest != NOTHING:
            made.append(self.profiles.created_at)
        return max(made, default=None)


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else ""


@frozen
class History:
    """Digests of all profiles, calibrations and price terms that a team has had over time."""

    sets: tuple[StandingPart, ...]
    """Sets of profiles, in the order of storing."""
    calibrations: tuple[StandingPart, ...]
    """Calibrations, oldest first."""
    terms: tuple[StandingPart, ...]
    """Price terms, oldest first."""
    moments: tuple[datetime, ...]
    """Times at which the data changed, oldest first."""
    _known: dict[int, Standing] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Results of `at` by the number of changes until then; a list of plans needs the same few again and again."""

    def changes_until(self, moment: datetime) -> int:
        """Return how often the data had changed at a time: between two changes, all times have the same data."""
        return bisect_right(self.moments, moment)

    def at(self, moment: datetime | None) -> Standing:
        """Return the digests that were current at a time, or that are current now if the time is None."""
        count = len(self.moments) if moment is None else self.changes_until(moment)
        if count not in self._known:
            self._known[count] = self._at(moment)
        return self._known[count]

    def _at(self, moment: datetime | None) -> Standing:
        sets, calibrations, terms = (
            [each for each in parts if moment is None or each.created_at <= moment]
            for parts in (self.sets, self.calibrations, self.terms)
        )
        known = {each.name or "": each for each in calibrations}
        return Standing(
            sets[-1] if sets else None,
            tuple(known[name] for name in sorted(known)),
            terms[-1] if terms and terms[-1].digest else None,
        )


_SETS = select(
    literal("profiles").label("kind"),
    cast(profile_set.c.id, Text).label("id"),
    cast(null(), Text).label("name"),
    profile_set.c.digest,
    profile_set.c.created_at,
)
_CALIBRATIONS = select(
    literal("calibration").label("kind"),
    cast(calibration.c.id, Text).label("id"),
    calibration.c.framework.label("name"),
    calibration.c.digest,
    calibration.c.created_at,
)
_TERMS = select(
    literal("terms").label("kind"),
    cast(price_terms.c.id, Text).label("id"),
    price_terms.c.words.label("name"),
    price_terms.c.digest,
    price_terms.c.created_at,
)


def standing(connection: Connection, at: datetime | None = None) -> Standing:
    """Return the digests of the team data that the team's predictions use, by one small query.

    Parameters
    ----------
    at : datetime, optional
        Return the digests that were current at this time; by default, the current digests.
    """
    return standing_of(read_rows(connection, _standing_query(at), StandingPart))


def standing_of(found: Sequence[StandingPart]) -> Standing:
    """Return the parts that are current as the standing of a team."""
    return history_of(found).at(None)


def _standing_query(at: datetime | None = None) -> Select[Any]:
    sets = _SETS.order_by(profile_set.c.id.desc()).limit(1)
    last = (calibration.c.created_at.desc(), calibration.c.id.desc())
    calibrations = _CALIBRATIONS.ext(distinct_on(calibration.c.framework)).order_by(calibration.c.framework, *last)
    terms = _TERMS.order_by(price_terms.c.created_at.desc(), price_terms.c.id.desc()).limit(1)
    if at is not None:
        sets = sets.where(profile_set.c.created_at <= at)
        calibrations = calibrations.where(calibration.c.created_at <= at)
        terms = terms.where(price_terms.c.created_at <= at)
    return _all(sets, calibrations, terms)


def history(connection: Connection) -> History:
    """Return the digests of all profiles, calibrations and price terms that the team ever had."""
    return history_of(read_rows(connection, PARTS, StandingPart))


def _all(*queries: Select[Any]) -> Select[Any]:
    """Return a single query for sets of profiles, calibrations and terms."""
    return select(union_all(*(select(query.subquery()) for query in queries)).subquery())


PARTS = _all(_SETS, _CALIBRATIONS, _TERMS)
"""Query of the parts of `history`, in no order."""
CURRENT = _standing_query()
"""Query of the parts that are current."""


def history_of(found: Sequence[StandingPart]) -> History:
    """Return parts as the history of a team."""
    in_order = sorted((each for each in found if each.kind == "profiles"), key=lambda each: int(each.id))
    oldest_first = sorted(found, key=lambda each: (each.created_at, each.id))
    return History(
        tuple(in_order),
        tuple(each for each in oldest_first if each.kind == "calibration"),
        tuple(each for each in oldest_first if each.kind == "terms"),
        tuple(each.created_at for each in oldest_first),
    )
