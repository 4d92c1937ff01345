"""Queries of uploads: their pieces, their parsed results, and the original files of stored measurements.

An upload with stored measurements is closed: the database refuses to change the upload or to delete its pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Connection, Table, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.measurements.tables import (
    UploadState,
    upload,
    upload_job,
    upload_piece,
    upload_problem,
    upload_reading,
)
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job

PIECE_BYTES = 1 << 20
"""Size of each piece except the last."""


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """An upload of one organisation.

    Parameters
    ----------
    id : UUID
    name : str
        File name as sent by the user.
    size_bytes, received_bytes : int
    sha256 : bytes or None
        SHA-256 of the whole file; None until all pieces have arrived.
    state : {'arriving', 'reading', 'read', 'refused', 'kept'}
    job_id : UUID or None
        Job that reads the upload.
    problem : str or None
        Why the upload was refused.
    person : str
    created_at : datetime
    expires_at : datetime or None
        Time after which the upload is deleted; None if measurements from the upload are stored.
    """

    id: UUID
    name: str
    size_bytes: int
    received_bytes: int
    sha256: bytes | None
    state: UploadState
    job_id: UUID | None
    problem: str | None
    person: str
    created_at: datetime
    expires_at: datetime | None

    @property
    def pieces(self) -> int:
        """Return the number of pieces in which the file is sent."""
        return -(-self.size_bytes // PIECE_BYTES)

    def piece_bytes(self, number: int) -> int:
        """Return the required length of a piece [bytes]."""
        return min(PIECE_BYTES, self.size_bytes - number * PIECE_BYTES)


@dataclass(frozen=True, slots=True)
class StagedReading:
    """A parsed result of an upload. A person still has to confirm or enter the target that was measured.

    Parameters
    ----------
    position : int
        From 0, in the order of the file.
    member : str
        Path in the archive; "" if the file is not an archive.
    fingerprint : bytes
    content : Mapping
        The result as a JSON document.
    """

    position: int
    member: str
    fingerprint: bytes
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StagedJob:
    """A finished job from an uploaded log. A person still has to enter the details that the log lacks.

    Parameters
    ----------
    position : int
        From 0, in the order of the file.
    member : str
        Path in the archive; "" if the file is not an archive.
    content : Mapping
        The logged job as a JSON document.
    """

    position: int
    member: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StagedProblem:
    """A part of an upload that no reader recognized.

    Parameters
    ----------
    position : int
        Position among the problems of the upload, from 0.
    member : str
    line : int or None
    message : str
    """

    position: int
    member: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of parsed results, finished jobs and problems found in an upload.

    Parameters
    ----------
    readings, jobs, problems : int
    """

    readings: int = 0
    jobs: int = 0
    problems: int = 0


def one_at_a_time(connection: Connection) -> None:
    """Acquire the team's lock for starting and storing uploads."""
    team = func.current_setting("stowage.org_id")
    connection.execute(select(func.pg_advisory_xact_lock(func.hashtext("stowage.uploads"), func.hashtext(team))))


def begin(connection: Connection, stored: StoredUpload) -> bool:
    """Store a new upload; return False if its id is taken."""
    values = {
        "id": stored.id,
        "name": stored.name,
        "size_bytes": stored.size_bytes,
        "state": stored.state,
        "person": stored.person,
        "created_at": stored.created_at,
        "expires_at": stored.expires_at,
    }
    added = connection.execute(insert_unless(upload).values(values).on_conflict_do_nothing().returning(upload.c.id))
    return added.one_or_none() is not None


def get(connection: Connection, upload_id: UUID, *, lock: bool = False) -> StoredUpload | None:
    """Read an upload; None if it does not exist or belongs to another team.

    Parameters
    ----------
    connection : Connection
    upload_id : UUID
    lock : bool
        Whether to lock the row until the transaction ends.
    """
    query = select(*columns_of(upload, StoredUpload)).where(upload.c.id == upload_id)
    row = connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    return None if row is None else StoredUpload(**row)


def list_unfinished(connection: Connection) -> tuple[StoredUpload, ...]:
    """List the uploads that await review, newest first."""
    query = select(*columns_of(upload, StoredUpload)).where(upload.c.state != "kept")
    rows = connection.execute(query.order_by(upload.c.created_at.desc(), upload.c.id.desc())).mappings()
    return tuple(StoredUpload(**row) for row in rows)


def add_piece(connection: Connection, upload_id: UUID, number: int, content: bytes) -> bool:
    """Store a piece of an upload and count its bytes; if the piece exists already, change nothing and return False."""
    piece = {"upload_id": upload_id, "number": number, "content": content}
    added = connection.execute(
        insert_unless(upload_piece).values(piece).on_conflict_do_nothing().returning(upload_piece.c.number)
    ).one_or_none()
    if added is None:
        return False
    grown = upload.c.received_bytes + len(content)
    connection.execute(update(upload).where(upload.c.id == upload_id).values(received_bytes=grown))
    return True


def piece(connection: Connection, upload_id: UUID, number: int) -> bytes | None:
    """Return the content of a piece of an upload; None if the piece has not arrived."""
    query = select(upload_piece.c.content).where(upload_piece.c.upload_id == upload_id, upload_piece.c.number == number)
    content = connection.execute(query).scalar_one_or_none()
    return None if content is None else bytes(content)


