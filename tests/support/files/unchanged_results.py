"""Digests of what the readers find in every example and in damaged copies of it, to compare versions of the readers.

`python tests/support/files/unchanged_results.py` writes `tests/measure/unchanged_results.txt`: only after a change that
is meant to change results. The first version of that file is from the readers before decision 0085.
"""

import hashlib
import random
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from mangled import LARGEST_BYTES, MANGLES, originals
from stowage.measure import recognise
from stowage.measure.errors import Unreadable
from stowage.measure.files.archive import files_of

STORED = Path(__file__).parents[2] / "measure" / "unchanged_results.txt"
EVERYDAY, ALL = 5, 250
"""Number of damaged copies of each file in the everyday tests, and in the soak."""


def results(content: bytes) -> str:
    """Return everything that is found in a file, to the last bit, or the reason for its refusal."""
    found: list[object] = []
    try:
        for path, stream in files_of(BytesIO(content), "it"):
            found.append(path)
            found.extend(recognise.read(stream))
    except Unreadable as error:
        found.append((type(error).__name__, error.message, error.line))
    return "\n".join(map(repr, found))


def damaged(path: str, content: bytes, number: int) -> bytes:
    """Return a copy of a file with small damage, deterministically; number 0 is the file itself."""
    if number == 0:
        return content
    # Other files do not matter: a new example changes no line but its own.
    chance = random.Random(f"{path}:{number}")  # noqa: S311 - no secret
    content = content[:LARGEST_BYTES]
    for _ in range(chance.choice((1, 1, 1, 2))):
        content = chance.choice(MANGLES)(content, chance) or b"x"
    return content


def digest(path: str, content: bytes, numbers: range) -> str:
    """Return the digest of the results of several copies of a file."""
    digested = hashlib.blake2b(digest_size=8)
    for number in numbers:
        digested.update(results(damaged(path, content, number)).encode("utf-8", "surrogatepass") + b"\0")
    return digested.hexdigest()


def lines() -> Iterator[str]:
    """Yield a line for each example: its path, and its digests of the everyday tests and of the soak."""
    for path, content in originals():
        yield f"{path} {digest(path, content, range(EVERYDAY))} {digest(path, content, range(EVERYDAY, ALL))}"


if __name__ == "__main__":
    STORED.write_text("\n".join(lines()) + "\n")
