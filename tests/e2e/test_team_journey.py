"""Building a team on the page: the first run, an invitation, a second person as viewer, and then as planner."""

import re
from datetime import UTC, datetime
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import violations, violations_in_soak
from stowage.features.teams.operators import make_sign_in_link, set_quota
from stowage.platform.database.database import Database

ADA, GRACE = "ada@example.org", "grace@example.org"
SECRET_OF_ADA, SECRET_OF_GRACE = "quiet copper lantern drifts", "seven paper kites over fog"


@pytest.mark.soak("pages", every_day=True)
def test_a_second_person_joins_as_a_viewer_cannot_plan_becomes_a_planner_and_can(
    stranger: Page, second: Page, service: str, gate: Database
) -> None:
    owner = stranger
    # The local team, which no other test changes: in the state after the first start.
    first_run(owner, f"{service}/sign-in#{make_sign_in_link(gate, None, datetime.now(UTC))}")
    link = invite(owner, GRACE, "viewer")
    owner_plans(owner)
    join(second, link)
    cannot_plan(second)
    make_planner(owner)
    can_plan(second)
    record_shows_it(owner)


def first_run(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.get_by_role("heading", name="Welcome to Stowage")).to_be_visible()
    assert link.partition("#")[2] not in page.url
    page.get_by_role("textbox", name="The team").fill("Storage")
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.get_by_role("textbox", name="E-mail").fill(ADA)
    page.get_by_label("Password (optional)").fill("password1234")
    page.get_by_role("button", name="Begin").click()
    # A password that is too common: reported at its field, and the other fields keep their values.
    expect(page.get_by_label("Password (optional)")).to_have_attribute("aria-invalid", "true")
    assert violations_in_soak(page) == []
    page.get_by_label("Password (optional)").fill(SECRET_OF_ADA)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("main").get_by_role("link", name="New plan")).to_be_visible()
    expect(page.get_by_role("button", name="Account: Ada")).to_be_visible()


def invite(page: Page, email: str, role: str) -> str:
    to_team(page)
    expect(page.get_by_role("heading", name="Storage", exact=True)).to_be_visible()
    page.get_by_role("textbox", name="E-mail").fill(email)
    page.get_by_role("combobox", name="Role", exact=True).select_option(role)
    page.get_by_role("button", name="Invite").click()
    shown = page.get_by_role("region", name=f"Invitation for {email}")
    expect(shown).to_contain_text("it is not shown again")
    expect(page.get_by_role("list", name="Not taken up yet")).to_contain_text(email)
    assert violations_in_soak(page) == []
    link = shown.locator("code").inner_text()
    shown.get_by_role("button", name="Copy the link").click()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.reload()
    expect(page.get_by_role("list", name="Not taken up yet")).to_contain_text(email)
    expect(page.get_by_text(link.partition("#")[2])).to_have_count(0)
    return link


def owner_plans(page: Page) -> None:
    bar(page).get_by_role("link", name="Plans").click()
    expect(page.get_by_test_id("sentence")).to_be_visible()
    page.get_by_role("button", name="Save plan").click()
    form = page.get_by_role("dialog", name="Save plan")
    form.get_by_role("textbox", name="Name").fill("Nightly sort")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Nightly sort")).to_be_visible()


def join(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.get_by_role("heading", name="Join Storage")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(f"{GRACE} is invited to the team Storage as a viewer")
    assert link.partition("#")[2] not in page.url
    assert violations_in_soak(page) == []
    page.get_by_role("textbox", name="Your name").fill("Grace")
    page.get_by_label("Password", exact=True).fill(SECRET_OF_GRACE)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("button", name="Account: Grace")).to_be_visible()


