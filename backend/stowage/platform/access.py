"""Authorization: the table of roles, permissions and token scopes, and the checks of requests against the table."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal, TypeVar
from uuid import UUID

from stowage.frozen import frozen
from stowage.model.job import JobKind
from stowage.model.team import ActorKind, Role, Scope
from stowage.platform.errors import NotFound, ProofNeeded

Permission = Literal[
    "catalog.read",
    "plans.read",
    "plans.ask",
    "plans.write",
    "measurements.read",
    "measurements.write",
    "links.write",
    "tokens.write",
    "team.read",
    "team.write",
    "audit.read",
    "service.refresh",
    "runs.read",
    "runs.write",
    "runs.approve",
    "accounts.write",
    "reports.read",
    "reports.write",
    "reports.approve",
    "comments.write",
]

_VISITOR: frozenset[Permission] = frozenset(
    {"catalog.read", "plans.read", "plans.ask", "measurements.read", "runs.read", "reports.read"}
)
_VIEWER: frozenset[Permission] = frozenset(
    {
        "catalog.read",
        "plans.read",
        "measurements.read",
        "runs.read",
        "reports.read",
        "comments.write",
        "team.read",
        "tokens.write",
    }
)
_CONTRIBUTOR: frozenset[Permission] = _VIEWER | {"measurements.write", "runs.write"}
_PLANNER: frozenset[Permission] = _CONTRIBUTOR | {
    "plans.ask",
    "plans.write",
    "links.write",
    "runs.approve",
    "reports.write",
    "reports.approve",
}
_OWNER: frozenset[Permission] = _PLANNER | {"team.write", "audit.read", "service.refresh", "accounts.write"}

GRANTS: Mapping[Role | Literal["visitor"], frozenset[Permission]] = {
    "visitor": _VISITOR,  # any signed-in person, in the example team
    "viewer": _VIEWER,
    "contributor": _CONTRIBUTOR,
    "planner": _PLANNER,
    "owner": _OWNER,
}

_READ: frozenset[Permission] = frozenset(
    {"catalog.read", "plans.read", "measurements.read", "runs.read", "reports.read", "team.read"}
)

SCOPES: Mapping[Scope, frozenset[Permission]] = {
    "read": _READ,
    "plan": _READ | {"plans.ask", "plans.write", "links.write", "reports.write", "comments.write"},
    "measure": _READ | {"measurements.write", "runs.write"},
    "audit": frozenset({"audit.read"}),
}
"""Permissions of a token by scope. No scope manages people, roles, tokens, money or the service itself."""

STARTS: Mapping[JobKind, Permission] = {
    "sweep": "plans.write",
    "upload": "measurements.write",
    "document": "reports.write",
    "alert": "team.write",
    "account": "accounts.write",
    "refresh": "service.refresh",
    # For the operator only: every user is a visitor of the example team, and visitors have no such permission.
    "demo": "service.refresh",
}
"""Permission to start, cancel or retry jobs, by kind."""

_Found = TypeVar("_Found")

DENIED = "There is no such thing, or it is not yours."


@frozen
class Actor:
    """The person, token, link or system that acts in a request, as stored in the audit log."""

    kind: ActorKind
    name: str
    """Display name at the time of the action."""
    id: UUID | None = None
    """Id of the person."""
    token: UUID | None = None
    """Id of the token with which the person acts."""
    address: str | None = None
    """Network address of the client."""
    request: str | None = None
    """Id of the request."""

    def told(self) -> dict[str, str]:
        """Return the known fields of the actor, by name.

        They are the argument of `stowage.platform.database.database.Database.acting_as`.
        """
        known = {"kind": self.kind, "name": self.name, "id": self.id, "token": self.token}
        known |= {"address": self.address, "request": self.request}
        return {key: str(value) for key, value in known.items() if value is not None}


@frozen
class Principal:
    """The authenticated caller of a request, with team and permissions."""

    person_id: UUID
    name: str
    email: str | None
    org_id: UUID | None
    """Team of the session or the token; None if the person is in no team."""
    role: Role | Literal["visitor"] | None
    """Current role of the person, which may differ from the role at the creation of the token; None if the person is in
    no team."""
    session_id: UUID | None = None
    """Session of the request. Exactly one of `session_id` and `token_id` is set."""
    token_id: UUID | None = None
    """Token of the request; None if `session_id` is set."""
    csrf: str | None = None
    """Token that unsafe requests of the session must repeat."""
    scopes: frozenset[Scope] | None = None
    """Scopes of the token."""
    home_id: UUID | None = None
    """Team whose quotas are charged while the person looks at the example team; None for `org_id`."""
    proved_at: datetime | None = None
    """Of a session: time of the last authentication (`stowage.features.teams.sign_in.proofs`)."""
    provider_check_at: datetime | None = None
    """Time of the next check of the account with the provider (`stowage.features.teams.sign_in.provider_checks`); None
    if the provider gave no refresh token."""

    @property
    def charged_id(self) -> UUID:
        """Id of the team whose quotas are charged, or of the person if the person is in no team."""
        return self.home_id or self.org_id or self.person_id

    @property
    def permissions(self) -> frozenset[Permission]:
        """Permissions of the role, restricted to the scopes of the token."""
        granted = frozenset[Permission]() if self.role is None else GRANTS[self.role]
        if self.scopes is None:
            return granted
        return granted & frozenset[Permission]().union(*(SCOPES[scope] for scope in self.scopes))


def must_exist(result: _Found | None) -> _Found:
    """Return the result of a query or change, or raise an error if it is None, False or 0.

    Raises
    ------
    NotFound
        With the message that does not reveal whether the object belongs to another team.
    """
    if not result:
        raise NotFound(DENIED)
    return result


def demand(principal: Principal, permission: Permission) -> None:
    """Check that the caller has a permission.

    The error is the same as for an object that does not exist.

    Raises
    ------
    NotFound
        The permission is not granted.
    """
    if permission not in principal.permissions:
        raise NotFound(DENIED)


PROOF_LASTS = timedelta(minutes=10)
"""Validity of a reauthentication."""


def demand_recent_proof(principal: Principal, now: datetime) -> None:
    """Check that the person of a session authenticated recently.

    Raises
    ------
    ProofNeeded
        The last authentication is too long ago.
    """
    if principal.proved_at is None or now - principal.proved_at >= PROOF_LASTS:
        raise ProofNeeded
