"""Typefaces of PDF files and their character coverage: a file must look alike on every machine.

Two families ship with the package. A third, for Chinese, Japanese and Korean, is four times as large as both together.
It is used only on machines where the expected file is installed; elsewhere its characters are replaced by codes
(decision 0032).
"""

import hashlib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from uharfbuzz import Blob, Face

from stowage.documents.text import named

FONTS = Path(__file__).with_name("typesetting") / "fonts"
OPTIONAL = "DroidSansFallbackFull.ttf"
OPTIONAL_PACKAGE = "fonts-droid-fallback"
"""Name of the Debian and Ubuntu package of the optional typeface."""
OPTIONAL_SCRIPTS = "Chinese, Japanese and Korean"
PLACES = (Path("/usr/share/fonts/truetype/droid"), Path("/usr/local/share/fonts/droid"))
"""Directories that are searched for the optional typeface."""
_OPTIONAL_SHA256 = "acb6440a713d880a13a21b468ba7cd43f5a2b2934972e51be791c880730777b8"
_FILES = {"Source Sans 3": "SourceSans3-Regular.otf", "DejaVu Sans": "DejaVuSans.ttf"}
_OPTIONAL_FAMILY = "Droid Sans Fallback"
_ZERO_WIDTH = "\u200b"
_GAPS = frozenset(" \n\u00a0\u3000\u200b")
_JOINERS = frozenset("\u200c\u200d")
_AFTER = frozenset("/._-=&?:;,|)]}>")


def optional() -> Path | None:
    """Return the file of the optional typeface; None if it is not installed.

    A file of another release would give other bytes for the same report, so it is ignored.
    """
    for path in (place / OPTIONAL for place in PLACES):
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == _OPTIONAL_SHA256:
            return path
    return None


@cache
def typefaces() -> dict[str, Path]:
    """Return the file of each family, in the order in which they are searched for a character; cached."""
    found = {family: FONTS / name for family, name in _FILES.items()}
    return found if (path := optional()) is None else {**found, _OPTIONAL_FAMILY: path}


def legible(text: str) -> str:
    """Return a text in which a character that no typeface covers is replaced by its code.

    Parameters
    ----------
    text : str
        Output of `stowage.documents.text.shown`.

    Examples
    --------
    >>> legible("naïve שלום \N{PERSONAL COMPUTER}")
    'naïve שלום ‹U+1F4BB›'
    """
    return text if text.isascii() else "".join(_set(cluster) for cluster in _clusters(text))


def bare(text: str) -> str:
    r"""Return a text without combining marks that do not compose with their letter.

    In the texts of a drawing, the typesetter (0.15) loses the identity of such characters, and then refuses to write a
    tagged PDF.

    Examples
    --------
    >>> ascii(bare("cafe\u0301 q\u0301"))
    "'caf\\xe9 q'"
    """
    return text if text.isascii() else "".join(cluster[0] for cluster in _clusters(text))


def breakable(text: str, long: int = 24) -> str:
    """Insert break opportunities into long words: after separators, or anywhere in parts that are still too long.

    Parameters
    ----------
    text : str
    long : int
        Most characters of a word that stays whole.

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
    """Insert zero-width spaces into a long word."""
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
    """Return whether a character combines with the one before it."""
    return unicodedata.category(character) in {"Mn", "Me", "Mc"} or character in _JOINERS


def _clusters(text: str) -> Iterator[str]:
    """Split a text into letters with their combining marks."""
    cluster = ""
    for character in unicodedata.normalize("NFC", text):
        if cluster and not _joins(character):
            yield cluster
            cluster = ""
        cluster += character
    if cluster:
        yield cluster


def _set(cluster: str) -> str:
    """Return a letter with its combining marks if one typeface covers them all; else replace the marks by codes.

    The letter is replaced by its code too if no typeface covers it. Variation selectors are removed.
    """
    cluster = "".join(character for character in cluster if not _chooses(character))
    if cluster in _GAPS or any(_has(covered, cluster) for covered in _covered()):
        return cluster
    alone, others = cluster[:1] or " ", cluster[1:]
    first = alone if alone in _GAPS or any(_has(covered, alone) for covered in _covered()) else named(alone)
    return first + "".join(named(character) for character in others if character not in _JOINERS)


def _chooses(character: str) -> bool:
    """Return whether a character is a variation selector."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _has(covered: frozenset[int], cluster: str) -> bool:
    return all(ord(character) in covered or character in _JOINERS for character in cluster)


def _covered() -> Iterator[frozenset[int]]:
    """Return the characters that each typeface covers."""
    return map(_read, typefaces().values())


@cache
def _read(path: Path) -> frozenset[int]:
    """Return the code points for which a typeface file has glyphs."""
    return frozenset(Face(Blob.from_file_path(path)).unicodes)
