"""Errors of the database and of the embedded server.

StoreError
├── BadUrl             a database URL is malformed, or not PostgreSQL's
├── NotFound           nothing is stored under this name
├── CatalogChanged     a catalog that plans use would change
├── Unreachable        the database does not answer
│   └── NoRoom         the database has no disk space, memory or connection left
├── UnfitRole          row-level security would not restrict the application's role
├── NoKey              no key was given to encrypt or decrypt secrets
├── WrongKey           a secret was encrypted with an unknown key
└── ServerFailed       the embedded server cannot be set up, does not start or does not stop
"""


class StoreError(Exception):
    """Base class of the errors of the database and of the embedded server."""


class BadUrl(StoreError):
    """A database URL is malformed, or not PostgreSQL's."""


class NotFound(StoreError):
    """Nothing is stored under this name."""


class CatalogChanged(StoreError):
    """A catalog that plans use would change.

    Catalogs are immutable once used.
    """


class Unreachable(StoreError):
    """The database does not answer, or no connection to it became free in time."""


class NoRoom(Unreachable):
    """The database has no disk space, memory or connection left.

    A later attempt may succeed.
    """


class UnfitRole(StoreError):
    """Row-level security would not restrict the role that the application connects as."""


class NoKey(StoreError):
    """No key was given to encrypt or decrypt secrets."""


class WrongKey(StoreError):
    """A secret was encrypted with an unknown key."""


class ServerFailed(StoreError):
    """The embedded server cannot be set up, does not start or does not stop."""
