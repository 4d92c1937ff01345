"""`stowage up` as a user runs it: a process that is started, asked, stopped, and leaves nothing behind."""

import json
import os
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil
import pytest

from process import PATIENCE_S, Running, ended, free_port, lives, redeemed, running, start, stowage
from stowage.cli.running import running as found_running
from stowage.jobs.embedded import find_program
from stowage.store.embedded import DatabaseUrls

SORT = {"workload": {"data": "100 TB"}, "place": {"catalogue": "paper-2014"}, "limits": {"max_nodes": 100}}
SWEEP = {
    "base": {"workload": {"data": "100 TB"}, "place": {"catalogue": "paper-2014"}},
    "columns": {"quantity": "data", "values": ["1 TB", "3 TB"]},
    "rows": {"quantity": "deadline", "values": ["1 h"]},
}
API, SWEEPS, QUICK, SCHEDULER = ("up",), ("worker", "sweeps"), ("worker", "quick"), ("scheduler",)
REFRESH, RUNS = ("worker", "refresh"), ("worker", "runs")


@pytest.fixture
def home() -> Iterator[Path]:
    # Not pytest's own folder: where the tests run as root, the server is another user and must reach it.
    with tempfile.TemporaryDirectory(prefix="stowage-up-") as folder:
        yield Path(folder) / "state"


def on(home: Path) -> dict[str, str]:
    return {"STOWAGE_HOME": str(home), "STOWAGE_PORT": str(free_port())}


def save_plan(client: httpx.Client) -> dict[str, Any]:
    response = client.post("/api/v1/plans", json=SORT)
    assert response.status_code == 201, response.text
    saved: dict[str, Any] = response.json()
    return saved


def run_sweep(client: httpx.Client) -> None:
    """Start a sweep and follow it to its end."""
    job = client.post("/api/v1/sweeps", json=SWEEP).json()["job"]
    address = f"/api/v1/jobs/{job['id']}"
    with client.stream("GET", f"{address}/events") as events:
        for _ in events.iter_lines():
            pass
    assert client.get(address).json()["state"] == "done"


def test_it_starts_answers_keeps_its_plans_and_leaves_nothing_running(home: Path) -> None:
    with running(on(home)) as first:
        assert httpx.get(f"{first.address}/api/v1/health").json()["status"] == "ok"
        saved = save_plan(first.client())
        page = httpx.get(f"{first.address}/plans/{saved['id']}")
        assert "<!doctype html>" in page.text.lower()
        assert "default-src 'self'" in page.headers["content-security-policy"]
    assert found_running(home) is None
    with running(on(home)) as second:
        assert second.client().get(f"/api/v1/plans/{saved['id']}").json() == saved
        found = found_running(home)
        assert found is not None
        assert (found.pid, found.address) == (second.process.pid, second.address)
        assert stat.S_IMODE((home / "running.json").stat().st_mode) == 0o600
        said = (home / "running.json").read_text()
    assert not (home / "running.json").exists()
    (home / "running.json").write_text(said)
    assert found_running(home) is None


def test_a_second_one_on_the_same_state_is_refused_and_the_first_goes_on(home: Path) -> None:
    with running(on(home)) as first:
        second = start(on(home))
        stdout, stderr = second.communicate(timeout=60)
        assert second.returncode == 1
        assert stdout == ""
        assert stderr.startswith(f"stowage: {home} is in use by process {first.process.pid}")
        assert stderr.count("\n") == 1
        assert httpx.get(f"{first.address}/api/v1/health").json()["status"] == "ok"


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.soak)])
def test_ctrl_c_and_the_end_of_the_terminal_stop_it_as_well(home: Path, number: signal.Signals) -> None:
    with running(on(home), stopped_by=number) as up:
        assert up.children()


def test_a_signal_during_the_start_stops_it_too(home: Path) -> None:
    with ended(start(on(home))) as process:
        watched = psutil.Process(process.pid)
        while not watched.children() and process.poll() is None:
            pass
        family = watched.children(recursive=True)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        assert (process.returncode, stderr) == (0, "")
        psutil.wait_procs(family, timeout=10)
        assert not [child for child in family if lives(child)]
    was_making_the_data = (home / "postgres.new").exists()
    with running(on(home)) as up:
        assert not was_making_the_data or "begun anew" in up.told()
        assert httpx.get(f"{up.address}/api/v1/health").json()["status"] == "ok"


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
        workers = [up.child(*words) for words in (SWEEPS, QUICK, REFRESH, RUNS, SCHEDULER)]
        assert {child for child in up.children() if "up" not in child.cmdline()} == set(workers)
        assert not [worker for worker in workers if "MIGRATIONS_DATABASE_URL" in worker.environ()]
        # Only what tends looks across teams.
        assert [worker for worker in workers if "GATE_DATABASE_URL" in worker.environ()] == [up.child(*QUICK)]
    assert {path.name for path in home.iterdir()} == {"lock", "log"}


