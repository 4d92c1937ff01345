"""The page in Chromium, served by `stowage up` from the real database."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from process import running
from stowage.store.embedded import DatabaseUrls

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def service(postgres: DatabaseUrls) -> Iterator[str]:
    with TemporaryDirectory(prefix="stowage-e2e-") as folder:
        given = {
            "DATABASE_URL": postgres.application,
            "GATE_DATABASE_URL": postgres.gate,
            "MIGRATIONS_DATABASE_URL": postgres.owner,
            "STOWAGE_HOME": str(Path(folder) / "state"),
        }
        with running(given) as up:
            yield up.address


# The machine may be busy with other tests; what never comes is found all the same.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert found, "no Chromium: make setup-test installs it where it may"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, service: str, tmp_path: Path) -> Iterator[Page]:
    """Open a page on the service; whatever it writes to the console as an error fails the test."""
    context = browser.new_context(base_url=service, viewport={"width": 1440, "height": 900}, locale="en-US")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service)
    context.set_default_timeout(20_000)
    page = context.new_page()
    errors: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        # The browser itself logs each refused request; that the page says so is what the tests look at.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            errors.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.screenshot(path=tmp_path / "last.png")
    context.close()
    assert errors == []
