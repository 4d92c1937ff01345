"""One PostgreSQL server for a whole test run; each test process that asks gets a database of its own.

`make test`, or pytest if it is run by hand, runs this file as a process (`served`). The first request starts the
server and fills a template with the tables and the packaged catalogs; each request is answered with a copy of it,
or with a database without tables.
A run whose tests need no database starts no server.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

if TYPE_CHECKING:
    from stowage.platform.database.embedded import DatabaseUrls

ADDRESS = "STOWAGE_TEST_POSTGRES"
"""Environment variable with the path of the socket for requests."""

Kind = Literal["filled", "empty"]

_STARTED_WITHIN_S = 300.0


@contextmanager
def served() -> Iterator[None]:
    """Accept requests until the block ends, or this process ends."""
    with TemporaryDirectory(prefix="stowage-tests-") as folder:
        # As root, the server's user must be able to traverse it.
        Path(folder).chmod(0o711)
        address = str(Path(folder) / "requests")
        with subprocess.Popen(
            [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_without_tests()
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            process.stdout.readline()
            os.environ[ADDRESS] = address
            try:
                yield
            finally:
                del os.environ[ADDRESS]
                process.stdin.close()
                process.wait()


def new_database(kind: Kind = "filled") -> DatabaseUrls:
    """Return the URLs of a new database: ``filled`` with tables, the packaged catalogs and the local team."""
    from stowage.platform.database.embedded import DatabaseUrls  # noqa: PLC0415 - the process that pytest starts in needs no product

    with socket.socket(socket.AF_UNIX) as asker:
        asker.settimeout(_STARTED_WITHIN_S)
        asker.connect(os.environ[ADDRESS])
        asker.sendall(f"{kind}\n".encode())
        with asker.makefile("r") as answer:
            return DatabaseUrls(**json.loads(answer.readline()))


def _without_tests() -> dict[str, str]:
    """Return the environment without variables that point to servers of this machine."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "STOWAGE_"))}


def _serve(address: str) -> None:
    # Stop the server also if a whole process group is terminated, as CI runners do.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))
    with ExitStack() as servers, socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as ready:
        listener.bind(address)
        listener.listen(16)
        print(flush=True)  # noqa: T201 - requests are accepted from now on
        ready.register(sys.stdin, selectors.EVENT_READ)
        ready.register(listener, selectors.EVENT_READ)
        template: _Template | None = None
        while True:
            if any(key.fileobj is sys.stdin for key, _ in ready.select()):
                return
            with listener.accept()[0] as asker, asker.makefile("r") as asked:
                template = template or _Template(servers, Path(address).with_name("state"))
                asker.sendall(json.dumps(template.copy(asked.readline().strip())).encode() + b"\n")


class _Template:
    """The database that each copy is created from."""

    def __init__(self, servers: ExitStack, folder: Path) -> None:
        from stowage.cli.server.preparation import prepare_database  # noqa: PLC0415
        from stowage.platform.database.embedded import DATABASE, ROLES, EmbeddedPostgres  # noqa: PLC0415
        from stowage.platform.database.postmaster import Login, start_postmaster  # noqa: PLC0415
        from stowage.processes.state import sole_use  # noqa: PLC0415 - as above
        from stowage.processes.supervisor import Supervisor  # noqa: PLC0415

        held = servers.enter_context(sole_use(folder))
        supervisor = servers.enter_context(Supervisor())
        # A slash makes it a regular expression: copies have names of their own.
        logins = [Login(role, f"/^{DATABASE}") for role in ROLES]
        self._server = start_postmaster(supervisor, held, logins)
        self._name = DATABASE
        self._urls = EmbeddedPostgres(self._server).urls()
        with self._server.connect() as connection:
            # The data is temporary: it need not survive a loss of power.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")
        prepare_database(self._urls.owner, self._urls.application, self._urls.gate)

    def copy(self, kind: str) -> dict[str, str]:
        """Return the URLs of a new database, by role; ``empty`` is one without tables."""
        from dataclasses import asdict  # noqa: PLC0415 - as above

        from psycopg.sql import SQL, Identifier  # noqa: PLC0415
        from sqlalchemy import make_url  # noqa: PLC0415

        name = f"{self._name}_{uuid4().hex[:8]}"
        owner, *others = (Identifier(make_url(url).username or "") for url in asdict(self._urls).values())
        source = Identifier("template0" if kind == "empty" else self._name)
        with self._server.connect() as connection:
            connection.execute(
                SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY WAL_LOG").format(Identifier(name), owner, source)
            )
            # A copy has the privileges of any new database, and not those of its template.
            connection.execute(SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(Identifier(name)))
            connection.execute(
                SQL("GRANT CONNECT ON DATABASE {} TO {}").format(Identifier(name), SQL(", ").join(others))
            )
        return {
            role: make_url(url).set(database=name).render_as_string(hide_password=False)
            for role, url in asdict(self._urls).items()
        }


if __name__ == "__main__":
    _serve(sys.argv[1])
