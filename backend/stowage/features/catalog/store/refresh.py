"""Queries of catalog refreshes and their pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, cast, delete, func, insert, or_, select, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError

from stowage.features.catalog.store import catalog
from stowage.features.catalog.tables import catalog as catalogs
from stowage.features.catalog.tables import catalog_part, catalog_region, refresh, refresh_piece
from stowage.platform.database.columns import columns_of
from stowage.platform.database.errors import NotFound
from stowage.platform.database.tables import job
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.store import UNFINISHED

SCHEDULE = "schedule"
"""Requester of scheduled refreshes."""

KEEP_DAYS = 30
"""Days for which an unused version from a refresh is kept."""


@dataclass(frozen=True, slots=True)
class StoredRefresh:
    """A refresh that one team requested; its catalog is shared by all teams.

    Parameters
    ----------
    id, job_id : UUID
    regions : tuple of str
        Regions in the order in which they are read.
    created_at : datetime
    version : str or None
        New version; None if nothing changed, or the refresh is not done.
    notes : tuple of str or None
        Other findings; None until the refresh is done.
    """

    id: UUID
    job_id: UUID
    regions: Sequence[str]
    created_at: datetime
    version: str | None = None
    notes: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class LastPage:
    """Progress of a part.

    Parameters
    ----------
    page : int
        Number of the last stored page.
    next_token : str or None
        Token of the next page; None if the part is complete.
    """

    page: int
    next_token: str | None


def one_at_a_time(connection: Connection) -> None:
    """Acquire the lock that prevents two refreshes from starting, or from storing a new version, at the same time."""
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('stowage.refresh'))"))


def insert_refresh(connection: Connection, row: StoredRefresh, *, parts: int, asked_by: str) -> None:
    """Store a refresh with its job, and delete the pages of the team's ended refreshes."""
    forget_all(connection)
    jobs.insert(
        connection,
        job_id=row.job_id,
        kind="refresh",
        subject_id=row.id,
        asked_by=asked_by,
        total=parts,
        parts=parts,
        now=row.created_at,
    )
    connection.execute(
        insert(refresh).values(id=row.id, job_id=row.job_id, regions=list(row.regions), created_at=row.created_at)
    )


def newest(connection: Connection) -> StoredRefresh | None:
    """Return the last refresh that the team started; None if the team never started one."""
    query = select(*columns_of(refresh, StoredRefresh)).order_by(refresh.c.created_at.desc(), refresh.c.id).limit(1)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredRefresh(**row)


def get(connection: Connection, refresh_id: UUID) -> StoredRefresh | None:
    """Read a refresh; None if it does not exist or belongs to another team."""
    query = select(*columns_of(refresh, StoredRefresh)).where(refresh.c.id == refresh_id)
    row = connection.execute(query).mappings().one_or_none()
    return None if row is None else StoredRefresh(**row)


def last_start(connection: Connection, regions: Sequence[str]) -> datetime | None:
    """Return when the team last started a refresh that includes all given regions; None if it never started one.

    A cancelled refresh counts only if it was scheduled.
    """
    query = (
        select(refresh.c.created_at)
        .join(job, job.c.id == refresh.c.job_id)
        .where(cast(refresh.c.regions, JSONB).contains(list(regions)))
        .where(or_(job.c.state != "cancelled", job.c.asked_by == SCHEDULE))
    )
    return connection.execute(query.order_by(refresh.c.created_at.desc()).limit(1)).scalar_one_or_none()


def unfinished_job(connection: Connection) -> UUID | None:
    """Return the id of the job of the team's refresh in progress; None if no refresh is in progress."""
    query = select(job.c.id).where(job.c.kind == "refresh", job.c.state.in_(UNFINISHED))
    return connection.execute(query.order_by(job.c.created_at).limit(1)).scalar_one_or_none()


def last_page(connection: Connection, refresh_id: UUID, part: int) -> LastPage | None:
    """Return the progress of a part; None if nothing was read."""
    query = select(refresh_piece.c.page, refresh_piece.c.next_token).where(
        refresh_piece.c.refresh_id == refresh_id, refresh_piece.c.part == part
    )
    row = connection.execute(query.order_by(refresh_piece.c.page.desc()).limit(1)).one_or_none()
    return None if row is None else LastPage(row.page, row.next_token)


