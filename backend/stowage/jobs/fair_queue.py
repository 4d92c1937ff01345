"""Turns between teams: of all parts that wait for the workers of a queue, whose is next.

Parts wait in Redis by team, and what Celery carries are wakes: "there is something to do". A worker that takes one up
gets the oldest part of the team that has the fewest under way; of several such teams, of the one that was served
longest ago. So a team waits for the parts that are under way, never for all that another has queued. Redis may forget
all of it: the rows know what is owed, and it is put in again (`stowage.usecases.jobs.tend`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from uuid import UUID, uuid4

import redis

from stowage.jobs.counters import LEASE_S, Lease
from stowage.jobs.errors import Unreachable
from stowage.model.job import JobKind

MOST_OF_TEAM: Mapping[str, int] = {"uploads": 1, "quick": 1, "runs": 1, "alerts": 1}
"""Parts of one team that are under way at once, by queue, where a part may take minutes or few processes take them: one
team never holds all of these. Elsewhere a team alone may have every process."""

_UNBOUNDED = 1_000_000
_RENEW_EVERY_S = LEASE_S / 3

_ROOT = "stowage:turns:"

# KEYS: the teams by when they were served, the parts of one team by when they came, a counter for both.
_PUT = """
local at = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])
return redis.call('ZADD', KEYS[2], 'NX', at, ARGV[2])
"""

# KEYS: the teams, the counter. ARGV: prefixes of parts and leases, most of a team, name and time [ms] of the lease.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fewest, chosen = tonumber(ARGV[3]), nil
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('ZCARD', ARGV[1] .. team) == 0 then
        redis.call('ZREM', KEYS[1], team)
    else
        redis.call('ZREMRANGEBYSCORE', ARGV[2] .. team, '-inf', now)
        local under_way = redis.call('ZCARD', ARGV[2] .. team)
        if under_way < fewest then fewest, chosen = under_way, team end
    end
end
if not chosen then return nil end
local part = redis.call('ZPOPMIN', ARGV[1] .. chosen)[1]
redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), chosen)
redis.call('ZADD', ARGV[2] .. chosen, now + ARGV[5], ARGV[4])
redis.call('PEXPIRE', ARGV[2] .. chosen, ARGV[5])
return {chosen, part}
"""

# KEYS: the teams. ARGV: prefix of parts.
_WAITING = """
local waiting = 0
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    waiting = waiting + redis.call('ZCARD', ARGV[1] .. team)
end
return waiting
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a job that may be worked on.

    Parameters
    ----------
    org_id : UUID
        Whose job it is.
    job_id : UUID
    kind : {'sweep', 'demo', 'refresh'}
    number : int
        From 0.
    """

    org_id: UUID
    job_id: UUID
    kind: JobKind
    number: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A part that a worker was given.

    Parameters
    ----------
    part : Part
    lease : Lease
        By which it counts as under way.
    """

    part: Part
    lease: Lease

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the part count as under way until the block is left, or this process ends."""
        ended = Event()

        def renew() -> None:
            while not ended.wait(_RENEW_EVERY_S):
                self.lease.renew()

        thread = Thread(target=renew, name="turn", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.lease.release()


def put(client: redis.Redis, queue: str, part: Part) -> None:
    """Have a part wait for its team's turn; one that waits already stays in its place."""
    keys = (f"{_ROOT}{queue}", f"{_parts(queue)}{part.org_id}", f"{_ROOT}{queue}:count")
    client.eval(_PUT, len(keys), *keys, str(part.org_id), f"{part.job_id} {part.kind} {part.number}")


def take(client: redis.Redis, queue: str) -> Taken | None:
    """Take the next part; None where none waits, or only parts of teams that have as many under way as they may.

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    name = uuid4().hex
    leases = f"turns:{queue}:"
    most = MOST_OF_TEAM.get(queue, _UNBOUNDED)
    keys = (f"{_ROOT}{queue}", f"{_ROOT}{queue}:count")
    try:
        found = client.eval(_TAKE, len(keys), *keys, _parts(queue), Lease.key_of(leases), most, name, LEASE_S * 1000)
    except redis.RedisError as error:
        raise Unreachable(f"Redis does not answer: {error}") from error
    if found is None:
        return None
    team, text = (each.decode() for each in found)
    job_id, kind, number = text.split()
    part = Part(UUID(team), UUID(job_id), kind, int(number))
    return Taken(part, Lease(client, [leases + team], name))


def waiting(client: redis.Redis, queue: str) -> int:
    """Return how many parts wait for the workers of a queue, of all teams."""
    return int(client.eval(_WAITING, 1, f"{_ROOT}{queue}", _parts(queue)))


def _parts(queue: str) -> str:
    return f"{_ROOT}{queue}:of:"
