"""Keys that encrypt secrets at rest.

The keys are stored in the environment or a file, never in the database.

Secrets that are only compared (passwords, sessions, tokens, links, recovery codes) are stored as hashes. Secrets that
the service must read again (the signing secret of a webhook, the key of a run, the secret of a second factor) are
stored encrypted: AES-128 in CBC mode, authenticated by HMAC-SHA256.

**Source** Fernet specification, https://github.com/fernet/spec, version 0x80; `cryptography.fernet`.
"""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from stowage.platform.database.errors import WrongKey


class Keyring:
    """A set of keys that encrypts and decrypts secrets.

    Parameters
    ----------
    keys : sequence of str
        Keys of 32 bytes in URL-safe base64. The first key encrypts; all keys decrypt, so that keys can be rotated.

    Raises
    ------
    ValueError
        There is no key, or one is invalid.
    """

    __slots__ = ("_all", "_first")

    def __init__(self, keys: Sequence[str]) -> None:
        known = [Fernet(key) for key in keys]
        if not known:
            raise ValueError("no key was given")
        self._first, self._all = known[0], MultiFernet(known)

    def seal(self, plain: bytes) -> bytes:
        """Encrypt a secret with the first key."""
        return self._first.encrypt(plain)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt a secret.

        Raises
        ------
        WrongKey
            The secret was encrypted with an unknown key, or the bytes are no encrypted secret.
        """
        try:
            return self._all.decrypt(sealed)
        except InvalidToken:
            raise WrongKey(
                "a stored secret was encrypted with a key that is not given: add that key to STOWAGE_SECRETS_KEY after "
                "the first"
            ) from None

    def is_current(self, sealed: bytes) -> bool:
        """Check whether a secret is encrypted with the first key."""
        try:
            self._first.decrypt(sealed)
        except InvalidToken:
            return False
        return True


def new_key() -> str:
    """Return a new random key."""
    return Fernet.generate_key().decode()