def add_page(
    connection: Connection, refresh_id: UUID, part: int, *, page: LastPage, content: Sequence[Mapping[str, Any]]
) -> None:
    """Store the extracted content of a page."""
    connection.execute(
        insert(refresh_piece).values(
            refresh_id=refresh_id, part=part, page=page.page, next_token=page.next_token, content=list(content)
        )
    )


def forget_part(connection: Connection, refresh_id: UUID, part: int) -> None:
    """Delete the pages of a part; the part is then read again from the first page."""
    connection.execute(
        delete(refresh_piece).where(refresh_piece.c.refresh_id == refresh_id, refresh_piece.c.part == part)
    )


def forget_all(connection: Connection) -> None:
    """Delete the pages of the team's ended refreshes."""
    going_on = select(refresh.c.id).join(job, job.c.id == refresh.c.job_id).where(job.c.state.in_(UNFINISHED))
    connection.execute(delete(refresh_piece).where(refresh_piece.c.refresh_id.not_in(going_on)))


def contents(connection: Connection, refresh_id: UUID) -> dict[int, list[dict[str, Any]]]:
    """Read the content of all pages of a refresh: for each part, its rows in AWS' order."""
    query = select(refresh_piece.c.part, refresh_piece.c.content).where(refresh_piece.c.refresh_id == refresh_id)
    rows: dict[int, list[dict[str, Any]]] = {}
    for part, content in connection.execute(query.order_by(refresh_piece.c.part, refresh_piece.c.page)):
        rows.setdefault(part, []).extend(content)
    return rows


def conclude(connection: Connection, refresh_id: UUID, *, version: str | None, notes: Sequence[str]) -> None:
    """Store the result of a refresh, and delete its pages."""
    connection.execute(update(refresh).where(refresh.c.id == refresh_id).values(version=version, notes=list(notes)))
    connection.execute(delete(refresh_piece).where(refresh_piece.c.refresh_id == refresh_id))


def newest_version(connection: Connection) -> str:
    """Return the name of the newest AWS catalog.

    Raises
    ------
    NotFound
        No catalog is stored: the database has not been prepared.
    """
    newest_of_aws = catalog.find(connection, "latest")
    if newest_of_aws is None:
        raise NotFound("no catalog of AWS is stored")
    return newest_of_aws.version


def regions_of_newest(connection: Connection) -> tuple[str, ...]:
    """Return the regions of the newest AWS catalog, in the order that the catalog defines."""
    version = newest_version(connection)
    return tuple(region.name for region in catalog.regions(connection, [version])[version])


def free_name(connection: Connection, name: str) -> str:
    """Return the name for a new version: the given name, followed by a number from 2 on if it is taken."""
    taken = {row.version for row in catalog.versions(connection)}
    numbered = (f"{name}.{number}" for number in count(2))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def prune_versions(connection: Connection, keep_days: int = KEEP_DAYS) -> tuple[str, ...]:
    """Delete old, unused versions that refreshes created, with their unshared parts.

    The price history loses the prices that only the deleted versions had.

    Parameters
    ----------
    connection : Connection
        Connection of the owner role; the application role cannot delete versions.
    keep_days : int
        Versions loaded within this many days stay; the newest version of AWS always stays.

    Returns
    -------
    tuple of str
        The deleted versions.
    """
    one_at_a_time(connection)
    newest_of_aws = catalog.find(connection, "latest")
    old = select(catalogs.c.version).where(
        catalogs.c.origin == "refresh",
        catalogs.c.loaded_at < func.now() - func.make_interval(0, 0, 0, keep_days),
        catalogs.c.version != ("" if newest_of_aws is None else newest_of_aws.version),
    )
    gone = []
    for version in connection.execute(old.order_by(catalogs.c.loaded_at)).scalars().all():
        try:
            # Row-level security hides plans and sweeps from the owner role; their foreign keys still apply.
            with connection.begin_nested():
                connection.execute(delete(catalogs).where(catalogs.c.version == version))
        except IntegrityError:
            continue
        gone.append(version)
    orphaned = catalog_part.c.id.not_in(select(catalog_region.c.part).union(select(catalogs.c.hardware)))
    # One part at a time: a statement may take 30 s, and a part has some 6,000 rows.
    for part in connection.execute(select(catalog_part.c.id).where(orphaned)).scalars().all():
        connection.execute(delete(catalog_part).where(catalog_part.c.id == part))
    return tuple(gone)
