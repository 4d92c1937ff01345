"""What the record of a team is told in so many words: what changes no row of a team. Triggers tell it the rest."""

from uuid import UUID

from stowage.features.teams.sign_in.store import team
from stowage.platform import audit
from stowage.platform.audit import Event
from stowage.platform.database.database import Database


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
