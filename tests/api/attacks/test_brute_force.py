"""Guessing of passwords and links: rate limits by account and address, and what the answers reveal.

Time is an argument, except through the API, where nothing is waited for.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from people import join, new_member, new_person
from stowage.features.teams.sign_in import passwords, signing_in
from stowage.features.teams.sign_in.schemas import SignIn
from stowage.features.teams.sign_in.sessions import Browser
from stowage.features.teams.sign_in.signing_in import Wrong
from stowage.features.teams.sign_in.store import people
from stowage.platform import throttle_store as store
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.database.tables import audit_event, throttle
from stowage.platform.errors import SignInNeeded, TooMany

SESSION = "/api/v1/session"
PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test
FREE = throttling.ACCOUNT.free


@pytest.fixture(scope="session")
def hashed() -> str:
    return passwords.hash_password(PASSWORD)


@pytest.fixture
def held_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock an account for longer than any machine takes between two requests."""
    monkeypatch.setattr(throttling, "ACCOUNT", replace(throttling.ACCOUNT, first=throttling.LONGEST))


@pytest.fixture
def email(gate: Database, org_id: UUID, hashed: str) -> str:
    """Create a person with a password, and return their e-mail."""
    email = f"{uuid4().hex}@example.org"
    person_id = new_person(gate, "Ada", email)
    join(gate, org_id, person_id, "viewer")
    with gate.transaction(None) as connection:
        people.set_password(connection, person_id, hashed, datetime.now(UTC))
    return email


def somewhere() -> str:
    """Return an address that no other test uses."""
    return f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"


def at(app: FastAPI, address: str) -> TestClient:
    return TestClient(app, base_url="http://localhost", client=(address, 1), raise_server_exceptions=False)


def guess(gate: Database, email: str, password: str, now: datetime, address: str | None = None) -> None:
    browser = Browser(address or somewhere(), "tests", None)
    signing_in.by_password(gate, SignIn(email=email, password=password), browser, now)


def test_guesses_at_an_account_take_ever_longer_from_wherever_they_come(gate: Database, email: str) -> None:
    now = datetime.now(UTC)
    for _ in range(FREE):
        with pytest.raises(Wrong):
            guess(gate, email, "wrong", now)
    waits = []
    for _ in range(12):
        with pytest.raises(TooMany) as refused:
            guess(gate, email, PASSWORD, now)
        waits.append(refused.value.retry_after_s)
        now += timedelta(seconds=waits[-1])
        with pytest.raises(Wrong):
            guess(gate, email, "wrong", now)
    # Whole seconds, rounded up; at most a quarter of an hour.
    assert waits == [2**n + 1 for n in range(10)] + [901, 901]


def test_the_right_password_ends_it_and_an_hour_does(gate: Database, email: str) -> None:
    now = datetime.now(UTC)
    for _ in range(FREE - 1):
        with pytest.raises(Wrong):
            guess(gate, email, "wrong", now)
    guess(gate, email, PASSWORD, now)
    for _ in range(FREE):
        with pytest.raises(Wrong):
            guess(gate, email, "wrong", now)
    later = now + throttling.WITHIN
    for _ in range(FREE):
        with pytest.raises(Wrong):
            guess(gate, email, "wrong", later)


@pytest.mark.usefixtures("held_for_long")
def test_the_answer_is_the_same_for_an_account_and_for_none(app: FastAPI, email: str) -> None:
    unknown, mine = f"{uuid4().hex}@example.org", at(app, somewhere())
    answers = {
        each: [mine.post(SESSION, json={"email": each, "password": "wrong"}) for _ in range(FREE + 1)]
        for each in (email, unknown)
    }
    for one, other in zip(answers[email], answers[unknown], strict=True):
        assert (one.status_code, one.json().keys()) == (other.status_code, other.json().keys())
        assert set(one.headers) == set(other.headers)
    assert [each.status_code for each in answers[email]] == [401] * FREE + [429]
    assert {each.json()["detail"] for each in [*answers[email][:FREE], *answers[unknown][:FREE]]} == {signing_in.WRONG}
    assert int(answers[email][-1].headers["Retry-After"]) > 0


