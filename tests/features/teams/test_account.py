"""A person's own account: changes, the proof that they require, and the sessions that they end."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from mail_server import Mailbox
from people import COOKIE, new_member, new_person, new_planner, session_of, signed_in_as
from stowage.api.app import create_app
from stowage.features.teams.sign_in import accounts, passwords, sessions, signing_in
from stowage.features.teams.sign_in.schemas import CredentialsChange
from stowage.features.teams.sign_in.store import people, team
from stowage.features.teams.sign_in.store import sessions as store
from stowage.features.teams.sign_in.tables import password
from stowage.platform import throttling
from stowage.platform.access import PROOF_LASTS
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import SignInNeeded
from stowage.platform.secrets import digest, new_secret
from stowage.web.admission import CSRF
from stowage.web.services import Services

ACCOUNT = "/api/v1/account"
CREDENTIALS = "/api/v1/account/credentials"
PROOF = "/api/v1/session/proof"
SESSION = "/api/v1/session"
OLD = "marmot ladder quiet 71"
NEW = "seventeen blue kettles hum"


@pytest.fixture
def person_id(gate: Database, org_id: UUID) -> UUID:
    """Return a member with an e-mail and a password."""
    return new_planner(gate, org_id, f"{uuid4().hex}@example.org", OLD, verified=False)


@pytest.fixture
def browser(anonymous: TestClient, gate: Database, person_id: UUID) -> TestClient:
    return signed_in_as(anonymous, gate, person_id)


def fields(answer: dict[str, object]) -> list[str]:
    errors = answer["errors"]
    assert isinstance(errors, list)
    return [each["path"] for each in errors]


def test_a_name_changes_on_the_word_of_the_session(browser: TestClient, database: Database, org_id: UUID) -> None:
    said = browser.patch(ACCOUNT, json={"name": "Ada L."}).json()
    assert (said["name"], said["has_password"]) == ("Ada L.", True)
    assert browser.get(SESSION).json()["person"] == said
    with database.transaction(org_id) as connection:
        [changes] = connection.scalars(select(audit_event.c.changes).where(audit_event.c.action == "account.change"))
    assert changes == {"name": ["Ada", "Ada L."]}
    # A change to the same values changes and records nothing.
    assert browser.patch(ACCOUNT, json={"name": "Ada L."}).json() == said


def proved_before(gate: Database, client: TestClient, ago: timedelta) -> None:
    """Move the last authentication of a browser's session into the past."""
    [here] = client.get("/api/v1/sessions").json()["sessions"]
    with gate.transaction(None) as connection:
        store.prove(connection, UUID(here["id"]), datetime.now(UTC) - ago)


def test_an_old_session_cannot_change_credentials(
    anonymous: TestClient, gate: Database, org_id: UUID, person_id: UUID
) -> None:
    """Otherwise a stolen session could take over the account by setting a password."""
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    without_password = new_member(gate, org_id)
    for whose in (without_password, person_id):
        secret = session_of(gate, whose, hour_ago)
        anonymous.cookies.clear()
        anonymous.cookies.set(COOKIE, secret)
        anonymous.headers[CSRF] = str(sessions.authenticate(gate, secret, datetime.now(UTC)).csrf)
        mine = {"email": f"{uuid4().hex}@example.org", "password": NEW}
        for path in (ACCOUNT, CREDENTIALS):
            anonymous.patch(path, json=mine)
        answer = anonymous.patch(CREDENTIALS, json=mine)
        anonymous.cookies.clear()
        assert anonymous.post(SESSION, json=mine).status_code == 401
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:stowage:problem:proof-needed")


def test_accepting_an_invitation_is_no_reauthentication(
    browser: TestClient, gate: Database, database: Database, other_org_id: UUID
) -> None:
    """An attacker could invite a stolen session's person to a team of their own, which starts a new session."""
    person = browser.get(SESSION).json()["person"]
    proved_before(gate, browser, PROOF_LASTS)
    with gate.transaction(None) as connection:
        people.verify_email(connection, UUID(person["person_id"]), person["email"])
    now, secret = datetime.now(UTC), new_secret()
    new = team.Invitation(uuid4(), person["email"], "viewer", "Eve", now, now + timedelta(days=1))
    with database.transaction(other_org_id) as connection:
        team.add_invitation(connection, new, digest(secret))
    said = browser.post("/api/v1/invitations/accept", json={"secret": secret})
    assert said.status_code == 200, said.text
    browser.headers[CSRF] = said.json()["csrf"]
    answer = browser.patch(CREDENTIALS, json={"password": NEW})
    assert (answer.status_code, answer.json()["title"]) == (403, "Proof needed")


