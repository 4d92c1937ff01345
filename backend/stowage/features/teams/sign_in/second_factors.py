"""Second factors: codes of an authenticator app (RFC 6238), passkeys, recovery codes, and pending sign-ins.

After the first factor (a password, a one-time link or the provider), `enter` starts a session or a pending sign-in. A
pending sign-in is not a session: it can only be completed by `finish`, in the same browser, within some minutes.
"""

import secrets
from datetime import datetime, timedelta
from uuid import UUID

import pyotp
import segno
from pydantic import TypeAdapter
from pyotp.exceptions import OTPVerificationError

from stowage.features.teams.sign_in import passkeys, schemas, sessions
from stowage.features.teams.sign_in.passkeys import Site
from stowage.features.teams.sign_in.recording import record_account
from stowage.features.teams.sign_in.sessions import Begun, Browser, Entry
from stowage.features.teams.sign_in.store import once, people
from stowage.features.teams.sign_in.store import passkeys as passkey_store
from stowage.features.teams.sign_in.store import second_factors as store
from stowage.features.teams.sign_in.store import sessions as session_store
from stowage.frozen import frozen
from stowage.platform import throttling
from stowage.platform.access import Principal, must_exist
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem, SignInNeeded
from stowage.platform.secrets import digest, new_secret

