"""Reauthentication: credentials can be changed only shortly after the person has authenticated.

Otherwise a stolen session could take over the account for good, by setting a password, an e-mail, a second factor or an
account at the provider. A sign-in counts, and so does entering the password again.
"""

from datetime import datetime, timedelta

from stowage.store import people
from stowage.store import sessions as store
from stowage.store.audit import Event
from stowage.store.database import Database
from stowage.usecases import passwords, throttling
from stowage.usecases.access import DENIED, Principal
from stowage.usecases.errors import BadInput, NotFound, Problem, ProofNeeded
from stowage.usecases.people_answers import Proof
from stowage.usecases.recording import record

LASTS = timedelta(minutes=10)
"""Validity of a reauthentication."""


def demand(principal: Principal, now: datetime) -> None:
    """Check that the person of a session authenticated recently.

    Raises
    ------
    ProofNeeded
    """
    if principal.proved_at is None or now - principal.proved_at >= LASTS:
        raise ProofNeeded


def prove(gate: Database, principal: Principal, proof: Proof, address: str | None, now: datetime) -> None:
    """Check the password of a session's person and store the time of the reauthentication.

    Parameters
    ----------
    gate : Database
    principal : Principal
        Authenticated by a session.
    proof : Proof
    address : str or None
        Network address of the client: guesses count together with those at sign-in.
    now : datetime

    Raises
    ------
    NotFound
        The principal is no session.
    BadInput
        The password does not fit, or there is none.
    TooMany
        There were too many guesses.
    """
    if principal.session_id is None:
        raise NotFound(DENIED)
    keys = (throttling.account_key(principal.email or str(principal.person_id)), throttling.address_key(address))
    throttling.count(gate, keys, now)
    with gate.transaction(None) as connection:
        hashed = people.password_of(connection, principal.person_id)
    if not passwords.verify(hashed, proof.password):
        raise BadInput([Problem("password", "does not fit")])
    throttling.forgive(gate, keys)
    with gate.transaction(None) as connection:
        store.prove(connection, principal.session_id, now)
    record(gate, principal.person_id, Event("session.prove", "person", principal.name, principal.person_id))
