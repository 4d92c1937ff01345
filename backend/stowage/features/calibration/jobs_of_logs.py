"""Finished jobs that were found in an uploaded log: list them, complete missing details, and store them.

An id that is unknown or of another team raises `NotFound`.
"""

from uuid import UUID

from stowage.features.calibration import calibrations, schemas, team_knowledge
from stowage.features.calibration.calibrating import prediction_of
from stowage.features.measurements.store import uploads as upload_store
from stowage.measure.fits.finished_jobs import accepted_instead
from stowage.measure.logs.from_logs import ACCEPTED, ClusterOfLog, finished_job, is_size, lacking
from stowage.measure.logs.logged_jobs import FRAMEWORKS, LoggedJob
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Conflict, Problem


def list_logged(
    database: Database, org_id: UUID, upload_id: UUID, *, offset: int, limit: int
) -> schemas.LoggedJobListAnswer:
    """Return the finished jobs found in an upload, in the order of the file."""
    with database.transaction(org_id) as connection:
        upload_store.demand(connection, upload_id)
        staged = upload_store.logged_jobs(connection, upload_id, offset=offset, limit=limit)
        total = upload_store.counts(connection, [upload_id])[upload_id].jobs
    return schemas.LoggedJobListAnswer(
        upload_id=upload_id,
        jobs=[_answer(each.position, each.member, LoggedJob.from_dict(each.content)) for each in staged],
        total=total,
    )


def keep_logged(
    database: Database, org_id: UUID, upload_id: UUID, asked: schemas.KeepLoggedJobs, *, person: str
) -> schemas.KeptJobsAnswer:
    """Store selected jobs of an upload as finished jobs, and delete the upload with its log.

    Both happen in one transaction. A job that was stored before is not stored again; a withdrawn job is restored.

    Raises
    ------
    BadInput
        Fields are invalid, or jobs are not in the log; all problems are listed.
    Conflict
        The upload was not read or was refused, or the team would exceed its maximum number of jobs.
    """
    cluster = _cluster(asked)
    with database.transaction(org_id) as connection:
        upload_store.demand(connection, upload_id)
        staged = {each.position: each for each in upload_store.logged_jobs(connection, upload_id)}
    missing = [
        Problem(f"positions.{place}", f"there is no job {position:,}")
        for place, position in enumerate(asked.positions)
        if position not in staged
    ]
    if missing:
        raise BadInput(missing[:10])
    chosen = [LoggedJob.from_dict(staged[position].content) for position in dict.fromkeys(asked.positions)]
    if lack := lacking(chosen, cluster):
        raise BadInput([Problem(field, f"the log does not have it; accepted: {ACCEPTED[field]}") for field in lack])
    jobs = [finished_job(each, cluster) for each in chosen]
    # Raise now, instead of on each job's page, for input that cannot be predicted, such as an unknown type.
    prediction_of(jobs[0], team_knowledge.stored_knowledge(database, org_id))
    with database.transaction(org_id) as connection:
        upload = upload_store.get(connection, upload_id, lock=True)
        if upload is None:
            upload_store.demand(connection, upload_id)
        if upload is None or upload.state != "read":
            raise Conflict("It is not read: wait until it is, or upload it again.")
        kept = calibrations.add_jobs(connection, jobs, person)
        upload_store.remove(connection, upload_id)
    return schemas.KeptJobsAnswer(kept=kept, problems=[])


def _cluster(asked: schemas.KeepLoggedJobs) -> ClusterOfLog:
    """Return the details of the cluster that the request states.

    Raises
    ------
    BadInput
        A detail is not accepted.
    """
    said = {name: getattr(asked, name) for name in ("instance", "input_output", "framework", "region")}
    problems = [
        Problem(name, f"{value[:40]!a} is not accepted; accepted: {accepted}")
        for name, value in said.items()
        if value is not None and (accepted := accepted_instead(name, value)) is not None
    ]
    if asked.data is not None and not is_size(asked.data):
        problems.append(Problem("data", f"{asked.data[:40]!a} is not accepted; accepted: {ACCEPTED['data']}"))
    if problems:
        raise BadInput(problems)
    return ClusterOfLog(**said, replicas=asked.replicas, nodes=asked.nodes, job=asked.job, data=asked.data)


def _answer(position: int, member: str, job: LoggedJob) -> schemas.LoggedJobAnswer:
    return schemas.LoggedJobAnswer.from_fields(
        job,
        position=position,
        member=member,
        framework=FRAMEWORKS[job.source],
        job=job.kind,
        measured_s=job.time_s,
        phases=[schemas.LoggedPhaseAnswer(name=name, measured_s=time_s) for name, time_s in job.phases_s],
    )
