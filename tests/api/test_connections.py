"""Connections belong to the process that accepted them: an overloaded process closes its connections."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from stowage.api.in_progress import InProgress
from stowage.api.requests import Requests


async def answers(count: int, *, elsewhere: int, fails: bool = False, long_s: float = 0.0) -> list[str | None]:
    """Send several requests at once; return for each answer, in order, whether its connection stays open.

    ``elsewhere`` is how many requests another process has in progress.
    """
    in_progress = InProgress(2)
    in_progress.serve_as(2)
    in_progress.note(elsewhere)
    in_progress.serve_as(1)
    all_asked, unanswered, found = asyncio.Event(), count, list[str | None]()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        nonlocal unanswered
        unanswered -= 1
        if unanswered == 0:
            all_asked.set()
        await all_asked.wait()
        if fails:
            raise RuntimeError("our fault")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.append(dict(message["headers"]).get(b"connection", b"").decode() or None)

    async def receive() -> Message:
        return {"type": "http.request"}

    requests = Requests(app, in_progress=in_progress, long_s=long_s)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    await asyncio.gather(*(requests({**scope}, receive, send) for _ in range(count)))
    # Completed requests no longer count.
    all_asked.set()
    unanswered = 1
    await requests({**scope}, receive, send)
    return found


@pytest.mark.parametrize("fails", [False, True])
def test_of_several_at_once_all_but_the_last_end_their_connections(*, fails: bool) -> None:
    assert asyncio.run(answers(3, elsewhere=0, fails=fails)) == ["close", "close", None, None]


def test_short_requests_at_once_keep_their_connections() -> None:
    assert asyncio.run(answers(3, elsewhere=0, long_s=60.0)) == [None] * 4


def test_only_a_connection_that_another_process_serves_sooner_ends() -> None:
    assert asyncio.run(answers(3, elsewhere=1)) == ["close", None, None, None]
    assert asyncio.run(answers(3, elsewhere=2)) == [None] * 4


def test_a_client_that_disconnects_while_sending_the_body_causes_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, _send: Send) -> None:
        await Request(scope, receive).body()

    async def leave() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    asyncio.run(Requests(app, in_progress=InProgress(1))(scope, leave, send))
    assert sent == []
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
