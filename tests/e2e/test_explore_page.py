"""The explore page: filter, sort, show a source, compare, share the view, export."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import violations, violations_in_soak

ALL_OF_A_REGION = 1_300
PAGE_ROWS = 50
"""Rows of the table on one page."""


def open_table(page: Page, address: str) -> Locator:
    page.goto(address)
    grid = page.get_by_role("grid", name="Instance types")
    expect(grid.get_by_role("rowheader").first).to_be_visible()
    return grid


def names(grid: Locator) -> list[str]:
    return [name or "" for name in grid.get_by_role("rowheader").all_text_contents()]


def rows(grid: Locator) -> int:
    return int(grid.get_attribute("aria-rowcount") or 0) - 1


@pytest.mark.soak("pages")
def test_the_page_opens_on_current_storage_types_and_shows_all_on_request(page: Page) -> None:
    grid = open_table(page, "/catalog/instances")
    sentence = page.get_by_text(re.compile(r"^Showing \d+ of 1,\d{3} types in us-east-1: storage optimized, current"))
    expect(sentence).to_be_visible()
    assert rows(grid) < ALL_OF_A_REGION / 10
    assert {name.split(".")[0] for name in names(grid)} >= {"i3", "i4i"}
    for filtered in ("Storage optimized", "Current generation", "With SSDs"):
        page.get_by_role("button", name=f"Remove the filter {filtered}").click()
    expect(page).to_have_url(re.compile(r"series=all"))
    assert rows(grid) >= ALL_OF_A_REGION


@pytest.mark.soak("pages")
def test_all_types_are_there_and_those_of_one_page_in_the_document(page: Page) -> None:
    grid = open_table(page, "/catalog/instances?series=all")
    assert rows(grid) >= ALL_OF_A_REGION
    first = names(grid)
    assert len(first) == PAGE_ROWS
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page).to_have_url(re.compile(r"from=51"))
    expect(grid.get_by_text(first[0], exact=True)).to_have_count(0)
    grid.focus()
    page.keyboard.press("Control+End")
    expect(page).to_have_url(re.compile(r"from=13\d1"))
    assert 0 < len(names(grid)) <= PAGE_ROWS
    # The focus moved along: the focused cell names its source.
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=re.compile("^Source of vCPU of "))).to_contain_text("published")


@pytest.mark.soak("pages")
def test_a_view_is_filtered_sorted_shared_and_saved_as_it_is(page: Page, tmp_path: Path) -> None:
    grid = open_table(page, "/catalog/instances?columns=vcpus,memory_gib,capacity_gb,usd_per_hour&media=ssd")
    page.get_by_role("textbox", name="Filter vCPU").fill("8..32")
    page.get_by_role("textbox", name="Filter On-demand").fill("<2")
    page.get_by_role("searchbox", name="Name").fill("i3")
    grid.get_by_role("columnheader", name=re.compile("Capacity")).get_by_role("button").click()
    grid.get_by_role("columnheader", name=re.compile("Capacity")).get_by_role("button").click()
    expect(page).to_have_url(re.compile(r"sort=-capacity_gb"))
    expect(page).to_have_url(re.compile(r"where=vcpus%3A8"))
    kept, shown = rows(grid), names(grid)
    assert 0 < kept == len(shown) < PAGE_ROWS
    assert all("i3" in name for name in shown)

    open_table(page, page.url)
    assert names(grid) == shown
    expect(page.get_by_role("textbox", name="Filter vCPU")).to_have_value("8..32")

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    download.value.save_as(tmp_path / "types.csv")
    with (tmp_path / "types.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *lines = list(csv.reader(file))
    assert head == ["Type", "vCPU", "Memory [GiB]", "Capacity [GB]", "On-demand [USD/h]"]
    assert [line[0] for line in lines] == shown
    cells = [
        re.sub(r"[^\d.]", "", text)
        for text in grid.get_by_role("row").nth(1).get_by_role("gridcell").all_text_contents()
    ]
    assert [float(cell) for cell in cells[:3]] == [float(value) for value in lines[0][1:4]]


@pytest.mark.soak("pages", every_day=True)
def test_two_types_are_compared_and_one_is_opened(page: Page) -> None:
    grid = open_table(page, "/catalog/instances?name=i3.&sort=vcpus")
    grid.get_by_role("checkbox", name="Compare i3.large").check()
    grid.get_by_role("checkbox", name="Compare i3.xlarge").check()
    compared = page.get_by_role("region", name="Compared types")
    expect(compared.get_by_role("row", name=re.compile(r"^vCPU \(differs\) 2 4 × 2"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"compare=i3.large%2Ci3.xlarge"))
    assert violations_in_soak(page) == []
    grid.get_by_role("button", name="i3.large", exact=True).click()
    drawer = page.get_by_role("dialog", name="i3.large")
    expect(drawer.get_by_text("What it achieves")).to_be_visible()
    drawer.get_by_role("link", name="Plan with this type in view").click()
    expect(page).to_have_url(re.compile(r"row=\d+-i3\.large-own"))
    # As many nodes as hold the data: the plan page predicts them at once.
    details = page.get_by_role("complementary", name="Details")
    expect(details.get_by_text(re.compile(r"^\d+ × i3\.large on their own disks? sort 100 TB"))).to_be_visible()


@pytest.mark.soak("pages")
def test_the_keyboard_goes_on_in_the_table_where_a_type_was_opened(page: Page) -> None:
    grid = open_table(page, "/catalog/instances?name=i3.")
    grid.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(grid).to_be_focused()


@pytest.mark.soak("pages")
def test_the_source_of_a_figure_goes_when_its_row_scrolls_away(page: Page) -> None:
    grid = open_table(page, "/catalog/instances")
    grid.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=re.compile("^Source of"))).to_be_visible()
    page.mouse.wheel(0, 1_600)
    expect(page.get_by_role("dialog", name=re.compile("^Source of"))).to_have_count(0)


@pytest.mark.soak("pages")
def test_the_plot_draws_any_two_columns_and_opens_a_type_by_keys(page: Page) -> None:
    page.goto("/catalog/instances?x=network_baseline_mb_per_s&media=ssd")
    expect(page.get_by_role("heading", name="Disk throughput (half read, half write) against network")).to_be_visible()
    plot = page.get_by_role(
        "listbox", name=re.compile(re.escape("Disk throughput (half read, half write)") + " against network baseline")
    )
    plot.focus()
    page.keyboard.press("End")
    expect(plot.get_by_role("option")).to_have_attribute("aria-label", re.compile(r"Network baseline: [\d,.]+ Gbit/s"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("type="))


@pytest.mark.soak("pages")
def test_a_view_is_saved_for_the_team_renamed_deleted_and_brought_back(page: Page) -> None:
    open_table(page, "/catalog/instances?series=all&where=vcpus%3A%3E%3D64&sort=-memory_gib")
    page.get_by_role("button", name="Save view").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Large memory")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="EBS heavy").click()
    expect(page).to_have_url(re.compile(r"sort=-ebs_baseline_mb_per_s"))
    page.get_by_role("button", name="Large memory", exact=True).click()
    expect(page).to_have_url(re.compile(r"sort=-memory_gib"))
    menu = page.get_by_role("button", name="Change the view")
    menu.click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="New name").fill("Most memory")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Most memory", exact=True)).to_have_attribute("aria-pressed", "true")
    assert violations(page) == []
    menu.click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.get_by_role("button", name="Most memory", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Most memory", exact=True)).to_be_visible()
