"""Queries of finished jobs, their recorded series, and calibrations."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, delete, func, insert, select, text
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.calibration.tables import calibration, finished_job, finished_job_series
from stowage.features.measurements.tables import measurement
from stowage.frozen import frozen
from stowage.measure.fits.finished_jobs import FinishedJob
from stowage.platform.database.rows import Rows, lock_team, read_rows

_AT_ONCE = 500
"""Maximum rows of a statement."""


@frozen
class StoredJob:
    """A finished job of one team."""

    id: UUID
    workload: Mapping[str, Any]
    """All fields of the job."""
    person: str
    """Name of the user who entered the job, at the time of entering."""
    created_at: datetime
    withdrawn_at: datetime | None
    """Time at which the job was excluded from calibrations; None if the job is included."""


@frozen
class StoredSeries:
    """A measurement that was recorded during a job, with its time series."""

    id: UUID
    name: str
    tool: str
    measured_at: datetime | None
    series: Sequence[Mapping[str, Any]]


@frozen
class StoredCalibration:
    """Calibration fitted to a team's jobs of one framework."""

    id: UUID
    framework: str
    digest: str
    content: Mapping[str, Any]
    person: str
    """Name of the user who requested the calibration, at the time of the request."""
    created_at: datetime
    not_refitted: str | None = None
    """Why the refit with a newer model version failed; None if it did not fail."""


def add(connection: Connection, jobs: Sequence[FinishedJob], person: str) -> tuple[UUID, ...]:
    """Store finished jobs, which a person enters, and return their ids.

    A job that exists already is not changed, but it is restored if it was withdrawn.
    """
    rows = [_row(job, person) for job in jobs]
    # One statement must not touch a row twice.
    unlike = list({row["fingerprint"]: row for row in rows}.values())
    ids = dict[bytes, UUID]()
    for first in range(0, len(unlike), _AT_ONCE):
        unless_there = insert_unless(finished_job).values(unlike[first : first + _AT_ONCE])
        on_conflict = unless_there.on_conflict_do_update(
            index_elements=[finished_job.c.org_id, finished_job.c.fingerprint], set_={"withdrawn_at": None}
        )
        stored = connection.execute(on_conflict.returning(finished_job.c.fingerprint, finished_job.c.id))
        ids.update((bytes(row.fingerprint), row.id) for row in stored)
    return tuple(ids[row["fingerprint"]] for row in rows)


def _row(job: FinishedJob, person: str) -> dict[str, Any]:
    """Return the columns of a new job. Jobs with equal fields have the same fingerprint, and count as a single job."""
    workload = job.to_dict()
    text = json.dumps(workload, sort_keys=True, allow_nan=False)
    named = ("name", "job", "framework", "instance", "nodes", "measured_s", "started_at")
    return {
        "id": uuid4(),
        "fingerprint": hashlib.sha256(text.encode()).digest(),
        "workload": workload,
        "phases": dict(job.phases_s),
        "person": person,
        **{name: getattr(job, name) for name in named},
    }


_JOBS = Rows(finished_job, StoredJob)
_SERIES = Rows(measurement, StoredSeries)
_CALIBRATIONS = Rows(calibration, StoredCalibration)
demand, count = _JOBS.demand, _JOBS.count
add_calibration, get_calibration = _CALIBRATIONS.store, _CALIBRATIONS.get
demand_calibration = _CALIBRATIONS.demand


def get_all(connection: Connection, ids: Sequence[UUID]) -> tuple[StoredJob, ...]:
    """Return jobs of the team, in the given order."""
    found = dict[UUID, StoredJob]()
    for first in range(0, len(ids), _AT_ONCE):
        found |= _JOBS.get_all(connection, ids[first : first + _AT_ONCE])
    return tuple(found[each] for each in ids if each in found)


def list_newest(
    connection: Connection, *, limit: int, before: tuple[datetime, UUID] | None = None, framework: str | None = None
) -> tuple[StoredJob, ...]:
    """Return a page of the jobs, including withdrawn jobs, newest first."""
    which = () if framework is None else (finished_job.c.framework == framework,)
    return _JOBS.list_newest(connection, *which, limit=limit, before=before)