def test_whatever_is_killed_comes_back_by_itself_and_the_service_goes_on(home: Path) -> None:
    with running(on(home)) as up:
        client = up.client()
        run_sweep(client)
        for words, name in (
            (("postgres",), "PostgreSQL"),
            (("redis-server",), "Redis"),
            (SWEEPS, "the worker for sweeps"),
            (QUICK, "the worker for short jobs"),
            (REFRESH, "the worker for the catalogue"),
            (RUNS, "the worker for runs"),
            (SCHEDULER, "the scheduler"),
            (API, "the API"),
        ):
            killed = up.child(*words)
            killed.kill()
            assert up.told() == f"stowage: {name} was ended by SIGKILL and was started again\n"
            assert up.child(*words) != killed
            save_plan(client)
        run_sweep(client)
        # A process of the worker's pool: Celery sees to that one itself.
        for pooled in up.child(*SWEEPS).children():
            pooled.kill()
        run_sweep(client)


@pytest.mark.soak
def test_when_it_is_killed_itself_its_workers_end_and_the_next_start_ends_the_servers(home: Path) -> None:
    settings = on(home)
    with ended(start(settings)) as process:
        assert process.stdout is not None
        process.stdout.readline()
        up = Running(process, f"http://127.0.0.1:{settings['STOWAGE_PORT']}", settings=settings)
        with up.client() as client:
            saved = save_plan(client)
            run_sweep(client)
        workers = [up.child(*words) for words in (SWEEPS, QUICK, REFRESH, RUNS, SCHEDULER)]
        workers += [pooled for worker in workers for pooled in worker.children()]
        servers = [up.child("postgres"), up.child("redis-server")]
        process.kill()
        process.wait()
    psutil.wait_procs(workers, timeout=PATIENCE_S)
    assert not [worker for worker in workers if lives(worker)]
    assert [lives(server) for server in servers] == [True, True]
    with running(on(home)) as heir:
        assert not [server for server in servers if lives(server)]
        client = heir.client()
        assert client.get(f"/api/v1/plans/{saved['id']}").json() == saved
        run_sweep(client)


@pytest.mark.soak
def test_what_does_not_stay_up_is_named_with_its_last_words_and_everything_is_stopped(home: Path) -> None:
    """Redis here is a program that starts once, and then says why it cannot."""
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


@pytest.mark.soak
def test_requests_are_answered_by_as_many_processes_as_are_asked_for(home: Path) -> None:
    with running(on(home) | {"STOWAGE_API_PROCESSES": "3"}) as up:
        # A worker that is started again is a copy of this process until it has become Celery.
        deadline = time.monotonic() + PATIENCE_S
        while (copies := sum("up" in child.cmdline() for child in up.children())) != 3:
            assert time.monotonic() < deadline, copies
            time.sleep(0.05)
        client = up.client()
        with ThreadPoolExecutor(3) as pool:
            asked = [pool.submit(save_plan, client) for _ in range(9)]
            assert len({request.result()["id"] for request in asked}) == 9
    told = [line for log in (home / "log").glob("api-?.log") for line in log.read_text().splitlines()]
    assert sum('"path": "/api/v1/plans"' in line for line in told) == 9


