"""A state folder in which a server ran: initialising one takes a second."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from database import passable_folder
from stowage.platform.database.embedded import embedded_postgres

Copy = Callable[[], AbstractContextManager[Path]]


@pytest.fixture(scope="session")
def state_copy() -> Iterator[Copy]:
    """Return a function that copies the folder; not in pytest's, which other runs close to the server's user."""
    with passable_folder("stowage-tests-") as whole:
        with embedded_postgres(whole / "state"):
            pass

        @contextmanager
        def copy() -> Iterator[Path]:
            with passable_folder("stowage-tests-") as path:
                # Not shutil: as root, files must keep the server's user as their owner.
                subprocess.run(["/bin/cp", "-a", whole / "state", path], check=True)
                yield path / "state"

        yield copy