def cannot_plan(page: Page) -> None:
    # The plans of others are what a viewer may open.
    bar(page).get_by_role("link", name="Plans").click()
    expect(page.get_by_role("heading", name="Saved plans")).to_be_visible()
    page.wait_for_url(re.compile("/plans$"))
    expect(page.get_by_role("link", name="New plan")).to_have_count(0)
    page.get_by_role("link", name="Nightly sort").click()
    expect(page.get_by_role("heading", name="Nightly sort")).to_be_visible()
    for name in ("Watch", "More", "Share"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Open as new plan")).to_have_count(0)
    assert violations_in_soak(page) == []
    nowhere = denied(page, "/no/such/page")
    assert denied(page, "/settings/audit-log") == nowhere
    follow_link_of_planner(page)
    headers = {"X-CSRF-Token": page.request.get("/api/v1/session").json()["csrf"]}
    body = {"workload": {"data": "1 TB"}}
    for path in ("/api/v1/plans", "/api/v1/plans/preview"):
        assert page.request.post(path, data=body, headers=headers).status == 404
    page.goto("/settings/team")
    members = page.get_by_role("list", name="Members")
    expect(members.get_by_role("listitem")).to_have_count(2)
    expect(members.get_by_role("combobox")).to_have_count(0)
    expect(page.get_by_role("button", name="Invite")).to_have_count(0)
    assert violations_in_soak(page) == []


def follow_link_of_planner(page: Page) -> None:
    for address, words in (
        ("/plans/new?data=40+TB", "To rank configurations"),
        ("/plans/scenarios/new?data=40+TB", "To start a sweep"),
    ):
        page.goto(address)
        said = page.get_by_test_id("needs-role")
        expect(said).to_contain_text(f"{words} you need to be a planner of Storage, where you are a viewer. Ask Ada")
        assert page.url.endswith(address)
    assert violations_in_soak(page) == []


def denied(page: Page, address: str) -> str:
    """Open a page that is forbidden or does not exist, and return its text."""
    page.goto(address)
    expect(page.get_by_role("heading", name="Not found")).to_be_visible()
    return page.get_by_role("main").inner_text()


def make_planner(page: Page) -> None:
    to_team(page)
    role = page.get_by_role("combobox", name="Role of Grace")
    role.select_option("planner")
    expect(page.get_by_text("Grace is a planner now.")).to_be_attached()
    expect(role).to_have_value("planner")
    # The last owner stays one, and is told why.
    page.get_by_role("combobox", name="Role of Ada").select_option("viewer")
    expect(page.get_by_role("list", name="Members").get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("combobox", name="Role of Ada")).to_have_value("owner")


def can_plan(page: Page) -> None:
    page.goto("/plans/new")
    expect(page.get_by_test_id("sentence")).to_be_visible()
    page.get_by_role("button", name="Save plan").click()
    form = page.get_by_role("dialog", name="Save plan")
    form.get_by_role("textbox", name="Name").fill("Weekly archive")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Weekly archive")).to_be_visible()


def record_shows_it(page: Page) -> None:
    page.goto("/settings/audit-log")
    record = page.get_by_role("list", name="Audit log")
    expect(record).to_contain_text("Weekly archive")
    expect(record).to_contain_text("Grace")
    expect(record).to_contain_text(GRACE)
    assert violations_in_soak(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    assert "Weekly archive" in download.value.path().read_text("utf-8")


def to_team(page: Page) -> None:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Team").click()


def bar(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Pages")


@pytest.mark.soak("pages")
def test_the_team_page_shows_the_use_of_quotas_beside_their_limits(page: Page, gate: Database, org_id: UUID) -> None:
    set_quota(gate, str(org_id), "plans", 2)
    save_plan(page)
    page.goto("/settings/team")
    quotas = page.get_by_role("table", name="Quotas")
    row = quotas.get_by_role("row", name=re.compile("^Saved plans"))
    expect(row.get_by_role("cell").nth(0)).to_have_text("1 plan")
    expect(row.get_by_role("cell").nth(1)).to_contain_text("2 plans")
    save_plan(page)
    page.reload()
    expect(row.get_by_role("cell").nth(0)).to_have_text("2 plans full")
    expect(quotas.get_by_role("row", name=re.compile("^Storage"))).to_contain_text("20 GiB")
    assert violations(page) == []
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_owner_sets_a_lower_quota_by_keyboard_and_sees_the_load(page: Page) -> None:
    page.goto("/settings/team")
    row = page.get_by_role("table", name="Quotas").get_by_role("row", name=re.compile("^Storage"))
    change = row.get_by_role("button", name="Change the limit of Storage of uploaded files")
    change.press("Enter")
    field = row.get_by_role("textbox", name="Limit of Storage of uploaded files")
    field.press_sequentially("30 GiB")
    expect(row).to_contain_text("Enter a size up to 20 GiB")
    field.fill("5 GiB")
    field.press("Enter")
    expect(row).to_contain_text("5 GiB set by your team, of 20 GiB")
    expect(change).to_be_focused()
    change.press("Enter")
    row.get_by_role("button", name="Remove limit").press("Enter")
    expect(row).not_to_contain_text("set by your team")
    expect(page.get_by_role("region", name="Load")).to_contain_text("No background job waits or runs.")
    assert violations(page) == []


def save_plan(page: Page) -> None:
    saved = page.request.post("/api/v1/plans", data={"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}})
    assert saved.status == 201, saved.text()
