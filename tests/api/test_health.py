"""Liveness and readiness are separate checks; neither answer reveals where a component runs."""

import json
import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from database import opened
from people import COOKIE, signed_in
from shared_postgres import new_database
from stowage.api import health
from stowage.api.app import create_app
from stowage.platform.database.database import Database
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.queue import Queue
from stowage.web.services import Services

NOWHERE = "postgresql://unknown:s3cret@/nowhere?host=/nonexistent"


@pytest.fixture
def queue() -> Iterator[Queue]:
    """Yield a Redis in which no worker ever registered."""
    with (
        TemporaryDirectory(prefix="stowage-redis-") as folder,
        embedded_redis(Path(folder)) as url,
        Queue(url) as queue,
    ):
        yield queue


@contextmanager
def api(services: Services) -> Iterator[TestClient]:
    app = create_app(services, page=None)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


@contextmanager
def hanging() -> Iterator[int]:
    """Listen on a port and never send anything."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def statuses(client: TestClient) -> tuple[int, str, dict[str, str]]:
    response = client.get("/api/v1/readiness")
    body = response.json()
    return response.status_code, body["status"], {part["name"]: part["status"] for part in body["parts"]}


def test_alive_answers_while_other_parts_are_down() -> None:
    with (
        opened(NOWHERE) as nowhere,
        Queue("redis://127.0.0.1:1") as no_queue,
        api(Services(nowhere, nowhere, no_queue)) as client,
    ):
        response = client.get("/api/v1/health")
        assert (response.status_code, response.json()["status"]) == (200, "ok")


def test_ready_with_database_tables_and_redis_even_without_workers(database: Database, queue: Queue) -> None:
    with api(Services(database, database, queue)) as client:
        assert statuses(client) == (
            200,
            "ready",
            {
                "database": "ok",
                "migrations": "ok",
                "redis": "ok",
                "worker": "note",
                "worker-periodic": "note",
                "worker-quick": "note",
                "worker-refresh": "note",
                "worker-runs": "note",
                "worker-alerts": "note",
                "scheduler": "note",
            },
        )


def test_a_worker_that_was_seen_is_told(database: Database, queue: Queue) -> None:
    queue.saw("sweeps")
    with api(Services(database, database, queue)) as client:
        [worker] = [part for part in client.get("/api/v1/readiness").json()["parts"] if part["name"] == "worker"]
        assert worker["status"] == "ok"
        # Less than a minute: the number of seconds depends on the load of the machine.
        assert re.fullmatch(r"last seen [0-5]?\d s ago", worker["detail"])


def test_not_ready_before_the_tables_are_made(queue: Queue) -> None:
    with (
        opened(new_database("empty").application) as database,
        api(Services(database, database, queue)) as client,
    ):
        status, _, parts = statuses(client)
        assert (status, parts["database"], parts["migrations"]) == (503, "ok", "failed")


def test_not_ready_where_nothing_answers_and_nothing_is_told_of_where(caplog: pytest.LogCaptureFixture) -> None:
    with (
        opened(NOWHERE) as nowhere,
        Queue("redis://:s3cret@127.0.0.1:1") as no_queue,
        api(Services(nowhere, nowhere, no_queue)) as client,
    ):
        response = client.get("/api/v1/readiness")
        assert response.status_code == 503
        parts = {part["name"]: part["status"] for part in response.json()["parts"]}
        assert (parts["database"], parts["migrations"], parts["redis"]) == ("failed", "failed", "failed")
        for told in ("nonexistent", "nowhere", "unknown", "127.0.0.1", "s3cret"):
            assert told not in response.text
        # The log holds the details that the answer omits.
        assert "nonexistent" in caplog.text


def test_servers_that_hang_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "PATIENCE_S", 0.1)
    with (
        hanging() as port,
        opened(f"postgresql://app@127.0.0.1:{port}/stowage") as database,
        Queue(f"redis://127.0.0.1:{port}") as queue,
        api(Services(database, database, queue)) as client,
    ):
        status, _, parts = statuses(client)
        assert (status, parts["database"], parts["redis"]) == (503, "failed", "failed")
        assert caplog.text.count("too late") == 2


def test_a_server_that_hangs_holds_one_thread_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PATIENCE_S", 0.05)
    with (
        socket.socket() as listener,
        Queue("redis://127.0.0.1:1") as queue,
    ):
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        url = f"postgresql://app@127.0.0.1:{listener.getsockname()[1]}/stowage"
        with opened(url) as database, api(Services(database, database, queue)) as client:
            for _ in range(10):
                assert client.get("/api/v1/readiness").status_code == 503
            first, _ = listener.accept()
            listener.settimeout(0)
            with first, pytest.raises(BlockingIOError):
                listener.accept()


def test_a_service_that_stops_is_no_longer_ready(database: Database, queue: Queue) -> None:
    services = Services(database, database, queue)
    with api(services) as client:
        assert client.get("/api/v1/readiness").status_code == 200
        services.stopping.set()
        assert client.get("/api/v1/readiness").status_code == 503
        assert client.get("/api/v1/health").status_code == 200


def test_a_harmless_name_of_a_request_is_kept_and_another_is_not(database: Database, queue: Queue) -> None:
    with api(Services(database, database, queue)) as client:
        kept = client.get("/api/v1/health", headers={"x-request-id": "Upload-42"})
        assert kept.headers["x-request-id"] == "Upload-42"
        for given in ("a b", "x" * 65, "<script>", "", "a\tb"):
            answer = client.get("/api/v1/health", headers={"x-request-id": given})
            assert answer.headers["x-request-id"].isalnum()
            assert answer.headers["x-request-id"] != given
        names = {client.get("/api/v1/health").headers["x-request-id"] for _ in range(50)}
        assert len(names) == 50


def test_the_reference_of_a_503_is_the_name_of_the_request_and_found_in_the_log(
    queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(NOWHERE) as nowhere, api(Services(nowhere, nowhere, queue)) as client:
        client.cookies.set(COOKIE, "a secret that cannot be looked up")
        response = client.get("/api/v1/plans")
        assert response.status_code == 503
        assert response.headers["content-type"] == "application/problem+json"
        assert "nonexistent" not in response.text
        reference = response.json()["reference"]
        assert reference == response.headers["x-request-id"]
        [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert reference in record.getMessage()
        assert "nonexistent" in record.getMessage()


def test_the_reference_of_a_500_is_too_and_the_trace_stands_beside_it(
    database: Database, queue: Queue, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(broken_id: str) -> None:
        raise ZeroDivisionError(broken_id)

    app = create_app(Services(database, database, queue), page=None)
    app.add_api_route("/api/v1/broken/{broken_id}", broken)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        response = client.get("/api/v1/broken/4711", headers={"x-request-id": "seen-by-the-user"})
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.json()["reference"] == response.headers["x-request-id"] == "seen-by-the-user"
    assert "4711" not in response.text
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "seen-by-the-user" in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError
    assert vars(record)["path"] == "/api/v1/broken/{broken_id}"


def test_each_request_is_a_line_with_the_template_of_its_path(
    database: Database, gate: Database, queue: Queue, org_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="stowage.api.requests")
    with api(Services(database, gate, queue)) as client:
        signed_in(client, gate, org_id)
        client.get("/api/v1/plans/00000000-0000-4000-8000-000000000000")
        client.get("/api/v1/plans?limit=0")
        client.get("/api/v1/teapots/private")
        client.get("/plans/private")
        client.get("/api/v1/plans", headers={"host": "rebound.example"})
        client.get("/api/v1/health")
    told = [(vars(record)["method"], vars(record)["path"], vars(record)["status"]) for record in caplog.records]
    assert told == [
        ("GET", "/api/v1/plans/{plan_id}", 404),
        ("GET", "/api/v1/plans", 422),
        ("GET", "(no route)", 404),
        ("GET", "(page)", 404),
        ("GET", "(no route)", 400),
    ]
    assert all(vars(record)["duration_s"] >= 0 for record in caplog.records)
    assert "private" not in json.dumps([record.getMessage() for record in caplog.records])
