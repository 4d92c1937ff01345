"""Catalogues with the profiles published with them: stored whole, read back as the model's types."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, delete, insert, select, text
from sqlalchemy.exc import IntegrityError

from stowage.model.catalogue import Catalogue, VolumeType
from stowage.model.catalogue import instance_type as make_instance_type
from stowage.model.catalogue import volume_type as make_volume_type
from stowage.model.figure import Figure
from stowage.model.instance import InstanceType
from stowage.model.profile import Profile, Profiles
from stowage.store.errors import CatalogueChanged, NotFound
from stowage.store.tables import catalogue as catalogues
from stowage.store.tables import columns_of, instance_figure, instance_type, profile, volume_figure, volume_type


@dataclass(frozen=True, slots=True)
class StoredCatalogue:
    """A catalogue and the profiles published with it.

    Parameters
    ----------
    catalogue : Catalogue
    profiles : Profiles
        In the order they were stored.
    digest : str
        SHA-256 of what was loaded.
    """

    catalogue: Catalogue
    profiles: Profiles
    digest: str


@dataclass(frozen=True, slots=True)
class CatalogueVersion:
    """What a list of catalogues says of one.

    Parameters
    ----------
    version, title : str
    as_of : date
        Day that its figures hold for.
    region : str
    digest : str
        SHA-256 of what was loaded.
    loaded_at : datetime
    """

    version: str
    title: str
    as_of: date
    region: str
    digest: str
    loaded_at: datetime


def put_snapshot(connection: Connection, catalogue: Catalogue, profiles: Profiles, digest: str) -> bool:
    """Store a catalogue with its published profiles; once a plan names its version, it is immutable.

    Parameters
    ----------
    connection : Connection
        The owner's.
    catalogue : Catalogue
    profiles : Profiles
    digest : str
        SHA-256 of the content, 64 lower-case hexadecimal digits: the same digest is the same content.

    Returns
    -------
    bool
        False where this content was there already.

    Raises
    ------
    CatalogueChanged
        The version is there with other content, and plans rest on it.
    """
    # Two processes that start at once must not both find nothing and load. Readers and plans are not held up.
    connection.execute(text("LOCK TABLE catalogue IN SHARE ROW EXCLUSIVE MODE"))
    of_version = catalogues.c.version == catalogue.version
    stored = connection.scalar(select(catalogues.c.digest).where(of_version))
    if stored == digest:
        return False
    if stored is not None:
        try:
            # Row-level security hides the plans from the owner; their foreign key does not overlook any.
            with connection.begin_nested():
                connection.execute(delete(catalogues).where(of_version))
        except IntegrityError as error:
            raise CatalogueChanged(
                f"catalogue {catalogue.version!r}: plans rest on the content stored as {stored[:12]}, "
                f"and {digest[:12]} differs from it; give changed content a version of its own"
            ) from error
    _insert(connection, catalogue, profiles, digest)
    return True


def load(connection: Connection, version: str) -> StoredCatalogue:
    """Read a catalogue and its published profiles, equal to what was stored.

    Raises
    ------
    NotFound
        There is no such version.
    """
    row = connection.execute(select(catalogues).where(catalogues.c.version == version)).one_or_none()
    if row is None:
        known = ", ".join(stored.version for stored in versions(connection)) or "none"
        raise NotFound(f"catalogue {version!r} is not stored; stored are: {known}")
    instance_figures = _figures(connection, instance_figure, version)
    volume_figures = _figures(connection, volume_figure, version)
    return StoredCatalogue(
        catalogue=Catalogue(
            version=row.version,
            title=row.title,
            as_of=row.as_of,
            region=row.region,
            instance_types={
                target["name"]: make_instance_type(
                    target["name"],
                    instance_figures.get(target["name"], {}),
                    disk_media=target["disk_media"],
                    placement_group=target["placement_group"],
                    gaps=target["gaps"],
                )
                for target in _targets(connection, instance_type, version)
            },
            volume_types={
                target["name"]: make_volume_type(target["name"], volume_figures.get(target["name"], {}), row.as_of)
                for target in _targets(connection, volume_type, version)
            },
        ),
        profiles=_published_profiles(connection, version),
        digest=row.digest,
    )


def versions(connection: Connection) -> tuple[CatalogueVersion, ...]:
    """List the catalogues, newest first: by the day they hold for, then by when they were loaded."""
    newest = select(*columns_of(catalogues, CatalogueVersion)).order_by(
        catalogues.c.as_of.desc(), catalogues.c.loaded_at.desc(), catalogues.c.version
    )
    return tuple(CatalogueVersion(**row) for row in connection.execute(newest).mappings())


def _insert(connection: Connection, catalogue: Catalogue, profiles: Profiles, digest: str) -> None:
    version = {"catalogue_version": catalogue.version}
    instances, volumes = catalogue.instance_types.values(), catalogue.volume_types.values()
    connection.execute(
        insert(catalogues).values(
            version=catalogue.version,
            title=catalogue.title,
            as_of=catalogue.as_of,
            region=catalogue.region,
            digest=digest,
        )
    )
    rows: dict[Table, list[dict[str, Any]]] = {
        instance_type: [
            {
                "name": instance.name,
                "position": position,
                "disk_media": instance.disk_media,
                "placement_group": instance.placement_group,
                "gaps": dict(instance.gaps),
            }
            for position, instance in enumerate(instances)
        ],
        volume_type: [{"name": volume.name, "position": position} for position, volume in enumerate(volumes)],
        instance_figure: [row for instance in instances for row in _figure_rows(instance)],
        volume_figure: [row for volume in volumes for row in _figure_rows(volume)],
        profile: [asdict(row) for row in profiles.rows],
    }
    for table, of_table in rows.items():
        if of_table:
            connection.execute(insert(table), [version | row for row in of_table])


def _figure_rows(target: InstanceType | VolumeType) -> Iterable[dict[str, Any]]:
    # Of a volume type's limits the catalogue states the sizes itself; the rest follows from its date.
    sizes = (target.limits.smallest_gib, target.limits.largest_gib) if isinstance(target, VolumeType) else ()
    for figure in sizes:
        yield {"target": target.name, **asdict(figure)}
    for field in fields(target):
        figure = getattr(target, field.name)
        if isinstance(figure, Figure):
            if figure.quantity != field.name:
                raise ValueError(f"{target.name}.{field.name}: figure is named {figure.quantity!r}, must be its field")
            yield {"target": target.name, **asdict(figure)}


def _targets(connection: Connection, table: Table, version: str) -> Iterable[RowMapping]:
    query = select(table).where(table.c.catalogue_version == version).order_by(table.c.position)
    return connection.execute(query).mappings()


def _figures(connection: Connection, table: Table, version: str) -> dict[str, dict[str, Figure]]:
    """Read the figures of all targets: target -> quantity -> figure."""
    query = select(table.c.target, *columns_of(table, Figure)).where(table.c.catalogue_version == version)
    figures: dict[str, dict[str, Figure]] = {}
    for target, *values in connection.execute(query):
        figure = Figure(*values)
        figures.setdefault(target, {})[figure.quantity] = figure
    return figures


def _published_profiles(connection: Connection, version: str) -> Profiles:
    of_version = select(*columns_of(profile, Profile)).where(profile.c.catalogue_version == version)
    return Profiles(tuple(Profile(**row) for row in connection.execute(of_version.order_by(profile.c.id)).mappings()))
