"""A webhook server with TLS on this machine; senders reach it under a name of the public Internet."""

import contextlib
import hashlib
import hmac
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from stowage_worker.webhooks import HttpsWebhooks

HOST = "hooks.example.org"
PUBLIC = "93.184.215.14"
"""Address that its name resolves to."""
_OPENSSL = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A request that the server received."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    def is_signed_with(self, secret: str, at_s: float | None = None) -> bool:
        """Return whether the signature holds under a secret, checked as a receiver does.

        Parameters
        ----------
        secret : str
        at_s : float or None
            Time of the signature [s]; None for any.
        """
        moment, signed = (part.partition("=")[2] for part in self.headers["Stowage-Signature"].split(","))
        mac = hmac.new(secret.encode(), f"{moment}.".encode() + self.body, hashlib.sha256)
        return hmac.compare_digest(signed, mac.hexdigest()) and at_s in {None, float(moment)}


@dataclass(slots=True)
class Receiver:
    """The server, and its configured answers."""

    port: int
    believed: ssl.SSLContext
    """Client context that trusts its certificate."""
    leads_to: int | None = None
    """Actual destination of connections."""
    status: int = 204
    location: str | None = None
    answer: Callable[[BaseHTTPRequestHandler], None] | None = None
    taken: list[Taken] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)

    def forget(self) -> None:
        """Forget received requests and configured answers."""
        self.leads_to, self.status, self.location, self.answer = None, 204, None, None
        for seen in (self.taken, self.resolved, self.connected):
            seen.clear()

    def sender(
        self, addresses: Sequence[str] = (PUBLIC,), context: ssl.SSLContext | None = None, within_s: float = 5.0
    ) -> HttpsWebhooks:
        """Return a webhook sender for which names resolve to given addresses, and all addresses are this server."""

        def resolve(host: str, _port: int) -> Sequence[str]:
            self.resolved.append(host)
            return addresses

        def connect(address: str, port: int, timeout_s: float) -> socket.socket:
            self.connected.append((address, port))
            return socket.create_connection(("127.0.0.1", self.leads_to or self.port), timeout_s)

        return HttpsWebhooks(resolve, connect, context or self.believed, within_s)


@contextmanager
def receiving(folder: Path) -> Iterator[Receiver]:
    """Run the server, with a certificate of its own."""
    key, written = folder / "key.pem", folder / "certificate.pem"
    named = ["-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run([*_OPENSSL, *named, "-keyout", key, "-out", written], check=True, capture_output=True)
    receiver = Receiver(0, ssl.create_default_context(cafile=written))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.taken.append(Taken(self.path, dict(self.headers), body))
            if receiver.answer is not None:
                receiver.answer(self)
                return
            self.send_response(receiver.status)
            if receiver.location is not None:
                self.send_header("Location", receiver.location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore clients that disconnect; some tests do that."""

    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(written, key)
    with Server(("127.0.0.1", 0), Handler) as server:
        # The handshake runs in the thread of the request, so that a client without a handshake blocks no other.
        server.socket = served.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            with contextlib.suppress(RuntimeError):
                thread.join(5.0)
