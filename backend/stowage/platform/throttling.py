"""How fast somebody may guess: attempts are counted in the database, before anything is checked.

Counting first, and in a transaction of its own, gives each of many guesses at once a number of its own. What nobody
here is called is counted like what somebody is, or the difference would tell.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from stowage.platform import throttle_store as store
from stowage.platform.database.database import Database
from stowage.platform.errors import TooMany

WITHIN = timedelta(hours=1)
"""How long attempts are remembered."""
LONGEST = timedelta(minutes=15)
"""How long attempts are held back at most."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to those who try often.

    Parameters
    ----------
    free : int
        Attempts within `WITHIN` that are not held back.
    first : timedelta
        How long it takes after these; each further attempt doubles it, up to `LONGEST`.
    forgives : bool
        Whether one that succeeds takes back all that were counted; else it takes back itself.
    """

    free: int
    first: timedelta = LONGEST
    forgives: bool = False

    def holds_back(self, failures: int) -> timedelta | None:
        """Say for how long, after so many attempts."""
        if failures < self.free:
            return None
        doubled: int = 2 ** min(failures - self.free, 20)
        return min(self.first * doubled, LONGEST)


ACCOUNT = Rule(free=5, first=timedelta(seconds=1), forgives=True)
ADDRESS = Rule(free=50)
HERE = Rule(free=1_000_000)
MAIL = Rule(free=3)
CHANGES = Rule(free=5)
LINK = Rule(free=5, first=timedelta(seconds=1), forgives=True)
OIDC = Rule(free=300)
FACTOR = Rule(free=5, first=timedelta(seconds=1), forgives=True)
ALERT_TESTS = Rule(free=10)


@dataclass(frozen=True, slots=True)
class Key:
    """What is counted.

    Parameters
    ----------
    rule : Rule
    digest : bytes
    """

    rule: Rule
    digest: bytes


def account_key(email: str) -> Key:
    """Count guesses at one account, from wherever they come."""
    return _key(ACCOUNT, f"account:{email}")


def address_key(address: str | None) -> Key:
    """Count guesses at passwords from one place, at whatever account.

    Of this machine everybody is at the same place: one program would shut out all people.
    """
    place = _place(address)
    return _key(HERE if place in {"127.0.0.1", "::/64"} else ADDRESS, f"address:{place}")


def secret_key(address: str | None) -> Key:
    """Count guesses at one-time links, invitations and share links from one place."""
    return _key(ADDRESS, f"secret:{_place(address)}")


def link_key(link_id: UUID) -> Key:
    """Count guesses at the password of one share link, from wherever they come."""
    return _key(LINK, f"link:{link_id}")


def mail_key(email: str) -> Key:
    """Count mails that owners have sent to one address."""
    return _key(MAIL, f"mail:{email}")


def asked_key(email: str) -> Key:
    """Count mails that anybody asks to be sent to one address; apart from owners' mails, which that would stop."""
    return _key(MAIL, f"asked:{email}")


def asking_key(address: str | None) -> Key:
    """Count mails that are asked for from one place."""
    return _key(ADDRESS, f"asking:{_place(address)}")


def change_key(person_id: UUID) -> Key:
    """Count e-mails that somebody would like to have: whether one can be had tells who has an account."""
    return _key(CHANGES, f"change:{person_id}")


def factor_key(person_id: UUID) -> Key:
    """Return the key that rate-limits codes for the second factor of one account, from all addresses."""
    return _key(FACTOR, f"factor:{person_id}")


def oidc_key(address: str | None) -> Key:
    """Count ways to the provider that are begun from one place."""
    return _key(OIDC, f"oidc:{_place(address)}")


def alert_test_keys(org_id: UUID, email: str | None) -> list[Key]:
    """Return the keys that rate-limit tests of alerts and manual retries: the team's, and of mail the address's."""
    of_team = _key(ALERT_TESTS, f"alert test:{org_id}")
    return [of_team] if email is None else [of_team, _key(MAIL, f"alert mail:{email}")]


def count(gate: Database, keys: Sequence[Key], now: datetime) -> tuple[int, ...]:
    """Count an attempt under each key.

    Parameters
    ----------
    gate : Database
    keys : sequence of Key
    now : datetime

    Returns
    -------
    tuple of int
        The attempts under each key within `WITHIN`, this one too.

    Raises
    ------
    TooMany
        Under one of them attempts are held back; then none is counted.
    """
    counted = {}
    with gate.transaction(None) as connection:
        # In one order for all, so that nobody waits for whoever waits for them.
        for key in sorted(keys, key=lambda each: each.digest):
            now_at = store.count(connection, key.digest, now=now, within=WITHIN)
            if now_at.blocked_until is not None and now_at.blocked_until > now:
                raise TooMany(int((now_at.blocked_until - now).total_seconds()) + 1)
            held_back = key.rule.holds_back(now_at.failures)
            if held_back is not None:
                store.hold_back(connection, key.digest, now + held_back)
            counted[key] = now_at.failures
    if 1 in counted.values():
        # Whoever tries ever new names makes room, too.
        with gate.transaction(None) as connection:
            store.purge(connection, now=now, within=WITHIN)
    return tuple(counted[key] for key in keys)


def forgive(gate: Database, keys: Sequence[Key]) -> None:
    """Take back what a successful attempt was counted; of an account, all attempts."""
    with gate.transaction(None) as connection:
        for key in sorted(keys, key=lambda each: each.digest):
            if key.rule.forgives:
                store.forget(connection, key.digest)
            else:
                store.take_back(connection, key.digest)


def _key(rule: Rule, text: str) -> Key:
    return Key(rule, hashlib.sha256(text.encode(errors="replace")).digest())


def _place(address: str | None) -> str:
    """Name a place: of IPv6 the network that one customer is given, who may take any address of it.

    >>> _place("2001:db8:1:2:3:4:5:6"), _place("203.0.113.7"), _place("::ffff:203.0.113.7"), _place(None)
    ('2001:db8:1:2::/64', '203.0.113.7', '203.0.113.7', 'unknown')
    """
    try:
        known = ip_address(address or "")
    except ValueError:
        return address or "unknown"
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped is not None:
            return str(known.ipv4_mapped)
        return f"{IPv6Address(int(known) >> 64 << 64)}/64"
    return str(known)
