"""Counters that all processes share, in Redis: leases that are held at the same time, and what comes in a second.

They are lost with Redis, and then begin anew: what must not be exceeded for good is counted in PostgreSQL.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

import redis

from stowage.jobs.errors import Unreachable

LEASE_S = 30
"""A lease whose holder does not renew it ends by itself [s]: its process was killed."""

_PREFIX = "stowage:lease:"
_RATE = "stowage:rate:"

BURST_S = 2
"""So many seconds' worth of a rate may come at once [s]: people do not ask evenly."""

# Redis runs a script as one step: of many who take the last place at once, one gets it. The clock is Redis' own.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i, key in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    if redis.call('ZCARD', key) >= tonumber(ARGV[2 + i]) then return i end
end
for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', key, ARGV[2])
end
return 0
"""

_RENEW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', key, ARGV[2])
end
return 0
"""

# The generic cell rate algorithm: of each key one time, at which all that came is worked off at the rate [us].
_COUNT = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local each, burst = 1000000 / ARGV[1], ARGV[2] * 1000000
local done = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + each
if done - now > burst then return math.ceil(done - now - burst) end
redis.call('SET', KEYS[1], string.format('%.0f', done), 'PX', math.ceil((done - now) / 1000) + 1)
return 0
"""


@dataclass(frozen=True, slots=True)
class Limit:
    """How many leases may be held under a key at the same time.

    Parameters
    ----------
    key : str
    most : int
    """

    key: str
    most: int


class Full(Exception):
    """All leases under a key are held.

    Parameters
    ----------
    index : int
        Of the limit, among those that were asked for.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        super().__init__(f"limit {index} is reached")


class Lease:
    """A place under each of several keys, held until it is released or not renewed for `LEASE_S`.

    Parameters
    ----------
    client : Redis
    keys : sequence of str
    name : str
        By which it was entered under each of them.
    """

    __slots__ = ("_client", "_keys", "_name")

    def __init__(self, client: redis.Redis, keys: Sequence[str], name: str) -> None:
        self._client = client
        self._keys = [self.key_of(key) for key in keys]
        self._name = name

    @staticmethod
    def key_of(key: str) -> str:
        """Return under which key of Redis the leases of a key are."""
        return _PREFIX + key

    @classmethod
    def take(cls, client: redis.Redis, limits: Sequence[Limit]) -> Self:
        """Take a place under each of several limits.

        Raises
        ------
        Full
            One of them is reached; none is held then.
        Unreachable
            Redis does not answer.
        """
        lease = cls(client, [limit.key for limit in limits], uuid4().hex)
        try:
            reached = lease._run(_TAKE, *(limit.most for limit in limits))
        except redis.RedisError as error:
            raise Unreachable(f"Redis does not answer: {error}") from error
        if reached:
            raise Full(reached - 1)
        return lease

    def renew(self) -> None:
        """Hold it for longer, also after Redis has forgotten it; where Redis is away, the next one does."""
        with suppress(redis.RedisError):
            self._run(_RENEW)

    def release(self) -> None:
        """Free the places; where Redis is away, they free themselves."""
        with suppress(redis.RedisError):
            for key in self._keys:
                self._client.zrem(key, self._name)

    def _run(self, script: str, *more: int) -> int:
        arguments: tuple[str | int, ...] = (self._name, LEASE_S * 1000, *more)
        return int(self._client.eval(script, len(self._keys), *self._keys, *arguments))


def held(client: redis.Redis, key: str) -> int:
    """Return how many leases are held under a key.

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    try:
        seconds, _ = client.time()
        return int(client.zcount(_PREFIX + key, int(seconds) * 1000, "+inf"))
    except redis.RedisError as error:
        raise Unreachable(f"Redis does not answer: {error}") from error


def wait_for_rate(client: redis.Redis, key: str, per_s: int) -> float:
    """Count one more under a key, unless that is more than a rate allows.

    Returns
    -------
    float
        0 where it was counted; else after how long the next one would be [s].

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    if per_s <= 0:
        return 60.0
    try:
        return int(client.eval(_COUNT, 1, _RATE + key, per_s, BURST_S)) / 1e6
    except redis.RedisError as error:
        raise Unreachable(f"Redis does not answer: {error}") from error
