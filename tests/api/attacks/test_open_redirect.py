"""Open redirects: the only redirect leads to a path of this page for every requested target."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from people import new_member
from provider import CLIENT_ID, CLIENT_SECRET, Provider, local_provider
from stowage.api.app import create_app
from stowage.api.provider import OidcProvider
from stowage.features.teams.sign_in.oidc import safe_path
from stowage.features.teams.sign_in.store import people
from stowage.platform.database.database import Database
from stowage.web.services import Services

START = "/api/v1/session/oidc"
HERE = "https://stowage.example.org"

ELSEWHERE = [
    "https://evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/\n/evil.example",
    "/plans\r\nLocation: https://evil.example",
    "/plans\r\nSet-Cookie: stowage-80=planted",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "",
    "?x",
    "/\u2028/evil.example",
    "/\ud800",
]
OWN = ["/", "/plans", "/plans?of=me&q=a%20b", "/plans/1#top", "/@evil.example", "/:80", "/a//b", "/Grüße"]


@pytest.mark.parametrize("asked", ELSEWHERE)
def test_what_leads_elsewhere_leads_to_the_first_page(asked: str) -> None:
    assert safe_path(asked) == "/"


@pytest.mark.parametrize("asked", OWN)
def test_a_path_of_this_page_is_kept(asked: str) -> None:
    assert safe_path(asked) == asked


@given(st.text(alphabet="/\\.:@?#% \t\r\nhtpsevil\u2028", max_size=12))
def test_however_it_is_written_it_stays_here(asked: str) -> None:
    """Check an address as browsers parse it: tabs and line breaks removed, a backslash read as a slash."""
    read = safe_path(asked).translate({ord(mark): None for mark in "\t\r\n"}).replace("\\", "/").strip()
    there = urlsplit(urljoin(f"{HERE}/sign-in", read))
    assert f"{there.scheme}://{there.netloc}" == HERE
    assert safe_path(asked).startswith("/")


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with local_provider() as provider:
        yield provider


@pytest.mark.parametrize("asked", [each for each in ELSEWHERE if each.isascii()])
def test_the_way_back_from_the_provider_leads_nowhere_else(
    services: Services, provider: Provider, gate: Database, org_id: UUID, asked: str
) -> None:
    provider.claims["sub"] = subject = uuid4().hex
    person_id = new_member(gate, org_id)
    with gate.transaction(None) as connection:
        people.identify(connection, person_id, provider.address, subject)
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    app = create_app(replace(services, provider=theirs), None)
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as browser:
        begun = browser.post(START, json={"return_to": asked})
        brought = provider.signed_in(begun.json()["address"])
        # Neither the target in the first request nor one that is added on the way back is followed.
        added = {"return_to": asked, "next": asked, "redirect_uri": asked}
        answer = browser.get(f"{START}/callback", params=brought | added)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert len([each for each in answer.headers.get_list("set-cookie") if "planted" in each]) == 0


def test_the_provider_is_told_of_no_other_host(services: Services, provider: Provider) -> None:
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    app = create_app(replace(services, provider=theirs, public_url=HERE), None, ["stowage.example.org", "localhost"])
    with TestClient(app, base_url="http://localhost") as browser:
        headers = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
        address = browser.post(START, json={}, headers=headers).json()["address"]
        code = provider.signed_in(address)["code"]
        assert provider.asked[code]["redirect_uri"] == f"{HERE}{START}/callback"
        assert browser.post(START, json={}, headers={"Host": "evil.example"}).status_code == 400
