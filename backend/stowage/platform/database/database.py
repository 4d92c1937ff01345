"""Connections to PostgreSQL, and transactions that each belong to one organisation."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self
from uuid import UUID

from psycopg import Error
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, Escaping, ExecStatus
from psycopg.pq.abc import PGconn, PGresult
from sqlalchemy import Connection as Connection  # noqa: PLC0414 - use cases name its type, and know no SQLAlchemy
from sqlalchemy import Engine, create_engine, exc

from stowage.platform.database.errors import NoRoom, Unreachable
from stowage.platform.database.urls import postgres_url

if TYPE_CHECKING:
    from stowage.platform.database.keyring import Keyring

_STATEMENT_TIMEOUT_S = 30
_IDLE_TIMEOUT_S = 60
_CONNECT_TIMEOUT_S = 5
_POOL_TIMEOUT_S = 5.0

_NO_ROOM = "53"
"""SQLSTATE class "insufficient resources": disk full, out of memory, too many connections."""

_SET = b"SELECT set_config('stowage.org_id', '%s', true), set_config('stowage.actor', %s, true)"
"""Both settings end with the transaction: the next one on this connection does not inherit them."""


class Database:
    """A pool of connections to one database as one role.

    Parameters
    ----------
    url : str
        Database URL in any of the accepted forms; see `stowage.platform.database.urls`.
    pool_size : int
        Connections that stay open; as many again are opened under load.
    keyring : Keyring or None
        Encrypts secrets; None for a database whose secrets are neither read nor stored.
    """

    __slots__ = ("_actor", "_engine", "_pool_size")

    def __init__(self, url: str, *, pool_size: int = 5, keyring: "Keyring | None" = None) -> None:
        self._actor = ""
        self._pool_size = pool_size
        self._engine = create_engine(
            postgres_url(url),
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=_POOL_TIMEOUT_S,
            connect_args={
                "connect_timeout": _CONNECT_TIMEOUT_S,
                "options": f"-c statement_timeout={_STATEMENT_TIMEOUT_S}s "
                f"-c idle_in_transaction_session_timeout={_IDLE_TIMEOUT_S}s -c timezone=UTC",
            },
        )
        # Column types receive the dialect, and nothing else of their connection.
        self._engine.dialect.keyring = keyring  # type: ignore[attr-defined]

    def acting_as(self, actor: Mapping[str, str]) -> Self:
        """Return a view of the same pool whose changes the audit log attributes to an actor.

        Parameters
        ----------
        actor : mapping of str to str
            Values by field: ``kind, id, name, token, address, request``; fields without a known value are omitted.
        """
        same = copy.copy(self)
        same._actor = json.dumps(dict(actor))  # noqa: SLF001 - a copy of this very object
        return same

    @contextmanager
    def transaction(self, org_id: UUID | None) -> Iterator[Connection]:
        """Run the block in a transaction.

        The transaction is committed when the block ends, or rolled back if the block raises an exception.

        Parameters
        ----------
        org_id : UUID or None
            The organisation whose rows the transaction can read and write; with None it can read only shared and
            published rows.

        Raises
        ------
        Unreachable
            The database does not answer, the connection was lost, or no connection became free in time.
        NoRoom
            The database has no disk space, memory or connection left; nothing was stored.
        """
        team, actor = b"" if org_id is None else str(org_id).encode(), self._actor.encode()
        connection, _ = self._begin(lambda wire: _SET % (team, Escaping(wire).escape_literal(actor)))
        try:
            with connection, connection.begin():
                yield connection
        except exc.DBAPIError as error:
            if error.connection_invalidated:
                raise Unreachable(f"the database {self._engine.url.database!r} went away: {error.args[0]}") from error
            if isinstance(error.orig, Error):
                self._check_room(error.orig)
            raise

    def _begin(self, query_for: Callable[[PGconn], bytes]) -> tuple[Connection, PGresult]:
        """Begin a transaction by running a query, in one round trip.

        A connection of the pool may be stale, because the server was restarted. The query then runs again on a new
        connection: nothing was executed yet.

        Parameters
        ----------
        query_for : callable
            Returns the query for a connection, with its values escaped.

        Returns
        -------
        connection : Connection
            In a transaction.
        result : PGresult
            Rows of the query.

        Raises
        ------
        Unreachable, NoRoom
            As for `transaction`.
        """
        # After a restart of the server every connection of the pool is stale; then comes a new one.
        for _ in range(2 * self._pool_size + 1):
            connection = connect(self._engine)
            wire: PGconn = connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
            result = wire.exec_(b"BEGIN;" + query_for(wire))
            if result.status == ExecStatus.TUPLES_OK:
                return connection, result
            error = error_from_result(result)
            connection.invalidate()
            connection.close()
            if wire.status != ConnStatus.BAD:
                self._check_room(error)
                raise error
        raise Unreachable(f"the database {self._engine.url.database!r} went away: {error}") from error

    def _check_room(self, error: Error) -> None:
        if (error.sqlstate or "").startswith(_NO_ROOM):
            raise NoRoom(f"the database {self._engine.url.database!r} has no room: {error}") from error

    def ping(self) -> None:
        """Check that the database answers.

        Raises
        ------
        Unreachable
            The database does not answer.
        """
        with self.transaction(None):
            pass

    def close(self) -> None:
        """Close the pool, for all its views.

        Connections that are in use close when their transactions end.
        """
        self._engine.dispose()


def connect(engine: Engine) -> Connection:
    """Return a connection from the pool of an engine.

    Raises
    ------
    Unreachable
        The database does not answer, or no connection became free in time.
    """
    try:
        return engine.connect()
    except (exc.OperationalError, exc.TimeoutError) as error:
        # The message names the database, the host and the role, but no password.
        raise Unreachable(f"no connection to the database {engine.url.database!r}: {error.args[0]}") from error
