"""The page in Chromium, served by `stowage up` from the real database."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browsing import FLAGS, opened
from database import bare_postgres
from process import Running, as_browser, running
from stowage.store.embedded import DatabaseUrls
from stowage.usecases.preparation import prepare_database


@pytest.fixture(scope="package")
def postgres() -> Iterator[DatabaseUrls]:
    """Give a database that only these tests have: what a service does in the background is done to whoever is in it."""
    with bare_postgres() as urls:
        prepare_database(urls.owner, urls.application, urls.gate)
        yield urls


@pytest.fixture(scope="package")
def started(postgres: DatabaseUrls) -> Iterator[Running]:
    with TemporaryDirectory(prefix="stowage-e2e-") as folder:
        given = {
            "DATABASE_URL": postgres.application,
            "GATE_DATABASE_URL": postgres.gate,
            "MIGRATIONS_DATABASE_URL": postgres.owner,
            "STOWAGE_HOME": str(Path(folder) / "state"),
        }
        with running(given) as up:
            yield up


@pytest.fixture(scope="package")
def service(started: Running) -> str:
    return started.address


@pytest.fixture(scope="package")
def signed_in(started: Running) -> dict[str, Any]:
    """Give what makes a browser's context the local owner's."""
    return as_browser(started.client())


# The machine may be busy with other tests; what never comes is found all the same.
expect.set_options(timeout=40_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Not for the session: what drives it keeps an event loop running, which later tests of this process would meet.
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "no Chromium: make setup-test installs it where it may"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, signed_in: dict[str, Any], tmp_path: Path) -> Iterator[Page]:
    """Open a page on the service, signed in as the local owner."""
    with opened(browser, tmp_path / "last.png", **signed_in) as page:
        yield page


@pytest.fixture
def stranger(browser: Browser, service: str, tmp_path: Path) -> Iterator[Page]:
    """Open a page on the service as nobody."""
    with opened(browser, tmp_path / "stranger.png", base_url=service) as page:
        yield page
