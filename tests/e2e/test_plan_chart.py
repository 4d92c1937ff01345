"""The chart of the plan page, its card by mouse and keyboard, and the form as a chip on a phone."""

import re
from collections.abc import Mapping, Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import soaked, violations

PAPER = "/plans/new?catalog=paper-2014&usual=ignored&deadline=30+min&nodes=200"
TODAY = "/plans/new?data=100+TB&deadline=2+h&nodes=200"
PINS = "pins=98-i2.8xlarge-4-4_150-i2.8xlarge-4-4_200-i2.8xlarge-4-4"

DESKTOP, PHONE = {"width": 1440, "height": 900}, {"width": 360, "height": 780}
SCREENS = 10
"""Most screens of a page at first load."""

OVERLAPS = """() => {
  const chart = document.querySelector("svg[role=listbox]");
  const box = (element) => element.getBoundingClientRect();
  const labels = [...chart.querySelectorAll("[data-testid=label], [data-testid=badge]")].map((group) => ({
    name: group.textContent, box: box(group.querySelector("rect") ?? group.querySelector("text")),
  }));
  const marks = [...chart.querySelectorAll("path[data-shape]")].map((mark) => ({ name: "a mark", box: box(mark) }));
  const handles = [...chart.parentElement.querySelectorAll("[role=slider]")].map((handle) => ({
    name: handle.ariaLabel, box: box(handle),
  }));
  // The box of a text is a little larger than its letters.
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const found = labels.flatMap((label, index) =>
    [...labels.slice(index + 1), ...marks, ...handles]
      .filter((other) => meet(label.box, other.box))
      .map((other) => `${label.name} over ${other.name}`));
  return { labels: labels.length, marks: marks.length, found };
}"""


def chart(page: Page) -> Locator:
    return page.get_by_role("listbox", name=re.compile("^Chart of "))


def shown(page: Page, address: str) -> Locator:
    """Open a plan; return its chart."""
    page.goto(address)
    expect(page.get_by_test_id("sentence")).to_be_visible()
    drawn = chart(page)
    expect(drawn.get_by_role("option").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    return drawn


@pytest.mark.parametrize("size", [DESKTOP, soaked(PHONE)])
@pytest.mark.parametrize(
    "address",
    [
        f"{PAPER}&{PINS}&today=120-i2.8xlarge-3-5",
        soaked(f"{TODAY}&today=100-i3.8xlarge-own"),
        soaked(f"{TODAY}&objective=time&budget=900+USD"),
        soaked("/plans/new?objective=month&deadline=1+h&chance=95+%25&purchase=any&nodes=200"),
        soaked("/plans/new?job=append-log&data=2+TB&durability=infrastructure"),
        soaked("/plans/new?job=hdfs-write&data=50+TB&deadline=2+h&nodes=200&today=60-d3en.8xlarge-own"),
        soaked("/plans/new?job=random-io&data=5+TB&durability=any&loss=0.1+%25"),
        soaked("/plans/new?data=1+TB&region=eu-west-1&deadline=20+min&scale=linear"),
        soaked("/plans/new?data=2+PB&purchase=spot&nodes=2000"),
        soaked("/plans/new?data=40+TB&durability=object-store&generation=current&architectures=arm64"),
        soaked(f"{PAPER}&network=unlimited&capacity=pooled&{PINS}_63-i2.8xlarge-4-4"),
    ],
)
def test_labels_cover_no_mark_no_handle_and_no_other_label(page: Page, address: str, size: Mapping[str, int]) -> None:
    page.set_viewport_size({"width": size["width"], "height": size["height"]})
    shown(page, address)
    marked = ("pins=" in address) + ("today=" in address)
    if marked:
        # The last of them is predicted after the answer.
        expect(page.get_by_test_id("badge").nth(marked - 1)).to_be_visible()
    seen = page.evaluate(OVERLAPS)
    assert seen["labels"] > 0 or size == PHONE
    assert seen["marks"] > 0
    assert seen["found"] == []


def whiskers(drawn: Locator) -> Locator:
    return drawn.locator("path[class*=whisker]")


def figures(card: Locator) -> Sequence[str]:
    return card.locator("dt").all_inner_texts()


def test_the_card_of_a_point_names_its_figures_and_pins_it_by_mouse(page: Page) -> None:
    drawn = shown(page, TODAY)
    # Ranges of the chosen configuration only, then also of the one under the pointer.
    expect(whiskers(drawn)).to_have_count(1)
    # Another mark may lie over it; the nearest point is the one at the cursor.
    drawn.get_by_role("option").nth(2).hover(force=True)
    card = page.get_by_role("group", name=re.compile(r"^\d+ × "))
    expect(card).to_be_visible()
    assert figures(card) == ["Time", "Cost", "Risk of missing the deadline", "Bottleneck"]
    expect(whiskers(drawn)).to_have_count(2)
    card.get_by_role("button", name=re.compile("^Pin ")).click()
    expect(page).to_have_url(re.compile("pins="))
    expect(card.get_by_role("button", name=re.compile("^Pin "))).to_have_attribute("aria-pressed", "true")
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()
    expect(whiskers(drawn)).to_have_count(1)


@pytest.mark.soak("pages")
def test_the_card_of_a_point_is_reached_by_keyboard(page: Page) -> None:
    drawn = shown(page, TODAY)
    drawn.locator("[role=option][tabindex='0']").focus()
    card = page.get_by_role("group", name=re.compile(r"^\d+ × "))
    expect(card).to_be_visible()
    first = card.get_attribute("aria-label")
    page.keyboard.press("ArrowLeft")
    expect(card).not_to_have_attribute("aria-label", first or "")
    assert violations(page) == []
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name=re.compile("^Pin "))).to_be_focused()
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("pins="))
    page.keyboard.press("Escape")
    expect(drawn.locator("[role=option]:focus")).to_have_count(1)


@pytest.mark.soak("pages")
def test_a_phone_shows_the_answer_below_the_question_as_a_chip(page: Page) -> None:
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    shown(page, f"{TODAY}&today=100-i3.8xlarge-own")
    chip = page.get_by_test_id("question-chip")
    expect(chip).to_have_text("100 TB sort · 2 h · us-east-1 edit")
    expect(chip).to_have_attribute("aria-expanded", "false")
    sentence = page.get_by_test_id("sentence").bounding_box()
    assert sentence is not None
    assert sentence["y"] + sentence["height"] <= PHONE["height"]
    assert page.evaluate("document.documentElement.scrollHeight") <= SCREENS * PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    inner = """[...document.querySelectorAll("main *")].filter((one) =>
      /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1)
      .map((one) => one.className)"""
    assert page.evaluate(inner) == []
    chip.click()
    data = page.get_by_role("textbox", name="Data", exact=True)
    data.fill("40 TB")
    expect(chip).to_contain_text("40 TB sort")
    assert violations(page) == []
    chip.click()
    expect(data).to_be_hidden()
    expect(page.get_by_test_id("sentence")).to_contain_text("sort 40 TB")
