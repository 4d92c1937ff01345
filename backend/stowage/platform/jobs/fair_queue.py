"""Fair queueing between teams: the choice of the job part that a worker processes next.

Redis has the waiting parts of each team. A Celery message is only a wake-up: "a part is waiting". The worker that
receives it gets the oldest part of the team with the fewest parts in progress. If several teams have equally few, the
team that was served longest ago is next. A team therefore waits for parts in progress, never behind the backlog of
another team. If Redis loses its data, `stowage.platform.jobs.jobs.requeue_stale` requeues the parts from their rows.

A processor that computes a sweep answers requests more slowly, even if the sweep has the lowest priority. Therefore, a
team rests after each part if its parts used much processor time recently and other teams send requests.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID, uuid4

import redis

from stowage.frozen import frozen
from stowage.model.job import JobKind
from stowage.platform.jobs.counters import LEASE_S, NOW_MS, Lease, answering
from stowage.platform.jobs.heartbeats import repeating

MOST_OF_TEAM: Mapping[str, int] = {"uploads": 1, "quick": 1, "runs": 1, "alerts": 1}
"""Largest number of parts of one team in progress, by queue: for queues whose parts take minutes or whose processes are
few, so that one team never occupies all of them. In other queues a team that is alone may use every process."""

FREE_CPU_TIME_S = 6.0
"""Recent CPU time of a team's parts (a seventh of a core) up to which it does not rest [s]."""
CPU_TIME_HALF_LIFE_S = 30.0
"""Half-life of CPU time in the count of recent CPU time."""
REST_FACTOR = 4.0
"""Rest after a part, as a multiple of its CPU time, of a team at `FREE_CPU_TIME_S`; beyond, it grows in proportion."""
LONGEST_REST_S = 30.0
AT_WORK_FOR_S = 5.0
"""Time without reports of its requests after which a team no longer counts as at work [s]."""

_UNBOUNDED = 1_000_000
_RENEW_EVERY_S = LEASE_S / 3

_ROOT = "stowage:turns:"
_AT_WORK = "stowage:at-work"
_CPU_TIME = "stowage:cpu-time:"

# KEYS: teams by the time they were last served, parts of one team by arrival, a counter that orders both.
_PUT = """
local at = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])
return redis.call('ZADD', KEYS[2], 'NX', at, ARGV[2])
"""

# KEYS: teams, counter. ARGV: prefix of parts, prefix of leases, limit of a team, name and duration [ms] of the lease,
# prefix of rests.
_TAKE = f"""
{NOW_MS}
local fewest, chosen = tonumber(ARGV[3]), nil
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('ZCARD', ARGV[1] .. team) == 0 then
        redis.call('ZREM', KEYS[1], team)
    elseif redis.call('EXISTS', ARGV[6] .. team) == 0 then
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

# KEYS: teams. ARGV: prefix of parts, prefix of rests.
_WAITING = """
local waiting = 0
for _, team in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('EXISTS', ARGV[2] .. team) == 0 then
        waiting = waiting + redis.call('ZCARD', ARGV[1] .. team)
    end
