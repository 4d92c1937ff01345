"""Addresses of services: formatting, parsing and comparison."""

from urllib.parse import urlsplit

from stowage.settings import THIS_MACHINE

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - addresses that a user may listen on
_PORTS = {"http": 80, "https": 443}


def address_of(bind: str, port: int) -> str:
    """Return the address at which this machine reaches a local listener.

    >>> address_of("0.0.0.0", 8000), address_of("::1", 8000)
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    host = _EVERYWHERE.get(bind, f"[{bind}]" if ":" in bind else bind)
    return f"http://{host}:{port}"


def sign_in_address(address: str, secret: str) -> str:
    """Return the address that a browser opens to sign in with a one-time secret.

    The secret follows a ``#``, because browsers do not send this part of an address to servers.
    """
    return f"{address}/sign-in#{secret}"


def told_link(link: str) -> str:
    """Return the line that shows a sign-in link to the user."""
    return f"Sign in once with {link}"


def accepted_address(text: str) -> str:
    """Return the address of a service in canonical form.

    Parameters
    ----------
    text : str
        ``https://``, a host and an optional port; ``http://`` only for this machine, to protect the token.

    Raises
    ------
    ValueError
        The address is invalid; the message is for users.

    Examples
    --------
    >>> accepted_address("https://Stowage.example.org:443/")
    'https://stowage.example.org'
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
    except ValueError:  # for example an invalid port
        parts, host, port = urlsplit(""), None, None
    if (
        not host
        or parts.scheme not in _PORTS
        or parts.username
        or parts.path.strip("/")
        or parts.query
        or parts.fragment
    ):
        raise ValueError(f"{text!r} is no address of a service; one looks like https://stowage.example.org")
    if parts.scheme == "http" and host not in THIS_MACHINE:
        raise ValueError(f"{text!r} is not behind TLS: a token sent there could be read on its way; accepted: https://")
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + (f":{port}" if port not in {None, _PORTS[parts.scheme]} else "")


def is_behind_tls(address: str) -> bool:
    """Return whether an address from `accepted_address` uses TLS.

    With TLS, the service must prove its identity.
    """
    return urlsplit(address).scheme == "https"


def port_of(address: str) -> int:
    """Return the port of an address from `accepted_address`.

    >>> port_of("https://stowage.example.org"), port_of("http://127.0.0.1:8000")
    (443, 8000)
    """
    parts = urlsplit(address)
    return parts.port or _PORTS[parts.scheme]


def is_this_machine(address: str) -> bool:
    """Return whether an address from `accepted_address` is an address of this machine."""
    return urlsplit(address).hostname in THIS_MACHINE
