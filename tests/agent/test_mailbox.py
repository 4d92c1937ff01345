"""Files behind presigned URLs: errors are reported without the URL, and requests are retried while time remains."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agent_nodes import PostOffice, post_office
from stowage_worker.agent.imds import Metadata
from stowage_worker.agent.mailbox import GoneWrongError, fetch, put, put_patiently


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A server that gives every client the same answer and closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    sock, _ = listening.accept()
                except OSError:
                    return
                with sock:
                    sock.recv(1 << 16)
                    sock.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/x?X-Amz-Signature=secret"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_file_goes_and_comes() -> None:
    with post_office() as office:
        put(office.url + "/a?X-Amz-Signature=1", b"content")
        assert fetch(office.url + "/a", 100) == b"content"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 307 There\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nx",
        b"nonsense\r\n\r\n",
        b"",
    ],
)
def test_what_goes_wrong_is_said_without_the_address(answer: bytes) -> None:
    with answering(answer) as url, pytest.raises(GoneWrongError) as wrong:
        fetch(url, 100, 5.0)
    assert "secret" not in str(wrong.value)
    assert wrong.value.__cause__ is None


def test_an_unreachable_server_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(GoneWrongError) as wrong:
        put(f"http://127.0.0.1:{port}/x?secret", b"")
    assert "secret" not in str(wrong.value)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def sleep(self, pause_s: float) -> None:
        self.pauses.append(pause_s)
        self.now += pause_s


def patiently(url: Callable[[], str], until: float, clock: Clock) -> bool:
    return put_patiently(url, b"report", until, clock=lambda: clock.now, sleep=clock.sleep)


@pytest.fixture
def office() -> Iterator[PostOffice]:
    with post_office() as found:
        yield found


def test_it_is_tried_again_with_growing_pauses_and_the_newest_address(office: PostOffice) -> None:
    office.refused, clock = 4, Clock()
    addresses = iter([f"{office.url}/reports/{attempt}" for attempt in range(9)])
    assert patiently(lambda: next(addresses), 2000.0, clock)
    assert list(office.files) == ["/reports/4"]
    assert len(clock.pauses) == 4
    for attempt, pause_s in enumerate(clock.pauses):
        assert 0.25 * 2**attempt <= pause_s <= 0.5 * 2**attempt


def test_when_it_is_too_late_nothing_is_begun(office: PostOffice) -> None:
    office.refused, clock = 10**9, Clock()
    assert not patiently(lambda: office.url + "/reports/x", 1100.0, clock)
    assert 1075.0 < clock.now < 1100.0


def test_metadata_is_asked_with_a_token(office: PostOffice) -> None:
    metadata = Metadata(office.url)
    assert metadata.read("instance-id") == "i-00000000000000001"
    assert metadata.read("no-such-thing") is None
    assert not metadata.is_interrupted
    office.is_interrupted = True
    assert metadata.is_interrupted


def test_a_token_that_is_over_is_replaced(office: PostOffice) -> None:
    metadata = Metadata(office.url)
    metadata.read("instance-id")
    metadata._token = "over"  # noqa: SLF001, S105 - no test waits six hours
    assert metadata.read("instance-id") == "i-00000000000000001"


def test_where_there_is_no_metadata_nothing_is_said() -> None:
    with answering(b"nonsense") as url:
        assert Metadata(url.partition("?")[0]).read("instance-id") is None
