"""`stowage up` as a user runs it: a process that is started, asked, stopped, and leaves nothing behind."""

import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import psutil
import pytest

from process import ended, free_port, running, start
from stowage.store.embedded import DatabaseUrls

SORT = {"workload": {"data": "100 TB"}, "limits": {"max_nodes": 100}}


@pytest.fixture
def home() -> Iterator[Path]:
    # Not pytest's own folder: where the tests run as root, the server is another user and must reach it.
    with tempfile.TemporaryDirectory(prefix="stowage-up-") as folder:
        yield Path(folder) / "state"


def on(home: Path) -> dict[str, str]:
    return {"STOWAGE_HOME": str(home), "STOWAGE_PORT": str(free_port())}


def test_it_starts_answers_keeps_its_plans_and_leaves_nothing_running(home: Path) -> None:
    with running(on(home)) as first:
        assert httpx.get(f"{first.address}/api/v1/health").json()["status"] == "ok"
        saved = httpx.post(f"{first.address}/api/v1/plans", json=SORT).json()
        page = httpx.get(f"{first.address}/plans/{saved['id']}")
        assert "<!doctype html>" in page.text.lower()
        assert "default-src 'self'" in page.headers["content-security-policy"]
    with running(on(home)) as second:
        assert httpx.get(f"{second.address}/api/v1/plans/{saved['id']}").json() == saved


def test_a_second_one_on_the_same_state_is_refused_and_the_first_goes_on(home: Path) -> None:
    with running(on(home)) as first:
        second = start(on(home))
        stdout, stderr = second.communicate(timeout=60)
        assert second.returncode == 1
        assert stdout == ""
        assert "is in use by process" in stderr
        assert "Traceback" not in stderr
        assert httpx.get(f"{first.address}/api/v1/health").json()["status"] == "ok"


def test_ctrl_c_stops_it_as_well(home: Path) -> None:
    with running(on(home), stopped_by=signal.SIGINT) as up:
        assert psutil.Process(up.process.pid).children()


def test_a_signal_during_the_start_stops_it_too(home: Path) -> None:
    with ended(start(on(home))) as process:
        watched = psutil.Process(process.pid)
        while not watched.children() and process.poll() is None:
            pass
        family = watched.children(recursive=True)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 0, stderr
        psutil.wait_procs(family, timeout=10)
        assert not [child for child in family if child.is_running()]
    with running(on(home)) as up:
        assert httpx.get(f"{up.address}/api/v1/health").json()["status"] == "ok"


def test_a_server_that_is_given_is_used_and_no_other_is_started(home: Path, postgres: DatabaseUrls) -> None:
    given = {"DATABASE_URL": postgres.application, "MIGRATIONS_DATABASE_URL": postgres.owner}
    with running(on(home) | given) as up:
        assert httpx.post(f"{up.address}/api/v1/plans", json=SORT).status_code == 201
        assert psutil.Process(up.process.pid).children() == []
    assert not home.exists()


@pytest.mark.parametrize(
    ("settings", "status", "part"),
    [
        ({"STOWAGE_PORT": "many"}, 2, "STOWAGE_PORT"),
        ({"STOWAGE_PORT": "70000"}, 2, "STOWAGE_PORT"),
        ({"DATABASE_URL": "postgresql://app@/stowage"}, 2, "MIGRATIONS_DATABASE_URL"),
        ({"DATABASE_URL": "mysql://a@h/b", "MIGRATIONS_DATABASE_URL": "mysql://b@h/b"}, 1, "accepted: postgresql://"),
        ({"DATABASE_URL": "?", "MIGRATIONS_DATABASE_URL": "?"}, 1, "database URL"),
        (
            {
                "DATABASE_URL": "postgresql://app@/s?host=/nonexistent",
                "MIGRATIONS_DATABASE_URL": "postgresql://owner@/s?host=/nonexistent",
            },
            1,
            "/nonexistent",
        ),
    ],
)
def test_settings_that_cannot_be_are_told_in_one_line(settings: dict[str, str], status: int, part: str) -> None:
    process = start({"STOWAGE_PORT": str(free_port())} | settings)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == status, stderr
    assert stdout == ""
    assert part in stderr
    assert "Traceback" not in stderr


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