end
return waiting
"""

# KEYS: teams at work, recent CPU time of the team, its rest. ARGV: team, CPU time [s], half-life [ms], free CPU time,
# factor, longest rest [ms]. Returns the rest [ms].
_END = f"""
{NOW_MS}
local used, at = unpack(redis.call('HMGET', KEYS[2], 'used', 'at'))
used = tonumber(used or 0) * 2 ^ ((tonumber(at or now) - now) / ARGV[3]) + ARGV[2]
redis.call('HSET', KEYS[2], 'used', tostring(used), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[2], 20 * ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local others = redis.call('ZCARD', KEYS[1])
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then others = others - 1 end
local rest = math.floor(math.min(1000 * ARGV[5] * ARGV[2] * used / ARGV[4], ARGV[6]))
if used <= tonumber(ARGV[4]) or others == 0 or rest == 0 then return 0 end
redis.call('SET', KEYS[3], '', 'PX', rest)
return rest
"""

# KEYS: recent CPU time of the team. ARGV: half-life [ms]. Returns the CPU time [s] as text.
_CPU_TIME_NOW = f"""
{NOW_MS}
local used, at = unpack(redis.call('HMGET', KEYS[1], 'used', 'at'))
return tostring(tonumber(used or 0) * 2 ^ ((tonumber(at or now) - now) / ARGV[1]))
"""

# KEYS: teams at work. ARGV: duration [ms], teams.
_NOTE_AT_WORK = f"""
{NOW_MS}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
"""


@frozen
class Part:
    """A job part that a worker can process now."""

    org_id: UUID
    """Team of the job."""
    job_id: UUID
    kind: JobKind
    number: int
    """Number of the part in its job, from 0."""


@frozen
class Taken:
    """A job part that was assigned to a worker."""

    part: Part
    lease: Lease
    """Counts the part as in progress."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Count the job part as in progress until the block or this process ends."""
        try:
            with repeating(self.lease.renew, _RENEW_EVERY_S, "lease renewal"):
                yield
        finally:
            self.lease.release()


def put(client: redis.Redis, queue: str, part: Part) -> None:
    """Enqueue a part of a job.

    A part that is already queued keeps its place.
    """
    keys = (f"{_ROOT}{queue}", f"{_parts(queue)}{part.org_id}", f"{_ROOT}{queue}:count")
    client.eval(_PUT, len(keys), *keys, str(part.org_id), f"{part.job_id} {part.kind} {part.number}")


def take(client: redis.Redis, queue: str) -> Taken | None:
    """Assign the next job part to the caller.

    Returns None if every team with queued parts rests or is at its limit.

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    name = uuid4().hex
    leases = f"turns:{queue}:"
    most = MOST_OF_TEAM.get(queue, _UNBOUNDED)
    keys = (f"{_ROOT}{queue}", f"{_ROOT}{queue}:count")
    arguments = (_parts(queue), Lease.key_of(leases), most, name, LEASE_S * 1000, _rests(queue))
    with answering():
        found = client.eval(_TAKE, len(keys), *keys, *arguments)
    if found is None:
        return None
    team, text = (each.decode() for each in found)
    job_id, kind, number = text.split()
    part = Part(UUID(team), UUID(job_id), kind, int(number))
    return Taken(part, Lease(client, [leases + team], name))


def waiting(client: redis.Redis, queue: str) -> int:
    """Return the number of queued job parts, excluding the parts of teams that rest."""
    return int(client.eval(_WAITING, 1, f"{_ROOT}{queue}", _parts(queue), _rests(queue)))


def end(client: redis.Redis, queue: str, org_id: UUID, cpu_s: float) -> float:
    """Count the CPU time of a finished job part.

    Returns the time that the part's team must wait for its next part [s].
    """
    keys = (_AT_WORK, f"{_CPU_TIME}{org_id}", f"{_rests(queue)}{org_id}")
    limits = (1000 * CPU_TIME_HALF_LIFE_S, FREE_CPU_TIME_S, REST_FACTOR, 1000 * LONGEST_REST_S)
    return int(client.eval(_END, len(keys), *keys, str(org_id), cpu_s, *limits)) / 1000


def cpu_time(client: redis.Redis, org_id: UUID) -> float:
    """Return the recent CPU time of a team's job parts [s], with the half-life `CPU_TIME_HALF_LIFE_S`.

    Raises
    ------
    Unreachable
        Redis does not answer.
    """
    with answering():
        return float(client.eval(_CPU_TIME_NOW, 1, f"{_CPU_TIME}{org_id}", 1000 * CPU_TIME_HALF_LIFE_S))


def rests(client: redis.Redis, queue: str, org_id: UUID) -> bool:
    """Check whether a team rests.

    The queued parts of such a team must wait, because its earlier parts used much CPU time.
    """
    return bool(client.exists(f"{_rests(queue)}{org_id}"))


def note_at_work(client: redis.Redis, teams: Iterable[UUID]) -> None:
    """Record that teams send requests now.

    For `AT_WORK_FOR_S`, other teams must rest after their job parts.
    """
    client.eval(_NOTE_AT_WORK, 1, _AT_WORK, int(1000 * AT_WORK_FOR_S), *map(str, teams))


def _rests(queue: str) -> str:
    return f"{_ROOT}{queue}:rest:"


def _parts(queue: str) -> str:
    return f"{_ROOT}{queue}:of:"
