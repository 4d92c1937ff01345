"""Use of a run's results: acceptance as measurements, comparison of runs, and the effect on saved plans.

An id that is unknown or of another team raises `NotFound`.
"""

import hashlib
import io
import zipfile
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID, uuid5

from stowage.features.benchmarks import run_views
from stowage.features.benchmarks.run_measured import Measured, measured_of
from stowage.features.benchmarks.run_quotes import MOST_PLANS
from stowage.features.benchmarks.schemas import (
    MOST_COMPARED,
    ComparedRowAnswer,
    PlanRerankedAnswer,
    RerankingAnswer,
    RunComparisonAnswer,
)
from stowage.features.benchmarks.store import aws_accounts, run_news
from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.aws_accounts import NamedAccount
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.benchmarks.stored_runs import run_of, written_spec
from stowage.features.calibration import team_knowledge
from stowage.features.measurements import measurements, uploads
from stowage.features.measurements.sandboxed_reading import (
    MOST_FAILURES,
    FileUnreadable,
    Input,
    SandboxedReader,
    reader,
    refusal,
)
from stowage.features.measurements.schemas import Keeping, KeptAnswer, ReadingToKeep, TargetSection
from stowage.features.measurements.store import measurements as measurement_store
from stowage.features.measurements.store import profiles
from stowage.features.measurements.store import uploads as upload_store
from stowage.features.measurements.store.uploads import PIECE_BYTES, StagedReading
from stowage.features.measurements.stored_readings import Fingerprints, written
from stowage.features.planning import reranking
from stowage.features.planning import store as plan_store
from stowage.features.planning.store import StoredPlan
from stowage.frozen import frozen
from stowage.measure.errors import Unreadable
from stowage.measure.reading import Reading
from stowage.platform import quotas
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.jobs.queue import Queue
from stowage.processes.sandboxed import Stopped
from stowage.runs.assembly import ResultFile
from stowage.runs.run import ENDED, Run
from stowage.workloads import stored_answers
from stowage.workloads.stored import parse_stored_workload

MOST_RERANKED = 5
"""Number of plans that are ranked both without and with a run's results."""

_MADE_AT = (1980, 1, 1, 0, 0, 0)
"""Fixed time stamp in the archive, so that the same results always give the same bytes."""
_MOMENT = timedelta(microseconds=1)
_APART = timedelta(seconds=5)
"""Allowed difference between our clock and the database's."""


@frozen
class _MeasuredRun:
    """One run of a comparison, with its results."""

    stored: StoredRun
    run: Run
    measured: Measured
    account: NamedAccount | None


def accept_run(
    database: Database, org_id: UUID, queue: Queue, run_id: UUID, *, person: str, now: datetime
) -> KeptAnswer:
    """Store the results of a run as measurements, and recompute the team's profiles.

    The measured hardware is taken from the specification of the run. The results become a file that is stored like an
    upload, so that users can read, download and validate it. A repeated call returns the same answer. An interrupted
    call can be repeated, as the file is named after the run.

    Raises
    ------
    Conflict
        The run has not ended, or has no results.
    """
    found = _found(database, org_id, [run_id])[0]
    if found.stored.accepted_upload_id is not None:
        with database.transaction(org_id) as connection:
            kept = measurement_store.of_upload(connection, found.stored.accepted_upload_id)
        return KeptAnswer(measurements=list(kept), known=0, refused=[], profiles=[])
    if found.run.state not in ENDED:
        raise Conflict("It has not ended yet: what it measures can be kept when it has.")
    if not found.measured.files:
        raise Conflict("It has measured nothing that could be kept.")
    upload_id = uuid5(run_id, "results")
    staged, targets, remarks = _staged(found.measured.files)
    if not staged:
        raise Conflict(f"It has measured nothing that could be kept. {' '.join(remarks)}")
    _stage(database, org_id, upload_id, found.measured.files, staged, name=_name(run_id), person=person, now=now)
    keeping = Keeping(readings=[ReadingToKeep(position=each.position, target=targets[each.member]) for each in staged])
    answer = measurements.keep(database, org_id, upload_id, keeping, person=person, now=now)
    with database.transaction(org_id) as connection:
        # The upload does not exist if all of its results were stored before.
        if upload_store.get(connection, upload_id) is not None and store.accept(connection, run_id, upload_id):
            words = f"{person} kept what it measured: {len(answer.measurements):,} measurements"
            run_news.add_events(connection, run_id, [NewEvent(now, "remark", each, {}) for each in (*remarks, words)])
    queue.announce(run_id)
    return answer


