"""Queries of uploads: their pieces, their parsed results, and the original files of stored measurements.

An upload is closed when measurements from it are stored. The database then refuses to change the upload or to delete
its pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.measurements.tables import (
    UploadState,
    upload,
    upload_job,
    upload_piece,
    upload_problem,
    upload_reading,
)
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows, lock_team, values_of
from stowage.platform.database.tables import job

PIECE_BYTES = 1 << 20
"""Size of each piece except the last."""

EXPIRES_AFTER = timedelta(hours=24)
"""How long an upload awaits review."""


@frozen
class StoredUpload:
    """An upload of one organisation."""

    id: UUID
    name: str
    """File name as sent by the user."""
    size_bytes: int
    received_bytes: int
    sha256: bytes | None
    """SHA-256 of the whole file; None until all pieces have arrived."""
    state: UploadState
    job_id: UUID | None
    """Job that reads the upload."""
    problem: str | None
    """Why the upload was refused."""
    person: str
    created_at: datetime
    expires_at: datetime | None
    """Time after which the upload is deleted; None if measurements from the upload are stored."""

    @property
    def pieces(self) -> int:
        """Return the number of pieces in which the file is uploaded."""
        return -(-self.size_bytes // PIECE_BYTES)

    def piece_bytes(self, number: int) -> int:
        """Return the required length of a piece [bytes]."""
        return min(PIECE_BYTES, self.size_bytes - number * PIECE_BYTES)


@frozen
class _Staged:
    """An item that was parsed from an upload and is stored for review."""

    position: int
    """From 0, in the order of the file."""
    member: str
    """Path in the archive; "" if the file is not an archive."""
    content: Mapping[str, Any]
    """What was read, as a JSON document."""


@frozen
class StagedJob(_Staged):
    """A finished job that was parsed from an uploaded log, stored for review."""


@frozen
class StagedReading(_Staged):
    """A benchmark result that was parsed from an upload, stored for review without its target."""

    fingerprint: bytes


@frozen
class UploadProblem:
    """A part of an upload that no reader recognized."""

    member: str
    line: int | None
    message: str


@frozen
class StagedProblem(UploadProblem):
    """A part of an upload that no reader recognized, stored for review."""

    position: int
    """Position among the problems of the upload, from 0."""


@frozen
class Counts:
    """Numbers of results, finished jobs and problems found in an upload."""

    readings: int = 0
    jobs: int = 0
    problems: int = 0


_Row = TypeVar("_Row")


def one_at_a_time(connection: Connection) -> None:
    """Acquire the lock that lets a team start or store only one upload at a time."""
    lock_team(connection, "stowage.uploads")


_UPLOADS = Rows(upload, StoredUpload, noun="upload")
_READINGS, _JOBS = Rows(upload_reading, StagedReading), Rows(upload_job, StagedJob)
_PROBLEMS = Rows(upload_problem, UploadProblem)
get, demand = _UPLOADS.get, _UPLOADS.demand


def begin(connection: Connection, upload_id: UUID, *, name: str, size_bytes: int, person: str, now: datetime) -> None:
    """Store a new upload; do nothing if its id is taken."""
    new = StoredUpload(
        id=upload_id,
        name=name,
        size_bytes=size_bytes,
        received_bytes=0,
        sha256=None,
        state="arriving",
        job_id=None,
        problem=None,
        person=person,
        created_at=now,
        expires_at=now + EXPIRES_AFTER,
    )
    _UPLOADS.add(connection, new)


def list_unfinished(connection: Connection) -> tuple[StoredUpload, ...]:
    """List the uploads that await review, newest first."""
    newest_first = upload.c.created_at.desc(), upload.c.id.desc()
    return _UPLOADS.list_all(connection, upload.c.state != "kept", order=newest_first)


def add_piece(connection: Connection, upload_id: UUID, number: int, content: bytes) -> bool:
    """Store a piece of an upload, and add its length to the received bytes.

    If the piece exists already, nothing is changed and the result is False.
    """
    piece = {"upload_id": upload_id, "number": number, "content": content}
    added = connection.execute(
        insert_unless(upload_piece).values(piece).on_conflict_do_nothing().returning(upload_piece.c.number)
    ).one_or_none()
    if added is None:
        return False
    grown = upload.c.received_bytes + len(content)
    _UPLOADS.change(connection, upload_id, {"received_bytes": grown})
    return True


def piece(connection: Connection, upload_id: UUID, number: int) -> bytes | None:
    """Return the content of a piece of an upload; None if the piece has not arrived."""
    query = select(upload_piece.c.content).where(upload_piece.c.upload_id == upload_id, upload_piece.c.number == number)
    content = connection.execute(query).scalar_one_or_none()
    return None if content is None else bytes(content)


def set_state(connection: Connection, upload_id: UUID, state: UploadState, **more: object) -> None:
    """Update the state of an upload, and further columns given by name."""
    _UPLOADS.change(connection, upload_id, {"state": state, **more})


def empty(connection: Connection, upload_id: UUID) -> None:
    """Delete the pieces and the parsed results of a refused upload."""
    unread(connection, upload_id)
    connection.execute(delete(upload_piece).where(upload_piece.c.upload_id == upload_id))


def unread(connection: Connection, upload_id: UUID, *, member: str | None = None) -> int:
    """Delete the parsed results and finished jobs of an upload, and return their number.

    With `member`, only those of this file in the archive are deleted. Otherwise the unrecognized parts of the upload
    are deleted too.
    """
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
    """Store parsed results, finished jobs and problems of an upload for review."""
    for table, staged in ((upload_reading, readings), (upload_job, jobs), (upload_problem, problems)):
        if staged:
            connection.execute(insert(table), [values_of(each) | {"upload_id": upload_id} for each in staged])


def readings(
    connection: Connection, upload_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[StagedReading, ...]:
    """Return a page of the parsed results of an upload, in the order of the file."""
    return _in_order(_READINGS, connection, upload_id, limit, offset)


def reading(connection: Connection, upload_id: UUID, position: int) -> StagedReading | None:
    """Return one parsed result of an upload; None if it does not exist."""
    return _READINGS.find(connection, upload_reading.c.upload_id == upload_id, upload_reading.c.position == position)


def logged_jobs(
    connection: Connection, upload_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[StagedJob, ...]:
    """Return a page of the finished jobs found in an uploaded log, in the order of the file."""
    return _in_order(_JOBS, connection, upload_id, limit, offset)


def problems(connection: Connection, upload_id: UUID, *, limit: int) -> tuple[UploadProblem, ...]:
    """Return the unrecognized parts of an upload, in the order of the file, at most `limit`."""
    return _in_order(_PROBLEMS, connection, upload_id, limit)


def _in_order(
    rows: Rows[_Row], connection: Connection, upload_id: UUID, limit: int | None, offset: int = 0
) -> tuple[_Row, ...]:
    columns = rows.table.c
    of_upload = columns.upload_id == upload_id
    return rows.list_all(connection, of_upload, order=(columns.position,), limit=limit, offset=offset)


def counts(connection: Connection, upload_ids: Sequence[UUID]) -> dict[UUID, Counts]:
    """Count the parsed results, finished jobs and problems of each upload."""
    found = dict.fromkeys(upload_ids, Counts())
    for name, table in (("readings", upload_reading), ("jobs", upload_job), ("problems", upload_problem)):
        query = select(table.c.upload_id, func.count()).where(table.c.upload_id.in_(upload_ids))
        for upload_id, number in connection.execute(query.group_by(table.c.upload_id)):
            found[upload_id] = replace(found[upload_id], **{name: number})
    return found


def remove(connection: Connection, upload_id: UUID) -> None:
    """Permanently delete an upload without stored measurements, and the job that reads it."""
    _delete(connection, upload.c.id == upload_id)


def delete_all(connection: Connection) -> None:
    """Delete all uploads and measurements of the example team permanently.

    For any other team, the database refuses to delete stored measurements.
    """
    connection.execute(delete(upload))


def purge(connection: Connection, now: datetime) -> int:
    """Delete expired uploads permanently; return their number."""
    return _delete(connection, upload.c.expires_at <= now)


def _delete(connection: Connection, which: Any) -> int:  # noqa: ANN401 - a condition of SQLAlchemy
    gone = connection.execute(delete(upload).where(which, upload.c.state != "kept").returning(upload.c.job_id)).all()
    connection.execute(delete(job).where(job.c.id.in_([job_id for (job_id,) in gone if job_id is not None])))
    return len(gone)
