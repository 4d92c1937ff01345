"""Answers (response models) of the routes for catalog refreshes."""

from typing import Literal

from stowage.catalog.schedule import Schedule
from stowage.platform.described import Answer
from stowage.platform.jobs.job import Job

Credentials = Literal["found", "missing", "unknown"]


class RefreshAnswer(Answer):
    """Result of the last refresh, and the requirements of the next refresh (schedule, regions, credentials)."""

    job: Job | None
    """Null if there was none yet, and for teams that do not run the service."""
    regions_read: list[str]
    """Regions of that refresh."""
    version: str | None
    """New version; null if nothing changed, or the refresh is not done."""
    notes: list[str]
    """Other findings: removed types, prices that were left out."""
    sentence: str
    """Result in one sentence."""
    schedule: Schedule
    regions: list[str]
    """Regions that can be refreshed: those of the newest catalog."""
    credentials: Credentials
    """Whether a worker has AWS credentials; unknown if no worker has reported recently. The instance role of an EC2
    machine is not looked up in advance: it is tried."""
    newest_version: str
