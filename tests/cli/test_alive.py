"""`stowage alive`: the exit status that a container's health check uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from process import free_port, stowage
from stowage.platform.jobs.queue import Queue


def alive(part: str, settings: dict[str, str]) -> tuple[int, str]:
    done = stowage("alive", part, settings=settings)
    return done.returncode, done.stderr


@contextmanager
def answering(status: int, asked: list[str]) -> Iterator[str]:
    """Answer every request with a status, and record the Host name that it used."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.headers['Host']} {self.path}")
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield str(server.server_port)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("status", "expected"), [(200, 0), (503, 1)])
def test_the_api_is_well_when_it_is_ready(status: int, expected: int) -> None:
    with answering(status, []) as port:
        assert alive("api", {"STOWAGE_PORT": port}) == (expected, "")


def test_the_api_is_not_healthy_without_an_answer() -> None:
    assert alive("api", {"STOWAGE_PORT": str(free_port())}) == (1, "")


@pytest.mark.parametrize(
    ("hosts", "name"),
    [
        ("stowage.example.org,127.0.0.1", "stowage.example.org"),
        ("*", "localhost"),
        ("*.example.org", "localhost.example.org"),
    ],
)
def test_it_asks_by_a_name_that_is_answered(hosts: str, name: str) -> None:
    asked: list[str] = []
    with answering(200, asked) as port:
        alive("api", {"STOWAGE_PORT": port, "STOWAGE_HOSTS": hosts})
    assert asked == [f"{name} /api/v1/readiness"]


def test_workers_are_well_when_they_were_seen_lately(redis_url: str, queue: Queue) -> None:
    queue.saw("scheduler")
    assert alive("scheduler", {"REDIS_URL": redis_url}) == (0, "")
    assert alive("quick", {"REDIS_URL": redis_url}) == (1, "")


def test_without_redis_health_is_unknown_and_no_password_is_shown() -> None:
    status, said = alive("sweeps", {"REDIS_URL": "redis://:s3cret@127.0.0.1:1"})
    assert status == 1
    assert said.startswith("stowage: Redis does not answer")
    assert "s3cret" not in said
