"""Bodies that are too large, slow, deep or endless are refused early; endless answers are ended."""

import asyncio
import json
from collections.abc import Callable, Iterable
from itertools import repeat
from threading import Event
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stowage.web.errors import problem_response
from stowage.web.limits import LARGEST_DISCARDED_BYTES, AnswerLimit, BodyLimit
from stowage.web.load_shedding import DELAY_PER_REFUSAL_S
from stowage.workloads.workload_file import LARGEST_FILE_BYTES

SOON_S = 0.05


class Asked:
    """One request to an application, sent in pieces, and the answer to it.

    Parameters
    ----------
    pieces : iterable of bytes
        Pieces of the body.
    headers : dict
    path : str
    ends : bool
        Whether the body ever ends; if not, the application waits for the rest.
    """

    def __init__(
        self,
        pieces: Iterable[bytes],
        headers: dict[str, str] | None = None,
        path: str = "/api/v1/plans",
        *,
        ends: bool = True,
    ) -> None:
        self._pieces = iter(pieces)
        self._ends = ends
        self.read = 0
        self.sent: list[Message] = []
        self.read_before: list[int] = []
        self.scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
            "state": {"request_id": "of-this-test"},
        }

    def of(self, app: ASGIApp) -> "Asked":
        """Send the request to an application."""
        asyncio.run(app(self.scope, self._receive, self._send))  # type: ignore[arg-type]
        return self

    async def _receive(self) -> Message:
        piece = next(self._pieces, None)
        if piece is None:
            if not self._ends:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": b"", "more_body": False}
        self.read += len(piece)
        return {"type": "http.request", "body": piece, "more_body": True}

    async def _send(self, message: Message) -> None:
        self.read_before.append(self.read)
        self.sent.append(message)

    @property
    def status(self) -> int:
        """Status of the answer."""
        return int(self.sent[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer."""
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def problem(self) -> Any:
        """Body of the answer."""
        return json.loads(b"".join(message.get("body", b"") for message in self.sent[1:]))


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await read(scope, receive)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def reads_all(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    await read(scope, receive)
    raise AssertionError("the whole body was read although it is refused")


async def read(scope: Scope, receive: Receive) -> bytes:
    return await Request(scope, receive).body()


async def unreachable(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise AssertionError("asked though the body is refused")


def test_a_body_that_says_itself_that_it_is_too_large_is_refused_at_once_and_then_discarded() -> None:
    asked = Asked([b"x"] * 101, {"Content-Length": "101"}).of(BodyLimit(unreachable, 100))
    assert (asked.status, asked.read_before) == (413, [0, 0, 101])
    assert asked.problem["detail"] == "The body is larger than 100 bytes."
    assert asked.headers["connection"] == "close"


@pytest.mark.parametrize("length", [None, "1", "0", "-5", "nonsense", "1" * 40, "٣"])
def test_one_that_does_not_is_read_up_to_the_limit(length: str | None) -> None:
    headers = {} if length is None else {"Content-Length": length}
    asked = Asked(repeat(b"x" * 64), headers).of(BodyLimit(reads_all, 100))
    assert (asked.status, asked.read_before[:2]) == (413, [128, 128])
    # A body that is declared empty has ended, regardless of the bytes that follow.
    assert asked.read == 128 + (LARGEST_DISCARDED_BYTES if length != "0" else 0)


@pytest.mark.parametrize(("size", "status"), [(0, 200), (99, 200), (100, 200), (101, 413)])
def test_the_limit_is_the_limit(size: int, status: int) -> None:
    asked = Asked([b"x"] * size).of(BodyLimit(echo, 100))
    assert asked.status == status
    if status == 200:
        assert asked.sent[1]["body"] == b"x" * size
        assert "connection" not in asked.headers


@pytest.mark.parametrize(
    ("path", "status"), [("/uploads/big", 200), ("/uploads", 413), ("/uploads/small/x", 413), ("/other", 413)]
)
def test_under_some_addresses_more_is_taken_and_the_longest_that_fits_counts(path: str, status: int) -> None:
    limit = BodyLimit(echo, 10, on={"/uploads/": 1_000, "/uploads/small/": 20})
    assert Asked([b"x" * 100], path=path).of(limit).status == status


@pytest.mark.parametrize(("size", "status"), [(10_000, 200), (20_000, 431)])
def test_a_head_has_a_limit_too(size: int, status: int) -> None:
    assert Asked([b""], {"Cookie": "x" * size}).of(BodyLimit(echo, 100)).status == status


def test_a_response_does_not_wait_for_an_unread_body_which_is_then_discarded() -> None:
    answered_after: list[int] = []

    async def refuses(scope: Scope, receive: Receive, send: Send) -> None:
        answered_after.append(asked.read)
        await problem_response(401, "Sign in first", "You are not signed in.")(scope, receive, send)

    asked = Asked([b"x" * 30] * 3)
    asked.of(BodyLimit(refuses, 100))
    assert (asked.status, answered_after, asked.read) == (401, [0], 90)
    assert asked.headers["connection"] == "close"
    assert [message.get("more_body") for message in asked.sent[1:]] == [True, None]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/api/v1/uploads/1b4e28ba-2fa1-4d2e-883f-0016d3cca427/pieces/0"),
        ("POST", "/api/v1/uploads/1b4e28ba-2fa1-4d2e-883f-0016d3cca427/keep"),
        ("POST", "/api/v1/plans"),
        ("POST", "/api/v1/finished-jobs"),
    ],
)
def test_an_anonymous_request_is_refused_before_a_byte_of_its_body_is_read(
    app: FastAPI, method: str, path: str
) -> None:
    headers = {"Host": "localhost", "Content-Length": "200000", "Content-Type": "application/json"}
    asked = Asked([], headers, path, ends=False)
    asked.scope.update({"method": method, "query_string": b"", "scheme": "http", "server": ("localhost", 80)})
    answered = asyncio.Event()

    async def never() -> Message:
        assert answered.is_set(), "the body was read before the response"
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        asked.sent.append(message)
        answered.set()

    asyncio.run(app(asked.scope, never, send))
    assert asked.status == 401


@pytest.mark.parametrize(("size_bytes", "counts"), [(200_000, False), (2_000_000, True)])
def test_refusals_of_large_anonymous_bodies_are_counted_by_address_and_delayed(
    app: FastAPI, size_bytes: int, *, counts: bool
) -> None:
    address = f"192.0.2.{60 + counts}"
    with TestClient(app, base_url="http://localhost", client=(address, 50_000)) as sender:
        for _ in range(2):
            path = "/api/v1/uploads/1b4e28ba-2fa1-4d2e-883f-0016d3cca427/pieces/0"
            assert sender.put(path, content=bytes(size_bytes)).status_code == 401
    delay_s = app.state.refusals.count(address)
    assert delay_s == pytest.approx(2 * DELAY_PER_REFUSAL_S if counts else 0.0, rel=0.5)


def test_bodies_of_public_routes_are_limited_to_16_kib(anonymous: TestClient) -> None:
    sent = {"email": "unknown@example.org", "password": "x" * 17_000}
    answer = anonymous.post("/api/v1/session", json=sent)
    assert (answer.status_code, answer.json()["detail"]) == (413, "The body is larger than 16,384 bytes.")


def test_a_body_that_drips_is_given_up() -> None:
    asked = Asked([b"x", b"y"], ends=False).of(BodyLimit(reads_all, 100, within_s=SOON_S))
    assert (asked.status, asked.headers["connection"]) == (408, "close")
    assert asked.problem["title"] == "Too slow"


def test_a_client_that_disconnects_in_the_middle_is_not_answered() -> None:
    asked = Asked([])

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    asyncio.run(BodyLimit(reads_all, 100)(asked.scope, gone, asked._send))  # noqa: SLF001
    assert asked.sent == []


def test_an_answer_that_does_not_come_is_given_up_in_words(caplog: pytest.LogCaptureFixture) -> None:
    async def hangs(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        await asyncio.Event().wait()

    asked = Asked([b""]).of(AnswerLimit(hangs, within_s=SOON_S))
    assert asked.status == 503
    assert (asked.problem["title"], asked.problem["reference"]) == ("Took too long", "of-this-test")
    assert "may be changed, or not" in asked.problem["detail"]
    assert "of-this-test" in caplog.text


def test_a_thread_that_hangs_is_not_waited_for() -> None:
    ended = Event()

    async def works(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        await run_in_threadpool(ended.wait, 30)

    async def ask(app: ASGIApp, asked: Asked) -> None:
        await app(asked.scope, asked._receive, asked._send)  # noqa: SLF001
        assert asked.status == 503
        ended.set()

    asyncio.run(ask(AnswerLimit(works, within_s=SOON_S), Asked([b""])))


def test_an_answer_that_has_begun_may_take_as_long_as_it_likes() -> None:
    async def streams(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(3):
            await asyncio.sleep(SOON_S)
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    asked = Asked([b""]).of(AnswerLimit(streams, within_s=SOON_S))
    assert (asked.status, len(asked.sent)) == (200, 5)


def test_a_time_out_of_something_else_is_not_taken_for_ours() -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        raise TimeoutError("of a server beside us")

    with pytest.raises(TimeoutError, match="beside us"):
        Asked([b""]).of(AnswerLimit(fails))


ATTACKS: dict[str, Callable[[], bytes]] = {
    "just too large": lambda: b'"' + b"x" * (LARGEST_FILE_BYTES - 1) + b'"',
    "100 MB": lambda: b"x" * 100_000_000,
    "deep": lambda: b"[" * 200_000,
    "deep in a field": lambda: b'{"email": ' + b'{"a":' * 40_000,
    "many keys": lambda: b"{" + b",".join(b'"%d":0' % number for number in range(20_000)) + b"}",
    "long number": lambda: b'{"email": ' + b"9" * 200_000 + b"}",
}


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
@pytest.mark.parametrize(
    "address", ["/api/v1/session", "/api/v1/plans", "/api/v1/sweeps", "/api/v1/invitations/accept"]
)
def test_no_body_makes_the_service_work_hard(anonymous: TestClient, attack: str, address: str) -> None:
    answer = anonymous.post(address, content=ATTACKS[attack](), headers={"Content-Type": "application/json"})
    assert answer.status_code in {400, 401, 413, 422}, answer.text[:200]
    assert answer.headers["content-type"] == "application/problem+json"
    # One problem for each of very many fields would make the answer larger than the request.
    assert len(answer.content) < 20_000


@pytest.mark.parametrize(("method", "path"), [("PATCH", "account/credentials"), ("POST", "session/proof")])
def test_a_problem_with_a_password_does_not_repeat_it(client: TestClient, method: str, path: str) -> None:
    for wrong in ("s3cret-" * 40, 5318008531800853, ["s3cret-in-a-list"], {"s3cret": "s3cret"}):
        answer = client.request(method, f"/api/v1/{path}", json={"password": wrong})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["path"].startswith("password")
        assert "s3cret" not in answer.text
        assert "53180085" not in answer.text


def test_a_secret_that_cannot_be_one_is_not_repeated(anonymous: TestClient) -> None:
    answer = anonymous.post("/api/v1/session/link", json={"secret": "s3cret with blanks and more of it"})
    assert answer.status_code == 422
    assert "s3cret" not in answer.text


@pytest.mark.parametrize(
    "name", ["schedule", " Schedule ", "STOWAGE  demo", "\uff33\uff54\uff4f\uff57age", "Unknown user"]
)
def test_no_person_may_have_the_name_of_the_service(client: TestClient, name: str) -> None:
    """The name of a job's requester is stored: a person with the schedule's name would delay its next start."""
    answer = client.patch("/api/v1/account", json={"name": name})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "name"
