"""`stowage up` as a user runs it: started, used and stopped, with nothing left behind."""

import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil
import pytest

from database import opened
from process import (
    PATIENCE_S,
    PLAN,
    FirstStart,
    Running,
    answering,
    await_end,
    ended,
    environment,
    free_port,
    lives,
    redeemed,
    running,
    start,
    stowage,
)
from stowage.cli.server import up as up_command
from stowage.cli.server.background import LONG_QUEUES, PERIODIC_QUEUES, SHORT_QUEUES, connections_for
from stowage.cli.server.running import running as found_running
from stowage.example import JOB_ID, PLANS, SWEEPS
from stowage.example import remove as remove_example
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.embedded import find_program
from stowage.platform.jobs.jobs import read_job
from stowage.settings import Settings

SWEEP = {
    "base": {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}},
    "columns": {"quantity": "data", "values": ["1 TB", "3 TB"]},
    "rows": {"quantity": "deadline", "values": ["1 h"]},
}
MANY = {"quantity": "data", "values": [f"{size} TB" for size in range(1, 31)]}
API, LONG, ALERTS, SHORT = "stowage api 1", "stowage long", "stowage alerts", "stowage short"
PERIODIC = "stowage periodi"
"""As much of the process name as Linux shows."""
GIVEN = ("DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL")


def on(home: Path) -> dict[str, str]:
    return {"STOWAGE_HOME": str(home), "STOWAGE_PORT": str(free_port()), "STOWAGE_EXAMPLE": "off"}


def save_plan(client: httpx.Client) -> dict[str, Any]:
    response = client.post("/api/v1/plans", json=PLAN)
    assert response.status_code == 201, response.text
    saved: dict[str, Any] = response.json()
    return saved


def run_sweep(client: httpx.Client) -> None:
    """Start a sweep and follow it to its end."""
    await_end(client, client.post("/api/v1/sweeps", json=SWEEP).json()["job"]["id"])


def example(client: httpx.Client) -> tuple[int, int, int]:
    """Count the plans, sweeps and measurements of the example team."""
    [team] = [team for team in client.get("/api/v1/teams").json() if team["key"] == "example"]
    listed = client.get("/api/v1/measurements?team=example&limit=100").json()["measurements"]
    return team["plans"], team["sweeps"], len(listed)


def test_a_start_after_a_crash_has_a_link_that_signs_in_once(first_start: FirstStart) -> None:
    interrupted = f"an earlier start was interrupted while it made {first_start.home}/postgres"
    assert first_start.printed == f"stowage: {interrupted}: starting over\n"
    assert json.loads(first_start.running)["pid"] == first_start.pid
    assert first_start.health["status"] == "ok"
    assert (first_start.unknown, first_start.second_use) == (401, 401)
    session = first_start.session
    assert (session["person"]["name"], session["team"]["role"]) == ("Local owner", "owner")
    assert "<!doctype html>" in first_start.page.text.lower()
    assert "default-src 'self'" in first_start.page.headers["content-security-policy"]
    logs = list((first_start.home / "log").iterdir())
    assert logs
    assert not [path for path in logs if first_start.secret in path.read_text(errors="replace")]


def test_the_next_start_finds_all_as_it_was_left(up: Running, first_start: FirstStart) -> None:
    client = up.client()
    assert client.get(f"/api/v1/plans/{first_start.plan['id']}").json() == first_start.plan
    # Only a first start loads the example team.
    assert example(client) == (0, 0, 0)
    found = found_running(first_start.home)
    assert found is not None
    assert (found.pid, found.address) == (up.process.pid, up.address)
    assert stat.S_IMODE((first_start.home / "running.json").stat().st_mode) == 0o600


def test_a_first_start_queues_the_example_team(postgres: DatabaseUrls, redis_url: str) -> None:
    """No worker listens to this Redis; `tests/features/test_example.py` checks what is loaded."""
    up_command.queue_example(postgres.application, redis_url)
    with opened(postgres.application) as database:
        job = read_job(database, EXAMPLE_ORG_ID, JOB_ID)
        assert (job.kind, job.state) == ("demo", "queued")
        remove_example(database)


@pytest.mark.soak("tools")
def test_a_first_start_loads_the_example_team_and_once_removed_it_stays_away(home: Path) -> None:
    settings = {"STOWAGE_HOME": str(home), "STOWAGE_EXAMPLE": "on"}
    with running(settings) as first:
        client = first.client()
        await_end(client, str(JOB_ID), team="example")
        assert example(client) == (len(PLANS), len(SWEEPS), 19)
        assert client.get("/api/v1/plans").json()["plans"] == []
        told = stowage("demo", "remove", settings=first.settings)
        assert (told.returncode, told.stderr) == (0, "")
        assert example(client) == (0, 0, 0)
    with running(settings) as second:
        assert example(second.client()) == (0, 0, 0)


