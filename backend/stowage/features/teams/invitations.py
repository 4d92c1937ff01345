"""Invitations to a team. Each is for one e-mail address, can be accepted once, and carries the role of the new member.

An invitation is found by its secret alone. The secret cannot be guessed, so reading an invitation is not throttled.
Accepting an invitation can be abused to guess the password of the invited account, so attempts to accept are throttled.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from stowage.features.teams import schemas
from stowage.features.teams.sign_in import passwords, second_factors, sessions
from stowage.features.teams.sign_in.recording import acting_person
from stowage.features.teams.sign_in.sessions import Begun, Browser, Entry
from stowage.features.teams.sign_in.store import people, team
from stowage.features.teams.sign_in.store.people import StoredPerson
from stowage.features.teams.sign_in.store.team import Invitation, StoredInvitation
from stowage.platform import letters, throttling
from stowage.platform.access import DENIED, Actor, Principal, must_exist
from stowage.platform.database.database import Database
from stowage.platform.database.rows import values_of
from stowage.platform.errors import BadInput, Conflict, NotFound, Problem
from stowage.platform.outside import Mailer
from stowage.platform.secrets import digest, new_secret

LASTS = timedelta(days=7)
"""Lifetime of an invitation."""

MOST_OPEN = 200
"""Limit of open invitations of one team."""

_OF_TEAM = throttling.Rule("invitations", free=30)
"""Limit of invitation mails per team and hour, so that no team sends spam in the operator's name."""


def invite(
    database: Database,
    gate: Database,
    org_id: UUID,
    asked: schemas.Invite,
    *,
    actor: Actor,
    page: str,
    mail: Mailer | None,
    now: datetime,
) -> schemas.InvitationAnswer:
    """Invite a person to a team, by mail or by a link that is shown once.

    An earlier invitation of the same address is replaced. The answer does not reveal whether the address already has an
    account.

    Parameters
    ----------
    actor : Actor
        The inviting owner.
    page : str
        Base URL of the page, without a trailing slash.

    Raises
    ------
    NotFound
        The inviting person is no longer an owner.
    Conflict
        The address already belongs to a member, or the team has too many open invitations.
    TooMany
        The address was sent several mails recently, or the team sent many.
    """
    if mail is not None:
        throttling.count(gate, [throttling.MAIL.key(asked.email), _OF_TEAM.key(org_id)], now)
    secret, expires_at = new_secret(), now + LASTS
    new = Invitation(uuid4(), asked.email, asked.role, actor.name, now, expires_at)
    name = _store(database, org_id, new, digest(secret), actor)
    link = f"{page}/join#{secret}"
    sent = letters.send(mail, asked.email, letters.invitation(team=name, by=actor.name, link=link, until=expires_at))
    if sent:
        with database.transaction(org_id) as connection:
            team.note_mailed(connection, new.id, now)
    return schemas.InvitationAnswer(**values_of(new), sent=sent, link=None if sent else link)


def _store(database: Database, org_id: UUID, new: Invitation, secret_hash: bytes, actor: Actor) -> str:
    """Store an invitation, and return the name of the team.

    The invitation is refused if the actor is not an owner of the team, or if the address belongs to a member already.
    """
    with database.transaction(org_id) as connection:
        # Checked under a lock: a concurrent removal either has happened, or sees this invitation and deletes it.
        if actor.id is None or not team.stays_owner(connection, actor.id):
            raise NotFound(DENIED)
        if team.is_member(connection, new.email):
            raise Conflict(f"{new.email} is in the team already.")
        team.remove_expired_invitations(connection, new.created_at)
        team.add_invitation(connection, new, secret_hash)
        if team.count_invitations(connection) > MOST_OPEN:
            raise Conflict(f"{MOST_OPEN} invitations are open; withdraw one first.")
        return team.name_of(connection, org_id) or ""


def list_invitations(database: Database, org_id: UUID, now: datetime) -> schemas.InvitationListAnswer:
    """List the open invitations of a team, newest first."""
    with database.transaction(org_id) as connection:
        return schemas.InvitationListAnswer(invitations=list(team.open_invitations(connection, now)))


def withdraw(database: Database, org_id: UUID, invitation_id: UUID) -> None:
    """Withdraw an open invitation of a team.

    Raises
    ------
    NotFound
        No invitation has this id, it was accepted, or it belongs to another team.
    """
    with database.transaction(org_id) as connection:
        must_exist(team.remove_invitation(connection, invitation_id))


def find(gate: Database, secret: str, now: datetime) -> StoredInvitation:
    """Find the invitation that has the given secret.

    Raises
    ------
    NotFound
        No invitation has this secret, or it has expired, was withdrawn or was accepted.
    """
    with gate.transaction(None) as connection:
        return must_exist(team.find_invitation(connection, digest(secret), now))


def look(gate: Database, secret: str, now: datetime) -> schemas.InvitationLook:
    """Return the team name, the invited e-mail address and the role that an invitation offers.

    Raises
    ------
    NotFound
        As `find`.
    """
    found = find(gate, secret, now)
    with gate.transaction(None) as connection:
        name = must_exist(team.name_of(connection, found.org_id))
    return schemas.InvitationLook(team=name, email=found.email, role=found.role)


