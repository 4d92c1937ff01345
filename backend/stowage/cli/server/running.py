"""`running.json` in the state folder, by which other commands find a running `stowage up`."""

import json
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

import stowage
from stowage.platform.database.embedded import DatabaseUrls
from stowage.processes.errors import StateUnusable
from stowage.processes.state import holder

_FILE = "running.json"


@dataclass(frozen=True, slots=True)
class Running:
    """A `stowage up` that answers.

    Parameters
    ----------
    pid : int
    address : str
        Of the page: ``http://127.0.0.1:8000``.
    port : int
    started_at : str
        Date and time at which it first answered; ISO 8601, UTC.
    versions : mapping of str to str
        Of Stowage and of Python.
    database_url : str
        As the application's role. May hold a password.
    gate_database_url : str
        As the gate's role. May hold a password.
    redis_url : str
        May hold a password.
    """

    pid: int
    address: str
    port: int
    started_at: str
    versions: Mapping[str, str]
    database_url: str
    gate_database_url: str
    redis_url: str


def running(home: Path) -> Running | None:
    """Find the `stowage up` of a state folder; None where none answers yet or any more.

    The file alone proves nothing, it outlives a kill -9: the process must hold the folder. One that another user wrote
    does not count: it would lead us to databases of their choice.
    """
    try:
        with (home / _FILE).open() as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            found = Running(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None
    return found if holder(home) == str(found.pid) and psutil.pid_exists(found.pid) else None


def write_running(home: Path, address: str, port: int, urls: DatabaseUrls, redis_url: str) -> None:
    """Write `running.json`, readable only by the user: it names the servers.

    Raises
    ------
    StateUnusable
        The folder does not take it.
    """
    said = Running(
        pid=os.getpid(),
        address=address,
        port=port,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"stowage": stowage.__version__, "python": platform.python_version()},
        database_url=urls.application,
        gate_database_url=urls.gate,
        redis_url=redis_url,
    )
    # Written under another name first, so that readers see all of it or nothing.
    fresh = home / f"{_FILE}.new"
    try:
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600), "w") as file:
            json.dump(asdict(said), file, indent=2)
        fresh.replace(home / _FILE)
    except OSError as error:
        raise StateUnusable(f"{fresh} cannot be written: {error}") from error


def remove_running(home: Path) -> None:
    """Remove `running.json`."""
    with suppress(FileNotFoundError):
        (home / _FILE).unlink()
