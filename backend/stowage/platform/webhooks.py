"""Checks of webhook URLs, and signatures of the messages that are sent to webhooks.

A webhook must not reach the service's own network (server-side request forgery). Its URL is therefore checked as text
when it is added, and by its resolved IP address whenever a message is sent.
"""

import hashlib
import hmac
import json
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from stowage.frozen import frozen
from stowage.platform.errors import BadInput, Problem

SIGNATURE = "Stowage-Signature"
"""Header: ``t=SECONDS,v1=HEX``, the HMAC-SHA256 of ``SECONDS.BODY`` under the secret of the address."""
DELIVERY = "Stowage-Delivery"
"""Header with the id of a delivery. Retries of an alert repeat it; a retried digest has a new id, since it also lists
newer notifications."""

LONGEST_ADDRESS = 2_000
_PORT = 443
_ACCEPTED = "https://host/path"
_SHOWN = 60
"""Characters of a refused URL that the message repeats."""
_NAT64 = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that end in an embedded IPv4 address (RFC 6052)."""


@frozen
class Webhook:
    """A parsed webhook URL."""

    host: str
    """A name, or an IPv4 or IPv6 address without brackets; ASCII."""
    port: int
    path: str
    """Path of the URL with the query, beginning with a slash."""

    @property
    def authority(self) -> str:
        """Return host and port as written in the ``Host`` header of a request."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORT else f"{host}:{self.port}"


def webhook_of(address: str) -> Webhook:
    """Check and parse the URL of a webhook.

    Raises
    ------
    ValueError
        The URL is not permitted; the message has the reason.

    Examples
    --------
    >>> webhook_of("https://hooks.example.org/T1?a=b")
    Webhook(host='hooks.example.org', port=443, path='/T1?a=b')
    """
    if len(address) > LONGEST_ADDRESS or not address.isascii() or not address.isprintable() or " " in address:
        raise ValueError(f"is no address; accepted: {_ACCEPTED}, up to {LONGEST_ADDRESS:,} ASCII characters")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise ValueError(f"is no address; accepted: {_ACCEPTED}") from None
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme != "https" or not host or "\\" in address:
        raise ValueError(f"is not accepted; accepted: {_ACCEPTED}")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"carries a name or a password; accepted: {_ACCEPTED}")
    if port not in {None, _PORT}:
        raise ValueError(f"names port {port}; accepted: {_PORT}")
    literal = _literal(host)
    if literal is not None and not is_public(literal):
        raise ValueError(f"is not of the public Internet; accepted: {_ACCEPTED} with a public host")
    if literal is None and (host == "localhost" or "." not in host or host.rsplit(".", 1)[1].isdigit()):
        # A numeric last label could be parsed as an IPv4 address: 127.1, 2130706433.
        raise ValueError(f"is not of the public Internet; accepted: {_ACCEPTED} with a public host")
    return Webhook(host, port or _PORT, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def check_address(address: str) -> None:
    """Check the URL of a webhook that a person has entered.

    Raises
    ------
    BadInput
        The URL is not permitted; names the field ``address``, the value and what is accepted.
    """
    try:
        webhook_of(address)
    except ValueError as error:
        shown = address if len(address) <= _SHOWN else f"{address[:_SHOWN]}…"
        raise BadInput([Problem("address", f"{json.dumps(shown, ensure_ascii=True)} {error}")]) from None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an IP address is on the public Internet.

    For an IPv6 address that embeds an IPv4 address, the IPv4 address decides.

    Examples
    --------
    >>> from ipaddress import ip_address
    >>> [is_public(ip_address(text)) for text in ("8.8.8.8", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, False, False, False]
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def signature(secret: bytes, moment_s: int, body: bytes) -> str:
    """Return the value of the header that signs a message to a webhook.

    Parameters
    ----------
    moment_s : int
        Time of sending, in seconds since 1970. It is signed so that receivers can refuse old messages, which an
        attacker may replay.
    """
    signed = hmac.new(secret, f"{moment_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment_s},v1={signed}"


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
