"""List of the teams that a request may name: the caller's own team and the example team."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from stowage.platform import quota_store
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import TeamKey
from stowage.platform.described import Answer


class TeamAnswer(Answer):
    """A team that a request may name, with its number of plans and of sweeps."""

    key: TeamKey
    """Value of `team` in any request."""
    plans: int
    sweeps: int


def list_teams(database: Database, org_ids: Mapping[TeamKey, UUID], now: datetime) -> list[TeamAnswer]:
    """Return the teams that a request may name, each with its number of plans and of sweeps.

    Parameters
    ----------
    org_ids : mapping of TeamKey to UUID
        Id of each team; ``local`` is the caller's team.
    """
    answers = []
    for key, org_id in org_ids.items():
        with database.transaction(org_id) as connection:
            plans, sweeps = (quota_store.used(connection, name, now) for name in ("plans", "sweeps"))
        answers.append(TeamAnswer(key=key, plans=plans, sweeps=sweeps))
    return answers
