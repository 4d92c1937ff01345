"""Second factors: codes of an authenticator app (RFC 6238), recovery codes, and sign-ins that wait for a code.

After the first factor (a password, a one-time link or the provider), `enter` starts a session or a pending sign-in. A
pending sign-in is not a session: it can only be completed by `finish`, in the same browser, within some minutes.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import pyotp
import segno
from pyotp.exceptions import OTPVerificationError

from stowage.model.team import SessionKind
from stowage.store import once, people
from stowage.store import second_factors as store
from stowage.store import sessions as session_store
from stowage.store.audit import Event
from stowage.store.database import Connection, Database
from stowage.usecases import sessions, throttling
from stowage.usecases.access import DENIED, Principal
from stowage.usecases.errors import BadInput, Conflict, NotFound, Problem, SignInNeeded
from stowage.usecases.people_answers import RecoveryCodesAnswer, SecondFactorAnswer
from stowage.usecases.recording import record
from stowage.usecases.secrets import digest, new_secret
from stowage.usecases.sessions import Begun, Browser

PENDING_LASTS = timedelta(minutes=5)
"""Time to enter the code after the first factor."""
RECOVERY_CODES = 10
EXPIRED = "The sign-in has expired: sign in again."
_CLOCKS_DIFFER_STEPS = 1
"""Number of time steps before and after the current one whose codes are accepted (RFC 6238, section 5.2)."""
_CODE_DIGITS = 6
_RECOVERY_LENGTH = 16
"""16 characters of 5 bits each: 80 random bits cannot be guessed, so a fast hash is enough."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_UNFIT = "is wrong or was already used; accepted: the current six digits of the app, or an unused recovery code"


@dataclass(frozen=True, slots=True)
class Pending:
    """A sign-in whose second factor is missing.

    Parameters
    ----------
    secret : str
        Value of the cookie; stored as a hash.
    lasts_s : int
        Time until it expires [s].
    """

    secret: str
    lasts_s: int


def enter(
    gate: Database,
    person_id: UUID,
    *,
    how: SessionKind,
    browser: Browser,
    now: datetime,
    looks_at: UUID | None = None,
    proved_at: datetime | None = None,
) -> Begun | Pending:
    """Start a session after the first factor, or a pending sign-in if the account has a second factor.

    Parameters
    ----------
    gate, person_id, how, browser, now, looks_at, proved_at
        As of `sessions.begin`.

    Raises
    ------
    SignInNeeded
        The person is gone.
    """
    with gate.transaction(None) as connection:
        needed = store.is_confirmed(connection, person_id)
        if needed:
            once.purge(connection, now)
            if browser.presented is not None:
                # The browser's previous session ends now, not only once the code is entered.
                session_store.remove_by_secret(connection, digest(browser.presented))
            secret = new_secret()
            details = {
                "how": how,
                "looks_at": None if looks_at is None else str(looks_at),
                "proved_at": None if proved_at is None else proved_at.isoformat(),
            }
            link = once.OneTime(person_id, details, now + PENDING_LASTS)
            once.add(connection, "second-factor", digest(secret), link)
            return Pending(secret, int(PENDING_LASTS.total_seconds()))
    return sessions.begin(gate, person_id, how=how, browser=browser, now=now, looks_at=looks_at, proved_at=proved_at)


def is_pending(gate: Database, secret: str | None, now: datetime) -> bool:
    """Check whether a browser has a pending sign-in, which lacks only the code."""
    if secret is None:
        return False
    with gate.transaction(None) as connection:
        return once.look(connection, "second-factor", digest(secret), now) is not None


def finish(gate: Database, secret: str | None, code: str, browser: Browser, now: datetime) -> Begun:
    """Complete a pending sign-in with a code.

    Raises
    ------
    SignInNeeded
        The browser has no pending sign-in, or it has expired.
    BadInput
        The code is wrong; the sign-in stays pending.
    TooMany
        There were too many wrong codes, for this account or from this address.
    """
    secret_hash = digest(secret or "")
    with gate.transaction(None) as connection:
        link = once.look(connection, "second-factor", secret_hash, now)
    if link is None or link.person_id is None:
        raise SignInNeeded(EXPIRED)
    check(gate, link.person_id, code, browser.address, now)
    with gate.transaction(None) as connection:
        # In the meantime the person may have signed out everywhere or set a new password.
        link = once.use(connection, "second-factor", secret_hash, now)
    if link is None or link.person_id is None or link.details is None:
        raise SignInNeeded(EXPIRED)
    looks_at, proved_at = link.details["looks_at"], link.details["proved_at"]
    return sessions.begin(
        gate,
        link.person_id,
        how=link.details["how"],
        browser=browser,
        now=now,
        looks_at=None if looks_at is None else UUID(looks_at),
        proved_at=None if proved_at is None else datetime.fromisoformat(proved_at),
    )


