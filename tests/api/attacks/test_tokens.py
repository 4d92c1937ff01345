"""Attacks with a stolen API token."""

from typing import get_args
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from people import COOKIE, join, new_member, new_person, signed_in, token_of
from stowage.model.team import Role, Scope
from stowage.platform.access import GRANTS, SCOPES
from stowage.platform.database.database import Database

TOKENS = "/api/v1/tokens"
PLANS = "/api/v1/plans"
MEMBERS = "/api/v1/team/members"
INVITATIONS = "/api/v1/team/invitations"
QUESTION = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}}


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def test_a_revoked_token_is_replayed_in_vain(client: TestClient, anonymous: TestClient) -> None:
    token = client.post(TOKENS, json={"name": "leaked", "scopes": ["read", "plan", "audit"]}).json()
    headers = bearer(token["secret"])
    assert anonymous.get(PLANS, headers=headers).status_code == 200
    assert client.delete(f"{TOKENS}/{token['id']}").status_code == 204
    unknown = anonymous.get(PLANS, headers=bearer("stw_" + "x" * 43))
    for method, address in (("GET", PLANS), ("POST", PLANS), ("GET", "/api/v1/audit"), ("DELETE", f"{TOKENS}/current")):
        answer = anonymous.request(method, address, headers=headers)
        # The answer does not show that it ever was a token.
        assert (answer.status_code, answer.json()) == (401, unknown.json())


@pytest.mark.parametrize("scope", get_args(Scope))
def test_a_token_of_any_scope_makes_no_token_and_touches_neither_people_nor_accounts(
    anonymous: TestClient, gate: Database, org_id: UUID, scope: Scope
) -> None:
    owner = new_member(gate, org_id)
    whom = new_member(gate, org_id, "viewer")
    headers = bearer(token_of(gate, org_id, [scope], person_id=owner))
    tries: list[tuple[str, str, object]] = [
        ("POST", TOKENS, {"name": "another", "scopes": ["read", "plan", "measure", "audit"]}),
        ("GET", TOKENS, None),
        ("PATCH", f"{MEMBERS}/{whom}", {"role": "owner"}),
        ("DELETE", f"{MEMBERS}/{whom}", None),
        ("POST", f"{MEMBERS}/{whom}/reset", None),
        ("POST", INVITATIONS, {"email": "mallory@example.org", "role": "owner"}),
        ("POST", "/api/v1/team/leave", None),
        ("DELETE", "/api/v1/team", {"name": f"Team {org_id}"}),
        ("PATCH", "/api/v1/account", {"name": "Mallory"}),
        ("GET", "/api/v1/sessions", None),
        ("DELETE", "/api/v1/sessions", None),
        ("POST", "/api/v1/catalogs/refresh", None),
    ]
    assert {
        (method, address): anonymous.request(method, address, json=body, headers=headers).status_code
        for method, address, body in tries
    } == {(method, address): 404 for method, address, _ in tries}


def test_a_token_does_not_become_a_session_by_taking_up_an_invitation(
    client: TestClient, anonymous: TestClient, gate: Database, other_org_id: UUID
) -> None:
    person_id = new_person(gate, "Grace", "grace-of-tokens@example.org")
    join(gate, other_org_id, person_id, "viewer")
    link = client.post(INVITATIONS, json={"email": "grace-of-tokens@example.org", "role": "owner"}).json()["link"]
    headers = bearer(token_of(gate, other_org_id, ["read"], person_id=person_id))
    answer = anonymous.post("/api/v1/invitations/accept", json={"secret": link.partition("#")[2]}, headers=headers)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "password")
    assert COOKIE not in anonymous.cookies


@pytest.mark.parametrize("role", get_args(Role))
def test_a_token_gets_no_permission_that_its_creator_lacks(
    anonymous: TestClient, gate: Database, org_id: UUID, role: Role
) -> None:
    client = signed_in(anonymous, gate, org_id, role)
    made = {
        scope: client.post(TOKENS, json={"name": scope, "scopes": [scope]}).status_code == 201
        for scope in get_args(Scope)
    }
    assert made == {scope: held <= GRANTS[role] for scope, held in SCOPES.items()}
    assert made["audit"] is (role == "owner")
    refused = client.post(TOKENS, json={"name": "all", "scopes": list(get_args(Scope))})
    assert role == "owner" or refused.json()["errors"][0]["path"] == "scopes"


def test_a_token_may_what_its_person_may_now_and_not_what_they_could_when_it_was_made(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    owner = new_member(gate, org_id)
    headers = bearer(token_of(gate, org_id, ["read", "plan", "audit"], person_id=owner))

    def allowed() -> tuple[bool, bool, bool]:
        answers = (
            anonymous.get(PLANS, headers=headers),
            anonymous.post(PLANS, json=QUESTION, headers=headers),
            anonymous.get("/api/v1/audit", headers=headers),
        )
        return answers[0].is_success, answers[1].is_success, answers[2].is_success

    assert allowed() == (True, True, True)
    for role, may in (("planner", (True, True, False)), ("viewer", (True, False, False))):
        client.patch(f"{MEMBERS}/{owner}", json={"role": role})
        assert allowed() == may
    client.delete(f"{MEMBERS}/{owner}")
    assert allowed() == (False, False, False)
    # After joining again, the person has no token: the old one stays revoked.
    join(gate, org_id, owner, "owner")
    assert allowed() == (False, False, False)


def test_a_token_of_one_team_sees_nothing_of_another_that_its_person_is_in(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    saved = client.post(PLANS, json=QUESTION).json()["id"]
    both = new_member(gate, org_id)
    join(gate, other_org_id, both, "owner")
    headers = bearer(token_of(gate, other_org_id, ["read", "plan"], person_id=both))
    assert anonymous.get(f"{PLANS}/{saved}", headers=headers).status_code == 404
    assert anonymous.get(PLANS, headers=headers).json()["plans"] == []


@pytest.mark.parametrize("given", ["", "stw_", "stw_" + "A" * 5_000, "STW_" + "A" * 43, "stw_%00", "stw_' OR '1'='1"])
def test_what_only_looks_like_a_token_is_none(anonymous: TestClient, given: str) -> None:
    assert anonymous.get(PLANS, headers=bearer(given)).status_code == 401


def test_a_share_links_secret_is_no_token_and_a_token_no_share_links(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    plan_id = client.post(PLANS, json=QUESTION).json()["id"]
    link = client.post("/api/v1/links", json={"kind": "plan", "object_id": plan_id}).json()["address"]
    secret = link.rpartition("/")[2]
    for given in (secret, f"stw_{secret}"):
        assert anonymous.get(PLANS, headers=bearer(given)).status_code == 401
    assert anonymous.get(f"/api/v1/shared/{token_of(gate, org_id, ['read'])}").status_code == 404
