"""Pages for tests: opened, held to an empty console, and looked at by axe."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    # Pages of the browser's own, a process each, that nobody looks at.
    "--disable-features=PreloadTopChromeWebUI,InitialWebUI,SpareRendererForSitePerProcess",
]
"""What Chromium is started with wherever nobody sits before it."""

_AXE = Path(__file__).resolve().parents[1] / "frontend/node_modules/axe-core/axe.min.js"


@contextmanager
def opened(browser: Browser, pictured: Path | None = None, **like: Any) -> Iterator[Page]:
    """Open a page; whatever it writes to the console as an error fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en-US"} | like)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=like["base_url"])
    context.set_default_timeout(40_000)
    page = context.new_page()
    errors: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        # The browser itself logs each refused request; that the page says so is what the tests look at.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            errors.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    if pictured is not None:
        page.screenshot(path=pictured)
    context.close()
    assert errors == []


def violations(page: Page) -> list[str]:
    """Run axe over all of the page as it is now."""
    page.evaluate(_AXE.read_text())
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
