"""Comparing configurations on the page: dragged limits, pins, and differences from the current cluster."""

import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import reopened, soaked, violations

ASKED = "/plans/new?catalog=paper-2014&usual=ignored&nodes=200&deadline=30+min"
THREE = ["98-i2.8xlarge-4-4", "120-i2.8xlarge-4-4", "150-i2.8xlarge-4-4"]
COMPARED = f"{ASKED}&pins={'_'.join(THREE)}&today=80-i2.8xlarge-own"


def limit(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Cost against time").get_by_role("slider", name=name)


def open_plan(page: Page, address: str = ASKED) -> None:
    page.goto(address)
    expect(limit(page, "Deadline")).to_be_visible()
    # The plot is ready once it has ticks; a drag before that would have no effect.
    expect(page.get_by_test_id("x-tick").first).to_be_visible()


def details(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Details").or_(page.get_by_role("dialog"))


def grab(page: Page, handle: Locator) -> tuple[float, float]:
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def compared(page: Page, figure: str) -> list[str]:
    row = page.get_by_role("table", name="Compare").get_by_role("row", name=re.compile(f"^{figure}"))
    return row.get_by_role("cell").all_inner_texts()


def heads(page: Page) -> list[str]:
    texts = page.get_by_role("table", name="Compare").get_by_role("columnheader").all_inner_texts()
    return [text.split("\n")[0] for text in texts[1:]]


@pytest.mark.soak("pages")
def test_the_ranking_and_the_address_follow_the_hand_on_the_deadline(page: Page) -> None:
    open_plan(page)
    expect(page.get_by_test_id("sentence")).to_contain_text("98 × i2.8xlarge")
    ticks = page.get_by_test_id("x-tick").all_text_contents()
    handle = limit(page, "Deadline")
    x, y = grab(page, handle)
    page.mouse.move(x - 60, y, steps=4)
    # During the drag the answer follows, and the axes stay fixed; the address may wait for the release.
    expect(page.get_by_test_id("sentence")).not_to_contain_text("98 × i2.8xlarge")
    page.mouse.move(x - 150, y, steps=6)
    page.mouse.up()
    assert page.get_by_test_id("x-tick").all_text_contents() == ticks
    chosen = handle.get_attribute("aria-valuetext") or ""
    assert re.fullmatch(r"2\d min( 30 s)?", chosen), chosen
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value(chosen)
    expect(page).to_have_url(re.compile(f"deadline={chosen.replace(' ', '[+]')}(&|$)"))
    expect(page.get_by_test_id("sentence")).to_contain_text(re.compile(r"1[1-4]\d × i2\.8xlarge"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"deadline=30\+min"))
    expect(handle).to_have_attribute("aria-valuetext", "30 min")
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("30 min")


@pytest.mark.soak("pages")
def test_a_budget_is_dragged_from_the_far_end_and_back(page: Page) -> None:
    open_plan(page, "/plans/new?catalog=paper-2014&usual=ignored&nodes=200")
    handle = limit(page, "Budget")
    expect(handle).to_have_text("drag to set a budget")
    x, y = grab(page, handle)
    page.mouse.move(x, y + 120, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"budget=\d{3}\+USD"))
    expect(page.get_by_role("textbox", name="Budget")).to_have_value(re.compile(r"^\d{3} USD$"))
    expect(handle).to_have_text(re.compile(r"budget \$\d{3}"))
    x, y = grab(page, handle)
    page.mouse.move(x, y - 300, steps=5)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile("budget="))
    expect(handle).to_have_attribute("aria-valuetext", "no budget")


@pytest.mark.soak("pages")
def test_a_drag_beyond_everything_says_so_and_leads_back(page: Page) -> None:
    open_plan(page)
    handle = limit(page, "Deadline")
    x, y = grab(page, handle)
    page.mouse.move(x - 700, y, steps=5)
    expect(page.get_by_test_id("nothing-fits")).to_be_visible()
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.get_by_test_id("sentence")).to_contain_text("98 × i2.8xlarge")
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("30 min")


