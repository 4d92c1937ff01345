"""Corrupted files of tools: cut, spliced, scrambled, nested, in a wrong encoding."""

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

FILES = Path(__file__).parents[2] / "measure" / "files"
LOGS = (FILES.parent / "event_logs", FILES.parent / "job_histories")
_BACKGROUND = b'{}[]\\",:\n\r\t 0123456789.eE+-nNaAiIfF\0\xff\xfe;=%/<>'
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_ODD_NUMBERS = (b"1e309", b"-1e309", b"NaN", b"-nan", b"inf", b"", b"-1", b"0", b"1e-400", b"9" * 400, b"0x10", b"1,5")
LARGEST_BYTES = 16_384
"""Size above which only a piece of a file is fuzzed: a million inputs should take minutes, not days."""

Mangle = Callable[[bytes, random.Random], bytes]


def originals() -> tuple[tuple[str, bytes], ...]:
    """Return every file of every tool, with its path."""
    found = (path for path in sorted(FILES.glob("*/*")) if path.is_file() and path.name != "ORIGIN.md")
    files = ((str(path.relative_to(FILES)), path.read_bytes()) for path in found)
    logs = ((f"{folder.name}/{path.name}", path.read_bytes()) for folder in LOGS for path in sorted(folder.iterdir()))
    return (*files, *logs)


def cut(content: bytes, chance: random.Random) -> bytes:
    """Cut the file in the middle, as a full disk does."""
    return content[: chance.randrange(len(content) + 1)]


def scrambled(content: bytes, chance: random.Random) -> bytes:
    """Change bytes in a few places."""
    mangled = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        mangled[chance.randrange(len(mangled))] = chance.choice(_BACKGROUND)
    return bytes(mangled)


def without_a_piece(content: bytes, chance: random.Random) -> bytes:
    """Remove a piece from the middle."""
    start = chance.randrange(len(content))
    return content[:start] + content[start + chance.randint(1, 400) :]


def doubled(content: bytes, chance: random.Random) -> bytes:
    """Copy a piece to another place."""
    start, there = chance.randrange(len(content)), chance.randrange(len(content))
    return content[:there] + content[start : start + chance.randint(1, 400)] + content[there:]


def with_odd_numbers(content: bytes, chance: random.Random) -> bytes:
    """Replace numbers by invalid or too large ones."""
    share = chance.choice((0.02, 0.3))
    return _NUMBER.sub(lambda found: chance.choice(_ODD_NUMBERS) if chance.random() < share else found[0], content)


def nested(content: bytes, chance: random.Random) -> bytes:
    """Open many brackets somewhere."""
    there = chance.randrange(len(content))
    return (
        content[:there] + chance.choice((b"[", b"{", b'{"a":', b"[[{")) * chance.choice((70, 3_000)) + content[there:]
    )


def shuffled(content: bytes, chance: random.Random) -> bytes:
    """Shuffle the lines."""
    lines = content.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def otherwise_encoded(content: bytes, chance: random.Random) -> bytes:
    """Encode the text as a machine with another encoding would."""
    text = content.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32")), "replace")


def spliced(content: bytes, chance: random.Random) -> bytes:
    """Continue with a piece from another place of the file."""
    return content[: chance.randrange(len(content) + 1)] + content[chance.randrange(len(content)) :]


MANGLES: tuple[Mangle, ...] = (
    cut,
    scrambled,
    without_a_piece,
    doubled,
    with_odd_numbers,
    nested,
    shuffled,
    otherwise_encoded,
    spliced,
)


def noise(chance: random.Random) -> bytes:
    """Return random bytes."""
    return bytes(chance.choices(_BACKGROUND, k=chance.randint(0, 400)))


def mangled(files: Sequence[tuple[str, bytes]], number: int) -> bytes:
    """Return the input with a number, deterministically."""
    chance = random.Random(number)  # noqa: S311 - no secret
    if number % 20 == 0:
        return noise(chance)
    _, content = chance.choice(files)
    if len(content) > LARGEST_BYTES:
        content = content[:LARGEST_BYTES]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(MANGLES)(content, chance) or b"x"
    return content
