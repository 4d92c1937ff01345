"""What the record of a team is told in so many words: what changes no row of a team. Triggers tell it the rest."""

from uuid import UUID

from stowage.store import audit, team
from stowage.store.audit import Event
from stowage.store.database import Database


def record(gate: Database, person_id: UUID, event: Event) -> None:
    """Tell every team that the person is in.

    Parameters
    ----------
    gate : Database
        Acting as whoever does it: address and request are taken from there.
    person_id : UUID
        Whose account, sessions or tokens it is about.
    event : Event
    """
    with gate.transaction(None) as connection:
        teams = team.teams_of(connection, person_id)
    for each in teams:
        with gate.transaction(each.org_id) as connection:
            audit.add(connection, event)
