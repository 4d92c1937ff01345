"""Requests and answers of the API about teams, members and invitations."""

from datetime import datetime
from uuid import UUID

from stowage.features.teams.sign_in.schemas import Email, OwnName, Password, PersonName, Secret
from stowage.features.teams.sign_in.store.team import Invitation, Member
from stowage.frozen import frozen
from stowage.model.team import Role
from stowage.platform.described import Answer, RequestBody


class TeamDetails(Answer):
    """The current team."""

    org_id: UUID
    name: str
    role: Role
    members: int
    mail: bool


class TeamChange(RequestBody):
    """A new name for the team."""

    name: OwnName


class TeamDeletion(RequestBody):
    """The name of the team, as a confirmation of its permanent deletion."""

    name: str


@frozen
class MemberAnswer(Member):
    """A member of the team."""

    is_me: bool


class MemberListAnswer(Answer):
    """Members of a team, sorted by name."""

    members: list[MemberAnswer]


class RoleChange(RequestBody):
    """The new role of a member."""

    role: Role


class Invite(RequestBody):
    """A person to invite."""

    email: Email
    role: Role


class InvitationListAnswer(Answer):
    """Open invitations, newest first."""

    invitations: list[Invitation]


class SentLink(Answer):
    """A one-time link that was sent by mail, or that the user passes on."""

    sent: bool
    link: str | None
    """The link if it was not mailed; shown only once."""
    expires_at: datetime


@frozen
class InvitationAnswer(Invitation):
    """A new invitation, with its link if it was not mailed."""

    sent: bool
    link: str | None
    """The link if it was not mailed; shown only once."""


class InvitationLook(Answer):
    """Team name, invited e-mail address and offered role of an invitation."""

    team: str
    email: str
    role: Role


class Join(RequestBody):
    """Acceptance of an invitation.

    A person who is signed in with the invited address sends only the secret. Everyone else sends a password too, and a
    name if the account is new.
    """

    secret: Secret
    name: PersonName | None = None
    password: Password | None = None
