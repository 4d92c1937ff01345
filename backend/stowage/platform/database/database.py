"""Connections to PostgreSQL, and transactions that each belong to one organisation."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, cast
from uuid import UUID

from psycopg import Error
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, Escaping, ExecStatus
from psycopg.pq.abc import PGconn, PGresult
from pydantic_core import from_json
from sqlalchemy import Connection as Connection  # noqa: PLC0414 - use cases name its type, and know no SQLAlchemy
from sqlalchemy import Engine, create_engine, exc

from stowage.frozen import frozen
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

_BY_CALLER = b"""
SELECT found.*,
       set_config('stowage.org_id', %s, true),
       set_config('stowage.actor', json_strip_nulls(json_build_object(
           'kind', CASE WHEN found.token_id IS NULL THEN 'person' ELSE 'token' END, 'name', found.name,
           'id', found.person_id, 'token', found.token_id, 'address', %s, 'request', %s))::text, true)
FROM %s(%s) AS found
"""
"""The settings, from the caller that a function of the database finds."""

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

    __slots__ = ("_actor", "_begun", "_engine", "_pool_size")

    def __init__(self, url: str, *, pool_size: int = 5, keyring: "Keyring | None" = None) -> None:
        self._actor = ""
        self._begun: BegunTransaction | None = None
        self._pool_size = pool_size
        self._engine = create_engine(
            postgres_url(url),
            pool_size=pool_size,
            max_overflow=pool_size,
            json_deserializer=_from_json,
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
        same._actor, same._begun = json.dumps(dict(actor)), None  # noqa: SLF001 - a copy of this very object
        return same

    @contextmanager
    def begun_by(self, caller: "CallerLookup") -> Iterator["tuple[Mapping[str, Any] | None, BegunTransaction]"]:
        """Begin a transaction by finding the caller, in one round trip, and keep it open until the block ends.

        The actor of the transaction is the caller. `continuing` makes the transaction available to use cases; one that
        no use case has taken ends with the block.

        Yields
        ------
        caller : mapping of str to object, or None
            Result of the look-up by column; None if there is no such caller.
        begun : BegunTransaction
            The transaction.
        """
        connection, result = self._begin(caller.query)
        begun = BegunTransaction(connection, caller.org_id)
        try:
            found = None
            if result.ntuples:
                rows = Transformer(cast("Any", connection.connection.driver_connection))
                rows.set_pgresult(result)
                names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
                found = dict(zip(names, rows.load_row(0, tuple) or (), strict=True))
                if caller.org_id == "caller":
                    begun.org_id = found["org_id"]
            yield found, begun
        finally:
            begun.close()

    def continuing(self, begun: "BegunTransaction") -> Self:
        """Return a view whose first transaction is one that `begun_by` has begun for the same actor."""
        same = copy.copy(self)
        same._begun = begun  # noqa: SLF001 - likewise
        return same

    def end_begun(self) -> None:
        """End the transaction that was begun for the use case, if the use case computes long without a database."""
        if self._begun is not None:
            self._begun.close()

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
        team, actor = _text(org_id), self._actor.encode()

        def settings(wire: PGconn) -> bytes:
            return _SET % (team, Escaping(wire).escape_literal(actor))

        connection = None if self._begun is None else self._begun.take(org_id, settings)
        if connection is None:
            connection, _ = self._begin(settings)
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
            wire = _wire_of(connection)
            result = wire.exec_(b"BEGIN;" + query_for(wire))
            if result.status == ExecStatus.TUPLES_OK:
                return connection, result
            error = error_from_result(result)
            # Asked first: the connection has this status after `invalidate` too.
            is_stale = wire.status == ConnStatus.BAD
            connection.invalidate()
            connection.close()
            if not is_stale:
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


def _from_json(document: str | bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return a JSON document of a column, with the same values as by the standard library, in half the time."""
    try:
        return from_json(document)
    except ValueError:
        # Half of a surrogate pair, or deeper than 200 levels.
        return json.loads(document)


@frozen
class CallerLookup:
    """A call of a function of the database that finds the caller of a request by a secret."""

    function: str
    """Name of the function; it returns at most one row, with `person_id`, `name`, `org_id` and `token_id`."""
    arguments: Sequence[bytes | datetime]
    org_id: UUID | Literal["caller"] | None
    """Organisation of the transaction: one of a known id, that of the caller, or None as in `Database.transaction`."""
    address: str | None
    """Network address of the caller."""
    request_id: str | None

    def query(self, wire: PGconn) -> bytes:
        """Return the query that calls the function, and makes the settings of the transaction."""
        literal = Escaping(wire).escape_literal
        given = [
            b"'\\x%s'" % each.hex().encode() if isinstance(each, bytes) else b"'%s'" % each.isoformat().encode()
            for each in self.arguments
        ]
        team = b"coalesce(found.org_id::text, '')" if self.org_id == "caller" else literal(_text(self.org_id))
        words = [b"NULL" if each is None else literal(each.encode()) for each in (self.address, self.request_id)]
        return _BY_CALLER % (team, *words, self.function.encode(), b", ".join(given))


@dataclass(slots=True)
class BegunTransaction:
    """A transaction that was begun before its use case, and has only read so far. One use case takes it."""

    connection: Connection | None
    org_id: UUID | Literal["caller"] | None

    def take(self, org_id: UUID | None, settings: Callable[[PGconn], bytes]) -> Connection | None:
        """Return the connection of the transaction, for an organisation; None if it was taken.

        Parameters
        ----------
        settings : callable
            Returns the query for the settings of another organisation than that of the transaction.
        """
        connection, self.connection = self.connection, None
        if connection is not None and org_id != self.org_id:
            wire = _wire_of(connection)
            if wire.exec_(settings(wire)).status != ExecStatus.TUPLES_OK:
                connection.close()
                return None
        return connection

    def close(self) -> None:
        """End the transaction, unless a use case has taken it."""
        connection, self.connection = self.connection, None
        if connection is not None:
            # After a rollback psycopg would prepare all statements again.
            _wire_of(connection).exec_(b"COMMIT")
            connection.close()


def _text(org_id: UUID | str | None) -> bytes:
    return b"" if org_id is None else str(org_id).encode()


def _wire_of(connection: Connection) -> PGconn:
    wire: PGconn = connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
    return wire


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