def compare_runs(database: Database, org_id: UUID, ids: str) -> RunComparisonAnswer:
    """Compare the results of several runs.

    Percentages are relative to the first run.

    Parameters
    ----------
    ids : str
        Run ids, separated by commas.

    Raises
    ------
    BadInput
        The text is not a list of ids, or the list is too long.
    """
    found = _found(database, org_id, _ids(ids))
    values: dict[tuple[str, str], list[float | None]] = {}
    said: dict[tuple[str, str], tuple[str, str]] = {}
    for place, each in enumerate(found):
        for result in each.measured.results:
            for metric in result.metrics:
                key = result.phase, metric.name
                said[key] = metric.what, metric.unit
                values.setdefault(key, [None] * len(found))[place] = metric.value
    return RunComparisonAnswer(
        runs=[run_views.summary(each.stored, each.run, each.account) for each in found],
        rows=[
            ComparedRowAnswer(
                phase=phase,
                name=name,
                what=said[phase, name][0],
                unit=said[phase, name][1],
                values=row,
                percent=[None if each is None or not row[0] else 100.0 * (each / row[0] - 1.0) for each in row],
            )
            for (phase, name), row in values.items()
        ],
        differences=_differences([each.run for each in found]),
    )


def rerank_by_run(database: Database, org_id: UUID, run_id: UUID) -> RerankingAnswer:
    """Return the changes that a run's accepted results made in the newest saved plans.

    Only plans that rank the instance type of the run are returned.
    """
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, run_id)
        upload_id = stored.accepted_upload_id
        kept = () if upload_id is None else measurement_store.of_upload(connection, upload_id)
        first = None if not kept else measurement_store.get(connection, kept[0])
        made_at = None
        if first is not None:
            made_at = profiles.made_at(connection, first.created_at - _APART, name=_name(run_id))
        newest = plan_store.list_newest(connection, limit=MOST_PLANS)
    spec = run_of(stored).spec
    with database.transaction(org_id) as connection:
        found = (plan_store.get(connection, row.id) for row in newest)
        ranking = (each for each in found if each is not None and _ranks(each, spec.instance, spec.region))
        plans = list(islice(ranking, MOST_RERANKED))
    if made_at is None:
        return RerankingAnswer(run_id=run_id, plans=[])
    # Leave out measurements that were accepted after this run's results.
    before = team_knowledge.stored_knowledge(database, org_id, made_at - _MOMENT)
    behind = team_knowledge.stored_knowledge(database, org_id, made_at)
    answers = []
    for plan in plans:
        try:
            measured = reranking.rerank(parse_stored_workload(plan.workload), before, behind)
        except BadInput:
            # The catalog or the framework of the plan does not exist any more.
            continue
        if measured is not None and any(each.target == spec.instance for each in measured.differences):
            answers.append(PlanRerankedAnswer(plan_id=plan.id, name=plan.name, measured=measured))
    return RerankingAnswer(run_id=run_id, plans=answers)


def _found(database: Database, org_id: UUID, run_ids: Sequence[UUID]) -> list[_MeasuredRun]:
    with database.transaction(org_id) as connection:
        stored = store.get_all(connection, run_ids)
        missing = next((each for each in run_ids if each not in stored), None)
        if missing is not None:
            raise NotFound(f"There is no run {missing}.")
        reported = {each: run_news.reported(connection, each) for each in run_ids}
        names = aws_accounts.names(connection)
    found = []
    for run_id in run_ids:
        row = stored[run_id]
        run = run_of(row, frozenset(reported[run_id]))
        found.append(
            _MeasuredRun(
                row,
                run,
                measured_of(database, org_id, run, reported[run_id]),
                names.get(row.account_id),
            )
        )
    return found


def _ids(text: str) -> list[UUID]:
    problem = f"takes one to {MOST_COMPARED} ids of runs, with commas between them"
    try:
        ids = list(dict.fromkeys(UUID(each.strip()) for each in text.split(",")))
    except ValueError:
        raise BadInput([Problem("ids", problem)]) from None
    if len(ids) > MOST_COMPARED:
        raise BadInput([Problem("ids", problem)])
    return ids


