r"""Shapes: several lines of a file in their usual form, as one regular expression that is matched in C.

Readers decide line by line what a file says. A shape is only about speed: it finds the texts of many usual lines at
once, and the reader does with them what it does with the lines. Lines in any other form are no block.

The syntax is that of `re`: classes, ``\d``, ``\s``, ``\w``, ``.``, groups, choices, and quantifiers. Nothing is
reconsidered, as if each quantifier were possessive and each choice atomic. So whenever a shape matches, `re` matches
the same, and no text takes more than linear time. Only ASCII matches.
"""

import re
from array import array
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final

from stowage.frozen import frozen
from stowage.measure.files.compiled import shape_functions

_TEXT, _SPAN, _GROUP, _REPEAT, _CHOICE = range(5)
_NO_FIELD: Final = -1
_NO_LIMIT: Final = 1 << 30
_ASCII: Final = frozenset(map(chr, range(128)))
_CLASSES: Final = {
    "d": frozenset("0123456789"),
    "s": frozenset(" \t\n\r\f\v\x1c\x1d\x1e\x1f"),
    "w": frozenset(each for each in _ASCII if each.isalnum() or each == "_"),
}
_ITEM = re.compile(r"(\\.|[^\\])(?:-(\\.|[^\\]))?", re.DOTALL)
_QUANTIFIER = re.compile(r"([*+?]|\{(\d{1,4})(,?)(\d{0,4})\}|)\+?")
_LIMITS = {"": (1, 1), "?": (0, 1), "*": (0, _NO_LIMIT), "+": (1, _NO_LIMIT)}
_OPENING = re.compile(r"\((\?:|\?P<(\w+)>|(?!\?))")
_ONE = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[^\\]", re.DOTALL)


@frozen
class Block:
    """Several whole lines that have a shape."""

    line: int
    """Number of the first line, from 1."""
    fields: tuple[str | None, ...]
    """Texts of the groups that cannot repeat; None for those that are not there."""
    rows: tuple[str, ...]
    """Texts of the groups that may repeat, in the order of the text."""
    text: str
    """The lines, each with its newline."""


LONGEST_BLOCK: Final = 1 << 14
"""Maximum length of a block [characters]."""
_compile, match = shape_functions(Block, LONGEST_BLOCK)


class Shape:
    r"""A regular expression for whole lines.

    Attributes
    ----------
    compiled
        The shape for the functions of C.
    places : dict of str to int
        Place of each named group in the fields of a block. Groups that may repeat are not fields, but rows.

    Examples
    --------
    >>> Shape(r"(?P<name>\w+): *(?:(\d+) )*\n").places
    {'name': 0}
    """

    def __init__(self, pattern: str) -> None:
        parser = _Parser(pattern)
        program = parser.choice()
        self.places = parser.places
        sets = b"".join(bytes(each) + bytes(128) for each in parser.sets)
        self.compiled = _compile(array("i", program).tobytes(), sets, parser.fields)

    def getter(self, *names: str) -> Callable[[tuple[str | None, ...]], tuple[Any, ...]]:
        """Return a function that gets some fields of a block by the names of their groups."""
        return itemgetter(*(self.places[name] for name in names))


class _Parser:
    """Translator of a regular expression into a program of `csrc/shapes.c`."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0
        self._repeats = False
        self.sets: dict[tuple[bool, ...], int] = {}
        self.places: dict[str, int] = {}
        self.fields = 0

    def choice(self) -> list[int]:
        """Return the program of alternatives, up to a closing bracket or the end."""
        found = [self._sequence()]
        while self._pattern[self._at : self._at + 1] == "|":
            self._at += 1
            found.append(self._sequence())
        if len(found) == 1:
            return found[0]
        words = [word for each in found for word in (len(each), *each)]
        return [_CHOICE, len(words), *words]

    def _sequence(self) -> list[int]:
        program: list[int] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            program += self._bracket() if self._pattern[self._at] == "(" else self._characters()
        return program

    def _bracket(self) -> list[int]:
        """Return the program of a bracket; the groups in one that may repeat are rows."""
        start, places, fields = self._at, dict(self.places), self.fields
        program, least, most = self._group()
        if most > 1 and not self._repeats:
            self._at, self.places, self.fields, self._repeats = start, places, fields, True
            program, least, most = self._group()
            self._repeats = False
        return program if (least, most) == (1, 1) else [_REPEAT, least, most, len(program), *program]

    def _group(self) -> tuple[list[int], int, int]:
        """Return the program in a bracket, and how often it may repeat."""
        opening = _OPENING.match(self._pattern, self._at)
        if opening is None:
            raise ValueError(f"{self._pattern[self._at :][:40]!r} is no group of a shape")
        self._at = opening.end()
        stored, field = opening[1] != "?:", _NO_FIELD
        if stored and not self._repeats:
            field, self.fields = self.fields, self.fields + 1
            self.places |= {opening[2]: field} if opening[2] else {}
        body = self.choice()
        self._at += 1
        return ([_GROUP, field, len(body), *body] if stored else body), *self._limits()

    def _characters(self) -> list[int]:
        """Return the program of literal characters, or of a class and how often it repeats."""
        text = ""
        while found := _ONE.match(self._pattern, self._at):
            one, start = found[0], self._at
            self._at = found.end()
            literal, limits = _literal(one), self._limits()
            if one in "|()" or literal is None or limits != (1, 1):
                if text or one in "|()":
                    self._at = start
                    break
                members = _members_of(one)
                chosen = tuple(chr(byte) in members for byte in range(128))
                return [_SPAN, self.sets.setdefault(chosen, len(self.sets)), *limits]
            text += literal
        return [_TEXT, len(text), *text.encode()]

    def _limits(self) -> tuple[int, int]:
        """Move behind a quantifier; return how often it allows what stands before it."""
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None or not found[0]:
            return 1, 1
        self._at = found.end()
        if found[1] in _LIMITS:
            return _LIMITS[found[1]]
        least = int(found[2])
        return least, int(found[4]) if found[4] else _NO_LIMIT if found[3] else least


def _members_of(one: str) -> frozenset[str]:
    """Return the characters that an item of a pattern matches."""
    if one == ".":
        return _ASCII - {"\n"}
    if one[0] != "[" or len(one) == 1:
        return _meant(one)
    is_without = one[1] == "^"
    found: set[str] = set()
    for first, last in _ITEM.findall(one[1 + is_without : -1]):
        found |= set(map(chr, range(ord(first), ord(last) + 1))) if last else _meant(first)
    return _ASCII - found if is_without else frozenset(found)


def _meant(text: str) -> frozenset[str]:
    """Return the characters that a character means, or one behind a backslash."""
    if text[-1].lower() in _CLASSES and len(text) == 2:
        members = _CLASSES[text[-1].lower()]
        return members if text[-1].islower() else _ASCII - members
    return frozenset({_literal(text) or text})


def _literal(one: str) -> str | None:
    """Return the character that an item of a pattern is; None for a class."""
    if len(one) == 1:
        return None if one == "." else one
    if one[0] == "[" or one[1] in "dswDSW":
        return None
    return {"n": "\n", "t": "\t"}.get(one[1], one[1])
