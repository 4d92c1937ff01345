"""Attacks on sessions: fixation, theft, copies, expired sessions and cross-site requests."""

from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import LargeBinary, Text, cast, select

from people import COOKIE, new_member, session_of, signed_in_as
from stowage.features.teams.sign_in import sessions, signing_in
from stowage.features.teams.sign_in.tables import session
from stowage.platform.database.database import Database
from stowage.platform.errors import SignInNeeded
from stowage.web.admission import CSRF

SESSION = "/api/v1/session"
LINK = "/api/v1/session/link"


def link_of(gate: Database, person_id: UUID) -> dict[str, str]:
    secret = signing_in.make_sign_in_link(gate, person_id, datetime.now(UTC), timedelta(hours=1))
    return {"secret": secret}


def set_cookie(headers: list[str]) -> str:
    [cookie] = [each for each in headers if each.startswith(f"{COOKIE}=")]
    return SimpleCookie(cookie)[COOKIE].value


@pytest.mark.parametrize("planted", ["chosen-by-the-attacker", "A" * 43, ""])
def test_a_cookie_that_an_attacker_chose_is_never_adopted(
    anonymous: TestClient, gate: Database, org_id: UUID, planted: str
) -> None:
    anonymous.cookies.set(COOKIE, planted)
    answer = anonymous.post(LINK, json=link_of(gate, new_member(gate, org_id)))
    given = set_cookie(answer.headers.get_list("set-cookie"))
    assert len(given) == 43
    assert given != planted
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, planted, datetime.now(UTC))


def test_a_session_that_an_attacker_planted_ends_when_its_victim_signs_in(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    """Session fixation: an attacker's session in the victim's browser does not become the victim's at sign-in."""
    attacker, victim = new_member(gate, org_id), new_member(gate, org_id)
    planted = session_of(gate, attacker)
    anonymous.cookies.set(COOKIE, planted)
    answer = anonymous.post(LINK, json=link_of(gate, victim))
    given = set_cookie(answer.headers.get_list("set-cookie"))
    assert sessions.authenticate(gate, given, datetime.now(UTC)).person_id == victim
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, planted, datetime.now(UTC))


def test_the_csrf_token_of_one_session_is_none_of_another(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    person_id = new_member(gate, org_id)
    first = sessions.authenticate(gate, session_of(gate, person_id), datetime.now(UTC))
    browser = signed_in_as(anonymous, gate, person_id)
    assert browser.delete(SESSION, headers={CSRF: first.csrf or ""}).status_code == 403
    assert browser.get(SESSION).json()["signed_in"]


def test_another_page_cannot_sign_a_visitor_in(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    """Login CSRF: an attacker's page neither signs its visitor in as the attacker nor uses up a link."""
    link = link_of(gate, new_member(gate, org_id))
    for headers in (
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        for address, body in ((LINK, link), (SESSION, {"email": "a@example.org", "password": "x"})):
            answer = anonymous.post(address, json=body, headers=headers)
            assert answer.status_code == 403, headers
            assert "set-cookie" not in answer.headers
    assert anonymous.post(LINK, json=link, headers={"Origin": "http://localhost"}).status_code == 200


def test_a_form_of_another_page_says_nothing_here(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    """A form post that a browser sends without a preflight request is not JSON."""
    link = link_of(gate, new_member(gate, org_id))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        body = f'{{"secret": "{link["secret"]}"}}'
        assert anonymous.post(LINK, content=body, headers={"Content-Type": kind}).status_code == 422
    assert anonymous.post(LINK, json=link).status_code == 200


def test_a_stolen_secret_is_worth_nothing_once_the_session_was_renewed(gate: Database, org_id: UUID) -> None:
    begun = datetime.now(UTC)
    stolen = session_of(gate, new_member(gate, org_id), begun)
    principal = sessions.authenticate(gate, stolen, begun)
    renewed = sessions.renew(gate, principal, stolen, begun + sessions.RENEWED_EVERY)
    assert renewed is not None
    later = begun + sessions.RENEWED_EVERY + sessions.GRACE
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, stolen, later)
    # It does not renew the session either, even while the session is still valid.
    assert sessions.renew(gate, principal, stolen, begun + 2 * sessions.RENEWED_EVERY) is None


def test_who_reads_the_table_of_sessions_has_none_of_them(gate: Database, org_id: UUID) -> None:
    secret = session_of(gate, new_member(gate, org_id))
    with gate.transaction(None) as connection:
        columns = [column for column in session.c if isinstance(column.type, LargeBinary | Text)]
        for column in columns:
            for value in connection.scalars(select(cast(column, Text))).all():
                assert secret not in (value or "")
        kept = connection.scalars(select(session.c.secret_hash)).all()
    for each in kept:
        with pytest.raises(SignInNeeded):
            sessions.authenticate(gate, each.hex(), datetime.now(UTC))


def test_a_token_opens_no_session_and_a_session_is_no_token(
    anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    secret = session_of(gate, new_member(gate, org_id))
    for headers in ({"Authorization": f"Bearer {secret}"}, {"Authorization": f"Bearer stw_{secret}"}):
        assert anonymous.get("/api/v1/me", headers=headers).status_code == 401
    # Only a cookie with the right name counts: not the TLS name over plain HTTP, and not that of another port.
    for name in ("__Host-stowage", "stowage-8000", "session"):
        anonymous.cookies.clear()
        anonymous.cookies.set(name, secret)
        assert anonymous.get("/api/v1/me").status_code == 401


def test_a_very_long_name_of_a_browser_is_cut(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    link = link_of(gate, new_member(gate, org_id))
    said = anonymous.post(LINK, json=link, headers={"User-Agent": "<script>" * 200}).json()
    [here] = anonymous.get("/api/v1/sessions", headers={CSRF: said["csrf"]}).json()["sessions"]
    assert len(here["agent"]) == 300


def test_who_is_deleted_is_signed_out(anonymous: TestClient, gate: Database, org_id: UUID) -> None:
    person_id = new_member(gate, org_id)
    link = link_of(gate, person_id)
    browser = signed_in_as(anonymous, gate, person_id)
    with gate.transaction(None) as connection:
        connection.exec_driver_sql("DELETE FROM person WHERE person_id = %s", (person_id,))
    assert browser.get("/api/v1/me").status_code == 401
    assert browser.post(LINK, json=link).status_code == 401
