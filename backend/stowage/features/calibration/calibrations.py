"""Finished jobs of a team and the calibrations fitted to them: storing, listing, fitting.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import date, datetime
from functools import partial
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

from stowage.features.calibration import schemas, team_knowledge
from stowage.features.calibration.calibrating import Calibrated, NextRun, calibrate
from stowage.features.calibration.store import finished_jobs as store
from stowage.features.calibration.store.finished_jobs import StoredCalibration, StoredJob
from stowage.measure.errors import Unreadable
from stowage.measure.fits.calibration import Calibration
from stowage.measure.fits.calibration_fit import FEWEST_RUNS
from stowage.measure.fits.finished_jobs import FinishedJob, read_jobs
from stowage.platform import audit
from stowage.platform.access import Actor
from stowage.platform.audit import Event
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.paging import read_page

MOST_JOBS = 20_000
"""Maximum number of finished jobs of a team."""
MOST_FITTED = 500
"""Maximum number of jobs in the calibration of a framework: the newest."""
LARGEST_CSV_BYTES = 1 << 20
_MOST_LISTED = 200
_NEXT_RUN = tuple(each.name for each in fields(NextRun))
"""Stored fields of a proposed run."""


def keep_jobs(database: Database, org_id: UUID, content: bytes, *, person: str) -> schemas.KeptJobsAnswer:
    """Store the finished jobs of a CSV file.

    Invalid lines are reported, and all other lines are stored. A job that was stored before is not stored again; a
    withdrawn job is restored.

    Raises
    ------
    BadInput
        The file as a whole is unreadable.
    Conflict
        The team would exceed its maximum number of jobs.
    """
    try:
        read = list(read_jobs(BytesIO(content)))
    except Unreadable as error:
        where = "" if error.line is None else f"line {error.line}: "
        raise BadInput([Problem("", f"{where}{error.message}")]) from None
    jobs = [each for each in read if isinstance(each, FinishedJob)]
    problems = [each for each in read if not isinstance(each, FinishedJob)]
    with database.transaction(org_id) as connection:
        kept = add_jobs(connection, jobs, person)
    return schemas.KeptJobsAnswer(kept=kept, problems=problems)


def add_jobs(connection: Connection, jobs: Sequence[FinishedJob], person: str) -> list[schemas.FinishedJobRow]:
    """Store finished jobs and return them; jobs that exist already are returned unchanged.

    Raises
    ------
    Conflict
        The team would exceed its maximum number of jobs.
    """
    ids = store.add(connection, jobs, person)
    if store.count(connection) > MOST_JOBS:
        raise Conflict(f"The team has {MOST_JOBS:,} finished jobs; more are not kept.")
    return [job_row(row) for row in store.get_all(connection, list(dict.fromkeys(ids)))]


def list_jobs(
    database: Database, org_id: UUID, *, limit: int, cursor: str | None, framework: str | None
) -> schemas.FinishedJobListAnswer:
    """Return a page of the finished jobs, newest first; paginated like `plans.list_plans`."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection, framework=framework))
    return schemas.FinishedJobListAnswer(
        jobs=[job_row(row) for row in page],
        next_cursor=next_cursor,
    )


def withdraw(database: Database, org_id: UUID, job_id: UUID, at: datetime | None) -> schemas.FinishedJobRow:
    """Exclude a job from future calibrations, or include it again.

    Parameters
    ----------
    at : datetime or None
        Time of the exclusion; None to include the job again.
    """
    with database.transaction(org_id) as connection:
        store.demand(connection, job_id)
        store.set_withdrawn(connection, job_id, at)
        return job_row(store.demand(connection, job_id))


def set_series(database: Database, org_id: UUID, job_id: UUID, measurements: Sequence[UUID], actor: Actor) -> None:
    """Replace the list of measurements that were recorded while a job ran.

    The audit log has one entry for the whole change.

    Raises
    ------
    BadInput
        The team has no such measurement.
    """
    wanted = list(dict.fromkeys(measurements))
    with database.transaction(org_id) as connection:
        job = store.demand(connection, job_id)
        there = store.measurements_there(connection, wanted)
        missing = [
            Problem(f"measurements.{place}", "there is no such measurement")
            for place, each in enumerate(measurements)
            if each not in there
        ]
        if missing:
            raise BadInput(missing)
        store.set_series(connection, job_id, wanted)
        about = "finished_job", str(job_id), str(job.workload["name"])
        audit.add(connection, Event.by(actor, "finished_job.series", *about))


