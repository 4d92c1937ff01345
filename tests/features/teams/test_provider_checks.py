"""Refresh tokens of the OpenID provider: their storage, the times of checks, and the effect of a refusal."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from database import superuser
from people import new_member, session_of, signed_in_as, token_of
from provider import CLIENT_ID, CLIENT_SECRET, Provider, local_provider
from stowage.api.provider import OidcProvider
from stowage.features.teams.sign_in import provider_checks, sessions, tokens
from stowage.features.teams.sign_in.provider_checks import EVERY, RETRY
from stowage.features.teams.sign_in.store import once, people, refresh_tokens
from stowage.features.teams.sign_in.tables import one_time_link, person, session
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import SignInNeeded
from stowage.platform.secrets import digest, new_secret
from stowage.web.services import Services

SESSION = "/api/v1/session"
START = "/api/v1/session/oidc"
CALLBACK = "/api/v1/session/oidc/callback"
ME = "/api/v1/me"
TOKENS = "/api/v1/tokens"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Yield a provider that gives refresh tokens."""
    with local_provider() as provider:
        provider.offline = True
        yield provider


@pytest.fixture
def theirs(provider: Provider) -> OidcProvider:
    return OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")


@pytest.fixture
def browser(app: FastAPI, services: Services, theirs: OidcProvider) -> Iterator[TestClient]:
    app.state.services = replace(services, provider=theirs)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        client.follow_redirects = False
        yield client
    settle()


@pytest.fixture
def person_id(gate: Database, org_id: UUID, provider: Provider) -> UUID:
    """Return a member of the team with an account at the provider, which signs in there by default."""
    person_id, subject = new_member(gate, org_id), uuid4().hex
    with gate.transaction(None) as connection:
        assert people.identify(connection, person_id, provider.address, subject)
    provider.claims["sub"] = subject
    return person_id


def sign_in(browser: TestClient, provider: Provider) -> None:
    browser.cookies.clear()
    begun = browser.post(START, json={})
    assert begun.status_code == 200, begun.text
    answer = browser.get(CALLBACK, params=provider.signed_in(begun.json()["address"]))
    assert answer.headers["location"] == "/"


def settle() -> None:
    """Wait for the checks in progress."""
    for thread in threading.enumerate():
        if thread.name == "provider-check":
            thread.join()


def make_due(gate: Database, person_id: UUID) -> None:
    with gate.transaction(None) as connection:
        due = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(person).where(person.c.person_id == person_id).values(provider_check_at=due))


def check_at(gate: Database, person_id: UUID) -> datetime | None:
    with gate.transaction(None) as connection:
        return connection.scalar(select(person.c.provider_check_at).where(person.c.person_id == person_id))


def stored(gate: Database, person_id: UUID) -> list[str]:
    with gate.transaction(None) as connection:
        return [each.token for each in refresh_tokens.of_person(connection, person_id)]


def sessions_of(gate: Database, person_id: UUID) -> int:
    with gate.transaction(None) as connection:
        return len(connection.execute(select(session.c.id).where(session.c.person_id == person_id)).all())


def recorded(database: Database, org_id: UUID) -> list[str]:
    with database.transaction(org_id) as connection:
        return list(connection.scalars(select(audit_event.c.action).order_by(audit_event.c.id)))


def test_refresh_tokens_are_requested_only_from_a_provider_that_lists_their_scope(
    browser: TestClient, provider: Provider, gate: Database, person_id: UUID
) -> None:
    def scope(**start: bool) -> list[str]:
        address = browser.post(START, json=start).json()["address"]
        return provider.asked[provider.signed_in(address)["code"]]["scope"].split()

    assert scope() == ["openid", "email", "profile", "offline_access"]
    signed_in_as(browser, gate, person_id)
    assert "offline_access" not in scope(prove=True)


def test_refresh_tokens_are_not_requested_if_the_operator_says_so(provider: Provider) -> None:
    theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example", requests_refresh_tokens=False)
    assert "offline_access" in provider.described()["scopes_supported"]
    address = theirs.start(redirect_uri="http://localhost/back", state="s" * 40, nonce="n" * 40, verifier="v" * 43)
    code = provider.signed_in(address)["code"]
    assert provider.asked[code]["scope"] == "openid email profile"


def test_without_refresh_tokens_nothing_is_stored_or_tried(
    browser: TestClient, provider: Provider, gate: Database, person_id: UUID
) -> None:
    provider.offline = False
    sign_in(browser, provider)
    assert (stored(gate, person_id), check_at(gate, person_id)) == ([], None)
    assert browser.get(ME).status_code == 200
    settle()
    assert provider.tried == []


