"""Passkeys: added, used at sign-in and reauthentication, refused, removed."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pyotp
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from authenticator import Authenticator, octets, text
from people import COOKIE, join, new_person, new_planner, session_of, signed_in_as
from stowage.features.teams import operators
from stowage.features.teams.sign_in import passkeys, sessions
from stowage.features.teams.sign_in.store import passkeys as store
from stowage.features.teams.sign_in.store import sessions as session_store
from stowage.features.teams.sign_in.tables import one_time_link, recovery_code
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import BadInput, SignInNeeded

SESSION = "/api/v1/session"
SECOND = "/api/v1/session/second-factor"
CHALLENGE = "/api/v1/session/passkey"
PROOF = "/api/v1/session/proof"
PASSKEYS = "/api/v1/account/passkeys"
NEW = "/api/v1/account/passkeys/challenge"
APP = "/api/v1/account/second-factor"
PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test

Json = dict[str, Any]


@pytest.fixture
def anonymous(app: FastAPI) -> Iterator[TestClient]:
    """Return a client at an address of its own: refusals are counted by address."""
    with TestClient(app, base_url="http://localhost", client=("192.0.2.54", 50_000)) as client:
        yield client


@pytest.fixture
def email() -> str:
    return f"{uuid4().hex}@example.org"


@pytest.fixture
def person_id(gate: Database, org_id: UUID, email: str) -> UUID:
    """Return a member with an e-mail and a password, without a second factor."""
    return new_planner(gate, org_id, email, PASSWORD)


@pytest.fixture
def browser(anonymous: TestClient, gate: Database, person_id: UUID) -> TestClient:
    return signed_in_as(anonymous, gate, person_id)


@pytest.fixture
def key() -> Authenticator:
    return Authenticator()


def options(client: TestClient, path: str) -> Json:
    answer = client.post(path)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()["options"]
    return found


def add(client: TestClient, key: Authenticator, name: str = "Key on my desk") -> list[str]:
    """Add a passkey, and return the recovery codes."""
    answer = client.post(PASSKEYS, json={"name": name, "passkey": key.make(options(client, NEW))})
    assert answer.status_code == 201, answer.text
    codes: list[str] = answer.json()["codes"]
    return codes


def first_step(client: TestClient, email: str) -> Json:
    client.cookies.clear()
    client.headers.pop("X-CSRF-Token", None)
    answer = client.post(SESSION, json={"email": email, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    said: Json = answer.json()
    return said


def names_problem(answer: Any) -> None:
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, ["passkey"]), answer.text


def recorded(database: Database, org_id: UUID) -> list[str]:
    with database.transaction(org_id) as connection:
        return list(connection.scalars(select(audit_event.c.action).order_by(audit_event.c.id)))


def test_the_first_passkey_becomes_the_second_factor_and_ends_all_other_sessions(
    browser: TestClient, gate: Database, database: Database, org_id: UUID, person_id: UUID, key: Authenticator
) -> None:
    elsewhere = session_of(gate, person_id)
    codes = add(browser, key)
    assert len(set(codes)) == 10
    person = browser.get(SESSION).json()["person"]
    assert (person["second_factor"], person["authenticator_app"], person["passkeys"]) == (True, False, 1)
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, elsewhere, datetime.now(UTC))
    listed = browser.get(PASSKEYS).json()
    assert listed["domain"] == "localhost"
    assert [(each["name"], each["domain"], each["used_at"]) for each in listed["passkeys"]] == [
        ("Key on my desk", "localhost", None)
    ]
    assert recorded(database, org_id)[-1] == "passkey.add"


def test_a_sign_in_needs_the_passkey_and_is_completed_by_it(
    browser: TestClient, key: Authenticator, email: str
) -> None:
    add(browser, key)
    said = first_step(browser, email)
    assert (said["signed_in"], said["second_factor_needed"], said["passkey_fits"]) == (False, True, True)
    assert COOKIE not in browser.cookies
    asked = options(browser, CHALLENGE)
    assert [each["id"] for each in asked["allowCredentials"]] == [text(key.credential_id)]
    answer = browser.post(SECOND, json={"passkey": key.sign(asked)})
    assert (answer.status_code, answer.json()["signed_in"]) == (200, True)
    assert browser.get(PASSKEYS).json()["passkeys"][0]["used_at"] is not None


def _of_another_key(key: Authenticator, asked: Json) -> Json:
    other = Authenticator(credential_id=key.credential_id)
    return other.sign(asked)


def _of_an_unknown_key(_: Authenticator, asked: Json) -> Json:
    return Authenticator().sign(asked)


def _at_another_page(key: Authenticator, asked: Json) -> Json:
    return key.sign(asked, "https://stowage.example.org")


def _for_another_domain(key: Authenticator, asked: Json) -> Json:
    return key.sign(asked | {"rpId": "example.org"})


def _of_another_challenge(key: Authenticator, asked: Json) -> Json:
    return key.sign(asked | {"challenge": text(bytes(32))})


def _of_a_copy(key: Authenticator, asked: Json) -> Json:
    key.count = -1
    return key.sign(asked)


def _with_one_bit_changed(key: Authenticator, asked: Json) -> Json:
    signed = key.sign(asked)
    data = bytearray(octets(signed["response"]["authenticatorData"]))
    data[-1] ^= 1
    signed["response"]["authenticatorData"] = text(bytes(data))
    return signed


@pytest.mark.parametrize(
    "answered",
    [
        *(_of_another_key, _of_an_unknown_key, _at_another_page, _for_another_domain, _of_another_challenge),
        *(_of_a_copy, _with_one_bit_changed),
    ],
)
def test_what_does_not_fit_is_refused_and_the_sign_in_stays_pending(
    browser: TestClient, email: str, answered: Callable[[Authenticator, Json], Json]
) -> None:
    key = Authenticator(count=5)
    add(browser, key)
    first_step(browser, email)
    names_problem(browser.post(SECOND, json={"passkey": answered(key, options(browser, CHALLENGE))}))
    assert browser.get(SESSION).json()["second_factor_needed"] is True
    key.count = 10
    assert browser.post(SECOND, json={"passkey": key.sign(options(browser, CHALLENGE))}).status_code == 200


@pytest.mark.parametrize("path", [("response",), ("rawId",), ("response", "clientDataJSON"), ("response", "signature")])
def test_what_is_no_credential_is_refused(
    browser: TestClient, gate: Database, person_id: UUID, key: Authenticator, path: tuple[str, ...]
) -> None:
    add(browser, key)
    here = passkeys.Site("http://localhost", "localhost")
    wrong: tuple[object, ...] = (None, 7, "", "?", "AAAA", [], {"a": {}})
    for instead in wrong:
        broken = deepcopy(key.sign(options(browser, CHALLENGE)))
        inner = broken
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = instead
        # Not by a request: these are counted by address.
        with pytest.raises(BadInput):
            passkeys.check(gate, person_id, broken, here, datetime.now(UTC))


def test_an_answer_works_once(browser: TestClient, key: Authenticator, email: str) -> None:
    add(browser, key)
    first_step(browser, email)
    answer = key.sign(options(browser, CHALLENGE))
    assert browser.post(SECOND, json={"passkey": answer}).status_code == 200
    first_step(browser, email)
    options(browser, CHALLENGE)
    names_problem(browser.post(SECOND, json={"passkey": answer}))


def test_a_challenge_of_one_person_cannot_be_answered_by_another(
    browser: TestClient, gate: Database, org_id: UUID, key: Authenticator, email: str
) -> None:
    add(browser, key)
    first_step(browser, email)
    asked = options(browser, CHALLENGE)
    other = new_person(gate, "Eve")
    join(gate, org_id, other, "planner")
    made = Authenticator().make(asked | {"rp": {"id": "localhost"}})
    signed_in_as(browser, gate, other)
    names_problem(browser.post(PASSKEYS, json={"name": "Mine", "passkey": made}))


def test_a_challenge_expires_and_the_latest_replaces_earlier_ones(
    browser: TestClient, gate: Database, person_id: UUID, key: Authenticator
) -> None:
    add(browser, key)
    earlier, late = options(browser, CHALLENGE), options(browser, CHALLENGE)
    names_problem(browser.post(PROOF, json={"password": PASSWORD, "passkey": key.sign(earlier)}))
    with gate.transaction(None) as connection:
        theirs = one_time_link.c.person_id == person_id
        assert len(connection.execute(select(one_time_link).where(theirs)).all()) == 1
        expired = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(one_time_link).where(theirs).values(expires_at=expired))
    names_problem(browser.post(PROOF, json={"password": PASSWORD, "passkey": key.sign(late)}))


def test_a_reauthentication_takes_a_passkey_in_place_of_a_code(
    browser: TestClient, gate: Database, key: Authenticator
) -> None:
    add(browser, key)
    [here] = browser.get("/api/v1/sessions").json()["sessions"]
    with gate.transaction(None) as connection:
        session_store.prove(connection, UUID(here["id"]), datetime.now(UTC) - timedelta(hours=1))
    assert browser.post(NEW).status_code == 403
    refused = browser.post(PROOF, json={"password": PASSWORD})
    assert (refused.status_code, [each["path"] for each in refused.json()["errors"]]) == (422, ["code"])
    given = {"password": PASSWORD, "passkey": key.sign(options(browser, CHALLENGE))}
    assert browser.post(PROOF, json=given).status_code == 204
    assert browser.post(NEW).status_code == 200


def test_app_and_passkeys_share_recovery_codes_which_go_with_the_last_of_them(
    browser: TestClient, gate: Database, database: Database, org_id: UUID, person_id: UUID, key: Authenticator
) -> None:
    assert len(add(browser, key)) == 10
    secret = browser.post(APP).json()["secret"]
    confirmed = browser.post(f"{APP}/confirmation", json={"code": pyotp.TOTP(secret).now()})
    assert (confirmed.status_code, confirmed.json()["codes"]) == (200, [])
    [row] = browser.get(PASSKEYS).json()["passkeys"]
    assert browser.delete(f"{PASSKEYS}/{row['id']}").status_code == 204
    assert browser.delete(f"{PASSKEYS}/{row['id']}").status_code == 404
    person = browser.get(SESSION).json()["person"]
    assert (person["second_factor"], person["passkeys"], person["recovery_codes"]) == (True, 0, 10)
    assert add(browser, key) == []
    assert browser.delete(APP).status_code == 204
    assert browser.get(SESSION).json()["person"]["recovery_codes"] == 10
    [row] = browser.get(PASSKEYS).json()["passkeys"]
    assert browser.delete(f"{PASSKEYS}/{row['id']}").status_code == 204
    assert browser.get(SESSION).json()["person"]["second_factor"] is False
    with gate.transaction(None) as connection:
        assert (
            connection.scalars(select(recovery_code.c.hash).where(recovery_code.c.person_id == person_id)).all() == []
        )
    assert recorded(database, org_id)[-1] == "passkey.remove"


def test_a_recovery_code_replaces_a_passkey(browser: TestClient, key: Authenticator, email: str) -> None:
    code = add(browser, key)[0]
    first_step(browser, email)
    assert browser.post(SECOND, json={"code": code}).status_code == 200
    nothing = browser.post(SECOND, json={})
    assert nothing.status_code == 401


def test_passkeys_of_others_are_neither_listed_nor_removed(
    browser: TestClient, gate: Database, org_id: UUID, key: Authenticator
) -> None:
    add(browser, key)
    [row] = browser.get(PASSKEYS).json()["passkeys"]
    other = new_person(gate, "Eve")
    join(gate, org_id, other, "owner")
    signed_in_as(browser, gate, other)
    assert browser.get(PASSKEYS).json()["passkeys"] == []
    assert browser.delete(f"{PASSKEYS}/{row['id']}").status_code == 404
    assert browser.post(CHALLENGE).status_code == 404
    known = browser.post(PASSKEYS, json={"name": "Mine", "passkey": key.make(options(browser, NEW))})
    assert known.status_code == 409


def test_an_account_has_at_most_ten_passkeys(
    browser: TestClient, gate: Database, person_id: UUID, key: Authenticator
) -> None:
    waiting = options(browser, NEW)
    now = datetime.now(UTC)
    with gate.transaction(None) as connection:
        for number in range(passkeys.MOST_PASSKEYS):
            made = store.StoredPasskey(uuid4(), f"Key {number}", "localhost", uuid4().bytes, b"", 0, now, None)
            assert store.add(connection, person_id, made)
    late = browser.post(PASSKEYS, json={"name": "Eleventh", "passkey": key.make(waiting)})
    assert (late.status_code, browser.post(NEW).status_code) == (409, 409)
    assert len(browser.get(PASSKEYS).json()["passkeys"]) == passkeys.MOST_PASSKEYS


@pytest.mark.parametrize("address", ["http://127.0.0.1", "http://[::1]", "http://stowage.example.org", "localhost"])
def test_there_are_no_passkeys_where_browsers_make_none(address: str) -> None:
    assert passkeys.site_at(address) is None


def test_the_operator_removes_lost_passkeys(
    browser: TestClient, gate: Database, key: Authenticator, email: str
) -> None:
    add(browser, key)
    assert operators.reset_second_factor(gate, email) == "Ada"
    assert first_step(browser, email)["signed_in"] is True
