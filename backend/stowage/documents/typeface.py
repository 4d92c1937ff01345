"""The typefaces of PDF files, and which characters they have: a file must look alike wherever it is made.

Two families travel with us. A third, for Chinese, Japanese and Korean, is four times as large as both; it is used where
this very file is installed, and its characters are named by their codes where it is not (decision 0032).
"""

import hashlib
import struct
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stowage.documents.text import named

FONTS = Path(__file__).with_name("typesetting") / "fonts"
OPTIONAL = "DroidSansFallbackFull.ttf"
OPTIONAL_PACKAGE = "fonts-droid-fallback"
"""Debian's and Ubuntu's name of the package that brings the optional typeface."""
OPTIONAL_SCRIPTS = "Chinese, Japanese and Korean"
PLACES = (Path("/usr/share/fonts/truetype/droid"), Path("/usr/local/share/fonts/droid"))
"""Folders in which the optional typeface is looked for."""
_OPTIONAL_SHA256 = "acb6440a713d880a13a21b468ba7cd43f5a2b2934972e51be791c880730777b8"
_FILES = {"Source Sans 3": "SourceSans3-Regular.otf", "DejaVu Sans": "DejaVuSans.ttf"}
_OPTIONAL_FAMILY = "Droid Sans Fallback"
_ZERO_WIDTH = "\u200b"
_GAPS = frozenset(" \n\u00a0\u3000\u200b")
_JOINERS = frozenset("\u200c\u200d")
_AFTER = frozenset("/._-=&?:;,|)]}>")


def optional() -> Path | None:
    """Return the file of the optional typeface, or None where it is not installed.

    A file of another release would set other bytes for the same report, so it is not taken.
    """
    for path in (place / OPTIONAL for place in PLACES):
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == _OPTIONAL_SHA256:
            return path
    return None


@cache
def typefaces() -> dict[str, Path]:
    """Return the file of each family, in the order in which a character is looked for; they are looked up once."""
    found = {family: FONTS / name for family, name in _FILES.items()}
    return found if (path := optional()) is None else {**found, _OPTIONAL_FAMILY: path}


def legible(text: str) -> str:
    """Give a text in which a character that no typeface has is named where it stands.

    Parameters
    ----------
    text : str
        As `stowage.documents.text.shown` gives it.

    Examples
    --------
    >>> legible("naïve שלום \N{PERSONAL COMPUTER}")
    'naïve שלום ‹U+1F4BB›'
    """
    return text if text.isascii() else "".join(_set(cluster) for cluster in _clusters(text))


def bare(text: str) -> str:
    r"""Give a text without what stands on letters and makes no letter of its own with them.

    In the texts of a drawing the typesetter (0.15) loses which characters such letters were, and then refuses to write
    a tagged PDF.

    Examples
    --------
    >>> ascii(bare("cafe\u0301 q\u0301"))
    "'caf\\xe9 q'"
    """
    return text if text.isascii() else "".join(cluster[0] for cluster in _clusters(text))


def breakable(text: str, long: int = 24) -> str:
    """Give a text whose long words may be broken: behind what joins their parts, else anywhere.

    Parameters
    ----------
    text : str
    long : int
        Letters of a word that stays whole.

    Examples
    --------
    >>> breakable("short.name"), breakable("i2.8xlarge.storage_mb_per_s").replace(chr(0x200B), "|")
    ('short.name', 'i2.|8xlarge.|storage_|mb_|per_|s')
    """
    found: list[str] = []
    word = ""
    for character in text:
        if character in _GAPS:
            found += (_broken(word, long), character)
            word = ""
        else:
            word += character
    return "".join((*found, _broken(word, long)))


def _broken(word: str, long: int) -> str:
    """Put zero-width gaps into a word that is long."""
    if len(word) <= long:
        return word
    found = ""
    run = 0
    for character in word:
        if (run >= long or (found and found[-1] in _AFTER)) and not _joins(character):
            found += _ZERO_WIDTH
            run = 0
        found += character
        run += 1
    return found


def _joins(character: str) -> bool:
    """Say whether a character belongs to the one before it."""
    return unicodedata.category(character) in {"Mn", "Me", "Mc"} or character in _JOINERS


def _clusters(text: str) -> Iterator[str]:
    """Take a text apart into letters with what stands on them."""
    cluster = ""
    for character in unicodedata.normalize("NFC", text):
        if cluster and not _joins(character):
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _set(cluster: str) -> str:
    """Give a letter with what stands on it, as far as one typeface has all of it; what chooses a variant goes."""
    cluster = "".join(character for character in cluster if not _chooses(character))
    if cluster in _GAPS or any(_has(covered, cluster) for covered in _covered()):
        return cluster
    alone, others = cluster[:1] or " ", cluster[1:]
    first = alone if alone in _GAPS or any(_has(covered, alone) for covered in _covered()) else named(alone)
    return first + "".join(named(character) for character in others if character not in _JOINERS)


def _chooses(character: str) -> bool:
    """Say whether a character is one of those that choose a variant of the one before it."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _has(covered: frozenset[int], cluster: str) -> bool:
    return all(ord(character) in covered or character in _JOINERS for character in cluster)


def _covered() -> Iterator[frozenset[int]]:
    """Yield which characters each of the typefaces has."""
    return map(_read, typefaces().values())


@cache
def _read(path: Path) -> frozenset[int]:
    return frozenset(_characters(path.read_bytes()))


def _characters(font: bytes) -> Iterator[int]:
    """Read the code points out of a font's best table of characters, as OpenType describes it."""
    tables: dict[bytes, int] = {}
    for place in range(12, 12 + 16 * int.from_bytes(font[4:6]), 16):
        tag, _, offset, _ = struct.unpack_from(">4sIII", font, place)
        tables[tag] = offset
    cmap = tables[b"cmap"]
    by_system = {}
    for place in range(cmap + 4, cmap + 4 + 8 * int.from_bytes(font[cmap + 2 : cmap + 4]), 8):
        platform, encoding, offset = struct.unpack_from(">HHI", font, place)
        by_system[platform, encoding] = cmap + offset
    start = by_system.get((3, 10)) or by_system[3, 1]
    return _segmented(font, start) if int.from_bytes(font[start : start + 2]) == 4 else _grouped(font, start)


def _segmented(font: bytes, start: int) -> Iterator[int]:
    """Read a table of format 4: segments of the first 65,536 characters."""
    count = int.from_bytes(font[start + 6 : start + 8]) // 2
    ends, firsts, deltas, offsets = (
        struct.unpack_from(f">{count}H", font, start + 14 + 2 * count * part + (2 if part else 0)) for part in range(4)
    )
    ranges = start + 16 + 6 * count
    for number, (first, last, delta, offset) in enumerate(zip(firsts, ends, deltas, offsets, strict=True)):
        for character in range(first, min(last, 0xFFFE) + 1):
            glyph = character
            if offset:
                place = ranges + 2 * number + offset + 2 * (character - first)
                glyph = int.from_bytes(font[place : place + 2])
                if glyph == 0:
                    continue
            if (glyph + delta) & 0xFFFF:
                yield character


def _grouped(font: bytes, start: int) -> Iterator[int]:
    """Read a table of format 12: groups of characters of all planes."""
    for group in range(int.from_bytes(font[start + 12 : start + 16])):
        first, last, glyph = struct.unpack_from(">III", font, start + 16 + 12 * group)
        yield from range(first + (glyph == 0), last + 1)
