"""Digests of the profiles and calibrations that a team's predictions use now, or used in the past."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Text, cast, null, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.calibration.tables import calibration
from stowage.features.measurements.store.profiles import NOTHING
from stowage.features.measurements.tables import profile_set
from stowage.platform.database.rows import Rows


@dataclass(frozen=True, slots=True)
class StandingCalibration:
    """Id and digest of a calibration, without its content."""

    id: UUID
    framework: str
    digest: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StandingSet:
    """Id and digest of the set of profiles that were computed from a team's measurements, without its content."""

    id: int
    digest: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """Digests of the profiles and calibrations that a team's predictions use at one time, without their content.

    Parameters
    ----------
    profiles : StandingSet or None
        Newest set of profiles; None if there are no measurements.
    calibrations : tuple of StandingCalibration
        Newest calibration of each framework, sorted by framework name.
    """

    profiles: StandingSet | None = None
    calibrations: tuple[StandingCalibration, ...] = ()

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


@dataclass(frozen=True, slots=True)
class History:
    """Digests of all profiles and calibrations that a team has had over time.

    Parameters
    ----------
    sets : tuple of StandingSet
        Sets of profiles, in the order of storing.
    calibrations : tuple of StandingCalibration
        Calibrations, oldest first.
    """

    sets: tuple[StandingSet, ...]
    calibrations: tuple[StandingCalibration, ...]

    def at(self, moment: datetime | None) -> Standing:
        """Return the digests that were current at a time, or that are current now if the time is None."""
        sets = [each for each in self.sets if moment is None or each.created_at <= moment]
        known = {each.framework: each for each in self.calibrations if moment is None or each.created_at <= moment}
        return Standing(sets[-1] if sets else None, tuple(known[name] for name in sorted(known)))


_SETS = Rows(profile_set, StandingSet)
_CALIBRATIONS = Rows(calibration, StandingCalibration)


def standing(connection: Connection, at: datetime | None = None) -> Standing:
    """Return the digests of the profiles and calibrations that the team's predictions use, by one small query.

    Parameters
    ----------
    at : datetime, optional
        Return the digests that were current at this time; by default, the current digests.
    """
    sets = _SETS.select().order_by(profile_set.c.id.desc()).limit(1)
    last = (calibration.c.created_at.desc(), calibration.c.id.desc())
    calibrations = (
        _CALIBRATIONS.select().ext(distinct_on(calibration.c.framework)).order_by(calibration.c.framework, *last)
    )
    if at is not None:
        sets = sets.where(profile_set.c.created_at <= at)
        calibrations = calibrations.where(calibration.c.created_at <= at)
    return _both(connection, sets, calibrations).at(None)


def history(connection: Connection) -> History:
    """Return the digests of all profiles and calibrations that the team ever had."""
    return _both(connection, _SETS.select(), _CALIBRATIONS.select())


def _both(connection: Connection, sets: Select[Any], calibrations: Select[Any]) -> History:
    """Run the queries for sets of profiles and for calibrations as a single query, and return their results."""
    of_sets, of_calibrations = sets.subquery(), calibrations.subquery()
    rows = connection.execute(
        union_all(
            select(
                cast(of_sets.c.id, Text).label("id"),
                cast(null(), Text).label("framework"),
                of_sets.c.digest.label("digest"),
                of_sets.c.created_at.label("created_at"),
            ),
            select(
                cast(of_calibrations.c.id, Text),
                of_calibrations.c.framework,
                of_calibrations.c.digest,
                of_calibrations.c.created_at,
            ),
        )
    ).all()
    return History(
        tuple(
            sorted(
                (StandingSet(int(row.id), row.digest, row.created_at) for row in rows if row.framework is None),
                key=lambda each: each.id,
            )
        ),
        tuple(
            sorted(
                (
                    StandingCalibration(UUID(row.id), row.framework, row.digest, row.created_at)
                    for row in rows
                    if row.framework is not None
                ),
                key=lambda each: (each.created_at, each.id),
            )
        ),
    )
