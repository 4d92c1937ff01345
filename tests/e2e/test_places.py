"""The bar on the page: places and tabs by keyboard, the chip, and one line at 360 px."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import soaked, violations, violations_in_soak

WIDTHS = (320, 360, 768, 960, 1024, 1440)


def test_places_and_tabs_are_reached_by_keyboard(page: Page) -> None:
    page.goto("/")
    places = page.get_by_role("navigation", name="Pages")
    expect(places.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
    tab_to(page, places.get_by_role("link", name="Benchmarks"))
    page.keyboard.press("Enter")
    tabs = page.get_by_role("navigation", name="Benchmarks")
    expect(tabs.get_by_role("link", name="Results")).to_have_attribute("aria-current", "page")
    tab_to(page, tabs.get_by_role("link", name="Model accuracy"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/benchmarks/accuracy")
    expect(tabs.get_by_role("link", name="Model accuracy")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Model accuracy · Stowage")


@pytest.mark.soak("pages", every_day=True)
def test_the_chip_changes_the_question_and_gives_the_focus_back(page: Page) -> None:
    page.goto("/plans/new?catalog=paper-2014&usual=ignored&nodes=200")
    chip = page.get_by_role("button", name="Region, catalog and framework: us-east-1, paper-2014")
    chip.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Region, catalog and framework")
    expect(panel.get_by_role("combobox", name="Region")).to_be_focused()
    assert violations_in_soak(page) == []
    panel.get_by_role("combobox", name="Framework").select_option("flink")
    page.wait_for_url(re.compile("framework=flink"))
    assert "nodes=200" in page.url
    # The form shows the same.
    form = page.get_by_role("form", name="Workload")
    expect(form.get_by_role("combobox", name="Framework")).to_have_value("flink")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Region, catalog and framework"))).to_be_focused()


@pytest.mark.soak("pages", every_day=True)
def test_the_menus_of_the_bar_are_accessible(page: Page) -> None:
    page.goto("/settings/alerts")
    expect(page.get_by_role("heading", name="Alerts")).to_be_visible()
    assert violations_in_soak(page) == []
    page.get_by_role("button", name=re.compile("^Colors")).click()
    expect(page.get_by_role("menuitemradio", name="Dark")).to_have_attribute("aria-checked", "false")
    assert violations(page) == []


@pytest.mark.parametrize(
    ("address", "widths"),
    [
        ("/benchmarks/monitored", (360, 960)),
        *(soaked(address, WIDTHS) for address in ("/plans/new", "/benchmarks/monitored", "/settings/audit-log")),
    ],
)
def test_the_bar_is_one_line_and_the_own_tab_in_view_at_every_width(
    page: Page, address: str, widths: tuple[int, ...]
) -> None:
    page.goto(address)
    own = page.get_by_role("navigation").locator("[aria-current]").last
    for width in widths:
        page.set_viewport_size({"width": width, "height": 780})
        page.reload()
        expect(own).to_be_in_viewport(ratio=0.9)
        assert page.get_by_role("banner").evaluate("element => element.offsetHeight") < 60, width
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("30 times Tab do not reach it")


def test_the_search_leads_to_a_section_of_a_page(page: Page) -> None:
    page.set_viewport_size({"width": 1024, "height": 400})
    page.goto("/plans")
    expect(page.get_by_role("heading", name="Saved plans")).to_be_visible()
    page.keyboard.press("Control+K")
    page.get_by_role("combobox", name="Search").fill("limits of the team")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings/team#quotas")
    expect(page.get_by_role("heading", name="Quotas")).to_be_in_viewport()
    assert page.evaluate("scrollY") > 0
