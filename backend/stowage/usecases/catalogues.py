"""Catalogues in the store: as knowledge for answers, and as a list."""

from uuid import UUID

from stowage.store import catalogue as store
from stowage.store.database import Database
from stowage.store.errors import NotFound as NotStored
from stowage.usecases.answers import CatalogueAnswer
from stowage.usecases.knowledge import Knowledge, KnowledgeSource, unknown_catalogue


def stored_knowledge(database: Database, org_id: UUID) -> KnowledgeSource:
    """Give a source of knowledge that reads the store: published profiles and those of the team."""

    def source(version: str) -> Knowledge:
        with database.transaction(org_id) as connection:
            versions = tuple(row.version for row in store.versions(connection))
            wanted = versions[0] if version == "latest" and versions else version
            try:
                stored = store.load(connection, wanted)
            except NotStored:
                raise unknown_catalogue(version, versions) from None
        return Knowledge(stored.catalogue, stored.profiles, stored.digest)

    return source


def list_catalogues(database: Database, org_id: UUID) -> list[CatalogueAnswer]:
    """List the versions of the catalogue, newest first."""
    with database.transaction(org_id) as connection:
        stored = [store.load(connection, row.version).catalogue for row in store.versions(connection)]
    return [
        CatalogueAnswer(
            version=catalogue.version,
            title=catalogue.title,
            as_of=catalogue.as_of,
            region=catalogue.region,
            instance_types=sorted(catalogue.instance_types),
            volume_types=sorted(catalogue.volume_types),
        )
        for catalogue in stored
    ]