@pytest.mark.soak("pages")
def test_keys_move_the_deadline_and_escape_takes_it_back(page: Page) -> None:
    open_plan(page)
    handle = limit(page, "Deadline")
    handle.focus()
    page.keyboard.press("ArrowLeft")
    expect(handle).to_have_attribute("aria-valuetext", "29 min")
    expect(page).to_have_url(re.compile(r"deadline=29\+min"))
    expect(page.get_by_test_id("sentence")).not_to_contain_text("98 x")
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile(r"deadline=19\+min"))
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"deadline=30\+min"))
    expect(page.get_by_test_id("sentence")).to_contain_text("98 × i2.8xlarge")
    page.keyboard.press("Delete")
    expect(page).not_to_have_url(re.compile("deadline="))
    expect(page.get_by_role("textbox", name="Deadline")).to_have_value("")
    expect(handle).to_have_text("drag to set a deadline")


def test_from_the_question_to_a_copy_of_the_answer_by_its_address(page: Page) -> None:
    open_plan(page, "/plans/new?catalog=paper-2014&usual=ignored&nodes=200&deadline=40+min")
    page.get_by_role("textbox", name="Data", exact=True).fill("90 TB")
    expect(page.get_by_test_id("sentence")).to_contain_text("90 TB")
    x, y = grab(page, limit(page, "Deadline"))
    page.mouse.move(x - 40, y, steps=6)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile(r"deadline=40\+min"))
    pin = page.get_by_role("table", name="Ranked by cost").get_by_role("button", name=re.compile("^Pin "))
    pin.click()
    page.get_by_role("button", name=re.compile("Details of ")).first.click()
    panel = details(page)
    for _ in range(2):
        before = page.url
        panel.get_by_role("button", name="Faster on the frontier").click()
        expect(page).not_to_have_url(before)
        panel.get_by_role("button", name=re.compile("^Pin to compare: ")).click()
        expect(panel.get_by_role("button", name=re.compile("^Pinned: "))).to_have_attribute("aria-pressed", "true")
    panel.get_by_role("tab", name="Sources").click()
    expect(page).to_have_url(re.compile("tab=certainty"))
    columns = heads(page)
    assert [column.split()[0] for column in columns] == ["1", "2", "3"]
    expect(page.get_by_test_id("badge").filter(has_text=re.compile("^[123]$"))).to_have_count(3)
    times, costs = compared(page, "Time"), compared(page, "Cost")
    assert sum("✓ best" in time for time in times) == 1
    assert "✓ best" in costs[0]
    assert all(re.search(r"% of the best", cost) for cost in costs[1:])
    page.get_by_role("button", name="Save plan").click()
    page.get_by_role("dialog", name="Save plan").get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile(r"/plans/[0-9a-f-]{36}\?"))
    expect(page.get_by_role("slider")).to_have_count(0)
    reopened(page)
    expect(page.get_by_role("table", name="Compare").get_by_text("✓ best").first).to_be_visible()
    expect(page.get_by_role("tab", name="Sources")).to_have_attribute("aria-selected", "true")
    assert heads(page) == columns
    assert compared(page, "Time") == times
    assert compared(page, "Cost") == costs
    page.get_by_role("button", name=re.compile("^Unpin 2")).click()
    expect(page.get_by_role("table", name="Compare").get_by_role("columnheader")).to_have_count(3)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(page.get_by_role("heading", name=re.compile(r"\(copy\)$"))).to_be_visible()


@pytest.mark.soak("pages")
def test_a_sixth_pin_is_refused_with_what_to_do(page: Page) -> None:
    five = "_".join(f"{nodes}-i2.8xlarge-4-4" for nodes in (110, 120, 130, 140, 150))
    open_plan(page, f"{ASKED}&pins={five}")
    pin = page.get_by_role("button", name="Pin 98 × i2.8xlarge, 4 data + 4 scratch disks")
    pin.click()
    refusal = page.get_by_text("5 are pinned already. Unpin one to pin this.")
    expect(refusal).to_be_visible()
    expect(refusal).to_have_attribute("role", "alert")
    expect(pin).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name=re.compile("^Unpin 1")).click()
    expect(refusal).to_be_hidden()
    pin.click()
    expect(page).to_have_url(re.compile("_98-i2.8xlarge-4-4"))


