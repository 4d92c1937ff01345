"""Services of docker-compose.yml together: the same commands, environment, roles, passwords and order.

Not covered here: the containers around them, and the proxy in front.
"""

import json
import re
import socket
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from composition import PATIENCE_S, Composed, composed, composition, new_secrets
from process import lives, redeemed

NO_SECRETS_KEY = "A" * 43 + "="
PLAN = {
    "workload": {"data": "100 TB"},
    "place": {"catalog": "paper-2014"},
    "assume": {"usual": "ignored"},
    "limits": {"max_nodes": 100},
}
SWEEP = {
    "base": {
        "workload": {"data": "1 TB"},
        "place": {"catalog": "paper-2014"},
        "assume": {"usual": "ignored"},
        "limits": {"max_nodes": 200},
    },
    "columns": {"quantity": "data", "values": ["1 TB", "100 TB", "1 PB"]},
    "rows": {"quantity": "deadline", "values": ["10 min", "2 h"]},
}


def finished(client: httpx.Client, job_id: str, services: Composed) -> dict[str, Any]:
    """Follow a job's events until it has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with client.stream("GET", f"/api/v1/jobs/{job_id}/events") as events:
            for _ in events.iter_lines():
                job: dict[str, Any] = client.get(f"/api/v1/jobs/{job_id}").json()
                if job["state"] in {"done", "failed", "cancelled"}:
                    return job
    raise AssertionError(services.said("worker") + services.said("worker-quick"))


@pytest.mark.soak("tools")
def test_a_journey_through_all_services(tmp_path: Path) -> None:
    with composed(tmp_path) as services:
        assert services.order()[0] == "migrate"
        for name in services.order():
            services.start(name)
        workers = ("worker", "worker-periodic", "worker-quick", "worker-refresh", "worker-runs", "worker-alerts")
        for name in ("api", *workers, "scheduler"):
            services.wait(name, "service_healthy")
        with httpx.Client(base_url=f"http://127.0.0.1:{services.replaced['STOWAGE_PORT']}") as client:
            ready = client.get("/api/v1/readiness").json()
            assert {part["name"]: part["status"] for part in ready["parts"]} == dict.fromkeys(
                (
                    "database",
                    "migrations",
                    "redis",
                    "worker",
                    "worker-periodic",
                    "worker-quick",
                    "worker-refresh",
                    "worker-runs",
                    "worker-alerts",
                    "scheduler",
                ),
                "ok",
            )
            assert client.get("/api/v1/plans").status_code == 401
            redeemed(client, services.run("api", "link"))
            saved = client.post("/api/v1/plans", json=PLAN, headers={"x-request-id": "journey-1"})
            assert saved.status_code == 201, saved.text
            assert client.get(saved.headers["location"]).json() == saved.json()
            sweep = client.post("/api/v1/sweeps", json=SWEEP).json()
            job = finished(client, sweep["job"]["id"], services)
            assert (job["state"], job["done"], job["total"]) == ("done", 6, 6)
            assert len(client.get(f"/api/v1/sweeps/{sweep['id']}").json()["cells"]) == 6
        assert services.stop() == dict.fromkeys(services.running, 0)
        _logs_are_json_without_secrets(services)
        told = records(services, "api")
        assert [record["status"] for record in told if record.get("request_id") == "journey-1"] == [201]
        assert [record for record in told if record.get("path") == "/api/v1/plans/{plan_id}"]


@pytest.mark.soak("tools")
def test_without_its_database_the_service_lives_and_is_not_ready(tmp_path: Path) -> None:
    with composed(tmp_path) as services:
        services.start("migrate")
        services.wait("migrate", "service_completed_successfully")
        services.start("api")
        services.wait("api", "service_healthy")
        secrets = dict(services.secrets)
        services.stop()
        # With another password the server answers, but refuses access.
        wrong = {name: re.sub(r":\w+@", ":wrong@", secrets[name]) for name in ("database_url", "gate_database_url")}
        services.secrets = {**secrets, **wrong}
        services.start("api")
        with httpx.Client(base_url=f"http://127.0.0.1:{services.replaced['STOWAGE_PORT']}") as client:
            while True:
                try:
                    assert client.get("/api/v1/health").status_code == 200
                    break
                except httpx.ConnectError:
                    assert lives(services.running["api"]), services.said("api")
            assert client.get("/api/v1/readiness").status_code == 503
            refused = client.get("/api/v1/plans", headers={"Authorization": f"Bearer stw_{'0' * 43}"})
            assert refused.status_code == 503
            assert refused.json()["reference"] in services.said("api")
        assert services.stop()["api"] == 0


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("api", "DATABASE_URL"),
        ("api", "GATE_DATABASE_URL"),
        ("api", "REDIS_URL"),
        ("worker-periodic", "GATE_DATABASE_URL"),
        ("migrate", "DATABASE_URL"),
        ("migrate", "MIGRATIONS_DATABASE_URL"),
    ],
)
def test_a_secret_that_is_missing_is_named(tmp_path: Path, name: str, missing: str) -> None:
    service = composition()["services"][name]
    kept = [secret for secret in service["secrets"] if secret.upper() != missing]
    secrets = {secret: (new_secrets(tmp_path / secret) / secret).read_text().strip() for secret in kept}
    services = Composed({name: {**service, "secrets": kept, "depends_on": {}}}, {}, secrets, tmp_path)
    services.start(name)
    assert services.running[name].wait(PATIENCE_S) == 2
    assert missing in services.said(name)
    assert "Traceback" not in services.said(name)


def test_an_address_that_is_taken_is_named(tmp_path: Path) -> None:
    secrets = {
        "database_url": "postgresql://app@127.0.0.1:1/stowage",
        "gate_database_url": "postgresql://gate@127.0.0.1:1/stowage",
        "redis_url": "redis://127.0.0.1:1",
        "stowage_secrets_key": NO_SECRETS_KEY,
    }
    service = {**composition()["services"]["api"], "depends_on": {}}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        services = Composed(
            {"api": service}, {"STOWAGE_BIND": "127.0.0.1", "STOWAGE_PORT": str(port)}, secrets, tmp_path
        )
        services.start("api")
        assert services.running["api"].wait(PATIENCE_S) == 1
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in services.said("api")
    assert "Traceback" not in services.said("api")


def test_a_migration_that_fails_says_why_in_one_line(tmp_path: Path) -> None:
    secrets = {
        "database_url": "postgresql://app:s3cret@127.0.0.1:1/stowage",
        "gate_database_url": "postgresql://gate:s3cret@127.0.0.1:1/stowage",
        "migrations_database_url": "postgresql://owner:s3cret@127.0.0.1:1/stowage",
        "stowage_secrets_key": NO_SECRETS_KEY,
    }
    service = {**composition()["services"]["migrate"], "depends_on": {}}
    services = Composed({"migrate": service}, {}, secrets, tmp_path)
    services.start("migrate")
    assert services.running["migrate"].wait(PATIENCE_S) == 1
    [record] = records(services, "migrate")
    assert record["event"].startswith("not migrated: no connection to the database 'stowage'")
    assert "s3cret" not in services.said("migrate")
    assert (services.logs / "migrate.err").read_text() == ""


def records(services: Composed, name: str) -> list[dict[str, Any]]:
    lines = (services.logs / f"{name}.out").read_text().splitlines()
    # Celery writes this past all logging when it is asked to stop.
    return [json.loads(line) for line in lines if line not in {"", "worker: Warm shutdown (MainProcess)"}]


def _logs_are_json_without_secrets(services: Composed) -> None:
    passwords = {
        value if ":" not in value else value.split(":", 2)[2].split("@")[0]
        for name, value in services.secrets.items()
        # Secrets that the operator has not filled in are empty.
        if value and name != "redis_acl"
    }
    for name in services.running:
        assert (services.logs / f"{name}.err").read_text() == "", name
        assert all({"time", "level", "logger", "event"} <= set(record) for record in records(services, name))
        said = services.said(name)
        assert not [password for password in passwords if password in said]
        # Celery warns about root: the container has another user, this machine may run as root.
        loud = [record for record in records(services, name) if record["level"] in {"warning", "error"}]
        assert [record for record in loud if "superuser privileges" not in record["event"]] == [], name
