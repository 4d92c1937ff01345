"""Queries of finished jobs, their recorded series, and calibrations."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.calibration.tables import calibration, finished_job, finished_job_series
from stowage.features.measurements.tables import measurement
from stowage.platform.database.columns import columns_of
from stowage.platform.database.lists import newest_first

_AT_ONCE = 500
"""Maximum rows of a statement."""


@dataclass(frozen=True, slots=True)
class NewJob:
    """A finished job as it was entered.

    Parameters
    ----------
    id : UUID
    fingerprint : bytes
        SHA-256 of all fields; jobs with equal fields count as a single job.
    name, job, framework, instance : str
    nodes : int
    workload : Mapping
        All fields of the job.
    measured_s : float
        Measured duration of the job [s].
    phases : Mapping[str, float]
        Measured time of each phase [s].
    started_at : datetime or None
    person : str
    """

    id: UUID
    fingerprint: bytes
    name: str
    job: str
    framework: str
    instance: str
    nodes: int
    workload: Mapping[str, Any]
    measured_s: float
    phases: Mapping[str, float]
    started_at: datetime | None
    person: str


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A finished job of one team.

    Parameters
    ----------
    id : UUID
    workload : Mapping
        All fields of the job.
    person : str
        Name of the user who entered the job, at the time of entering.
    created_at : datetime
    withdrawn_at : datetime or None
        When the job was excluded from calibrations; None if the job is included.
    """

    id: UUID
    workload: Mapping[str, Any]
    person: str
    created_at: datetime
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """A measurement with series that was recorded during a job.

    Parameters
    ----------
    id : UUID
    name, tool : str
    measured_at : datetime or None
    series : sequence of Mapping
    """

    id: UUID
    name: str
    tool: str
    measured_at: datetime | None
    series: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """Calibration fitted to a team's jobs of one framework.

    Parameters
    ----------
    id : UUID
    framework, digest : str
    content : Mapping
    person : str
        Name of the user who requested the calibration, at the time of the request.
    created_at : datetime
    not_refitted : str or None
        Why the refit with a newer model version failed; None if it did not fail.
    """

    id: UUID
    framework: str
    digest: str
    content: Mapping[str, Any]
    person: str
    created_at: datetime
    not_refitted: str | None = None


def add(connection: Connection, jobs: Sequence[NewJob]) -> tuple[UUID, ...]:
    """Store finished jobs and return their ids. A job that exists is not changed, but restored if it was withdrawn."""
    # One statement must not touch a row twice.
    unlike = list({job.fingerprint: job for job in jobs}.values())
    ids = dict[bytes, UUID]()
    for first in range(0, len(unlike), _AT_ONCE):
        some = unlike[first : first + _AT_ONCE]
        unless_there = insert_unless(finished_job).values([asdict(job) for job in some])
        on_conflict = unless_there.on_conflict_do_update(
            index_elements=[finished_job.c.org_id, finished_job.c.fingerprint], set_={"withdrawn_at": None}
        )
        rows = connection.execute(on_conflict.returning(finished_job.c.fingerprint, finished_job.c.id))
        ids.update((bytes(row.fingerprint), row.id) for row in rows)
    return tuple(ids[job.fingerprint] for job in jobs)


def get(connection: Connection, job_id: UUID) -> StoredJob | None:
    """Read a job; None if it does not exist or belongs to another team."""
    query = select(*columns_of(finished_job, StoredJob)).where(finished_job.c.id == job_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredJob(**row)


def get_all(connection: Connection, ids: Sequence[UUID]) -> tuple[StoredJob, ...]:
    """Return jobs of the team, in the given order."""
    found = dict[UUID, StoredJob]()
    for first in range(0, len(ids), _AT_ONCE):
        some = ids[first : first + _AT_ONCE]
        query = select(*columns_of(finished_job, StoredJob)).where(finished_job.c.id.in_(some))
        found |= {row["id"]: StoredJob(**row) for row in connection.execute(query).mappings()}
    return tuple(found[each] for each in ids if each in found)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None, framework: str | None = None
) -> tuple[StoredJob, ...]:
    """Return jobs including withdrawn jobs, newest first, one page at a time."""
    query = newest_first(select(*columns_of(finished_job, StoredJob)), finished_job, limit, before)
    if framework is not None:
        query = query.where(finished_job.c.framework == framework)
    return tuple(StoredJob(**row) for row in connection.execute(query).mappings())


def of_framework(connection: Connection, framework: str, *, most: int) -> tuple[StoredJob, ...]:
    """Return the newest jobs of a framework, excluding withdrawn ones."""
    order = finished_job.c.created_at.desc(), finished_job.c.id.desc()
    query = select(*columns_of(finished_job, StoredJob)).where(
        finished_job.c.framework == framework, finished_job.c.withdrawn_at.is_(None)
    )
    return tuple(StoredJob(**row) for row in connection.execute(query.order_by(*order).limit(most)).mappings())


