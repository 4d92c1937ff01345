"""Counters in Redis that all processes share: concurrent leases, and rate limits.

The counters restart from zero if Redis loses its data. Limits that must survive such a loss are counted in PostgreSQL.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self
from uuid import uuid4

import redis

from stowage.frozen import frozen
from stowage.platform.jobs.errors import Unreachable

LEASE_S = 30
"""Duration of a lease [s]: it expires if its holder, for example a killed process, does not renew it."""

_PREFIX = "stowage:lease:"
_RATE = "stowage:rate:"

BURST_S = 2
"""Burst that a rate limit admits, in seconds' worth of its rate [s]: people's requests are not evenly spaced."""

NOW_MS = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""
"""Beginning of a script: sets `now` by the clock of Redis [ms]."""

# Redis runs a script atomically: of several processes that take the last lease at once, one gets it.
_RENEW = f"""
{NOW_MS}
for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now + ARGV[2], ARGV[1])
    redis.call('PEXPIRE', key, ARGV[2])
end
return 0
"""

_TAKE = f"""
{NOW_MS}
for i, key in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    if redis.call('ZCARD', key) >= tonumber(ARGV[2 + i]) then return i end
end
{_RENEW}
"""

# Generic cell rate algorithm: each key stores the time at which all requests so far are worked off at the rate [us].
_COUNT = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local burst = ARGV[2] * 1000000
local each = math.min(ARGV[3] * 1000000 / ARGV[1], burst)
local done = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + each
if done - now > burst then return math.ceil(done - now - burst) end
redis.call('SET', KEYS[1], string.format('%.0f', done), 'PX', math.ceil((done - now) / 1000) + 1)
return 0
"""


@contextmanager
def answering() -> Iterator[None]:
    """Raise `Unreachable` if Redis does not answer in the block."""
    try:
        yield
    except redis.RedisError as error:
        raise Unreachable(f"Redis does not answer: {error}") from error


@frozen
class Limit:
    """Limit on the number of concurrent leases under a key."""

    key: str
    most: int


class Full(Exception):
    """The maximum number of leases under a key is reached.

    Parameters
    ----------
    index : int
        Index of the reached limit among those that were requested.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        super().__init__(f"limit {index} is reached")


class Lease:
    """One slot under each of several keys.

    The slots are occupied until the lease is released, or until it was not renewed for `LEASE_S`.

    Parameters
    ----------
    client : Redis
    keys : sequence of str
    name : str
        Name of this lease in the sorted set of each key.
    """

    __slots__ = ("_client", "_keys", "_name")

    def __init__(self, client: redis.Redis, keys: Sequence[str], name: str) -> None:
        self._client = client
        self._keys = [self.key_of(key) for key in keys]
        self._name = name

    @staticmethod
    def key_of(key: str) -> str:
        """Return the Redis key for the leases of a counter."""
        return _PREFIX + key

    @classmethod
    def take(cls, client: redis.Redis, limits: Sequence[Limit]) -> Self:
        """Acquire a lease, which counts against each of several limits.

        Raises
        ------
        Full
            One of the limits is reached; no slot is occupied.
        Unreachable
            Redis does not answer.
        """
        lease = cls(client, [limit.key for limit in limits], uuid4().hex)
        with answering():
            reached = lease._run(_TAKE, *(limit.most for limit in limits))
        if reached:
            raise Full(reached - 1)
        return lease

    def renew(self) -> None:
        """Extend the lease, or restore it after Redis has lost its data.

        Does nothing while Redis is unreachable.
        """
        with suppress(redis.RedisError):
            self._run(_RENEW)

    def release(self) -> None:
        """Release the lease.

        If Redis is unreachable, the lease expires by itself.
        """
        with suppress(redis.RedisError):
            for key in self._keys:
                self._client.zrem(key, self._name)

    def _run(self, script: str, *more: int) -> int:
        arguments: tuple[str | int, ...] = (self._name, LEASE_S * 1000, *more)
        return int(self._client.eval(script, len(self._keys), *self._keys, *arguments))


def held(client: redis.Redis, key: str) -> int:
    """Return the number of active leases under a key.

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    with answering():
        seconds, _ = client.time()
        return int(client.zcount(_PREFIX + key, int(seconds) * 1000, "+inf"))


def wait_for_rate(client: redis.Redis, key: str, per_s: int, weight: int = 1) -> float:
    """Count a request under a key if the rate limit permits it.

    It counts as `weight` requests, but never as more than a whole burst, which would never be admitted.

    Returns
    -------
    float
        0 if the request was counted; else the time until another request is admitted [s].

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    if per_s <= 0:
        return 60.0
    with answering():
        return int(client.eval(_COUNT, 1, _RATE + key, per_s, BURST_S, weight)) / 1e6