def set_state(connection: Connection, upload_id: UUID, state: UploadState, **more: object) -> None:
    """Update the state of an upload, and the columns that are named in `more`."""
    connection.execute(update(upload).where(upload.c.id == upload_id).values(state=state, **more))


def empty(connection: Connection, upload_id: UUID) -> None:
    """Delete the pieces and the results of a refused upload."""
    unread(connection, upload_id)
    connection.execute(delete(upload_piece).where(upload_piece.c.upload_id == upload_id))


def unread(connection: Connection, upload_id: UUID, *, member: str | None = None) -> int:
    """Delete the parsed results of an upload, or of one file in its archive; return the number of deleted results."""
    if member is None:
        connection.execute(delete(upload_problem).where(upload_problem.c.upload_id == upload_id))
    deleted = 0
    for table in (upload_reading, upload_job):
        of_it = table.c.upload_id == upload_id
        query = delete(table).where(of_it if member is None else of_it & (table.c.member == member))
        deleted += connection.execute(query).rowcount
    return deleted


def stage(
    connection: Connection,
    upload_id: UUID,
    readings: Sequence[StagedReading],
    problems: Sequence[StagedProblem],
    jobs: Sequence[StagedJob] = (),
) -> None:
    """Store parsed results, finished jobs and unrecognized parts of an upload for review."""
    for table, columns, staged in (
        (upload_reading, ("position", "member", "fingerprint", "content"), readings),
        (upload_job, ("position", "member", "content"), jobs),
        (upload_problem, ("position", "member", "line", "message"), problems),
    ):
        if staged:
            rows = [{"upload_id": upload_id} | {name: getattr(each, name) for name in columns} for each in staged]
            connection.execute(insert(table), rows)


def readings(
    connection: Connection, upload_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[StagedReading, ...]:
    """Return a page of the parsed results of an upload, in the order of the file."""
    return _staged(connection, upload_reading, StagedReading, upload_id, offset, limit)


def reading(connection: Connection, upload_id: UUID, position: int) -> StagedReading | None:
    """Return one parsed result of an upload; None if it does not exist."""
    query = select(*columns_of(upload_reading, StagedReading)).where(
        upload_reading.c.upload_id == upload_id, upload_reading.c.position == position
    )
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StagedReading(**row)


def logged_jobs(
    connection: Connection, upload_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[StagedJob, ...]:
    """Return a page of the finished jobs found in an uploaded log, in the order of the file."""
    return _staged(connection, upload_job, StagedJob, upload_id, offset, limit)


_Staged = TypeVar("_Staged", StagedReading, StagedJob)


def _staged(
    connection: Connection, table: Table, kind: type[_Staged], upload_id: UUID, offset: int, limit: int | None
) -> tuple[_Staged, ...]:
    query = (
        select(*columns_of(table, kind))
        .where(table.c.upload_id == upload_id)
        .order_by(table.c.position)
        .offset(offset)
        .limit(limit)
    )
    return tuple(kind(**row) for row in connection.execute(query).mappings())


def fingerprints(connection: Connection, upload_id: UUID) -> dict[int, bytes]:
    """Return the fingerprints of the parsed results of an upload, keyed by the position of the result."""
    query = select(upload_reading.c.position, upload_reading.c.fingerprint).where(
        upload_reading.c.upload_id == upload_id
    )
    return {position: bytes(fingerprint) for position, fingerprint in connection.execute(query)}


def problems(connection: Connection, upload_id: UUID, *, limit: int) -> tuple[StagedProblem, ...]:
    """Return the unrecognized parts of an upload, in the order of the file."""
    query = (
        select(*columns_of(upload_problem, StagedProblem))
        .where(upload_problem.c.upload_id == upload_id)
        .order_by(upload_problem.c.position)
        .limit(limit)
    )
    return tuple(StagedProblem(**row) for row in connection.execute(query).mappings())


def counts(connection: Connection, upload_ids: Sequence[UUID]) -> dict[UUID, Counts]:
    """Count the parsed results, finished jobs and problems of each upload; return the counts by upload id."""
    found = dict.fromkeys(upload_ids, Counts())
    for name, table in (("readings", upload_reading), ("jobs", upload_job), ("problems", upload_problem)):
        query = select(table.c.upload_id, func.count()).where(table.c.upload_id.in_(upload_ids))
        for upload_id, number in connection.execute(query.group_by(table.c.upload_id)):
            found[upload_id] = replace(found[upload_id], **{name: number})
    return found


def remove(connection: Connection, upload_id: UUID) -> None:
    """Permanently delete an upload without stored measurements, and the job that reads this upload."""
    _delete(connection, upload.c.id == upload_id)


def delete_all(connection: Connection) -> None:
    """Delete all uploads and measurements of the example team permanently.

    For any other organisation, the database refuses to delete stored measurements.
    """
    connection.execute(delete(upload))


def purge(connection: Connection, now: datetime) -> int:
    """Delete expired uploads permanently; return their number."""
    return _delete(connection, upload.c.expires_at <= now)


def _delete(connection: Connection, which: Any) -> int:  # noqa: ANN401 - a condition of SQLAlchemy
    gone = connection.execute(delete(upload).where(which, upload.c.state != "kept").returning(upload.c.job_id)).all()
    connection.execute(delete(job).where(job.c.id.in_([job_id for (job_id,) in gone if job_id is not None])))
    return len(gone)
