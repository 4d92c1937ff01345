"""What can go wrong in the store.

StoreError
├── BadUrl             what is written for the address of a database is none, or not PostgreSQL's
├── NotFound           nothing is stored under this name
├── CatalogueChanged   a catalogue that plans rest on would change
├── Unreachable        the database does not answer
│   └── NoRoom         the database has no disk space, memory or connection left
├── UnfitRole          row-level security would not hold the application's role
├── NoKey              no key was given to encrypt or decrypt secrets
├── WrongKey           a secret was encrypted with an unknown key
└── ServerFailed       the embedded server cannot be set up, does not start or does not stop
"""


class StoreError(Exception):
    """Base of what the store raises of its own accord."""


class BadUrl(StoreError):
    """What is written for the address of a database is none, or not PostgreSQL's."""


class NotFound(StoreError):
    """Nothing is stored under this name."""


class CatalogueChanged(StoreError):
    """A catalogue that plans rest on would change; catalogues are immutable once used."""


class Unreachable(StoreError):
    """The database does not answer, or no connection to it became free in time."""


class NoRoom(Unreachable):
    """The database has no disk space, memory or connection left; what was tried may succeed later."""


class UnfitRole(StoreError):
    """Row-level security would not hold the role that the application connects as."""


class NoKey(StoreError):
    """No key was given to encrypt or decrypt secrets."""


class WrongKey(StoreError):
    """A secret was encrypted with an unknown key."""


class ServerFailed(StoreError):
    """The embedded server cannot be set up, does not start or does not stop."""
