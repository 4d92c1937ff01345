"""The current team: its members and their roles, and leaving it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import get_args
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from people import join, new_member, new_person, signed_in, signed_in_as, token_of
from stowage.features.teams import members
from stowage.features.teams.sign_in.store import people, team
from stowage.model.team import Role
from stowage.platform.access import DENIED
from stowage.platform.database.database import Database
from stowage.platform.errors import Conflict

TEAM = "/api/v1/team"
MEMBERS = "/api/v1/team/members"
PREVIEW = "/api/v1/plans/preview"
QUESTION = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}}


@pytest.fixture
def member(app: FastAPI) -> Iterator[TestClient]:
    """Yield a second browser."""
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def me(client: TestClient) -> str:
    mine: list[str] = [each["person_id"] for each in client.get(MEMBERS).json()["members"] if each["is_me"]]
    [mine_only] = mine
    return mine_only


def test_the_team_is_told_with_what_one_is_in_it(client: TestClient, gate: Database, org_id: UUID) -> None:
    new_member(gate, org_id, "viewer")
    assert client.get(TEAM).json() == {
        "org_id": str(org_id),
        "name": f"Team {org_id}",
        "role": "owner",
        "members": 2,
        "mail": False,
    }


def test_an_owner_renames_the_team(client: TestClient) -> None:
    assert client.patch(TEAM, json={"name": "Storage"}).json()["name"] == "Storage"
    assert client.get(TEAM).json()["name"] == "Storage"
    assert client.patch(TEAM, json={"name": "Two\nlines"}).status_code == 422


def test_members_are_listed_by_name_with_what_they_are(client: TestClient, gate: Database, org_id: UUID) -> None:
    for name, role in (("zoe", "viewer"), ("Bob", "planner")):
        join(gate, org_id, new_person(gate, name, f"{name.lower()}-{uuid4().hex}@example.org"), role)  # type: ignore[arg-type]
    listed = client.get(MEMBERS).json()["members"]
    assert [(each["name"], each["role"], each["is_me"]) for each in listed if each["name"] in {"Bob", "zoe"}] == [
        ("Bob", "planner", False),
        ("zoe", "viewer", False),
    ]
    assert listed == sorted(listed, key=lambda each: each["name"].lower())
    assert [each["is_me"] for each in listed].count(True) == 1


@pytest.mark.parametrize("role", get_args(Role))
def test_only_owners_change_who_is_in_the_team(member: TestClient, gate: Database, org_id: UUID, role: Role) -> None:
    whom = new_member(gate, org_id, "viewer")
    new_member(gate, org_id, "owner")
    signed_in(member, gate, org_id, role)
    assert member.get(MEMBERS).status_code == 200
    answers = [
        member.patch(TEAM, json={"name": "Another"}),
        member.patch(f"{MEMBERS}/{whom}", json={"role": "planner"}),
        member.post(f"{MEMBERS}/{whom}/reset"),
        member.get(f"{TEAM}/invitations"),
        member.delete(f"{MEMBERS}/{whom}"),
    ]
    if role == "owner":
        assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 204]
    else:
        assert {(answer.status_code, answer.json()["detail"]) for answer in answers} == {(404, DENIED)}


def test_another_role_holds_from_the_next_request_on_for_sessions_and_tokens(
    client: TestClient, member: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id, "viewer")
    signed_in_as(member, gate, person_id)
    token = {"Authorization": f"Bearer {token_of(gate, org_id, ['plan'], person_id=person_id)}"}

    def may_plan() -> tuple[int, int]:
        by_token = anonymous.post(PREVIEW, json=QUESTION, headers=token)
        return member.post(PREVIEW, json=QUESTION).status_code, by_token.status_code

    assert may_plan() == (404, 404)
    changed = client.patch(f"{MEMBERS}/{person_id}", json={"role": "planner"}).json()
    assert (changed["person_id"], changed["role"]) == (str(person_id), "planner")
    assert may_plan() == (200, 200)
    client.patch(f"{MEMBERS}/{person_id}", json={"role": "contributor"})
    assert may_plan() == (404, 404)


def test_a_team_keeps_an_owner(client: TestClient, gate: Database, org_id: UUID) -> None:
    mine = me(client)
    for answer in (
        client.patch(f"{MEMBERS}/{mine}", json={"role": "viewer"}),
        client.delete(f"{MEMBERS}/{mine}"),
        client.post(f"{TEAM}/leave"),
    ):
        assert answer.status_code == 409
        assert "needs an owner" in answer.json()["detail"]
    assert client.patch(f"{MEMBERS}/{mine}", json={"role": "owner"}).status_code == 200
    new_member(gate, org_id, "owner")
    assert client.post(f"{TEAM}/leave").status_code == 204


def test_of_two_owners_who_take_the_role_from_each_other_at_once_one_stays(
    database: Database, gate: Database, org_id: UUID
) -> None:
    pair = [new_member(gate, org_id), new_member(gate, org_id)]

    def demote(whom: UUID) -> bool:
        try:
            members.change_role(database, org_id, whom, "viewer", whom)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as both:
        done = list(both.map(demote, pair))
    assert sorted(done) == [False, True]
    with database.transaction(org_id) as connection:
        assert len(team.lock_owners(connection)) == 1


def test_a_removed_member_sees_nothing_any_more_and_leaves_no_token(
    client: TestClient, member: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id, "planner")
    signed_in_as(member, gate, person_id)
    token = {"Authorization": f"Bearer {token_of(gate, org_id, ['read'], person_id=person_id)}"}
    assert member.get(TEAM).status_code == anonymous.get(TEAM, headers=token).status_code == 200
    assert client.delete(f"{MEMBERS}/{person_id}").status_code == 204
    assert member.get(TEAM).status_code == 404
    assert anonymous.get(TEAM, headers=token).status_code == 401
    assert client.get("/api/v1/tokens").json() == {"tokens": []}
    assert client.delete(f"{MEMBERS}/{person_id}").status_code == 404


def test_a_member_who_leaves_is_in_no_team_and_cannot_leave_again(
    client: TestClient, member: TestClient, gate: Database, org_id: UUID
) -> None:
    signed_in(member, gate, org_id, "viewer")
    assert member.post(f"{TEAM}/leave").status_code == 204
    assert member.post(f"{TEAM}/leave").status_code == 404
    assert client.get(TEAM).json()["members"] == 1


def test_members_of_another_team_cannot_be_changed_or_removed(
    client: TestClient, gate: Database, other_org_id: UUID
) -> None:
    theirs = new_member(gate, other_org_id, "viewer")
    for whom in (theirs, uuid4()):
        for answer in (
            client.patch(f"{MEMBERS}/{whom}", json={"role": "owner"}),
            client.post(f"{MEMBERS}/{whom}/reset"),
            client.delete(f"{MEMBERS}/{whom}"),
        ):
            assert (answer.status_code, answer.json()["detail"]) == (404, DENIED)


def test_the_link_for_a_new_password_of_a_member_is_shown_where_there_is_no_mail(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id, "viewer")
    given = client.post(f"{MEMBERS}/{person_id}/reset").json()
    assert given["sent"] is False
    address, _, secret = given["link"].partition("#")
    assert address == "http://localhost/reset"
    again = client.post(f"{MEMBERS}/{person_id}/reset").json()["link"].partition("#")[2]
    body = {"password": "marmot ladder quiet 71"}
    # Only the newest link is valid, and once.
    spent, good, twice = (
        anonymous.post("/api/v1/account/reset/password", json=body | {"secret": each})
        for each in (secret, again, again)
    )
    assert (spent.status_code, good.status_code, twice.status_code) == (404, 200, 404)
    assert good.json()["person"]["person_id"] == str(person_id)


def test_for_a_person_in_another_team_too_it_is_not(
    client: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id = new_member(gate, org_id, "viewer")
    join(gate, other_org_id, person_id, "owner")
    answer = client.post(f"{MEMBERS}/{person_id}/reset")
    assert answer.status_code == 409
    assert "can only be mailed" in answer.json()["detail"]


def test_who_joins_another_team_is_not_followed_there_by_a_link_that_was_shown_before(
    client: TestClient,
    other_client: TestClient,
    member: TestClient,
    anonymous: TestClient,
    gate: Database,
    org_id: UUID,
) -> None:
    email = f"{uuid4().hex}@example.org"
    victim = new_person(gate, "Vic", email)
    join(gate, org_id, victim, "viewer")
    with gate.transaction(None) as connection:
        people.verify_email(connection, victim, email)
    shown = client.post(f"{MEMBERS}/{victim}/reset").json()["link"].partition("#")[2]
    invitation = other_client.post(f"{TEAM}/invitations", json={"email": email, "role": "owner"}).json()["link"]
    signed_in_as(member, gate, victim)
    joined = member.post("/api/v1/invitations/accept", json={"secret": invitation.partition("#")[2]})
    assert len(joined.json()["teams"]) == 2
    taken_over = anonymous.post(
        "/api/v1/account/reset/password", json={"secret": shown, "password": "marmot ladder quiet 71"}
    )
    assert taken_over.status_code == 404
    assert member.get("/api/v1/session").json()["person"]["has_password"] is False
