"""Statements of a node, signed with the key that it got for one run."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any


def envelope(said: dict[str, Any], key: bytes) -> bytes:
    """Sign a message: the text as sent, so that JSON formatting does not matter.

    Parameters
    ----------
    said : dict
        Of JSON's types, numbers finite.
    key : bytes
        The node's.

    Returns
    -------
    bytes
        A JSON object of ``signed``, a text, and ``hmac_sha256`` over its UTF-8, in hexadecimal digits.

    Raises
    ------
    ValueError
        Where a number is not finite: JSON has no word for it.
    """
    text = json.dumps(said, allow_nan=False, separators=(",", ":"))
    return json.dumps({"signed": text, "hmac_sha256": digest(key, text.encode())}).encode()


def digest(key: bytes, *parts: bytes) -> str:
    """Return the HMAC-SHA256 of parts, each behind its length so that no two lists of parts are the same bytes.

    A single part stands for itself: that is what an envelope holds.
    """
    if len(parts) == 1:
        return hmac.new(key, parts[0], hashlib.sha256).hexdigest()
    mac = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        mac.update(len(part).to_bytes(8, "big") + part)
    return mac.hexdigest()


def matches(said: object, meant: str) -> bool:
    """Compare digests in constant time."""
    return isinstance(said, str) and hmac.compare_digest(said.encode(errors="replace"), meant.encode())
