"""What requests need from outside, handed to the application once; and what one request gets of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from uuid import UUID

from fastapi import Request

from stowage.catalog.schedule import Schedule
from stowage.platform.access import DENIED, Actor, Principal
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import ORG_IDS, TeamKey
from stowage.platform.errors import NotFound, Refused, SignInNeeded
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Mailer, Provider
from stowage.runs.pace import Pace


@dataclass(frozen=True, slots=True)
class Services:
    """What use cases receive from the edge.

    Parameters
    ----------
    database : Database
        Connected as the application's role.
    gate : Database
        Connected as the gate's: who asks, before it is known for which team.
    queue : Queue
    org_ids : mapping of TeamKey to UUID
        ``local``: the team that runs this service; ``example``: the one that everybody may look at.
    stopping : Event
        Set when the server is asked to stop: streams of events end then.
    refresh : Schedule
        When the catalogue is refreshed unasked.
    mail : Mailer or None
        None where links are shown instead of sent.
    provider : Provider or None
        The OpenID provider at which people may sign in.
    passwords : bool
        Whether passwords are accepted; otherwise people sign in at the provider or with links of the operator.
    public_url : str or None
        Where people reach the page, without a slash at its end.
    aws_principal : str or None
        ARN of who assumes the roles of connected accounts; None where this service does not know its own.
    pace : Pace
        At which the worker moves benchmark runs.
    """

    database: Database
    gate: Database
    queue: Queue
    org_ids: Mapping[TeamKey, UUID] = field(default_factory=lambda: ORG_IDS)
    stopping: Event = field(default_factory=Event)
    refresh: Schedule = field(default_factory=Schedule)
    mail: Mailer | None = None
    provider: Provider | None = None
    passwords: bool = True
    public_url: str | None = None
    aws_principal: str | None = None
    pace: Pace = field(default_factory=Pace)

    def demand_passwords(self) -> None:
        """Raise an error if passwords are switched off; called by routes that accept or set a password.

        Raises
        ------
        Refused
        """
        if not self.passwords:
            where = "the provider" if self.provider is None else self.provider.name
            raise Refused(f"Passwords are switched off on this service: sign in with {where}.")


@dataclass(frozen=True, slots=True)
class TeamServices:
    """The same for one request, whose transactions say who acts.

    Parameters
    ----------
    database, gate : Database
    queue : Queue
    stopping : Event
    refresh : Schedule
    principal : Principal or None
        None where a route is for anybody, and did not ask who it is.
    actor : Actor
    outside : Services
        All that is nobody's in particular.
    admitted : callable
        Says whether the request would be let in now: for what is told over a long time. Asks the database.
    """

    database: Database
    gate: Database
    queue: Queue
    stopping: Event
    refresh: Schedule
    principal: Principal | None
    actor: Actor
    outside: Services
    admitted: Callable[[], bool]

    @classmethod
    def of(
        cls, services: Services, principal: Principal | None, actor: Actor, admitted: Callable[[], bool]
    ) -> "TeamServices":
        """Give a request its services."""
        told = actor.told()
        return cls(
            database=services.database.acting_as(told),
            gate=services.gate.acting_as(told),
            queue=services.queue,
            stopping=services.stopping,
            refresh=services.refresh,
            principal=principal,
            actor=actor,
            outside=services,
            admitted=admitted,
        )

    @property
    def asker(self) -> Principal:
        """Who asks.

        Raises
        ------
        SignInNeeded
            Nobody whom we know.
        """
        if self.principal is None:
            raise SignInNeeded
        return self.principal

    @property
    def org_id(self) -> UUID:
        """The team whose rows the request sees and writes.

        Raises
        ------
        NotFound
            Whoever asks is in no team.
        """
        org_id = self.asker.org_id
        if org_id is None:
            raise NotFound(DENIED)
        return org_id


def services_of(request: Request) -> Services:
    """Give what the application was handed."""
    services: Services = request.app.state.services
    return services
