"""Webhook calls over TLS: only to public Internet addresses, without redirects, with a time limit.

The host name is resolved once, and the connection goes to the resolved address. A later DNS change (DNS rebinding) has
no effect.
"""

import http.client
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Thread, Timer

from stowage.platform.outside import WebhookFailed
from stowage.platform.webhooks import Webhook, is_public, webhook_of

WITHIN_S = 10.0
"""Time limit from the first packet to the end of the response headers [s]."""
_STEP_S = 5.0

Resolve = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a name; raises OSError if there is none."""
Connect = Callable[[str, int, float], socket.socket]
"""Connects to an address and port; the last argument is the timeout [s]."""


def resolve(host: str, port: int) -> Sequence[str]:
    """Resolve a host name with the system resolver, and return its addresses."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(address[0]) for *_, address in found]


def connect(address: str, port: int, timeout_s: float) -> socket.socket:
    """Connect to an address."""
    return socket.create_connection((address, port), timeout_s)


class HttpsWebhooks:
    """HTTPS client for webhooks.

    Parameters
    ----------
    resolve : callable
    connect : callable
    context : ssl.SSLContext or None
        TLS settings; None for the system's trusted certificates.
    within_s : float
        Time limit of a delivery [s].
    """

    def __init__(
        self,
        resolve: Resolve = resolve,
        connect: Connect = connect,
        context: ssl.SSLContext | None = None,
        within_s: float = WITHIN_S,
    ) -> None:
        self._resolve = resolve
        self._connect = connect
        self._context = context or ssl.create_default_context()
        self._within_s = within_s

    def send(self, address: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Post a JSON document; see `stowage.platform.outside.Webhooks`."""
        try:
            webhook = webhook_of(address)
        except ValueError as error:
            raise WebhookFailed(f"The address {error}.") from None
        chosen = self._chosen(webhook)
        try:
            line = self._connect(chosen, webhook.port, min(_STEP_S, self._within_s))
        except OSError as error:
            raise WebhookFailed(f"{webhook.host} cannot be reached: {_told(error)}.") from None
        try:
            # The handshake happens later, under the timer.
            closed = self._context.wrap_socket(line, server_hostname=webhook.host, do_handshake_on_connect=False)
        except (OSError, ValueError) as error:
            line.close()
            raise WebhookFailed(f"{webhook.host} gave no answer: {_told(error)}.") from None
        # A slow server could keep each socket operation below its timeout, so a timer limits the total.
        watch = Timer(self._within_s, _hang_up, [closed])
        watch.daemon = True
        watch.start()
        try:
            with closed:
                closed.do_handshake()
                status = _post(closed, webhook, body, headers)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise WebhookFailed(f"{webhook.host} gave no answer: {_told(error)}.") from None
        finally:
            watch.cancel()
        if 300 <= status < 400:
            raise WebhookFailed(f"{webhook.host} answered {status}: redirections are not followed.")
        if not 200 <= status < 300:
            raise WebhookFailed(f"{webhook.host} answered {status}.")

    def _chosen(self, webhook: Webhook) -> str:
        try:
            found = self._resolved(webhook)
        except TimeoutError:
            raise WebhookFailed(f"{webhook.host}: the DNS lookup timed out.") from None
        except (OSError, UnicodeError):
            raise WebhookFailed(f"{webhook.host} has no address.") from None
        if not found:
            raise WebhookFailed(f"{webhook.host} has no address.")
        # Every address must be public: a name with a public and a private address is refused.
        if not all(is_public(ip_address(each.partition("%")[0])) for each in found):
            raise WebhookFailed(f"{webhook.host} is not of the public Internet.")
        return found[0]

    def _resolved(self, webhook: Webhook) -> Sequence[str]:
        """Resolve a name with a time limit: the system resolver waits longer than a delivery may take."""
        answers: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()

        def look_up() -> None:
            try:
                answers.put(self._resolve(webhook.host, webhook.port))
            except (OSError, UnicodeError) as error:
                answers.put(error)

        Thread(target=look_up, name="look-up", daemon=True).start()
        try:
            answer = answers.get(timeout=min(_STEP_S, self._within_s))
        except Empty:
            raise TimeoutError from None
        if isinstance(answer, Exception):
            raise answer
        return answer


def _post(closed: ssl.SSLSocket, webhook: Webhook, body: bytes, headers: Mapping[str, str]) -> int:
    connection = http.client.HTTPConnection(webhook.host, webhook.port)
    # Already connected: no further lookup or connection.
    connection.sock = closed
    connection.putrequest("POST", webhook.path, skip_host=True, skip_accept_encoding=True)
    about = {"Host": webhook.authority, "User-Agent": "Stowage", "Content-Type": "application/json"}
    about |= {"Content-Length": str(len(body)), "Connection": "close", **headers}
    for name, value in about.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    # The headers only: the body does not matter.
    return connection.getresponse().status


def _hang_up(line: ssl.SSLSocket) -> None:
    try:
        # Without a TLS shutdown, which a receiver that does not read would block.
        socket.socket.shutdown(line, socket.SHUT_RDWR)
    except OSError:
        return


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not believed ({error.verify_message})"
    return error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
