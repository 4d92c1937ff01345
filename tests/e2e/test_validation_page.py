"""The validation page: read the errors, find the largest one, and read its reason."""

import re

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.soak("pages")
def test_the_first_line_says_how_far_off_predictions_are(page: Page) -> None:
    page.goto("/benchmarks/accuracy")
    sentence = page.get_by_text(re.compile(r"Over \d+ independent experiments the predictions are off by [\d.]+%"))
    expect(sentence).to_be_visible()
    page.get_by_text("What the sources contradict").click()
    expect(page.get_by_role("heading", name="What the sources contradict")).to_be_visible()


@pytest.mark.soak("pages")
def test_it_begins_with_jobs_like_the_visitor_s(page: Page) -> None:
    page.goto("/benchmarks/accuracy")
    accuracy = page.get_by_role("region", name="How far off is it for a job like mine?")
    expect(
        accuracy.get_by_text(re.compile(r"half of \d+ published jobs are predicted within [\d.]+%")).first
    ).to_be_visible()
    accuracy.get_by_label("Framework").select_option("hadoop-mapreduce")
    expect(accuracy.get_by_text("fitted to these jobs").first).to_be_visible()
    expect(page.get_by_role("table", name="Every case")).to_have_count(0)


def test_a_miss_is_found_opened_and_shared_by_its_address(page: Page) -> None:
    page.goto("/benchmarks/accuracy")
    page.get_by_text("Every published figure").click()
    cases = page.get_by_role("table", name="Every case")
    expect(cases.get_by_role("row")).to_have_count(41)
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_text(re.compile(r"^41–80 of \d{3}$"))).to_be_visible()
    page.get_by_label("Misses over 15%").check()
    page.get_by_label("Words").fill("m1.xlarge")
    row = cases.get_by_role("button", name=re.compile(r"cost of sorting 100 TB on m1\.xlarge"))
    row.click()
    expect(page.get_by_text("Why it is off")).to_be_visible()
    expect(page).to_have_url(re.compile(r"misses=yes.*case=netbench-m1-cost"))
    page.goto(page.url)
    expect(page.get_by_text("Why it is off")).to_be_visible()
    expect(row).to_be_visible()


@pytest.mark.soak("pages")
def test_a_mark_of_the_plot_opens_its_case(page: Page) -> None:
    page.goto("/benchmarks/accuracy?kind=predicted&group=job+time")
    page.get_by_role("listbox").get_by_role("option").first.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("case="))
    expect(page.get_by_text("Assumed", exact=True)).to_be_visible()
