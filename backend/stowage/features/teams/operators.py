"""Commands that the operator runs in a terminal: sign a person in, create a team, create a token for this machine.

There is no authentication: a caller who can read the database URL of the auth role can read all the data anyway.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from pydantic import ValidationError

from stowage.features.teams import invitations
from stowage.features.teams.sign_in import signing_in
from stowage.features.teams.sign_in.recording import record, record_account
from stowage.features.teams.sign_in.schemas import Email, OwnName
from stowage.features.teams.sign_in.store import once, passkeys, people, second_factors, sessions, team, tokens
from stowage.features.teams.sign_in.tokens import PREFIX
from stowage.frozen import frozen
from stowage.model.team import Scope
from stowage.platform import quota_store
from stowage.platform.audit import Event
from stowage.platform.database import orgs
from stowage.platform.database.database import Database
from stowage.platform.database.errors import StoreError
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.described import RequestBody
from stowage.platform.errors import BadInput, NotFound, Problem
from stowage.platform.problems import problems_in
from stowage.platform.quotas import QUOTAS
from stowage.platform.secrets import digest, new_secret

LINK_LASTS = timedelta(hours=24)
"""Lifetime of an unused sign-in link."""

_TOKEN_LASTS = timedelta(days=90)
_TOKEN_SCOPES: Sequence[Scope] = ("read", "plan", "measure")
_INVITED_BY = "the operator"


class NewTeam(RequestBody):
    """Name of a team to create, and e-mail address of its first owner."""

    name: OwnName
    owner: Email


@frozen
class MadeToken:
    """A new API token, as shown to the operator."""

    text: str
    """The token; not stored."""
    team: str
    """Name of the team that the token belongs to."""
    person: str
    """Name of the person that the token belongs to."""
    expires_at: datetime


def make_sign_in_link(gate: Database, email: str | None, now: datetime) -> str:
    """Create the secret of a link that signs a person in.

    The link works once, and expires after `LINK_LASTS`.

    Parameters
    ----------
    email : str or None
        E-mail of an existing account; None for the local owner, who is created if missing.

    Raises
    ------
    NotFound
        No account has this e-mail.
    """
    if email is None:
        person_id = signing_in.ensure_local_owner(gate, now)
    else:
        with gate.transaction(None) as connection:
            person = people.find(connection, email.strip().lower())
        if person is None:
            raise NotFound(f"No account has the e-mail {email!r}.")
        person_id = person.person_id
    return signing_in.make_sign_in_link(gate, person_id, now, LINK_LASTS)


def verify_email(gate: Database, email: str) -> str:
    """Mark the e-mail address of an account as verified.

    Returns the name of the account's owner.

    Raises
    ------
    NotFound
        No account has this e-mail.
    """
    with gate.transaction(None) as connection:
        person = people.find(connection, email.strip().lower())
        if person is None or person.email is None:
            raise NotFound(f"No account has the e-mail {email!r}.")
        people.verify_email(connection, person.person_id, person.email)
    about = Event("account.verify", "system", "The operator", object_kind="person", object_name=person.name)
    record(gate, person.person_id, about)
    return person.name


def reset_second_factor(gate: Database, email: str | None) -> str:
    """Remove the second factor of an account, and end its sessions.

    Returns the name of the account's owner.

    Parameters
    ----------
    email : str or None
        None for the local owner.

    Raises
    ------
    NotFound
        No account has this e-mail, or the account has no second factor.
    """
    whose = "The local owner" if email is None else repr(email)
    with gate.transaction(None) as connection:
        if email is None:
            person = people.get(connection, signing_in.LOCAL_PERSON_ID)
        else:
            person = people.find(connection, email.strip().lower())
        if person is None:
            raise NotFound(f"No account has the e-mail {email!r}." if email else "There is no local owner yet.")
        if not second_factors.is_required(connection, person.person_id):
            raise NotFound(f"{whose} has no second factor.")
        second_factors.remove(connection, person.person_id)
        passkeys.remove(connection, person.person_id)
        second_factors.remove_recovery_codes(connection, person.person_id)
        # The session of a lost device must end too.
        sessions.remove_all(connection, person.person_id)
        once.void(connection, person.person_id)
    record_account(gate, person.person_id, person.name, "second-factor.reset", by="The operator")
    return person.name


def create_team(gate: Database, database: Database, name: str, owner_email: str, now: datetime) -> str:
    """Create a team without members, and an invitation for its first owner.

    Parameters
    ----------
    gate, database : Database
        The auth role creates the team; the application role creates the invitation.

    Returns
    -------
    str
        The secret of the invitation.

    Raises
    ------
    BadInput
        The name or the e-mail is invalid.
    """
    try:
        asked = NewTeam(name=name, owner=owner_email)
    except ValidationError as error:
        raise BadInput(problems_in(error.errors())) from error
    org_id, secret = uuid4(), new_secret()
    with gate.transaction(org_id) as connection:
        orgs.add(connection, org_id, asked.name)
    invitation = team.Invitation(uuid4(), asked.owner, "owner", _INVITED_BY, now, now + invitations.LASTS)
    try:
        with database.transaction(org_id) as connection:
            team.add_invitation(connection, invitation, digest(secret))
    except StoreError:
        with gate.transaction(org_id) as connection:
            team.delete_team(connection, org_id)
        raise
    return secret


def make_local_token(gate: Database, name: str, now: datetime) -> MadeToken:
    """Create a token of the local owner for the commands on this machine.

    Parameters
    ----------
    name : str
        Name in the list of tokens.
    """
    person_id = signing_in.ensure_local_owner(gate, now)
    text = f"{PREFIX}{new_secret()}"
    expires_at = now + _TOKEN_LASTS
    with gate.transaction(LOCAL_ORG_ID) as connection:
        tokens.add(
            connection,
            tokens.NewToken(uuid4(), person_id, name, digest(text), text[:8], _TOKEN_SCOPES, now, expires_at),
        )
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
        # The operator of this machine counts as a recent sign-in of the local owner.
        people.signed_in(connection, person_id, now)
        [team_name] = [each.name for each in team.teams_of(connection, person_id) if each.org_id == LOCAL_ORG_ID]
    return MadeToken(text, team_name, "" if person is None else person.name, expires_at)


def set_quota(gate: Database, whose: str, name: str, most: int | None) -> None:
    """Set a quota of a team, as the operator.

    Parameters
    ----------
    whose : str
        Name or id of the team.
    most : int or None
        The limit; None resets it to the default.

    Raises
    ------
    BadInput
        There is no such quota, or the limit is below 0.
    NotFound
        No team has this name, or several teams have it.
    """
    if name not in QUOTAS:
        raise BadInput([Problem("quota", f"there is no quota {name!r}; accepted: {', '.join(QUOTAS)}")])
    if most is not None and not 0 <= most < 1 << 62:
        raise BadInput([Problem("limit", f"{most:,} is not accepted; accepted: a whole number from 0")])
    with gate.transaction(_team(gate, whose)) as connection:
        if most is None:
            quota_store.remove_override(connection, name)
        else:
            quota_store.set_override(connection, name, most)


def limits_of(gate: Database, whose: str) -> dict[str, int]:
    """Return the quota limits that the operator set for a team, by name of the quota.

    Quotas with their default limit are left out.

    Raises
    ------
    NotFound
        As `set_quota`.
    """
    with gate.transaction(_team(gate, whose)) as connection:
        return quota_store.granted(connection)


def _team(gate: Database, whose: str) -> UUID:
    """Return the id of the team that has the given name or id.

    Raises
    ------
    NotFound
        No team has this name or id, or several teams have this name.
    """
    with gate.transaction(None) as connection:
        found = team.named(connection, whose)
    if len(found) != 1:
        raise NotFound(
            f"There is no team {whose!r}." if not found else f"{len(found)} teams have the name {whose!r}: give the id."
        )
    return found[0]