def of_framework(connection: Connection, framework: str, *, most: int) -> tuple[StoredJob, ...]:
    """Return the newest jobs of a framework, excluding withdrawn ones."""
    which = finished_job.c.framework == framework, finished_job.c.withdrawn_at.is_(None)
    return _JOBS.list_newest(connection, *which, limit=most)


def frameworks(connection: Connection) -> dict[str, int]:
    """Count the jobs of each framework, excluding withdrawn ones."""
    query = select(finished_job.c.framework, func.count()).where(finished_job.c.withdrawn_at.is_(None))
    rows = connection.execute(query.group_by(finished_job.c.framework).order_by(finished_job.c.framework))
    return dict(tuple(row) for row in rows)


def set_withdrawn(connection: Connection, job_id: UUID, withdrawn_at: datetime | None) -> bool:
    """Exclude a job from calibrations, or include it again; return False if the job does not exist.

    Parameters
    ----------
    withdrawn_at : datetime or None
        Time of the exclusion; None to include the job again.
    """
    return _JOBS.change(connection, job_id, {"withdrawn_at": withdrawn_at})


def measurements_there(connection: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those given ids that are ids of the team's measurements."""
    return set(connection.execute(select(measurement.c.id).where(measurement.c.id.in_(ids))).scalars())


def set_series(connection: Connection, job_id: UUID, measurements: Sequence[UUID]) -> None:
    """Replace the list of measurements that were recorded while a job ran."""
    connection.execute(delete(finished_job_series).where(finished_job_series.c.finished_job_id == job_id))
    if measurements:
        rows = [{"finished_job_id": job_id, "measurement_id": each} for each in measurements]
        connection.execute(insert(finished_job_series).inline(), rows)


def series_of(connection: Connection, job_id: UUID) -> tuple[StoredSeries, ...]:
    """Read the measurements that were recorded during a job."""
    query = (
        _SERIES.select()
        .join(finished_job_series, finished_job_series.c.measurement_id == measurement.c.id)
        .where(finished_job_series.c.finished_job_id == job_id)
        .order_by(measurement.c.created_at, measurement.c.id)
    )
    return read_rows(connection, query, StoredSeries)


def clock(connection: Connection) -> datetime:
    """Return the current time of the database's clock.

    It is not the start time of this transaction, and is later than the start of every transaction for which this
    transaction has waited.
    """
    moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return moment


def outdated_calibrations(connection: Connection, physics: str, most: int) -> tuple[tuple[UUID, str], ...]:
    """List the team and framework of each calibration that was fitted with another model version.

    Only the newest calibration of a framework is listed, and only if no refit has failed.

    Parameters
    ----------
    connection : Connection
        Connection of the auth role, in a transaction for no organisation.
    physics : str
        The current version of the model.
    most : int
        Maximum number of calibrations; the first of every team comes before the second of any team.
    """
    query = text("SELECT org_id, framework FROM outdated_calibrations(:physics, :most)")
    rows = connection.execute(query, {"physics": physics, "most": most})
    return tuple((org_id, framework) for org_id, framework in rows)


def set_not_refitted(connection: Connection, calibration_id: UUID, reason: str) -> None:
    """Store the reason why a calibration could not be refitted, so that the refit is not retried."""
    _CALIBRATIONS.change(connection, calibration_id, {"not_refitted": reason})


def calibrations_of(connection: Connection, framework: str) -> tuple[StoredCalibration, ...]:
    """Return the newest calibration of a framework as a tuple, which is empty if there is none."""
    return _CALIBRATIONS.list_newest(connection, calibration.c.framework == framework, limit=1)


def current_for_update(connection: Connection, framework: str) -> UUID | None:
    """Return the id of a framework's newest calibration; None if there is none.

    No other transaction can store a newer calibration of the framework until this transaction ends.
    """
    lock_team(connection, f"stowage.calibrations {framework}")
    found = calibrations_of(connection, framework)
    return found[0].id if found else None


def calibrations(connection: Connection, *, most: int) -> tuple[StoredCalibration, ...]:
    """Return at most `most` calibrations, newest first."""
    return _CALIBRATIONS.list_newest(connection, limit=most)
