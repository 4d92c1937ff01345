"""Routes of the current team under /api/v1: members, invitations and deletion. Each route calls one use case."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response

from stowage.features.teams import invitations, members, schemas
from stowage.features.teams.sign_in.routes import admit
from stowage.features.teams.sign_in.schemas import SessionAnswer, WithSecret
from stowage.features.teams.sign_in.sessions import Browser
from stowage.platform import load, quotas
from stowage.platform.access import Principal
from stowage.platform.errors import SignInNeeded
from stowage.platform.load import LoadAnswer
from stowage.platform.quotas import QuotaListAnswer, QuotaName
from stowage.web.addresses import page_address
from stowage.web.admission import Person, Proven, address_of, needs, public
from stowage.web.cookies import SESSION, refuse_open_line
from stowage.web.reads import principal_of
from stowage.web.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["team"])

Reading = Annotated[TeamServices, needs("team.read")]
Owning = Annotated[TeamServices, needs("team.write")]
Invited = Annotated[TeamServices, public("an invited person may have no account yet")]
REFUSALS = NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN


@router.get("/team", responses=REFUSALS)
def read_team(services: Reading) -> schemas.TeamDetails:
    """Return the details of the current team."""
    return members.read_team(services.database, services.org_id, services.asker, mail=services.outside.mail is not None)


@router.get("/team/quotas", responses=REFUSALS)
def read_quotas(services: Reading) -> QuotaListAnswer:
    """List the quotas of the team, with limit and current usage."""
    return quotas.list_quotas(services.database, services.queue, services.org_id, datetime.now(UTC))


@router.put("/team/quotas/{quota}", responses=REFUSALS)
def limit_quota(quota: QuotaName, change: quotas.OwnLimit, services: Owning) -> QuotaListAnswer:
    """Set or remove the team's own limit of a quota, below the limit that the operator granted."""
    quotas.set_own_limit(services.database, services.org_id, quota, change.limit)
    return quotas.list_quotas(services.database, services.queue, services.org_id, datetime.now(UTC))


@router.get("/team/load", responses=REFUSALS)
def read_load(services: Reading) -> LoadAnswer:
    """Return the load that the team puts on the service: open jobs, event streams and recent CPU time."""
    return load.read(services.database, services.queue, services.org_id)


@router.patch("/team", responses=REFUSALS)
def rename_team(change: schemas.TeamChange, services: Owning) -> schemas.TeamDetails:
    """Rename the team."""
    members.rename_team(services.database, services.org_id, change.name)
    return members.read_team(services.database, services.org_id, services.asker, mail=services.outside.mail is not None)


@router.get("/team/members", responses=REFUSALS)
def list_members(services: Reading) -> schemas.MemberListAnswer:
    """List the members of the team."""
    return members.list_members(services.database, services.org_id, services.asker.person_id)


@router.patch("/team/members/{person_id}", responses=REFUSALS | CONFLICT)
def change_role(person_id: UUID, change: schemas.RoleChange, services: Owning) -> schemas.MemberAnswer:
    """Change the role of a member.

    The last owner of a team stays an owner.
    """
    return members.change_role(services.database, services.org_id, person_id, change.role, services.asker.person_id)


@router.delete("/team/members/{person_id}", status_code=204, responses=REFUSALS | CONFLICT)
def remove_member(person_id: UUID, services: Owning) -> None:
    """Remove a member from the team.

    The member's tokens of the team are deleted too. The last owner cannot be removed.
    """
    members.remove_member(services.database, services.org_id, person_id)


@router.post("/team/leave", status_code=204, responses=REFUSALS | CONFLICT)
def leave_team(services: Person) -> None:
    """Leave the team.

    The last owner of a team cannot leave it.
    """
    members.remove_member(services.database, services.org_id, services.asker.person_id)


@router.post("/team/members/{person_id}/reset", responses=REFUSALS | CONFLICT | TOO_MANY)
def reset_for_member(person_id: UUID, request: Request, services: Owning, _proven: Proven) -> schemas.SentLink:
    """Create a link with which a member sets a new password.

    The link is mailed or shown. It is shown only for a member who is in no other team.
    """
    services.outside.demand_passwords()
    return members.reset_for_member(
        services.database,
        services.gate,
        services.org_id,
        person_id,
        actor=services.actor,
        page=page_address(request, services),
        mail=services.outside.mail,
        now=datetime.now(UTC),
    )


@router.get("/team/invitations", responses=REFUSALS)
def list_invitations(services: Owning) -> schemas.InvitationListAnswer:
    """List the open invitations of the team."""
    return invitations.list_invitations(services.database, services.org_id, datetime.now(UTC))


@router.post("/team/invitations", status_code=201, responses=REFUSALS | CONFLICT | TOO_MANY)
def invite(asked: schemas.Invite, request: Request, services: Owning) -> schemas.InvitationAnswer:
    """Invite a person to the team.

    An earlier invitation of the same address is replaced.
    """
    return invitations.invite(
        services.database,
        services.gate,
        services.org_id,
        asked,
        actor=services.actor,
        page=page_address(request, services),
        mail=services.outside.mail,
        now=datetime.now(UTC),
    )


@router.delete("/team/invitations/{invitation_id}", status_code=204, responses=REFUSALS)
def withdraw_invitation(invitation_id: UUID, services: Owning) -> None:
    """Withdraw an open invitation of the team."""
    invitations.withdraw(services.database, services.org_id, invitation_id)


@router.post("/invitations/look", responses=NOT_FOUND | NOT_ACCEPTED)
def look_at_invitation(link: WithSecret, services: Invited) -> schemas.InvitationLook:
    """Return the team name, the invited e-mail address and the role that an invitation offers."""
    return invitations.look(services.gate, link.secret, datetime.now(UTC))


@router.post("/invitations/accept", responses=NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN | CONFLICT | TOO_MANY)
def accept_invitation(join: schemas.Join, request: Request, services: Invited, response: Response) -> SessionAnswer:
    """Join a team by an invitation, and sign in."""
    refuse_open_line(request)
    if join.password is not None:
        services.outside.demand_passwords()
    begun = invitations.accept(
        services.gate,
        join,
        _signed_in(request, services),
        actor=services.actor,
        browser=Browser(address_of(request), request.headers.get("user-agent"), SESSION.read(request)),
        now=datetime.now(UTC),
    )
    return admit(begun, request, services, response)


def _signed_in(request: Request, services: TeamServices) -> Principal | None:
    """Return the principal of the browser's session.

    Returns None for a request with a token, because a token must not be turned into a session.
    """
    try:
        principal = principal_of(request, services.outside)
    except SignInNeeded:
        return None
    return principal if principal.session_id is not None else None
