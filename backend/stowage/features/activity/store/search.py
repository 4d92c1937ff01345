"""Database queries that find plans, sweeps, reports, members, instance and volume types by words in their names.

In all functions, the name of a result has all of `words`, and `most` is the maximum number of results.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, Table, func, literal, select

from stowage.features.tables import metadata
from stowage.frozen import frozen
from stowage.platform.database.rows import containing

catalog_region, instance_figure, instance_type, volume_type = (
    metadata.tables[name] for name in ("catalog_region", "instance_figure", "instance_type", "volume_type")
)
membership, person = metadata.tables["membership"], metadata.tables["person"]
plan, report, sweep = (metadata.tables[name] for name in ("plan", "report", "sweep"))
_SAVED: Mapping[str, tuple[Table, ColumnElement[str]]] = {
    "plan": (plan, func.coalesce(plan.c.best_instance, "")),
    "sweep": (sweep, literal("")),
    "report": (report, literal("report by ") + report.c.author),
}
"""Table of each kind of saved object, and the note that is shown with its name."""


@frozen
class Named:
    """A search result: an object with its name."""

    id: str
    name: str
    note: str = ""
    """Additional text that is shown with the name; may be empty."""
    at: datetime | None = None
    """Time of the object's creation; None if it is not known."""


def saved(
    connection: Connection, kind: Literal["plan", "sweep", "report"], words: Sequence[str], most: int
) -> tuple[Named, ...]:
    """Find plans, sweeps or reports by name, of the team that the transaction runs for."""
    table, note = _SAVED[kind]
    query = select(table.c.id, table.c.name, note.label("note"), table.c.created_at).where(table.c.deleted_at.is_(None))
    rows = connection.execute(_best(query, (table.c.name,), words, most, table.c.created_at.desc()))
    return tuple(Named(str(row.id), row.name, row.note, row.created_at) for row in rows)


def members(connection: Connection, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find members by name or e-mail address, of the team that the transaction runs for."""
    query = select(person.c.person_id, person.c.name, person.c.email, membership.c.role).join(
        membership, membership.c.person_id == person.c.person_id
    )
    rows = connection.execute(_best(query, (person.c.name, person.c.email), words, most, person.c.person_id))
    return tuple(
        Named(str(row.person_id), row.name, row.role if row.email is None else f"{row.role}, {row.email}")
        for row in rows
    )


def types(connection: Connection, hardware: int, words: Sequence[str], most: int) -> tuple[Named, ...]:
    """Find instance types of a catalog version by name.

    Parameters
    ----------
    hardware : int
        Number of the stored catalog part that has the instance types of the version.
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
    """Find EBS volume types of a catalog version by name, in all its regions."""
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
    """Restrict a query to the best `most` rows whose names contain all words.

    Each word must be in any of `names`. Only the first of `names` decides which rows are best. Rows in which it begins
    with the words come first. Shorter names then come before longer ones, and `then` decides between equal lengths.
    """
    first = names[0]
    begins = first.istartswith(" ".join(words), autoescape=True)
    return query.where(*containing(names, words)).order_by(begins.desc(), func.length(first), then).limit(most)
