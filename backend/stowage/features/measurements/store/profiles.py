"""What a team's own measurements say together, and which measurements they are made of; nothing of it is ever edited.

A team's profiles are stored as one set, made anew from all measurements whenever one is added or judged otherwise.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Text, cast, func, insert, null, select, union_all
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.measurements.tables import VerdictWord, calibration, measurement, profile_set, verdict
from stowage.platform.database.columns import columns_of


@dataclass(frozen=True, slots=True)
class StandingCalibration:
    """A calibration that predictions of a team take for its framework.

    Parameters
    ----------
    id : UUID
    framework, digest : str
    created_at : datetime
    """

    id: UUID
    framework: str
    digest: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StandingSet:
    """A set of profiles, named and not read.

    Parameters
    ----------
    id : int
    digest : str
    created_at : datetime
    """

    id: int
    digest: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """What a team knows of its own, named and not read.

    Parameters
    ----------
    profiles : StandingSet or None
        The newest set; None where nothing was measured.
    calibrations : tuple of StandingCalibration
        The newest of each framework, by its name.
    """

    profiles: StandingSet | None = None
    calibrations: tuple[StandingCalibration, ...] = ()

    @property
    def digest(self) -> str:
        """Name the content: equal digests, equal content; "" where there is nothing."""
        parts = [] if self.profiles is None or self.profiles.digest == NOTHING else [f"profiles {self.profiles.digest}"]
        parts += [f"{each.framework} {each.digest}" for each in self.calibrations]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else ""

    @property
    def newest(self) -> datetime | None:
        """When it changed last; None where there is nothing."""
        made = [each.created_at for each in self.calibrations]
        if self.profiles is not None and self.profiles.digest != NOTHING:
            made.append(self.profiles.created_at)
        return max(made, default=None)


@dataclass(frozen=True, slots=True)
class History:
    """What a team knew of its own, and when.

    Parameters
    ----------
    sets : tuple of StandingSet
        In the order of storing.
    calibrations : tuple of StandingCalibration
        Oldest first.
    """

    sets: tuple[StandingSet, ...]
    calibrations: tuple[StandingCalibration, ...]

    def at(self, moment: datetime | None) -> Standing:
        """Say what was known at a time, or with None is known now."""
        sets = [each for each in self.sets if moment is None or each.created_at <= moment]
        known = {each.framework: each for each in self.calibrations if moment is None or each.created_at <= moment}
        return Standing(sets[-1] if sets else None, tuple(known[name] for name in sorted(known)))


NOTHING = hashlib.sha256(b"").hexdigest()
"""Digest of a set that no prediction takes anything of."""


@dataclass(frozen=True, slots=True)
class StoredSet:
    """All profiles of a team at one time.

    Parameters
    ----------
    id : int
        Rises in the order of storing.
    digest : str
        SHA-256 of what predictions take of it.
    cause : str
        What it was made anew for, in words for people.
    measurements : int
        That it is made of.
    created_at : datetime
    content : Any
    """

    id: int
    digest: str
    cause: str
    measurements: int
    created_at: datetime
    content: Any


@dataclass(frozen=True, slots=True)
class StoredMeasured:
    """A measurement with the verdict that counts, as profiles are made of it.

    Parameters
    ----------
    id : UUID
    tool, status, name : str
    tool_version, failure : str or None
    line : int
    measured_at : datetime or None
        None where the file does not say.
    created_at : datetime
    duration_s : float or None
    settings, host : Mapping
    metrics, notes : sequence
        As `stowage.measure.reading.Reading` has them.
    target : Mapping
    verdict : VerdictWord
        The newest of a person, else ours.
    source : str or None
        Of what others published.
    """

    id: UUID
    tool: str
    tool_version: str | None
    status: str
    failure: str | None
    name: str
    line: int
    measured_at: datetime | None
    created_at: datetime
    duration_s: float | None
    settings: Mapping[str, str]
    host: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    target: Mapping[str, Any]
    verdict: VerdictWord
    source: str | None


def standing(connection: Connection, at: datetime | None = None) -> Standing:
    """Name what the team that the transaction runs for knows of its own: one small query.

    Parameters
    ----------
    connection : Connection
    at : datetime, optional
        As it was known then.
    """
    sets = select(*columns_of(profile_set, StandingSet)).order_by(profile_set.c.id.desc()).limit(1)
    last = (calibration.c.created_at.desc(), calibration.c.id.desc())
    calibrations = (
        select(*columns_of(calibration, StandingCalibration))
        .ext(distinct_on(calibration.c.framework))
        .order_by(calibration.c.framework, *last)
    )
    if at is not None:
        sets = sets.where(profile_set.c.created_at <= at)
        calibrations = calibrations.where(calibration.c.created_at <= at)
    return _both(connection, sets, calibrations).at(None)


def history(connection: Connection) -> History:
    """Name all that the team that the transaction runs for ever knew of its own."""
    return _both(
        connection,
        select(*columns_of(profile_set, StandingSet)),
        select(*columns_of(calibration, StandingCalibration)),
    )


def newest(connection: Connection) -> StoredSet | None:
    """Read the team's newest set; None where nothing was measured."""
    return _one(connection, select(*columns_of(profile_set, StoredSet)).order_by(profile_set.c.id.desc()).limit(1))


def made_at(connection: Connection, since: datetime, *, name: str) -> datetime | None:
    """Say when profiles were first made anew for a file of that name since then; None where it changed nothing."""
    query = select(profile_set.c.created_at).where(
        profile_set.c.created_at >= since, profile_set.c.cause.contains(name, autoescape=True)
    )
    return connection.execute(query.order_by(profile_set.c.id).limit(1)).scalar_one_or_none()


def get(connection: Connection, number: int) -> StoredSet | None:
    """Read a set by its number; None where there is none, or it is another team's."""
    return _one(connection, select(*columns_of(profile_set, StoredSet)).where(profile_set.c.id == number))


def add(connection: Connection, *, digest: str, cause: str, measurements: int, content: object) -> None:
    """Store a set for the team that the transaction runs for; it counts from now on."""
    made = {"digest": digest, "cause": cause, "measurements": measurements, "content": content}
    connection.execute(insert(profile_set).values(made).inline())


def lock(connection: Connection) -> None:
    """Wait until no other transaction makes this team's profiles anew, and keep others waiting until the end.

    What those committed is seen by what is read after it.
    """
    name = func.concat("profiles ", func.current_setting("stowage.org_id", True))  # noqa: FBT003 - none is no error
    connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def began(connection: Connection) -> datetime:
    """Say when the transaction began, as the database's clock has it."""
    moment: datetime = connection.execute(select(func.now())).scalar_one()
    return moment


def measured(connection: Connection, *, at_a_time: int = 1_000) -> Iterator[StoredMeasured]:
    """Go through all measurements of the team, each with the verdict that counts, in the order they were kept."""
    said = (
        select(verdict.c.verdict)
        .where(verdict.c.measurement_id == measurement.c.id)
        .order_by(verdict.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    columns = [
        func.coalesce(said, column).label("verdict") if column.name == "verdict" else column
        for column in columns_of(measurement, StoredMeasured)
    ]
    query = select(*columns).order_by(measurement.c.created_at, measurement.c.id)
    for row in connection.execute(query.execution_options(yield_per=at_a_time)).mappings():
        yield StoredMeasured(**row)


def _one(connection: Connection, query: Select[Any]) -> StoredSet | None:
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredSet(**row)


def _both(connection: Connection, sets: Select[Any], calibrations: Select[Any]) -> History:
    """Ask for sets and calibrations at once."""
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
