"""A state folder in which a server ran: initialising one takes a second."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from stowage.store.embedded import embedded_postgres

Copy = Callable[[], AbstractContextManager[Path]]


@pytest.fixture(scope="session")
def state_copy() -> Iterator[Copy]:
    """Return a function that copies the folder; not one of pytest's, which other runs close to the server's user."""
    with TemporaryDirectory(prefix="stowage-tests-") as whole:
        with embedded_postgres(Path(whole) / "state"):
            pass

        @contextmanager
        def copy() -> Iterator[Path]:
            with TemporaryDirectory(prefix="stowage-tests-") as path:
                # Not shutil: as root, what belongs to the server's user must go on doing so.
                subprocess.run(["/bin/cp", "-a", Path(whole) / "state", path], check=True)
                yield Path(path) / "state"

        yield copy
