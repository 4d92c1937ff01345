"""Teams, members and invitations: requests and answers."""

from datetime import datetime
from uuid import UUID

from stowage.features.teams.sign_in.schemas import Email, OwnName, Password, PersonName, Secret
from stowage.model.team import Role
from stowage.platform.described import Answer, Asked


class TeamDetails(Answer):
    """The team that is looked at."""

    org_id: UUID
    name: str
    role: Role
    members: int
    mail: bool


class TeamChange(Asked):
    """A new name."""

    name: OwnName


class TeamDeletion(Asked):
    """The team's name once more: what is deleted is gone."""

    name: str


class MemberAnswer(Answer):
    """A member."""

    person_id: UUID
    name: str
    email: str | None
    role: Role
    joined_at: datetime
    is_me: bool


class MemberListAnswer(Answer):
    """Members by name."""

    members: list[MemberAnswer]


class RoleChange(Asked):
    """Another role."""

    role: Role


class Invite(Asked):
    """Somebody to join."""

    email: Email
    role: Role


class InvitationRow(Answer):
    """An invitation that nobody has taken up yet."""

    id: UUID
    email: str
    role: Role
    invited_by: str
    created_at: datetime
    expires_at: datetime


class InvitationListAnswer(Answer):
    """Open invitations, newest first."""

    invitations: list[InvitationRow]


class SentLink(Answer):
    """A one-time link: sent by mail, or to be handed over."""

    sent: bool
    link: str | None
    """Where there is no mail: the link. It is shown this once."""
    expires_at: datetime


class InvitationAnswer(InvitationRow, SentLink):
    """An invitation, with its link where there is no mail."""


class InvitationLook(Answer):
    """What an invitation is for."""

    team: str
    email: str
    role: Role


class Join(Asked):
    """Taking up an invitation: by name and password, or signed in as its addressee."""

    secret: Secret
    name: PersonName | None = None
    password: Password | None = None
