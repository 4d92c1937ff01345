"""Slow and endless request headers (slowloris): connections that never complete a request are closed."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from stowage.cli.server import connections
from stowage.cli.server.connections import Connection

HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n"
LARGEST = 16_384


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.AbstractEventLoop]:
    monkeypatch.setattr(connections, "HEAD_WITHIN_S", 1.0)
    with closing(asyncio.new_event_loop()) as loop:
        yield loop


async def empty(_scope: Any, _receive: Any, send: Any) -> None:
    """Answer with an empty body."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def answered(*pieces: bytes, pause_s: float = 0.0) -> bytes:
    """Send data piece by piece, and read until the other side has closed the connection."""
    config = uvicorn.Config(empty, h11_max_incomplete_event_size=LARGEST, log_config=None, timeout_keep_alive=1)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(config, state, {}), "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        reading = asyncio.ensure_future(reader.read())
        for piece in pieces:
            if not reading.done():
                writer.write(piece)
                await asyncio.wait([reading], timeout=pause_s)
        said = await asyncio.wait_for(reading, 30)
        writer.close()
    return said


def test_a_request_is_answered(loop: asyncio.AbstractEventLoop) -> None:
    assert loop.run_until_complete(answered(HEALTH, b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.1 200 ")


def test_a_second_request_on_the_same_connection_is_answered(loop: asyncio.AbstractEventLoop) -> None:
    said = loop.run_until_complete(answered(HEALTH + b"\r\n", HEALTH, b"Connection: close\r\n\r\n", pause_s=0.05))
    assert said.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize("long", [b"X-Long: " + b"a" * 20_000, b"X-Many: a\r\n" * 2_000])
def test_a_head_without_end_is_refused(loop: asyncio.AbstractEventLoop, long: bytes) -> None:
    assert loop.run_until_complete(answered(HEALTH + long)).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("pieces", [(), (HEALTH,), (HEALTH + b"\r\n", HEALTH)])
def test_who_does_not_come_to_an_end_is_let_go(loop: asyncio.AbstractEventLoop, pieces: tuple[bytes, ...]) -> None:
    said = loop.run_until_complete(answered(*pieces))
    assert said.count(b"HTTP/1.1 200 ") == max(0, len(pieces) - 1)


def test_drop_by_drop_wins_no_time(loop: asyncio.AbstractEventLoop) -> None:
    drops = [HEALTH, *[b"X: %d\r\n" % number for number in range(20)], b"Connection: close\r\n\r\n"]
    assert loop.run_until_complete(answered(*drops, pause_s=0.1)) == b""


def test_the_soft_limit_on_files_does_not_keep_connections_out() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
    try:
        most = connections.most_connections()
        assert most == connections.MOST
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
