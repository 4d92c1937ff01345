"""Listening for changes of a job, without a thread and without a connection to the database."""

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
    """News of one job.

    Not a generator: one that is left between two items is closed by the garbage collector, at some time and in some
    order, and what it holds with it.
    """

    def __init__(self, pubsub: PubSub, name: str) -> None:
        self._pubsub = pubsub
        self._name = name

    async def wait(self, at_most_s: float, apart_s: float) -> None:
        """Return at once the first time, and then whenever the job may have changed.

        What changes after the first return is not missed: it is subscribed by then.

        Parameters
        ----------
        at_most_s : float
            Returns after this long in silence too [s]: a change may have been announced while Redis was away.
        apart_s : float
            Delay after a change, to return once for all changes within it [s].
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
    """Hold a connection to Redis for news of a job until the block is left."""
    client = Redis.from_url(redis_url, socket_connect_timeout=_ANSWER_WITHIN_S)
    pubsub = client.pubsub(ignore_subscribe_messages=True)
    try:
        yield Changes(pubsub, channel(job_id))
    finally:
        await pubsub.aclose()  # type: ignore[no-untyped-call]
        await client.aclose()
