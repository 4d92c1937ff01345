"""Queries of measurements and verdicts; neither is ever edited."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, Text, cast, func, insert, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.measurements.tables import ReadingStatus, VerdictWord, measurement, verdict
from stowage.platform.database.columns import columns_of
from stowage.platform.database.lists import newest_first


@dataclass(frozen=True, slots=True)
class StoredMeasurement:
    """A measurement of one organisation.

    Parameters
    ----------
    id, upload_id : UUID
        Ids of the measurement and of the upload from which the measurement was read.
    member : str
        Path in the archive; "" if the file is not an archive.
    position : int
        Position in the upload, from 0.
    fingerprint : bytes
        SHA-256 of the measurement's content.
    tool : str
    tool_version : str or None
    status : {'ok', 'partial', 'failed'}
    failure : str or None
    name : str
    line : int
    measured_at : datetime or None
    duration_s : float or None
        Duration of the measurement [s].
    settings, host : Mapping
    metrics, series, notes : sequence
        As in `stowage.measure.reading.Reading`.
    target : Mapping
        The hardware that was measured.
    instance, region : str or None
        Instance type and region of the target.
    verdict : {'good', 'doubtful', 'rejected'}
        The automatic judgement.
    reasons : sequence of Mapping
    source : str or None
        Publisher; None if the team measured it.
    person : str
    created_at : datetime
    """

    id: UUID
    upload_id: UUID
    member: str
    position: int
    fingerprint: bytes
    tool: str
    tool_version: str | None
    status: ReadingStatus
    failure: str | None
    name: str
    line: int
    measured_at: datetime | None
    duration_s: float | None
    settings: Mapping[str, str]
    host: Mapping[str, Any]
    metrics: Sequence[Mapping[str, Any]]
    series: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    target: Mapping[str, Any]
    instance: str | None
    region: str | None
    verdict: VerdictWord
    reasons: Sequence[Mapping[str, Any]]
    source: str | None
    person: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MeasurementSummary:
    """A measurement in a list; `verdict` is its current verdict."""

    id: UUID
    tool: str
    tool_version: str | None
    status: ReadingStatus
    name: str
    measured_at: datetime | None
    metrics: Sequence[Mapping[str, Any]]
    target: Mapping[str, Any]
    verdict: VerdictWord
    source: str | None
    person: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A user's verdict on a measurement.

    Parameters
    ----------
    verdict : {'good', 'doubtful', 'rejected'}
    reason : str
    person_id : UUID or None
    person_name : str
        Name of the user at the time of the verdict.
    created_at : datetime
    """

    verdict: VerdictWord
    reason: str
    person_id: UUID | None
    person_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Sought:
    """Filter of a list of measurements; the values None and () match all measurements."""

    words: Sequence[str] = ()
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
_COUNTS = func.coalesce(_SAID, measurement.c.verdict)
_SEARCHED = func.concat_ws(
    "\n",
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


def insert_all(connection: Connection, stored: Sequence[StoredMeasurement]) -> frozenset[UUID]:
    """Store measurements of the team, except those that are already stored.

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


def get(connection: Connection, measurement_id: UUID) -> StoredMeasurement | None:
    """Read a measurement; None if it does not exist or belongs to another team."""
    query = select(*columns_of(measurement, StoredMeasurement)).where(measurement.c.id == measurement_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredMeasurement(**row)


def list_newest(
    connection: Connection, sought: Sought, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> tuple[MeasurementSummary, ...]:
    """Return measurements, newest first, one page at a time, as `stowage.features.planning.store.list_newest` does."""
    columns = [
        _COUNTS.label("verdict") if column.name == "verdict" else column
        for column in columns_of(measurement, MeasurementSummary)
    ]
    query = _sought(newest_first(select(*columns), measurement, limit, before), sought)
    return tuple(MeasurementSummary(**row) for row in connection.execute(query).mappings())


def known(connection: Connection, fingerprints: Sequence[bytes]) -> dict[bytes, UUID]:
    """Return, by fingerprint, the ids of the stored measurements that have one of the given fingerprints."""
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


def count(connection: Connection) -> int:
    """Count the measurements of the transaction's organisation."""
    return connection.scalar(select(func.count()).select_from(measurement)) or 0


def remembered(connection: Connection, hosts: Sequence[str]) -> dict[str, tuple[Mapping[str, Any], datetime]]:
    """Return for each host the target that was stated last, and the time when that target was stored."""
    name = measurement.c.host["name"].as_string()
    query = (
        select(name, measurement.c.target, measurement.c.created_at)
        .ext(distinct_on(name))
        .where(name.in_(hosts))
        .order_by(name, measurement.c.created_at.desc(), measurement.c.id.desc())
    )
    return {host: (target, at) for host, target, at in connection.execute(query)}


def say(connection: Connection, measurement_id: UUID, said: StoredVerdict) -> None:
    """Add a verdict on a measurement; it becomes the current verdict, and earlier ones stay stored."""
    connection.execute(insert(verdict).values(asdict(said) | {"measurement_id": measurement_id}))


def verdicts(connection: Connection, measurement_id: UUID) -> tuple[StoredVerdict, ...]:
    """Return the verdicts on a measurement, newest first; the first verdict is the current one."""
    query = select(*columns_of(verdict, StoredVerdict)).where(verdict.c.measurement_id == measurement_id)
    rows = connection.execute(query.order_by(verdict.c.id.desc())).mappings()
    return tuple(StoredVerdict(**row) for row in rows)


def _sought(query: Select[Any], sought: Sought) -> Select[Any]:
    for word in sought.words:
        query = query.where(_SEARCHED.icontains(word, autoescape=True))
    if sought.tool is not None:
        query = query.where(measurement.c.tool == sought.tool)
    if sought.instance is not None:
        query = query.where(measurement.c.instance == sought.instance)
    if sought.verdict is not None:
        query = query.where(_COUNTS.is_not_distinct_from(sought.verdict))
    if sought.upload_id is not None:
        query = query.where(measurement.c.upload_id == sought.upload_id)
    return query
