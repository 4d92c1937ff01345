"""Database addresses as users write them."""

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from stowage.platform.database.errors import BadUrl

DRIVER = "postgresql+psycopg"
_ACCEPTED = {"postgres", "postgresql", DRIVER}


def postgres_url(written: str) -> URL:
    """Read the address of a PostgreSQL database; whichever driver it names, ours is used.

    Raises
    ------
    BadUrl
        Not an address, or not of PostgreSQL. The message does not repeat it: it may hold a password.
    """
    try:
        url = make_url(written)
    except ArgumentError:
        raise BadUrl("a database URL is not an address like postgresql://role:password@host:5432/stowage") from None
    if url.drivername not in _ACCEPTED and not url.drivername.startswith("postgresql+"):
        raise BadUrl(f"a database URL names {url.drivername}; accepted: postgresql://...")
    return url.set(drivername=DRIVER)


def role_of(written: str) -> str:
    """Say which role an address connects as.

    Raises
    ------
    BadUrl
        It names none.
    """
    role = postgres_url(written).username
    if not role:
        raise BadUrl("DATABASE_URL names no role: write postgresql://role@host/stowage")
    return role
