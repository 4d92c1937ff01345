"""A limit is dragged without a request: the ranking is looked up, and the same as that of the service."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import requests_of, soaked

ASKED = "/plans/new?data=2+TB&deadline=3+h&families=i3%2Cd3"
"""A sort by few types."""


def open_plan(page: Page, height_px: int = 2_400) -> None:
    """Open the question, by default in a window so high that the ranking is in sight."""
    page.set_viewport_size({"width": 1440, "height": height_px})
    with page.expect_response(re.compile("/plans/preview/limits")) as limits:
        page.goto(ASKED)
    assert limits.value.ok
    limits.value.finished()
    page.wait_for_load_state("networkidle")


def ranking(page: Page) -> list[str]:
    table = page.get_by_role("table", name="Ranked by cost")
    return [" ".join(text.split()) for text in table.locator("tbody tr").all_inner_texts()]


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("form", name="Workload").get_by_role("slider", name=name)


def hold(page: Page, name: str, shares: tuple[float, ...]) -> None:
    """Drag a slider to each of these places, and hold it at the last."""
    handle = slider(page, name)
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + shares[0] * box["width"], y)
    page.mouse.down()
    for share in shares:
        page.mouse.move(box["x"] + share * box["width"], y, steps=5)


def figures(rows: list[str]) -> list[str]:
    """Return the rows without what only the service tells: what they take on empty buckets."""
    return [re.sub(r"lives on bursts, else .*?(?=\$)", "", row) for row in rows]


@pytest.mark.parametrize(
    ("name", "shares"), [("Deadline", (0.55, 0.5, 0.45, 0.62)), soaked("Budget", (0.6, 0.3, 0.35))]
)
def test_a_drag_makes_no_request_and_shows_the_rows_of_the_service(
    page: Page, name: str, shares: tuple[float, ...]
) -> None:
    open_plan(page)
    handle, before = slider(page, name), ranking(page)
    answer = page.get_by_role("region", name="Answer", exact=True)
    height = round(answer.evaluate("each => each.offsetHeight"))
    with requests_of(page) as requests:
        hold(page, name, shares)
        # The browser delivers the last movements with the next frame.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(page.get_by_role("textbox", name=name)).to_have_value(handle.get_attribute("aria-valuetext") or "")
        drawn = ranking(page)
        assert requests == []
        # What is below, and may be dragged itself, does not move.
        assert round(answer.evaluate("each => each.offsetHeight")) == height
    # All rows are within such a budget.
    assert (drawn != before) == (name == "Deadline")
    with page.expect_response(re.compile(r"/plans/preview/columns")):
        page.mouse.up()
    page.wait_for_load_state("networkidle")
    assert figures(ranking(page)) == figures(drawn)
    expect(page).to_have_url(re.compile(f"{name.lower()}="))


def test_rows_out_of_sight_follow_when_the_limit_rests(page: Page) -> None:
    open_plan(page, height_px=900)
    table = page.get_by_role("table", name="Ranked by cost")
    expect(table).not_to_be_in_viewport()
    before = table.text_content() or ""
    with requests_of(page) as requests:
        hold(page, "Deadline", (0.55, 0.45))
        expect(table).not_to_have_text(before)
        assert requests == []
    page.mouse.up()


def test_keys_draw_at_once_and_ask_when_they_rest(page: Page) -> None:
    open_plan(page)
    handle = slider(page, "Deadline")
    handle.focus()
    before = ranking(page)
    with requests_of(page) as requests:
        for _ in range(5):
            page.keyboard.press("PageDown")
        assert ranking(page) != before
        assert requests == []
    expect(page).not_to_have_url(re.compile(r"deadline=3\+h"))


def test_a_limit_that_nothing_meets_is_asked_of_the_service(page: Page) -> None:
    open_plan(page)
    handle = slider(page, "Budget")
    handle.focus()
    with page.expect_response(re.compile(r"/plans/preview/columns")):
        page.keyboard.press("Home")
    expect(page.get_by_test_id("nothing-fits")).to_be_visible()
