"""What requests need from outside, handed to the application once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request

from stowage import logs
from stowage.jobs.queue import Queue
from stowage.store.database import Database
from stowage.usecases.refresh import Schedule
from stowage.usecases.teams import ORG_IDS, TeamKey


@dataclass(frozen=True, slots=True)
class Services:
    """What use cases receive from the edge.

    Parameters
    ----------
    database : Database
        Connected as the application's role.
    queue : Queue
    org_ids : mapping of TeamKey to UUID
        The teams that requests may name.
    stopping : Event
        Set when the server is asked to stop: streams of events end then.
    refresh : Schedule
        When the catalogue is refreshed unasked.
    """

    database: Database
    queue: Queue
    org_ids: Mapping[TeamKey, UUID] = field(default_factory=lambda: ORG_IDS)
    stopping: Event = field(default_factory=Event)
    refresh: Schedule = field(default_factory=Schedule)


@dataclass(frozen=True, slots=True)
class TeamServices:
    """The same for a request of one team."""

    database: Database
    queue: Queue
    org_id: UUID
    stopping: Event
    refresh: Schedule


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Outside = Annotated[Services, Depends(_services)]
"""For the few routes that are no team's."""


async def _team_services(
    services: Outside,
    team: Annotated[TeamKey, Query(description="Whose rows the request sees and writes.")] = "local",
) -> TeamServices:
    # Here and not in a thread, whose context the request would not share: its line in the log names the team.
    logs.bind_team(services.org_ids[team])
    return TeamServices(services.database, services.queue, services.org_ids[team], services.stopping, services.refresh)


Provided = Annotated[TeamServices, Depends(_team_services)]