def fit_framework(
    database: Database, org_id: UUID, framework: str, *, person: str, today: date, replacing: UUID | None = None
) -> schemas.CalibrationAnswer:
    """Fit the calibration of a framework to the team's finished jobs, and store it.

    The team's predictions use the new calibration from now on.

    Parameters
    ----------
    person : str
        Name of the user who requested the calibration.
    replacing : UUID, optional
        Calibration to replace. If it is no longer the current calibration, nothing is stored and the current one is
        returned.

    Raises
    ------
    BadInput
        Too few of the framework's jobs can be used.
    """
    with database.transaction(org_id) as connection:
        rows = store.of_framework(connection, framework, most=MOST_FITTED)
        known = store.frameworks(connection)
    if not rows:
        names = ", ".join(known) or "none, no finished job was kept"
        raise BadInput([Problem("framework", f"{framework!a} has no finished jobs; accepted: {names}")])
    jobs = [FinishedJob.from_dict(row.workload) for row in rows]
    try:
        calibrated = calibrate(jobs, team_knowledge.stored_knowledge(database, org_id), today)
    except BadInput as error:
        said = "; ".join(f"{each.path} {each.message}".strip() for each in error.problems[:5])
        raise BadInput([Problem("framework", said)]) from None
    content = _content(calibrated)
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    new_id = uuid4()
    with database.transaction(org_id) as connection:
        current = store.current_for_update(connection, framework)
        if replacing is None or current == replacing:
            now = store.clock(connection)
            digest = hashlib.sha256(text.encode()).hexdigest()
            store.add_calibration(connection, StoredCalibration(new_id, framework, digest, content, person, now))
            current = new_id
    return read_calibration(database, org_id, current or new_id)


def list_calibrations(database: Database, org_id: UUID) -> schemas.CalibrationListAnswer:
    """Return the calibrations of a team, newest first, and the number of finished jobs of each framework."""
    with database.transaction(org_id) as connection:
        rows = store.calibrations(connection, most=_MOST_LISTED)
        known = store.frameworks(connection)
    current = {row.id for row in _current(rows)}
    return schemas.CalibrationListAnswer(
        calibrations=[_row(row, _read(row), current=row.id in current) for row in rows],
        frameworks=[schemas.FrameworkJobs(framework=name, jobs=jobs) for name, jobs in known.items()],
        fewest_jobs=FEWEST_RUNS,
    )


def read_calibration(database: Database, org_id: UUID, calibration_id: UUID) -> schemas.CalibrationAnswer:
    """Return a calibration with the finished jobs that it was fitted to."""
    with database.transaction(org_id) as connection:
        row = store.demand_calibration(connection, calibration_id)
        rows = store.calibrations(connection, most=_MOST_LISTED)
    calibration = _read(row)
    current = row.id in {each.id for each in _current(rows)}
    return schemas.CalibrationAnswer.from_fields(
        _row(row, calibration, current=current),
        coefficients=calibration.coefficients,
        points=[
            schemas.CalibrationPoint.from_fields(
                run,
                predicted_before_s=run.bound_s,
                low=run.low_s,
                high=run.high_s,
                loo_error_pct=run.left_out_error_pct,
            )
            for run in calibration.runs
        ],
        next_runs=row.content["next_runs"],
        left_out=row.content["left_out"],
        extrapolates="; ".join(row.content["beyond"]) or None,
    )


def job_row(row: StoredJob) -> schemas.FinishedJobRow:
    """Convert a stored job to a row of a list."""
    job = FinishedJob.from_dict(row.workload)
    return schemas.FinishedJobRow.from_fields(
        job, id=row.id, person=row.person, created_at=row.created_at, withdrawn_at=row.withdrawn_at
    )


def _read(row: StoredCalibration) -> Calibration:
    return Calibration.from_dict(row.content["calibration"])


def _content(calibrated: Calibrated) -> dict[str, Any]:
    return {
        "calibration": calibrated.calibration.to_dict(),
        "next_runs": [{name: getattr(each, name) for name in _NEXT_RUN} for each in calibrated.next_runs],
        "left_out": [{"name": name, "reason": reason} for name, reason in calibrated.left_out],
        "beyond": list(calibrated.asked_expected.beyond),
    }


def _current(rows: Sequence[StoredCalibration]) -> Iterator[StoredCalibration]:
    """Yield the newest calibration of each framework from rows that are sorted newest first."""
    seen = set[str]()
    for row in rows:
        if row.framework not in seen:
            seen.add(row.framework)
            yield row


def _row(row: StoredCalibration, calibration: Calibration, *, current: bool) -> schemas.CalibrationRow:
    return schemas.CalibrationRow.from_fields(
        row,
        name=calibration.framework,
        runs=len(calibration.runs),
        median_error_before_pct=calibration.median_error_before_pct,
        median_error_pct=calibration.median_error_pct,
        evidence=calibration.evidence,
        current=current,
        outdated=calibration.outdated,
    )
