"""Fixtures that several folders of tests share."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from database import bare_postgres, new_org, opened
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls
from stowage.store.orgs import LOCAL_ORG_ID
from stowage.usecases.preparation import prepare_database


@pytest.fixture(scope="session")
def postgres() -> Iterator[DatabaseUrls]:
    """Give the URLs of a server with tables, the packaged catalogues and the local team."""
    with bare_postgres() as urls:
        prepare_database(urls.owner, urls.application, LOCAL_ORG_ID)
        yield urls


@pytest.fixture(scope="session")
def owner(postgres: DatabaseUrls) -> Iterator[Database]:
    """Give the database as the role that owns the tables."""
    with opened(postgres.owner) as database:
        yield database


@pytest.fixture(scope="session")
def database(postgres: DatabaseUrls) -> Iterator[Database]:
    """Give the database as the role of the application."""
    with opened(postgres.application) as database:
        yield database


@pytest.fixture
def org_id(owner: Database) -> UUID:
    """Give an organisation of the test's own."""
    return new_org(owner)


@pytest.fixture
def other_org_id(owner: Database) -> UUID:
    """Give a second organisation, whose rows are none of the first one's business."""
    return new_org(owner)
