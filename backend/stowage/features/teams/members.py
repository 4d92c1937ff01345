"""The current team: name, members, roles and deletion."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from stowage.features.teams.schemas import MemberAnswer, MemberListAnswer, SentLink, TeamDetails
from stowage.features.teams.sign_in import accounts
from stowage.features.teams.sign_in.store import team
from stowage.model.team import Role
from stowage.platform import audit, letters, throttling
from stowage.platform.access import DENIED, Actor, Principal, must_exist
from stowage.platform.audit import Event
from stowage.platform.database.database import Connection, Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.database.rows import values_of
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.outside import Mailer

log = logging.getLogger(__name__)

_LAST_OWNER = "A team needs an owner: make another member an owner first."


def read_team(database: Database, org_id: UUID, principal: Principal, *, mail: bool) -> TeamDetails:
    """Return the details of a team, with the role of the caller.

    Raises
    ------
    NotFound
        The caller is a visitor, or the team was deleted.
    """
    with database.transaction(org_id) as connection:
        name = team.name_of(connection, org_id)
        count = team.count_members(connection)
    if name is None or principal.role is None or principal.role == "visitor":
        raise NotFound(DENIED)
    return TeamDetails(org_id=org_id, name=name, role=principal.role, members=count, mail=mail)


def rename_team(database: Database, org_id: UUID, name: str) -> None:
    """Rename a team."""
    with database.transaction(org_id) as connection:
        if team.name_of(connection, org_id) != name:
            team.rename(connection, org_id, name)


def list_members(database: Database, org_id: UUID, me: UUID) -> MemberListAnswer:
    """List the members of a team, sorted by name."""
    with database.transaction(org_id) as connection:
        members = team.members(connection)
    return MemberListAnswer(members=[_answer(each, me) for each in members])


def change_role(database: Database, org_id: UUID, person_id: UUID, role: Role, me: UUID) -> MemberAnswer:
    """Change the role of a member.

    The new role applies to the member's existing sessions and tokens from the next request on. If the member is no
    longer an owner, the open invitations that the member made are withdrawn: the member could otherwise accept one of
    them to become an owner again.

    Raises
    ------
    NotFound
        The person is not in this team.
    Conflict
        The team would have no owner.
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
    return _answer(must_exist(changed), me)


def remove_member(database: Database, org_id: UUID, person_id: UUID) -> None:
    """Remove a member from a team.

    The member's tokens of the team and the invitations that the member made are deleted too. Leaving a team is the same
    operation. Links that the member shared stay: they belong to the team, and members with the permission to share can
    revoke them.

    Raises
    ------
    NotFound
        The person is not in this team.
    Conflict
        The team would have no owner.
    """
    with database.transaction(org_id) as connection:
        if team.lock_owners(connection) == {person_id}:
            raise Conflict(_LAST_OWNER)
        must_exist(team.remove_member(connection, person_id))
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
    """Create a link with which a member sets a new password.

    The link is mailed to the member. If it cannot be mailed, it is shown to the owner, who hands it over. It is shown
    only if the member is in no other team. Otherwise an owner of this team could take over the account and act as the
    member in the other team.

    Parameters
    ----------
    actor : Actor
        The owner who requests the link.
    page : str
        Base URL of the page, without a trailing slash.
    mail : Mailer or None
        Used if the member's address is verified. None if the service sends no mail.

    Raises
    ------
    NotFound
        The person is not in this team.
    Conflict
        The link may not be shown and cannot be mailed.
    TooMany
        The member was sent several mails recently.
    """
    member, verified_email = _member_with_verified_email(database, org_id, person_id)
    to = verified_email if mail is not None else None
    with gate.transaction(None) as connection:
        may_be_shown = len(team.teams_of(connection, person_id)) == 1
    if not may_be_shown and to is None:
        raise Conflict(
            "The member is in another team too, so the link can only be mailed, and only to a verified e-mail address."
        )
    if to is not None:
        throttling.count(gate, [throttling.MAIL.key(to)], now)
    shown = (org_id, actor.id) if may_be_shown else (None, None)
    secret, expires_at = accounts.make_reset_link(gate, person_id, now, shown_in=shown[0], shown_to=shown[1])
    with database.transaction(org_id) as connection:
        audit.add(connection, Event.by(actor, "password.link", "person", str(member.person_id), member.name))
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
    """Delete a team permanently, with all its data and the people who are in no other team.

    Parameters
    ----------
    name : str
        Name of the team, typed by the deleting owner as a confirmation.
    by : UUID
        The deleting owner. The audit log of the team is deleted too, so this person is written to the server log.
    check : callable
        Raises `Conflict` if something of the team still runs outside of the database
        (`stowage.features.benchmarks.runs.demand_nothing_runs`). Called twice: before the deletion and within it.

    Raises
    ------
    BadInput
        The name is not the name of the team.
    Conflict
        Raised by ``check``.
    NotFound
        The team is the example team.
    """
    if org_id == EXAMPLE_ORG_ID:
        raise NotFound(DENIED)
    with database.transaction(org_id) as connection:
        if team.name_of(connection, org_id) != name:
            raise BadInput([Problem("name", "is not the name of this team")])
        check(connection, now)
    with gate.transaction(org_id) as deleting:
        team.delete_team(deleting, org_id)
        # No run can be approved from here on. If one was approved since the first check, the team stays.
        with database.transaction(org_id) as connection:
            check(connection, now)
    log.warning("team %s was deleted by %s", org_id, by)


def _member_with_verified_email(database: Database, org_id: UUID, person_id: UUID) -> tuple[team.Member, str | None]:
    """Return a member, and the member's e-mail address if it is verified.

    For an unverified address, which another person may own, None is returned instead.
    """
    with database.transaction(org_id) as connection:
        member = must_exist(team.member(connection, person_id))
        is_verified = member.email is not None and team.is_verified(connection, member.email)
    return member, member.email if is_verified else None


def _answer(member: team.Member, me: UUID) -> MemberAnswer:
    return MemberAnswer(**values_of(member), is_me=member.person_id == me)