@pytest.mark.soak("pages")
def test_what_runs_today_is_held_against_every_row(page: Page) -> None:
    open_plan(page)
    page.get_by_role("combobox", name="Instance type").fill("i2.8xlarge")
    page.get_by_role("textbox", name="Nodes today").fill("80")
    expect(page.get_by_test_id("today-says")).to_have_text(re.compile(r"Today: 36 min 7 s for \$356"))
    expect(page).to_have_url(re.compile("today=80-i2.8xlarge-own"))
    row = page.get_by_role("table", name="Ranked by cost").get_by_role("row").nth(1)
    expect(row).to_contain_text("+2.5% cost")
    expect(row).to_contain_text(re.compile("18% time"))
    expect(page.get_by_test_id("badge").filter(has_text="today")).to_have_count(1)
    # The answer begins with what it saves, and the recommendation stands beside the current cluster.
    expect(page.get_by_test_id("sentence")).to_contain_text(
        re.compile(r"^Costs \$\d\.\d+ a run more \(\+2\.5%\) than 80 × i2\.8xlarge\. Cheapest")
    )
    expect(page.get_by_test_id("why")).to_contain_text("the current 80 × i2.8xlarge")
    assert [head.split()[0] for head in heads(page)] == ["recommended", "today"]
    page.get_by_role("textbox", name="Nodes today").fill("many")
    expect(page.get_by_text("A whole number from 1 to 10,000,000, like 40")).to_be_visible()
    page.get_by_role("textbox", name="Nodes today").fill("20")
    expect(page.get_by_test_id("today-says")).to_contain_text("cannot hold input, intermediate data and output")
    page.get_by_role("combobox", name="Instance type").fill("zz.large")
    expect(page.get_by_text("is not an instance type of catalog").first).to_be_visible()
    expect(page.get_by_role("combobox", name="Instance type")).to_have_attribute("aria-invalid", "true")


@pytest.mark.soak("pages")
def test_why_not_says_what_costs_what(page: Page) -> None:
    open_plan(page, f"{COMPARED}&row={THREE[0]}&tab=why")
    panel = details(page)
    own, other = panel.get_by_test_id("explained").first, panel.get_by_test_id("explained").nth(1)
    expect(own).to_contain_text("is the cheapest of all within the limits")
    why = panel.get_by_role("combobox", name="Why not …?")
    why.select_option(THREE[2])
    expect(other).to_contain_text("150 × i2.8xlarge (4 data + 4 scratch disks) takes 19 min 47 s for $388")
    expect(panel.get_by_role("row", name=re.compile("map and shuffle"))).to_contain_text("0.67 ×")
    expect(panel.get_by_test_id("overturn")).to_contain_text("Its network would have to be 998 MB/s a node")
    why.select_option("80-i2.8xlarge-own")
    expect(other).to_contain_text("takes 36 min 7 s for $356, beyond the deadline of 30 min")
    panel.get_by_role("combobox", name="Any type").fill("c3.large")
    panel.get_by_role("button", name="Compare").click()
    words = panel.get_by_test_id("why-not")
    expect(words).to_contain_text("It cannot do the job: 98 × c3.large cannot hold input, intermediate data and output")
    expect(words).to_contain_text("capacity needs more nodes than allowed")
    expect(page).to_have_url(re.compile("why=98-c3.large-own"))


@pytest.mark.soak("pages")
def test_two_that_do_not_win_are_held_against_each_other(page: Page) -> None:
    open_plan(page, f"{COMPARED}&row={THREE[1]}&tab=why&why={THREE[2]}")
    panel = details(page)
    expect(panel.get_by_test_id("explained")).to_contain_text("the winner, 98 × i2.8xlarge")
    words = panel.get_by_test_id("why-not")
    expect(words).to_contain_text("120 × i2.8xlarge is ahead in cost")
    expect(words).to_contain_text("Most of the difference in time is in map and shuffle")


