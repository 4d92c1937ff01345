"""The ranking beyond its first rows: found, sorted, opened, pinned, saved; and next to the details."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import reopened, violations

ASKED = "/plans/new?data=100+TB&deadline=2+h&chance=95+%25"
"""A question over the newest catalog, with more rows than an answer carries."""
CARRIED = 50


def ranking(page: Page) -> Locator:
    return page.get_by_role("table", name="Ranked by cost")


def details(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Details").or_(page.get_by_role("dialog"))


def names(page: Page) -> list[str]:
    return [text.split("\n")[0] for text in ranking(page).locator("tbody th").all_inner_texts()]


def shown(page: Page) -> Locator:
    return page.get_by_test_id("rows-shown")


@pytest.mark.soak("pages")
def test_a_row_behind_the_first_ones_is_found_opened_by_its_address_and_pinned(page: Page) -> None:
    page.goto(ASKED)
    expect(shown(page)).to_have_text("The first 15 rows are shown.")
    page.get_by_role("searchbox", name="Filter the ranking").fill("d3en disks")
    expect(shown(page)).to_contain_text(re.compile(r"^\d+ of \d+ rows with “d3en disks” shown; the ranking has \d+"))
    expect(page).to_have_url(re.compile("find=d3en"))
    found = names(page)
    assert all("d3en." in name for name in found)
    rank = int(ranking(page).locator("tbody td").first.inner_text())
    assert rank > CARRIED
    page.get_by_role("button", name=re.compile(f"^Details of {re.escape(found[0])}")).click()
    expect(details(page)).to_contain_text(f"Number {rank} of the ranking")
    reopened(page)
    expect(details(page)).to_contain_text(f"Number {rank} of the ranking")
    assert names(page) == found
    details(page).get_by_role("button", name=re.compile("^Pin to compare")).click()
    expect(page.get_by_role("region", name="Comparison")).to_contain_text(found[0])
    page.get_by_role("searchbox", name="Filter the ranking").fill("")
    expect(shown(page)).to_have_text("The first 15 rows are shown.")
    expect(details(page)).to_contain_text(found[0])


@pytest.mark.soak("pages")
def test_the_whole_ranking_is_sorted_by_keyboard_and_saved_as_a_file(page: Page) -> None:
    page.goto(ASKED)
    expect(shown(page)).to_have_text("The first 15 rows are shown.")
    page.get_by_role("button", name="Time", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    head = page.get_by_role("columnheader", name=re.compile("^Time"))
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(shown(page)).to_contain_text(re.compile(r"^50 of \d+ rows shown\.$"))
    expect(page).to_have_url(re.compile("sort=-time"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
    assert shown(page).inner_text() == f"50 of {len(lines)} rows shown."
    assert len(lines) > CARRIED
    assert [f"{line['nodes']} × {line['instance']}".replace(",", "") for line in lines[:CARRIED]] == [
        name.replace(",", "") for name in names(page)
    ]
    times = [float(line["time_p50_s"]) for line in lines]
    assert times == sorted(times, reverse=True)
    assert sorted(int(line["rank"]) for line in lines) == list(range(1, len(lines) + 1))
    page.get_by_role("button", name="Show 50 more").click()
    expect(shown(page)).to_contain_text(re.compile("^100 of "))
    assert len(names(page)) == 100


@pytest.mark.soak("pages")
def test_open_details_cover_no_column_of_the_ranking(page: Page) -> None:
    page.goto(f"{ASKED}&today=106-i3.4xlarge-1-1")
    expect(ranking(page).get_by_role("columnheader", name="Against today")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Details of ")).first.click()
    expect(details(page)).to_contain_text("Against today:")
    expect(page.get_by_role("complementary", name="Details")).to_be_visible()
    edge = page.get_by_role("complementary", name="Details").bounding_box()
    assert edge is not None
    for row in ranking(page).get_by_role("row").all()[1:]:
        pin = row.get_by_role("button", name=re.compile("^Pin "))
        for seen in (row.get_by_text(re.compile("(cost|same)$")).last, pin):
            seen.scroll_into_view_if_needed()
            box = seen.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= edge["x"]
    # Playwright clicks it only if no element covers it.
    ranking(page).get_by_role("button", name=re.compile("^Pin ")).last.click()
    expect(page).to_have_url(re.compile("pins="))
    assert violations(page) == []
