"""Queries of measurements and verdicts. Stored measurements and verdicts are never edited."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Text, cast, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.measurements.tables import VerdictWord, measurement, verdict
from stowage.frozen import frozen
from stowage.measure.reading import Status
from stowage.platform.database.rows import Rows, containing
from stowage.platform.paging import words_of


@frozen
class MeasurementSummary:
    """Summary of a measurement, for display in lists."""

    id: UUID
    tool: str
    tool_version: str | None
    status: Status
    name: str
    measured_at: datetime | None
    """None if the file does not state it."""
    metrics: Sequence[Mapping[str, Any]]
    """As in `stowage.measure.reading.Reading`."""
    target: Mapping[str, Any]
    """The hardware that was measured."""
    verdict: VerdictWord
    """The current verdict."""
    source: str | None
    """Publisher; None if the team measured it."""
    person: str
    created_at: datetime


@frozen
class StoredMeasured(MeasurementSummary):
    """A measurement with its current verdict, as input to profiles."""

    failure: str | None
    line: int
    duration_s: float | None
    """Duration of the measurement [s]."""
    settings: Mapping[str, str]
    host: Mapping[str, Any]
    notes: Sequence[str]
    """As in `stowage.measure.reading.Reading`."""


@frozen
class StoredMeasurement(StoredMeasured):
    """A measurement of one organisation.

    The field `verdict` is the automatic judgement, not the verdict of a user.
    """

    upload_id: UUID
    """Upload from which the measurement was read."""
    member: str
    """Path in the archive; "" if the file is not an archive."""
    position: int
    """Position in the upload, from 0."""
    fingerprint: bytes
    """SHA-256 of the measurement's content."""
    series: Sequence[Mapping[str, Any]]
    """As in `stowage.measure.reading.Reading`."""
    instance: str | None
    """Instance type of the target."""
    region: str | None
    """Region of the target."""
    reasons: Sequence[Mapping[str, Any]]


@frozen
class StoredVerdict:
    """A user's verdict on a measurement."""

    verdict: VerdictWord
    reason: str
    person_id: UUID | None
    person_name: str
    """Name of the user at the time of the verdict."""
    created_at: datetime


@frozen
class Wanted:
    """Filter of a list of measurements.

    A field with the value "" or None does not restrict the list.
    """

    search: str = ""
    """Words that must all occur in the texts of a measurement."""
    tool: str | None = None
    instance: str | None = None
    verdict: VerdictWord | None = None
    upload_id: UUID | None = None


_SAID = (
    select(verdict.c.verdict)
    .where(verdict.c.measurement_id == measurement.c.id)
    .order_by(verdict.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
CURRENT_VERDICT = func.coalesce(_SAID, measurement.c.verdict).label("verdict")
"""Newest verdict of a user; without one, the automatic judgement."""
_SEARCHED = (
    measurement.c.name,
    measurement.c.tool,
    measurement.c.tool_version,
    measurement.c.instance,
    measurement.c.region,
    measurement.c.member,
    measurement.c.source,
    cast(measurement.c.target, Text),
    cast(measurement.c.settings, Text),
)

_MEASUREMENTS = Rows(measurement, StoredMeasurement, noun="measurement")
_SUMMARIES = Rows(measurement, MeasurementSummary, computed=(CURRENT_VERDICT,))
_VERDICTS = Rows(verdict, StoredVerdict)
get, demand = _MEASUREMENTS.get, _MEASUREMENTS.demand


def insert_all(connection: Connection, stored: Sequence[StoredMeasurement]) -> frozenset[UUID]:
    """Store measurements of the team.

    Measurements whose content is already stored are skipped.

    Returns
    -------
    frozenset of UUID
        Ids of the new measurements.
    """
    if not stored:
        return frozenset()
    added = frozenset[UUID]()
    # The number of values in one statement is limited.
    for first in range(0, len(stored), 100):
        rows = [asdict(each) for each in stored[first : first + 100]]
        unless = insert_unless(measurement).values(rows)
        unless_known = unless.on_conflict_do_nothing(index_elements=["org_id", "fingerprint"])
        added |= frozenset(connection.execute(unless_known.returning(measurement.c.id)).scalars())
    return added


def list_newest(
    connection: Connection, wanted: Wanted, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[MeasurementSummary, ...]:
    """Return the measurements that a filter matches, newest first, one page at a time.

    The parameters `limit` and `before` are those of `stowage.features.planning.store.list_newest`.
    """
    which = containing(_SEARCHED, words_of(wanted.search))
    if wanted.tool is not None:
        which.append(measurement.c.tool == wanted.tool)
    if wanted.instance is not None:
        which.append(measurement.c.instance == wanted.instance)
    if wanted.verdict is not None:
        which.append(CURRENT_VERDICT.element.is_not_distinct_from(wanted.verdict))
    if wanted.upload_id is not None:
        which.append(measurement.c.upload_id == wanted.upload_id)
    return _SUMMARIES.list_newest(connection, *which, limit=limit, before=before)


def known(connection: Connection, fingerprints: Sequence[bytes]) -> dict[bytes, UUID]:
    """Return the ids of the stored measurements that have one of the given fingerprints, keyed by fingerprint."""
    found: dict[bytes, UUID] = {}
    for first in range(0, len(fingerprints), 5_000):
        asked = fingerprints[first : first + 5_000]
        query = select(measurement.c.fingerprint, measurement.c.id).where(measurement.c.fingerprint.in_(asked))
        found |= {bytes(fingerprint): measurement_id for fingerprint, measurement_id in connection.execute(query)}
    return found


def of_upload(connection: Connection, upload_id: UUID) -> tuple[UUID, ...]:
    """Return the stored measurements of an upload, in the order of the file."""
    query = select(measurement.c.id).where(measurement.c.upload_id == upload_id).order_by(measurement.c.position)
    return tuple(connection.execute(query).scalars())


def remembered(connection: Connection, hosts: Sequence[str]) -> dict[str, tuple[Mapping[str, Any], datetime]]:
    """Return the newest stored target of each host, with the time of storing.

    A target is the measured hardware. Hosts without a stored measurement are left out.
    """
    name = measurement.c.host["name"].as_string()
    query = (
        select(name, measurement.c.target, measurement.c.created_at)
        .ext(distinct_on(name))
        .where(name.in_(hosts))
        .order_by(name, measurement.c.created_at.desc(), measurement.c.id.desc())
    )
    return {host: (target, at) for host, target, at in connection.execute(query)}


def say(connection: Connection, measurement_id: UUID, said: StoredVerdict) -> None:
    """Add a verdict on a measurement, which becomes the current verdict.

    Earlier verdicts stay stored.
    """
    _VERDICTS.store(connection, said, measurement_id=measurement_id)


def verdicts(connection: Connection, measurement_id: UUID) -> tuple[StoredVerdict, ...]:
    """Return the verdicts on a measurement, newest first. The newest verdict is the current one."""
    of_it = verdict.c.measurement_id == measurement_id
    return _VERDICTS.list_all(connection, of_it, order=(verdict.c.id.desc(),))
