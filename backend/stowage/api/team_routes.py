"""The team under /api/v1: its members, its invitations, and its end. Each route calls one use case."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Request, Response

from stowage.api.admission import Person, needs, public
from stowage.api.responses import CONFLICT, NOT_ACCEPTED, NOT_FOUND, NOT_SIGNED_IN, TOO_MANY
from stowage.api.services import TeamServices
from stowage.usecases.people_answers import (
    InvitationAnswer,
    InvitationListAnswer,
    InvitationLook,
    Invite,
    Join,
    MemberAnswer,
    MemberListAnswer,
    RoleChange,
    SentLink,
    SessionAnswer,
    TeamChange,
    TeamDeletion,
    TeamDetails,
    WithSecret,
)

router = APIRouter(tags=["team"])

Reading = Annotated[TeamServices, needs("team.read")]
Owning = Annotated[TeamServices, needs("team.write")]
Invited = Annotated[TeamServices, public("whoever holds an invitation may not be known yet")]
REFUSALS = NOT_FOUND | NOT_ACCEPTED | NOT_SIGNED_IN


@router.get("/team", responses=REFUSALS)
def read_team(services: Reading) -> TeamDetails:
    """Tell of the team that is looked at."""
    raise NotImplementedError


@router.patch("/team", responses=REFUSALS)
def rename_team(change: TeamChange, services: Owning) -> TeamDetails:
    """Give the team another name."""
    raise NotImplementedError


@router.delete("/team", status_code=204, responses=REFUSALS | CONFLICT)
def delete_team(deletion: TeamDeletion, services: Owning) -> None:
    """Delete the team and everything that is its own, for good."""
    raise NotImplementedError


@router.get("/team/members", responses=REFUSALS)
def list_members(services: Reading) -> MemberListAnswer:
    """List the members."""
    raise NotImplementedError


@router.patch("/team/members/{person_id}", responses=REFUSALS | CONFLICT)
def change_role(person_id: UUID, change: RoleChange, services: Owning) -> MemberAnswer:
    """Give a member another role; one owner stays."""
    raise NotImplementedError


@router.delete("/team/members/{person_id}", status_code=204, responses=REFUSALS | CONFLICT)
def remove_member(person_id: UUID, services: Owning) -> None:
    """Take a member out of the team, with their tokens of it; one owner stays."""
    raise NotImplementedError


@router.post("/team/leave", status_code=204, responses=REFUSALS | CONFLICT)
def leave_team(services: Person) -> None:
    """Leave the team; its last owner cannot."""
    raise NotImplementedError


@router.post("/team/members/{person_id}/reset", responses=REFUSALS | CONFLICT)
def reset_for_member(person_id: UUID, request: Request, services: Owning, later: BackgroundTasks) -> SentLink:
    """Make a link by which a member sets a new password; shown only of members of no other team."""
    raise NotImplementedError


@router.get("/team/invitations", responses=REFUSALS)
def list_invitations(services: Owning) -> InvitationListAnswer:
    """List the invitations that are open."""
    raise NotImplementedError


@router.post("/team/invitations", status_code=201, responses=REFUSALS | CONFLICT)
def invite(asked: Invite, request: Request, services: Owning, later: BackgroundTasks) -> InvitationAnswer:
    """Invite somebody; an earlier invitation of the same address ends."""
    raise NotImplementedError


@router.delete("/team/invitations/{invitation_id}", status_code=204, responses=REFUSALS)
def withdraw_invitation(invitation_id: UUID, services: Owning) -> None:
    """Take an invitation back."""
    raise NotImplementedError


@router.post("/invitations/look", responses=NOT_FOUND | NOT_ACCEPTED)
def look_at_invitation(link: WithSecret, services: Invited) -> InvitationLook:
    """Say what an invitation is for."""
    raise NotImplementedError


@router.post("/invitations/accept", responses=NOT_FOUND | NOT_ACCEPTED | TOO_MANY)
def accept_invitation(join: Join, request: Request, services: Invited, response: Response) -> SessionAnswer:
    """Join a team, and be signed in."""
    raise NotImplementedError