def test_what_a_crash_left_is_mended_and_what_may_matter_is_told_in_one_line(home: Path) -> None:
    (home / "postgres.new").mkdir(parents=True)
    (home / "lock").write_bytes(b"\xff garbage")
    (home / "running.json").write_text("{")
    (home / "running.json.new").write_text("")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(home / "redis.sock"))
    with running(on(home)) as up:
        assert up.told() == f"stowage: an earlier start was interrupted while it made {home}/postgres: begun anew\n"
        assert json.loads((home / "running.json").read_text())["pid"] == up.process.pid
        save_plan(up.client())


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
        ("redis.sock", lambda path: (path / "full").mkdir(parents=True), "Redis"),
    ],
)
def test_a_state_that_cannot_be_used_is_told_and_left(
    home: Path, name: str, breaks: Callable[[Path], None], part: str
) -> None:
    breaks(home / name)
    before = (home / name).stat().st_mtime_ns
    with ended(start(on(home))) as process:
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, stdout) == (1, "")
    assert stderr.startswith("stowage: ")
    assert part in stderr
    assert "Traceback" not in stderr
    assert (home / name).stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("settings", "status", "part"),
    [
        ({"STOWAGE_PORT": "many"}, 2, "STOWAGE_PORT"),
        ({"STOWAGE_PORT": "70000"}, 2, "STOWAGE_PORT"),
        ({"STOWAGE_BIND": "192.0.2.1"}, 1, "STOWAGE_BIND"),
        ({"DATABASE_URL": "postgresql://app@/stowage"}, 2, "MIGRATIONS_DATABASE_URL"),
        ({"MIGRATIONS_DATABASE_URL": "postgresql://app@/stowage"}, 2, "DATABASE_URL"),
        ({"GATE_DATABASE_URL": "postgresql://gate@/stowage"}, 2, "DATABASE_URL"),
        (
            {f"{name}DATABASE_URL": "postgresql://app@/stowage" for name in ("", "MIGRATIONS_")},
            2,
            "GATE_DATABASE_URL",
        ),
        (
            {f"{name}DATABASE_URL": "mysql://a@h/b" for name in ("", "GATE_", "MIGRATIONS_")},
            1,
            "accepted: postgresql://",
        ),
        pytest.param(
            {f"{name}DATABASE_URL": "?" for name in ("", "GATE_", "MIGRATIONS_")},
            1,
            "database URL",
            marks=pytest.mark.soak,
        ),
        ({"REDIS_URL": "http://localhost"}, 1, "Redis"),
        ({"STOWAGE_PUBLIC_URL": "http://stowage.example.org"}, 2, "STOWAGE_PUBLIC_URL"),
        ({"STOWAGE_OIDC_ISSUER": "https://id.example.org"}, 2, "STOWAGE_OIDC_CLIENT_ID"),
        ({"STOWAGE_SMTP_URL": "smtp://stowage:secret@mail.example.org"}, 2, "STOWAGE_MAIL_FROM"),
        ({"STOWAGE_SMTP_URL": "mail.example.org:25"}, 2, "STOWAGE_SMTP_URL"),
        (
            {
                "DATABASE_URL": "postgresql://app:secret@/s?host=/nonexistent",
                "GATE_DATABASE_URL": "postgresql://gate:secret@/s?host=/nonexistent",
                "MIGRATIONS_DATABASE_URL": "postgresql://owner:secret@/s?host=/nonexistent",
            },
            1,
            "/nonexistent",
        ),
    ],
)
def test_settings_that_cannot_be_are_told_in_one_line(
    home: Path, settings: dict[str, str], status: int, part: str
) -> None:
    process = start(on(home) | settings)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == status, stderr
    assert stdout == ""
    assert part in stderr
    assert "Traceback" not in stderr
    assert "secret" not in stderr


def test_a_taken_port_is_told_before_anything_is_started(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start(on(home) | {"STOWAGE_PORT": str(port)})
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 1
    assert stderr.startswith(f"stowage: port {port} is taken")
    assert "STOWAGE_PORT" in stderr
    assert not home.exists()


def test_what_a_request_says_of_where_it_comes_from_is_not_believed(home: Path) -> None:
    claims = {"X-Forwarded-For": "198.51.100.77", "X-Forwarded-Proto": "https"}
    with running(on(home)) as up, httpx.Client(base_url=up.address, headers=claims, timeout=PATIENCE_S) as client:
        redeemed(client, up.link)
        [cookie] = client.cookies.jar
        assert (cookie.name, cookie.secure) == (f"stowage-{up.address.rpartition(':')[2]}", False)
        answer = client.get("/api/v1/sessions")
        assert [session["address"] for session in answer.json()["sessions"]] == ["127.0.0.1"]
        assert "strict-transport-security" not in answer.headers


@pytest.mark.soak
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
        # What is printed is for whoever sits here; what is made later leads to where people are told to go.
        assert stowage("link", settings=up.settings).stdout.startswith(
            "Sign in once with http://localhost:8000/sign-in#"
        )
