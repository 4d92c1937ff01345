"""One measured time of the current cluster: typed into the form, it scales the answer and is stored with the plan."""

import re

import pytest
from playwright.sync_api import Page, expect

from browsing import violations

ASKED = "/plans/new?catalog=paper-2014&usual=ignored&nodes=200&framework=unknown&today=100-i2.8xlarge-own"


@pytest.mark.soak("pages")
def test_what_a_run_takes_today_scales_the_answer(page: Page) -> None:
    page.goto(ASKED)
    expect(page.get_by_test_id("today-says")).to_contain_text("Today: ")
    page.get_by_text("Storage, measured time").click()
    page.get_by_role("textbox", name="What does a run take today?").fill("1 h 50 min")
    expect(page.get_by_test_id("today-says")).to_contain_text("Today: 1 h 50 min for")
    expect(page.get_by_test_id("today-says")).to_contain_text("Times are scaled by")
    expect(page.get_by_role("textbox", name="Data of that run")).to_have_value("100 TB")
    scaled = "Scaled to what runs today: 100 × i2.8xlarge took 1 h 50 min, predicted"
    expect(page.get_by_test_id("sentence")).to_contain_text(scaled)
    assert violations(page) == []
    # The address restores it; another current cluster removes it, because that one was not measured.
    page.goto(page.url)
    expect(page.get_by_test_id("sentence")).to_contain_text(scaled)
    page.get_by_role("textbox", name="What does a run take today?").fill("")
    expect(page.get_by_test_id("sentence")).not_to_contain_text("Scaled to what runs today")
    expect(page).not_to_have_url(re.compile("ran="))


@pytest.mark.soak("pages")
def test_typing_the_current_node_count_keeps_the_focus(page: Page) -> None:
    page.goto("/plans/new?catalog=paper-2014&usual=ignored&nodes=200")
    page.get_by_label("Instance type").fill("i2.8xlarge")
    nodes = page.get_by_label("Nodes today")
    # The first digit is a valid cluster, which is predicted while the second is typed.
    nodes.press_sequentially("100", delay=100)
    expect(nodes).to_be_focused()
    expect(nodes).to_have_value("100")
    expect(page.get_by_test_id("today-says")).to_contain_text("Today: ")
    expect(page).to_have_url(re.compile("today=100-i2.8xlarge"))
