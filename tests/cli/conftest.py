"""One service on this machine, with its home, shared by all tests of commands that need one."""

from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from database import passable_folder
from process import Running, running


@pytest.fixture
def home() -> Iterator[Path]:
    """Return a state folder that does not exist yet."""
    # Not pytest's own folder: where the tests run as root, the server is another user and must reach it.
    with passable_folder("stowage-cli-") as folder:
        yield folder / "state"


@pytest.fixture(scope="session")
def up() -> Iterator[Running]:
    with passable_folder("stowage-cli-") as folder, running({"STOWAGE_HOME": f"{folder}/state"}) as up:
        yield up


@pytest.fixture(scope="session")
def client(up: Running) -> httpx.Client:
    """Return the browser of the local owner."""
    return up.client()