PENDING_LASTS = timedelta(minutes=5)
"""Time limit for the second factor after the first."""
RECOVERY_CODES = 10
EXPIRED = "The sign-in has expired: sign in again."
_CLOCKS_DIFFER_STEPS = 1
"""Number of time steps before and after the current one whose codes are accepted (RFC 6238, section 5.2)."""
_CODE_DIGITS = 6
_RECOVERY_LENGTH = 16
"""16 characters of 5 bits each: 80 random bits cannot be guessed, so a fast hash is enough."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_ENTRY = TypeAdapter(Entry)
_UNFIT = "is wrong or was already used; accepted: the current six digits of the app, or an unused recovery code"


@frozen
class At:
    """Origin of a second factor: network address of the client, and site of the page."""

    address: str | None
    """Network address of the client."""
    site: Site | None
    """Site of the page; None if browsers support no passkeys there."""


def enter(gate: Database, person_id: UUID, entry: Entry, browser: Browser, now: datetime) -> Begun:
    """Start a session after the first factor, or a pending sign-in if the account has a second factor.

    The parameters are those of `sessions.begin`.

    Raises
    ------
    SignInNeeded
        The person no longer exists.
    """
    with gate.transaction(None) as connection:
        if store.is_required(connection, person_id):
            once.purge(connection, now)
            if browser.presented is not None:
                # End the browser's previous session now, not only once the code is entered.
                session_store.remove_by_secret(connection, digest(browser.presented))
            secret = new_secret()
            link = once.OneTime(person_id, _ENTRY.dump_python(entry, mode="json"), now + PENDING_LASTS)
            once.add(connection, "second-factor", digest(secret), link)
            return Begun(secret, int(PENDING_LASTS.total_seconds()), is_pending=True)
    return sessions.begin(gate, person_id, entry, browser, now)


def person_pending(gate: Database, secret: str | None, now: datetime) -> UUID | None:
    """Return the person whose pending sign-in has this secret.

    Returns None if there is no such pending sign-in.
    """
    if secret is None:
        return None
    with gate.transaction(None) as connection:
        link = once.look(connection, "second-factor", digest(secret), now)
    return None if link is None else link.person_id


def passkey_fits(gate: Database, person_id: UUID, site: Site | None) -> bool:
    """Check whether a person has a passkey at a site."""
    if site is None:
        return False
    with gate.transaction(None) as connection:
        return passkey_store.count(connection, person_id, site.domain) > 0


def finish(
    gate: Database,
    secret: str | None,
    proof: schemas.SecondFactorProof,
    browser: Browser,
    site: Site | None,
    now: datetime,
) -> Begun:
    """Complete a pending sign-in with a code or a passkey.

    Raises
    ------
    SignInNeeded
        The browser has no pending sign-in, or it has expired.
    BadInput
        The code is wrong, or the passkey does not fit; the sign-in stays pending.
    TooMany
        There were too many wrong codes, for this account or from this address.
    """
    secret_hash = digest(secret or "")
    person_id = person_pending(gate, secret, now)
    if person_id is None:
        raise SignInNeeded(EXPIRED)
    check(gate, person_id, proof, At(browser.address, site), now)
    with gate.transaction(None) as connection:
        # The person may have signed out everywhere or set a new password in the meantime.
        link = once.use(connection, "second-factor", secret_hash, now)
    if link is None or link.person_id is None or link.details is None:
        raise SignInNeeded(EXPIRED)
    return sessions.begin(gate, link.person_id, _ENTRY.validate_python(link.details), browser, now)


def check(
    gate: Database, person_id: UUID, proof: schemas.SecondFactorProof | schemas.Proof, at: At, now: datetime
) -> None:
    """Check and consume a second factor: a passkey response, an app code or a recovery code.

    Raises
    ------
    BadInput
        The code is wrong or was already used, the passkey does not fit, or the request has neither.
    TooMany
        There were too many wrong codes, for this account or from this address.
    """
    if proof.passkey is not None:
        # A signature cannot be guessed. Count attempts by address only, so that an attacker cannot block the account.
        key = throttling.address_key(at.address)
        throttling.count(gate, [key], now)
        passkeys.check(gate, person_id, proof.passkey, at.site, now)
        throttling.forgive(gate, [key])
    elif proof.code is not None:
        _check_code(gate, person_id, proof.code, at.address, now)
    else:
        raise BadInput([Problem("code", "is needed, or a passkey")])


def _check_code(gate: Database, person_id: UUID, code: str, address: str | None, now: datetime) -> None:
    keys = (throttling.FACTOR.key(person_id), throttling.address_key(address))
    attempts, _ = throttling.count(gate, keys, now)
    given = code.replace(" ", "").replace("-", "").lower()
    by_app = len(given) == _CODE_DIGITS and given.isascii() and given.isdecimal()
    with gate.transaction(None) as connection:
        factor = store.get(connection, person_id) if by_app else None
        if factor is not None:
            step = _step_of(factor.secret.decode(), given, now)
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


def begin(gate: Database, principal: Principal) -> schemas.SecondFactorAnswer:
    """Create a secret for an authenticator app.

    Sign-ins require a code only after `confirm`. The route requires a recent reauthentication. The new secret replaces
    one that was never confirmed.

    Raises
    ------
    Conflict
        The account already has an authenticator app.
    """
    secret = pyotp.random_base32()
    with gate.transaction(None) as connection:
        if not store.begin(connection, principal.person_id, secret):
            raise Conflict("The account already has an authenticator app: remove it before you set up another.")
    uri = pyotp.TOTP(secret).provisioning_uri(name=principal.email or principal.name, issuer_name="Stowage")
    picture = segno.make(uri, error="m", micro=False).svg_data_uri(scale=4, dark="#000", light="#fff")
    return schemas.SecondFactorAnswer(secret=secret, uri=uri, qr=picture)


def confirm(
    gate: Database, principal: Principal, code: str, address: str | None, now: datetime
) -> schemas.RecoveryCodesAnswer:
    """Confirm an authenticator app with a first code.

    Sign-ins require a second factor from now on. All other sessions end, because they began without a code of the app.

    Returns
    -------
    RecoveryCodesAnswer
        New recovery codes; empty if the account has a passkey and therefore already has recovery codes.

    Raises
    ------
    Conflict
        No app was set up, or it is already confirmed.
    BadInput
        The code is wrong.
    TooMany
        There were too many wrong codes.
    """
    with gate.transaction(None) as connection:
        factor = store.get(connection, principal.person_id)
    if factor is None or factor.confirmed_at is not None:
        raise Conflict("There is no authenticator app to confirm: set one up first.")
    _check_code(gate, principal.person_id, code, address, now)
    with gate.transaction(None) as connection:
        is_first = not store.is_required(connection, principal.person_id)
        if not store.confirm(connection, principal.person_id, now):
            raise Conflict("The authenticator app was confirmed or removed by another request.")
        codes = _first_codes(connection, principal.person_id, is_first=is_first)
        session_store.remove_all(connection, principal.person_id, but=principal.session_id)
    _record(gate, principal.person_id, "second-factor.add")
    return codes


def renew_codes(gate: Database, principal: Principal) -> schemas.RecoveryCodesAnswer:
    """Replace the recovery codes of a person.

    Older codes become invalid. The route requires a recent reauthentication.

    Raises
    ------
    NotFound
        The account has no second factor.
    """
    with gate.transaction(None) as connection:
        must_exist(store.is_required(connection, principal.person_id))
        codes = _new_codes(connection, principal.person_id)
    _record(gate, principal.person_id, "second-factor.codes")
    return codes


def remove(gate: Database, principal: Principal) -> None:
    """Remove the authenticator app, and the recovery codes if it was the only second factor.

    The route requires a recent reauthentication, which needs the second factor itself.

    Raises
    ------
    NotFound
        The account has no app.
    """
    with gate.transaction(None) as connection:
        must_exist(store.remove(connection, principal.person_id))
        _after_removal(connection, principal.person_id)
    _record(gate, principal.person_id, "second-factor.remove")


def list_passkeys(gate: Database, principal: Principal, site: Site | None) -> schemas.PasskeyListAnswer:
    """List the passkeys of a person."""
    with gate.transaction(None) as connection:
        found = passkey_store.of_person(connection, principal.person_id)
    rows = [schemas.PasskeyRow.from_fields(each, id=each.passkey_id) for each in found]
    return schemas.PasskeyListAnswer(domain=None if site is None else site.domain, passkeys=rows)


def add_passkey(
    gate: Database, principal: Principal, new: schemas.NewPasskey, site: Site | None, now: datetime
) -> schemas.RecoveryCodesAnswer:
    """Add a passkey that the browser made.

    Sign-ins require a second factor from now on. If the account had none before, all other sessions end. The route
    requires a recent reauthentication.

    Returns
    -------
    RecoveryCodesAnswer
        New recovery codes; empty if the account had a second factor before, and therefore has recovery codes.

    Raises
    ------
    BadInput
        The response answers no challenge of this person, or is from another site.
    Conflict
        The passkey is registered already, or the account has the maximum number.
    """
    made = passkeys.finish_registration(gate, principal.person_id, new.name, new.passkey, site, now)
    with gate.transaction(None) as connection:
        is_first = not store.is_required(connection, principal.person_id)
        if not passkey_store.add(connection, principal.person_id, made):
            raise Conflict("This passkey belongs to an account already.")
        if passkey_store.count(connection, principal.person_id) > passkeys.MOST_PASSKEYS:
            raise Conflict(passkeys.TOO_MANY)
        codes = _first_codes(connection, principal.person_id, is_first=is_first)
        if is_first:
            session_store.remove_all(connection, principal.person_id, but=principal.session_id)
    _record(gate, principal.person_id, "passkey.add", named=new.name)
    return codes


def remove_passkey(gate: Database, principal: Principal, passkey_id: UUID) -> None:
    """Remove a passkey, and the recovery codes if it was the last second factor.

    The route requires a recent reauthentication.

    Raises
    ------
    NotFound
        The person has no such passkey.
    """
    with gate.transaction(None) as connection:
        names = {each.passkey_id: each.name for each in passkey_store.of_person(connection, principal.person_id)}
        must_exist(passkey_store.remove(connection, principal.person_id, passkey_id))
        _after_removal(connection, principal.person_id)
    _record(gate, principal.person_id, "passkey.remove", named=names.get(passkey_id, ""))


def _first_codes(connection: Connection, person_id: UUID, *, is_first: bool) -> schemas.RecoveryCodesAnswer:
    """Create recovery codes if this is the account's first second factor.

    Later second factors share these codes: for them, the answer has no codes.
    """
    return _new_codes(connection, person_id) if is_first else schemas.RecoveryCodesAnswer(codes=[])


def _after_removal(connection: Connection, person_id: UUID) -> None:
    if not store.is_required(connection, person_id):
        store.remove_recovery_codes(connection, person_id)
        once.remove(connection, person_id, "second-factor")


def _step_of(secret: str, code: str, now: datetime) -> int | None:
    """Return the time step for which a code of an authenticator app is valid.

    Time steps are numbered in units of 30 s since 1970. Returns None if the code is wrong or outdated.
    """
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, for_time=now, valid_window=_CLOCKS_DIFFER_STEPS)
    except OTPVerificationError:
        return None


def _new_codes(connection: Connection, person_id: UUID) -> schemas.RecoveryCodesAnswer:
    codes = ["".join(secrets.choice(_ALPHABET) for _ in range(_RECOVERY_LENGTH)) for _ in range(RECOVERY_CODES)]
    store.set_recovery_codes(connection, person_id, [digest(each) for each in codes])
    parts = [[code[at : at + 4] for at in range(0, _RECOVERY_LENGTH, 4)] for code in codes]
    return schemas.RecoveryCodesAnswer(codes=["-".join(each) for each in parts])


def _record(gate: Database, person_id: UUID, action: str, *, by_system: bool = False, named: str | None = None) -> None:
    with gate.transaction(None) as connection:
        person = people.get(connection, person_id)
    if person is None:
        return
    record_account(gate, person_id, person.name, action, by="Unknown user" if by_system else None, named=named)
