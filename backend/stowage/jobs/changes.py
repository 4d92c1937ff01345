"""Listening for changes of a job, without a thread and without a connection to the database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from redis import RedisError
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from stowage.jobs.queue import channel

_ANSWER_WITHIN_S = 2.0
_AWAY_S = 1.0
_APART_S = 0.2
"""News of a job that comes faster than eyes follow is one piece of news."""


@asynccontextmanager
async def changes(redis_url: str, job_id: UUID, *, at_least_every_s: float) -> AsyncIterator[AsyncIterator[None]]:
    """Yield at once, and then whenever a job may have changed, until the block is left.

    What changes after the first yield is not missed: it is subscribed by then.

    Parameters
    ----------
    redis_url : str
    job_id : UUID
    at_least_every_s : float
        Yields after this long in silence too [s]: a change may have been announced while Redis was away.
    """
    client = Redis.from_url(redis_url, socket_connect_timeout=_ANSWER_WITHIN_S)
    pubsub = client.pubsub(ignore_subscribe_messages=True)
    try:
        yield _heard(pubsub, channel(job_id), at_least_every_s)
    finally:
        await pubsub.aclose()  # type: ignore[no-untyped-call]
        await client.aclose()


async def _heard(pubsub: PubSub, name: str, at_least_every_s: float) -> AsyncIterator[None]:
    while True:
        try:
            if not pubsub.subscribed:
                await pubsub.subscribe(name)
            else:
                await _news(pubsub, at_least_every_s)
        except (RedisError, OSError):
            await asyncio.sleep(_AWAY_S)
        yield


async def _news(pubsub: PubSub, timeout_s: float) -> None:
    if await pubsub.get_message(timeout=timeout_s) is None:
        return
    await asyncio.sleep(_APART_S)
    while await pubsub.get_message(timeout=0) is not None:
        pass