def test_a_second_one_on_the_same_state_is_refused_and_the_first_goes_on(up: Running) -> None:
    home = up.settings["STOWAGE_HOME"]
    second = stowage("up", settings=on(Path(home)))
    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr.startswith(f"stowage: {home} is in use by process {up.process.pid}")
    assert second.stderr.count("\n") == 1
    assert httpx.get(f"{up.address}/api/v1/health").json()["status"] == "ok"


@pytest.mark.soak("kills")
def test_the_end_of_the_terminal_stops_it_as_well(home: Path) -> None:
    with running(on(home), stopped_by=signal.SIGHUP) as ending:
        assert ending.children()


@pytest.mark.soak("kills")
def test_under_nohup_it_survives_the_end_of_the_terminal(home: Path) -> None:
    settings = on(home)
    command = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-m", "stowage", "up")
    with (
        ended(start(settings, command)) as process,
        answering(process, int(settings["STOWAGE_PORT"]), settings) as going_on,
    ):
        process.send_signal(signal.SIGHUP)
        save_plan(going_on.client())


@pytest.mark.soak("kills")
def test_a_signal_during_the_start_stops_it_too(home: Path) -> None:
    with ended(start(on(home))) as process:
        watched = psutil.Process(process.pid)
        while not watched.children() and process.poll() is None:
            pass
        family = watched.children(recursive=True)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        assert (process.returncode, stderr) == (0, "")
        psutil.wait_procs(family, timeout=PATIENCE_S)
        assert not [child for child in family if lives(child)]


@pytest.mark.soak("kills")
def test_servers_that_are_given_are_used_and_no_others_are_started(
    home: Path, postgres: DatabaseUrls, redis_url: str
) -> None:
    given = {
        "DATABASE_URL": postgres.application,
        "GATE_DATABASE_URL": postgres.gate,
        "MIGRATIONS_DATABASE_URL": postgres.owner,
        "REDIS_URL": redis_url,
    }
    with running(on(home) | given) as up:
        save_plan(up.client())
        workers = {up.child(name).name() for name in (LONG, ALERTS, SHORT, PERIODIC)}
        assert {child.name() for child in up.children()} - workers == {API, "stowage api 2"}
        run_sweep(up.client())
    assert {path.name for path in home.iterdir()} == {"lock", "log", "secrets.key"}


def test_only_the_worker_that_looks_across_teams_is_told_how() -> None:
    settings = Settings.model_validate({})
    periodic, short, long = (
        connections_for(settings, "postgresql://app@/s", "postgresql://gate@/s", "redis://localhost", queues)
        for queues in (PERIODIC_QUEUES, SHORT_QUEUES, LONG_QUEUES)
    )
    assert (periodic.gate_url, short.gate_url, long.gate_url) == ("postgresql://gate@/s", None, None)
    with pytest.raises(RuntimeError, match="GATE_DATABASE_URL"):
        long.gate.ping()


def test_every_killed_process_restarts_and_the_service_goes_on(up: Running) -> None:
    client = up.client()
    run_sweep(client)
    for child, name in (
        ("postgres", "PostgreSQL"),
        ("redis-server", "Redis"),
        (LONG, "the worker for long jobs"),
        (ALERTS, "the worker for alerts"),
        (SHORT, "the worker for short jobs"),
        (PERIODIC, "the worker for periodic jobs"),
        (API, "the API"),
    ):
        killed = up.child(child)
        killed.kill()
        told = up.told()
        while " WARNING " in told and "Redis is unreachable" in told:
            # The API may need Redis in the moment without it.
            told = up.told()
        assert told == f"stowage: {name} was ended by SIGKILL and was started again\n"
        assert up.child(child) != killed
        assert httpx.get(up.address, timeout=PATIENCE_S).status_code == 200
        save_plan(client)
    run_sweep(client)
    # Processes of the workers' pools: Celery restarts those itself.
    for worker in (LONG, SHORT):
        for pooled in up.child(worker).children():
            pooled.kill()
    run_sweep(client)
    up.wait_until_ready()


@pytest.mark.soak("kills")
@pytest.mark.parametrize("child", ["postgres", "redis-server", LONG, SHORT, PERIODIC, API, "stowage api 2"])
def test_a_sweep_that_runs_while_one_is_killed_completes(up: Running, child: str) -> None:
    client = up.client()
    job = client.post("/api/v1/sweeps", json=SWEEP | {"columns": MANY}).raise_for_status().json()["job"]
    up.child(child).kill()
    assert "was ended by SIGKILL and was started again" in up.told()
    assert httpx.get(up.address, timeout=PATIENCE_S).status_code == 200
    await_end(client, job["id"])
    up.wait_until_ready()


