"""Second factors: setup, sign-in, reauthentication, rate limits, recovery codes and reset by the operator."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pyotp
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import LargeBinary, cast, select

from people import COOKIE, new_person, new_planner, session_of, signed_in_as
from stowage.features.teams import operators
from stowage.features.teams.sign_in import accounts, second_factors, sessions, signing_in
from stowage.features.teams.sign_in.schemas import CredentialsChange, SecondFactorProof
from stowage.features.teams.sign_in.store import accounts as account_store
from stowage.features.teams.sign_in.store import second_factors as store
from stowage.features.teams.sign_in.store import sessions as session_store
from stowage.features.teams.sign_in.store import team
from stowage.features.teams.sign_in.tables import one_time_link, recovery_code, second_factor
from stowage.platform import throttling
from stowage.platform.access import PROOF_LASTS
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event
from stowage.platform.errors import BadInput, NotFound, SignInNeeded, TooMany
from stowage.platform.secrets import digest, new_secret

SESSION = "/api/v1/session"
SECOND = "/api/v1/session/second-factor"
PROOF = "/api/v1/session/proof"
FACTOR = "/api/v1/account/second-factor"
CONFIRMATION = "/api/v1/account/second-factor/confirmation"
CODES = "/api/v1/account/second-factor/recovery-codes"
PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"  # noqa: S105 - likewise
PENDING = f"{COOKIE}-pending"
RECOVERY = "abcd-efgh-ijkl-mnop"


@pytest.fixture
def email() -> str:
    return f"{uuid4().hex}@example.org"


@pytest.fixture
def person_id(gate: Database, org_id: UUID, email: str) -> UUID:
    """Return a member with an e-mail, a password and no second factor."""
    return new_planner(gate, org_id, email, PASSWORD)


@pytest.fixture
def protected(gate: Database, person_id: UUID) -> UUID:
    """Return the same member with a second factor and one recovery code."""
    with gate.transaction(None) as connection:
        assert store.begin(connection, person_id, SECRET)
        assert store.confirm(connection, person_id, datetime.now(UTC))
        store.set_recovery_codes(connection, person_id, [digest(RECOVERY.replace("-", ""))])
    return person_id


@pytest.fixture
def browser(anonymous: TestClient, gate: Database, person_id: UUID) -> TestClient:
    return signed_in_as(anonymous, gate, person_id)


def code(secret: str = SECRET, steps: int = 0) -> str:
    """Return the code that an authenticator app shows the given number of 30 s steps from now."""
    return pyotp.TOTP(secret).at(datetime.now(UTC) + timedelta(seconds=30 * steps))


def recorded(database: Database, org_id: UUID) -> list[str]:
    with database.transaction(org_id) as connection:
        return list(connection.scalars(select(audit_event.c.action).order_by(audit_event.c.id)))


def first_step(anonymous: TestClient, email: str) -> None:
    answer = anonymous.post(SESSION, json={"email": email, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["signed_in"], answer.json()["second_factor_needed"]) == (False, True)


def unproven(gate: Database, client: TestClient) -> UUID:
    """Set the last authentication of a browser's session to an hour ago, and return the session's ID."""
    [here] = client.get("/api/v1/sessions").json()["sessions"]
    with gate.transaction(None) as connection:
        session_store.prove(connection, UUID(here["id"]), datetime.now(UTC) - timedelta(hours=1))
    return UUID(here["id"])


def test_confirming_a_second_factor_enables_it_and_ends_all_other_sessions(
    browser: TestClient, gate: Database, database: Database, org_id: UUID, person_id: UUID, email: str
) -> None:
    elsewhere = session_of(gate, person_id)
    said = browser.post(FACTOR).json()
    uri = urlsplit(said["uri"])
    assert (uri.scheme, uri.netloc, parse_qs(uri.query)["secret"]) == ("otpauth", "totp", [said["secret"]])
    assert email in said["uri"].replace("%40", "@")
    assert said["qr"].startswith("data:image/svg+xml")
    # Not required before a first code: an error in scanning would lock the person out.
    assert browser.get(SESSION).json()["person"]["second_factor"] is False
    wrong = browser.post(CONFIRMATION, json={"code": "000000" if code(said["secret"]) != "000000" else "000001"})
    assert (wrong.status_code, [each["path"] for each in wrong.json()["errors"]]) == (422, ["code"])
    answer = browser.post(CONFIRMATION, json={"code": code(said["secret"])})
    codes = answer.json()["codes"]
    assert len(set(codes)) == second_factors.RECOVERY_CODES == 10
    person = browser.get(SESSION).json()["person"]
    assert (person["second_factor"], person["recovery_codes"]) == (True, 10)
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, elsewhere, datetime.now(UTC))
    assert recorded(database, org_id)[-1] == "second-factor.add"
    assert browser.post(FACTOR).status_code == 409
    assert browser.post(CONFIRMATION, json={"code": code(said["secret"], 1)}).status_code == 409


def test_secret_and_recovery_codes_are_not_readable_in_the_database(
    browser: TestClient, gate: Database, person_id: UUID
) -> None:
    secret = browser.post(FACTOR).json()["secret"]
    codes = browser.post(CONFIRMATION, json={"code": code(secret)}).json()["codes"]
    with gate.transaction(None) as connection:
        lying = connection.scalar(
            select(cast(second_factor.c.secret, LargeBinary)).where(second_factor.c.person_id == person_id)
        )
        hashes = connection.scalars(select(recovery_code.c.hash).where(recovery_code.c.person_id == person_id)).all()
    assert lying is not None
    assert secret.encode() not in lying
    assert set(hashes) == {digest(each.replace("-", "")) for each in codes}


def test_a_password_alone_starts_no_session(
    anonymous: TestClient, gate: Database, database: Database, org_id: UUID, protected: UUID, email: str
) -> None:
    first_step(anonymous, email)
    assert COOKIE not in anonymous.cookies
    pending = anonymous.cookies[PENDING]
    said = anonymous.get(SESSION).json()
    assert (said["signed_in"], said["second_factor_needed"], said["person"]) == (False, True, None)
    # The secret of a pending sign-in is accepted neither as a session nor as a token.
    anonymous.cookies.set(COOKIE, pending)
    assert anonymous.get("/api/v1/plans").status_code == 401
    assert anonymous.get("/api/v1/plans", headers={"Authorization": f"Bearer {pending}"}).status_code == 401
    anonymous.cookies.delete(COOKIE)
    assert "session.start" not in recorded(database, org_id)
    answer = anonymous.post(SECOND, json={"code": code()})
    assert answer.json()["person"]["person_id"] == str(protected)
    assert anonymous.cookies[COOKIE] != pending
    assert PENDING not in anonymous.cookies
    assert anonymous.get("/api/v1/plans").status_code == 200
    assert recorded(database, org_id)[-1] == "session.start"
    with gate.transaction(None) as connection:
        assert second_factors.person_pending(gate, pending, datetime.now(UTC)) is None
        assert connection.scalars(select(one_time_link).where(one_time_link.c.person_id == protected)).all() == []


def test_a_pending_sign_in_ends_the_previous_session_and_expires(
    anonymous: TestClient, gate: Database, protected: UUID
) -> None:
    other = session_of(gate, new_person(gate, "Bob"))
    now = datetime.now(UTC)
    browser = sessions.Browser(None, None, other)
    entered = second_factors.enter(gate, protected, sessions.Entry("password"), browser, now)
    assert entered.is_pending
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, other, now)
    late = now + second_factors.PENDING_LASTS
    assert second_factors.person_pending(gate, entered.secret, now) == protected
    assert second_factors.person_pending(gate, entered.secret, late) is None
    with pytest.raises(SignInNeeded, match="expired"):
        second_factors.finish(
            gate, entered.secret, SecondFactorProof(code=code()), sessions.Browser(None, None, None), None, late
        )
    anonymous.cookies.set(PENDING, entered.secret)
    answer = anonymous.post(SECOND, json={"code": code(steps=1)})
    assert answer.status_code == 200, answer.text


def by_link(gate: Database, person_id: UUID, browser: TestClient) -> dict[str, object]:
    secret = signing_in.make_sign_in_link(gate, person_id, datetime.now(UTC), timedelta(hours=1))
    return dict(browser.post("/api/v1/session/link", json={"secret": secret}).json())


def by_reset(gate: Database, person_id: UUID, browser: TestClient) -> dict[str, object]:
    secret, _ = accounts.make_reset_link(gate, person_id, datetime.now(UTC))
    body = {"secret": secret, "password": "seventeen blue kettles hum"}
    return dict(browser.post("/api/v1/account/reset/password", json=body).json())


@pytest.mark.parametrize("enter", [by_link, by_reset])
def test_links_do_not_bypass_the_second_factor(
    enter: Callable[[Database, UUID, TestClient], dict[str, object]],
    anonymous: TestClient,
    gate: Database,
    protected: UUID,
) -> None:
    """Otherwise an attacker with access to the mailbox could sign in by a reset link."""
    said = enter(gate, protected, anonymous)
    assert (said["signed_in"], said["second_factor_needed"]) == (False, True)
    assert COOKIE not in anonymous.cookies
    assert anonymous.post(SECOND, json={"code": code()}).json()["signed_in"] is True


@pytest.mark.usefixtures("protected")
def test_a_code_is_accepted_once_and_earlier_codes_are_refused(anonymous: TestClient, email: str) -> None:
    used, before = code(), code(steps=-1)
    first_step(anonymous, email)
    assert anonymous.post(SECOND, json={"code": used}).status_code == 200
    first_step(anonymous, email)
    for again in (used, before):
        answer = anonymous.post(SECOND, json={"code": again})
        assert answer.status_code == 422, again
    assert anonymous.get(SESSION).json()["second_factor_needed"] is True
    assert anonymous.post(SECOND, json={"code": code(steps=1)}).status_code == 200


def test_of_concurrent_uses_of_one_code_only_one_succeeds(gate: Database, protected: UUID) -> None:
    now = datetime.now(UTC)
    given = {"by app": code(), "recovery": RECOVERY}

    def attempt(what: str) -> bool:
        try:
            second_factors.check(gate, protected, SecondFactorProof(code=what), second_factors.At(None, None), now)
        except (BadInput, TooMany):
            return False
        return True

    for name, what in given.items():
        with ThreadPoolExecutor(3) as threads:
            assert sum(threads.map(attempt, [what] * 3)) == 1, name


@pytest.mark.usefixtures("protected")
def test_a_recovery_code_works_once_regardless_of_case_and_separators(
    anonymous: TestClient, database: Database, org_id: UUID, email: str
) -> None:
    first_step(anonymous, email)
    assert anonymous.post(SECOND, json={"code": "zzzz-zzzz-zzzz-zzzz"}).status_code == 422
    answer = anonymous.post(SECOND, json={"code": RECOVERY.upper().replace("-", " ")})
    assert answer.json()["person"]["recovery_codes"] == 0
    assert "second-factor.recover" in recorded(database, org_id)
    first_step(anonymous, email)
    assert anonymous.post(SECOND, json={"code": RECOVERY}).status_code == 422


@pytest.mark.usefixtures("protected")
def test_wrong_codes_are_rate_limited_by_account_across_sign_ins_and_logged(
    anonymous: TestClient, database: Database, org_id: UUID, email: str
) -> None:
    """An attacker with the password can start new sign-ins, which must not reset the count."""
    wrong = next(each for each in ("111111", "222222", "333333", "444444") if each not in map(_near, (-1, 0, 1)))
    answers = []
    for _ in range(throttling.FACTOR.free + 1):
        first_step(anonymous, email)
        answers.append(anonymous.post(SECOND, json={"code": wrong}).status_code)
    assert answers == [422] * throttling.FACTOR.free + [429]
    # The correct code is refused as well.
    assert anonymous.post(SECOND, json={"code": code()}).status_code == 429
    assert recorded(database, org_id).count("second-factor.refused") == 1


def _near(steps: int) -> str:
    return code(steps=steps)


@pytest.mark.usefixtures("protected")
def test_a_code_is_refused_without_a_pending_sign_in(app: FastAPI, anonymous: TestClient, email: str) -> None:
    assert anonymous.post(SECOND, json={"code": code()}).status_code == 401
    first_step(anonymous, email)
    with TestClient(app, base_url="http://localhost") as another:
        assert another.post(SECOND, json={"code": code()}).status_code == 401
    answer = anonymous.post(SECOND, json={"code": code()}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert anonymous.post(SECOND, json={"code": code()}).status_code == 200


def test_a_password_change_sign_out_everywhere_or_reset_ends_a_pending_sign_in(gate: Database, protected: UUID) -> None:
    now, nowhere = datetime.now(UTC), sessions.Browser(None, None, None)
    principal = sessions.authenticate(gate, session_of(gate, protected), now)
    asked = CredentialsChange(password="seventeen blue kettles hum")  # noqa: S106 - of a test
    voids: list[Callable[[], object]] = [
        lambda: sessions.end_all(gate, principal),
        lambda: accounts.change_credentials(gate, principal, asked, now, mail=False),
        lambda: operators.reset_second_factor(gate, principal.email),
    ]
    for void in voids:
        pending = second_factors.enter(gate, protected, sessions.Entry("password"), nowhere, now)
        assert pending.is_pending
        void()
        with pytest.raises(SignInNeeded):
            second_factors.finish(gate, pending.secret, SecondFactorProof(code=RECOVERY), nowhere, None, now)


def test_an_old_session_cannot_add_or_remove_a_second_factor(browser: TestClient, gate: Database) -> None:
    unproven(gate, browser)
    for method, path in (("POST", FACTOR), ("POST", CONFIRMATION), ("POST", CODES), ("DELETE", FACTOR)):
        answer = browser.request(method, path, json={"code": "123456"} if path == CONFIRMATION else None)
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:stowage:problem:proof-needed"), path


def test_a_reauthentication_needs_the_second_factor(
    browser: TestClient, gate: Database, database: Database, org_id: UUID, protected: UUID
) -> None:
    unproven(gate, browser)
    alone = browser.post(PROOF, json={"password": PASSWORD})
    assert (alone.status_code, [each["path"] for each in alone.json()["errors"]]) == (422, ["code"])
    without = browser.post(PROOF, json={"code": code()})
    assert (without.status_code, [each["path"] for each in without.json()["errors"]]) == (422, ["password"])
    assert browser.post(PROOF, json={"password": "another one", "code": code()}).status_code == 422
    assert browser.delete(FACTOR).status_code == 403
    assert browser.post(PROOF, json={"password": PASSWORD, "code": code()}).status_code == 204
    assert len(browser.post(CODES).json()["codes"]) == 10
    assert browser.delete(FACTOR).status_code == 204
    assert browser.delete(FACTOR).status_code == 404
    assert browser.post(CODES).status_code == 404
    assert recorded(database, org_id)[-2:] == ["second-factor.codes", "second-factor.remove"]
    with gate.transaction(None) as connection:
        account = account_store.find(connection, protected, None)
        assert account is not None
        assert account.recovery_codes == 0


@pytest.mark.usefixtures("protected")
def test_a_code_completes_a_recent_reauthentication_at_the_provider(browser: TestClient, gate: Database) -> None:
    session_id = unproven(gate, browser)
    now = datetime.now(UTC)
    for at, is_good in ((now - PROOF_LASTS, False), (now - timedelta(minutes=1), True)):
        with gate.transaction(None) as connection:
            session_store.identify(connection, session_id, at)
        assert browser.get(SESSION).json()["person"]["identified"] is is_good
        assert browser.delete(FACTOR).status_code == 403
        answer = browser.post(PROOF, json={"code": code()})
        assert answer.status_code == (204 if is_good else 422), answer.text
    assert browser.get(SESSION).json()["person"]["identified"] is False
    assert browser.delete(FACTOR).status_code == 204


def test_the_operator_removes_a_lost_second_factor(
    anonymous: TestClient, gate: Database, database: Database, org_id: UUID, protected: UUID, email: str
) -> None:
    here = session_of(gate, protected)
    assert operators.reset_second_factor(gate, email.upper()) == "Ada"
    with pytest.raises(SignInNeeded):
        sessions.authenticate(gate, here, datetime.now(UTC))
    assert anonymous.post(SESSION, json={"email": email, "password": PASSWORD}).json()["signed_in"] is True
    assert "second-factor.reset" in recorded(database, org_id)
    with pytest.raises(NotFound, match="has no second factor"):
        operators.reset_second_factor(gate, email)
    with pytest.raises(NotFound, match="No account has the e-mail"):
        operators.reset_second_factor(gate, f"{uuid4().hex}@example.org")


def test_joining_another_team_needs_a_code_with_a_password_but_not_with_a_session(
    browser: TestClient, anonymous: TestClient, database: Database, other_org_id: UUID, protected: UUID, email: str
) -> None:
    secret, now = new_secret(), datetime.now(UTC)
    new = team.Invitation(uuid4(), email, "viewer", "Owner", now, now + timedelta(days=1))
    with database.transaction(other_org_id) as connection:
        team.add_invitation(connection, new, digest(secret))
    assert browser.post("/api/v1/invitations/accept", json={"secret": secret}).json()["signed_in"] is True
    with database.transaction(other_org_id) as connection:
        team.remove_member(connection, protected)
        team.add_invitation(connection, replace(new, id=uuid4()), digest(secret))
    anonymous.cookies.clear()
    said = anonymous.post("/api/v1/invitations/accept", json={"secret": secret, "password": PASSWORD}).json()
    assert (said["signed_in"], said["second_factor_needed"]) == (False, True)
