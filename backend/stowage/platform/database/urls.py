"""Parsers of database URLs in the forms that users write."""

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from stowage.platform.database.errors import BadUrl

DRIVER = "postgresql+psycopg"
_ACCEPTED = {"postgres", "postgresql", DRIVER}


def postgres_url(written: str) -> URL:
    """Parse the URL of a PostgreSQL database.

    Returns the URL with the driver that the application uses.

    Raises
    ------
    BadUrl
        The URL is malformed or not PostgreSQL's. The message does not repeat the URL, which may have a password.
    """
    try:
        url = make_url(written)
    except ArgumentError:
        raise BadUrl("a database URL is not an address like postgresql://role:password@host:5432/stowage") from None
    if url.drivername not in _ACCEPTED and not url.drivername.startswith("postgresql+"):
        raise BadUrl(f"a database URL names {url.drivername}; accepted: postgresql://...")
    return url.set(drivername=DRIVER)


def role_of(written: str) -> str:
    """Return the role with which a database URL connects.

    Raises
    ------
    BadUrl
        The URL has no role.
    """
    role = postgres_url(written).username
    if not role:
        raise BadUrl("DATABASE_URL names no role: write postgresql://role@host/stowage")
    return role
