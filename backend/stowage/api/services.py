"""What requests need from outside, handed to the application once."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from stowage.store.database import Database


@dataclass(frozen=True, slots=True)
class Services:
    """What use cases receive from the edge.

    Parameters
    ----------
    database : Database
        Connected as the application's role.
    org_id : UUID
        The one local team.
    """

    database: Database
    org_id: UUID


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Provided = Annotated[Services, Depends(_services)]
