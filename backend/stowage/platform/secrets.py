"""Random secrets, and the hashes under which they are stored."""

import hashlib
import secrets


def new_secret() -> str:
    """Return a random secret of 256 bits, as text for addresses and cookies."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return the hash of a secret for storage.

    The secret is random and long, so no salt and no slow hash is needed.

    >>> digest("abc").hex()[:16]
    'ba7816bf8f01cfea'
    """
    return hashlib.sha256(secret.encode()).digest()
