"""Audit events of account changes, which the triggers of the audit log miss because no row of a team changes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from stowage.features.teams.sign_in.store import team
from stowage.platform import audit
from stowage.platform.access import Actor
from stowage.platform.audit import Event
from stowage.platform.database.database import Database


def record(gate: Database, person_id: UUID, event: Event) -> None:
    """Add an event to the audit log of every team that the person is in.

    Parameters
    ----------
    gate : Database
        With the acting caller set (`acting_as`): network address and request id are taken from there.
    person_id : UUID
        Owner of the account, sessions or tokens that the event is about.
    """
    with gate.transaction(None) as connection:
        teams = team.teams_of(connection, person_id)
    for each in teams:
        with gate.transaction(each.org_id) as connection:
            audit.add(connection, event)


def record_account(
    gate: Database,
    person_id: UUID,
    name: str,
    action: str,
    *,
    by: str | None = None,
    named: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Add an event about a person's account, as `record` does.

    Parameters
    ----------
    name : str
        Name of the person.
    by : str or None
        Name of the system that acted; None if the person acted.
    named : str or None
        Name of what the event is about, if it is not the person.
    """
    event = Event(
        action,
        "person" if by is None else "system",
        name if by is None else by,
        person_id if by is None else None,
        object_kind="person",
        object_id=str(person_id),
        object_name=named or name,
        changes=changes or {},
    )
    record(gate, person_id, event)


def acting_person(gate: Database, actor: Actor, person_id: UUID, name: str) -> Database:
    """Return a view of the database whose changes the audit log attributes to a person.

    Network address and request id are those of the actor.
    """
    return gate.acting_as(replace(actor, kind="person", id=person_id, name=name).told())
