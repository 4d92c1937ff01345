"""The plan page: describe a workload, read the answer, choose, relax limits, save, share."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import reopened, soaked

PAPER = "/plans/new?catalog=paper-2014&usual=ignored"
"""A plan over the paper's catalog, whose answers do not change."""


def details(page: Page) -> Locator:
    """Find the panel of the chosen row: next to the answer if there is room, otherwise over it."""
    return page.get_by_role("complementary", name="Details").or_(page.get_by_role("dialog"))


def open_details(page: Page, name: str) -> None:
    page.get_by_role("button", name=re.compile(f"Details of {re.escape(name)}")).first.click()


def rows(page: Page) -> list[str]:
    table = page.get_by_role("table", name="Ranked by cost")
    return [text.split("\n")[0] for text in table.locator("tbody th").all_inner_texts()]


def test_the_answer_follows_the_form_and_the_address_follows_both(page: Page) -> None:
    page.goto(PAPER)
    expect(page.get_by_test_id("sentence")).to_contain_text("63 × i2.8xlarge on their own disks sort 100 TB in 45 min")
    assert rows(page) == ["63 × i2.8xlarge"]
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_have_value("100 TB")
    page.get_by_role("textbox", name="Deadline").fill("30 min")
    page.get_by_role("textbox", name="Nodes ≤").fill("200")
    expect(page.get_by_role("rowheader", name="98 × i2.8xlarge")).to_be_visible()
    page.get_by_role("radio", name=re.compile("^Application-level")).check()
    expect(page.get_by_test_id("sentence")).not_to_contain_text("98 ×")
    expect(page).to_have_url(re.compile("durability=application"))
    assert "deadline=30" in page.url
    sentence = page.get_by_test_id("sentence").inner_text()
    reopened(page)
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("30 min")
    expect(page.get_by_role("radio", name=re.compile("^Application-level"))).to_be_checked()
    expect(page.get_by_test_id("sentence")).to_have_text(sentence)


@pytest.mark.parametrize(
    ("label", "text", "message"),
    [
        ("Data", "100 TBB", "is not a unit of size"),
        soaked("Data", "-5 TB", "is not above 0"),
        soaked("Data", "NaN", "is not a size"),
        soaked("Data", "1e400", "has no unit"),
        soaked("Deadline", "0", "has no unit"),
        soaked("Budget", "500 EUR", "not an amount in US dollars"),
        soaked("Nodes ≤", "0", "accepted: 1 or more"),
        soaked("Nodes ≤", "many", "is not a whole number"),
    ],
)
def test_bad_input_is_told_at_its_field_and_the_last_answer_stays(
    page: Page, label: str, text: str, message: str
) -> None:
    page.goto(PAPER)
    expect(page.get_by_role("rowheader", name="63 × i2.8xlarge")).to_be_visible()
    field = page.get_by_role("textbox", name=label, exact=label == "Data")
    field.fill(text)
    expect(page.get_by_text(message)).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("rowheader", name="63 × i2.8xlarge")).to_be_visible()
    field.fill({"Data": "1 TB"}.get(label, ""))
    expect(page.get_by_text(message)).to_be_hidden()


@pytest.mark.parametrize(
    ("search", "message"),
    [
        soaked("?region=mars-1", "has no prices in catalog"),
        soaked("?durability=application&replicas=0", "accepted: 1 or more"),
        soaked("?catalog=1999", "is not a catalog version"),
        ("?data=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E", "is not a size"),
    ],
)
def test_a_bad_address_is_told_and_no_page_stays_blank(page: Page, search: str, message: str) -> None:
    page.goto(f"{PAPER}&{search.removeprefix('?')}")
    expect(page.get_by_text(message).first).to_be_visible()
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_be_visible()


@pytest.mark.soak("pages")
def test_every_figure_of_the_chosen_row_opens_its_provenance(page: Page) -> None:
    page.goto(f"{PAPER}&nodes=200&deadline=30+min")
    expect(page.get_by_role("rowheader", name="98 × i2.8xlarge")).to_be_visible()
    open_details(page, "98 × i2.8xlarge")
    panel = details(page)
    expect(panel.get_by_text("map and shuffle").first).to_be_visible()
    expect(panel.get_by_text("sort and reduce").first).to_be_visible()
    panel.get_by_role("tab", name="Sources").click()
    expect(panel.get_by_text("i2.8xlarge.network_mb_per_s at 178 nodes")).to_be_visible()
    expect(panel.get_by_text(re.compile("Table 2, DiskBench")).first).to_be_visible()
    assert "row=" in page.url
    page.reload()
    expect(details(page).get_by_text(re.compile("Table 2, DiskBench")).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(details(page)).to_be_hidden()
    assert "row=" not in page.url


@pytest.mark.soak("pages")
def test_nothing_fits_offers_relaxations_and_one_click_takes_them(page: Page) -> None:
    page.goto(f"{PAPER}&deadline=1+min&nodes=200")
    expect(page.get_by_text(re.compile("No configuration sorts 100 TB within 1 min"))).to_be_visible()
    page.get_by_role("button", name="Allow a deadline of 15 min 1 s").click()
    expect(page.get_by_test_id("sentence")).to_contain_text(re.compile(r"200 × i2\.8xlarge .* sort 100 TB"))
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("15 min 1 s")


@pytest.mark.soak("pages")
def test_ignoring_the_network_ranks_the_paper_s_types_and_says_that_it_is_a_bound(page: Page) -> None:
    page.goto(f"{PAPER}&deadline=3+h&nodes=300")
    page.get_by_role("button", name=re.compile("network", re.IGNORECASE)).first.click()
    expect(page.get_by_text("This answer ignores the network.")).to_be_visible()
    expect(page.get_by_role("table", name="Ranked by cost").locator("tbody tr")).to_have_count(4)
    assert {row.split(" × ")[1] for row in rows(page)} == {"i2.8xlarge", "i2.4xlarge", "m1.xlarge", "hs1.8xlarge"}
    assert "network=unlimited" in page.url


def test_a_plan_is_saved_listed_opened_and_taken_up_again(page: Page) -> None:
    page.goto(f"{PAPER}&data=40+TB&nodes=150")
    expect(page.get_by_text("sort 40 TB")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Save")).first.click()
    name = page.get_by_role("textbox", name=re.compile("name", re.IGNORECASE))
    name.fill("Forty in the night")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Save")).click()
    page.wait_for_url(re.compile(r"/plans/[0-9a-f-]{36}"))
    expect(page.get_by_role("heading", name="Forty in the night")).to_be_visible()
    address = page.url
    page.get_by_role("link", name="Saved plans").first.click()
    page.get_by_role("link", name="Forty in the night").first.click()
    page.wait_for_url(address)
    page.get_by_role("link", name=re.compile("new plan")).click()
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_have_value("40 TB")


def test_an_unknown_address_says_so_and_leads_back(page: Page) -> None:
    page.goto("/no/such/page")
    expect(page.get_by_role("main").get_by_role("link").first).to_be_visible()
    page.goto("/plans/00000000-0000-4000-8000-000000000000")
    expect(page.get_by_text(re.compile("no plan|not found", re.IGNORECASE)).first).to_be_visible()
