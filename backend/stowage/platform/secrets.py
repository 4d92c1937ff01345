"""Secrets that let somebody in: made at random, and kept as what cannot be turned back."""

import hashlib
import secrets


def new_secret() -> str:
    """Make a secret of 256 bits, as text for addresses and cookies."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Give what is stored of a secret. It is random and long, so that no salt and no slow hash is needed.

    >>> digest("abc").hex()[:16]
    'ba7816bf8f01cfea'
    """
    return hashlib.sha256(secret.encode()).digest()
