"""Routes for finished jobs and calibrations under /api/v1. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Body, Query, Response
from pydantic import Field

from stowage.features.calibration import calibrations, finished_job_views, jobs_of_logs, schemas, validation
from stowage.features.calibration.validation import ValidationAnswer
from stowage.web.admission import needs
from stowage.web.parameters import Cursor
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices
from stowage.workloads.knowledge import packaged_knowledge

router = ApiRouter(responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("measurements.read")]
Writing = Annotated[TeamServices, needs("measurements.write")]
Knowing = Annotated[TeamServices, needs("catalog.read")]


@router.post("/finished-jobs", status_code=201, responses=CONFLICT | NOT_ACCEPTED, tags=["finished jobs"])
def keep_finished_jobs(
    # Strict: text sent as JSON is not accepted as bytes.
    jobs: Annotated[bytes, Body(media_type="text/csv"), Field(strict=True)],
    services: Writing,
) -> schemas.KeptJobsAnswer:
    """Store the finished jobs of a CSV file, which has one job per line; invalid lines are reported."""
    return calibrations.keep_jobs(services.database, services.org_id, jobs, person=services.actor.name)


@router.get("/uploads/{upload_id}/finished-jobs", responses=NOT_ACCEPTED, tags=["finished jobs"])
def list_logged_jobs(
    upload_id: UUID,
    services: Reading,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> schemas.LoggedJobListAnswer:
    """List the finished jobs found in an uploaded log."""
    return jobs_of_logs.list_logged(services.database, services.org_id, upload_id, offset=offset, limit=limit)


@router.post("/uploads/{upload_id}/finished-jobs", responses=CONFLICT | NOT_ACCEPTED, tags=["finished jobs"])
def keep_logged_jobs(upload_id: UUID, jobs: schemas.KeepLoggedJobs, services: Writing) -> schemas.KeptJobsAnswer:
    """Store selected jobs of an uploaded log, and delete the log.

    The request has the details of the jobs that the log lacks.
    """
    return jobs_of_logs.keep_logged(services.database, services.org_id, upload_id, jobs, person=services.actor.name)


@router.get("/finished-jobs", responses=NOT_ACCEPTED, tags=["finished jobs"])
def list_finished_jobs(
    services: Reading,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    cursor: Cursor = None,
    framework: Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")] = None,
) -> schemas.FinishedJobListAnswer:
    """List finished jobs, newest first."""
    return calibrations.list_jobs(services.database, services.org_id, limit=limit, cursor=cursor, framework=framework)


@router.get("/finished-jobs/{finished_job_id}", responses=NOT_ACCEPTED, tags=["finished jobs"])
def read_finished_job(finished_job_id: UUID, services: Reading) -> schemas.FinishedJobAnswer:
    """Return a finished job with its prediction."""
    return finished_job_views.read_job(services.database, services.org_id, finished_job_id)


@router.post("/finished-jobs/{finished_job_id}/series", responses=NOT_ACCEPTED, tags=["finished jobs"])
def set_series_of_job(
    finished_job_id: UUID, series: schemas.SeriesOfJob, services: Writing
) -> schemas.FinishedJobAnswer:
    """Replace the list of measurements that were recorded during a job."""
    calibrations.set_series(services.database, services.org_id, finished_job_id, series.measurements, services.actor)
    return finished_job_views.read_job(services.database, services.org_id, finished_job_id)


@router.delete("/finished-jobs/{finished_job_id}", responses=NOT_ACCEPTED, tags=["finished jobs"])
def withdraw_finished_job(finished_job_id: UUID, services: Writing) -> schemas.FinishedJobRow:
    """Exclude a job from future calibrations; the job can be restored."""
    return calibrations.withdraw(services.database, services.org_id, finished_job_id, datetime.now(UTC))


@router.post("/finished-jobs/{finished_job_id}/restore", responses=NOT_ACCEPTED, tags=["finished jobs"])
def restore_finished_job(finished_job_id: UUID, services: Writing) -> schemas.FinishedJobRow:
    """Include a withdrawn job in future calibrations again."""
    return calibrations.withdraw(services.database, services.org_id, finished_job_id, None)


@router.get("/calibrations", responses=NOT_ACCEPTED, tags=["calibrations"])
def list_calibrations(services: Reading) -> schemas.CalibrationListAnswer:
    """List the calibrations, newest first, and the number of finished jobs of each framework."""
    return calibrations.list_calibrations(services.database, services.org_id)


@router.post("/calibrations", status_code=201, responses=NOT_ACCEPTED, tags=["calibrations"])
def fit_framework(asked: schemas.Calibrate, services: Writing, response: Response) -> schemas.CalibrationAnswer:
    """Fit the calibration of a framework to the team's finished jobs.

    The team's predictions use the new calibration from now on.
    """
    made = calibrations.fit_framework(
        services.database,
        services.org_id,
        asked.framework,
        person=services.actor.name,
        today=datetime.now(UTC).date(),
    )
    response.headers["Location"] = f"/api/v1/calibrations/{made.id}"
    return made


@router.get("/calibrations/{calibration_id}", responses=NOT_ACCEPTED, tags=["calibrations"])
def read_calibration(calibration_id: UUID, services: Reading) -> schemas.CalibrationAnswer:
    """Return a calibration with the finished jobs that it was fitted to."""
    return calibrations.read_calibration(services.database, services.org_id, calibration_id)


@router.get("/validation", responses=NOT_ACCEPTED, tags=["service"])
def read_validation(services: Knowing) -> ValidationAnswer:
    """Compare every published result with the model's prediction. The answer is the same for every team."""
    services.database.end_begun()
    return validation.validate(packaged_knowledge)
