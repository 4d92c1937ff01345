"""Dependencies of the use cases: those of the whole application, and those of one request."""

from collections.abc import Callable, Mapping
from dataclasses import field
from threading import Event
from uuid import UUID

from fastapi import Request

from stowage.catalog.schedule import Schedule
from stowage.frozen import frozen
from stowage.platform.access import Actor, Principal, must_exist
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import ORG_IDS, TeamKey
from stowage.platform.errors import Refused, SignInNeeded
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Mailer, Provider
from stowage.runs.pace import Pace


@frozen
class Services:
    """Dependencies of the use cases, passed to the application at its start."""

    database: Database
    """Database as the application's role."""
    gate: Database
    """Database as the auth role, which authenticates callers before their team is known."""
    queue: Queue
    org_ids: Mapping[TeamKey, UUID] = field(default_factory=lambda: ORG_IDS)
    """`local`: the operator's team; `example`: the team that all users may read."""
    stopping: Event = field(default_factory=Event)
    """Set when the server is asked to stop; event streams then end."""
    refresh: Schedule = field(default_factory=Schedule)
    """Schedule of automatic catalog refreshes."""
    mail: Mailer | None = None
    """None if links are shown instead of mailed."""
    provider: Provider | None = None
    """The OpenID provider at which people can sign in."""
    passwords: bool = True
    """Whether passwords are accepted; otherwise people sign in at the provider or with links of the operator."""
    public_url: str | None = None
    """Base URL of the page, without a trailing slash."""
    aws_principal: str | None = None
    """ARN of the principal that assumes the roles of connected accounts; None if the service does not know its own ARN.
    """
    pace: Pace = field(default_factory=Pace)
    """Pace at which the worker reconciles benchmark runs."""

    def demand_passwords(self) -> None:
        """Check that passwords are switched on.

        Routes that accept or set a password call this method.

        Raises
        ------
        Refused
            Passwords are switched off.
        """
        if not self.passwords:
            where = "the provider" if self.provider is None else self.provider.name
            raise Refused(f"Passwords are switched off on this service: sign in with {where}.")


@frozen
class TeamServices:
    """Dependencies of the use cases for one request.

    The actor of the request is known to its database transactions, for the audit log.
    """

    database: Database
    gate: Database
    queue: Queue
    principal: Principal | None
    """None if the route is public and does not authenticate callers."""
    actor: Actor
    outside: Services
    """Dependencies of the application, which are the same for all requests."""
    admitted: Callable[[], bool]
    """Function that returns whether the request would still be admitted, according to the database. Used by long
    responses."""

    @property
    def asker(self) -> Principal:
        """The authenticated caller.

        Raises
        ------
        SignInNeeded
            The caller is not authenticated.
        """
        if self.principal is None:
            raise SignInNeeded
        return self.principal

    @property
    def org_id(self) -> UUID:
        """The team whose rows the request reads and writes.

        Raises
        ------
        NotFound
            The caller is in no team.
        """
        return must_exist(self.asker.org_id)


def services_of(request: Request) -> Services:
    """Return the services that the application was built with."""
    services: Services = request.app.state.services
    return services
