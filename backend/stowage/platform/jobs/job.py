"""A background job as its row, and as the answer of the API."""

from datetime import datetime
from uuid import UUID

from stowage.frozen import frozen
from stowage.model.job import JobKind, JobState


@frozen
class NewJob:
    """A background job to store."""

    id: UUID
    kind: JobKind
    subject_id: UUID
    """As in `Job`."""
    asked_by: str
    """As in `Job`."""
    created_at: datetime
    total: int = 1
    """As in `Job`."""


@frozen
class Job:
    """A background job of one organisation, with its progress, and the reason if it failed."""

    id: UUID
    kind: JobKind
    subject_id: UUID
    """Object of the job: for a sweep, the sweep."""
    state: JobState
    asked_by: str
    """Name of the requester."""
    total: int
    """Units of work: for a sweep, its cells."""
    done: int
    """Units with a stored result."""
    reason: str | None
    """Of a failure, for people."""
    reference: str | None
    """Id of a failure in the log."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
