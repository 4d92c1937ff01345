"""Answers of the API about background jobs."""

from datetime import datetime
from uuid import UUID

from stowage.model.job import JobKind, JobState
from stowage.platform.described import Answer


class JobAnswer(Answer):
    """A job, with its progress, and the reason if it failed."""

    id: UUID
    kind: JobKind
    subject_id: UUID
    """Object of the job: for a sweep, the sweep."""
    state: JobState
    asked_by: str
    total: int
    """Units of work: for a sweep, its cells."""
    done: int
    """Units with a stored result."""
    reason: str | None
    reference: str | None
    """Id of a failure in the log."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
