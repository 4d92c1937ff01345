"""Cross-site request forgery: requests that a foreign page has a browser send change nothing, on any route."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from people import COOKIE, new_member, session_of, signed_in, token_of
from stowage.api.app import create_app
from stowage.platform.database.database import Database
from stowage.web.admission import CSRF
from walk import Ids, Route, routes_of

CHANGING = sorted((route for route in routes_of(create_app(None, None)) if route.changes), key=lambda route: route.name)
OF_A_SESSION = [route for route in CHANGING if not route.is_public]
REFUSED = (403, "Refused")
FOREIGN = {"Origin": "https://evil.example"}
"""Case that is tried on every route; the others are refused in the same place, and tried on some routes."""


@pytest.fixture
def browser(client: TestClient) -> Iterator[TestClient]:
    """Yield an owner's browser as a foreign page uses it: with the cookie, but without the CSRF token."""
    right = client.headers.pop(CSRF)
    yield client
    client.headers[CSRF] = right


def told(route: Route, client: TestClient, headers: dict[str, str] | None = None) -> tuple[int, str]:
    answer = route.ask(client, Ids.of_nothing(), headers)
    return answer.status_code, answer.json().get("title", "") if answer.content else ""


def test_the_cookie_alone_changes_nothing(browser: TestClient, gate: Database, org_id: UUID) -> None:
    other = session_of(gate, new_member(gate, org_id))
    for route in OF_A_SESSION:
        assert told(route, browser) == REFUSED, route.name
    for wrong in ("", "null", "undefined", other, browser.cookies[COOKIE]):
        for route in OF_A_SESSION[::20]:
            assert told(route, browser, {CSRF: wrong}) == REFUSED, route.name


@pytest.mark.parametrize(
    "sent",
    [
        FOREIGN,
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:8001"},
        {"Origin": "https://localhost"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_another_page_changes_nothing_though_it_knew_the_token(client: TestClient, sent: dict[str, str]) -> None:
    """Public routes are covered too: an attacker who signs a victim in as another account gets the victim's work."""
    for route in CHANGING if sent == FOREIGN else CHANGING[::10]:
        assert told(route, client, sent) == REFUSED, route.name


def test_sign_in_requests_of_another_page_are_refused(anonymous: TestClient) -> None:
    for route in CHANGING:
        if route.is_public:
            answer = route.ask(anonymous, Ids.of_nothing(), {"Origin": "https://evil.example"})
            assert (answer.status_code, answer.json()["title"]) == REFUSED, route.name
            assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_is_no_request(client: TestClient, kind: str) -> None:
    """A body that a foreign page can send without a preflight request is never accepted as JSON."""
    answer = client.post("/api/v1/plans", content=b'{"workload": {"data": "1 TB"}}', headers={"Content-Type": kind})
    assert answer.status_code == 422


def test_no_other_origin_is_allowed_to_ask_or_to_read(client: TestClient) -> None:
    asked_first = client.options(
        "/api/v1/plans",
        headers={
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-csrf-token",
        },
    )
    assert asked_first.status_code == 405
    for answer in (asked_first, client.get("/api/v1/session", headers={"Origin": "https://evil.example"})):
        assert [name for name in answer.headers if name.startswith("access-control-")] == []
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_token_of_one_session_is_none_for_another(
    client: TestClient, app: FastAPI, gate: Database, org_id: UUID
) -> None:
    with TestClient(app, base_url="http://localhost") as fresh:
        other = signed_in(fresh, gate, org_id)
        question = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}, "choose": {"families": ["i4i"]}}
        sent = client.post("/api/v1/plans", json=question, headers={CSRF: str(other.headers[CSRF])})
        assert sent.status_code == 403
        assert other.post("/api/v1/plans", json=question).status_code == 201


def test_a_program_with_a_token_needs_neither_and_its_cookie_is_not_looked_at(
    browser: TestClient, gate: Database, org_id: UUID
) -> None:
    """Browsers send no bearer token by themselves."""
    bearer = {"Authorization": f"Bearer {token_of(gate, org_id, ['plan'])}"}
    question = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 3}, "choose": {"families": ["i4i"]}}
    assert browser.post("/api/v1/plans", json=question, headers=bearer).status_code == 201
    assert browser.post("/api/v1/plans", json=question, headers={"Authorization": "Bearer stw_no"}).status_code == 401


def test_looking_changes_nothing_of_anybodys() -> None:
    """Any page that names an address can request routes of a safe method; these are the ones with side effects.

    A session's cookie is renewed, a view of a share link is counted, and a sign-in that returns from the provider
    presents a value that was bound to this browser before.
    """
    safe = {route.name for route in routes_of(create_app(None, None)) if not route.changes}
    assert {"read_session", "read_shared", "end_oidc"} <= safe
    verbs = ("delete", "save", "start", "rename", "make", "revoke", "invite", "accept", "cancel", "retry", "restore")
    assert [name for name in sorted(safe) if name.startswith(verbs)] == []
