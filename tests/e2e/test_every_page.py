"""Every page of the navigation, with the example team's content, as it is seen first.

It answers the question of a visitor's first five seconds without scrolling, is at most ten screens tall, and only the
document scrolls.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from first_look import FIRST_LOOKS, shown_at
from process import as_browser, await_end, running
from stowage.example import JOB_ID

PAGES = Path(__file__).resolve().parents[2] / "frontend/src/routes/layout/pages.ts"
SCREEN_PX = 800
MOST_SCREENS = 10

MEASURE = """() => {
  const scrolls = (element) =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight + 1;
  return {
    height: document.documentElement.scrollHeight,
    width: document.documentElement.scrollWidth,
    inner: [...document.querySelectorAll("main *")].filter(scrolls).map((element) => element.outerHTML.slice(0, 120)),
  };
}"""


def addresses() -> list[str]:
    """Return the addresses of the pages in the navigation."""
    found = re.findall(r'\bto: "(/[a-z/-]*)",\s+place:', PAGES.read_text())
    assert len(found) > 15
    return found


@pytest.fixture(scope="module")
def session() -> Iterator[dict[str, Any]]:
    """Start a service with the example team; return the settings of a browser that is signed in."""
    with (
        TemporaryDirectory(prefix="stowage-heights-") as home,
        running({"STOWAGE_HOME": home, "STOWAGE_EXAMPLE": "on"}) as up,
    ):
        client = up.client()
        await_end(client, str(JOB_ID), team="example")
        yield as_browser(client)


@pytest.fixture(scope="module", params=[360, 1440])
def sized(browser: Browser, session: dict[str, Any], request: pytest.FixtureRequest) -> Iterator[Page]:
    size: ViewportSize = {"width": request.param, "height": SCREEN_PX}
    context = browser.new_context(**session, viewport=size, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.soak("pages")
@pytest.mark.parametrize("address", addresses())
def test_a_page_is_at_most_ten_screens_tall_and_only_the_document_scrolls(sized: Page, address: str) -> None:
    open_page(sized, address)
    found = sized.evaluate(MEASURE)
    width = sized.viewport_size["width"] if sized.viewport_size else 0
    assert found["height"] <= MOST_SCREENS * SCREEN_PX
    assert found["width"] <= width
    assert found["inner"] == []


@pytest.mark.soak("pages")
@pytest.mark.parametrize("address", addresses())
def test_the_first_screen_answers_the_visitors_question(sized: Page, address: str) -> None:
    open_page(sized, address)
    words = sized.get_by_role("main").get_by_text(re.compile(FIRST_LOOKS[address].words)).first
    expect(words).to_be_in_viewport()


def test_every_page_of_the_navigation_has_its_question() -> None:
    assert list(FIRST_LOOKS) == addresses()


def open_page(page: Page, address: str) -> None:
    """Open a page and wait for its answers."""
    page.goto(shown_at(address))
    expect(page.get_by_role("main")).to_be_visible()
    page.wait_for_load_state("networkidle")
