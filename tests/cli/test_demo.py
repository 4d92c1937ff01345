"""The example team from a terminal: loaded on the first start, removed, brought back; beside a service and alone."""

from pathlib import Path
from typing import Any

import httpx2 as httpx

from process import PATIENCE_S, redeemed, running, stowage
from stowage.usecases.demo import JOB_ID, PLANS, SWEEPS


def example(client: httpx.Client) -> dict[str, Any]:
    [team] = [team for team in client.get("/api/v1/teams").json() if team["key"] == "example"]
    return dict(team)


def measured(client: httpx.Client) -> int:
    return len(client.get("/api/v1/measurements?team=example&limit=100").json()["measurements"])


def await_end(client: httpx.Client, job_id: str) -> str:
    """Follow a job to its end and give its last state."""
    with client.stream("GET", f"/api/v1/jobs/{job_id}/events?team=example") as response:
        lines = [line for line in response.iter_lines() if line.startswith("data: ")]
    return lines[-1]


def test_the_first_start_prints_a_link_that_works_once_and_loads_it_and_no_later_one_brings_it_back(home: Path) -> None:
    loaded = {"key": "example", "plans": len(PLANS), "sweeps": len(SWEEPS)}
    empty = {"key": "example", "plans": 0, "sweeps": 0}
    settings = {"STOWAGE_HOME": str(home)}
    with running(settings) as up, httpx.Client(base_url=up.address, timeout=PATIENCE_S) as client:
        assert client.get("/api/v1/plans").status_code == 401
        redeemed(client, up.link)
        session = client.get("/api/v1/session").json()
        assert (session["person"]["name"], session["team"]["role"]) == ("Local owner", "owner")
        secret = up.link.rpartition("#")[2]
        with httpx.Client(base_url=up.address) as another:
            assert another.post("/api/v1/session/link", json={"secret": secret}).status_code == 401
        assert '"state":"done"' in await_end(client, str(JOB_ID))
        assert example(client) == loaded
        assert measured(client) == 19
        assert client.get("/api/v1/plans").json()["plans"] == []
        removed = stowage("demo", "remove", settings=settings)
        assert (removed.returncode, removed.stderr) == (0, "")
        assert (example(client), measured(client)) == (empty, 0)
        logs = list((home / "log").iterdir())
        assert logs
        assert not [path for path in logs if secret in path.read_text(errors="replace")]
    with running(settings) as up:
        client = up.client()
        assert example(client) == empty
        reset = stowage("demo", "reset", settings=settings)
        assert (reset.returncode, reset.stderr) == (0, "")
        assert (example(client), measured(client)) == (loaded, 19)


def test_it_is_loaded_and_computed_where_nothing_runs(home: Path) -> None:
    done = stowage("demo", "load", settings={"STOWAGE_HOME": str(home)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "computed its sweeps" in done.stdout
    again = stowage("demo", "load", settings={"STOWAGE_HOME": str(home)})
    assert (again.returncode, again.stderr) == (0, "")


def test_one_server_alone_is_not_enough(home: Path) -> None:
    given = {"STOWAGE_HOME": str(home), "DATABASE_URL": "postgresql://app@/stowage"}
    refused = stowage("demo", "load", settings=given)
    assert refused.returncode == 2
    assert "REDIS_URL is not set" in refused.stderr
    assert not home.exists()


def test_an_action_that_there_is_not() -> None:
    refused = stowage("demo", "drop", settings={})
    assert refused.returncode == 2
    assert "'load', 'remove', 'reset'" in refused.stderr
