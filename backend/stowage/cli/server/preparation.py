"""Preparation of a database: migrations, packaged catalogs, the local and the example team."""

import logging

from stowage.catalog.snapshot import VERSIONS, packaged, packaged_digest
from stowage.features.catalog.store.catalog import put_version, versions
from stowage.features.catalog.store.refresh import prune_versions
from stowage.features.tables import metadata
from stowage.platform.database.database import Database
from stowage.platform.database.keyring import Keyring
from stowage.platform.database.migration import migrate
from stowage.platform.database.orgs import EXAMPLE_ORG_ID, LOCAL_ORG_ID, ensure_org
from stowage.platform.database.sealed import reseal
from stowage.platform.database.urls import role_of

log = logging.getLogger(__name__)


def prepare_database(owner_url: str, application_url: str, gate_url: str, keyring: Keyring | None = None) -> bool:
    """Prepare a database for this version of the program.

    The tables are migrated, the packaged catalogs are stored, expired catalogs are deleted, and the local and the
    example team are created. Repetition is harmless.

    Parameters
    ----------
    owner_url : str
        URL with the role that owns the tables.
    application_url : str
        URL with the application's role, which gets the permissions on the tables.
    gate_url : str
        URL with the auth role, which gets its permissions on the tables.
    keyring : Keyring or None
        Encryption keys. Secrets that are encrypted with an older key are re-encrypted with the first key.

    Returns
    -------
    bool
        Whether this was the first preparation of the database. Then the example team has no data yet.

    Raises
    ------
    StoreError
        The database does not answer, its roles are unsuitable, or a catalog changed that plans refer to.
    """
    migrate(owner_url, role_of(application_url), role_of(gate_url), keyring)
    owner = Database(owner_url, pool_size=1, keyring=keyring)
    try:
        if keyring is not None:
            _bring_to_newest_key(owner, keyring)
        with owner.transaction(None) as connection:
            stored = {row.version: row.digest for row in versions(connection)}
            for version in VERSIONS:
                # Reading a catalog takes half a second, and at most starts it is stored already.
                if stored.get(version) != packaged_digest(version):
                    put_version(connection, packaged(version))
        with owner.transaction(None) as connection:
            prune_versions(connection)
        with owner.transaction(LOCAL_ORG_ID) as connection:
            ensure_org(connection, LOCAL_ORG_ID, "local team")
        with owner.transaction(EXAMPLE_ORG_ID) as connection:
            return ensure_org(connection, EXAMPLE_ORG_ID, "example team")
    finally:
        owner.close()


def _bring_to_newest_key(owner: Database, keyring: Keyring) -> None:
    changed, lost = reseal(owner, keyring, metadata)
    if changed:
        log.info("re-encrypted %d secrets with the first key", changed)
    if lost:
        log.error(
            "%d secrets were encrypted with an unknown key: add that key to STOWAGE_SECRETS_KEY after the first",
            lost,
        )