def frameworks(connection: Connection) -> dict[str, int]:
    """Count the jobs of each framework, excluding withdrawn ones."""
    query = select(finished_job.c.framework, func.count()).where(finished_job.c.withdrawn_at.is_(None))
    rows = connection.execute(query.group_by(finished_job.c.framework).order_by(finished_job.c.framework))
    return dict(tuple(row) for row in rows)


def count(connection: Connection) -> int:
    """Count the finished jobs of the team for which the transaction runs."""
    return connection.scalar(select(func.count()).select_from(finished_job)) or 0


def set_withdrawn(connection: Connection, job_id: UUID, withdrawn_at: datetime | None) -> bool:
    """Exclude a job from calibrations or, with None, include it again; return False if the job does not exist."""
    found = update(finished_job).where(finished_job.c.id == job_id).values(withdrawn_at=withdrawn_at)
    return bool(connection.execute(found).rowcount)


def measurements_there(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that belong to measurements of the team."""
    return set(connection.execute(select(measurement.c.id).where(measurement.c.id.in_(ids))).scalars())


def set_series(connection: Connection, job_id: UUID, measurements: Sequence[UUID]) -> None:
    """Replace the list of measurements that belong to a job: those recorded while it ran."""
    connection.execute(delete(finished_job_series).where(finished_job_series.c.finished_job_id == job_id))
    if measurements:
        rows = [{"finished_job_id": job_id, "measurement_id": each} for each in measurements]
        connection.execute(insert(finished_job_series).inline(), rows)


def series_of(connection: Connection, job_id: UUID) -> tuple[StoredSeries, ...]:
    """Read the measurements that were recorded during a job."""
    query = (
        select(*columns_of(measurement, StoredSeries))
        .join(finished_job_series, finished_job_series.c.measurement_id == measurement.c.id)
        .where(finished_job_series.c.finished_job_id == job_id)
        .order_by(measurement.c.created_at, measurement.c.id)
    )
    return tuple(StoredSeries(**row) for row in connection.execute(query).mappings())


def clock(connection: Connection) -> datetime:
    """Return the current time of the database's clock, not the start time of this transaction.

    The current time is later than the start of every transaction for which this transaction has waited.
    """
    moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return moment


def add_calibration(connection: Connection, stored: StoredCalibration) -> None:
    """Store a calibration; predictions use it from now on."""
    connection.execute(insert(calibration).values(asdict(stored)).inline())


def outdated_calibrations(connection: Connection, physics: str, most: int) -> tuple[tuple[UUID, str], ...]:
    """List pairs of team and framework whose newest calibration has another model version and can be refitted.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for no organisation.
    physics : str
        The current version.
    most : int
        Maximum number of calibrations; teams take turns.
    """
    query = text("SELECT org_id, framework FROM outdated_calibrations(:physics, :most)")
    rows = connection.execute(query, {"physics": physics, "most": most})
    return tuple((org_id, framework) for org_id, framework in rows)


def set_not_refitted(connection: Connection, calibration_id: UUID, reason: str) -> None:
    """Store the reason why a calibration could not be refitted, so that the refit is not retried."""
    found = update(calibration).where(calibration.c.id == calibration_id).values(not_refitted=reason)
    connection.execute(found)


def get_calibration(connection: Connection, calibration_id: UUID) -> StoredCalibration | None:
    """Read a calibration; None if it does not exist or belongs to another team."""
    query = select(*columns_of(calibration, StoredCalibration)).where(calibration.c.id == calibration_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredCalibration(**row)


def calibrations_of(connection: Connection, framework: str) -> tuple[StoredCalibration, ...]:
    """Return a tuple with only the newest calibration of a framework; empty if there is none."""
    order = calibration.c.created_at.desc(), calibration.c.id.desc()
    query = select(*columns_of(calibration, StoredCalibration)).where(calibration.c.framework == framework)
    return tuple(StoredCalibration(**row) for row in connection.execute(query.order_by(*order).limit(1)).mappings())


def current_for_update(connection: Connection, org_id: UUID, framework: str) -> UUID | None:
    """Return the newest calibration of a framework, and lock it until this transaction ends."""
    key = func.hashtextextended(f"stowage.calibrations {org_id} {framework}", 0)
    connection.execute(select(func.pg_advisory_xact_lock(key)))
    found = calibrations_of(connection, framework)
    return found[0].id if found else None


def calibrations(connection: Connection, *, most: int) -> tuple[StoredCalibration, ...]:
    """Return at most `most` calibrations, newest first."""
    order = calibration.c.created_at.desc(), calibration.c.id.desc()
    query = select(*columns_of(calibration, StoredCalibration)).order_by(*order).limit(most)
    return tuple(StoredCalibration(**row) for row in connection.execute(query).mappings())