@pytest.mark.soak("kills")
def test_when_it_is_killed_itself_its_forks_end_and_the_next_start_ends_the_servers(home: Path) -> None:
    settings = on(home)
    with ended(start(settings)) as process:
        assert process.stdout is not None
        process.stdout.readline()
        up = Running(process, f"http://127.0.0.1:{settings['STOWAGE_PORT']}", settings=settings)
        with closing(up.client()) as client:
            saved = save_plan(client)
            run_sweep(client)
        servers = [up.child("postgres"), up.child("redis-server")]
        forks = [child for child in up.children() if child not in servers]
        assert {fork.name() for fork in forks} == {API, "stowage api 2", LONG, ALERTS, SHORT, PERIODIC}
        forks += [pooled for fork in forks for pooled in fork.children()]
        process.kill()
        process.wait()
    assert psutil.wait_procs(forks, timeout=PATIENCE_S)[1] == []
    assert [lives(server) for server in servers] == [True, True]
    with running(on(home)) as heir:
        assert not [server for server in servers if lives(server)]
        client = heir.client()
        assert client.get(f"/api/v1/plans/{saved['id']}").json() == saved
        run_sweep(client)


@pytest.mark.soak("kills")
def test_what_does_not_stay_up_is_named_with_its_last_words_and_everything_is_stopped(home: Path) -> None:
    """Redis is replaced by a program that starts once, and then exits with a reason."""
    home.mkdir()
    fake = home / "redis-server"
    fake.write_text(
        f'#!/bin/sh\n[ -e "{home}/once" ] && echo out of memory && exit 1\n'
        f'touch "{home}/once"\nexec "{find_program()}" "$@"\n'
    )
    fake.chmod(0o755)
    with ended(start(on(home) | {"PATH": f"{home}:{os.environ['PATH']}"})) as process:
        assert process.stdout is not None
        process.stdout.readline()
        up = Running(process, "")
        family = psutil.Process(process.pid).children(recursive=True)
        up.child("redis-server").kill()
        _, stderr = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
    *_, failure, words, stopped = stderr.splitlines()
    assert failure.startswith("stowage: Redis ended with status 1, after 5 restarts within 60 s")
    assert words == "  out of memory"
    assert stopped == "stowage: everything was stopped"
    assert not [child for child in family if lives(child)]


@pytest.mark.soak("kills")
def test_requests_are_answered_by_as_many_processes_as_are_asked_for(home: Path) -> None:
    with running(on(home) | {"STOWAGE_API_PROCESSES": "3"}) as up:
        assert [up.child(f"stowage api {number}").is_running() for number in (1, 2, 3)] == [True] * 3
        client = up.client()
        with ThreadPoolExecutor(3) as pool:
            asked = [pool.submit(save_plan, client) for _ in range(9)]
            assert len({request.result()["id"] for request in asked}) == 9
    told = [line for log in (home / "log").glob("api-?.log") for line in log.read_text().splitlines()]
    assert sum('"path": "/api/v1/plans"' in line for line in told) == 9


