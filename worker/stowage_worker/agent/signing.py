"""Signed messages of a node, with its key for one run."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any


def envelope(said: dict[str, Any], key: bytes) -> bytes:
    """Return a signed message; the signature covers the exact JSON text.

    Parameters
    ----------
    said : dict
        JSON object with finite numbers.
    key : bytes
        Key of the node.

    Returns
    -------
    bytes
        JSON object with ``signed`` (text) and ``hmac_sha256`` of its UTF-8 bytes, in hex.

    Raises
    ------
    ValueError
        A number is not finite, which JSON cannot represent.
    """
    text = json.dumps(said, allow_nan=False, separators=(",", ":"))
    return json.dumps({"signed": text, "hmac_sha256": digest(key, text.encode())}).encode()


def digest(key: bytes, *parts: bytes) -> str:
    """Return the HMAC-SHA256 of one or more byte strings.

    Of several strings, each is prefixed with its length, so that different lists of strings never have the same HMAC
    input. A single string, as in envelopes, has no prefix.
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
