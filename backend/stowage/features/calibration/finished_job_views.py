"""Detailed view of a finished job: measured and predicted phases, and the series that monitors recorded."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from stowage.features.calibration import schemas, team_knowledge
from stowage.features.calibration.calibrating import prediction_of
from stowage.features.calibration.calibrations import job_row
from stowage.features.calibration.store import finished_jobs as store
from stowage.features.calibration.store.finished_jobs import StoredCalibration
from stowage.features.measurements import stored_readings
from stowage.measure.fits.calibration import Calibration
from stowage.measure.fits.compared_phases import compared, furthest_off
from stowage.measure.fits.finished_jobs import FinishedJob
from stowage.measure.metrics import kind_of
from stowage.measure.profiling.observed import channel_of, spans_of, times_of
from stowage.measure.reading import Series
from stowage.model.infeasible import Infeasible
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, IDEAL, UNKNOWN
from stowage.model.prediction import Prediction
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput


def read_job(database: Database, org_id: UUID, job_id: UUID) -> schemas.FinishedJobAnswer:
    """Return a finished job with its physical limit and the prediction for its framework.

    Raises
    ------
    NotFound
        There is no such job, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        row = store.demand(connection, job_id)
        recorded = store.series_of(connection, job_id)
        fitted = store.calibrations_of(connection, row.workload["framework"])
    job = FinishedJob.from_dict(row.workload)
    framework, predicted_by = _framework_of(job, fitted)
    predicted, problem = _predicted(database, org_id, job, framework)
    pairs = () if predicted is None else compared(predicted.phases, job.phases_s)
    off = furthest_off(pairs)
    series = [(each.id, one) for each in recorded for one in stored_readings.read_series(each.series)]
    return schemas.FinishedJobAnswer.from_fields(
        job_row(row),
        physical_limit_s=None if predicted is None else predicted.physical_limit_s,
        predicted=None if predicted is None else predicted.time_s,
        predicted_by=predicted_by,
        problem=problem,
        compared=pairs,
        furthest_off=None if off is None else off.name,
        own_phases=[schemas.LoggedPhaseAnswer(name=name, measured_s=time_s) for name, time_s in job.phases_s],
        phases=[] if predicted is None else list(_phases(predicted, job, [one for _, one in series])),
        series=[_series_answer(whose, one, job) for whose, one in series],
    )


def _framework_of(job: FinishedJob, fitted: Sequence[StoredCalibration]) -> tuple[Framework, schemas.PredictedBy]:
    """Return the framework profile with which a job is predicted: the newest calibration or the packaged profile."""
    if fitted:
        return Calibration.from_dict(fitted[0].content["calibration"]).to_framework(), "calibration"
    known = FRAMEWORKS.get(job.framework)
    return (UNKNOWN, "unknown") if known is None or known.name in {IDEAL.name, UNKNOWN.name} else (known, "framework")


def _predicted(
    database: Database, org_id: UUID, job: FinishedJob, framework: Framework
) -> tuple[Prediction | None, str | None]:
    try:
        found = prediction_of(job, team_knowledge.stored_knowledge(database, org_id), framework)
    except BadInput as error:
        return None, "; ".join(f"{each.path} {each.message}" for each in error.problems)
    if isinstance(found, Infeasible):
        return None, f"{found.reason}; needed: {found.nearest}"
    return found, None


def _phases(prediction: Prediction, job: FinishedJob, series: Sequence[Series]) -> Iterator[schemas.JobPhaseAnswer]:
    known_s = dict(job.phases_s)
    spans = spans_of(prediction.phases, job.measured_s, job.phases_s, series, job.started_at)
    for span, phase in zip(spans, prediction.phases, strict=True):
        yield schemas.JobPhaseAnswer.from_fields(
            span, predicted_s=float(phase.time_s), bottleneck=span.predicted, measured_s=known_s.get(span.name)
        )


def _series_answer(measurement_id: UUID, series: Series, job: FinishedJob) -> schemas.JobSeriesAnswer:
    kind = kind_of(series.name)
    return schemas.JobSeriesAnswer(
        measurement_id=measurement_id,
        name=series.name,
        what=kind.what,
        of=series.of,
        unit=kind.unit,
        resource=channel_of(series.name),
        times_s=list(times_of(series, job.started_at)),
        values=list(series.values),
    )
