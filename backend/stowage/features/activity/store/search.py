"""Queries of search: plans, sweeps, reports, members, instance and volume types by words in their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from stowage.features.tables import metadata

catalog_region, instance_figure, instance_type, volume_type = (
    metadata.tables[name] for name in ("catalog_region", "instance_figure", "instance_type", "volume_type")
)
membership, person = metadata.tables["membership"], metadata.tables["person"]
plan, report, sweep = (metadata.tables[name] for name in ("plan", "report", "sweep"))


@dataclass(frozen=True, slots=True)
class Named:
    """A search result.

    Parameters
    ----------
    id : str
    name : str
    note : str
        Additional text; may be empty.
    at : datetime or None
        Time of creation.
    """

    id: str
    name: str
    note: str = ""
    at: datetime | None = None


def plans(connection: Connection, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find plans of the team that the transaction runs for."""
    columns = plan.c.id, plan.c.name, plan.c.best_instance, plan.c.created_at
    query = select(*columns).where(plan.c.deleted_at.is_(None))
    rows = connection.execute(_best(query, (plan.c.name,), words, most, plan.c.created_at.desc()))
    return tuple(Named(str(row.id), row.name, row.best_instance or "", row.created_at) for row in rows)


def sweeps(connection: Connection, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find sweeps of the team that the transaction runs for."""
    query = select(sweep.c.id, sweep.c.name, sweep.c.created_at).where(sweep.c.deleted_at.is_(None))
    rows = connection.execute(_best(query, (sweep.c.name,), words, most, sweep.c.created_at.desc()))
    return tuple(Named(str(row.id), row.name, at=row.created_at) for row in rows)


def reports(connection: Connection, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find reports of the team that the transaction runs for."""
    query = select(report.c.id, report.c.name, report.c.author, report.c.created_at).where(
        report.c.deleted_at.is_(None)
    )
    rows = connection.execute(_best(query, (report.c.name,), words, most, report.c.created_at.desc()))
    return tuple(Named(str(row.id), row.name, f"report by {row.author}", row.created_at) for row in rows)


def members(connection: Connection, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find members of the team that the transaction runs for, by name and e-mail."""
    query = select(person.c.person_id, person.c.name, person.c.email, membership.c.role).join(
        membership, membership.c.person_id == person.c.person_id
    )
    rows = connection.execute(_best(query, (person.c.name, person.c.email), words, most, person.c.person_id))
    return tuple(
        Named(str(row.person_id), row.name, row.role if row.email is None else f"{row.role}, {row.email}")
        for row in rows
    )


def types(connection: Connection, hardware: int, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find instance types of a version of the catalog.

    Parameters
    ----------
    connection : Connection
    hardware : int
        Number of the stored catalog part that has the instance types of the version.
    words : sequence of str
    most : int
    """
    query = (
        select(instance_type.c.name, instance_figure.c.value)
        .outerjoin(
            instance_figure,
            (instance_figure.c.part == instance_type.c.part)
            & (instance_figure.c.target == instance_type.c.name)
            & (instance_figure.c.quantity == "vcpus"),
        )
        .where(instance_type.c.part == hardware)
    )
    rows = connection.execute(_best(query, (instance_type.c.name,), words, most, instance_type.c.position))
    return tuple(Named(row.name, row.name, "" if row.value is None else f"{row.value:g} vCPU") for row in rows)


def volumes(connection: Connection, version: str, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find EBS volume types of a version of the catalog, in any region."""
    known = (
        select(volume_type.c.name)
        .join(catalog_region, catalog_region.c.part == volume_type.c.part)
        .where(catalog_region.c.version == version)
        .distinct()
        .subquery()
    )
    rows = connection.execute(_best(select(known.c.name), (known.c.name,), words, most, known.c.name))
    return tuple(Named(row.name, row.name) for row in rows)


def _best(
    query: Select[Any],
    names: Sequence[ColumnElement[Any]],
    words: Sequence[str],
    most: int,
    then: ColumnElement[Any],
) -> Select[Any]:
    """Filter a query to rows whose names contain all words, and limit it to the best `most` rows.

    The order depends on the first of `names`: rows in which that name begins with the words come first, and shorter
    names come before longer ones; `then` decides between equal rows.
    """
    text = func.concat_ws("\n", *names)
    for word in words:
        query = query.where(text.icontains(word, autoescape=True))
    first = names[0]
    begins = first.istartswith(" ".join(words), autoescape=True)
    return query.order_by(begins.desc(), func.length(first), then).limit(most)