def test_entering_the_password_reauthenticates_for_some_minutes(
    browser: TestClient, gate: Database, database: Database, org_id: UUID
) -> None:
    before = browser.get(SESSION).json()["person"]
    assert before["proofs"] == ["password"]
    proved_before(gate, browser, PROOF_LASTS)
    change = {"email": f"{uuid4().hex}@example.org"}
    assert browser.patch(CREDENTIALS, json=change).status_code == 403
    answer = browser.post(PROOF, json={"password": "wrong"})
    assert (answer.status_code, fields(answer.json())) == (422, ["password"])
    assert browser.patch(CREDENTIALS, json=change).status_code == 403
    assert browser.get(SESSION).json()["person"] == before
    assert browser.post(PROOF, json={"password": OLD}).status_code == 204
    assert browser.patch(CREDENTIALS, json=change).status_code == 200
    # Setting the same e-mail is no change.
    assert browser.patch(CREDENTIALS, json={"email": change["email"].upper()}).json()["email"] == change["email"]
    with database.transaction(org_id) as connection:
        actions = connection.scalars(select(audit_event.c.action)).all()
    assert actions.count("session.prove") == 1


def test_an_account_without_a_password_cannot_reauthenticate_by_one(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    browser = signed_in_as(anonymous, gate, new_member(gate, org_id))
    assert browser.get(SESSION).json()["person"]["proofs"] == []
    assert browser.post(PROOF, json={"password": NEW}).status_code == 422


def test_guesses_at_reauthentication_and_sign_in_share_a_rate_limit(browser: TestClient) -> None:
    email = browser.get(SESSION).json()["person"]["email"]
    answers = [browser.post(PROOF, json={"password": "wrong"}).status_code for _ in range(throttling.ACCOUNT.free + 1)]
    assert answers == [422] * throttling.ACCOUNT.free + [429]
    assert browser.post(SESSION, json={"email": email, "password": OLD}).status_code == 429


def test_a_new_password_signs_out_everywhere_else_and_voids_links(
    browser: TestClient, gate: Database, person_id: UUID, database: Database, org_id: UUID
) -> None:
    now = datetime.now(UTC)
    elsewhere = session_of(gate, person_id)
    link = signing_in.make_sign_in_link(gate, person_id, now, timedelta(hours=1))
    with gate.transaction(None) as connection:
        # An attacker with the old password may have connected an account.
        people.identify(connection, person_id, "https://provider.example", subject := uuid4().hex)
    email = browser.get(SESSION).json()["person"]["email"]
    answer = browser.patch(CREDENTIALS, json={"password": NEW})
    assert answer.status_code == 200
    assert browser.get(SESSION).json()["signed_in"]
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, elsewhere, now)
    browser.cookies.clear()
    assert browser.post(f"{SESSION}/link", json={"secret": link}).status_code == 401
    assert browser.post(SESSION, json={"email": email, "password": OLD}).status_code == 401
    assert browser.post(SESSION, json={"email": email, "password": NEW}).status_code == 200
    with gate.transaction(None) as connection:
        stored = people.password_of(connection, person_id)
        assert people.identified(connection, "https://provider.example", subject) is None
    assert stored is not None
    assert stored.startswith("$argon2id$")
    with database.transaction(org_id) as connection:
        rows = connection.execute(select(audit_event)).all()
    assert "password.change" in {row.action for row in rows}
    assert not any(secret in str(rows) for secret in (OLD, NEW, stored))


@pytest.mark.parametrize(
    "weak", ["short", "passwordpassword", "123456789012", "qwertyuiop12", "Stowage Stowage", "ada ada ada ada"]
)
def test_a_weak_password_is_refused_and_never_repeated(browser: TestClient, weak: str) -> None:
    answer = browser.patch(CREDENTIALS, json={"password": weak})
    assert (answer.status_code, fields(answer.json())) == (422, ["password"])
    assert weak not in answer.text


