"""Uploads: receiving a file in pieces, starting the worker that parses it, reviewing the results, deletion.

An id that is unknown or of another team raises `NotFound`.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from stowage.features.measurements import schemas
from stowage.features.measurements.previews import Preview
from stowage.features.measurements.store import measurements as measurement_store
from stowage.features.measurements.store import uploads as store
from stowage.features.measurements.store.uploads import PIECE_BYTES, StoredUpload
from stowage.frozen import frozen
from stowage.platform import quotas
from stowage.platform.access import Actor
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job, NewJob
from stowage.platform.jobs.queue import Queue

LARGEST_UPLOAD_BYTES = 256 << 20
"""Maximum size of one file."""
LARGEST_BODY_OF_UPLOAD_BYTES = 2 << 20
"""Maximum size of a request body: a piece, or the selection of a few thousand results."""
QUOTAS_OF_UPLOADS: tuple[quotas.QuotaName, ...] = ("uploads", "upload-bytes", "storage-bytes")

_MOST_PROBLEMS = 200
_SLICE_BYTES = 1 << 16


@frozen
class Original:
    """An uploaded file with its original content."""

    name: str
    size_bytes: int
    content: Iterator[bytes]
    """Slices of the file; no database connection is open between two slices."""


def begin_upload(
    database: Database,
    gate: Database,
    org_id: UUID,
    new: schemas.NewUpload,
    *,
    upload_id: UUID,
    who: Actor,
    now: datetime,
) -> schemas.UploadSummaryAnswer:
    """Register an upload; do nothing if an upload with this id exists.

    Raises
    ------
    BadInput
        The file is too large.
    QuotaExceeded
        The team has too many uploads awaiting review or too much stored, or the user started too many.
    NotFound
        The id belongs to another team's upload.
    """
    if new.size_bytes > LARGEST_UPLOAD_BYTES:
        message = (
            f"{new.size_bytes:,} bytes are too many; accepted: up to {LARGEST_UPLOAD_BYTES:,}; pack it, or split it"
        )
        raise BadInput([Problem("size_bytes", message)])
    if who.id is not None:
        quotas.count_in_hour(database, gate, org_id, "uploads-per-hour", str(who.id), now)
    with database.transaction(org_id) as connection:
        store.one_at_a_time(connection)
        store.purge(connection, now)
        if store.get(connection, upload_id) is None:
            store.begin(connection, upload_id, name=new.name, size_bytes=new.size_bytes, person=who.name, now=now)
            quotas.hold(connection, *QUOTAS_OF_UPLOADS, now=now)
        return _summary_of(connection, store.demand(connection, upload_id))


def add_piece(
    database: Database, org_id: UUID, upload_id: UUID, number: int, content: bytes
) -> schemas.UploadSummaryAnswer:
    """Store a piece of a file; storing the same piece again changes nothing.

    Raises
    ------
    BadInput
        The piece number is out of range, or the piece has the wrong length.
    Conflict
        The file was already read, or a different piece has this number.
    """
    with database.transaction(org_id) as connection:
        upload = _locked(connection, upload_id)
        if not 0 <= number < upload.pieces:
            message = f"there is no piece {number:,}; accepted: 0 to {upload.pieces - 1:,}"
            raise BadInput([Problem("number", message)])
        expected = upload.piece_bytes(number)
        if len(content) != expected:
            raise BadInput(
                [Problem("", f"piece {number:,} has {len(content):,} bytes; accepted: exactly {expected:,}")]
            )
        if upload.state != "arriving":
            raise Conflict("The file is whole and was read: what comes now is not taken.")
        is_new = store.add_piece(connection, upload_id, number, content)
        if not is_new and store.piece(connection, upload_id, number) != content:
            raise Conflict(f"Piece {number:,} was sent already, and was another: remove the upload and start again.")
        return _summary_of(connection, store.demand(connection, upload_id))


def start_reading(
    database: Database, org_id: UUID, queue: Queue, upload_id: UUID, *, job_id: UUID, asked_by: str, now: datetime
) -> schemas.UploadSummaryAnswer:
    """Start the job that reads a complete upload.

    If the job has failed or was cancelled, it is started again. If the upload was already read or is being read,
    nothing happens.

    Raises
    ------
    Conflict
        Pieces are missing, or the upload was refused.
    """
    with database.transaction(org_id) as connection:
        upload = _locked(connection, upload_id)
        if upload.state == "refused":
            raise Conflict(f"It was refused: {upload.problem}")
        if upload.state == "arriving":
            if upload.received_bytes < upload.size_bytes:
                missing = f"{upload.received_bytes:,} of {upload.size_bytes:,} bytes are there"
                raise Conflict(f"{missing}: send the other pieces first.")
            job_store.insert(connection, NewJob(job_id, "upload", upload_id, asked_by, now, upload.pieces))
            store.set_state(connection, upload_id, "reading", job_id=job_id)
        elif upload.state == "reading" and upload.job_id is not None:
            job_store.revive(connection, upload.job_id)
        answer = _summary_of(connection, store.demand(connection, upload_id))
    if answer.job is not None and answer.job.state == "queued":
        jobs.enqueue(database, org_id, queue, answer.job.id, "upload")
        queue.announce(answer.job.id)
    return answer


def read_upload(database: Database, org_id: UUID, upload_id: UUID, *, offset: int, limit: int) -> schemas.UploadAnswer:
    """Return an upload with a page of its results.

    Each result lists the missing fields of its target (the measured hardware).
    """
    with database.transaction(org_id) as connection:
        upload = store.demand(connection, upload_id)
        summary = _summary_of(connection, upload)
        readings = store.readings(connection, upload_id, offset=offset, limit=limit) if upload.state == "read" else ()
        problems = store.problems(connection, upload_id, limit=_MOST_PROBLEMS)
        known = measurement_store.known(connection, [each.fingerprint for each in readings])
        preview = Preview.of(database, connection, readings)
        kept = measurement_store.of_upload(connection, upload_id) if upload.state == "kept" else ()
    return schemas.UploadAnswer.from_fields(
        summary,
        readings=[preview.answer(each, known.get(each.fingerprint)) for each in readings],
        problems=problems,
        measurements=list(kept),
    )


def list_uploads(database: Database, org_id: UUID, now: datetime) -> schemas.UploadListAnswer:
    """List the unexpired uploads that await review, newest first."""
    with database.transaction(org_id) as connection:
        uploads = [
            each for each in store.list_unfinished(connection) if each.expires_at is None or each.expires_at > now
        ]
        ids = [each.job_id for each in uploads if each.job_id is not None]
        of_them = job_store.get_all(connection, ids)
        counts = store.counts(connection, [each.id for each in uploads])
    return schemas.UploadListAnswer(
        uploads=[
            _summary(each, None if each.job_id is None else of_them.get(each.job_id), counts[each.id])
            for each in uploads
        ]
    )


def delete_upload(database: Database, org_id: UUID, queue: Queue, upload_id: UUID, now: datetime) -> None:
    """Delete an upload in any state, and cancel the job that reads the upload.

    Raises
    ------
    Conflict
        Measurements from the upload are stored.
    """
    with database.transaction(org_id) as connection:
        upload = _locked(connection, upload_id)
        if upload.job_id is not None:
            job_store.cancel(connection, upload.job_id)
        store.remove(connection, upload_id)
        store.purge(connection, now)
    if upload.job_id is not None:
        queue.announce(upload.job_id)


def original(database: Database, org_id: UUID, upload_id: UUID) -> Original:
    """Return a file as it was uploaded, byte for byte.

    Raises
    ------
    Conflict
        The upload is incomplete, or it was refused and its content deleted.
    """
    with database.transaction(org_id) as connection:
        upload = store.demand(connection, upload_id)
    if upload.state in {"arriving", "refused"}:
        raise Conflict("Nothing of it is kept." if upload.state == "refused" else "It is not whole yet.")
    return Original(upload.name, upload.size_bytes, _slices(database, org_id, upload))


def _slices(database: Database, org_id: UUID, upload: StoredUpload) -> Iterator[bytes]:
    for number in range(upload.pieces):
        with database.transaction(org_id) as connection:
            content = store.piece(connection, upload.id, number)
        if content is None:
            # The upload was deleted during the download: raise, so that a partial file does not look complete.
            raise NotFound(f"There is no upload {upload.id}.")
        for first in range(0, len(content), _SLICE_BYTES):
            yield content[first : first + _SLICE_BYTES]


def _locked(connection: Connection, upload_id: UUID) -> StoredUpload:
    """Return an upload, and lock its row for a change.

    Raises
    ------
    Conflict
        Measurements from the upload are stored.
    """
    upload = store.get(connection, upload_id, lock=True)
    if upload is None:
        store.demand(connection, upload_id)
        raise Conflict("It was kept, and stays as it is: measurements rest on it.")
    return upload


def _summary_of(connection: Connection, upload: StoredUpload) -> schemas.UploadSummaryAnswer:
    job = None if upload.job_id is None else job_store.get(connection, upload.job_id)
    return _summary(upload, job, store.counts(connection, [upload.id])[upload.id])


def _summary(upload: StoredUpload, job: Job | None, counts: store.Counts) -> schemas.UploadSummaryAnswer:
    return schemas.UploadSummaryAnswer.from_fields(
        upload,
        piece_bytes=PIECE_BYTES,
        sha256=None if upload.sha256 is None else upload.sha256.hex(),
        job=job,
        readings_total=counts.readings,
        jobs_total=counts.jobs,
        problems_total=counts.problems,
    )
