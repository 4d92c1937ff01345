"""Passwords: strength rules, hashing and verification.

Passwords are stored as argon2id hashes with the parameters that OWASP recommends, which take 19 MiB per hash. The
library's default takes 64 MiB on four threads: a few concurrent guesses would exhaust the memory of a small container.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from stowage.platform.errors import BadInput, Problem, TooMany

SHORTEST = 12
LONGEST = 128
_LEAST_SCORE = 3
"""Minimum zxcvbn score (0 to 4): at least 10^8 guesses, `safely unguessable` if each guess is slow."""
_JUDGED = 48
"""Characters that zxcvbn judges: it is slow on long text, and a hard beginning makes the whole text hard to guess."""
_SIGNS = {"@": "2", "(": "9", "!": "1", "$": "4", "%": "5", "+": "=", "<": ",", "|": "\\", "{": "]", "[": "]"}
"""Signs that zxcvbn also reads as letters, with the sign beside them on a keyboard: a row of keys stays a row."""
_MOST_SIGNS = 2
"""Distinct signs that are judged. zxcvbn tries all combinations: all signs take seconds, two take some 0.1 s."""
_MOST_WORDS = 20
_WAIT_S = 10.0

_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_at_once = BoundedSemaphore(2)
_judged_at_once = BoundedSemaphore(1)
_DUMMY = "$argon2id$v=19$m=19456,t=2,p=1$TTNtfO8tuXbPpkMHLQQ2dA$WcnqQliGAfGjFh2jagCXYjmzidOqvwVFh5qP1VuFbq8"
"""Hash of no password, verified if an account has none, so that the response takes as long."""


def hash_password(text: str) -> str:
    """Hash a password for storage.

    Raises
    ------
    TooMany
        Too many passwords are being checked.
    """
    with _turn(_at_once):
        return _hasher.hash(_plain(text))


def verify(hashed: str | None, text: str) -> bool:
    """Check whether a password is correct.

    If the account has no password, returns False after the same time, so that the time reveals nothing.

    Raises
    ------
    TooMany
        Too many passwords are being checked.
    """
    with _turn(_at_once):
        try:
            _hasher.verify(hashed or _DUMMY, _plain(text))
        except (VerificationError, InvalidHashError):
            return False
    return hashed is not None


def is_outdated(hashed: str) -> bool:
    """Check whether a hash was made with parameters other than the current ones."""
    return _hasher.check_needs_rehash(hashed)


def refuse_weak(text: str, about: Sequence[str | None]) -> None:
    """Refuse a password that is short, common, or built from data about its owner.

    Parameters
    ----------
    about : sequence of str or None
        Name, e-mail, team: an attacker's first guesses.

    Raises
    ------
    BadInput
        The password is refused; the message says what would be accepted, and never repeats the password.
    TooMany
        Too many passwords are being judged.
    """
    # Imported here: its word lists take memory and time, and new passwords are rare.
    from zxcvbn import zxcvbn  # noqa: PLC0415 - see above

    plain = _plain(text)
    if not SHORTEST <= len(plain) <= LONGEST:
        given = f"has {len(plain)} characters"
        raise BadInput([Problem("password", f"{given}; {SHORTEST} to {LONGEST} are accepted, a few words for example")])
    words = [part for each in (*about, "stowage") if each for part in (each, *each.replace("@", " ").split())]
    known = [each[:_JUDGED] for each in dict.fromkeys((*words, *map(_joined, words)))][:_MOST_WORDS]
    with _turn(_judged_at_once):
        # Judged with and without separators: zxcvbn counts each space as something to be guessed.
        ways = [zxcvbn(_judgeable(way), user_inputs=known) for way in {plain, _joined(plain) or plain}]
    judged = min(ways, key=lambda way: int(way["guesses"]))
    if judged["score"] < _LEAST_SCORE:
        why = judged["feedback"]["warning"] or "This is easy to guess."
        raise BadInput([Problem("password", f"is easy to guess ({why.rstrip('.')}); accepted: several uncommon words")])


def _judgeable(text: str) -> str:
    """Simplify a password so that zxcvbn judges it quickly.

    The password is shortened. Of the signs that zxcvbn also reads as letters, only a few kinds stay; the others are
    replaced.

    >>> _judgeable("p@$$w0rd"), _judgeable("!@#$%^&*()_+")
    ('p@$$w0rd', '!@#45^&*9)_=')
    """
    judged = text[:_JUDGED]
    spare = list(dict.fromkeys(sign for sign in judged if sign in _SIGNS))[_MOST_SIGNS:]
    return judged.translate({ord(sign): _SIGNS[sign] for sign in spare})


def _joined(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _plain(text: str) -> str:
    """Normalize a password (NFKC), because keyboards may encode the same character differently."""
    return unicodedata.normalize("NFKC", text)


@contextmanager
def _turn(at_once: BoundedSemaphore) -> Iterator[None]:
    # Limits memory to two hashes per process, and CPU time to one judgement. A waiting request holds no connection.
    if not at_once.acquire(timeout=_WAIT_S):
        raise TooMany(1)
    try:
        yield
    finally:
        at_once.release()