def test_refresh_tokens_are_not_readable_in_the_database(
    browser: TestClient, provider: Provider, postgres: DatabaseUrls, gate: Database, person_id: UUID
) -> None:
    provider.rotates = True
    sign_in(browser, provider)
    make_due(gate, person_id)
    assert browser.get(ME).status_code == 200
    settle()
    assert stored(gate, person_id) == provider.given[-1:]
    assert len(provider.given) == 2
    with superuser(postgres) as connection:
        for table in ("identity", "person", "one_time_link", "session"):
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            lying = b"".join(
                value if isinstance(value, bytes) else str(value).encode() for row in rows for value in row
            )
            assert not any(each.encode() in lying for each in provider.given), table


def test_a_rotated_refresh_token_replaces_the_one_before(
    browser: TestClient, provider: Provider, theirs: OidcProvider, gate: Database, person_id: UUID
) -> None:
    provider.rotates = True
    sign_in(browser, provider)
    now = datetime.now(UTC)
    for hours in (1, 2, 3):
        provider_checks.check(gate, theirs, person_id, now + hours * EVERY)
    assert provider.tried == provider.given[:3]
    assert stored(gate, person_id) == provider.given[3:]
    assert sessions_of(gate, person_id) == 1


def test_a_refusal_ends_sessions_and_pauses_tokens_until_the_next_sign_in(
    browser: TestClient,
    client: TestClient,
    provider: Provider,
    gate: Database,
    database: Database,
    org_id: UUID,
    person_id: UUID,
) -> None:
    """Otherwise a person whose account at the provider was closed would keep access by existing sessions."""
    sign_in(browser, provider)
    elsewhere = session_of(gate, person_id)
    text = token_of(gate, org_id, ["read"], person_id=person_id)
    bearer = {"Authorization": f"Bearer {text}"}
    link, now = new_secret(), datetime.now(UTC)
    with gate.transaction(None) as connection:
        once.add(connection, "second-factor", digest(link), once.OneTime(person_id, {}, now + timedelta(minutes=5)))

    def listed() -> tuple[bool, bool]:
        [row] = client.get(TOKENS).json()["tokens"]
        return row["paused_since"] is not None, row["refused_by_provider"]

    assert listed() == (False, False)
    make_due(gate, person_id)
    provider.refused.update(provider.given)
    # The request that causes the check does not wait for it.
    assert browser.get(ME, headers=bearer).status_code == 200
    settle()
    assert browser.get(ME).status_code == 401
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, elsewhere, datetime.now(UTC))
    with gate.transaction(None) as connection:
        assert not connection.execute(select(one_time_link).where(one_time_link.c.person_id == person_id)).all()
    refused = browser.get(ME, headers=bearer)
    assert (refused.status_code, refused.json()["detail"]) == (401, tokens.REFUSED)
    assert listed() == (True, True)
    assert recorded(database, org_id).count("account.refused") == 1
    [row] = [each for each in client.get("/api/v1/audit").json()["events"] if each["action"] == "account.refused"]
    assert (row["actor_kind"], row["actor_name"], row["object_id"]) == ("system", "The OpenID provider", str(person_id))
    assert stored(gate, person_id) == []
    sign_in(browser, provider)
    assert browser.get(ME).status_code == 200
    assert browser.get(ME, headers=bearer).status_code == 200
    assert listed() == (False, False)
    assert stored(gate, person_id) == provider.given[-1:]


UNDECIDED = {
    "an error of the server": (503, b'{"error": "invalid_grant"}'),
    "too many requests": (429, b'{"error": "slow_down"}'),
    "another client": (401, b'{"error": "invalid_client"}'),
    "a page of a proxy": (200, b"<html>"),
    "a refusal without a reason": (400, b""),
    "no object": (200, b"[]"),
    "no access token": (200, b"{}"),
    "a redirect": (302, b""),
}


@pytest.mark.parametrize("answer", UNDECIDED.values(), ids=list(UNDECIDED))
def test_an_answer_that_decides_nothing_changes_nothing(
    browser: TestClient,
    provider: Provider,
    theirs: OidcProvider,
    gate: Database,
    person_id: UUID,
    answer: tuple[int, bytes],
) -> None:
    sign_in(browser, provider)
    provider.refresh_answer = answer
    due = datetime.now(UTC) + EVERY
    provider_checks.check(gate, theirs, person_id, due)
    assert (stored(gate, person_id), sessions_of(gate, person_id)) == (provider.given, 1)
    provider.refresh_answer = None
    for later, tries in ((RETRY - timedelta(seconds=1), 1), (RETRY, 2), (EVERY, 2), (RETRY + EVERY, 3)):
        provider_checks.check(gate, theirs, person_id, due + later)
        assert len(provider.tried) == tries, later


