"""Reports on the page: a plan, its report, a share link, a stranger who reads it and downloads the PDF, revocation."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import violations, violations_in_soak

HOSTILE = "<img src=x onerror=alert(1)> =1+1 \u202efdp.exe"
SHOWN = "<img src=x onerror=alert(1)> =1+1 ‹U+202E›fdp.exe"
KITES = "seven paper kites over fog"


@pytest.fixture
def plan(page: Page) -> str:
    """Save a plan; return its id."""
    asked = {"workload": {"name": "Nightly sort", "data": "20 TB", "runs_per_month": 30}, "limits": {"deadline": "1 h"}}
    saved = page.request.post("/api/v1/plans", data=asked).json()
    return str(saved["id"])


@pytest.mark.soak("pages", every_day=True)
def test_a_plan_becomes_a_report_that_a_stranger_reads_until_its_link_is_revoked(
    page: Page, stranger: Page, plan: str
) -> None:
    compose(page, plan)
    sentence = page.get_by_test_id("sentence").inner_text()
    link = share(page)
    read_as_a_stranger(stranger, link, sentence)
    revoke(page)
    stranger.reload()
    expect(stranger.get_by_role("heading", name="Not found")).to_be_visible()
    talk(page)
    find_again(page)


def compose(page: Page, plan: str) -> None:
    page.goto(f"/plans/{plan}")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Customize report").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_test_id("sentence")).to_be_visible()
    page.get_by_role("textbox", name="Title").fill(HOSTILE)
    page.get_by_role("textbox", name="Your words").fill("We decide on Monday.")
    # The preview of the report follows the typing.
    expect(preview.get_by_role("heading", name=SHOWN)).to_be_visible()
    expect(preview).to_contain_text("We decide on Monday.")
    leaving_asks(page)
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url(re.compile(r"/reports/[0-9a-f-]{36}$"))
    expect(page.get_by_role("heading", level=1, name=SHOWN)).to_be_visible()
    expect(page.get_by_role("link", name="Download PDF")).to_be_visible()
    assert violations(page) == []


def leaving_asks(page: Page) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Benchmarks").click()
    asks = page.get_by_role("dialog", name="Leave without publishing?")
    assert violations_in_soak(page) == []
    asks.get_by_role("button", name="Stay").last.click()
    expect(asks).to_have_count(0)
    expect(page.get_by_role("textbox", name="Title")).to_have_value(HOSTILE)


def share(page: Page) -> str:
    page.get_by_role("button", name="Share", exact=True).click()
    shown = page.get_by_role("dialog")
    shown.get_by_label("Password (optional)").fill(KITES)
    shown.get_by_role("button", name="Make a link").click()
    code = shown.get_by_role("region", name="The link").locator("code")
    expect(code).to_contain_text("/s/")
    expect(shown.get_by_role("list", name="Links that are good")).to_contain_text("asks for its password")
    assert violations_in_soak(page) == []
    return code.inner_text()


def read_as_a_stranger(page: Page, link: str, sentence: str) -> None:
    page.goto(link)
    question = page.get_by_label("Password of the link")
    expect(question).to_be_visible()
    # The page reveals nothing about the report behind the link.
    assert "Nightly sort" not in page.content()
    assert violations_in_soak(page) == []
    question.fill("not this one at all")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("That is not its password.")).to_be_visible()
    question.fill(KITES)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", level=1, name=SHOWN)).to_be_visible()
    expect(page.get_by_test_id("sentence")).to_have_text(sentence)
    assert page.get_by_role("navigation", name="Pages").count() == 0
    assert violations_in_soak(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download PDF").click()
    assert download.value.path().read_bytes()[:4] == b"%PDF"


def revoke(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Revoke")).click()
    expect(page.get_by_role("list", name="Links that are good")).to_have_count(0)
    page.keyboard.press("Escape")


def talk(page: Page) -> None:
    page.get_by_role("textbox", name="Your comment").fill(HOSTILE)
    page.keyboard.press("Control+Enter")
    comment = page.get_by_role("listitem").filter(has_text=SHOWN)
    expect(comment).to_be_visible()
    comment.get_by_role("button", name=re.compile("^Remove")).click()
    page.get_by_role("dialog").get_by_role("button", name="Remove it").click()
    expect(comment).to_have_count(0)


def find_again(page: Page) -> None:
    """Find a report by Ctrl-K and in the list; delete and restore it."""
    page.keyboard.press("Control+K")
    page.get_by_role("combobox", name="Search").fill("onerror")
    expect(page.get_by_role("group", name="Reports").get_by_role("option")).to_contain_text("onerror")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="All reports").click()
    entry = entry_of(page)
    expect(entry).to_have_count(1)
    entry.get_by_role("button", name=re.compile("^Delete")).click()
    expect(entry).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(entry).to_have_count(1)


def entry_of(page: Page) -> Locator:
    return page.get_by_role("list", name="Published reports").get_by_role("listitem").filter(has_text="onerror")


@pytest.mark.soak("pages")
def test_a_manager_reads_saving_risk_and_approval_on_a_phone(page: Page, stranger: Page, plan: str) -> None:
    today = {"today": {"instance": "i3.8xlarge", "nodes": 90}}
    assert page.request.put(f"/api/v1/plans/{plan}/decided", data=today).ok
    page.goto(f"/plans/{plan}")
    expect(page.get_by_test_id("question")).to_contain_text("Sort 20 TB")
    expect(page.get_by_test_id("saving")).to_contain_text("a month")
    page.get_by_role("button", name="Make a report").click()
    page.wait_for_url(re.compile(r"/reports/[0-9a-f-]{36}$"))
    made = {"kind": "report", "object_id": page.url.rpartition("/")[2]}
    link = page.request.post("/api/v1/links", data=made).json()["address"]
    stranger.set_viewport_size({"width": 360, "height": 780})
    stranger.goto(link)
    for words in ("What to do", "Saving a month", "Saving over three years", "Decide by"):
        expect(stranger.get_by_text(words, exact=True)).to_be_visible()
    risk = stranger.get_by_text(re.compile("^Risk of missing the deadline"))
    expect(stranger.get_by_test_id("approval")).to_have_text("Not approved.")
    tops = [
        (each.bounding_box() or {"y": 9_999})["y"]
        for each in (stranger.get_by_test_id("approval"), stranger.get_by_text("Saving a month", exact=True), risk)
    ]
    assert max(tops) < 780, tops
    assert stranger.evaluate("document.documentElement.scrollWidth") <= 360
    expect(stranger.get_by_role("button", name="The options side by side")).to_have_attribute("aria-expanded", "false")
    assert violations(stranger) == []


@pytest.mark.soak("pages")
def test_a_newer_report_says_what_changed_and_paper_shows_all_of_it(page: Page, plan: str) -> None:
    first = publish(page, plan, "In March", [1, 2, 3])
    second = publish(page, plan, "In May", [2, 3], replaces=first["id"])
    page.goto(f"/reports/{first['id']}")
    notice = page.get_by_role("note").filter(has_text="A newer report is there.")
    expect(notice.get_by_role("link", name="In May")).to_be_visible()
    notice.get_by_role("link", name="Compare the two").click()
    page.wait_for_url(re.compile("/reports/compare"))
    differs = page.get_by_role("region", name=re.compile("^What differs"))
    # Arrow and text, not colour alone.
    expect(differs.get_by_role("cell", name=re.compile("[▲▼] .*(better|worse)")).first).to_be_visible()
    page.get_by_text(re.compile("^All differences: ")).click()
    expect(page.get_by_role("heading", name=re.compile(", now")).first).to_be_visible()
    assert violations(page) == []
    page.goto(f"/reports/{second['id']}")
    fold = page.get_by_role("button", name="Where the figures are from")
    expect(fold).to_have_attribute("aria-expanded", "false")
    figures = page.locator(f'[id="{fold.get_attribute("aria-controls")}"]')
    expect(figures).to_be_hidden()
    page.emulate_media(media="print")
    expect(figures).to_be_visible()
    for chrome in (
        page.get_by_role("banner"),
        page.get_by_text("Publish a newer one"),
        page.get_by_text("Your comment"),
    ):
        expect(chrome).to_be_hidden()


def publish(page: Page, plan: str, title: str, ranks: list[int], replaces: str | None = None) -> dict[str, Any]:
    origin = {"kind": "plan", "plan_id": plan, "ranks": ranks}
    answer = page.request.post("/api/v1/reports", data={"title": title, "origin": origin, "replaces": replaces})
    assert answer.status == 201, answer.text()
    published: dict[str, Any] = answer.json()
    return published
