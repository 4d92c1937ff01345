"""Mailbox of a node: files in S3 that it reads and writes by presigned URLs, without incoming connections."""

from __future__ import annotations

import http.client
import random
import time
import urllib.error
import urllib.request
from typing import Callable

_TIMEOUT_S = 10.0
_LONGEST_PAUSE_S = 20.0


class GoneWrongError(Exception):
    """A file could not be read or written; the message leaves out the URL, which contains a signature."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because a presigned URL is valid for one place only."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects())


def fetch(url: str, most_bytes: int, timeout_s: float = _TIMEOUT_S) -> bytes:
    """Return the content of the file at a presigned URL.

    Raises
    ------
    GoneWrongError
    """
    return _ask(urllib.request.Request(url), most_bytes, timeout_s)  # noqa: S310 - orders allow http and https alone


def put(url: str, content: bytes, timeout_s: float = _TIMEOUT_S) -> None:
    """Write a file to a presigned URL.

    Raises
    ------
    GoneWrongError
    """
    headers = {"Content-Type": "application/json"}  # urllib's default is the type of a form
    request = urllib.request.Request(url, content, headers, method="PUT")  # noqa: S310 - as above
    _ask(request, 1 << 16, timeout_s)


def put_patiently(
    url: Callable[[], str],
    content: bytes,
    until: float,
    *,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Write a file, retrying with growing pauses until it succeeds or the time is over.

    Parameters
    ----------
    url : callable
        Returns the newest URL: signatures expire, and new orders contain new URLs.
    content : bytes
    until : float
        Unix time after which no attempt begins.
    clock, sleep : callable

    Returns
    -------
    bool
        Whether the file was written.
    """
    pause_s = 0.5
    while True:
        try:
            put(url(), content)
        except GoneWrongError:  # noqa: PERF203 - what it waits for is a network
            # Random jitter, so that nodes that lost the same server do not all retry at the same time.
            wait_s = pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            if clock() + wait_s >= until:
                return False
            sleep(wait_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
        else:
            return True


def _ask(request: urllib.request.Request, most_bytes: int, timeout_s: float) -> bytes:
    try:
        with _OPENER.open(request, timeout=timeout_s) as answer:
            content: bytes = answer.read(most_bytes + 1)
            promised = answer.headers.get("Content-Length", "")
    except urllib.error.HTTPError as refused:
        refused.close()
        raise GoneWrongError(f"{request.get_method()} was answered with {refused.code}") from None
    except (OSError, ValueError, http.client.HTTPException) as wrong:
        reason = wrong.reason if isinstance(wrong, urllib.error.URLError) else wrong
        raise GoneWrongError(f"{request.get_method()} found no answer: {type(reason).__name__}") from None
    if len(content) > most_bytes:
        raise GoneWrongError(f"the answer has more than {most_bytes} bytes")
    if promised.isdecimal() and len(content) < int(promised):
        raise GoneWrongError("the answer broke off")
    return content