def a_file(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")


def another_version(path: Path) -> None:
    path.mkdir(parents=True)
    (path / "PG_VERSION").write_text("16\n")


@pytest.mark.parametrize(
    ("name", "breaks", "part"),
    [
        (".", a_file, "cannot hold the state of this machine: "),
        ("log", a_file, "cannot hold the state of this machine: "),
        ("postgres", another_version, "holds data of PostgreSQL 16, and Stowage runs PostgreSQL 18"),
        pytest.param(
            "redis.sock",
            lambda path: (path / "full").mkdir(parents=True),
            "Redis",
            marks=pytest.mark.soak("kills"),
        ),
    ],
)
def test_a_state_that_cannot_be_used_is_told_and_left(
    home: Path, name: str, breaks: Callable[[Path], None], part: str
) -> None:
    breaks(home / name)
    before = (home / name).stat().st_mtime_ns
    refused = stowage("up", settings=on(home))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("stowage: ")
    assert part in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (home / name).stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("settings", "status", "part"),
    [
        ({"STOWAGE_PORT": "many"}, 2, "STOWAGE_PORT"),
        ({"STOWAGE_PORT": "70000"}, 2, "STOWAGE_PORT"),
        ({"STOWAGE_BIND": "192.0.2.1"}, 1, "STOWAGE_BIND"),
        ({"DATABASE_URL": "postgresql://app:secret@/stowage"}, 2, "MIGRATIONS_DATABASE_URL"),
        ({"MIGRATIONS_DATABASE_URL": "postgresql://app:secret@/stowage"}, 2, "DATABASE_URL"),
        ({"GATE_DATABASE_URL": "postgresql://gate:secret@/stowage"}, 2, "DATABASE_URL"),
        (
            dict.fromkeys(("DATABASE_URL", "MIGRATIONS_DATABASE_URL"), "postgresql://app:secret@/stowage"),
            2,
            "GATE_DATABASE_URL",
        ),
        (dict.fromkeys(GIVEN, "mysql://app:secret@host/stowage"), 2, "accepted: postgresql://"),
        (dict.fromkeys(GIVEN, "?"), 2, "accepted: postgresql://"),
        ({"REDIS_URL": "http://:secret@localhost"}, 2, "REDIS_URL"),
        ({"STOWAGE_PUBLIC_URL": "http://stowage.example.org"}, 2, "STOWAGE_PUBLIC_URL"),
        ({"STOWAGE_OIDC_ISSUER": "https://id.example.org"}, 2, "STOWAGE_OIDC_CLIENT_ID"),
        ({"STOWAGE_SMTP_URL": "smtp://stowage:secret@mail.example.org"}, 2, "STOWAGE_MAIL_FROM"),
        ({"STOWAGE_SMTP_URL": "mail.example.org:25"}, 2, "STOWAGE_SMTP_URL"),
    ],
)
def test_settings_that_cannot_be_are_told_in_one_line_before_anything_is_started(
    home: Path,
    settings: dict[str, str],
    status: int,
    part: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = environment(on(home) | settings)
    for name in {*os.environ} - {*given}:
        monkeypatch.delenv(name)
    for name in settings.keys() | {"STOWAGE_HOME", "STOWAGE_PORT"}:
        monkeypatch.setenv(name, given[name])
    with pytest.raises(SystemExit) as end:
        sys.exit(up_command.run())
    assert end.value.code == status
    told = capsys.readouterr()
    assert told.out == ""
    assert part in told.err
    assert "secret" not in told.err
    assert not home.exists()


def test_a_server_that_does_not_answer_is_told_in_one_line(home: Path) -> None:
    given = dict.fromkeys(GIVEN, "postgresql://app:secret@/s?host=/nonexistent")
    refused = stowage("up", settings=on(home) | given)
    assert (refused.returncode, refused.stdout) == (1, ""), refused.stderr
    assert "/nonexistent" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert "secret" not in refused.stderr


def test_a_taken_port_is_told_before_anything_is_started(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = stowage("up", settings=on(home) | {"STOWAGE_PORT": str(port)})
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"stowage: port {port} is taken")
    assert "STOWAGE_PORT" in refused.stderr
    assert not home.exists()


def test_what_a_request_says_of_where_it_comes_from_is_not_believed(up: Running) -> None:
    claims = {"X-Forwarded-For": "198.51.100.77", "X-Forwarded-Proto": "https"}
    link = stowage("link", settings=up.settings).stdout
    with httpx.Client(base_url=up.address, headers=claims, timeout=PATIENCE_S) as client:
        redeemed(client, link)
        [cookie] = client.cookies.jar
        assert (cookie.name, cookie.secure) == (f"stowage-{up.address.rpartition(':')[2]}", False)
        answer = client.get("/api/v1/sessions")
        assert {session["address"] for session in answer.json()["sessions"]} == {"127.0.0.1"}
        assert "strict-transport-security" not in answer.headers


@pytest.mark.soak("kills")
def test_ways_to_sign_in_are_those_of_the_settings_and_asked_for_nothing_at_the_start(home: Path) -> None:
    given = {
        "STOWAGE_PUBLIC_URL": "http://localhost:8000",
        "STOWAGE_OIDC_ISSUER": f"http://127.0.0.1:{free_port()}",
        "STOWAGE_OIDC_CLIENT_ID": "stowage",
        "STOWAGE_OIDC_CLIENT_SECRET": "secret",
        "STOWAGE_OIDC_NAME": "Company",
        "STOWAGE_SMTP_URL": f"smtp://127.0.0.1:{free_port()}",
        "STOWAGE_MAIL_FROM": "Stowage <stowage@example.org>",
    }
    with running(on(home) | given) as up:
        session = httpx.get(f"{up.address}/api/v1/session").json()
        assert (session["signed_in"], session["provider"], session["mail"]) == (False, "Company", True)
        # Links that are printed use the local address; links made later use the public address.
        assert stowage("link", settings=up.settings).stdout.startswith(
            "Sign in once with http://localhost:8000/sign-in#"
        )
