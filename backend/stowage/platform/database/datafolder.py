"""The data folder of the embedded PostgreSQL: initialization, checks, and quarantine of a damaged folder."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from stowage.platform.database.errors import ServerFailed
from stowage.processes.child import User
from stowage.processes.state import put_aside

MAJOR = 18
"""The only major version whose data are touched."""

SUPERUSER = "postgres"

_NEEDED = ("PG_VERSION", "global/pg_control", "base", "pg_wal", "pg_xact")
_CONTROL_BYTES = 8192


def flaw_of(data: Path) -> str | None:
    """Return the reason why the server cannot run on a data folder.

    Returns None if the server can run, or if the folder does not exist yet.

    Raises
    ------
    ServerFailed
        The path is not a folder, or has data of another PostgreSQL version; neither can be repaired here.
    """
    if not data.exists():
        return None
    if not data.is_dir():
        raise ServerFailed(f"{data} is a file where PostgreSQL's folder has to be: move it away")
    version = data / "PG_VERSION"
    written = version.read_text(errors="replace").strip() if version.is_file() else ""
    if written != str(MAJOR) and re.fullmatch(r"\d+(\.\d+)?", written):
        raise ServerFailed(
            f"{data} holds data of PostgreSQL {written}, and Stowage runs PostgreSQL {MAJOR}; they were not touched: "
            "move them away, or name another folder with STOWAGE_HOME"
        )
    for name in _NEEDED:
        if not (data / name).exists():
            return f"{name} is missing"
    if written != str(MAJOR):
        return "PG_VERSION names no version"
    if (data / "global" / "pg_control").stat().st_size != _CONTROL_BYTES:
        return "global/pg_control is cut short"
    return None


def make_whole(
    data: Path, programs: Path, user: User | None, environment: Mapping[str, str], say: Callable[[str], None]
) -> None:
    """Prepare a data folder for a server.

    Files that may contain data are moved aside, never deleted.

    Parameters
    ----------
    data : Path
        The data folder, on which no server runs.
    programs : Path
        Folder of `initdb`.
    user : User or None
        User of the server; None for the user of this process.
    environment : mapping of str to str
        Environment of `initdb`.
    say : callable
        Called with a message about each repair.

    Raises
    ------
    ServerFailed
        The folder cannot be repaired.
    """
    if (flaw := flaw_of(data)) is not None:
        say(f"{data} was half-written ({flaw}): it is now {put_aside(data)}, and a new one was begun")
    if not data.exists():
        _initialise(data, programs, user, environment, say)


def _initialise(
    data: Path, programs: Path, user: User | None, environment: Mapping[str, str], say: Callable[[str], None]
) -> None:
    # In a folder of its own first: the remains of a killed initialization would look like a damaged data folder.
    fresh = data.with_suffix(".new")
    if fresh.exists():
        # Only `initdb` has written in there.
        shutil.rmtree(fresh)
        say(f"an earlier start was interrupted while it made {data}: starting over")
    fresh.mkdir(mode=0o700)
    if user is not None:
        os.chown(fresh, user.uid, user.gid)
    # PostgreSQL's builtin locale: text sorts alike on every machine, and no locale need be installed.
    locale = ("--no-locale", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    try:
        subprocess.run(  # noqa: S603 - the wheel's own program, and no shell
            [programs / "initdb", "-D", fresh, "-U", SUPERUSER, "--auth-local=peer", "--auth-host=reject", *locale],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            env=environment,
            # In its own session, so that Ctrl-C in the terminal does not end it: a stopping process waits for it.
            start_new_session=True,
            user=None if user is None else user.uid,
            group=None if user is None else user.gid,
            extra_groups=None if user is None else [],
        )
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split())
        raise ServerFailed(f"PostgreSQL could not be initialised in {data}: {said}") from error
    fresh.rename(data)
