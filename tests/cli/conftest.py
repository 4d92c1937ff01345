"""One service on this machine, with its home, shared by all tests of commands that need one.

It is the second start on its state, so that the first and the second start are tested at the price of no further one.
"""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from database import passable_folder
from process import FirstStart, Running, answering, ended, free_port, start, start_first
from stowage.cli.server.running import running as found_running


@pytest.fixture
def home() -> Iterator[Path]:
    """Return a state folder that does not exist yet."""
    # Not pytest's own folder: where the tests run as root, the server is another user and must reach it.
    with passable_folder("stowage-cli-") as folder:
        yield folder / "state"


@pytest.fixture(scope="session")
def first_start() -> Iterator[FirstStart]:
    with passable_folder("stowage-cli-") as folder:
        yield start_first(folder / "state")


@pytest.fixture(scope="session")
def up(first_start: FirstStart) -> Iterator[Running]:
    """Start the service again, in the background like by a shell without job control; SIGINT stops it anyway."""
    # As a kill leaves it: the process that the file names has ended.
    (first_start.home / "running.json").write_text(first_start.running)
    assert found_running(first_start.home) is None
    port = free_port()
    settings = {"STOWAGE_HOME": str(first_start.home), "STOWAGE_EXAMPLE": "on", "STOWAGE_PORT": str(port)}
    command = ("sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-W", "error", "-m", "stowage", "up")
    with (
        ended(start(settings, command)) as process,
        answering(process, port, settings, stopped_by=signal.SIGINT) as second,
    ):
        yield second
    assert found_running(first_start.home) is None
    assert not (first_start.home / "running.json").exists()


@pytest.fixture(scope="session")
def client(up: Running) -> httpx.Client:
    """Return the browser of the local owner."""
    return up.client()
