"""Fair queueing between teams: which waiting part the workers of a queue take next.

Parts wait in Redis by team; a Celery message is only a wake-up: "a part is waiting". The worker that receives it gets
the oldest part of the team with the fewest parts in progress; of several such teams, of the one that was served longest
ago. A team therefore waits for parts in progress, never behind the backlog of another team. If Redis loses its data,
`stowage.usecases.jobs.tend` enqueues the parts again from their rows.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from uuid import UUID, uuid4

import redis

from stowage.jobs.counters import LEASE_S, NOW_MS, Lease
from stowage.jobs.errors import Unreachable
from stowage.model.job import JobKind

MOST_OF_TEAM: Mapping[str, int] = {"uploads": 1, "quick": 1, "runs": 1, "alerts": 1}
"""Largest number of parts of one team in progress, by queue: for queues whose parts take minutes or whose processes are
few, so that one team never occupies all of them. In other queues a team that is alone may use every process."""

_UNBOUNDED = 1_000_000
_RENEW_EVERY_S = LEASE_S / 3

_ROOT = "stowage:turns:"

# KEYS: teams by the time they were last served, parts of one team by arrival, a counter that orders both.
_PUT = """
local at = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])
return redis.call('ZADD', KEYS[2], 'NX', at, ARGV[2])
"""

# KEYS: teams, counter. ARGV: prefix of parts, prefix of leases, limit of a team, name and duration [ms] of the lease.
_TAKE = f"""
{NOW_MS}
local fewest, chosen = tonumber(ARGV[3]), nil
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('ZCARD', ARGV[1] .. team) == 0 then
        redis.call('ZREM', KEYS[1], team)
    else
        redis.call('ZREMRANGEBYSCORE', ARGV[2] .. team, '-inf', now)
        local in_progress = redis.call('ZCARD', ARGV[2] .. team)
        if in_progress < fewest then fewest, chosen = in_progress, team end
    end
end
if not chosen then return nil end
local part = redis.call('ZPOPMIN', ARGV[1] .. chosen)[1]
redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[2]), chosen)
redis.call('ZADD', ARGV[2] .. chosen, now + ARGV[5], ARGV[4])
redis.call('PEXPIRE', ARGV[2] .. chosen, ARGV[5])
return {{chosen, part}}
"""

# KEYS: teams. ARGV: prefix of parts.
_WAITING = """
local waiting = 0
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    waiting = waiting + redis.call('ZCARD', ARGV[1] .. team)
end
return waiting
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a job that is ready to be worked on.

    Parameters
    ----------
    org_id : UUID
        Team of the job.
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
    """A part that was assigned to a worker.

    Parameters
    ----------
    part : Part
    lease : Lease
        Counts the part as in progress.
    """

    part: Part
    lease: Lease

    @contextmanager
    def held(self) -> Iterator[None]:
        """Count the part as in progress for the duration of the block, or until this process ends."""
        ended = Event()

        def renew() -> None:
            while not ended.wait(_RENEW_EVERY_S):
                self.lease.renew()

        thread = Thread(target=renew, name="lease renewal", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.lease.release()


def put(client: redis.Redis, queue: str, part: Part) -> None:
    """Enqueue a part of a team; a part that is already queued keeps its place."""
    keys = (f"{_ROOT}{queue}", f"{_parts(queue)}{part.org_id}", f"{_ROOT}{queue}:count")
    client.eval(_PUT, len(keys), *keys, str(part.org_id), f"{part.job_id} {part.kind} {part.number}")


def take(client: redis.Redis, queue: str) -> Taken | None:
    """Take the next part; return None if no part waits, or only parts of teams at their limit.

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
    """Return the number of parts of all teams that wait in a queue."""
    return int(client.eval(_WAITING, 1, f"{_ROOT}{queue}", _parts(queue)))


def _parts(queue: str) -> str:
    return f"{_ROOT}{queue}:of:"
