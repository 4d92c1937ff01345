"""File `running.json` in the state folder: process, address and servers of a running `stowage up`.

Other commands read it to find the service on this machine.
"""

import json
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import psutil

import stowage
from stowage.cli.private_file import write_private
from stowage.frozen import frozen
from stowage.platform.database.embedded import DatabaseUrls
from stowage.processes.errors import StateUnusable
from stowage.processes.state import holder

_FILE = "running.json"


@frozen
class Running:
    """One running process of `stowage up`, with the addresses at which its services are reached."""

    pid: int
    address: str
    """Address of the page: `http://127.0.0.1:8000`."""
    port: int
    started_at: str
    """Time at which the page first answered; ISO 8601, UTC."""
    versions: Mapping[str, str]
    """Versions of Stowage and Python."""
    database_url: str
    """URL for the application's role; may contain a password."""
    gate_database_url: str
    """URL for the auth role; may contain a password."""
    redis_url: str
    """URL of Redis; may contain a password."""


def running(home: Path) -> Running | None:
    """Return the process of `stowage up` that uses a state folder.

    None if there is no such process, or if it does not answer requests yet. After a kill -9, `running.json` names a
    process that has ended, so the named process must also have locked the folder. A file of another user is ignored,
    because it could name databases of that user.
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
    """Write `running.json` about this process.

    Only the user can read the file, because it contains the URLs of the servers.

    Raises
    ------
    StateUnusable
        The file cannot be written to the folder.
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
    path = home / _FILE
    try:
        write_private(path, json.dumps(asdict(said), indent=2))
    except OSError as error:
        raise StateUnusable(f"{path} cannot be written: {error}") from error


def remove_running(home: Path) -> None:
    """Remove `running.json`."""
    with suppress(FileNotFoundError):
        (home / _FILE).unlink()
