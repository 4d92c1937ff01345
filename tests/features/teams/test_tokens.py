"""API tokens: created once, listed without their secrets, and invalid once they are revoked."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from database import superuser
from people import new_member, session_of, signed_in, token_of
from stowage.features.teams.sign_in import tokens
from stowage.features.teams.sign_in.store import people
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import SignInNeeded
from stowage.platform.secrets import digest

TOKENS = "/api/v1/tokens"
PLANS = "/api/v1/plans"


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def test_a_token_is_shown_once_and_kept_as_its_digest(
    client: TestClient, anonymous: TestClient, postgres: DatabaseUrls
) -> None:
    made = client.post(TOKENS, json={"name": "nightly", "scopes": ["read", "plan", "read"], "days": 30})
    assert made.status_code == 201
    token = made.json()
    text = token.pop("secret")
    assert text.startswith("stw_")
    assert len(text) == len("stw_") + 43
    assert (token["hint"], token["scopes"]) == (text[:8], ["read", "plan"])
    lasts = datetime.fromisoformat(token["expires_at"]) - datetime.fromisoformat(token["created_at"])
    assert lasts == timedelta(days=30)
    assert client.get(TOKENS).json() == {"tokens": [token]}
    with superuser(postgres) as connection:
        [row] = connection.execute("SELECT * FROM api_token WHERE id = %s", [token["id"]]).fetchall()
    assert digest(text) in row
    assert text not in str(row)
    assert anonymous.get(PLANS, headers=bearer(text)).status_code == 200


def test_its_last_use_is_seen_to_the_minute(client: TestClient, gate: Database, org_id: UUID) -> None:
    text = client.post(TOKENS, json={"name": "nightly", "scopes": ["read"]}).json()["secret"]

    def last_used() -> datetime | None:
        seen = client.get(TOKENS).json()["tokens"][0]["last_used_at"]
        return None if seen is None else datetime.fromisoformat(seen)

    assert last_used() is None
    first = datetime.now(UTC)
    for after_s, seen_s in ((0, 0), (59, 0), (61, 61), (100, 61)):
        assert tokens.authenticate(gate, text, first + timedelta(seconds=after_s)).org_id == org_id
        assert last_used() == first + timedelta(seconds=seen_s)


def test_a_token_expires(client: TestClient, gate: Database) -> None:
    text = client.post(TOKENS, json={"name": "nightly", "scopes": ["read"], "days": 1}).json()["secret"]
    now = datetime.now(UTC)
    assert tokens.authenticate(gate, text, now + timedelta(hours=23)).token_id is not None
    with pytest.raises(SignInNeeded):
        tokens.authenticate(gate, text, now + timedelta(days=1))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "", "scopes": ["read"]}, "name"),
        ({"name": "two\nlines", "scopes": ["read"]}, "name"),
        ({"name": "n", "scopes": []}, "scopes"),
        ({"name": "n", "scopes": ["everything"]}, "scopes.0"),
        ({"name": "n", "scopes": ["read"], "days": 367}, "days"),
        ({"name": "n", "scopes": ["read"], "days": 0}, "days"),
        ({"name": "n", "scopes": ["read"], "role": "owner"}, "role"),
    ],
)
def test_what_cannot_be_a_token_is_refused_by_its_field(client: TestClient, body: dict[str, object], path: str) -> None:
    answer = client.post(TOKENS, json=body)
    assert (answer.status_code, [each["path"] for each in answer.json()["errors"]]) == (422, [path])


def test_people_see_and_revoke_their_own_tokens_and_owners_all_of_the_team(
    client: TestClient, anonymous: TestClient, other_client: TestClient, gate: Database, org_id: UUID
) -> None:
    owners = client.post(TOKENS, json={"name": "the owner's", "scopes": ["audit"]}).json()["id"]
    signed_in(anonymous, gate, org_id, "viewer")
    mine = anonymous.post(TOKENS, json={"name": "the viewer's", "scopes": ["read"]}).json()["id"]
    assert [row["name"] for row in anonymous.get(TOKENS).json()["tokens"]] == ["the viewer's"]
    assert [row["name"] for row in client.get(TOKENS).json()["tokens"]] == ["the viewer's", "the owner's"]
    assert other_client.get(TOKENS).json() == {"tokens": []}
    for who, which in ((anonymous, owners), (other_client, mine), (other_client, uuid4())):
        answer = who.delete(f"{TOKENS}/{which}")
        assert (answer.status_code, answer.json()["detail"]) == (404, DENIED)
    assert [row["revoked_at"] for row in client.get(TOKENS).json()["tokens"]] == [None, None]
    assert client.delete(f"{TOKENS}/{mine}").status_code == 204
    assert anonymous.get(TOKENS).json()["tokens"][0]["revoked_at"] is not None


def test_revoking_again_changes_nothing(client: TestClient) -> None:
    token_id = client.post(TOKENS, json={"name": "nightly", "scopes": ["read"]}).json()["id"]
    client.delete(f"{TOKENS}/{token_id}")
    before = client.get(TOKENS).json()
    assert client.delete(f"{TOKENS}/{token_id}").status_code == 204
    assert client.get(TOKENS).json() == before


def test_a_program_signs_out_by_revoking_the_token_that_it_carries(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    text = token_of(gate, org_id, ["read"])
    assert anonymous.delete(f"{TOKENS}/current", headers=bearer(text)).status_code == 204
    assert anonymous.get(PLANS, headers=bearer(text)).status_code == 401
    # A session is no token.
    assert client.delete(f"{TOKENS}/current").status_code == 404


def test_the_list_shows_since_when_a_token_is_paused_until_the_next_sign_in(
    client: TestClient, gate: Database, org_id: UUID
) -> None:
    now, person_id = datetime.now(UTC), new_member(gate, org_id)
    token_of(gate, org_id, ["read"], person_id=person_id, now=now)

    def paused() -> list[str | None]:
        return [row["paused_since"] for row in client.get(TOKENS).json()["tokens"]]

    assert paused() == [None]
    with gate.transaction(None) as connection:
        people.signed_in(connection, person_id, now - tokens.PAUSES_AFTER - timedelta(days=2))
    assert [datetime.fromisoformat(str(each)) for each in paused()] == [now - timedelta(days=2)]
    session_of(gate, person_id)
    assert paused() == [None]


def test_a_token_is_paused_until_its_owner_signs_in_again(gate: Database, org_id: UUID) -> None:
    """Otherwise a person whose account at the provider was closed would keep access by tokens until they expire."""
    now, person_id = datetime.now(UTC), new_member(gate, org_id)
    text = token_of(gate, org_id, ["read"], person_id=person_id, now=now, lasts=timedelta(days=366))
    tokens.authenticate(gate, text, now + timedelta(days=29))
    later = now + timedelta(days=31)
    with pytest.raises(SignInNeeded, match="has not signed in for 30 days"):
        tokens.authenticate(gate, text, later)
    session_of(gate, person_id, later)
    assert tokens.authenticate(gate, text, later).person_id == person_id
