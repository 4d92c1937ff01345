"""Fixtures of the tests of reports."""

from uuid import UUID

import pytest

from published import publish
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue


@pytest.fixture
def report_id(database: Database, queue: Queue, org_id: UUID) -> UUID:
    """Return the id of a published report."""
    return publish(database, queue, org_id).id
