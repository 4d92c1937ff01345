"""Consistency in Chromium: plans of random questions show the API's numbers."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from questions import question
from told import cells_say, sentence_says

IN_BROWSER = 50

_ROWS = """table => {
  const bare = table.cloneNode(true);
  for (const each of bare.querySelectorAll("[aria-hidden=true], .spoken")) each.remove();
  const text = each => each.textContent.replace(/\\s+/g, " ").trim();
  const heads = [...bare.querySelectorAll("thead th")].map(text);
  return [...bare.querySelectorAll("tbody tr")].map(row =>
    Object.fromEntries([...row.querySelectorAll("th, td")].map((cell, place) => [heads[place], text(cell)])));
}"""
"""Text of each cell, by the header of its column."""


@pytest.mark.soak("pages")
@pytest.mark.parametrize("number", range(IN_BROWSER))
def test_a_saved_plan_shows_what_the_api_answered(page: Page, number: int) -> None:
    made = page.request.post("/api/v1/plans", data=question(number))
    assert made.ok, made.text()
    plan: dict[str, Any] = made.json()
    answer, objective = plan["answer"], plan["answer"]["objective"]
    page.goto(f"/plans/{plan['id']}")
    expect(page.get_by_test_id("sentence")).to_have_text(answer["sentence"])
    rows = answer["configurations"]
    if not rows:
        for miss in answer["near_misses"]:
            expect(page.get_by_test_id("nothing-fits")).to_contain_text(miss["sentence"])
        return
    sentence_says(page.get_by_test_id("sentence").inner_text(), rows[0], objective)
    for row, cells in zip(rows, page.locator("table[aria-labelledby=ranking]").evaluate(_ROWS), strict=False):
        cells_say(row, cells, objective)
