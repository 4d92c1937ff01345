"""First minutes: keys of every page, rows by keyboard, the glossary, the first steps and the inbox."""

import re

import pytest
from playwright.sync_api import Page, expect

from browsing import violations, violations_in_soak


@pytest.mark.soak("pages")
def test_rows_are_walked_and_opened_by_keyboard_and_keys_are_listed(page: Page) -> None:
    for name in ("Nightly sort", "Weekly archive"):
        page.request.post("/api/v1/plans", data={"workload": {"name": name, "data": "1 TB"}})
    page.goto("/plans")
    expect(page.get_by_role("link", name="Nightly sort")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("link", name="Weekly archive")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Nightly sort")).to_be_focused()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="Nightly sort")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/plans/[0-9a-f-]{36}"))


@pytest.mark.soak("pages")
def test_letters_stay_in_the_field_in_which_somebody_types(page: Page) -> None:
    page.goto("/plans/new")
    data = page.get_by_role("textbox", name="Data", exact=True)
    data.fill("")
    data.press_sequentially("jk?")
    expect(data).to_have_value("jk?")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.soak("pages", every_day=True)
def test_terms_are_explained_and_first_steps_end_for_good(page: Page) -> None:
    page.goto("/plans/new")
    term = page.get_by_role("term").filter(has_text="physical limit")
    term.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("No framework is faster")
    assert violations_in_soak(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()
    expect(page.get_by_text(re.compile(r"Step \d of 3"))).to_have_count(3)
    page.get_by_role("button", name="Hide the first steps (at step 1)").click()
    expect(page.get_by_text(re.compile(r"Step \d of 3"))).to_have_count(0)
    page.reload()
    expect(term).to_be_visible()
    expect(page.get_by_text(re.compile(r"Step \d of 3"))).to_have_count(0)


@pytest.mark.soak("pages", every_day=True)
def test_the_inbox_opens_by_keyboard_and_gives_the_focus_back(page: Page) -> None:
    page.goto("/settings/alerts")
    bell = page.get_by_role("button", name="Inbox")
    bell.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("No notifications.")).to_be_visible()
    assert violations_in_soak(page) == []
    page.keyboard.press("Escape")
    expect(bell).to_be_focused()


@pytest.mark.soak("pages")
def test_the_table_of_instances_and_the_search_give_the_focus_back(page: Page) -> None:
    page.goto("/catalog/instances")
    grid = page.get_by_role("grid", name="Instance types")
    expect(grid).to_be_visible()
    page.keyboard.press("j")
    expect(grid).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"type="))
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(grid).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    page.keyboard.press("Escape")
    expect(grid).to_be_focused()
