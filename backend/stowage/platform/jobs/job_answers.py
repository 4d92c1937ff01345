"""What the API answers about work in the background: jobs, and the sweeps that they compute."""

from datetime import datetime
from uuid import UUID

from stowage.model.job import JobKind, JobState
from stowage.platform.described import Answer


class JobAnswer(Answer):
    """A job: how far it is, and why it failed if it did."""

    id: UUID
    kind: JobKind
    subject_id: UUID
    """What it works on: for a sweep, the sweep."""
    state: JobState
    asked_by: str
    total: int
    """Units of work: for a sweep, its cells."""
    done: int
    """Units whose result is stored."""
    reason: str | None
    reference: str | None
    """Of a failure; found again in the log."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
