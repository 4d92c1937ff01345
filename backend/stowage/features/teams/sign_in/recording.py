"""Audit events of account changes, which the triggers of the audit log miss because no row of a team changes."""

from uuid import UUID

from stowage.features.teams.sign_in.store import team
from stowage.platform import audit
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
    event : Event
    """
    with gate.transaction(None) as connection:
        teams = team.teams_of(connection, person_id)
    for each in teams:
        with gate.transaction(each.org_id) as connection:
            audit.add(connection, event)
