"""Measurements: storing the results of an upload, listing them, and adding verdicts on their quality.

An id that is unknown or of another team raises `NotFound`; a cursor of another list raises `BadInput`.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from stowage.features.catalog import catalogs
from stowage.features.measurements import profiles, schemas
from stowage.features.measurements.reading_answers import headline, metric_answers, series_answers
from stowage.features.measurements.store import measurements as store
from stowage.features.measurements.store import uploads as upload_store
from stowage.features.measurements.store.measurements import (
    MeasurementSummary,
    StoredMeasurement,
    StoredVerdict,
    Wanted,
)
from stowage.features.measurements.store.uploads import StagedReading, StoredUpload
from stowage.features.measurements.stored_readings import read
from stowage.features.measurements.targets import Market, read_target
from stowage.measure.judging.judgement import Judgement
from stowage.measure.target import Target
from stowage.platform.access import Actor
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.paging import read_page


def judge_reading(database: Database, org_id: UUID, upload_id: UUID, asked: schemas.ReadingToJudge) -> Judgement:
    """Judge the quality of an uploaded result for a target that the user entered.

    A target is the measured hardware. Nothing is stored.

    Raises
    ------
    NotFound
        There is no such upload or result, or it belongs to another team.
    BadInput
        The target is invalid or incomplete.
    """
    with database.transaction(org_id) as connection:
        staged = upload_store.reading(connection, upload_id, asked.position)
        if staged is None:
            upload_store.demand(connection, upload_id)
            raise NotFound(f"There is no reading {asked.position:,} of upload {upload_id}.")
        before = profiles.known_before(connection)
    market = Market(catalogs.published_knowledge(database), before)
    try:
        target = read_target(asked.target.model_dump())
        reading = read(staged.content)
        problems = market.problems(reading, target)
    except BadInput as error:
        problems = list(error.problems)
    if problems:
        raise BadInput([_under("target", problem) for problem in problems])
    return market.judge(reading, target)


def keep(
    database: Database, org_id: UUID, upload_id: UUID, keeping: schemas.Keeping, *, person: str, now: datetime
) -> schemas.KeptAnswer:
    """Store results of an upload as measurements, and recompute the team's profiles.

    Both happen in one transaction. Results that the team has stored before, from any file, are skipped. If no result is
    new, the uploaded file is deleted. If an earlier call has already stored results of this upload, the answer of that
    call is returned again.

    Raises
    ------
    BadInput
        Targets are invalid or incomplete; all problems are listed.
    Conflict
        The upload has not been read, or was refused.
    """
    with database.transaction(org_id) as connection:
        # Lock the row, so that the upload cannot be deleted with its results between two queries.
        upload = upload_store.get(connection, upload_id, lock=True)
        if upload is None:
            return _kept_before(connection, upload_id)
        staged = {each.position: each for each in upload_store.readings(connection, upload_id)}
        before = profiles.known_before(connection)
    _refuse_unread(upload)
    market = Market(catalogs.published_knowledge(database), before)
    measurements = _judged(market, upload, keeping, staged, person=person, now=now)
    catalog = catalogs.newest_catalog(database)
    with database.transaction(org_id) as connection:
        upload_store.one_at_a_time(connection)
        locked = upload_store.get(connection, upload_id, lock=True)
        if locked is None:
            return _kept_before(connection, upload_id)
        _refuse_unread(locked)
        added = store.insert_all(connection, measurements)
        changed: Sequence[str] = ()
        if added:
            upload_store.set_state(connection, upload_id, "kept", expires_at=None)
            upload_store.unread(connection, upload_id)
            changed = profiles.renew(connection, catalog, _cause(len(added), upload.name))
        else:
            upload_store.remove(connection, upload_id)
    return schemas.KeptAnswer(
        measurements=[each.id for each in measurements if each.id in added],
        known=len(measurements) - len(added),
        refused=[],
        profiles=list(changed),
    )


def list_measurements(
    database: Database, org_id: UUID, wanted: Wanted, *, limit: int, cursor: str | None
) -> schemas.MeasurementListAnswer:
    """Return the team's measurements, newest first."""
    with database.transaction(org_id) as connection:
        page, next_cursor = read_page(limit, cursor, partial(store.list_newest, connection, wanted))
    return schemas.MeasurementListAnswer(
        measurements=[schemas.MeasurementSummaryAnswer.from_fields(row, **_shown(row)) for row in page],
        next_cursor=next_cursor,
    )


