"""Security headers of every answer, and header injection."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from stowage.api.app import create_app
from stowage.api.headers import ALWAYS, CONTENT_POLICY, STRICT_TRANSPORT
from stowage.web.services import Services
from walk import Ids, routes_of

pytestmark = pytest.mark.one_team

INJECTED = "x\r\nSet-Cookie: stowage-80=planted\r\n\r\n<script>"
ANSWERS = {
    "an answer": "/api/v1/health",
    "a list": "/api/v1/plans",
    "one that the browser may keep": "/api/v1/catalogs",
    "nothing there": "/api/v1/plans/00000000-0000-4000-8000-000000000000",
    "no address": "/api/v1/nothing-here",
    "not accepted": "/api/v1/plans?limit=0",
    "the description": "/api/v1/openapi.json",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a built page."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>page</title>")
    (tmp_path / "assets" / "a-1234.js").write_text("export {}")
    return tmp_path


def test_the_policy_allows_no_script_but_our_files() -> None:
    policy = dict(part.split(" ", 1) for part in CONTENT_POLICY.split("; "))
    assert policy["default-src"] == policy["script-src"] == policy["connect-src"] == "'self'"
    for nothing in ("object-src", "frame-ancestors", "base-uri"):
        assert policy[nothing] == "'none'"
    # Only styles may be inline: the page's colours are a <style> element, and plots are styled by attributes.
    assert [name for name, allowed in policy.items() if "unsafe" in allowed] == ["style-src"]
    assert "eval" not in CONTENT_POLICY
    assert "*" not in CONTENT_POLICY
    assert "http" not in CONTENT_POLICY


@pytest.mark.parametrize("address", ANSWERS.values(), ids=ANSWERS.keys())
def test_every_answer_has_them(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert {name: answer.headers[name] for name in ALWAYS} == dict(ALWAYS)
    assert answer.headers["cache-control"] in {"no-store", "private, no-cache"}
    assert "server" not in answer.headers
    assert "strict-transport-security" not in answer.headers


def test_refusals_and_our_own_faults_have_them_too(services: Services) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    app = create_app(services, page=None)
    app.add_api_route("/api/v1/broken", broken)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        for status, answer in (
            (401, client.get("/api/v1/plans")),
            (403, client.post("/api/v1/session", json={}, headers={"Origin": "https://evil.example"})),
            (400, client.get("/api/v1/plans", headers={"Host": "rebound.example"})),
            (405, client.put("/api/v1/plans")),
            (413, client.post("/api/v1/plans", content=b"x" * 300_000)),
            (500, client.get("/api/v1/broken")),
        ):
            assert answer.status_code == status
            assert {name: answer.headers[name] for name in ALWAYS} == dict(ALWAYS)
            assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("address", "kept"),
    [("/", "no-cache"), ("/plans/some-id", "no-cache"), ("/assets/a-1234.js", "public, max-age=31536000, immutable")],
)
def test_the_page_has_them_and_its_files_are_kept(services: Services, folder: Path, address: str, kept: str) -> None:
    with TestClient(create_app(services, folder), base_url="http://localhost") as client:
        answer = client.get(address)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, kept)
    assert {name: answer.headers[name] for name in ALWAYS} == dict(ALWAYS)


def test_behind_tls_browsers_are_told_to_stay_there(services: Services) -> None:
    app = create_app(services, page=None)
    with TestClient(app, base_url="https://localhost") as client:
        assert client.get("/api/v1/health").headers.get_list("strict-transport-security") == [STRICT_TRANSPORT]
        assert client.get("/api/v1/plans").headers["strict-transport-security"] == STRICT_TRANSPORT


def test_the_answers_of_one_person_are_no_answers_for_another(client: TestClient, anonymous: TestClient) -> None:
    """A shared browser keeps the catalog; its cached copy reveals nothing to a user who is signed out."""
    kept = client.get("/api/v1/catalogs")
    assert kept.headers["cache-control"] == "private, no-cache"
    assert {"Cookie", "Authorization"} <= {name.strip() for name in kept.headers["vary"].split(",")}
    again = client.get("/api/v1/catalogs", headers={"If-None-Match": kept.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "private, no-cache")
    asked = anonymous.get("/api/v1/catalogs", headers={"If-None-Match": kept.headers["etag"]})
    assert asked.status_code == 401
    assert "etag" not in asked.headers


@pytest.mark.parametrize(
    "header", ["X-Request-Id", "Authorization", "Cookie", "Origin", "Idempotency-Key", "If-None-Match", "User-Agent"]
)
@pytest.mark.parametrize("value", [INJECTED, "\x00", "\x1b[31m", "é" * 50, "%0d%0aSet-Cookie:%20a=b", "x" * 5_000])
def test_nothing_that_is_sent_in_a_header_becomes_one(client: TestClient, header: str, value: str) -> None:
    """HTTP forbids most of this; a proxy may parse it differently, so the test bypasses the client's checks."""
    answer = _sent_raw(client, header, value)
    assert "planted" not in str(answer["headers"])
    assert answer["status"] < 500
    assert all("\r" not in text and "\n" not in text for pair in answer["headers"] for text in pair)


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("change_account", {"name": INJECTED}),
        ("rename_team", {"name": INJECTED}),
        ("make_token", {"name": INJECTED, "scopes": ["read"]}),
        ("invite", {"email": "a@example.org\r\nBcc: all@example.org", "role": "viewer"}),
        ("invite", {"email": "a@example.org\nSubject: x", "role": "viewer"}),
        ("invite", {"email": '"a\r\n"@example.org', "role": "viewer"}),
        ("invite", {"email": "a@example.org, b@example.org", "role": "viewer"}),
        ("save_plan", {"workload": {"data": "1 TB", "name": INJECTED}}),
    ],
)
def test_a_line_break_in_a_name_or_an_address_is_refused_at_its_field(
    client: TestClient, app: FastAPI, route: str, body: dict[str, Any]
) -> None:
    [asked] = [each for each in routes_of(app) if each.name == route]
    answer = client.request(asked.method, Ids.of_nothing().into(asked.path), json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"]
    assert "\r" not in answer.json()["detail"]


def _sent_raw(client: TestClient, header: str, value: str) -> dict[str, Any]:
    """Send a request as a server without any checks would: the bytes go straight to the application."""
    sent: list[Any] = []
    headers = [(b"host", b"localhost"), (header.lower().encode(), value.encode("utf-8"))]

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/api/v1/plans",
        "raw_path": b"/api/v1/plans",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("203.0.113.9", 1),
        "server": ("localhost", 80),
    }
    asyncio.run(client.app(scope, receive, send))  # type: ignore[arg-type]
    start = sent[0]
    return {
        "status": start["status"],
        "headers": [(a.decode("latin-1"), b.decode("latin-1")) for a, b in start["headers"]],
    }
