"""Throttling of guesses: attempts are counted in the database before anything is checked.

Counting comes first, in a transaction of its own, so that each of many concurrent guesses gets its own number. Attempts
on unknown accounts are counted like those on existing ones: a difference would reveal which accounts exist.
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
"""Period in which attempts are counted."""
LONGEST = timedelta(minutes=15)
"""Longest time for which attempts are blocked."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Limit on the attempts under a key.

    Parameters
    ----------
    free : int
        Attempts within `WITHIN` before throttling starts.
    first : timedelta
        First blocking time; each further attempt doubles it, up to `LONGEST`.
    forgives : bool
        Whether a successful attempt resets the count to zero. Otherwise, the attempt is subtracted from the count.
    """

    free: int
    first: timedelta = LONGEST
    forgives: bool = False

    def holds_back(self, failures: int) -> timedelta | None:
        """Return the blocking time after a number of attempts.

        Returns None if further attempts are not blocked.
        """
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
    """A key under which attempts are counted, with the limit on them."""

    rule: Rule
    digest: bytes


def account_key(email: str) -> Key:
    """Return the key that counts guesses at one account, from any network address."""
    return _key(ACCOUNT, f"account:{email}")


def address_key(address: str | None) -> Key:
    """Return the key that counts password guesses from one network address, at any account.

    On the machine of the service, all people have the same address: one program could block them all. Therefore, the
    limit is practically infinite there.
    """
    place = _place(address)
    return _key(HERE if place in {"127.0.0.1", "::/64"} else ADDRESS, f"address:{place}")


def secret_key(address: str | None) -> Key:
    """Return the key that counts guesses at links from one network address.

    The links are one-time links, invitations and share links.
    """
    return _key(ADDRESS, f"secret:{_place(address)}")


def link_key(link_id: UUID) -> Key:
    """Return the key that counts guesses at the password of one share link, from any network address."""
    return _key(LINK, f"link:{link_id}")


def mail_key(email: str) -> Key:
    """Return the key that counts the requests of owners for mails to one address."""
    return _key(MAIL, f"mail:{email}")


def asked_key(email: str) -> Key:
    """Return the key that counts the requests of other callers for mails to one address.

    Requests of owners are counted by `mail_key`.
    """
    return _key(MAIL, f"asked:{email}")


def asking_key(address: str | None) -> Key:
    """Return the key that counts requests for mails from one network address."""
    return _key(ADDRESS, f"asking:{_place(address)}")


def change_key(person_id: UUID) -> Key:
    """Return the key that counts a person's changes of e-mail.

    Each change reveals whether another account has the e-mail.
    """
    return _key(CHANGES, f"change:{person_id}")


def factor_key(person_id: UUID) -> Key:
    """Return the key that counts codes for the second factor of one account, from any network address."""
    return _key(FACTOR, f"factor:{person_id}")


def oidc_key(address: str | None) -> Key:
    """Return the key that counts sign-ins at the OpenID provider from one network address."""
    return _key(OIDC, f"oidc:{_place(address)}")


def alert_test_keys(org_id: UUID, email: str | None) -> list[Key]:
    """Return the keys that count tests and manual retries of alerts.

    There is a key of the team, and a key of the mail address if one is given.
    """
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
        The attempts under each key within `WITHIN`, including this one.

    Raises
    ------
    TooMany
        Attempts under one of the keys are blocked; the attempt is then not counted.
    """
    counted = {}
    with gate.transaction(None) as connection:
        # In the same order in all transactions, to avoid deadlocks.
        for key in sorted(keys, key=lambda each: each.digest):
            now_at = store.count(connection, key.digest, now=now, within=WITHIN)
            if now_at.blocked_until is not None and now_at.blocked_until > now:
                raise TooMany(int((now_at.blocked_until - now).total_seconds()) + 1)
            held_back = key.rule.holds_back(now_at.failures)
            if held_back is not None:
                store.hold_back(connection, key.digest, now + held_back)
            counted[key] = now_at.failures
    if 1 in counted.values():
        # An attacker who tries ever new keys must not fill the table.
        with gate.transaction(None) as connection:
            store.purge(connection, now=now, within=WITHIN)
    return tuple(counted[key] for key in keys)


def forgive(gate: Database, keys: Sequence[Key]) -> None:
    """Subtract a successful attempt from the count of each key.

    If the rule of a key forgives, its count is reset instead.
    """
    with gate.transaction(None) as connection:
        for key in sorted(keys, key=lambda each: each.digest):
            if key.rule.forgives:
                store.forget(connection, key.digest)
            else:
                store.take_back(connection, key.digest)


def _key(rule: Rule, text: str) -> Key:
    return Key(rule, hashlib.sha256(text.encode(errors="replace")).digest())


def _place(address: str | None) -> str:
    """Return the network under which attempts from an address are counted.

    For IPv6 it is the /64 network of a customer, who can use any address in it.

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