def _differences(runs: Sequence[Run]) -> list[str]:
    """List the fields in which the specifications of runs differ.

    Each field is listed with its value in each run, as in ``nodes: 4, 8``.
    """
    specs = [written_spec(each.spec) for each in runs]
    flat = [dict(_leaves(each)) for each in specs]
    names = dict.fromkeys(name for each in flat for name in each)
    told = []
    for name in names:
        values = [each.get(name) for each in flat]
        if any(value != values[0] for value in values[1:]):
            told.append(f"{name.replace('_', ' ')}: {', '.join('none' if v is None else str(v) for v in values)}")
    return told


def _leaves(document: Mapping[str, object], before: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, value in document.items():
        if isinstance(value, dict):
            found += _leaves(value, f"{before}{name} ")
        else:
            found.append((f"{before}{name}", ", ".join(map(str, value)) if isinstance(value, list) else value))
    return found


def _staged(files: Sequence[ResultFile]) -> tuple[list[StagedReading], dict[str, TargetSection], list[str]]:
    """Parse the result files of a run with the parsers for uploads.

    Returns
    -------
    tuple of (list of StagedReading, dict of str to TargetSection, list of str)
        The parsed results, the measured hardware by file name, and a remark on each file that failed.
    """
    staged: list[StagedReading] = []
    targets: dict[str, TargetSection] = {}
    remarks: list[str] = []
    left = deque(files)
    stopped: list[Stopped] = []
    while left and len(stopped) < MOST_FAILURES:
        with reader(lambda: None) as sandboxed:
            while left and (stop := _stage_file(sandboxed, left.popleft(), staged, targets, remarks)) is None:
                pass
        stopped += [] if stop is None else [stop]
    remarks += [f"{file.name} was not read: the reader was stopped too often on other files" for file in left]
    return staged, targets, remarks


def _stage_file(
    sandboxed: SandboxedReader,
    file: ResultFile,
    staged: list[StagedReading],
    targets: dict[str, TargetSection],
    remarks: list[str],
) -> Stopped | None:
    """Parse one result file of a run, and add its results to `staged`.

    If the file cannot be read, the reason is added to `remarks`.

    Returns
    -------
    Stopped or None
        The error if the sandboxed parser was stopped.
    """
    targets[file.name] = TargetSection.model_validate(file.target)
    documents = []
    try:
        for found in sandboxed.read(Input.of(file.name, file.content)):
            if isinstance(found, Reading):
                documents.append(written(found))
            elif isinstance(found, FileUnreadable):
                raise found.error
    except Unreadable as error:
        # Output of a node is untrusted.
        remarks.append(f"{file.name} cannot be read: {error.message}")
        return None
    except Stopped as error:
        remarks.append(f"{file.name} cannot be read: {refusal([error]).message}")
        return error
    fingerprints = Fingerprints()
    staged += [
        StagedReading(len(staged) + place, file.name, document, fingerprints.of(document))
        for place, document in enumerate(documents)
    ]
    return None


def _stage(
    database: Database,
    org_id: UUID,
    upload_id: UUID,
    files: Sequence[ResultFile],
    staged: Sequence[StagedReading],
    *,
    name: str,
    person: str,
    now: datetime,
) -> None:
    """Store results as an upload that was already parsed; do nothing if the upload exists."""
    content = _archive(files)
    with database.transaction(org_id) as connection:
        upload_store.one_at_a_time(connection)
        if upload_store.get(connection, upload_id) is not None:
            return
        upload_store.begin(connection, upload_id, name=name, size_bytes=len(content), person=person, now=now)
        quotas.hold(connection, *uploads.QUOTAS_OF_UPLOADS, now=now)
        for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
            upload_store.add_piece(connection, upload_id, number, content[first : first + PIECE_BYTES])
        upload_store.stage(connection, upload_id, staged, ())
        upload_store.set_state(connection, upload_id, "read", sha256=hashlib.sha256(content).digest())


def _name(run_id: UUID) -> str:
    """Return the name of the file that contains a run's results."""
    return f"run-{run_id}.zip"


def _archive(files: Sequence[ResultFile]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(zipfile.ZipInfo(file.name, _MADE_AT), file.content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def _ranks(plan: StoredPlan, instance: str, region: str) -> bool:
    """Return whether a plan is for the given region and ranks the given instance type."""
    # Converting the whole answer would take far longer than looking at the names.
    if instance not in stored_answers.instances_of(plan.answer):
        return False
    try:
        return parse_stored_workload(plan.workload).place.region == region
    except BadInput:
        # Written for an earlier version.
        return False
