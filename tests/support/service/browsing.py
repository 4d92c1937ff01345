"""Pages for tests: opened, checked for console errors, and checked with axe."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    # Pages of the browser itself, a process each, that the tests do not use.
    "--disable-features=PreloadTopChromeWebUI,InitialWebUI,SpareRendererForSitePerProcess",
]
"""Chromium's arguments on a machine without a display."""

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
"""Executables, the one with the least overhead first: the headless shell draws no windows."""

PATIENCE_MS = 60_000
"""Timeout of a test for an expected event; no test depends on it otherwise."""

BLANK = "/favicon.svg"
"""A document without scripts. From `about:blank` Chromium would start a new process for the page."""

_VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
_AXE = Path(__file__).resolve().parents[3] / "frontend/node_modules/axe-core/axe.min.js"


def find_browser() -> str:
    """Return the browser to start: CHROMIUM if set, else the first of `BROWSERS` that is installed."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "no Chromium: make setup-test installs it where it may"
    return found


class Tab:
    """One tab that tests use in turn.

    A new context is a new process of Chromium, which compiles all scripts of the page: three times the processor time
    of the test itself. This class removes the remains of a test: cookies, storage, routes, size, media, the document.
    """

    def __init__(self, browser: Browser, base_url: str) -> None:
        self._context = browser.new_context(
            viewport=_VIEWPORT, locale="en-US", reduced_motion="reduce", base_url=base_url
        )
        self._context.grant_permissions(["clipboard-read", "clipboard-write"], origin=base_url)
        self._context.set_default_timeout(PATIENCE_MS)
        self._page = self._context.new_page()
        self._errors: list[str] = []
        self._page.on("console", self._hear)
        self._page.on("pageerror", lambda error: self._errors.append(str(error)))

    @contextmanager
    def lent(self) -> Iterator[Page]:
        """Yield the page; fail if it wrote an error to the console meanwhile."""
        self._errors.clear()
        yield self._page
        assert self._errors == []

    def sign_in(self, cookie: Any, headers: dict[str, str]) -> None:
        """Sign the tab in by a session cookie; requests past the page carry the headers."""
        self._context.add_cookies([cookie])
        self._context.set_extra_http_headers(headers)

    def clean(self) -> None:
        """Remove the remains of a test."""
        page = self._page
        page.unroute_all(behavior="ignoreErrors")
        self._context.set_offline(False)
        page.goto(BLANK)
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self._context.clear_cookies()
        self._context.set_extra_http_headers({})
        page.set_viewport_size(_VIEWPORT)
        page.emulate_media(media="null", color_scheme="light", reduced_motion="reduce")

    def close(self) -> None:
        self._context.close()

    def picture(self, path: Path) -> None:
        """Save a screenshot, for the reader of a failure."""
        self._page.screenshot(path=path)

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser itself logs each refused request; the tests check that the page reports it.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._errors.append(message.text)


def reopened(page: Page, address: str | None = None) -> Page:
    """Open an address, by default the page's own, like a link in a mail: nothing of the document remains."""
    address = address or page.url
    page.goto(BLANK)
    page.goto(address)
    return page


def soaked(*values: object) -> ParameterSet:
    """Return parameters of a test that only the slice `pages` uses."""
    return pytest.param(*values, marks=pytest.mark.soak("pages"))


@contextmanager
def requests_of(page: Page) -> Iterator[list[str]]:
    """List the addresses that a page requests inside the block."""
    urls: list[str] = []

    def hear(request: Request) -> None:
        urls.append(request.url)

    page.on("request", hear)
    try:
        yield urls
    finally:
        page.remove_listener("request", hear)


def violations_in_soak(page: Page) -> list[str]:
    """Run axe in the slice `pages` alone, for a state whose components another everyday test checks.

    The test must be marked `soak("pages", every_day=True)`: the slice would not select it otherwise.
    """
    return violations(page) if os.environ.get("STOWAGE_SOAK") == "pages" else []


def violations(page: Page) -> list[str]:
    """Run axe over the whole page in its current state."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE.read_text())
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
