"""Saved plans on the page: find, rename, copy, delete, restore; and the example team."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from browsing import reopened, requests_of


def save(page: Page, name: str, data: str = "20 TB") -> str:
    answer = page.request.post(
        "/api/v1/plans",
        data={
            "workload": {"name": name, "data": data},
            "place": {"catalog": "paper-2014"},
            "assume": {"usual": "ignored"},
        },
    )
    assert answer.ok
    plan_id: str = answer.json()["id"]
    return plan_id


def plans(page: Page) -> Locator:
    return page.get_by_role("list", name="Saved plans").get_by_role("listitem")


def entry(page: Page, name: str) -> Locator:
    return plans(page).filter(has=page.get_by_role("link", name=name, exact=True))


@pytest.fixture
def name(page: Page) -> str:
    """Save a plan, wait until it is listed, and return its name."""
    name = f"Nightly {uuid4().hex[:8]}"
    save(page, name)
    page.goto("/plans")
    expect(entry(page, name)).to_be_visible()
    return name


def test_a_plan_is_listed_with_its_answer_and_renamed_in_its_place(page: Page, name: str) -> None:
    expect(entry(page, name)).to_contain_text(re.compile(r"\d+ × i2\.8xlarge"))
    expect(entry(page, name)).to_contain_text(re.compile(r"min \d+ s · \$\d+"))
    expect(entry(page, name)).to_contain_text("catalog paper-2014")
    entry(page, name).get_by_role("button", name="Rename").click()
    field = page.get_by_role("textbox", name="New name")
    expect(field).to_be_focused()
    field.fill("Something else")
    field.press("Escape")
    expect(entry(page, name)).to_be_visible()
    entry(page, name).get_by_role("button", name="Rename").click()
    field.fill("")
    field.press("Enter")
    expect(page.get_by_text("A name has at least one character.")).to_be_visible()
    field.fill(f"{name} again")
    field.press("Enter")
    expect(entry(page, f"{name} again")).to_be_visible()


@pytest.mark.soak("pages")
def test_a_plan_is_duplicated(page: Page, name: str) -> None:
    before = plans(page).count()
    entry(page, name).get_by_role("button", name="Duplicate").click()
    expect(plans(page)).to_have_count(before + 1)


@pytest.mark.soak("pages")
def test_a_deleted_plan_can_be_brought_back(page: Page, name: str) -> None:
    entry(page, name).get_by_role("button", name="Delete").click()
    expect(entry(page, name)).to_have_count(0)
    expect(page.get_by_text(f"“{name}” is deleted.")).to_be_visible()
    # The undo offer stays visible on other pages.
    page.get_by_role("link", name="Scenarios").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"“{name}” is deleted.")).to_be_hidden()
    page.get_by_role("link", name="Saved plans").click()
    expect(entry(page, name)).to_be_visible()


def test_deleting_and_undoing_by_keyboard(page: Page, name: str) -> None:
    entry(page, name).get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(entry(page, name)).to_be_visible()
    entry(page, name).get_by_role("button", name="Rename").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(entry(page, name).get_by_role("button", name="Rename")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type(f"{name} typed")
    page.keyboard.press("Enter")
    expect(entry(page, f"{name} typed")).to_be_visible()


@pytest.mark.soak("pages")
def test_what_is_searched_is_in_the_address(page: Page, name: str) -> None:
    words = name.split()[1]
    page.get_by_role("searchbox").fill(f"{words} i2.8xlarge")
    expect(plans(page)).to_have_count(1)
    expect(page).to_have_url(re.compile(f"search={words}"))
    reopened(page)
    expect(page.get_by_role("searchbox")).to_have_value(f"{words} i2.8xlarge")
    expect(plans(page)).to_have_count(1)
    page.get_by_role("searchbox").fill("no such plan at all")
    expect(page.get_by_text("No plan holds all of")).to_be_visible()
    page.get_by_role("button", name="Show all plans").click()
    expect(entry(page, name)).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("")


@pytest.mark.soak("pages")
def test_a_slow_old_search_never_stands_over_a_newer_one(page: Page, name: str) -> None:
    held: list[Route] = []

    def hold_the_first(route: Route, request: Request) -> None:
        if "search=Nightly" in request.url and "search=Nightly+" not in request.url:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/v1/plans?*", hold_the_first)
    with page.expect_request(re.compile("search=Nightly")):
        page.get_by_role("searchbox").fill("Nightly")
    page.get_by_role("searchbox").fill("nothing is called so")
    expect(page.get_by_text("No plan holds all of")).to_be_visible()
    for late in held:
        late.fulfill(json=page.request.get("/api/v1/plans?search=Nightly").json())
    page.wait_for_load_state("networkidle")
    expect(page.get_by_text("No plan holds all of")).to_be_visible()
    expect(entry(page, name)).to_have_count(0)


@pytest.mark.soak("pages")
def test_older_plans_are_shown_on_demand(page: Page) -> None:
    mark = uuid4().hex[:8]
    for number in range(32):
        save(page, f"{mark} {number}", "1 TB")
    page.goto(f"/plans?search={mark}")
    expect(plans(page)).to_have_count(30)
    page.get_by_role("button", name="Show older ones").click()
    expect(plans(page)).to_have_count(32)


@pytest.mark.soak("pages")
def test_what_changed_since_is_told_and_the_plan_can_be_asked_again(page: Page, name: str) -> None:
    changed = [{"what": "catalog", "then": "paper-2014", "now": "aws-2026-11"}]
    listed = page.request.get("/api/v1/plans").json()
    for plan in listed["plans"]:
        plan["changes"] = changed if plan["name"] == name else []
    page.route("**/api/v1/plans?*", lambda route: route.fulfill(json=listed))
    page.reload()
    expect(entry(page, name)).to_contain_text("catalog: paper-2014 then, aws-2026-11 now")
    page.get_by_role("button", name="Answer it again today").click()
    expect(page.get_by_role("textbox", name="Data", exact=True)).to_have_value("20 TB")


@pytest.mark.soak("pages")
def test_a_saved_plan_is_renamed_duplicated_and_deleted_on_its_own_page(page: Page, name: str) -> None:
    page.get_by_role("link", name=name).click()
    page.wait_for_url(re.compile("/plans/[0-9a-f-]{36}"))
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    first = page.url
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="New name").fill(f"{name} here")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{name} here")).to_be_visible()
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Duplicate").click()
    page.wait_for_url(lambda url: url != first)
    expect(page.get_by_role("heading", name=f"{name} here (copy)")).to_be_visible()
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Delete").click()
    page.wait_for_url(re.compile("/plans$"))
    expect(entry(page, f"{name} here")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(plans(page).filter(has_text=f"{name} here")).to_have_count(2)


@pytest.mark.soak("pages")
def test_nothing_saved_says_what_to_do(page: Page) -> None:
    # A service with an external database fills no example team.
    teams = [{"key": "local", "plans": 0, "sweeps": 0}, {"key": "example", "plans": 4, "sweeps": 2}]
    page.route("**/api/v1/teams", lambda route: route.fulfill(json=teams))
    page.goto("/plans")
    expect(page.get_by_role("link", name="Plan a 100 TB sort")).to_be_visible()
    page.get_by_role("link", name="Look at the example team").click()
    expect(page.get_by_text("You are looking at the example team.")).to_be_visible()


def test_the_example_team_stays_chosen_until_it_is_left(page: Page) -> None:
    with requests_of(page) as asked:
        page.goto("/plans?team=example")
        expect(page.get_by_text("You are looking at the example team.")).to_be_visible()
        page.get_by_role("link", name="New plan", exact=True).click()
        expect(page.get_by_test_id("sentence")).to_be_visible()
        page.get_by_role("textbox", name="Data", exact=True).fill("50 TB")
        expect(page.get_by_test_id("sentence")).to_contain_text("50 TB from and to the object store in")
        assert "team=example" in page.url
        page.get_by_role("link", name="Scenarios").click()
        expect(page.get_by_role("heading", name="Scenarios")).to_be_visible()
        assert "team=example" in page.url
    # The inbox is the reader's own on every page.
    shared = ("/catalogs", "/teams", "/health", "/session", "/inbox")
    own = [url for url in asked if "/api/v1/" in url and not any(part in url for part in shared)]
    assert own
    assert all("team=example" in url for url in own)
    page.get_by_role("link", name="Back to your own plans").click()
    expect(page.get_by_text("You are looking at the example team.")).to_be_hidden()
    assert "team" not in page.url


@pytest.mark.soak("pages")
def test_without_the_service_one_line_says_so_and_goes_when_it_is_back(page: Page, name: str) -> None:
    page.context.set_offline(True)
    page.get_by_role("searchbox").fill("anything")
    expect(page.get_by_text("The service cannot be reached.")).to_have_count(1)
    expect(entry(page, name)).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("The service cannot be reached.")).to_have_count(0)


@pytest.mark.soak("pages")
def test_what_is_decided_goes_with_the_plan_into_a_new_one_and_into_its_report(page: Page) -> None:
    asked = "/plans/new?data=20+TB&catalog=paper-2014&usual=ignored&nodes=200&durability=application"
    page.goto(f"{asked}&pins=40-i2.8xlarge-own&today=60-i2.8xlarge-own")
    page.get_by_role("button", name="Save plan").click()
    page.get_by_role("textbox", name="Notes (optional)").fill("From January on.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(re.compile(r"/plans/[0-9a-f-]{36}$"))
    compared = page.get_by_role("table", name="Compare").get_by_role("columnheader")
    expect(compared).to_have_count(3)
    expect(page.get_by_role("textbox", name="Notes")).to_have_value("From January on.")
    then = page.get_by_role("table", name="Compare").get_by_role("row", name=re.compile("^Cost")).inner_text()
    saved = page.url
    page.get_by_role("link", name="Open as new plan").click()
    expect(page).to_have_url(re.compile("pins=40-i2.8xlarge-own&today=60-i2.8xlarge-own"))
    page.get_by_role("radio", name=re.compile("^Amazon S3")).check()
    expect(compared.get_by_text("2 copies")).to_have_count(2)
    now = page.get_by_role("table", name="Compare").get_by_role("row", name=re.compile("^Cost"))
    expect(now).to_have_text(then, use_inner_text=True)
    page.goto(saved)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Customize report").click()
    expect(page.get_by_role("textbox", name="Nodes today")).to_have_value("60")
    expect(page.get_by_role("textbox", name=re.compile("^Your words"))).to_have_value("From January on.")
    expect(page.get_by_text("Saving a month").first).to_be_visible()
    expect(page.get_by_role("heading", name="Pinned for comparison")).to_be_visible()
