"""Reauthentication: credentials can be changed only shortly after the person has authenticated.

Otherwise a stolen session could take over the account permanently, by setting a password, an e-mail, a second factor or
an account at the provider. A sign-in counts as an authentication, and so does entering the password again. If the
account has a second factor, reauthentication requires it too.
"""

from datetime import datetime

from stowage.features.teams.sign_in import passwords, second_factors, sessions
from stowage.features.teams.sign_in.recording import record
from stowage.features.teams.sign_in.schemas import Proof
from stowage.features.teams.sign_in.second_factors import At
from stowage.features.teams.sign_in.store import people
from stowage.features.teams.sign_in.store import second_factors as factors
from stowage.features.teams.sign_in.store import sessions as store
from stowage.platform import throttling
from stowage.platform.access import Principal, must_exist
from stowage.platform.audit import Event
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem


def prove(gate: Database, principal: Principal, proof: Proof, at: At, now: datetime) -> None:
    """Check the credentials of a session's person, and store the time of the reauthentication.

    The password is needed unless the person has just signed in at the provider. The second factor is needed if the
    account has one.

    Parameters
    ----------
    principal : Principal
        Authenticated by a session.
    at : At
        Origin of the request. Guesses from its network address count together with those at sign-in.

    Raises
    ------
    NotFound
        The principal is not authenticated by a session.
    BadInput
        The password, the code or the passkey is wrong or missing.
    TooMany
        There were too many attempts.
    """
    session_id = must_exist(principal.session_id)
    with gate.transaction(None) as connection:
        needs_factor = factors.is_required(connection, principal.person_id)
        identified = needs_factor and sessions.is_identified(connection, principal, now)
    missing = [] if proof.password is not None or identified else [Problem("password", "is needed")]
    if needs_factor and proof.code is None and proof.passkey is None:
        missing.append(Problem("code", "is needed, or a passkey: the account has a second factor"))
    if missing:
        raise BadInput(missing)
    if proof.password is not None:
        _check_password(gate, principal, proof.password, at.address, now)
    if needs_factor:
        second_factors.check(gate, principal.person_id, proof, at, now)
    with gate.transaction(None) as connection:
        store.prove(connection, session_id, now)
    record(gate, principal.person_id, Event("session.prove", "person", principal.name, principal.person_id))


def _check_password(gate: Database, principal: Principal, password: str, address: str | None, now: datetime) -> None:
    keys = (throttling.ACCOUNT.key(principal.email or str(principal.person_id)), throttling.address_key(address))
    throttling.count(gate, keys, now)
    with gate.transaction(None) as connection:
        hashed = people.password_of(connection, principal.person_id)
    if not passwords.verify(hashed, password):
        raise BadInput([Problem("password", "does not fit")])
    throttling.forgive(gate, keys)
