"""Routes of uploads: files arrive in pieces, are parsed by a worker, and are stored or discarded."""

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote
from uuid import UUID, uuid4

from fastapi import Body, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from stowage.features.measurements import measurements, schemas, uploads
from stowage.measure.judging.judgement import Judgement
from stowage.web.admission import needs, starts
from stowage.web.parameters import OnceOnly
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, OVER_QUOTA
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["uploads"], responses=NOT_FOUND | NOT_SIGNED_IN)

Reading = Annotated[TeamServices, needs("measurements.read")]
Writing = Annotated[TeamServices, needs("measurements.write")]
Starting = Annotated[TeamServices, starts("upload")]

_BYTES = "application/octet-stream"
_AS_BYTES: dict[int | str, dict[str, Any]] = {
    200: {"content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}}, "description": "The file"}
}


@router.post("/uploads", status_code=201, responses=CONFLICT | NOT_ACCEPTED | OVER_QUOTA)
def begin_upload(
    upload: schemas.NewUpload, services: Writing, response: Response, key: OnceOnly = None
) -> schemas.UploadSummaryAnswer:
    """Start an upload. The file is sent in pieces of 1 MiB; the last piece may be shorter."""
    begun = uploads.begin_upload(
        services.database,
        services.gate,
        services.org_id,
        upload,
        upload_id=key or uuid4(),
        who=services.actor,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/uploads/{begun.id}"
    return begun


@router.get("/uploads", responses=NOT_ACCEPTED)
def list_uploads(services: Reading) -> schemas.UploadListAnswer:
    """List the uploads that await review, newest first. They are deleted after 24 hours."""
    return uploads.list_uploads(services.database, services.org_id, datetime.now(UTC))


@router.get("/uploads/{upload_id}", responses=NOT_FOUND | NOT_ACCEPTED)
def read_upload(
    upload_id: UUID,
    services: Reading,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="Readings on a page.")] = 200,
) -> schemas.UploadAnswer:
    """Return the parsed results of an upload, each with its quality and the missing fields of its target.

    Nothing is stored.
    """
    return uploads.read_upload(services.database, services.org_id, upload_id, offset=offset, limit=limit)


@router.put("/uploads/{upload_id}/pieces/{number}", responses=CONFLICT | NOT_ACCEPTED)
def add_piece(
    upload_id: UUID,
    number: Annotated[int, Path(ge=0, le=1_000_000, description="From 0.")],
    # Strict: text sent as JSON is not accepted as bytes.
    piece: Annotated[bytes, Body(media_type=_BYTES), Field(strict=True)],
    services: Writing,
) -> schemas.UploadSummaryAnswer:
    """Store a piece of a file. Every piece except the last has exactly 1 MiB. Sending a piece twice changes nothing."""
    return uploads.add_piece(services.database, services.org_id, upload_id, number, piece)


@router.post("/uploads/{upload_id}/read", responses=CONFLICT | NOT_ACCEPTED)
def start_reading(upload_id: UUID, services: Starting) -> schemas.UploadSummaryAnswer:
    """Start reading a complete upload, or start again after a failure."""
    return uploads.start_reading(
        services.database,
        services.org_id,
        services.queue,
        upload_id,
        job_id=uuid4(),
        asked_by=services.actor.name,
        now=datetime.now(UTC),
    )


@router.post("/uploads/{upload_id}/judge", responses=NOT_ACCEPTED)
def judge_reading(upload_id: UUID, reading: schemas.ReadingToJudge, services: Writing) -> Judgement:
    """Judge the quality of a result for the target in the request. Nothing is stored."""
    return measurements.judge_reading(services.database, services.org_id, upload_id, reading)


@router.post("/uploads/{upload_id}/keep", responses=CONFLICT | NOT_ACCEPTED)
def keep_upload(upload_id: UUID, keeping: schemas.Keeping, services: Writing) -> schemas.KeptAnswer:
    """Store the chosen results of an upload as measurements. If any target is invalid, none is stored."""
    return measurements.keep(
        services.database,
        services.org_id,
        upload_id,
        keeping,
        person=services.actor.name,
        now=datetime.now(UTC),
    )


@router.delete("/uploads/{upload_id}", status_code=204, responses=CONFLICT | NOT_ACCEPTED)
def delete_upload(upload_id: UUID, services: Writing) -> None:
    """Delete an upload without stored measurements, and stop the job that reads it."""
    uploads.delete_upload(services.database, services.org_id, services.queue, upload_id, datetime.now(UTC))


@router.get(
    "/uploads/{upload_id}/file",
    responses=_AS_BYTES | CONFLICT | NOT_ACCEPTED,
    response_class=StreamingResponse,
)
def download_upload(upload_id: UUID, services: Reading) -> StreamingResponse:
    """Return a file as it was uploaded, byte for byte."""
    original = uploads.original(services.database, services.org_id, upload_id)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(original.name, safe='')}",
        "Content-Length": str(original.size_bytes),
        # Sent unchanged: the file may be compressed already and must not be compressed again.
        "Content-Encoding": "identity",
    }
    return StreamingResponse(original.content, media_type=_BYTES, headers=headers)
