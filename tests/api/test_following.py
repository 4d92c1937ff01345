"""Event streams as the server sends them, and readers that disconnect at a bad moment."""

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field
from redis import Redis
from sqlalchemy import update

from stowage.api.app import create_app
from stowage.platform.database.database import Database
from stowage.platform.database.tables import job
from stowage.platform.jobs.counters import Limit
from stowage.platform.jobs.queue import Queue, channel
from stowage.web import following
from stowage.web.services import Services
from walk import BODIES

CHANGES = 12
"""More events than may be buffered between their producer and a blocked socket."""

Message = MutableMapping[str, Any]


class Renamed(BaseModel):
    time_s: float = Field(alias="time")


@dataclass
class State:
    progress: float
    rest: Renamed


@pytest.fixture
def job_id(client: TestClient) -> UUID:
    """Return a job that no worker runs."""
    return UUID(client.post("/api/v1/sweeps", json=BODIES["start_sweep"]).json()["job"]["id"])


async def follow(
    client: TestClient,
    services: Services,
    job_id: UUID,
    leave: asyncio.Event,
    taken: Callable[[bytes], Awaitable[None]],
    status: int = 200,
) -> None:
    """Read the events of a job as a server passes them to a socket, until its reader disconnects."""
    request = client.build_request("GET", f"/api/v1/jobs/{job_id}/events")
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "server": ("localhost", 80),
        "path": request.url.path,
        "query_string": b"",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
    }

    body = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        for message in body:
            return message
        await leave.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == status
        else:
            await taken(message["body"])

    await create_app(services, page=None)(scope, receive, send)


def test_a_reader_that_stopped_reading_and_left_leaves_nothing_open(
    client: TestClient,
    services: Services,
    database: Database,
    queue: Queue,
    org_id: UUID,
    job_id: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.01)
    told: list[str] = []

    def change(done: int) -> None:
        with database.transaction(org_id) as connection:
            connection.execute(update(job).where(job.c.id == job_id).values(done=done))

    async def reading() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context)))
        begun, leave = asyncio.Event(), asyncio.Event()

        async def stop_reading(_: bytes) -> None:
            begun.set()
            await asyncio.Event().wait()

        stream = asyncio.create_task(follow(client, services, job_id, leave, stop_reading))
        await asyncio.wait_for(begun.wait(), 20)
        for number in range(CHANGES):
            await asyncio.to_thread(change, 1 - number % 2)
            await asyncio.sleep(0.05)
        leave.set()
        await asyncio.wait_for(stream, 20)
        with Redis.from_url(queue.url) as redis:
            assert redis.pubsub_numsub(channel(job_id))[0][1] == 0

    # Generators that only the garbage collector would close are still open.
    gc.disable()
    try:
        asyncio.run(reading())
    finally:
        gc.enable()
    assert told == []


def test_a_stream_on_which_nothing_happens_says_that_it_is_alive(
    client: TestClient, services: Services, job_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(following, "_PING_EVERY_S", 0.05)
    sent: list[bytes] = []

    async def reading() -> None:
        leave = asyncio.Event()

        async def read(piece: bytes) -> None:
            sent.append(piece)
            if len(sent) == 3:
                leave.set()

        await asyncio.wait_for(follow(client, services, job_id, leave, read), 20)

    asyncio.run(reading())
    assert sent[0].startswith(b"event: job\ndata: {")
    assert sent[0].endswith(b"\n\n")
    assert sent[1:3] == [b": ping\n\n", b": ping\n\n"]


def test_a_person_at_the_limit_of_streams_can_open_one_when_another_is_closed(
    client: TestClient, services: Services, job_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.05)
    refused: list[bytes] = []

    async def reading() -> None:
        leaves = [asyncio.Event() for _ in range(12)]
        streams = [await open_stream(leave) for leave in leaves]

        async def read(piece: bytes) -> None:
            refused.append(piece)

        await asyncio.wait_for(follow(client, services, job_id, asyncio.Event(), read, status=429), 20)
        leaves[0].set()
        await asyncio.wait_for(streams[0], 20)
        leaves[0] = asyncio.Event()
        streams[0] = await open_stream(leaves[0])
        for leave in leaves:
            leave.set()
        await asyncio.wait_for(asyncio.gather(*streams), 20)

    async def open_stream(leave: asyncio.Event) -> asyncio.Task[None]:
        begun = asyncio.Event()

        async def read(_: bytes) -> None:
            begun.set()

        stream = asyncio.create_task(follow(client, services, job_id, leave, read))
        await asyncio.wait_for(begun.wait(), 20)
        return stream

    asyncio.run(reading())
    problem = json.loads(b"".join(refused))
    assert problem["type"] == "urn:stowage:problem:quota"
    assert (problem["quota"]["name"], problem["quota"]["limit"]) == ("streams-per-person", 12)
    assert "There is room again when" in problem["detail"]


def test_streams_of_all_members_count_against_the_teams_quota(
    client: TestClient, queue: Queue, org_id: UUID, job_id: UUID
) -> None:
    others = [queue.lease([Limit(f"streams:team:{org_id}", 60)]) for _ in range(60)]
    answer = client.get(f"/api/v1/jobs/{job_id}/events")
    assert (answer.status_code, answer.json()["quota"]["name"]) == (429, "streams")
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    for other in others:
        other.release()
    assert client.post(f"/api/v1/jobs/{job_id}/cancel").status_code == 200
    assert client.get(f"/api/v1/jobs/{job_id}/events").status_code == 200


def test_many_streams_of_a_team_read_no_more_often_than_a_few() -> None:
    assert following.apart_s(1) == 0.2
    for streams in (1, 2, 6, 60):
        assert streams / following.apart_s(streams) <= 5.0


def test_an_event_has_the_names_of_fields_and_null_for_nan() -> None:
    event = following.encoded("job", State(float("nan"), Renamed(time=1.0)))
    [data] = [line for line in event.decode().splitlines() if line.startswith("data: ")]
    assert data == 'data: {"progress":null,"rest":{"time_s":1.0}}'
