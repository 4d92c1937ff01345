"""Throttling of guesses: attempts are counted in the database before anything is checked.

Counting comes first, in a transaction of its own, so that each of many concurrent guesses gets its own number. Attempts
on unknown accounts are counted like those on existing ones: a difference would reveal which accounts exist.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from stowage.frozen import frozen
from stowage.platform import throttle_store as store
from stowage.platform.database.database import Database
from stowage.platform.errors import TooMany

WITHIN = timedelta(hours=1)
"""Period in which attempts are counted."""
LONGEST = timedelta(minutes=15)
"""Longest time for which attempts are blocked."""


@frozen
class Rule:
    """Limit on the attempts of one kind."""

    name: str
    """Kind of the attempts."""
    free: int
    """Attempts within `WITHIN` before throttling starts."""
    first: timedelta = LONGEST
    """First blocking time; each further attempt doubles it, up to `LONGEST`."""
    forgives: bool = False
    """Whether a successful attempt resets the count to zero. Otherwise, the attempt is subtracted from the count."""

    def holds_back(self, failures: int) -> timedelta | None:
        """Return the blocking time after a number of attempts.

        Returns None if further attempts are not blocked.
        """
        if failures < self.free:
            return None
        doubled: int = 2 ** min(failures - self.free, 20)
        return min(self.first * doubled, LONGEST)

    def key(self, of: str | UUID) -> "Key":
        """Return the key that counts attempts at one account, link or mail address, or of one person or team."""
        return Key(self, hashlib.sha256(f"{self.name}:{of}".encode(errors="replace")).digest())

    def at(self, address: str | None) -> "Key":
        """Return the key that counts attempts from one network address."""
        return self.key(_place(address))


ACCOUNT = Rule("account", free=5, first=timedelta(seconds=1), forgives=True)
"""Guesses at one account, by its e-mail, from any network address."""
ADDRESS = Rule("address", free=50)
"""Password guesses from one network address, at any account."""
SECRET = Rule("secret", free=50)
"""Guesses at one-time links, invitations and share links, from one network address."""
LINK = Rule("link", free=5, first=timedelta(seconds=1), forgives=True)
"""Guesses at the password of one share link, from any network address."""
MAIL = Rule("mail", free=3)
"""Requests of owners for mails to one address."""
ASKED = Rule("asked", free=3)
"""Requests of other callers for mails to one address."""
ASKING = Rule("asking", free=50)
"""Requests for mails from one network address."""
CHANGES = Rule("change", free=5)
"""A person's changes of e-mail, each of which reveals whether another account has the e-mail."""
OIDC = Rule("oidc", free=300)
"""Sign-ins at the OpenID provider from one network address."""
FACTOR = Rule("factor", free=5, first=timedelta(seconds=1), forgives=True)
"""Codes for the second factor of one account, from any network address."""
ALERT_TESTS = Rule("alert test", free=10)
"""Tests and manual retries of one team's alerts; tests of one person's webhook."""
ALERT_MAIL = Rule("alert mail", free=3)
"""The same for one mail address."""


@frozen
class Key:
    """A key under which attempts are counted, with the limit on them."""

    rule: Rule
    digest: bytes


def address_key(address: str | None) -> Key:
    """Return the key that counts password guesses from one network address.

    On the machine of the service, all people have the same address: one program could block them all. Therefore, the
    limit is practically infinite there.
    """
    here = _place(address) in {"127.0.0.1", "::/64"}
    return (replace(ADDRESS, free=1_000_000) if here else ADDRESS).at(address)


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
