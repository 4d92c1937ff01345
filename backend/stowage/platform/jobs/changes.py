"""Subscription to the changes of a job, without a thread and without a database connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from redis import RedisError
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from stowage.platform.jobs.queue import channel

_ANSWER_WITHIN_S = 2.0
_AWAY_S = 1.0


class Changes:
    """Subscription to the changes of one job.

    It is not a generator. The garbage collector closes a generator that was abandoned between two items, at an
    arbitrary time, together with the resources that it holds.
    """

    def __init__(self, pubsub: PubSub, name: str) -> None:
        self._pubsub = pubsub
        self._name = name

    async def wait(self, at_most_s: float, apart_s: float) -> None:
        """Wait until the job may have changed.

        The first call subscribes and returns at once. No change after the first call is missed.

        Parameters
        ----------
        at_most_s : float
            Longest wait [s]. A change that was announced while Redis was unreachable is found then.
        apart_s : float
            Delay after a change [s]. Further changes during the delay cause no second return.
        """
        try:
            if not self._pubsub.subscribed:
                await self._pubsub.subscribe(self._name)
            elif await self._pubsub.get_message(timeout=at_most_s) is not None:
                await asyncio.sleep(apart_s)
                while await self._pubsub.get_message(timeout=0) is not None:
                    pass
        except (RedisError, OSError):
            await asyncio.sleep(_AWAY_S)


@asynccontextmanager
async def changes(redis_url: str, job_id: UUID) -> AsyncIterator[Changes]:
    """Yield a subscription to the changes of a job.

    The connection to Redis closes at the end of the block.
    """
    client = Redis.from_url(redis_url, socket_connect_timeout=_ANSWER_WITHIN_S)
    pubsub = client.pubsub(ignore_subscribe_messages=True)
    try:
        yield Changes(pubsub, channel(job_id))
    finally:
        await pubsub.aclose()  # type: ignore[no-untyped-call]
        await client.aclose()