def check(gate: Database, person_id: UUID, code: str, address: str | None, now: datetime) -> None:
    """Check a code of a person's second factor or a recovery code, and mark it as used.

    Parameters
    ----------
    gate : Database
    person_id : UUID
    code : str
    address : str or None
        Network address of the client.
    now : datetime

    Raises
    ------
    BadInput
        The code is wrong or was already used.
    TooMany
        There were too many wrong codes, for this account or from this address.
    """
    keys = (throttling.factor_key(person_id), throttling.address_key(address))
    attempts, _ = throttling.count(gate, keys, now)
    given = code.replace(" ", "").replace("-", "").lower()
    by_app = len(given) == _CODE_DIGITS and given.isascii() and given.isdecimal()
    with gate.transaction(None) as connection:
        factor = store.get(connection, person_id) if by_app else None
        if factor is not None:
            step = _step_of(factor.secret, given, now)
            fits = step is not None and store.use_step(connection, person_id, step)
        else:
            fits = store.use_recovery_code(connection, person_id, digest(given))
    if not fits:
        if attempts == throttling.FACTOR.free:
            _record(gate, person_id, "second-factor.refused", by_system=True)
        raise BadInput([Problem("code", _UNFIT)])
    throttling.forgive(gate, keys)
    if not by_app:
        _record(gate, person_id, "second-factor.recover")


def begin(gate: Database, principal: Principal) -> SecondFactorAnswer:
    """Create a secret for an authenticator app; a sign-in does not require it before `confirm`.

    The route requires a recent reauthentication. The new secret replaces one that was never confirmed.

    Raises
    ------
    Conflict
        The account already has a second factor.
    """
    secret = pyotp.random_base32()
    with gate.transaction(None) as connection:
        if not store.begin(connection, principal.person_id, secret):
            raise Conflict("The account already has a second factor: remove it before you set up another.")
    uri = pyotp.TOTP(secret).provisioning_uri(name=principal.email or principal.name, issuer_name="Stowage")
    picture = segno.make(uri, error="m", micro=False).svg_data_uri(scale=4, dark="#000", light="#fff")
    return SecondFactorAnswer(secret=secret, uri=uri, qr=picture)


def confirm(gate: Database, principal: Principal, code: str, address: str | None, now: datetime) -> RecoveryCodesAnswer:
    """Confirm the second factor with a first code of the app; sign-ins require it from now on.

    All other sessions end, and pending sign-ins too, because they began without it.

    Raises
    ------
    Conflict
        No second factor was set up, or it is already confirmed.
    BadInput
        The code is wrong.
    TooMany
        There were too many wrong codes.
    """
    with gate.transaction(None) as connection:
        factor = store.get(connection, principal.person_id)
    if factor is None or factor.confirmed:
        raise Conflict("There is no second factor to confirm: set one up first.")
    check(gate, principal.person_id, code, address, now)
    with gate.transaction(None) as connection:
        if not store.confirm(connection, principal.person_id, now):
            raise Conflict("The second factor was confirmed or removed by another request.")
        codes = _new_codes(connection, principal.person_id)
        session_store.remove_all(connection, principal.person_id, but=principal.session_id)
    _record(gate, principal.person_id, "second-factor.add")
    return codes


def renew_codes(gate: Database, principal: Principal) -> RecoveryCodesAnswer:
    """Replace the recovery codes; older ones become invalid. The route requires a recent reauthentication.

    Raises
    ------
    NotFound
        The account has no second factor.
    """
    with gate.transaction(None) as connection:
        if not store.is_confirmed(connection, principal.person_id):
            raise NotFound(DENIED)
        codes = _new_codes(connection, principal.person_id)
    _record(gate, principal.person_id, "second-factor.codes")
    return codes


def remove(gate: Database, principal: Principal) -> None:
    """Remove the second factor and its recovery codes.

    The route requires a recent reauthentication, which needs the second factor itself.

    Raises
    ------
    NotFound
        The account has no second factor.
    """
    with gate.transaction(None) as connection:
        if not store.remove(connection, principal.person_id):
            raise NotFound(DENIED)
        once.remove(connection, principal.person_id, "second-factor")
    _record(gate, principal.person_id, "second-factor.remove")


def _step_of(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step of a code [30 s since 1970], or None if it is the code of no accepted step."""
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, for_time=now, valid_window=_CLOCKS_DIFFER_STEPS)
    except OTPVerificationError:
        return None


def _new_codes(connection: Connection, person_id: UUID) -> RecoveryCodesAnswer:
    codes = ["".join(secrets.choice(_ALPHABET) for _ in range(_RECOVERY_LENGTH)) for _ in range(RECOVERY_CODES)]
    store.set_recovery_codes(connection, person_id, [digest(each) for each in codes])
    parts = [[code[at : at + 4] for at in range(0, _RECOVERY_LENGTH, 4)] for code in codes]
    return RecoveryCodesAnswer(codes=["-".join(each) for each in parts])


def _record(gate: Database, person_id: UUID, action: str, *, by_system: bool = False) -> None:
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
    if person is None:
        return
    about = Event(
        action,
        "system" if by_system else "person",
        "Somebody" if by_system else person.name,
        None if by_system else person_id,
        object_kind="person",
        object_id=str(person_id),
        object_name=person.name,
    )
    record(gate, person_id, about)