def accept(
    gate: Database,
    join: schemas.Join,
    principal: Principal | None,
    *,
    actor: Actor,
    browser: Browser,
    now: datetime,
) -> Begun:
    """Join a team by an invitation, and start a session that shows the team.

    A person who is signed in with the invited address joins with that account. Everyone else sends a password: it must
    match the account with the invited address, or, if there is no such account, becomes the password of a new account.
    Thus, the response reveals whether the address has an account. Attempts are throttled in both cases.

    Parameters
    ----------
    principal : Principal or None
        The signed-in person.
    actor : Actor
        Has the network address and the id of the request.

    Raises
    ------
    NotFound
        As `find`.
    BadInput
        The password is wrong or weak, or a new account lacks a name.
    Conflict
        The address of the account is not verified.
    TooMany
        There were too many attempts for the account or from the network address.
    """
    try:
        invitation = find(gate, join.secret, now)
    except NotFound:
        throttling.count(gate, [throttling.SECRET.at(actor.address)], now)
        raise
    if principal is not None and principal.email == invitation.email:
        _join_signed_in(gate, invitation, principal, actor)
        # The replaced session has passed the second factor. Accepting is no reauthentication: its time is inherited.
        entry = Entry("link", invitation.org_id, principal.proved_at)
        return sessions.begin(gate, principal.person_id, entry, browser, now)
    person_id = _join_by_credentials(gate, invitation, join, actor, now)
    return second_factors.enter(gate, person_id, Entry("password", invitation.org_id), browser, now)


def _join_signed_in(gate: Database, invitation: StoredInvitation, principal: Principal, actor: Actor) -> None:
    """Add a signed-in person with the invited address to the team."""
    with gate.transaction(None) as connection:
        _refuse_unverified(invitation, people.get(connection, principal.person_id))
    _take_up(gate, invitation, actor, principal.person_id, principal.name)


def _join_by_credentials(
    gate: Database, invitation: StoredInvitation, join: schemas.Join, actor: Actor, now: datetime
) -> UUID:
    """Add a person who sends a password to the team of an invitation.

    The password is that of the account with the invited address. If there is no such account, it is created. The
    attempt is counted, because the password may be a guess. Returns the id of the person.
    """
    keys = [throttling.ACCOUNT.key(invitation.email), throttling.address_key(actor.address)]
    throttling.count(gate, keys, now)
    with gate.transaction(None) as connection:
        known = people.find(connection, invitation.email)
    if known is None:
        person_id = _join_as_new(gate, invitation, join, actor, now)
    else:
        person_id = _join_by_password(gate, invitation, join, known, actor)
    throttling.forgive(gate, keys)
    return person_id


def _join_by_password(
    gate: Database, invitation: StoredInvitation, join: schemas.Join, known: StoredPerson, actor: Actor
) -> UUID:
    """Add the owner of the account with the invited address to the team, after checking the password."""
    with gate.transaction(None) as connection:
        hashed = people.password_of(connection, known.person_id)
    # Without a password, a dummy hash is checked: the response time must not reveal whether there is one.
    if not passwords.verify(hashed, join.password or ""):
        raise _does_not_fit()
    _refuse_unverified(invitation, known)
    _take_up(gate, invitation, actor, known.person_id, known.name)
    return known.person_id


def _take_up(gate: Database, invitation: StoredInvitation, actor: Actor, person_id: UUID, name: str) -> None:
    with acting_person(gate, actor, person_id, name).transaction(invitation.org_id) as connection:
        must_exist(team.take_up(connection, invitation, person_id))


def _refuse_unverified(invitation: StoredInvitation, known: StoredPerson | None) -> None:
    """Refuse an account whose address is not verified, unless the invitation was mailed to that address.

    An unverified address may belong to another person. An invitation that was mailed to the address proves that it
    belongs to the person who accepts.
    """
    if invitation.mailed_at is None and (known is None or known.verified_email is None):
        raise Conflict(
            f"{invitation.email} is not verified: verify it on the page Account by a link that is mailed there. If the "
            "service sends no mail, its operator can verify it with `stowage verify-email`."
        )


def _join_as_new(gate: Database, invitation: StoredInvitation, join: schemas.Join, actor: Actor, now: datetime) -> UUID:
    """Create an account with the invited address, and add it to the team."""
    missing = [field for field in ("name", "password") if getattr(join, field) is None]
    if join.name is None or join.password is None:
        raise BadInput([Problem(field, "is needed") for field in missing])
    with gate.transaction(None) as connection:
        team_name = team.name_of(connection, invitation.org_id) or ""
    passwords.refuse_weak(join.password, (join.name, invitation.email, team_name))
    hashed, person_id = passwords.hash_password(join.password), uuid4()
    with acting_person(gate, actor, person_id, join.name).transaction(invitation.org_id) as connection:
        if not people.add(connection, person_id, join.name, invitation.email):
            raise _does_not_fit()  # Another request has just created the account.
        people.set_password(connection, person_id, hashed, now)
        must_exist(team.take_up(connection, invitation, person_id))
    return person_id


def _does_not_fit() -> BadInput:
    return BadInput([Problem("password", "does not fit; the account of this address has another one")])
