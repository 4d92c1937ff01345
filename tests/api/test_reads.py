"""Reads: one transaction and at most three round trips to the database, and admitted as strictly as other requests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from people import COOKIE, join, new_member, new_person, session_of, signed_in_as, token_of
from stowage.platform.database.database import Database
from walk import BODIES


class Traced:
    """Messages between the databases and their server, as libpq writes them to a file for each connection."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[Any, IO[str]] = {}

    def watch(self, connection: Any, *_: object) -> None:
        if connection not in self._files:
            file = (self._folder / str(len(self._files))).open("w+")
            connection.pgconn.trace(file.fileno())
            self._files[connection] = file

    def count(self, call: Callable[[], object]) -> tuple[int, int]:
        """Return the transactions and the round trips of a call."""
        before = len(self._lines())
        call()
        new = self._lines()[before:]
        begun = sum("CommandComplete" in line and "BEGIN" in line for line in new)
        return begun, sum("ReadyForQuery" in line for line in new)

    def _lines(self) -> list[str]:
        return [line for each in sorted(self._folder.iterdir()) for line in each.read_text().splitlines()]

    def close(self) -> None:
        for connection, file in self._files.items():
            connection.pgconn.untrace()
            file.close()


@pytest.fixture
def traced(database: Database, gate: Database, tmp_path: Path) -> Iterator[Traced]:
    """Yield the messages of all connections of both databases, from their next use on."""
    traced = Traced(tmp_path)
    pools = [of._engine for of in (database, gate)]  # noqa: SLF001 - no other way to see what is sent
    for pool in pools:
        # Each connection prepares its own statements: those that earlier tests left would take turns here.
        pool.dispose()
        event.listen(pool, "checkout", traced.watch)
    yield traced
    for pool in pools:
        event.remove(pool, "checkout", traced.watch)
    traced.close()


@pytest.mark.parametrize("path", ["/me", "/plans", "/plans?search=sort", "/sessions", "/team/members"])
def test_a_read_takes_one_transaction_and_at_most_three_round_trips(
    client: TestClient, traced: Traced, path: str
) -> None:
    def read() -> None:
        assert client.get(f"/api/v1{path}").status_code == 200

    # The first request of a caller finds the team; psycopg prepares a statement when it comes for the sixth time.
    for _ in range(8):
        read()
    transactions, round_trips = traced.count(read)
    assert transactions == 1
    assert 1 < round_trips <= 3


def test_a_read_with_a_token_takes_no_more(anonymous: TestClient, gate: Database, org_id: UUID, traced: Traced) -> None:
    anonymous.headers["Authorization"] = f"Bearer {token_of(gate, org_id, ['read'])}"

    def read() -> None:
        assert anonymous.get("/api/v1/plans").status_code == 200

    for _ in range(8):
        read()
    assert traced.count(read) == (1, 3)


def test_a_preview_is_a_read(client: TestClient, traced: Traced) -> None:
    def ask() -> None:
        assert client.post("/api/v1/plans/preview/columns", json=BODIES["preview_columns"]).status_code == 200

    for _ in range(8):
        ask()
    assert traced.count(ask) == (1, 3)


@contextmanager
def _known(client: TestClient) -> Iterator[None]:
    """Ensure that the service knows the caller's team before the block."""
    assert client.get("/api/v1/team").status_code == 200
    assert client.get("/api/v1/team").status_code == 200
    yield


def test_a_session_that_ended_is_refused_at_once(client: TestClient, gate: Database, org_id: UUID) -> None:
    person_id = new_member(gate, org_id)
    signed_in_as(client, gate, person_id)
    with _known(client):
        secret = client.cookies[COOKIE]
        assert client.delete("/api/v1/session").status_code == 204
    client.cookies.set(COOKIE, secret)
    answers = [client.get(f"/api/v1{path}") for path in ("/team", "/me", "/plans")]
    questions: list[object] = [BODIES["preview_plan"], {}]
    answers += [client.post("/api/v1/plans/preview", json=question) for question in questions]
    assert {(each.status_code, each.headers["WWW-Authenticate"]) for each in answers} == {(401, "Bearer")}


def test_a_read_follows_the_session_to_another_team(
    client: TestClient, gate: Database, org_id: UUID, other_org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    join(gate, other_org_id, person_id, "viewer")
    signed_in_as(client, gate, person_id)
    with _known(client):
        assert client.put("/api/v1/session/team", json={"org_id": str(other_org_id)}).status_code == 200
    for _ in range(2):
        assert client.get("/api/v1/team").json()["org_id"] == str(other_org_id)


def test_a_role_that_was_taken_away_counts_at_once(
    client: TestClient, gate: Database, database: Database, org_id: UUID
) -> None:
    person_id = new_member(gate, org_id)
    signed_in_as(client, gate, person_id)
    with _known(client), database.transaction(org_id) as connection:
        connection.exec_driver_sql("UPDATE membership SET role = 'viewer' WHERE person_id = %s", (person_id,))
    assert client.get("/api/v1/team/invitations").status_code == 404
    with database.transaction(org_id) as connection:
        connection.exec_driver_sql("DELETE FROM membership WHERE person_id = %s", (person_id,))
    assert client.get("/api/v1/plans").status_code == 404


def test_what_is_wrong_with_a_read_is_told_to_admitted_callers_only(
    client: TestClient, gate: Database, org_id: UUID
) -> None:
    signed_in_as(client, gate, new_member(gate, org_id))
    with _known(client):
        assert client.get("/api/v1/plans?limit=0").status_code == 422
        secret = client.cookies[COOKIE]
        assert client.delete("/api/v1/session").status_code == 204
    client.cookies.set(COOKIE, secret)
    assert client.get("/api/v1/plans?limit=0").status_code == 401


def test_a_team_that_reads_the_example_sees_no_rows_of_its_own(
    client: TestClient, app: FastAPI, gate: Database
) -> None:
    person_id = new_person(gate)
    client.cookies.set(COOKIE, session_of(gate, person_id))
    for _ in range(3):
        assert client.get("/api/v1/plans").status_code == 404
        answer = client.get("/api/v1/plans?team=example")
        assert (answer.status_code, answer.json()["plans"]) == (200, [])
    assert app.state.services.org_ids["local"]
