"""Deletion of a team: all its rows are deleted, and none of other teams."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from database import superuser
from filled import empty, fill
from people import join, new_member, new_person, signed_in, signed_in_as, token_of
from quoted import approved, connected
from reported import ended, launched
from stowage.features.benchmarks.aws_accounts import DOUBT
from stowage.features.benchmarks.runs import demand_nothing_runs
from stowage.features.teams import members
from stowage.model.team import Role
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.errors import Conflict, NotFound

TEAM = "/api/v1/team"
PLANS = "/api/v1/plans"
QUESTION = {"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}, "choose": {"families": ["i4i"]}}


@pytest.fixture
def second(app: FastAPI) -> Iterator[TestClient]:
    """Yield a second browser."""
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def rows_of(postgres: DatabaseUrls, org_id: UUID) -> dict[str, int]:
    """Count the rows of a team in every table, and the sessions in which it is the current team."""
    with superuser(postgres) as connection:
        tables = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND (column_name = 'org_id' OR (table_name, column_name) = ('session', 'team_id'))"
        ).fetchall()
        counts = {}
        for table, column in tables:
            [(count,)] = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} = %s", [org_id]).fetchall()
            counts[table] = count
    return counts


def known(postgres: DatabaseUrls, *people: UUID) -> list[bool]:
    with superuser(postgres) as connection:
        rows = connection.execute("SELECT person_id FROM person WHERE person_id = ANY(%s)", [list(people)]).fetchall()
    return [(person_id,) in rows for person_id in people]


def test_a_deleted_team_leaves_no_row_in_any_table_and_other_teams_keep_all(
    client: TestClient,
    other_client: TestClient,
    postgres: DatabaseUrls,
    org_id: UUID,
    other_org_id: UUID,
) -> None:
    for browser in (client, other_client):
        plan = browser.post(PLANS, json=QUESTION).json()["id"]
        browser.post("/api/v1/links", json={"kind": "plan", "object_id": plan})
        browser.post("/api/v1/tokens", json={"name": "nightly", "scopes": ["read"]})
        browser.post(f"{TEAM}/invitations", json={"email": "bob@example.org", "role": "viewer"})
    # In addition a row in every table, for both teams.
    for team in (org_id, other_org_id):
        fill(postgres, team)
    before, others = rows_of(postgres, org_id), rows_of(postgres, other_org_id)
    assert min(before.values()) > 0, before
    assert client.request("DELETE", TEAM, json={"name": f"Team {org_id}"}).status_code == 204
    assert rows_of(postgres, org_id) == dict.fromkeys(before, 0)
    assert rows_of(postgres, other_org_id) == others
    empty(postgres, other_org_id)


def test_people_who_are_in_no_other_team_go_with_it(
    client: TestClient,
    second: TestClient,
    gate: Database,
    postgres: DatabaseUrls,
    org_id: UUID,
    other_org_id: UUID,
) -> None:
    alone, both, outside = new_member(gate, org_id, "viewer"), new_member(gate, org_id), new_person(gate)
    join(gate, other_org_id, both, "viewer")
    signed_in_as(second, gate, both)
    assert client.request("DELETE", TEAM, json={"name": f"Team {org_id}"}).status_code == 204
    assert known(postgres, alone, both, outside) == [False, True, True]
    # The person who deleted it is gone too; a member of another team now sees that team.
    assert client.get("/api/v1/me").status_code == 401
    assert second.get("/api/v1/session").json()["team"]["org_id"] == str(other_org_id)


def test_its_tokens_and_links_are_nothing_any_more(
    client: TestClient, anonymous: TestClient, gate: Database, org_id: UUID
) -> None:
    headers = {"Authorization": f"Bearer {token_of(gate, org_id, ['read'])}"}
    plan = client.post(PLANS, json=QUESTION).json()["id"]
    link = client.post("/api/v1/links", json={"kind": "plan", "object_id": plan}).json()["address"]
    shared = f"/api/v1/shared/{link.rpartition('/')[2]}"
    assert anonymous.get(PLANS, headers=headers).status_code == anonymous.get(shared).status_code == 200
    client.request("DELETE", TEAM, json={"name": f"Team {org_id}"})
    assert (anonymous.get(PLANS, headers=headers).status_code, anonymous.get(shared).status_code) == (401, 404)


@pytest.mark.parametrize("name", ["", "team", "Team", "example team"])
def test_the_name_must_be_repeated(client: TestClient, name: str) -> None:
    answer = client.request("DELETE", TEAM, json={"name": name})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "name")
    assert client.get(TEAM).status_code == 200


@pytest.mark.parametrize("role", ["planner", "contributor", "viewer"])
def test_only_owners_delete_a_team(anonymous: TestClient, gate: Database, org_id: UUID, role: Role) -> None:
    client = signed_in(anonymous, gate, org_id, role)
    assert client.request("DELETE", TEAM, json={"name": f"Team {org_id}"}).status_code == 404
    assert client.get(TEAM).status_code == 200


def test_the_example_team_is_not_deleted(database: Database, gate: Database, client: TestClient) -> None:
    with pytest.raises(NotFound):
        members.delete_team(
            database,
            gate,
            EXAMPLE_ORG_ID,
            "example team",
            by=EXAMPLE_ORG_ID,
            now=datetime.now(UTC),
            check=demand_nothing_runs,
        )
    answer = client.request("DELETE", TEAM, json={"name": "example team"}, params={"team": "example"})
    assert answer.status_code == 404


def test_a_team_is_not_deleted_while_a_run_of_it_is_under_way(
    client: TestClient, database: Database, org_id: UUID
) -> None:
    run_id = approved(database, org_id, connected(database, org_id))
    name = {"name": f"Team {org_id}"}
    refused = client.request("DELETE", TEAM, json=name)
    assert refused.status_code == 409
    assert "A benchmark run is under way" in refused.json()["detail"]
    launched(database, org_id, run_id, 2)
    ended(database, org_id, run_id)
    assert client.request("DELETE", TEAM, json=name).status_code == 204


def test_a_team_is_not_deleted_while_a_run_of_it_is_in_doubt(
    client: TestClient, database: Database, gate: Database, org_id: UUID
) -> None:
    run_id = approved(database, org_id, connected(database, org_id))
    launched(database, org_id, run_id, 2)
    ended(database, org_id, run_id, state="failed", outcome="failed", verified=False)
    name = f"Team {org_id}"
    refused = client.request("DELETE", TEAM, json={"name": name})
    assert refused.status_code == 409
    assert "it was not seen that nothing is left" in refused.json()["detail"]
    # An account whose role was withdrawn does not block the deletion forever: its nodes ended themselves long before.
    members.delete_team(
        database, gate, org_id, name, by=EXAMPLE_ORG_ID, now=datetime.now(UTC) + DOUBT, check=demand_nothing_runs
    )
    assert client.get(TEAM).status_code in {401, 404}


class Overtaken(Database):
    """The auth role's database, which runs a function before its transaction."""

    first: Callable[[], object]

    @contextmanager
    def transaction(self, org_id: UUID | None) -> Iterator[Connection]:
        self.first()
        with super().transaction(org_id) as connection:
            yield connection


def test_a_run_that_is_agreed_to_in_the_very_moment_keeps_the_team(
    client: TestClient, database: Database, postgres: DatabaseUrls, org_id: UUID
) -> None:
    account_id, runs = connected(database, org_id), list[UUID]()
    overtaken = Overtaken(postgres.gate)
    overtaken.first = lambda: runs.append(approved(database, org_id, account_id))
    try:
        with pytest.raises(Conflict, match="A benchmark run is under way"):
            members.delete_team(
                database,
                overtaken,
                org_id,
                f"Team {org_id}",
                by=EXAMPLE_ORG_ID,
                now=datetime.now(UTC),
                check=demand_nothing_runs,
            )
    finally:
        overtaken.close()
    assert client.get(f"/api/v1/runs/{runs[0]}").json()["state"] == "approved"


def test_who_deleted_it_stands_in_the_log_where_the_record_is_gone(
    client: TestClient, org_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    me = client.get("/api/v1/me").json()["person"]["person_id"]
    with caplog.at_level(logging.WARNING, "stowage.features.teams.members"):
        client.request("DELETE", TEAM, json={"name": f"Team {org_id}"})
    assert f"team {org_id} was deleted by {me}" in caplog.messages
