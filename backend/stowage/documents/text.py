"""Sanitization of texts from users, files and vendors for use in documents."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

_Part = TypeVar("_Part")

FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""First characters of a formula; spreadsheets accept the fullwidth forms as well."""
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u200c\u200d")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Visible characters of the format category: they span the characters after them.
_SEEN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_FIRST_THAT_JOINS = "\u0590"  # letters below (Latin, Greek, Cyrillic) do not join: there a joiner only hides
_MOST_MARKS = 4  # most marks on one letter in any orthography


def shown(text: str) -> str:
    r"""Return a text in which every character is visible and none has side effects.

    Line ends become ``\n``, and tabs become spaces. Control characters, zero-width characters and lone surrogates are
    removed; characters that change the text direction are replaced by their code. The function is idempotent.

    Parameters
    ----------
    text : str
        Anything.

    Returns
    -------
    str
        Valid in XML and in UTF-8.

    Examples
    --------
    >>> shown("pay\u200bload \u202eexe.png\x00")
    'payload ‹U+202E›exe.png'
    """
    if text.isascii() and text.isprintable():
        return text
    found: list[str] = []
    marks = 0
    for character in _LINE_ENDS.sub("\n", text):
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks <= _MOST_MARKS:
            found.append(_shown(character, category, found[-1] if found else ""))
    return "".join(found)


def one_line(text: str) -> str:
    r"""Sanitize a text like `shown`, and join its lines into one, for a heading, a cell or a label.

    Examples
    --------
    >>> one_line("a \n b\t")
    'a b'
    """
    return " ".join(shown(text).split())


def with_texts(part: _Part, write: Callable[[str, str, object], str], name: str = "", of: object = None) -> _Part:
    """Return a part of a report with all of its texts rewritten.

    Parameters
    ----------
    part : dataclass, tuple, str or anything else
    write : callable
        Rewrites a text; its further arguments are the name of the text's field and the object of this field.
    name, of
        Name and object of the field that ``part`` is from.

    Examples
    --------
    >>> with_texts(("a", 1, ("b",)), lambda text, name, of: text.upper())
    ('A', 1, ('B',))
    """
    changed: Any = part
    if isinstance(part, str):
        changed = write(part, name, of)
    elif isinstance(part, tuple):
        changed = tuple(with_texts(each, write, name, of) for each in part)
    elif is_dataclass(part) and not isinstance(part, type):
        found = {field.name: getattr(part, field.name) for field in fields(part)}
        changed = replace(part, **{key: with_texts(value, write, key, part) for key, value in found.items()})
    return cast("_Part", changed)


def named(character: str) -> str:
    """Return the replacement of a character that cannot be shown.

    Examples
    --------
    >>> named("\N{RIGHT-TO-LEFT OVERRIDE}")
    '‹U+202E›'
    """
    return f"‹U+{ord(character):04X}›"


def _shown(character: str, category: str, before: str) -> str:
    """Return one character, or its replacement."""
    if character in _BIDI:
        return named(character)
    if character in _JOINERS:
        return character if before >= _FIRST_THAT_JOINS and before not in _JOINERS else ""
    if category == "Cc":
        return {"\n": "\n", "\t": " "}.get(character, "")
    if category == "Cf":
        return character if character in _SEEN else ""
    if category == "Cs" or _never_a_character(character):
        return "\N{REPLACEMENT CHARACTER}"
    return character


def _never_a_character(character: str) -> bool:
    """Return whether a code point is a Unicode noncharacter; XML accepts some of them, but they have no meaning."""
    return ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef"
