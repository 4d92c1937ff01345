"""Outside services of an instance: its metadata service and the AWS endpoint, and nothing else."""

import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer, StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import ClassVar

from laboratory.namespaces import listening, run

METADATA = "169.254.169.254"
_TOKEN = "X-aws-ec2-metadata-token"  # noqa: S105 - the name of a header
_SECONDS = "X-aws-ec2-metadata-token-ttl-seconds"


class _Metadata(BaseHTTPRequestHandler):
    """IMDSv2 only, as with HttpTokens `required`: without a token the answer is 401."""

    protocol_version = "HTTP/1.1"
    tokens: ClassVar[set[str]]
    told: ClassVar[Callable[[], Mapping[str, str]]]

    def do_PUT(self) -> None:
        seconds = self.headers.get(_SECONDS, "")
        if self.path != "/latest/api/token" or not seconds.isdigit() or not 1 <= int(seconds) <= 21600:
            self._answer(400, "")
            return
        token = secrets.token_urlsafe(24)
        self.tokens.add(token)
        self._answer(200, token)

    def do_GET(self) -> None:
        if self.headers.get(_TOKEN) not in self.tokens:
            self._answer(401, "")
            return
        content = type(self).told().get(self.path.removeprefix("/latest/"))
        self._answer(404 if content is None else 200, content or "")

    def _answer(self, status: int, content: str) -> None:
        body = content.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Forward(StreamRequestHandler):
    """Forwards bytes between a connection of a node and the endpoint outside."""

    target: ClassVar[tuple[str, int]]
    open: ClassVar[Callable[[], bool]]

    def handle(self) -> None:
        if not type(self).open():
            return
        inside: socket.socket = self.request
        with suppress(OSError), socket.create_connection(self.target) as outside:
            back = Thread(target=_carry, args=(outside, inside), daemon=True)
            back.start()
            _carry(inside, outside)
            back.join()


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class _Quiet(ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


class _QuietHttp(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def metadata(namespace: str, told: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    """Serve an instance's metadata at the link-local address of EC2.

    Parameters
    ----------
    namespace : str
    told : callable
        Returns the available values: ``meta-data/instance-id`` -> value.
    """
    handler = type("Metadata", (_Metadata,), {"tokens": set(), "told": staticmethod(told)})
    run("ip", "-n", namespace, "address", "add", f"{METADATA}/32", "dev", "lo")
    server = _QuietHttp((METADATA, 80), handler, bind_and_activate=False)
    with _serving(server, listening(namespace, (METADATA, 80))):
        yield


@contextmanager
def outlet(namespace: str, endpoint: tuple[str, int], is_open: Callable[[], bool]) -> Iterator[None]:
    """Make the endpoint reachable from an instance at its outside address, so that URLs signed outside are valid."""
    handler = type("Forward", (_Forward,), {"target": endpoint, "open": staticmethod(is_open)})
    with _serving(_Quiet(endpoint, handler, bind_and_activate=False), listening(namespace, endpoint)):
        yield


@contextmanager
def _serving(server: _Quiet | _QuietHttp, listener: socket.socket) -> Iterator[None]:
    server.socket.close()
    server.socket = listener
    thread = Thread(target=_serve, args=(server,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _serve(server: BaseServer) -> None:
    server.serve_forever(poll_interval=0.1)
