"""Sign-in and sign-out, secrets that are shown once, share links, and the search over everything."""

import re
from datetime import UTC, datetime
from threading import Event
from uuid import uuid4

import httpx2 as httpx
import pytest
from playwright.sync_api import Page, Route, expect

from browsing import reopened, requests_of, violations, violations_in_soak
from people import session_of
from stowage.features.teams.operators import make_sign_in_link
from stowage.features.teams.sign_in import sessions
from stowage.platform.database.database import Database


def test_a_signed_out_visitor_sees_only_the_sign_in_and_the_address_stays(stranger: Page) -> None:
    with requests_of(stranger) as asked:
        stranger.goto("/plans?search=nightly")
        expect(stranger.get_by_role("heading", name="Sign in")).to_be_visible()
        expect(stranger.get_by_role("textbox", name="E-mail")).to_be_focused()
    expect(stranger.get_by_role("navigation")).to_have_count(0)
    assert stranger.url.endswith("/plans?search=nightly")
    assert all(url.endswith("/api/v1/session") for url in asked if "/api/" in url)


@pytest.mark.soak("pages")
def test_a_wrong_password_does_not_tell_whether_there_is_an_account(stranger: Page) -> None:
    stranger.goto("/")
    stranger.get_by_role("textbox", name="E-mail").fill(f"{uuid4().hex}@example.org")
    stranger.get_by_label("Password", exact=True).fill("not the password")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("alert").filter(has_text="E-mail and password do not fit.")).to_be_visible()
    expect(stranger.get_by_label("Password", exact=True)).to_have_value("")
    assert violations(stranger) == []


def test_a_link_signs_in_once_and_is_gone_from_the_address(stranger: Page, service: str, gate: Database) -> None:
    older, newer = (make_sign_in_link(gate, None, datetime.now(UTC)) for _ in range(2))
    stranger.goto(f"/sign-in#{older}")
    expect(stranger.get_by_text("This link does not sign in any more.")).to_be_visible()
    assert "#" not in stranger.url
    reopened(stranger, f"{service}/sign-in#{newer}")
    expect(stranger.get_by_role("button", name="Account")).to_be_visible()
    assert newer not in stranger.url
    stranger.context.clear_cookies()
    reopened(stranger, f"{service}/sign-in#{newer}")
    expect(stranger.get_by_text("This link does not sign in any more.")).to_be_visible()


@pytest.mark.soak("pages", every_day=True)
def test_signing_out_leaves_nothing_on_the_page_and_the_way_back_neither(page: Page) -> None:
    page.goto("/plans")
    expect(page.get_by_role("heading", name="Saved plans")).to_be_visible()
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("menuitem", name="Account", exact=True)).to_be_focused()
    assert violations_in_soak(page) == []
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.request.get("/api/v1/plans").status == 401


def test_a_session_that_was_ended_elsewhere_becomes_a_sign_in_where_the_reader_is(page: Page) -> None:
    page.goto("/plans")
    expect(page.get_by_role("heading", name="Saved plans")).to_be_visible()
    # Background requests are held: they would show the sign-in before the reader navigates.
    held: list[Route] = []
    on_the_way = Event()

    def hold(route: Route) -> None:
        route.continue_() if on_the_way.is_set() else held.append(route)

    page.route("**/api/**", hold)
    page.context.clear_cookies()
    page.get_by_role("link", name="Scenarios").click()
    page.wait_for_url("**/plans/scenarios")
    on_the_way.set()
    for route in held:
        route.continue_()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.url.endswith("/plans/scenarios")


@pytest.mark.soak("pages", every_day=True)
def test_the_sessions_are_listed_and_another_one_is_ended(page: Page, service: str, gate: Database) -> None:
    page.goto("/settings/account")
    (cookie,) = page.context.cookies()
    person_id = sessions.authenticate(gate, cookie["value"], datetime.now(UTC)).person_id
    assert person_id is not None
    with httpx.Client(base_url=service, cookies={cookie["name"]: session_of(gate, person_id)}) as other:
        assert other.get("/api/v1/plans").status_code == 200
        page.reload()
        rows = page.get_by_role("list", name="Where you are signed in").get_by_role("listitem")
        expect(rows).to_have_count(2)
        expect(rows.filter(has_text="(this one)")).to_have_count(1)
        assert violations_in_soak(page) == []
        rows.filter(has_not_text="(this one)").get_by_role("button", name=re.compile("Sign out")).click()
        expect(rows).to_have_count(1)
        assert other.get("/api/v1/plans").status_code == 401


def test_a_token_is_shown_once_and_ends_when_it_is_revoked(page: Page) -> None:
    name = f"Build {uuid4().hex[:8]}"
    page.goto("/settings/tokens")
    page.get_by_role("textbox", name="What it is for").fill(name)
    page.get_by_role("button", name="Make a token").click()
    shown = page.get_by_role("region", name=f"Token “{name}”")
    token = shown.locator("code").first.inner_text()
    assert token.startswith("stw_")
    assert violations(page) == []
    bearer = {"Authorization": f"Bearer {token}"}
    assert page.request.get("/api/v1/plans", headers=bearer).ok
    page.reload()
    entry = page.get_by_role("listitem").filter(has_text=name)
    expect(entry).to_contain_text("until")
    expect(page.get_by_text(token)).to_have_count(0)
    entry.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(entry).to_contain_text("revoked")
    assert page.request.get("/api/v1/plans", headers=bearer).status == 401


@pytest.mark.soak("pages")
def test_a_shared_plan_is_read_without_an_account_until_the_link_is_revoked(page: Page, stranger: Page) -> None:
    name = f"Shared {uuid4().hex[:8]}"
    saved = page.request.post("/api/v1/plans", data={"workload": {"name": name, "data": "20 TB"}}).json()
    page.goto(f"/plans/{saved['id']}")
    page.get_by_role("button", name="Share", exact=True).click()
    form = page.get_by_role("dialog", name="Share")
    form.get_by_role("button", name="Make a link").click()
    address = form.locator("code").inner_text()
    stranger.goto(address)
    expect(stranger.get_by_role("heading", name=name)).to_be_visible()
    expect(stranger.get_by_test_id("sentence")).to_contain_text("20 TB")
    expect(stranger.get_by_role("row").nth(1)).to_be_visible()
    expect(stranger.get_by_role("link")).to_have_text(["Skip to the content"])
    assert violations(stranger) == []
    page.reload()
    page.get_by_role("button", name="Share", exact=True).click()
    links = page.get_by_role("list", name="Links that are good")
    expect(links).to_contain_text("1 view")
    links.get_by_role("button", name=re.compile("^Revoke")).click()
    expect(links).to_have_count(0)
    stranger.reload()
    expect(stranger.get_by_role("heading", name="Not found")).to_be_visible()


@pytest.mark.soak("pages")
def test_anything_is_found_from_anywhere_by_keyboard(page: Page) -> None:
    name = f"Findable {uuid4().hex[:8]}"
    page.request.post("/api/v1/plans", data={"workload": {"name": name, "data": "20 TB"}})
    page.goto("/catalog/volumes")
    page.get_by_role("textbox").first.focus()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    expect(page.get_by_role("group", name="Pages").get_by_role("option")).not_to_have_count(0)
    page.keyboard.type(name)
    expect(page.get_by_role("option", name=name)).to_have_attribute("aria-selected", "true")
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.type("nothing is called so")
    expect(page.get_by_text("Nothing of yours is called “nothing is called so”.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    page.keyboard.type("audit log")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible()
