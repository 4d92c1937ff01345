"""Password resets by a one-time link: recipients, effects, and that a request reveals nothing."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from mail_server import Mailbox
from people import COOKIE, join, new_member, new_person, session_of, signed_in_as, token_of
from stowage.features.teams import operators
from stowage.features.teams.sign_in import accounts, sessions, signing_in
from stowage.features.teams.sign_in.store import people
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import NotFound, SignInNeeded
from stowage.web.services import Services

RESET = "/api/v1/account/reset"
SET = "/api/v1/account/reset/password"
SESSION = "/api/v1/session"
VERIFY = "/api/v1/account/email/link"
VERIFIED = "/api/v1/account/email/verified"
NEW = "seventeen blue kettles hum"


@pytest.fixture
def letters() -> Mailbox:
    return Mailbox()


@pytest.fixture
def browser(app: FastAPI, services: Services, letters: Mailbox) -> TestClient:
    app.state.services = replace(services, mail=letters, public_url="https://stowage.example.org")
    # Each test from an address of its own: requests are counted by address.
    place = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"
    return TestClient(app, base_url="http://localhost", client=(place, 1), raise_server_exceptions=False)


def a_person(gate: Database, org_id: UUID) -> tuple[UUID, str]:
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "viewer")
    with gate.transaction(None) as connection:
        assert people.verify_email(connection, person_id, email)
    return person_id, email


def test_a_link_sets_a_password_once_and_ends_all_that_let_in_before(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID, database: Database
) -> None:
    person_id, email = a_person(gate, org_id)
    now = datetime.now(UTC)
    elsewhere = session_of(gate, person_id)
    link = signing_in.make_sign_in_link(gate, person_id, now, timedelta(hours=1))
    with gate.transaction(None) as connection:
        # An identity of an attacker who had the account before its owner, and would keep access.
        people.identify(connection, person_id, "https://provider.example", subject := uuid4().hex)
    assert browser.post(RESET, json={"email": f" {email.upper()}"}).status_code == 202
    first = letters.secret("reset")
    assert browser.post(RESET, json={"email": email}).status_code == 202
    second = letters.secret("reset")
    # A weak password does not use up the link, and another request does not void it.
    weak = browser.post(SET, json={"secret": first, "password": "password1234"})
    assert (weak.status_code, weak.json()["errors"][0]["path"]) == (422, "password")
    answer = browser.post(SET, json={"secret": first, "password": NEW})
    assert answer.status_code == 200
    assert answer.json()["person"]["person_id"] == str(person_id)
    assert browser.get(SESSION).json()["signed_in"]
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, elsewhere, now)
    with gate.transaction(None) as connection:
        assert people.identified(connection, "https://provider.example", subject) is None
    browser.cookies.delete(COOKIE)
    for spent in (first, second):
        again = browser.post(SET, json={"secret": spent, "password": NEW})
        assert (again.status_code, again.json()["detail"]) == (404, signing_in.SPENT)
    assert browser.post(f"{SESSION}/link", json={"secret": link}).status_code == 401
    assert browser.post(SESSION, json={"email": email, "password": NEW}).status_code == 200
    with database.transaction(org_id) as connection:
        assert "password.reset" in connection.scalars(select(audit_event.c.action)).all()


def test_a_link_is_good_for_an_hour_and_for_nothing_else(browser: TestClient, gate: Database, org_id: UUID) -> None:
    person_id, _ = a_person(gate, org_id)
    secret, expires_at = accounts.make_reset_link(gate, person_id, datetime.now(UTC) - accounts.RESET_LASTS)
    assert expires_at <= datetime.now(UTC)
    assert browser.post(SET, json={"secret": secret, "password": NEW}).status_code == 404
    older, _ = accounts.make_reset_link(gate, person_id, datetime.now(UTC))
    secret, _ = accounts.make_reset_link(gate, person_id, datetime.now(UTC))
    assert browser.post(SET, json={"secret": older, "password": NEW}).status_code == 404
    assert browser.post(f"{SESSION}/link", json={"secret": secret}).status_code == 401
    signs_in = signing_in.make_sign_in_link(gate, person_id, datetime.now(UTC), timedelta(hours=1))
    assert browser.post(SET, json={"secret": signs_in, "password": NEW}).status_code == 404
    assert browser.post(SET, json={"secret": secret, "password": NEW}).status_code == 200


def test_a_link_that_an_owner_was_shown_is_void_once_its_person_is_in_another_team(
    browser: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    """Otherwise the owner of one team could take over an account of another team."""
    person_id, _ = a_person(gate, org_id)
    now = datetime.now(UTC)
    owner = new_member(gate, org_id, "owner")
    shown, _ = accounts.make_reset_link(gate, person_id, now, shown_in=org_id, shown_to=owner)
    with gate.transaction(other_org_id) as connection:
        connection.exec_driver_sql(
            "INSERT INTO membership (person_id, role) VALUES (%s, 'viewer')",
            (person_id,),
        )
    answer = browser.post(SET, json={"secret": shown, "password": NEW})
    assert (answer.status_code, answer.json()["detail"]) == (404, signing_in.SPENT)
    # It is not valid again after the person has left that team.
    with gate.transaction(other_org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (person_id,))
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 404
    mailed, _ = accounts.make_reset_link(gate, person_id, now)
    assert browser.post(SET, json={"secret": mailed, "password": NEW}).status_code == 200
    alone, _ = a_person(gate, org_id)
    shown, _ = accounts.make_reset_link(gate, alone, now, shown_in=org_id)
    # A link that was shown to no particular owner is refused: no owner is responsible for it.
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 404
    shown, _ = accounts.make_reset_link(gate, alone, now, shown_in=org_id, shown_to=owner)
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 200


def test_a_link_is_void_once_whom_it_was_shown_to_is_no_owner_any_more(
    browser: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id, _ = a_person(gate, org_id)
    now, owner = datetime.now(UTC), new_member(gate, org_id, "owner")
    shown, _ = accounts.make_reset_link(gate, person_id, now, shown_in=org_id, shown_to=owner)
    with gate.transaction(org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (owner,))
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 404
    join(gate, org_id, owner, "planner")
    shown, _ = accounts.make_reset_link(gate, person_id, now, shown_in=org_id, shown_to=owner)
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 404
    another = new_member(gate, org_id, "owner")
    shown, _ = accounts.make_reset_link(gate, person_id, now, shown_in=org_id, shown_to=another)
    assert browser.post(SET, json={"secret": shown, "password": NEW}).status_code == 200


def test_tokens_of_an_account_that_was_lost_are_revoked(
    browser: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id, _ = a_person(gate, org_id)
    join(gate, other_org_id, person_id, "viewer")
    other = new_member(gate, org_id, "viewer")
    theirs = token_of(gate, org_id, ["read"], person_id=other)
    lost = [token_of(gate, each, ["read"], person_id=person_id) for each in (org_id, other_org_id)]
    secret, _ = accounts.make_reset_link(gate, person_id, datetime.now(UTC))
    assert browser.post(SET, json={"secret": secret, "password": NEW}).status_code == 200
    statuses = [
        browser.get("/api/v1/me", headers={"Authorization": f"Bearer {each}"}).status_code for each in (*lost, theirs)
    ]
    assert statuses == [401, 401, 200]


def test_asking_stops_no_mail_of_owners(browser: TestClient, gate: Database) -> None:
    email = f"{uuid4().hex}@example.org"
    for _ in range(throttling.ASKED.free):
        assert browser.post(RESET, json={"email": email}).status_code == 202
    assert browser.post(RESET, json={"email": email}).status_code == 429
    throttling.count(gate, [throttling.MAIL.key(email)], datetime.now(UTC))


def test_asking_does_not_reveal_who_has_an_account(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID
) -> None:
    _, email = a_person(gate, org_id)
    known, unknown = email, f"{uuid4().hex}@example.org"
    answers = {each: [browser.post(RESET, json={"email": each}) for _ in range(4)] for each in (known, unknown)}
    for one, other in zip(answers[known], answers[unknown], strict=True):
        assert (one.status_code, set(one.headers)) == (other.status_code, set(other.headers))
        # The number of remaining seconds depends on the time of the request.
        assert re.sub(r"\d+ s", "", one.text) == re.sub(r"\d+ s", "", other.text)
    assert [each.status_code for each in answers[known]] == [202] * (throttling.MAIL.free) + [429]
    assert [mail.to for mail in letters.sent] == [known] * throttling.MAIL.free


@pytest.mark.parametrize("email", ["", "@", "a\x00b@example.org", "unknown", "a@b\r\nBcc: c@d"])
def test_what_is_no_address_is_answered_like_one(
    browser: TestClient, letters: Mailbox, gate: Database, email: str
) -> None:
    # Other tests send texts like these too, and are counted under the same key.
    throttling.forgive(gate, [throttling.ASKED.key(signing_in.plain_email(email))] * throttling.MAIL.free)
    assert browser.post(RESET, json={"email": email}).status_code == 202
    assert letters.sent == []


def test_without_mail_nothing_is_sent_and_the_answer_is_the_same(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id, email = a_person(gate, org_id)
    assert anonymous.post(RESET, json={"email": email}).status_code == 202
    with gate.transaction(None) as connection:
        links = connection.exec_driver_sql("SELECT count(*) FROM one_time_link WHERE person_id = %s", (person_id,))
        assert links.scalar_one() == 0


def test_a_reset_link_does_not_verify_an_address_set_since(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID
) -> None:
    person_id, email = a_person(gate, org_id)
    assert browser.post(RESET, json={"email": email}).status_code == 202
    with gate.transaction(None) as connection:
        assert people.change(connection, person_id, email=f"{uuid4().hex}@example.org")
    # The link was mailed to the previous address and proves nothing about the current one.
    said = browser.post(SET, json={"secret": letters.secret("reset"), "password": NEW})
    assert (said.status_code, said.json()["person"]["email_verified"]) == (200, False)


def test_no_reset_link_is_mailed_to_an_unverified_address(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID
) -> None:
    """A mistyped address would give the account to the owner of that address."""
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "viewer")
    assert browser.post(RESET, json={"email": email}).status_code == 202
    assert letters.sent == []
    owner = signed_in_as(browser, gate, new_member(gate, org_id, "owner"))
    shown = owner.post(f"/api/v1/team/members/{person_id}/reset").json()
    assert (shown["sent"], letters.sent) == (False, [])


def test_a_mailed_link_verifies_an_address_once(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID, database: Database
) -> None:
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "viewer")
    mine = signed_in_as(browser, gate, person_id)
    assert mine.get(SESSION).json()["person"]["email_verified"] is False
    assert mine.post(VERIFY).status_code == 202
    assert letters.only().to == email
    secret = letters.secret("verify")
    # The link is opened in a browser without the session.
    browser.cookies.clear()
    assert browser.post(VERIFIED, json={"secret": secret}).status_code == 204
    assert browser.post(VERIFIED, json={"secret": secret}).status_code == 404
    mine = signed_in_as(browser, gate, person_id)
    assert mine.get(SESSION).json()["person"]["email_verified"] is True
    # A verified address gets no further link.
    assert mine.post(VERIFY).status_code == 202
    assert len(letters.sent) == 1
    with database.transaction(org_id) as connection:
        assert "account.verify" in connection.scalars(select(audit_event.c.action)).all()


def test_a_link_verifies_only_the_address_to_which_it_was_mailed(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID
) -> None:
    person_id = new_person(gate, "Ada", f"{uuid4().hex}@example.org")
    join(gate, org_id, person_id, "viewer")
    mine = signed_in_as(browser, gate, person_id)
    assert mine.post(VERIFY).status_code == 202
    secret = letters.secret("verify")
    with gate.transaction(None) as connection:
        people.change(connection, person_id, email=f"{uuid4().hex}@example.org")
    assert browser.post(VERIFIED, json={"secret": secret}).status_code == 404
    assert mine.get(SESSION).json()["person"]["email_verified"] is False


def test_requests_for_verification_links_are_rate_limited(
    browser: TestClient, letters: Mailbox, gate: Database, org_id: UUID
) -> None:
    person_id = new_person(gate, "Ada", f"{uuid4().hex}@example.org")
    join(gate, org_id, person_id, "viewer")
    mine = signed_in_as(browser, gate, person_id)
    answers = [mine.post(VERIFY).status_code for _ in range(throttling.MAIL.free + 1)]
    assert answers == [202] * throttling.MAIL.free + [429]
    assert len(letters.sent) == throttling.MAIL.free


def test_without_mail_the_operator_verifies_an_address(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "viewer")
    mine = signed_in_as(anonymous, gate, person_id)
    answer = mine.post(VERIFY)
    assert (answer.status_code, "stowage verify-email" in answer.json()["detail"]) == (409, True)
    assert operators.verify_email(gate, f" {email.upper()}") == "Ada"
    assert mine.get(SESSION).json()["person"]["email_verified"] is True
    with pytest.raises(NotFound):
        operators.verify_email(gate, "unknown@example.org")