@pytest.mark.soak("pages")
def test_by_keyboard_alone_from_the_ranking_to_the_comparison(page: Page) -> None:
    open_plan(page)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name=re.compile("Skip"))).to_be_focused()

    def tab_to(label: str) -> None:
        for _ in range(100):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
            )
            if re.match(label, str(focused)):
                return
        pytest.fail(f"{label} is not on the way of the Tab key")

    tab_to("Details of 98")
    page.keyboard.press("Enter")
    expect(details(page)).to_be_visible()
    tab_to("Faster on the frontier")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("row=98-"))
    page.keyboard.press("Enter")
    tab_to("Pin to compare: 1")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(r"pins=1\d\d-i2"))
    tab_to("Time")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Money")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(details(page)).to_be_hidden()
    expect(page.get_by_role("table", name="Compare")).to_be_visible()
    tab_to("Comparison")


def test_a_chart_leaves_the_page_as_picture_and_as_data(page: Page) -> None:
    open_plan(page, f"{ASKED}&row={THREE[0]}")
    for title in ("Cost against time", "Use of resources by phase"):
        for ending, beginning in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            with page.expect_download() as download:
                page.get_by_role("button", name=f"Save as {ending}: {title}").click()
            content = Path(download.value.path()).read_bytes()
            assert content.startswith(beginning)
            if ending == "SVG":
                texts = page.evaluate(
                    "text => new DOMParser().parseFromString(text, 'image/svg+xml').documentElement.textContent",
                    content.decode(),
                )
                assert texts.startswith(title)
                assert ("deadline 30 min" if title.startswith("Cost") else "the limit") in texts
    page.get_by_role("button", name="Data of “Use of resources by phase”").click()
    page.get_by_role("region", name="Use of resources by phase").get_by_role("button", name="Copy table").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("phase\ttime_s\tresource\tuse_percent\nmap and shuffle\t")


@pytest.mark.soak("pages")
def test_the_sentence_is_copied_with_its_dates(page: Page) -> None:
    open_plan(page)
    page.get_by_role("button", name="Copy sentence").click()
    expect(page.get_by_role("status").filter(has_text="copied")).to_have_count(1)
    copied = page.evaluate("navigator.clipboard.readText()")
    asked = "Cheapest within 30 min, on at most 200 nodes: "
    assert copied.startswith(f"{asked}98 × i2.8xlarge on their own disks sort 100 TB in 29 min 45 s")
    assert "catalog paper-2014 of 1 Oct 2014" in copied
    assert "risk of missing the deadline: 47%, high" in copied


@pytest.mark.parametrize(
    ("width", "tab", "scheme"),
    [
        (1440, "certainty", "light"),
        soaked(1440, "certainty", "dark"),
        *(soaked(360, tab, scheme) for tab in ("why", "time") for scheme in ("light", "dark")),
    ],
)
def test_the_comparison_and_its_drawer_have_no_axe_violation(
    page: Page, width: int, tab: str, scheme: Literal["light", "dark"]
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{COMPARED}&row={THREE[0]}&tab={tab}&why={THREE[1]}")
    expect(details(page).get_by_role("tab").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.emulate_media(color_scheme=scheme)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.soak("pages")
def test_on_paper_there_is_the_answer_and_nothing_to_press(page: Page) -> None:
    open_plan(page, f"{COMPARED}&row={THREE[0]}")
    expect(details(page).get_by_role("tab").first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.get_by_role("form", name="Workload")).to_be_hidden()
    expect(page.get_by_role("button", name="Save plan")).to_be_hidden()
    expect(page.get_by_test_id("sentence")).to_be_visible()
    for heading in ("Time", "Money", "Sources"):
        expect(details(page).get_by_role("heading", name=heading, exact=True)).to_be_visible()
    expect(page.get_by_text("i2.8xlarge.network_mb_per_s at 178 nodes")).to_be_visible()