def test_an_e_mail_of_another_person_cannot_be_used(browser: TestClient, gate: Database) -> None:
    theirs = f"{uuid4().hex}@example.org"
    new_person(gate, "Eve", theirs)
    before = browser.get(SESSION).json()["person"]
    answer = browser.patch(CREDENTIALS, json={"email": theirs.upper(), "password": NEW})
    assert (answer.status_code, fields(answer.json())) == (422, ["email"])
    # The request changed nothing.
    assert browser.get(SESSION).json()["person"] == before
    browser.cookies.clear()
    assert browser.post(SESSION, json={"email": before["email"], "password": OLD}).status_code == 200


def test_checks_for_existing_e_mails_are_limited(browser: TestClient, gate: Database) -> None:
    new_person(gate, "Eve", theirs := f"{uuid4().hex}@example.org")
    asked = [theirs, *(f"{uuid4().hex}@example.org" for _ in range(throttling.CHANGES.free))]
    answers = [browser.patch(CREDENTIALS, json={"email": each}).status_code for each in asked]
    assert answers[:2] == [422, 200]
    assert answers[-1] == 429


def test_the_address_that_an_account_had_is_told_of_the_new_one(
    services: Services, gate: Database, person_id: UUID
) -> None:
    mailbox = Mailbox()
    app = create_app(replace(services, mail=mailbox, public_url="https://stowage.example.org"), None)
    with TestClient(app, base_url="http://localhost") as client:
        browser = signed_in_as(client, gate, person_id)
        before, after = browser.get(SESSION).json()["person"]["email"], f"{uuid4().hex}@example.org"
        assert browser.patch(ACCOUNT, json={"name": "Ada L."}).status_code == 200
        assert mailbox.sent == []
        assert browser.patch(CREDENTIALS, json={"email": after}).status_code == 200
    [told, asked] = mailbox.sent
    assert told.to == before
    assert after in told.text
    # The new address gets a verification mail.
    assert asked.to == after
    assert "/verify#" in asked.text


def test_a_person_who_came_by_a_link_sets_e_mail_and_password_once_without_any(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    browser = signed_in_as(anonymous, gate, new_member(gate, org_id))
    answer = browser.patch(CREDENTIALS, json={"password": NEW})
    assert (answer.status_code, fields(answer.json())) == (422, ["email"])
    email = f"{uuid4().hex}@example.org"
    said = browser.patch(CREDENTIALS, json={"email": email, "password": NEW}).json()
    assert (said["email"], said["has_password"]) == (email, True)
    browser.cookies.delete(COOKIE)
    assert browser.post(SESSION, json={"email": email, "password": NEW}).status_code == 200


def test_a_password_hashed_in_an_older_way_is_rehashed_when_it_is_used(
    anonymous: TestClient, gate: Database, person_id: UUID
) -> None:
    older = "$argon2id$v=19$m=8,t=1,p=1$VgQ63Y3kmRO/+4tnEZq1wg$hRcKt/xLIutv1Gwbg6AGcKeMKT8WPP270cwNhQYQ4wA"
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
        people.set_password(connection, person_id, older, datetime.now(UTC))
    assert person is not None
    assert passwords.is_outdated(older)
    assert anonymous.post(SESSION, json={"email": person.email, "password": OLD}).status_code == 200
    with gate.transaction(None) as connection:
        stored = connection.scalar(select(password.c.hash).where(password.c.person_id == person_id))
    assert stored is not None
    assert not passwords.is_outdated(stored)
    assert passwords.verify(stored, OLD)


def test_a_person_who_is_gone_changes_nothing(gate: Database, person_id: UUID) -> None:
    now = datetime.now(UTC)
    principal = sessions.authenticate(gate, session_of(gate, person_id), now)
    with gate.transaction(None) as connection:
        connection.exec_driver_sql("DELETE FROM person WHERE person_id = %s", (person_id,))
    with pytest.raises(SignInNeeded):
        accounts.rename(gate, principal, "Ghost", now)
    with pytest.raises(SignInNeeded):
        accounts.change_credentials(gate, principal, CredentialsChange(email="ghost@example.org"), now, mail=False)
