"""A background job as its row, and as the answer of the API."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from stowage.model.job import JobKind, JobState


@dataclass(frozen=True, slots=True)
class NewJob:
    """A background job to store.

    Parameters
    ----------
    subject_id, asked_by, total
        As in `Job`.
    """

    id: UUID
    kind: JobKind
    subject_id: UUID
    asked_by: str
    created_at: datetime
    total: int = 1


@dataclass(frozen=True, slots=True)
class Job:
    """A background job of one organisation, with its progress, and the reason if it failed.

    Parameters
    ----------
    subject_id : UUID
        Object of the job: for a sweep, the sweep.
    asked_by : str
        Name of the requester.
    total : int
        Units of work: for a sweep, its cells.
    done : int
        Units with a stored result.
    reason : str or None
        Of a failure, for people.
    reference : str or None
        Id of a failure in the log.
    """

    id: UUID
    kind: JobKind
    subject_id: UUID
    state: JobState
    asked_by: str
    total: int
    done: int
    reason: str | None
    reference: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
