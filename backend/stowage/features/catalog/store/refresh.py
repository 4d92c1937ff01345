"""Database queries for catalog refreshes and the pages that were read from AWS.

A part of a refresh is one query to AWS for one region, and is read page by page.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, cast, delete, func, insert, or_, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import IntegrityError

from stowage.features.catalog.store import catalog
from stowage.features.catalog.tables import catalog as catalogs
from stowage.features.catalog.tables import catalog_part, catalog_region, refresh, refresh_piece
from stowage.frozen import frozen
from stowage.platform.database.errors import NotFound
from stowage.platform.database.rows import Rows
from stowage.platform.database.tables import job
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import NewJob
from stowage.platform.jobs.store import UNFINISHED

SCHEDULE = "schedule"
"""Requester of scheduled refreshes."""

KEEP_DAYS = 30
"""Days for which an unused version from a refresh is kept."""


@frozen
class StoredRefresh:
    """One refresh of the catalog, which one team requested and all teams share."""

    id: UUID
    job_id: UUID
    regions: Sequence[str]
    """Regions in the order in which they are read."""
    created_at: datetime
    version: str | None = None
    """New catalog version; None if nothing changed, or the refresh is not done."""
    notes: Sequence[str] | None = None
    """Other findings; None until the refresh is done."""


@frozen
class LastPage:
    """Progress of a part of a refresh: the last page that is stored."""

    page: int
    """Number of the last stored page."""
    next_token: str | None
    """Token of the next page; None if the part is complete."""


_REFRESHES = Rows(refresh, StoredRefresh)
get = _REFRESHES.get


def one_at_a_time(connection: Connection) -> None:
    """Acquire the lock that is needed to start a refresh or to store a new version.

    Only one transaction can have the lock. It is released when the transaction ends.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('stowage.refresh'))"))


def insert_refresh(connection: Connection, row: StoredRefresh, *, parts: int, asked_by: str) -> None:
    """Store a refresh with its job, and delete the pages of the team's ended refreshes."""
    forget_all(connection)
    jobs.insert(connection, NewJob(row.job_id, "refresh", row.id, asked_by, row.created_at, parts), parts)
    connection.execute(
        insert(refresh).values(id=row.id, job_id=row.job_id, regions=list(row.regions), created_at=row.created_at)
    )


def newest(connection: Connection) -> StoredRefresh | None:
    """Return the last refresh that the team started; None if the team never started one."""
    newest_first = refresh.c.created_at.desc(), refresh.c.id
    return next(iter(_REFRESHES.list_all(connection, order=newest_first, limit=1)), None)


def last_start(connection: Connection, regions: Sequence[str]) -> datetime | None:
    """Return the time at which the team last started a refresh of all given regions; None if it never started one.

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
    """Return the progress of a part of a refresh; None if no page of the part is stored."""
    query = select(refresh_piece.c.page, refresh_piece.c.next_token).where(
        refresh_piece.c.refresh_id == refresh_id, refresh_piece.c.part == part
    )
    row = connection.execute(query.order_by(refresh_piece.c.page.desc()).limit(1)).one_or_none()
    return None if row is None else LastPage(row.page, row.next_token)


def add_page(
    connection: Connection, refresh_id: UUID, part: int, *, page: LastPage, content: Sequence[Mapping[str, Any]]
) -> None:
    """Store a page of a part, with the data that the new version needs from it."""
    connection.execute(
        insert(refresh_piece).values(
            refresh_id=refresh_id, part=part, page=page.page, next_token=page.next_token, content=list(content)
        )
    )


def forget_part(connection: Connection, refresh_id: UUID, part: int) -> None:
    """Delete the pages of a part of a refresh, so that the part is read again from its first page."""
    connection.execute(
        delete(refresh_piece).where(refresh_piece.c.refresh_id == refresh_id, refresh_piece.c.part == part)
    )


def forget_all(connection: Connection) -> None:
    """Delete the pages of the team's ended refreshes."""
    going_on = select(refresh.c.id).join(job, job.c.id == refresh.c.job_id).where(job.c.state.in_(UNFINISHED))
    connection.execute(delete(refresh_piece).where(refresh_piece.c.refresh_id.not_in(going_on)))


def contents(connection: Connection, refresh_id: UUID) -> dict[int, list[dict[str, Any]]]:
    """Load the content of all pages of a refresh: part -> rows in the order in which AWS returned them."""
    query = select(refresh_piece.c.part, refresh_piece.c.content).where(refresh_piece.c.refresh_id == refresh_id)
    rows: dict[int, list[dict[str, Any]]] = {}
    for part, content in connection.execute(query.order_by(refresh_piece.c.part, refresh_piece.c.page)):
        rows.setdefault(part, []).extend(content)
    return rows


def conclude(connection: Connection, refresh_id: UUID, *, version: str | None, notes: Sequence[str]) -> None:
    """Store the result of a refresh, and delete its pages."""
    _REFRESHES.change(connection, refresh_id, {"version": version, "notes": list(notes)})
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
    """Return an unused name for a new catalog version.

    It is the given name or, if that is taken, the name with the first free number from 2 on.
    """
    taken = {row.version for row in catalog.versions(connection)}
    numbered = (f"{name}.{number}" for number in count(2))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def prune_versions(connection: Connection) -> tuple[str, ...]:
    """Delete old catalog versions that were created by refreshes and that no plan or sweep uses.

    Parts that no other version shares are deleted too.

    Versions loaded within the last `KEEP_DAYS` stay, and the newest version of AWS always stays. Prices that only the
    deleted versions had disappear from the price history.

    Parameters
    ----------
    connection : Connection
        Connection of the owner role; the application role cannot delete versions.

    Returns
    -------
    tuple of str
        The deleted versions.
    """
    one_at_a_time(connection)
    newest_of_aws = catalog.find(connection, "latest")
    old = select(catalogs.c.version).where(
        catalogs.c.origin == "refresh",
        catalogs.c.loaded_at < func.now() - func.make_interval(0, 0, 0, KEEP_DAYS),
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