def read_measurement(database: Database, org_id: UUID, measurement_id: UUID) -> schemas.MeasurementAnswer:
    """Return a measurement with its details and people's verdicts."""
    with database.transaction(org_id) as connection:
        stored = store.demand(connection, measurement_id)
        said = store.verdicts(connection, measurement_id)
        resting = profiles.keys_of(connection, measurement_id)
    return schemas.MeasurementAnswer.from_fields(
        stored,
        **_shown(stored),
        verdict=said[0].verdict if said else stored.verdict,
        metrics=metric_answers(stored.metrics),
        series=series_answers(stored.series, thinned=False),
        judgement={"verdict": stored.verdict, "reasons": stored.reasons},
        verdicts=[schemas.VerdictAnswer.from_fields(each, person=each.person_name) for each in said],
        profiles=list(resting),
    )


def say_verdict(
    database: Database, org_id: UUID, measurement_id: UUID, new: schemas.NewVerdict, *, actor: Actor, now: datetime
) -> schemas.MeasurementAnswer:
    """Store a user's verdict on a measurement, and recompute the team's profiles."""
    catalog = catalogs.newest_catalog(database)
    with database.transaction(org_id) as connection:
        upload_store.one_at_a_time(connection)
        stored = store.demand(connection, measurement_id)
        said = StoredVerdict(new.verdict, new.reason, actor.id, actor.name, now)
        store.say(connection, measurement_id, said)
        profiles.renew(connection, catalog, f"{stored.name}: {new.verdict}, says {actor.name}")
    return read_measurement(database, org_id, measurement_id)


def _judged(
    market: Market,
    upload: StoredUpload,
    keeping: schemas.Keeping,
    staged: dict[int, StagedReading],
    *,
    person: str,
    now: datetime,
) -> list[StoredMeasurement]:
    """Build the measurements to store from the selected results, in the order of the file.

    Raises
    ------
    BadInput
        A result is unknown or named twice, its target is invalid or incomplete, or no result is selected.
    """
    problems: list[Problem] = []
    measurements: dict[int, StoredMeasurement] = {}
    seen: set[int] = set()
    for index, asked in enumerate(keeping.readings):
        path = f"readings.{index}"
        found = staged.get(asked.position)
        if asked.position in seen or found is None:
            what = "is named twice" if asked.position in seen else "was not read of this upload"
            problems.append(Problem(f"{path}.position", f"{asked.position} {what}"))
            continue
        seen.add(asked.position)
        if not asked.keep:
            continue
        try:
            target = read_target(asked.target.model_dump())
            wrong = market.problems(read(found.content), target)
            if keeping.source is not None and target.region is None:
                # The publication may not state the place.
                wrong = [problem for problem in wrong if problem.path != "region"]
        except BadInput as error:
            wrong = list(error.problems)
        if wrong:
            problems += [_under(f"{path}.target", problem) for problem in wrong]
        elif not problems:
            measurements[asked.position] = _measurement(market, upload, found, target, keeping.source, person, now)
    if problems:
        raise BadInput(problems)
    if not measurements:
        raise BadInput([Problem("readings", "none is to be kept; remove the upload if you want nothing of it")])
    return [measurements[position] for position in sorted(measurements)]


def _measurement(
    market: Market,
    upload: StoredUpload,
    staged: StagedReading,
    target: Target,
    source: str | None,
    person: str,
    now: datetime,
) -> StoredMeasurement:
    reading = read(staged.content)
    judgement = market.judge(reading, target)
    content = {name: value for name, value in staged.content.items() if name != "started_at"}
    return StoredMeasurement(
        id=uuid4(),
        upload_id=upload.id,
        member=staged.member,
        position=staged.position,
        fingerprint=staged.fingerprint,
        measured_at=reading.started_at,
        target=target.to_dict(),
        instance=target.instance,
        region=target.region,
        verdict=judgement.verdict,
        reasons=[asdict(reason) for reason in judgement.reasons],
        source=source,
        person=person,
        created_at=now,
        **content,
    )


def _shown(row: MeasurementSummary) -> dict[str, Any]:
    """Return the target and the most important metrics of a measurement, as answers state them."""
    target = Target.from_dict(row.target)
    return {"target": target, "target_words": target.words(), "headline": headline(row.metrics)}


def _cause(added: int, name: str) -> str:
    return f"{added:,} measurement{'s' if added > 1 else ''} of {name} kept"


def _kept_before(connection: Connection, upload_id: UUID) -> schemas.KeptAnswer:
    upload_store.demand(connection, upload_id)
    kept = store.of_upload(connection, upload_id)
    return schemas.KeptAnswer(measurements=list(kept), known=0, refused=[], profiles=[])


def _refuse_unread(upload: StoredUpload) -> None:
    if upload.state == "refused":
        raise Conflict(f"It was refused: {upload.problem}")
    if upload.state != "read":
        raise Conflict("It is not read yet: wait until its job is done.")


def _under(path: str, problem: Problem) -> Problem:
    return Problem(f"{path}.{problem.path}" if problem.path else path, problem.message)
