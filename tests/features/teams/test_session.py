"""Sign-in and sign-out: the browser's cookies, and the session that the API describes."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from people import COOKIE, join, new_member, new_person, session_of, signed_in, signed_in_as, token_of
from stowage.api.app import create_app
from stowage.features.teams.sign_in import passwords, sessions, signing_in
from stowage.features.teams.sign_in.store import people
from stowage.features.teams.sign_in.store import sessions as session_store
from stowage.platform.access import DENIED, GRANTS
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import SignInNeeded
from stowage.web.admission import CSRF
from stowage.web.services import Services

SESSION = "/api/v1/session"
LINK = "/api/v1/session/link"
SESSIONS = "/api/v1/sessions"
PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test
SIGNED_OUT: dict[str, object] = {
    "signed_in": False,
    "person": None,
    "team": None,
    "teams": [],
    "permissions": [],
    "csrf": None,
    "provider": None,
    "mail": False,
    "passwords": True,
    "second_factor_needed": False,
    "passkey_fits": False,
}


@pytest.fixture(scope="session")
def hashed() -> str:
    return passwords.hash_password(PASSWORD)


def with_password(gate: Database, hashed: str, org_id: UUID, name: str = "Ada") -> str:
    """Create a person with an e-mail and the password, and return the e-mail."""
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, name, email)
    join(gate, org_id, person_id, "planner")
    with gate.transaction(None) as connection:
        people.set_password(connection, person_id, hashed, datetime.now(UTC))
    return email


def recorded(database: Database, org_id: UUID) -> list[str]:
    with database.transaction(org_id) as connection:
        return list(connection.scalars(select(audit_event.c.action).order_by(audit_event.c.id)))


def test_a_signed_out_session_is_an_answer(anonymous: TestClient) -> None:
    assert anonymous.get(SESSION).json() == SIGNED_OUT
    assert anonymous.get(SESSION, headers={"Authorization": "Bearer stw_unknown"}).json() == SIGNED_OUT
    anonymous.cookies.set(COOKIE, "made-up")
    answer = anonymous.get(SESSION)
    assert answer.json() == SIGNED_OUT
    assert "set-cookie" not in answer.headers


def test_signing_in_by_password_gives_a_cookie_that_scripts_and_other_pages_cannot_use(
    anonymous: TestClient, gate: Database, org_id: UUID, hashed: str
) -> None:
    email = with_password(gate, hashed, org_id)
    answer = anonymous.post(SESSION, json={"email": f" {email.upper()} ", "password": PASSWORD})
    assert answer.status_code == 200
    said = answer.json()
    assert said["person"] | {"person_id": ""} == {
        "person_id": "",
        "name": "Ada",
        "email": email,
        "email_verified": False,
        "has_password": True,
        "proofs": ["password"],
        "second_factor": False,
        "recovery_codes": 0,
        "identified": False,
        "authenticator_app": False,
        "passkeys": 0,
    }
    assert said["team"]["role"] == "planner"
    assert said["permissions"] == sorted(GRANTS["planner"])
    [cookie] = answer.headers.get_list("set-cookie")
    name, _, rest = cookie.partition("=")
    assert name == COOKIE
    assert {part.strip().lower() for part in rest.split(";")[1:]} == {
        "httponly",
        "samesite=strict",
        "path=/",
        f"max-age={12 * 3600}",
    }
    assert anonymous.get(SESSION).json() == said
    assert anonymous.delete(SESSION, headers={CSRF: said["csrf"]}).status_code == 204


def test_behind_tls_the_cookie_is_bound_to_the_host_and_to_tls(
    services: Services, gate: Database, org_id: UUID, hashed: str
) -> None:
    email = with_password(gate, hashed, org_id)
    app = create_app(services, None, ["stowage.example.org"])
    with TestClient(app, base_url="https://stowage.example.org") as client:
        answer = client.post(SESSION, json={"email": email, "password": PASSWORD})
        [cookie] = answer.headers.get_list("set-cookie")
        assert cookie.startswith("__Host-stowage=")
        attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert attributes >= {"secure", "httponly", "samesite=strict", "path=/"}
        assert not any(part.startswith("domain") for part in attributes)
        assert client.get(SESSION).json()["signed_in"]


def test_over_an_unencrypted_connection_sign_in_fails_and_no_link_is_used_up(
    services: Services, gate: Database, org_id: UUID, hashed: str
) -> None:
    email, now = with_password(gate, hashed, org_id), datetime.now(UTC)
    secret = signing_in.make_sign_in_link(gate, new_member(gate, org_id), now, timedelta(hours=1))
    app = create_app(services, None, ["stowage.example.org", "localhost"])
    with TestClient(app, base_url="http://stowage.example.org") as client:
        for answer in (
            client.post(SESSION, json={"email": email, "password": PASSWORD}),
            client.post(LINK, json={"secret": secret}),
        ):
            assert (answer.status_code, answer.json()["title"]) == (403, "Refused")
            assert "set-cookie" not in answer.headers
    with TestClient(app, base_url="http://localhost") as client:
        assert client.post(LINK, json={"secret": secret}).status_code == 200


def test_a_link_signs_in_once(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    person_id = new_member(gate, org_id)
    secret = signing_in.make_sign_in_link(gate, person_id, datetime.now(UTC), timedelta(hours=1))
    said = anonymous.post(LINK, json={"secret": secret}).json()
    assert said["person"]["person_id"] == str(person_id)
    assert not said["person"]["has_password"]
    anonymous.cookies.clear()
    answer = anonymous.post(LINK, json={"secret": secret})
    assert (answer.status_code, answer.json()["detail"]) == (401, signing_in.SPENT)


def test_a_link_that_has_expired_or_was_replaced_does_not_sign_in(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id, now = new_member(gate, org_id), datetime.now(UTC)
    expired = signing_in.make_sign_in_link(gate, person_id, now - timedelta(hours=2), timedelta(hours=1))
    assert anonymous.post(LINK, json={"secret": expired}).status_code == 401
    first = signing_in.make_sign_in_link(gate, person_id, now, timedelta(hours=1))
    second = signing_in.make_sign_in_link(gate, person_id, now, timedelta(hours=1))
    assert anonymous.post(LINK, json={"secret": first}).status_code == 401
    assert anonymous.post(LINK, json={"secret": second}).status_code == 200


def test_the_secret_is_renewed_each_hour_and_the_one_before_is_good_for_a_minute(gate: Database, org_id: UUID) -> None:
    begun = datetime.now(UTC)
    first = session_of(gate, new_member(gate, org_id), begun)
    asked = sessions.authenticate(gate, first, begun)
    assert sessions.renew(gate, asked, first, begun + timedelta(minutes=59)) is None
    later = begun + sessions.RENEWED_EVERY
    renewed = sessions.renew(gate, asked, first, later)
    assert renewed is not None
    assert renewed.lasts_s == (sessions.LASTS - sessions.RENEWED_EVERY).total_seconds()
    # Of concurrent requests, one renews it.
    assert sessions.renew(gate, asked, first, later) is None
    for secret in (first, renewed.secret):
        again = sessions.authenticate(gate, secret, later + timedelta(seconds=59))
        assert (again.session_id, again.csrf) == (asked.session_id, asked.csrf)
    sessions.authenticate(gate, renewed.secret, later + sessions.GRACE)
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, first, later + sessions.GRACE)


def test_asking_who_is_signed_in_renews_the_cookie(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    old = session_of(gate, new_member(gate, org_id), datetime.now(UTC) - timedelta(hours=2))
    anonymous.cookies.set(COOKIE, old)
    answer = anonymous.get(SESSION)
    [cookie] = answer.headers.get_list("set-cookie")
    assert cookie.startswith(f"{COOKIE}=")
    assert old not in cookie
    assert "set-cookie" not in anonymous.get("/api/v1/plans").headers


def test_signing_out_ends_only_the_session_of_that_browser(
    anonymous: TestClient, client: TestClient, gate: Database, org_id: UUID, database: Database
) -> None:
    person_id = new_member(gate, org_id)
    elsewhere = session_of(gate, person_id)
    browser = signed_in_as(anonymous, gate, person_id)
    here = browser.cookies[COOKIE]
    answer = browser.delete(SESSION)
    assert answer.status_code == 204
    assert f'{COOKIE}=""' in answer.headers["set-cookie"]
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, here, datetime.now(UTC))
    assert sessions.authenticate(gate, elsewhere, datetime.now(UTC)).person_id == person_id
    assert client.get(SESSION).json()["signed_in"]
    assert recorded(database, org_id)[-1] == "session.end"


def test_signing_out_everywhere_ends_all_sessions_and_voids_links(
    anonymous: TestClient, gate: Database, org_id: UUID, database: Database
) -> None:
    person_id, now = new_member(gate, org_id), datetime.now(UTC)
    elsewhere, link = (
        session_of(gate, person_id),
        signing_in.make_sign_in_link(gate, person_id, now, timedelta(hours=1)),
    )
    browser = signed_in_as(anonymous, gate, person_id)
    here = browser.cookies[COOKIE]
    assert browser.delete(SESSIONS).status_code == 204
    for secret in (here, elsewhere):
        with pytest.raises(SignInNeeded):
            sessions.authenticate(gate, secret, now)
    assert browser.post(LINK, json={"secret": link}).status_code == 401
    assert recorded(database, org_id)[-1] == "session.everywhere"


def test_one_sees_where_one_is_signed_in_and_ends_what_one_does_not_know(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    elsewhere = session_of(gate, person_id)
    over = session_of(gate, person_id, datetime.now(UTC) - sessions.IDLE)
    browser = signed_in_as(anonymous, gate, person_id)
    listed = browser.get(SESSIONS).json()["sessions"]
    assert [each["is_this"] for each in listed] == [True, False]
    assert "secret" not in str(listed)
    [other] = [each["id"] for each in listed if not each["is_this"]]
    # Another member of the same team cannot.
    foreign, unknown = client.delete(f"{SESSIONS}/{other}"), client.delete(f"{SESSIONS}/{uuid4()}")
    assert (foreign.status_code, foreign.json()) == (404, unknown.json())
    assert foreign.json()["detail"] == DENIED
    assert browser.delete(f"{SESSIONS}/{other}").status_code == 204
    for secret in (elsewhere, over):
        with pytest.raises(SignInNeeded):
            sessions.authenticate(gate, secret, datetime.now(UTC))


def test_the_list_of_sessions_counts_as_a_use_of_its_own(client: TestClient, gate: Database, org_id: UUID) -> None:
    signed_in_as(client, gate, new_member(gate, org_id))
    [before] = client.get(SESSIONS).json()["sessions"]
    unused = datetime.now(UTC) - timedelta(hours=3)
    with gate.transaction(None) as connection:
        session_store.saw(connection, UUID(before["id"]), unused)
    [after] = client.get(SESSIONS).json()["sessions"]
    assert datetime.fromisoformat(after["seen_at"]) > unused + timedelta(hours=2)
    assert after["ends_at"] == before["ends_at"]


def test_a_session_looks_at_one_team_and_only_at_teams_of_its_person(
    anonymous: TestClient, gate: Database, org_id: UUID, other_org_id: UUID, database: Database
) -> None:
    person_id = new_member(gate, org_id, "owner")
    client = signed_in_as(anonymous, gate, person_id)
    denied = client.put(f"{SESSION}/team", json={"org_id": str(other_org_id)})
    assert denied.status_code == 404
    assert denied.json() == client.put(f"{SESSION}/team", json={"org_id": str(uuid4())}).json()
    join(gate, other_org_id, person_id, "viewer")
    said = client.put(f"{SESSION}/team", json={"org_id": str(other_org_id)}).json()
    assert (said["team"]["org_id"], said["team"]["role"]) == (str(other_org_id), "viewer")
    assert said["permissions"] == sorted(GRANTS["viewer"])
    assert said == client.get(SESSION).json()
    assert {each["org_id"] for each in said["teams"]} == {str(org_id), str(other_org_id)}
    # A new sign-in opens the team that was viewed last.
    assert signed_in_as(client, gate, person_id).get(SESSION).json()["team"]["org_id"] == str(other_org_id)
    # After removal from it, another team is opened.
    with database.transaction(other_org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (person_id,))
    assert client.get("/api/v1/plans").status_code == 404
    assert client.get(SESSION).json()["team"]["org_id"] == str(org_id)
    assert client.get("/api/v1/plans").status_code == 200


def test_a_person_without_a_team_is_told_so(anonymous: TestClient, gate: Database) -> None:
    said = signed_in_as(anonymous, gate, new_person(gate)).get(SESSION).json()
    assert (said["signed_in"], said["team"], said["teams"], said["permissions"]) == (True, None, [], [])


def test_a_token_is_told_who_it_is_of_and_nothing_of_other_teams(
    anonymous: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    join(gate, other_org_id, person_id, "owner")
    headers = {"Authorization": f"Bearer {token_of(gate, org_id, ['read'], person_id=person_id)}"}
    for address in (SESSION, "/api/v1/me"):
        said = anonymous.get(address, headers=headers).json()
        assert said["person"]["person_id"] == str(person_id)
        assert [each["org_id"] for each in said["teams"]] == [str(org_id)]
        assert said["permissions"] == [
            "catalog.read",
            "measurements.read",
            "plans.read",
            "reports.read",
            "runs.read",
            "team.read",
        ]
        assert said["csrf"] is None
    assert anonymous.get("/api/v1/me").status_code == 401


def test_text_that_no_database_takes_does_not_sign_in(anonymous: TestClient) -> None:
    for email, password in (("a\x00b@example.org", "x"), ("a@example.org", "\x00"), ("\ud800", "\ud800")):
        body = f'{{"email": {_json(email)}, "password": {_json(password)}}}'
        answer = anonymous.post(SESSION, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in {401, 422}


def _json(text: str) -> str:
    return '"' + "".join(f"\\u{ord(each):04x}" for each in text) + '"'


def test_the_owner_of_this_machine_is_made_once_and_is_in_its_team(gate: Database) -> None:
    now = datetime.now(UTC)
    for _ in range(2):
        person_id = signing_in.ensure_local_owner(gate, now)
    principal = sessions.authenticate(gate, session_of(gate, person_id), now)
    assert (principal.name, principal.email, principal.role) == ("Local owner", None, "owner")


def test_a_role_changes_for_sessions_that_are_there(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    client = signed_in(anonymous, gate, org_id, "viewer")
    person_id = client.get(SESSION).json()["person"]["person_id"]
    with gate.transaction(org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (person_id,))
    join(gate, org_id, UUID(person_id), "planner")
    assert client.get(SESSION).json()["permissions"] == sorted(GRANTS["planner"])
