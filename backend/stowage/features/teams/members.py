"""The team that one looks at: its name, its members and their roles, and its end."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from stowage.features.teams import store
from stowage.features.teams.schemas import MemberAnswer, MemberListAnswer, SentLink, TeamDetails
from stowage.features.teams.sign_in import accounts
from stowage.features.teams.sign_in.store import team
from stowage.model.team import Role
from stowage.platform import audit, letters, throttling
from stowage.platform.access import DENIED, Actor, Principal
from stowage.platform.audit import Event
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.outside import Mailer

log = logging.getLogger(__name__)

_LAST_OWNER = "A team keeps an owner: make somebody else one first."


def read_team(database: Database, org_id: UUID, principal: Principal, *, mail: bool) -> TeamDetails:
    """Tell of a team, and what the asker is in it.

    Raises
    ------
    NotFound
        The asker is only visiting, or the team is gone.
    """
    with database.transaction(org_id) as connection:
        name = team.name_of(connection, org_id)
        count = team.count_members(connection)
    if name is None or principal.role is None or principal.role == "visitor":
        raise NotFound(DENIED)
    return TeamDetails(org_id=org_id, name=name, role=principal.role, members=count, mail=mail)


def rename_team(database: Database, org_id: UUID, name: str) -> None:
    """Give a team another name."""
    with database.transaction(org_id) as connection:
        if team.name_of(connection, org_id) != name:
            team.rename(connection, org_id, name)


def list_members(database: Database, org_id: UUID, me: UUID) -> MemberListAnswer:
    """List the members of a team by name."""
    with database.transaction(org_id) as connection:
        members = team.members(connection)
    return MemberListAnswer(members=[_answer(each, me) for each in members])


def change_role(database: Database, org_id: UUID, person_id: UUID, role: Role, me: UUID) -> MemberAnswer:
    """Give a member another role; it holds from the next request on, for tokens too.

    Who is an owner no more invites nobody any more: what they sent out ends, or they could take it up themselves.

    Raises
    ------
    NotFound
        That is nobody of this team.
    Conflict
        It would leave the team without an owner.
    """
    with database.transaction(org_id) as connection:
        owners = team.lock_owners(connection)
        if role != "owner" and owners == {person_id}:
            raise Conflict(_LAST_OWNER)
        before = team.member(connection, person_id)
        if before is not None and before.role != role:
            team.change_role(connection, person_id, role)
        if role != "owner":
            team.withdraw_invitations_of(connection, person_id)
        changed = team.member(connection, person_id)
    if changed is None:
        raise NotFound(DENIED)
    return _answer(changed, me)


def remove_member(database: Database, org_id: UUID, person_id: UUID) -> None:
    """Take somebody out of a team, with their tokens of it and the invitations they made.

    Leaving is the same, done by oneself. Links that they shared stay: they are the team's, and whoever may share
    revokes them.

    Raises
    ------
    NotFound
        That is nobody of this team.
    Conflict
        It would leave the team without an owner.
    """
    with database.transaction(org_id) as connection:
        if team.lock_owners(connection) == {person_id}:
            raise Conflict(_LAST_OWNER)
        if not team.remove_member(connection, person_id):
            raise NotFound(DENIED)
        team.withdraw_invitations_of(connection, person_id)


def reset_for_member(
    database: Database,
    gate: Database,
    org_id: UUID,
    person_id: UUID,
    *,
    actor: Actor,
    page: str,
    mail: Mailer | None,
    now: datetime,
) -> SentLink:
    """Make a link by which a member sets a new password; to be mailed to the member, or handed over by the owner.

    It is shown only of somebody who is in no other team: an owner of this one could otherwise become, in the
    other one, whoever the member is there.

    Parameters
    ----------
    database, gate : Database
    org_id, person_id : UUID
    actor : Actor
        Who asks for it.
    page : str
        Where people reach the page, without a slash at its end.
    mail : Mailer or None
        Used if the address is verified; else the owner hands the link over.
    now : datetime

    Raises
    ------
    NotFound
        That is nobody of this team.
    Conflict
        The link may not be shown, and cannot be sent.
    TooMany
        The member was sent several mails of late.
    """
    with database.transaction(org_id) as connection:
        member = team.member(connection, person_id)
        verified = member is not None and member.email is not None and team.is_verified(connection, member.email)
    if member is None:
        raise NotFound(DENIED)
    # The owner of an unverified address is unknown.
    to = member.email if mail is not None and verified else None
    with gate.transaction(None) as connection:
        may_be_shown = len(team.teams_of(connection, person_id)) == 1
    if not may_be_shown and to is None:
        raise Conflict(
            "The member is in another team too, so the link can only be mailed, and only to a verified e-mail address."
        )
    if to is not None:
        throttling.count(gate, [throttling.mail_key(to)], now)
    shown = (org_id, actor.id) if may_be_shown else (None, None)
    secret, expires_at = accounts.make_reset_link(gate, person_id, now, shown_in=shown[0], shown_to=shown[1])
    with database.transaction(org_id) as connection:
        about = Event(
            "password.link",
            actor.kind,
            actor.name,
            actor.id,
            actor.token,
            object_kind="person",
            object_id=str(person_id),
            object_name=member.name,
        )
        audit.add(connection, about)
    link = f"{page}/reset#{secret}"
    letter = letters.new_password(by=actor.name, link=link, until=expires_at)
    sent = letters.send(mail, to, letter)
    if not sent and not may_be_shown:
        raise Conflict("The mail server does not take messages now; try again later.")
    return SentLink(sent=sent, link=None if sent else link, expires_at=expires_at)


def delete_team(
    database: Database,
    gate: Database,
    org_id: UUID,
    name: str,
    *,
    by: UUID,
    now: datetime,
    check: Callable[[Connection, datetime], None],
) -> None:
    """Delete a team and everything that is its own, for good, with the people who are in no other team.

    Parameters
    ----------
    database, gate : Database
    org_id : UUID
    name : str
        Of the team, as whoever deletes it wrote it.
    by : UUID
        Who deletes it; the team's record goes with it, so the log keeps this.
    now : datetime
    check : callable
        Raises `Conflict` where something of the team outside of the database still runs
        (`stowage.features.benchmarks.runs.demand_nothing_runs`). Called twice: before the deletion, and within it.

    Raises
    ------
    BadInput
        The name is another.
    Conflict
        By ``check``.
    NotFound
        It is the example team.
    """
    if org_id == EXAMPLE_ORG_ID:
        raise NotFound(DENIED)
    with database.transaction(org_id) as connection:
        if team.name_of(connection, org_id) != name:
            raise BadInput([Problem("name", "is not the name of this team")])
        check(connection, now)
    with gate.transaction(org_id) as deleting:
        store.delete_team(deleting, org_id)
        # By now nobody can agree to a run any more; who did so meanwhile is seen here, and the team stays.
        with database.transaction(org_id) as connection:
            check(connection, now)
    log.warning("team %s was deleted by %s", org_id, by)


def _answer(member: team.Member, me: UUID) -> MemberAnswer:
    return MemberAnswer(
        person_id=member.person_id,
        name=member.name,
        email=member.email,
        role=member.role,
        joined_at=member.joined_at,
        is_me=member.person_id == me,
    )
