"""Refreshing the catalog: answers."""

from typing import Literal

from stowage.platform.described import Answer
from stowage.platform.jobs.job_answers import JobAnswer

Credentials = Literal["found", "missing", "unknown"]


class ScheduleAnswer(Answer):
    """When the catalog is refreshed unasked."""

    every_s: float | None
    """From one start to the next; null for never."""
    regions: list[str]
    """Regions that are read then, and by a refresh that names none."""


class RefreshAnswer(Answer):
    """The last refresh, and what the next one requires."""

    job: JobAnswer | None
    """Null where there was none yet, and for teams that do not run the service."""
    regions_read: list[str]
    """By that refresh."""
    version: str | None
    """That it made; null where nothing changed, or it is not done."""
    notes: list[str]
    """What it found besides: types that are gone, prices that were left out."""
    sentence: str
    """What came of it."""
    schedule: ScheduleAnswer
    regions: list[str]
    """Which can be refreshed: those of the newest catalog."""
    credentials: Credentials
    """Whether a worker finds credentials for AWS; unknown where none has said so lately. The role of a machine on
    EC2 is not looked for: it is tried."""
    newest_version: str
