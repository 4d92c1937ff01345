"""Looking at a finished job beside what is predicted of it, and what monitors recorded while it ran."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from stowage.measure.calibration import Calibration
from stowage.measure.finished_jobs import FinishedJob
from stowage.measure.metrics import kind_of
from stowage.measure.observed import channel_of, spans_of, times_of
from stowage.measure.reading import Series
from stowage.model.framework import Framework
from stowage.model.frameworks import IDEAL
from stowage.model.infeasible import Infeasible
from stowage.model.prediction import Prediction
from stowage.store import finished_jobs as store
from stowage.store.database import Database
from stowage.usecases import catalogues, stored_readings
from stowage.usecases.access import DENIED
from stowage.usecases.answers import RangeAnswer
from stowage.usecases.calibrating import prediction_of
from stowage.usecases.calibration_answers import FinishedJobAnswer, JobPhaseAnswer, JobSeriesAnswer
from stowage.usecases.calibrations import job_row
from stowage.usecases.errors import BadInput, NotFound


def read_job(database: Database, org_id: UUID, job_id: UUID) -> FinishedJobAnswer:
    """Give a finished job with its prediction by physics alone, and with the team's calibration of its framework.

    Raises
    ------
    NotFound
        There is no such job, or it is another team's.
    """
    with database.transaction(org_id) as connection:
        row = store.get(connection, job_id)
        recorded = store.series_of(connection, job_id)
        fitted = () if row is None else store.calibrations_of(connection, row.workload["framework"])
    if row is None:
        raise NotFound(DENIED)
    job = FinishedJob.from_dict(row.workload)
    framework = Calibration.from_dict(fitted[0].content["calibration"]).to_framework() if fitted else None
    before, problem = _predicted(database, org_id, job, IDEAL)
    after = None if framework is None or before is None else _predicted(database, org_id, job, framework)[0]
    shown = after or before
    series = [(each.id, one) for each in recorded for one in stored_readings.read_series(each.series)]
    return FinishedJobAnswer(
        **job_row(row).model_dump(),
        predicted_before=None if before is None else RangeAnswer.of(before.time_s),
        predicted=None if after is None else RangeAnswer.of(after.time_s),
        problem=problem,
        phases=[] if shown is None else list(_phases(shown, job, [one for _, one in series])),
        series=[_series_answer(whose, one, job) for whose, one in series],
    )


def _predicted(
    database: Database, org_id: UUID, job: FinishedJob, framework: Framework
) -> tuple[Prediction | None, str | None]:
    try:
        found = prediction_of(job, catalogues.stored_knowledge(database, org_id), framework)
    except BadInput as error:
        return None, "; ".join(f"{each.path} {each.message}" for each in error.problems)
    if isinstance(found, Infeasible):
        return None, f"{found.reason}; needed: {found.nearest}"
    return found, None


def _phases(prediction: Prediction, job: FinishedJob, series: Sequence[Series]) -> Iterator[JobPhaseAnswer]:
    known_s = dict(job.phases_s)
    for span in spans_of(prediction.phases, job.measured_s, job.phases_s, series, job.started_at):
        yield JobPhaseAnswer(
            name=span.name,
            from_s=span.from_s,
            to_s=span.to_s,
            bottleneck=span.predicted,
            measured_s=known_s.get(span.name),
            seen=span.seen,
            agrees=span.agrees,
        )


def _series_answer(measurement_id: UUID, series: Series, job: FinishedJob) -> JobSeriesAnswer:
    kind = kind_of(series.name)
    return JobSeriesAnswer(
        measurement_id=measurement_id,
        name=series.name,
        what=kind.what,
        of=series.of,
        unit=kind.unit,
        resource=channel_of(series.name),
        times_s=list(times_of(series, job.started_at)),
        values=list(series.values),
    )
