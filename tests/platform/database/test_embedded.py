"""The embedded server: it starts after any kind of crash, admits only the service, and always stops."""

import os
import pwd
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import psutil
import psycopg
import pytest
from sqlalchemy import make_url, text

from database import opened, superuser
from process import USUAL_SIGNALS
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import (
    APPLICATION_ROLE,
    DATABASE,
    GATE_ROLE,
    OWNER_ROLE,
    DatabaseUrls,
    embedded_postgres,
    start_postgres,
)
from stowage.platform.database.errors import ServerFailed
from stowage.processes.errors import ChildFailed, StateInUse, StateUnusable
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

SUPERVISOR = """
import sys
from pathlib import Path
from stowage.platform.database.embedded import embedded_postgres
with embedded_postgres(Path(sys.argv[1])) as urls:
    print(urls.owner, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def empty() -> Iterator[Path]:
    """Yield a folder; not in pytest's, which other runs of pytest close to the server's user."""
    with TemporaryDirectory(prefix="stowage-tests-") as path:
        yield Path(path)


@pytest.fixture(scope="module")
def folder(state_copy: Callable[[], AbstractContextManager[Path]]) -> Iterator[Path]:
    """Yield a folder in which a server ran before; each test leaves it stopped and intact."""
    with state_copy() as folder:
        yield folder


@pytest.fixture
def running(folder: Path) -> Iterator[DatabaseUrls]:
    """Return the URLs of a server that runs in it."""
    with embedded_postgres(folder) as urls:
        yield urls


def supervisor(folder: Path) -> "subprocess.Popen[str]":
    """Run a server under a process of its own, and wait until it is up."""
    process = subprocess.Popen(
        [*USUAL_SIGNALS, sys.executable, "-W", "error", "-c", SUPERVISOR, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("postgresql+psycopg://")
    return process


def server_pid(folder: Path) -> int:
    return int((folder / "postgres" / "postmaster.pid").read_text().split()[0])


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def write_note(urls: DatabaseUrls, note: str) -> None:
    with opened(urls.owner) as owner, owner.transaction(None) as connection:
        connection.execute(text("DROP TABLE IF EXISTS note"))
        connection.execute(text("CREATE TABLE note AS SELECT CAST(:note AS text) AS note"), {"note": note})


def read_note(urls: DatabaseUrls) -> str:
    with opened(urls.owner) as owner, owner.transaction(None) as connection:
        return str(connection.scalar(text("SELECT note FROM note")))


@contextmanager
def moved(folder: Path, name: str) -> Iterator[Path]:
    """Rename the folder for the duration of a block."""
    place = folder.rename(folder.with_name(name))
    try:
        yield place
    finally:
        place.rename(folder)


def test_what_was_written_is_there_after_a_restart(folder: Path) -> None:
    with embedded_postgres(folder) as urls:
        write_note(urls, "kept")
    with embedded_postgres(folder) as urls:
        assert read_note(urls) == "kept"


def test_the_server_is_gone_when_the_block_is_left(folder: Path) -> None:
    with embedded_postgres(folder):
        pid = server_pid(folder)
        assert is_running(pid)
    assert not is_running(pid)
    assert not (folder / "postgres" / "postmaster.pid").exists()


def test_the_server_is_gone_when_the_block_raises_even_with_a_connection_open(folder: Path) -> None:
    pids = []

    def run_half_way() -> None:
        with embedded_postgres(folder) as urls, superuser(urls):
            pids.append(server_pid(folder))
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        run_half_way()
    assert [is_running(pid) for pid in pids] == [False]


def test_ctrl_c_stops_supervisor_and_server_in_order(folder: Path) -> None:
    process = supervisor(folder)
    pid = server_pid(folder)
    # The terminal signals only the supervisor's group; the server ends when the supervisor has finished with it.
    assert os.getpgid(pid) != os.getpgid(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    assert not is_running(pid)
    assert "shut down" in (folder / "log" / "postgres.log").read_text().splitlines()[-1]


def test_a_second_server_on_the_folder_is_refused_and_the_first_goes_on(folder: Path) -> None:
    with embedded_postgres(folder) as urls:
        with pytest.raises(StateInUse, match=f"in use by process {os.getpid()}"), embedded_postgres(folder):
            pytest.fail("two supervisors share one server")
        write_note(urls, "still here")
        assert read_note(urls) == "still here"


@pytest.mark.soak("kills")
def test_a_second_server_is_refused_to_another_process_too(folder: Path) -> None:
    process = supervisor(folder)
    with pytest.raises(StateInUse, match=f"in use by process {process.pid}"), embedded_postgres(folder):
        pytest.fail("two supervisors share one server")
    process.communicate()
    with embedded_postgres(folder):
        pass


def test_a_server_whose_supervisor_was_killed_is_stopped_and_its_data_taken_over(folder: Path) -> None:
    process = supervisor(folder)
    orphan = server_pid(folder)
    process.kill()
    process.communicate()
    assert is_running(orphan)
    with embedded_postgres(folder) as urls:
        assert not is_running(orphan)
        write_note(urls, "taken over")
        heir = server_pid(folder)
    assert not is_running(heir)


@pytest.mark.soak("kills")
def test_a_killed_server_recovers_what_was_committed(folder: Path) -> None:
    with embedded_postgres(folder) as urls:
        write_note(urls, "committed")
        os.kill(server_pid(folder), signal.SIGKILL)
    # Whether the supervisor restarted it before stopping depends on the machine's speed; the data does not.
    with embedded_postgres(folder) as urls:
        assert read_note(urls) == "committed"


def test_a_killed_server_is_back_at_the_same_address_with_what_was_committed(folder: Path) -> None:
    said: Queue[str] = Queue()
    with sole_use(folder) as held, Supervisor(say=said.put) as supervisor:
        urls = start_postgres(supervisor, held).urls()
        write_note(urls, "committed")
        with superuser(urls) as bystander:
            backend = bystander.info.backend_pid
            killed = server_pid(held)
            os.kill(killed, signal.SIGKILL)
            assert said.get(timeout=60) == "PostgreSQL was ended by SIGKILL and was started again"
        assert not is_running(backend)
        assert server_pid(held) != killed
        assert read_note(urls) == "committed"


@pytest.mark.soak("kills")
def test_when_everything_was_killed_the_next_start_recovers(folder: Path) -> None:
    process = supervisor(folder)
    pid = server_pid(folder)
    process.kill()
    os.kill(pid, signal.SIGKILL)
    process.communicate()
    with embedded_postgres(folder) as urls:
        write_note(urls, "up again")
        assert read_note(urls) == "up again"


@pytest.mark.soak("kills")
def test_a_stale_record_whose_number_another_program_has_by_now_prevents_nothing(folder: Path) -> None:
    with embedded_postgres(folder):
        record = (folder / "postgres" / "postmaster.pid").read_text().splitlines()
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (folder / "postgres" / "postmaster.pid").write_text("\n".join([str(bystander.pid), *record[1:]]) + "\n")
    with embedded_postgres(folder):
        assert server_pid(folder) != bystander.pid
    assert bystander.poll() is None
    bystander.communicate(b"\n")


def test_a_server_that_does_not_start_says_why_and_leaves_the_folder_free(folder: Path) -> None:
    settings = folder / "postgres" / "postgresql.auto.conf"
    before = settings.read_bytes()
    settings.write_text("no_such_setting = 1\n")
    with pytest.raises(ChildFailed, match="unrecognized configuration parameter"), embedded_postgres(folder):
        pytest.fail("it started")
    settings.write_bytes(before)
    with embedded_postgres(folder):
        pass


def test_a_folder_that_cannot_be_used_is_named(empty: Path) -> None:
    (empty / "state").write_text("a file where a folder has to be")
    with pytest.raises(StateUnusable, match="cannot hold the state") as refusal, embedded_postgres(empty / "state"):
        pytest.fail("it started")
    assert str(empty / "state") in str(refusal.value)


@pytest.mark.parametrize("name", ["x" * 100, pytest.param("Kaffee, Kuchen", marks=pytest.mark.soak("kills"))])
def test_where_the_socket_cannot_lie_beside_the_data_it_lies_in_a_folder_of_its_own_that_is_ours(
    folder: Path, name: str
) -> None:
    with moved(folder, name) as place, embedded_postgres(place) as urls:
        socket_folder = Path(str(make_url(urls.owner).query["host"]))
        assert socket_folder != place / "postgres"
        assert stat.S_IMODE(socket_folder.stat().st_mode) == 0o700
        assert socket_folder.stat().st_uid == psutil.Process(server_pid(place)).uids().real
        write_note(urls, "reached")
    assert not socket_folder.exists()


def test_a_name_that_needs_quoting_everywhere_is_a_folder_like_any_other(folder: Path) -> None:
    with moved(folder, "a b%20'c\"d:5&e=f?#@ü") as place, embedded_postgres(place) as urls:
        write_note(urls, "reached")


def test_settings_of_other_servers_and_clients_in_the_environment_do_not_matter(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = {
        "PGPORT": "elsewhere",
        "PGHOST": "elsewhere",
        "PGDATA": "/elsewhere",
        "PGUSER": "me",
        "LC_ALL": "xx_YY.UTF-8",
    }
    for name, value in elsewhere.items():
        monkeypatch.setenv(name, value)
    with embedded_postgres(folder) as urls:
        write_note(urls, "reached")


def test_the_server_listens_on_no_network_address(running: DatabaseUrls) -> None:
    with superuser(running) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        host = Path(connection.info.host)
    assert psutil.Process(server_pid(host.parent)).net_connections("tcp") == []


def test_the_kernels_word_on_who_is_calling_is_the_only_way_in(running: DatabaseUrls) -> None:
    with superuser(running) as connection:
        rules = connection.execute(
            "SELECT type, database, user_name, auth_method, options FROM pg_hba_file_rules ORDER BY rule_number"
        ).fetchall()
        names = connection.execute("SELECT DISTINCT sys_name FROM pg_ident_file_mappings").fetchall()
    mapped = ["map=supervisor"]
    assert rules == [
        ("local", ["all"], ["postgres"], "peer", mapped),
        ("local", [DATABASE], [OWNER_ROLE], "peer", mapped),
        ("local", [DATABASE], [APPLICATION_ROLE], "peer", mapped),
        ("local", [DATABASE], [GATE_ROLE], "peer", mapped),
    ]
    assert names == [(pwd.getpwuid(os.geteuid()).pw_name,)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can call as another user")
def test_another_user_of_the_machine_is_not_let_in_even_where_the_socket_is_open_to_him(folder: Path) -> None:
    with embedded_postgres(folder) as urls:
        client = Path(psutil.Process(server_pid(folder)).exe()).with_name("psql")
        call: list[str | Path] = [
            client,
            "-h",
            str(make_url(urls.owner).query["host"]),
            "-U",
            "postgres",
            "-c",
            "SELECT 1",
        ]
        assert "Permission denied" in said_to_other_user(call)
        # Several permissions would have to change before another user is refused by name only.
        folder.chmod(0o711)
        (folder / "postgres").chmod(0o711)
        (folder / "postgres" / ".s.PGSQL.5432").chmod(0o777)
        assert "Peer authentication failed" in said_to_other_user(call)
        # PostgreSQL does not start on data that other users may access.
        (folder / "postgres").chmod(0o700)
        folder.chmod(0o710)


def said_to_other_user(call: list[str | Path]) -> str:
    other = pwd.getpwnam("nobody")
    process = subprocess.run(
        call, user=other.pw_uid, group=other.pw_gid, extra_groups=[], stderr=subprocess.PIPE, text=True, check=False
    )
    return process.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_data_of_another_user_are_refused_by_name(folder: Path) -> None:
    with embedded_postgres(folder):
        owner = (folder / "postgres").stat().st_uid
    os.chown(folder / "postgres", pwd.getpwnam("nobody").pw_uid, -1)
    with pytest.raises(ServerFailed, match="belongs to user nobody"), embedded_postgres(folder):
        pytest.fail("it started")
    os.chown(folder / "postgres", owner, -1)


def test_only_the_three_roles_connect_and_only_to_the_database(running: DatabaseUrls) -> None:
    with superuser(running) as connection:
        host = connection.info.host
        acl = connection.execute(
            "SELECT grantee::regrole::text, privilege_type FROM pg_database, aclexplode(datacl) "
            "WHERE datname = %s AND grantee <> datdba",
            [DATABASE],
        ).fetchall()
    assert acl == [(APPLICATION_ROLE, "CONNECT"), (GATE_ROLE, "CONNECT")]
    for database in ("postgres", "template1"):
        for role in (APPLICATION_ROLE, GATE_ROLE):
            with pytest.raises(psycopg.OperationalError, match="no pg_hba"):
                psycopg.connect(host=host, port=5432, user=role, dbname=database)


def test_a_role_that_was_widened_is_narrow_again_after_the_next_start(folder: Path) -> None:
    with embedded_postgres(folder) as urls, superuser(urls) as connection:
        connection.execute(f"ALTER ROLE {APPLICATION_ROLE} SUPERUSER BYPASSRLS CREATEDB NOLOGIN")
    with embedded_postgres(folder) as urls, superuser(urls) as connection:
        attributes = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreatedb, rolcanlogin FROM pg_roles WHERE rolname = %s",
            [APPLICATION_ROLE],
        ).fetchone()
    assert attributes == (False, False, False, True)


def test_each_url_reaches_the_database_as_its_role(running: DatabaseUrls) -> None:
    for url, role in (
        (running.owner, OWNER_ROLE),
        (running.application, APPLICATION_ROLE),
        (running.gate, GATE_ROLE),
    ):
        with opened(url) as database:
            assert who_and_where(database) == (role, DATABASE)


def who_and_where(database: Database) -> tuple[str, str]:
    with database.transaction(None) as connection:
        user, name = connection.execute(text("SELECT current_user, current_database()")).one()
    return user, name