def test_a_provider_that_is_down_changes_nothing(
    app: FastAPI, services: Services, gate: Database, org_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    person_id, subject = new_member(gate, org_id), uuid4().hex
    text = token_of(gate, org_id, ["read"], person_id=person_id)
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as browser:
        with local_provider() as provider:
            provider.offline, provider.claims["sub"] = True, subject
            theirs = OidcProvider(provider.address, CLIENT_ID, CLIENT_SECRET, "Example")
            app.state.services = replace(services, provider=theirs)
            with gate.transaction(None) as connection:
                assert people.identify(connection, person_id, provider.address, subject)
            sign_in(browser, provider)
        make_due(gate, person_id)
        assert browser.get(ME).status_code == 200
        settle()
        assert browser.get(ME).status_code == 200
        assert browser.get(ME, headers={"Authorization": f"Bearer {text}"}).status_code == 200
    assert stored(gate, person_id) == provider.given
    assert "a refresh token was not tried" in caplog.text
    assert not any(each in caplog.text for each in provider.given)


def test_of_concurrent_checks_one_tries_and_once_an_hour(
    browser: TestClient, provider: Provider, theirs: OidcProvider, gate: Database, person_id: UUID
) -> None:
    sign_in(browser, provider)
    due = datetime.now(UTC) + EVERY
    for tries in (1, 2):
        start = threading.Barrier(4)

        def check(at: datetime, start: threading.Barrier = start) -> None:
            start.wait(30)
            provider_checks.check(gate, theirs, person_id, at)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(check, [due] * 4))
        assert len(provider.tried) == tries
        provider_checks.check(gate, theirs, person_id, due + EVERY - timedelta(seconds=1))
        assert len(provider.tried) == tries
        due += EVERY


def test_a_slow_provider_delays_no_request(
    browser: TestClient, provider: Provider, gate: Database, person_id: UUID
) -> None:
    sign_in(browser, provider)
    make_due(gate, person_id)
    provider.may_answer.clear()
    try:
        assert browser.get(ME).status_code == 200
        assert provider.is_tried.wait(30)
        # The provider does not answer before the end of the block.
        assert [browser.get(ME).status_code for _ in range(5)] == [200] * 5
    finally:
        provider.may_answer.set()
    settle()
    assert len(provider.tried) == 1


def test_checks_at_the_same_time_are_bounded_and_made_up_for(
    browser: TestClient, provider: Provider, gate: Database, org_id: UUID
) -> None:
    programs: dict[UUID, str] = {}
    for _ in range(3):
        person_id, subject = new_member(gate, org_id), uuid4().hex
        programs[person_id] = token_of(gate, org_id, ["read"], person_id=person_id)
        with gate.transaction(None) as connection:
            assert people.identify(connection, person_id, provider.address, subject)
        provider.claims["sub"] = subject
        sign_in(browser, provider)
        make_due(gate, person_id)
    browser.cookies.clear()

    def asked() -> None:
        for text in programs.values():
            assert browser.get(ME, headers={"Authorization": f"Bearer {text}"}).status_code == 200

    provider.may_answer.clear()
    try:
        asked()
        assert sum(each.name == "provider-check" for each in threading.enumerate()) == 2
    finally:
        provider.may_answer.set()
    settle()
    assert len(provider.tried) == 2
    asked()
    settle()
    assert sorted(provider.tried) == sorted(provider.given)


def test_a_sign_in_during_a_check_outweighs_the_refusal_of_the_token_before(
    browser: TestClient, provider: Provider, theirs: OidcProvider, gate: Database, org_id: UUID, person_id: UUID
) -> None:
    sign_in(browser, provider)
    text = token_of(gate, org_id, ["read"], person_id=person_id)
    provider.refused.update(provider.given)
    provider.may_answer.clear()
    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(provider_checks.check, gate, theirs, person_id, datetime.now(UTC) + EVERY)
        try:
            assert provider.is_tried.wait(30)
            sign_in(browser, provider)
        finally:
            provider.may_answer.set()
        checking.result()
    assert browser.get(ME).status_code == 200
    assert browser.get(ME, headers={"Authorization": f"Bearer {text}"}).status_code == 200
    assert stored(gate, person_id) == provider.given[-1:]


def test_refresh_tokens_of_a_former_provider_are_not_sent_to_the_present_one(
    provider: Provider, theirs: OidcProvider, gate: Database, org_id: UUID
) -> None:
    person_id, now = new_member(gate, org_id), datetime.now(UTC)
    former = refresh_tokens.StoredToken("https://former.example", uuid4().hex, "of the former")
    with gate.transaction(None) as connection:
        assert people.identify(connection, person_id, former.issuer, former.subject)
        refresh_tokens.store(connection, person_id, former, now)
    provider_checks.check(gate, theirs, person_id, now)
    assert provider.tried == []
    assert check_at(gate, person_id) == now + EVERY
    with gate.transaction(None) as connection:
        people.forget_identities(connection, person_id)
    provider_checks.check(gate, theirs, person_id, now + EVERY)
    assert check_at(gate, person_id) is None