def test_a_password_is_checked_for_an_account_for_none_and_for_one_without(
    gate: Database, email: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow hash runs in every case, so that timing reveals nothing; its duration follows from its parameters."""
    without = f"{uuid4().hex}@example.org"
    new_person(gate, "Eve", without)
    checked: list[bool] = []
    check = passwords.verify

    def counting(hashed: str | None, text: str) -> bool:
        checked.append(hashed is not None)
        return check(hashed, text)

    monkeypatch.setattr(passwords, "verify", counting)
    for each in (email, without, f"{uuid4().hex}@example.org", "no address", "\x00"):
        with pytest.raises(Wrong, match=signing_in.WRONG):
            guess(gate, each, "wrong", datetime.now(UTC))
    assert checked == [True, False, False, False, False]


def test_many_guesses_at_once_are_counted_one_by_one(gate: Database, email: str) -> None:
    now = datetime.now(UTC)

    def attempt(_: int) -> str:
        try:
            guess(gate, email, "wrong", now)
        except TooMany:
            return "held back"
        except Wrong:
            return "looked at"
        return "let in"

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(attempt, range(24)))
    assert answers.count("looked at") == FREE
    assert answers.count("held back") == 24 - FREE


def test_one_place_may_not_try_the_same_password_on_everybody(app: FastAPI, email: str) -> None:
    mine, elsewhere = somewhere(), at(app, somewhere())
    spraying = at(app, mine)
    # Other addresses of the same customer's network are limited too.
    neighbour = at(app, mine.replace("::1", ":1:2:3:4"))
    answers = [
        (neighbour if each % 2 else spraying).post(
            SESSION, json={"email": f"{uuid4().hex}@example.org", "password": "Summer2026!!"}
        )
        for each in range(throttling.ADDRESS.free)
    ]
    assert {each.status_code for each in answers} == {401}
    for client in (spraying, neighbour):
        answer = client.post(SESSION, json={"email": email, "password": PASSWORD})
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 800
    # Other accounts and addresses are not limited by it.
    assert elsewhere.post(SESSION, json={"email": email, "password": PASSWORD}).status_code == 200


def test_signing_in_oneself_does_not_buy_more_guesses(gate: Database, email: str) -> None:
    mine, now = somewhere(), datetime.now(UTC)
    for _ in range(10):
        for _ in range(4):
            with pytest.raises(Wrong):
                guess(gate, f"{uuid4().hex}@example.org", "wrong", now, mine)
        guess(gate, email, PASSWORD, now, mine)
    with gate.transaction(None) as connection:
        key = throttling.address_key(mine).digest
        assert connection.scalar(select(throttle.c.failures).where(throttle.c.key == key)) == 40


@pytest.mark.parametrize("address", ["/session/link", "/account/reset/password"])
def test_links_are_not_guessed_at_without_end(app: FastAPI, gate: Database, org_id: UUID, address: str) -> None:
    mine = at(app, somewhere())
    secret = signing_in.make_sign_in_link(gate, new_member(gate, org_id), datetime.now(UTC), timedelta(hours=1))
    for _ in range(throttling.ADDRESS.free):
        body = {"secret": uuid4().hex, "password": PASSWORD} if "reset" in address else {"secret": uuid4().hex}
        assert mine.post(f"/api/v1{address}", json=body).status_code in {401, 404}
    bad = {"secret": uuid4().hex, "password": PASSWORD} if "reset" in address else {"secret": uuid4().hex}
    assert mine.post(f"/api/v1{address}", json=bad).status_code == 429
    # A correct password passes: a user who shares an address with an attacker is not locked out.
    assert mine.post("/api/v1/session/link", json={"secret": secret}).status_code == 200


def test_on_this_machine_one_program_does_not_shut_out_its_people(gate: Database, email: str) -> None:
    now = datetime.now(UTC)
    for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        for _ in range(throttling.ADDRESS.free + 1):
            throttling.count(gate, [throttling.address_key(address)], now)
        guess(gate, email, PASSWORD, now, address)
        # The account itself is locked for this address as for every other.
        for _ in range(FREE):
            with pytest.raises(Wrong):
                guess(gate, email, "wrong", now, address)
        with pytest.raises(TooMany):
            guess(gate, email, PASSWORD, now, address)
        throttling.forgive(gate, [throttling.ACCOUNT.key(email)])


def test_a_link_is_spent_once_however_many_use_it_at_once(gate: Database, org_id: UUID) -> None:
    now = datetime.now(UTC)
    secret = signing_in.make_sign_in_link(gate, new_member(gate, org_id), now, timedelta(hours=1))

    def attempt(_: int) -> bool:
        try:
            signing_in.by_link(gate, secret, Browser(somewhere(), None, None), now)
        except SignInNeeded:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


@pytest.mark.usefixtures("held_for_long")
def test_the_teams_of_an_account_that_is_guessed_at_are_told_once(
    app: FastAPI, email: str, database: Database, org_id: UUID
) -> None:
    mine = at(app, address := somewhere())
    for _ in range(FREE + 3):
        mine.post(SESSION, json={"email": email, "password": "wrong"})
        mine.post(SESSION, json={"email": f"{uuid4().hex}@example.org", "password": "wrong"})
    with database.transaction(org_id) as connection:
        rows = connection.execute(select(audit_event).where(audit_event.c.action == "session.refused")).all()
    [told] = rows
    assert (told.actor_kind, told.actor_id, told.object_name, told.address) == ("system", None, "Ada", address)


def test_counters_name_no_person_and_are_deleted(gate: Database) -> None:
    email, long_ago = f"{uuid4().hex}@example.org", datetime.now(UTC) - timedelta(hours=3)
    key = throttling.ACCOUNT.key(email)
    throttling.count(gate, [key], long_ago)
    with gate.transaction(None) as connection:
        columns = connection.execute(select(throttle).where(throttle.c.key == key.digest)).one()
    assert email not in str(columns)
    # The oldest entries are removed first.
    throttling.count(gate, [throttling.ACCOUNT.key(uuid4().hex)], datetime.now(UTC))
    with gate.transaction(None) as connection:
        old = throttle.c.since <= datetime.now(UTC) - throttling.WITHIN
        assert connection.scalar(select(func.count()).select_from(throttle).where(old)) == 0
        store.purge(connection, now=datetime.now(UTC), within=throttling.WITHIN)
