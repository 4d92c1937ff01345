"""Links with a password: guessing it, forging its proof, and using one link's proof for another."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from database import superuser
from published import LINKS, PASSWORD, link_to, links_of, publish
from stowage.api.app import create_app
from stowage.features.reports import links
from stowage.platform import throttling
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import Locked, NotFound, TooMany
from stowage.platform.jobs.queue import Queue
from stowage.platform.secrets import digest, new_secret
from stowage.web.services import Services

SHARED = "/api/v1/shared"
FREE = throttling.LINK.free


@pytest.fixture
def report_id(database: Database, queue: Queue, org_id: UUID) -> UUID:
    """Return a published report."""
    return publish(database, queue, org_id).id


@pytest.fixture
def secret(client: TestClient, report_id: UUID) -> str:
    """Return the secret of a link to the report that asks for a password."""
    return link_to(client, report_id, password=PASSWORD)


def somewhere() -> str:
    """Return an address that no other test uses."""
    return f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1"


def test_guesses_take_ever_longer_from_wherever_they_come_and_the_team_is_told(
    client: TestClient, gate: Database, secret: str
) -> None:
    now = datetime.now(UTC)
    for _ in range(FREE):
        with pytest.raises(Locked):
            links.unlock(gate, secret, "wrong", somewhere(), now)
    waits = []
    for _ in range(5):
        with pytest.raises(TooMany) as refused:
            links.unlock(gate, secret, PASSWORD, somewhere(), now)
        waits.append(refused.value.retry_after_s)
        now += timedelta(seconds=waits[-1])
        with pytest.raises(Locked):
            links.unlock(gate, secret, "wrong", somewhere(), now)
    assert waits == [2, 3, 5, 9, 17]
    said = [event["sentence"] for event in client.get("/api/v1/audit").json()["events"]]
    about = "Sorting 100 TB every night"
    assert said[0] == f"A visitor with the link to {about} was held back after too many wrong passwords."
    assert links.unlock(gate, secret, PASSWORD, somewhere(), now + throttling.LONGEST).lasts_s == 12 * 3600


def test_one_place_does_not_guess_at_many_links(gate: Database, secret: str) -> None:
    now, place = datetime.now(UTC), somewhere()
    for _ in range(throttling.ADDRESS.free - 1):
        throttling.count(gate, (throttling.address_key(place),), now)
    with pytest.raises(Locked):
        links.unlock(gate, secret, "wrong", place, now)
    with pytest.raises(TooMany):
        links.unlock(gate, secret, PASSWORD, place, now)
    assert links.unlock(gate, secret, PASSWORD, somewhere(), now).proof


def test_too_many_guesses_say_when_the_next_one_counts(
    anonymous: TestClient, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than any machine takes between two requests.
    monkeypatch.setattr(throttling, "LINK", replace(throttling.LINK, first=throttling.LONGEST))
    body = {"password": "wrong"}
    answers = [anonymous.post(f"{SHARED}/{secret}/unlock", json=body) for _ in range(FREE + 1)]
    assert [answer.status_code for answer in answers] == [401] * FREE + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert PASSWORD not in "".join(answer.text for answer in answers)


def test_a_proof_is_good_for_its_link_its_time_and_its_password_and_nothing_else(
    client: TestClient, services: Services, report_id: UUID, secret: str, postgres: DatabaseUrls
) -> None:
    gate, database, now = services.gate, services.database, datetime.now(UTC)
    other = link_to(client, report_id, password=PASSWORD)
    proof = links.unlock(gate, secret, PASSWORD, None, now).proof
    later = now + timedelta(hours=11, minutes=59)
    assert links.open_link(gate, database, secret, later, proof).report is not None
    until, _, sealed = proof.partition(".")
    forged = [
        None,
        "",
        ".",
        until,
        f"{until}.",
        f"{int(until) + 1}.{sealed}",
        f"0{until}.{sealed}",
        f"{until}.{sealed[:-1]}",
        f"{until}.{sealed.upper()}",
        f"{'9' * 5_000}.{sealed}",
        f"-1.{sealed}",
        f"٣.{sealed}",
        f"{proof}\n",
        secret,
        PASSWORD,
    ]
    for each in forged:
        with pytest.raises(Locked):
            links.open_link(gate, database, secret, now, each)
    with pytest.raises(Locked):
        links.open_link(gate, database, other, now, proof)
    with pytest.raises(Locked):
        links.open_file(gate, database, secret, "json", now + timedelta(hours=12), proof)
    with superuser(postgres) as connection:
        connection.execute(
            "UPDATE share_link SET password_hash = replace(password_hash, 'm=', 'm=') || 'x' WHERE secret_hash = %s",
            [digest(secret)],
        )
    with pytest.raises(Locked):
        links.open_link(gate, database, secret, now, proof)
    client.delete(f"{LINKS}/{links_of(client, report_id)[-1]['id']}")
    with pytest.raises(NotFound):
        links.open_link(gate, database, secret, now, proof)


def test_the_proof_is_sent_to_its_link_alone_and_hidden_from_scripts(
    client: TestClient, anonymous: TestClient, report_id: UUID, secret: str
) -> None:
    other = link_to(client, report_id, password=PASSWORD)
    assert anonymous.post(f"{SHARED}/{secret}/unlock", json={"password": PASSWORD}).status_code == 204
    assert anonymous.get(f"{SHARED}/{secret}").status_code == 200
    assert anonymous.get(f"{SHARED}/{other}").status_code == 401
    assert anonymous.get("/api/v1/me").status_code == 401
    [kept] = [cookie for cookie in anonymous.cookies.jar if cookie.path == f"{SHARED}/{secret}"]
    assert kept.has_nonstandard_attr("HttpOnly")
    assert secret not in str(kept.value)


def test_behind_tls_the_proof_goes_nowhere_else(services: Services, secret: str) -> None:
    app = create_app(services, None)
    with TestClient(app, base_url="https://localhost") as client:
        kept = client.post(f"{SHARED}/{secret}/unlock", json={"password": PASSWORD}).headers["set-cookie"]
    assert kept.startswith("__Secure-stowage-link=")
    assert "; Secure" in kept


def test_a_password_is_not_sent_over_an_open_line_nor_by_another_page(services: Services, secret: str) -> None:
    app = create_app(services, None, hosts=("stowage.example.org",))
    body = {"password": PASSWORD}
    with TestClient(app, base_url="http://stowage.example.org") as client:
        assert client.post(f"{SHARED}/{secret}/unlock", json=body).status_code == 403
    with TestClient(app, base_url="https://stowage.example.org") as client:
        foreign = {"Origin": "https://evil.example"}
        assert client.post(f"{SHARED}/{secret}/unlock", json=body, headers=foreign).status_code == 403


def test_what_asks_for_no_password_and_what_never_was_unlock_alike(
    client: TestClient, anonymous: TestClient, report_id: UUID
) -> None:
    for each in (link_to(client, report_id), new_secret()):
        answer = anonymous.post(f"{SHARED}/{each}/unlock", json={"password": PASSWORD})
        assert answer.status_code == 404


def test_only_the_hash_of_the_password_is_stored_and_no_caller_gets_it(
    client: TestClient, postgres: DatabaseUrls, report_id: UUID, secret: str
) -> None:
    with superuser(postgres) as connection:
        [(row,)] = connection.execute(
            "SELECT to_jsonb(share_link)::text FROM share_link WHERE secret_hash = %s", [digest(secret)]
        ).fetchall()
        recorded = connection.execute(
            "SELECT changes::text FROM audit_event WHERE action LIKE 'share_link%'"
        ).fetchall()
    assert "$argon2id$" in row
    assert PASSWORD not in row
    assert "argon2" not in str(recorded)
    assert "argon2" not in str(links_of(client, report_id))
