"""Digests of the profiles and calibrations that a team's predictions use now, or used in the past."""

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Text, cast, null, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.calibration.tables import calibration
from stowage.features.measurements.store.profiles import NOTHING
from stowage.features.measurements.tables import profile_set
from stowage.frozen import frozen
from stowage.platform.database.rows import read_rows


@frozen
class StandingPart:
    """Id and digest of a calibration or of a set of profiles, without its content."""

    id: str
    """UUID of a calibration, number of a set of profiles."""
    framework: str | None
    """None for a set of profiles."""
    digest: str
    created_at: datetime


@frozen
class Standing:
    """Digests of the profiles and calibrations that a team's predictions use at one time, without their content."""

    profiles: StandingPart | None = None
    """Newest set of profiles; None if there are no measurements."""
    calibrations: tuple[StandingPart, ...] = ()
    """Newest calibration of each framework, sorted by framework name."""

    @property
    def digest(self) -> str:
        """Return a single digest of all profiles and calibrations; "" if the team has neither."""
        parts = [] if self.profiles is None or self.profiles.digest == NOTHING else [f"profiles {self.profiles.digest}"]
        parts += [f"{each.framework} {each.digest}" for each in self.calibrations]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else ""

    @property
    def newest(self) -> datetime | None:
        """Return the time at which profiles or calibrations last changed; None if the team has neither."""
        made = [each.created_at for each in self.calibrations]
        if self.profiles is not None and self.profiles.digest != NOTHING:
            made.append(self.profiles.created_at)
        return max(made, default=None)


@frozen
class History:
    """Digests of all profiles and calibrations that a team has had over time."""

    sets: tuple[StandingPart, ...]
    """Sets of profiles, in the order of storing."""
    calibrations: tuple[StandingPart, ...]
    """Calibrations, oldest first."""

    def at(self, moment: datetime | None) -> Standing:
        """Return the digests that were current at a time, or that are current now if the time is None."""
        sets = [each for each in self.sets if moment is None or each.created_at <= moment]
        known = {
            each.framework or "": each for each in self.calibrations if moment is None or each.created_at <= moment
        }
        return Standing(sets[-1] if sets else None, tuple(known[name] for name in sorted(known)))


_MADE = profile_set.c.digest, profile_set.c.created_at
_SETS = select(cast(profile_set.c.id, Text).label("id"), cast(null(), Text).label("framework"), *_MADE)
_FITTED = calibration.c.framework, calibration.c.digest, calibration.c.created_at
_CALIBRATIONS = select(cast(calibration.c.id, Text).label("id"), *_FITTED)


def standing(connection: Connection, at: datetime | None = None) -> Standing:
    """Return the digests of the profiles and calibrations that the team's predictions use, by one small query.

    Parameters
    ----------
    at : datetime, optional
        Return the digests that were current at this time; by default, the current digests.
    """
    sets = _SETS.order_by(profile_set.c.id.desc()).limit(1)
    last = (calibration.c.created_at.desc(), calibration.c.id.desc())
    calibrations = _CALIBRATIONS.ext(distinct_on(calibration.c.framework)).order_by(calibration.c.framework, *last)
    if at is not None:
        sets = sets.where(profile_set.c.created_at <= at)
        calibrations = calibrations.where(calibration.c.created_at <= at)
    return _both(connection, sets, calibrations).at(None)


def history(connection: Connection) -> History:
    """Return the digests of all profiles and calibrations that the team ever had."""
    return _both(connection, _SETS, _CALIBRATIONS)


def _both(connection: Connection, sets: Select[Any], calibrations: Select[Any]) -> History:
    """Run the queries for sets of profiles and for calibrations as a single query, and return their results."""
    both = union_all(select(sets.subquery()), select(calibrations.subquery()))
    found = read_rows(connection, both, StandingPart)
    in_order = sorted((each for each in found if each.framework is None), key=lambda each: int(each.id))
    oldest_first = sorted((each for each in found if each.framework), key=lambda each: (each.created_at, each.id))
    return History(tuple(in_order), tuple(oldest_first))
