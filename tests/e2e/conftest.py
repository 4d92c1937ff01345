"""The page in Chromium, served by one `stowage up` from the real database; each test has a team of its own."""

import json
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from browsing import FLAGS, PATIENCE_MS, Tab, find_browser
from database import SECRETS_KEY
from laboratory.lab import Laboratory, hindrance, laboratory
from laboratory.product import PACE
from people import new_member, session_of
from process import CSRF, Running, running
from stowage.features.teams.sign_in import sessions
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls

MBIT_PER_S = 80.0
"""Bandwidth of the links between the machines of benchmark runs."""

UNOPTIMIZED = "--js-flags=--no-opt --no-maglev"
"""No document stays long enough to win back the time that optimizing its code costs."""

expect.set_options(timeout=PATIENCE_MS)

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record whether a test failed, for its fixtures' teardown."""
    report = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def laboratory_or_none(request: pytest.FixtureRequest) -> Iterator[Laboratory | None]:
    """Return the simulated AWS with machines that boot; None if no test needs it or this machine cannot run it."""
    functions = (item for item in request.session.items if isinstance(item, pytest.Function))
    if hindrance() is not None or not any("lab" in each.fixturenames for each in functions):
        yield None
        return
    with laboratory(mbit_per_s=MBIT_PER_S) as opened:
        yield opened


@pytest.fixture(scope="session")
def started(postgres: DatabaseUrls, laboratory_or_none: Laboratory | None) -> Iterator[Running]:
    """Start the service for all tests."""
    with TemporaryDirectory(prefix="stowage-e2e-") as folder:
        given = {
            "DATABASE_URL": postgres.application,
            "GATE_DATABASE_URL": postgres.gate,
            "MIGRATIONS_DATABASE_URL": postgres.owner,
            "STOWAGE_HOME": str(Path(folder) / "state"),
            "STOWAGE_SECRETS_KEY": SECRETS_KEY,
            "STOWAGE_API_PROCESSES": "1",
            "STOWAGE_PROCESSES": "1",
            "STOWAGE_RUNS_PACE": json.dumps(dict(PACE)),
        }
        aws = laboratory_or_none.environment() if laboratory_or_none else {}
        with running({**given, **aws}) as up:
            yield up


@pytest.fixture(scope="session")
def service(started: Running) -> str:
    return started.address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS, UNOPTIMIZED])
        yield browser
        browser.close()


class _Tabs:
    """Tabs that tests have used, by purpose; a tab in which a test failed is not used again."""

    def __init__(self, browser: Browser, service: str) -> None:
        self._browser, self._service = browser, service
        self._tabs: dict[str, Tab] = {}

    def of(self, purpose: str) -> Tab:
        """Return the tab for a purpose; open it if there is none."""
        if purpose not in self._tabs:
            self._tabs[purpose] = Tab(self._browser, self._service)
        return self._tabs[purpose]

    def back(self, purpose: str, picture: Path | None) -> None:
        """Return a tab to the pool, with a screenshot if the test failed."""
        if picture is None:
            self._tabs[purpose].clean()
        else:
            tab = self._tabs.pop(purpose)
            tab.picture(picture)
            tab.close()


@pytest.fixture(scope="session")
def tabs(browser: Browser, service: str) -> _Tabs:
    return _Tabs(browser, service)


@pytest.fixture
def page(tabs: _Tabs, gate: Database, org_id: UUID, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """Yield a page on the service, signed in as the owner of a team without other members."""
    secret = session_of(gate, new_member(gate, org_id))
    csrf = sessions.authenticate(gate, secret, datetime.now(UTC)).csrf
    assert csrf is not None
    yield from _lent(tabs, "signed in", request, tmp_path, secret, csrf)


@pytest.fixture
def stranger(tabs: _Tabs, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """Yield a page on the service, not signed in."""
    yield from _lent(tabs, "stranger", request, tmp_path)


@pytest.fixture
def second(tabs: _Tabs, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """Yield a page for a second person, not signed in yet: the tab of `page`, if the test does not use that."""
    yield from _lent(tabs, "signed in", request, tmp_path)


def _lent(
    tabs: _Tabs, purpose: str, request: pytest.FixtureRequest, folder: Path, secret: str = "", csrf: str = ""
) -> Iterator[Page]:
    tab = tabs.of(purpose)
    if secret:
        service = request.getfixturevalue("service")
        tab.sign_in(
            {"name": f"stowage-{service.rpartition(':')[2]}", "value": secret, "url": service, "sameSite": "Strict"},
            # Requests that a test sends past the page must carry it; the page adds it by itself.
            {CSRF: csrf},
        )
    failed = True
    try:
        with tab.lent() as page:
            yield page
            failed = request.node.stash.get(_FAILED, False)
    finally:
        tabs.back(purpose, folder / f"{purpose}.png" if failed else None)
