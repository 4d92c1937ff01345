"""Sign-in by an OpenID provider: who is admitted, and which ID tokens are accepted."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import time
from uuid import UUID, uuid4

import pyotp
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select

from people import COOKIE, join, new_member, new_person, session_of, signed_in_as
from provider import CLIENT_ID, CLIENT_SECRET, Provider, local_provider, new_key
from stowage.api.app import create_app
from stowage.api.provider import OidcProvider
from stowage.features.teams.sign_in import passwords
from stowage.features.teams.sign_in.store import people, second_factors, sessions, team
from stowage.features.teams.sign_in.tables import one_time_link
from stowage.model.team import Role
from stowage.platform import throttling
from stowage.platform.access import PROOF_LASTS
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.outside import ProviderFailed
from stowage.platform.secrets import digest, new_secret
from stowage.web.admission import CSRF
from stowage.web.services import Services

SESSION = "/api/v1/session"
START = "/api/v1/session/oidc"
CALLBACK = "/api/v1/session/oidc/callback"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with local_provider() as provider:
        yield provider


@pytest.fixture
def browser(app: FastAPI, services: Services, provider: Provider) -> Iterator[TestClient]:
    """Yield a browser that is not signed in, at a service whose people sign in at the provider."""
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    app.state.services = replace(services, provider=theirs)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.follow_redirects = False
        yield client


def there_and_back(browser: TestClient, provider: Provider, **start: str) -> Response:
    begun = browser.post(START, json=start)
    assert begun.status_code == 200, begun.text
    return browser.get(CALLBACK, params=provider.signed_in(begun.json()["address"]))


def known_as(gate: Database, provider: Provider, person_id: UUID, subject: str) -> None:
    with gate.transaction(None) as connection:
        assert people.identify(connection, person_id, provider.address, subject)


def invited(database: Database, org_id: UUID, email: str, role: Role = "viewer") -> str:
    secret, now = new_secret(), datetime.now(UTC)
    new = team.Invitation(uuid4(), email, role, "Owner", now, now + timedelta(days=1))
    with database.transaction(org_id) as connection:
        team.add_invitation(connection, new, digest(secret))
    return secret


def new_name() -> tuple[str, str]:
    """Return an unused subject and e-mail."""
    name = uuid4().hex
    return name, f"{name}@example.org"


def test_a_person_known_to_the_provider_and_here_is_signed_in(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    person_id, (subject, _) = new_member(gate, org_id), new_name()
    known_as(gate, provider, person_id, subject)
    provider.claims["sub"] = subject
    assert browser.get(SESSION).json()["provider"] == "Example"
    begun = browser.post(START, json={"return_to": "/plans?of=me"})
    [kept] = begun.headers.get_list("set-cookie")
    assert {part.strip().lower() for part in kept.split(";")[1:]} == {
        "httponly",
        "samesite=lax",
        f"path={START}",
        "max-age=600",
    }
    answer = browser.get(CALLBACK, params=provider.signed_in(begun.json()["address"]))
    assert (answer.status_code, answer.headers["location"]) == (303, "/plans?of=me")
    said = browser.get(SESSION).json()
    assert said["person"]["person_id"] == str(person_id)
    [here] = browser.get("/api/v1/sessions").json()["sessions"]
    assert here["how"] == "oidc"
    dropped = [each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{COOKIE}-oidc=")]
    assert 'oidc=""' in dropped[0]


Spoil = Callable[[Provider], None]


def claiming(**claims: object) -> Spoil:
    return lambda provider: provider.claims.update(claims)


def answering(body: bytes) -> Spoil:
    return lambda provider: setattr(provider, "token_answer", body)


def signed_with_another_key(provider: Provider) -> None:
    provider.signed_by = new_key("first")


def signed_with_what_everybody_knows(provider: Provider) -> None:
    provider.signed_by = provider.key.as_pem(private=False)


def signed_with_our_own_secret(provider: Provider) -> None:
    provider.signed_by = CLIENT_SECRET.encode()


def signed_with_a_key_that_it_does_not_publish(provider: Provider) -> None:
    provider.signed_by, provider.header["kid"] = new_key("unknown"), "unknown"


def unsigned(provider: Provider) -> None:
    provider.unsigned = True


SPOILT: dict[str, Spoil] = {
    "for another client's request": claiming(nonce="of-another-client"),
    "without the question": claiming(nonce=None),
    "for another service": claiming(aud="another"),
    "for another service too, and by its leave": claiming(aud=[CLIENT_ID, "another"], azp="another"),
    "for two services, without authorized party": claiming(aud=[CLIENT_ID, "another"]),
    "of another provider": claiming(iss="https://another.example"),
    "expired": claiming(exp=int(time()) - 120),
    "without an end": claiming(exp=None),
    "of the future": claiming(iat=int(time()) + 3_600),
    "without a subject": claiming(sub=None),
    "with an invalid subject": claiming(sub="a\x00b"),
    "of a number": claiming(sub=7),
    "with the token of another": claiming(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
    "unsigned": unsigned,
    "signed with another key": signed_with_another_key,
    "signed with what everybody knows": signed_with_what_everybody_knows,
    "signed with our own secret": signed_with_our_own_secret,
    "signed with a key that it does not publish": signed_with_a_key_that_it_does_not_publish,
    "no JSON": answering(b"<html>"),
    "no object": answering(b"[]"),
    "nothing": answering(b'{"access_token": "a", "token_type": "Bearer"}'),
    "an error": answering(b'{"error": "invalid_grant"}'),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
def test_an_invalid_id_token_does_not_sign_in(
    browser: TestClient,
    provider: Provider,
    gate: Database,
    org_id: UUID,
    spoil: Spoil,
    caplog: pytest.LogCaptureFixture,
) -> None:
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims["sub"] = subject
    spoil(provider)
    with caplog.at_level(logging.WARNING):
        answer = there_and_back(browser, provider)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?problem=provider")
    assert COOKIE not in browser.cookies
    assert not browser.get(SESSION).json()["signed_in"]
    assert "invalid response of the provider" in caplog.text
    assert CLIENT_SECRET not in caplog.text


def test_what_was_spoilt_was_all_that_was_wrong(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    """Control for the test above: the claims that it spoils are accepted intact, with at_hash and two audiences."""
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims |= {"sub": subject, "aud": [CLIENT_ID, "another"], "azp": CLIENT_ID}
    provider.claims["at_hash"] = "VlIVIvHzwO850NXlw2qh9w"  # left half of SHA-256("for-userinfo")
    assert there_and_back(browser, provider).headers["location"] == "/"


def test_keys_may_change(browser: TestClient, provider: Provider, gate: Database, org_id: UUID) -> None:
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims["sub"] = subject
    assert there_and_back(browser, provider).headers["location"] == "/"
    provider.key = new_key("second")
    browser.cookies.clear()
    assert there_and_back(browser, provider).headers["location"] == "/"


def test_one_comes_back_once_in_the_same_browser_and_in_time(
    browser: TestClient, services: Services, provider: Provider, gate: Database, org_id: UUID
) -> None:
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims["sub"] = subject
    expired = "/sign-in?problem=expired"
    # In another browser: the attacker sends the victim the address to which the attacker should have returned.
    brought = provider.signed_in(browser.post(START, json={}).json()["address"])
    app = create_app(replace(services, provider=OidcProvider(provider.address, CLIENT_ID, None, "")), page=None)
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as other:
        assert other.get(CALLBACK, params=brought).headers["location"] == expired
    # A state value can be used once, here too.
    assert browser.get(CALLBACK, params=brought).headers["location"] == expired
    brought = provider.signed_in(browser.post(START, json={}).json()["address"])
    assert browser.get(CALLBACK, params=brought).headers["location"] == "/"
    assert browser.get(CALLBACK, params=brought).headers["location"] == expired
    # Too late.
    browser.cookies.clear()
    brought = provider.signed_in(browser.post(START, json={}).json()["address"])
    with gate.transaction(None) as connection:
        mine = one_time_link.c.secret_hash == digest(brought["state"])
        connection.execute(one_time_link.update().where(mine).values(expires_at=datetime.now(UTC)))
    assert browser.get(CALLBACK, params=brought).headers["location"] == expired
    for nothing in ({}, {"state": "made-up", "code": "x"}, {"state": "\x00", "code": "\x00"}):
        assert browser.get(CALLBACK, params=nothing).headers["location"] == expired


def test_a_code_is_of_no_use_to_another_sign_in(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    """PKCE: a code stolen from one sign-in does not fit another."""
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims["sub"] = subject
    stolen = provider.signed_in(browser.post(START, json={}).json()["address"])
    own = provider.signed_in(browser.post(START, json={}).json()["address"])
    answer = browser.get(CALLBACK, params={"state": own["state"], "code": stolen["code"]})
    assert answer.headers["location"] == "/sign-in?problem=provider"


def test_refusing_at_the_provider_leads_back_to_the_sign_in(browser: TestClient, provider: Provider) -> None:
    brought = provider.signed_in(browser.post(START, json={}).json()["address"])
    answer = browser.get(CALLBACK, params={"state": brought["state"], "error": "access_denied"})
    assert answer.headers["location"] == "/sign-in?problem=refused"


def test_an_e_mail_of_the_provider_does_not_sign_in(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    """An attacker who can make the provider assert an e-mail does not get the account with that e-mail."""
    subject, email = new_name()
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "owner")
    provider.claims |= {"sub": subject, "email": email, "email_verified": True}
    assert there_and_back(browser, provider).headers["location"] == "/sign-in?problem=unknown"
    assert not browser.get(SESSION).json()["signed_in"]


def test_an_invitation_lets_in_whom_the_provider_has_verified(
    browser: TestClient, provider: Provider, database: Database, org_id: UUID
) -> None:
    subject, email = new_name()
    secret = invited(database, org_id, email, "contributor")
    provider.claims |= {"sub": subject, "email": email.upper(), "email_verified": False, "name": "  Ada \u202e"}
    unknown = "/sign-in?problem=unknown"
    assert there_and_back(browser, provider, invitation=secret).headers["location"] == unknown
    provider.claims["email_verified"] = True
    assert there_and_back(browser, provider).headers["location"] == unknown
    assert there_and_back(browser, provider, invitation=new_secret()).headers["location"] == unknown
    assert there_and_back(browser, provider, invitation=secret, return_to="/plans").headers["location"] == "/plans"
    said = browser.get(SESSION).json()
    # A name that is invalid here is replaced by the address.
    assert (said["person"]["name"], said["person"]["email"]) == (subject, email)
    assert (said["team"]["org_id"], said["team"]["role"]) == (str(org_id), "contributor")
    with database.transaction(org_id) as connection:
        rows = connection.execute(select(audit_event).order_by(audit_event.c.id)).all()
    let_in = [row for row in rows if row.action == "membership.insert"]
    assert [(row.actor_kind, str(row.actor_id)) for row in let_in] == [("person", said["person"]["person_id"])]
    # The invitation is accepted, and the same account signs in without it from now on.
    browser.cookies.clear()
    assert there_and_back(browser, provider).headers["location"] == "/"


def test_an_invitation_of_an_address_that_has_an_account_connects_nothing(
    browser: TestClient, provider: Provider, gate: Database, database: Database, org_id: UUID
) -> None:
    subject, email = new_name()
    new_person(gate, "Ada", email)
    secret = invited(database, org_id, email)
    provider.claims |= {"sub": subject, "email": email, "email_verified": True}
    answer = there_and_back(browser, provider, invitation=secret)
    assert answer.headers["location"] == "/sign-in?problem=known"
    with gate.transaction(None) as connection:
        assert people.identified(connection, provider.address, subject) is None
        assert team.find_invitation(connection, digest(secret), datetime.now(UTC)) is not None


def test_a_known_person_joins_another_team_by_invitation(
    browser: TestClient, provider: Provider, gate: Database, database: Database, org_id: UUID, other_org_id: UUID
) -> None:
    subject, email = new_name()
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "owner")
    known_as(gate, provider, person_id, subject)
    provider.claims |= {"sub": subject, "email": email, "email_verified": True}
    secret = invited(database, other_org_id, email, "planner")
    assert there_and_back(browser, provider, invitation=secret).headers["location"] == "/"
    said = browser.get(SESSION).json()
    assert (said["team"]["org_id"], said["team"]["role"]) == (str(other_org_id), "planner")
    # A member signs in, and keeps their role in the team.
    secret = invited(database, org_id, email, "viewer")
    browser.cookies.clear()
    assert there_and_back(browser, provider, invitation=secret).headers["location"] == "/"
    said = browser.get(SESSION).json()
    assert {each["org_id"]: each["role"] for each in said["teams"]} == {
        str(org_id): "owner",
        str(other_org_id): "planner",
    }


def test_an_account_is_connected_by_its_person_signed_in(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID, database: Database
) -> None:
    person_id, (subject, _) = new_member(gate, org_id), new_name()
    provider.claims["sub"] = subject
    signed_in_as(browser, gate, person_id)
    before = browser.cookies[COOKIE]
    # The session cookie is SameSite=Strict: it is not sent on the way back from the provider.
    brought = provider.signed_in(browser.post(START, json={"return_to": "/account"}).json()["address"])
    browser.cookies.delete(COOKIE)
    answer = browser.get(CALLBACK, params=brought)
    assert answer.headers["location"] == "/account"
    assert not any(each.startswith(f"{COOKIE}=") for each in answer.headers.get_list("set-cookie"))
    browser.cookies.set(COOKIE, before)
    assert there_and_back(browser, provider, return_to="/account").headers["location"] == "/account"
    browser.cookies.delete(COOKIE)
    del browser.headers[CSRF]
    assert there_and_back(browser, provider).headers["location"] == "/"
    assert browser.get(SESSION).json()["person"]["person_id"] == str(person_id)
    with database.transaction(org_id) as connection:
        actions = connection.scalars(select(audit_event.c.action)).all()
    assert actions.count("account.connect") == 1


def test_another_persons_identity_is_not_connected_nor_by_a_session_that_ended(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    subject, _ = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims["sub"] = subject
    other = new_member(gate, org_id)
    signed_in_as(browser, gate, other)
    assert there_and_back(browser, provider).headers["location"] == "/sign-in?problem=taken"
    provider.claims["sub"], _ = new_name()
    brought = provider.signed_in(browser.post(START, json={}).json()["address"])
    assert browser.delete(SESSION).status_code == 204
    assert browser.get(CALLBACK, params=brought).headers["location"] == "/sign-in?problem=expired"


def proved_before(gate: Database, client: TestClient, ago: timedelta) -> None:
    [here] = client.get("/api/v1/sessions").json()["sessions"]
    with gate.transaction(None) as connection:
        sessions.prove(connection, UUID(here["id"]), datetime.now(UTC) - ago)


def test_a_browser_that_was_left_alone_connects_nothing(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    """An attacker with a stolen session would keep access by connecting their own account at the provider."""
    signed_in_as(browser, gate, new_member(gate, org_id))
    proved_before(gate, browser, PROOF_LASTS)
    answer = browser.post(START, json={})
    assert (answer.status_code, answer.json()["title"]) == (403, "Proof needed")
    assert provider.asked == {}


def test_signing_in_again_at_the_provider_reauthenticates(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    person_id, (subject, email) = new_member(gate, org_id), new_name()
    known_as(gate, provider, person_id, subject)
    signed_in_as(browser, gate, person_id)
    assert browser.get(SESSION).json()["person"]["proofs"] == ["provider"]
    proved_before(gate, browser, PROOF_LASTS)
    now = int(time())
    change = {"email": email}
    for said, where in (
        # The provider signs in another account, or does not ask for credentials.
        ({"sub": "another"}, "/sign-in?problem=another"),
        ({"sub": subject, "auth_time": now - 3_600}, "/sign-in?problem=expired"),
        ({"sub": subject, "auth_time": now}, "/account"),
    ):
        assert browser.patch("/api/v1/account/credentials", json=change).status_code == 403
        provider.claims |= said
        begun = browser.post(START, json={"return_to": "/account", "prove": True}).json()["address"]
        assert "prompt=login" in begun
        assert "max_age=0" in begun
        assert browser.get(CALLBACK, params=provider.signed_in(begun)).headers["location"] == where
    assert browser.patch("/api/v1/account/credentials", json=change).status_code == 200


def test_with_passwords_switched_off_no_route_accepts_or_sets_one(
    browser: TestClient, app: FastAPI, services: Services, provider: Provider, gate: Database, org_id: UUID
) -> None:
    person_id, (subject, email) = new_member(gate, org_id), new_name()
    known_as(gate, provider, person_id, subject)
    with gate.transaction(None) as connection:
        assert people.change(connection, person_id, email=email)
        people.set_password(connection, person_id, passwords.hash_password("marmot ladder quiet 71"), datetime.now(UTC))
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    app.state.services = replace(services, provider=theirs, passwords=False)
    assert browser.get(SESSION).json()["passwords"] is False
    given = {"password": "marmot ladder quiet 71"}
    attempts: list[tuple[str, str, dict[str, str]]] = [
        ("POST", SESSION, {"email": email} | given),
        ("POST", "/api/v1/account/reset", {"email": email}),
        ("POST", "/api/v1/account/reset/password", {"secret": new_secret()} | given),
        ("POST", "/api/v1/invitations/accept", {"secret": new_secret(), "name": "Ada"} | given),
    ]
    of_the_person: list[tuple[str, str, dict[str, str]]] = [
        ("PATCH", "/api/v1/account/credentials", given),
        ("POST", "/api/v1/session/proof", given),
        ("POST", f"/api/v1/team/members/{person_id}/reset", {}),
    ]
    for signed_in, several in ((False, attempts), (True, of_the_person)):
        if signed_in:
            provider.claims["sub"] = subject
            assert there_and_back(browser, provider).headers["location"] == "/"
            browser.headers[CSRF] = browser.get(SESSION).json()["csrf"]
        for method, path, body in several:
            answer = browser.request(method, path, json=body)
            assert (answer.status_code, answer.json()["detail"]) == (
                403,
                "Passwords are switched off on this service: sign in with Example.",
            ), path
    assert browser.patch("/api/v1/account", json={"name": "Ada"}).status_code == 200


def test_a_sign_in_at_the_provider_needs_the_second_factor(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    person_id, (subject, _) = new_member(gate, org_id), new_name()
    known_as(gate, provider, person_id, subject)
    with gate.transaction(None) as connection:
        assert second_factors.begin(connection, person_id, pyotp.random_base32())
        assert second_factors.confirm(connection, person_id, datetime.now(UTC))
        second_factors.set_recovery_codes(connection, person_id, [digest(each * 16) for each in "abc"])
    provider.claims["sub"] = subject
    assert there_and_back(browser, provider, return_to="/plans").headers["location"] == "/plans"
    assert COOKIE not in browser.cookies
    said = browser.get(SESSION).json()
    assert (said["signed_in"], said["second_factor_needed"]) == (False, True)
    assert browser.post("/api/v1/session/second-factor", json={"code": "a" * 16}).json()["signed_in"] is True
    browser.headers[CSRF] = browser.get(SESSION).json()["csrf"]
    proved_before(gate, browser, PROOF_LASTS)
    begun = browser.post(START, json={"return_to": "/account", "prove": True}).json()["address"]
    assert browser.get(CALLBACK, params=provider.signed_in(begun)).headers["location"] == "/account"
    assert browser.delete("/api/v1/account/second-factor").status_code == 403
    assert browser.post("/api/v1/session/proof", json={"code": "b" * 16}).status_code == 204
    assert browser.delete("/api/v1/account/second-factor").status_code == 204


def test_an_old_sign_in_at_the_provider_does_not_reauthenticate(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    subject, email = new_name()
    known_as(gate, provider, new_member(gate, org_id), subject)
    provider.claims |= {"sub": subject, "auth_time": int(time()) - 3_600}
    assert there_and_back(browser, provider).headers["location"] == "/"
    browser.headers[CSRF] = browser.get(SESSION).json()["csrf"]
    assert browser.patch("/api/v1/account/credentials", json={"email": email}).status_code == 403


def test_reauthentication_needs_a_session(browser: TestClient, provider: Provider) -> None:
    assert browser.post(START, json={"prove": True}).status_code == 404
    assert provider.asked == {}


def test_another_page_cannot_connect_an_identity(browser: TestClient, gate: Database, org_id: UUID) -> None:
    browser.cookies.set(COOKIE, session_of(gate, new_member(gate, org_id)))
    assert browser.post(START, json={}).status_code == 403
    assert browser.post(START, json={}, headers={"Origin": "https://elsewhere.example"}).status_code == 403


def test_the_e_mail_may_come_from_the_userinfo_of_the_same_person(
    browser: TestClient, provider: Provider, database: Database, org_id: UUID
) -> None:
    subject, email = new_name()
    secret = invited(database, org_id, email)
    provider.claims["sub"] = subject
    provider.userinfo = {"sub": "another subject", "email": email, "email_verified": True}
    answer = there_and_back(browser, provider, invitation=secret)
    assert answer.headers["location"] == "/sign-in?problem=provider"
    provider.userinfo = {"sub": subject, "email": email, "email_verified": "true", "iss": "ignored"}
    assert there_and_back(browser, provider, invitation=secret).headers["location"] == "/"


@pytest.mark.parametrize(
    "published",
    [
        {"issuer": "https://another.example"},
        {"issuer": None},
        {"token_endpoint": "http://another.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": 7},
    ],
)
def test_a_provider_that_describes_itself_wrongly_is_none(
    browser: TestClient, provider: Provider, published: dict[str, object]
) -> None:
    provider.publishes.update(published)
    answer = browser.post(START, json={})
    assert (answer.status_code, answer.json()["title"]) == (409, "Not possible now")


def test_a_provider_that_is_away_or_elsewhere_is_none(provider: Provider) -> None:
    def begin(issuer: str) -> str:
        theirs = OidcProvider(issuer, CLIENT_ID, CLIENT_SECRET, "Example")
        return theirs.start(redirect_uri="http://localhost/", state="s", nonce="n", verifier="v")

    for issuer in (f"{provider.address}/nowhere", f"{provider.address}/moved", "http://127.0.0.1:9"):
        with pytest.raises(ProviderFailed):
            begin(issuer)
    # With or without a slash at its end: settings remove it, and some providers have it.
    provider.publishes["issuer"] = f"{provider.address}/"
    assert begin(provider.address)


def test_without_a_provider_there_is_no_such_way(anonymous: TestClient) -> None:
    assert anonymous.post(START, json={}).status_code == 404
    answer = anonymous.get(CALLBACK, params={"state": "x", "code": "y"}, follow_redirects=False)
    assert answer.headers["location"] == "/sign-in?problem=expired"


def test_the_way_back_is_where_people_reach_the_page(services: Services, provider: Provider) -> None:
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    there = replace(services, provider=theirs, public_url="https://stowage.example.org")
    app = create_app(there, None, ["stowage.example.org"])
    with TestClient(app, base_url="https://stowage.example.org") as client:
        address = client.post(START, json={}).json()["address"]
        asked = provider.asked[provider.signed_in(address)["code"]]
        assert asked["redirect_uri"] == f"https://stowage.example.org{CALLBACK}"
        assert client.cookies.get("__Secure-stowage-oidc")


def test_ways_to_the_provider_are_counted(
    services: Services, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "OIDC", throttling.Rule("oidc", free=2))
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
    app = create_app(replace(services, provider=theirs), None)
    with TestClient(app, base_url="http://localhost", client=("203.0.113.70", 1)) as client:
        assert [client.post(START, json={}).status_code for _ in range(3)] == [200, 200, 429]
