r"""Streaming parser of JSON documents in the output of tools, which may have text around them.

A document is never in memory as a whole. The caller specifies the containers to open (`pieces_of`), and their members
are yielded one by one as soon as they are complete. So a file of 100 MB needs only the memory of its largest piece.

Numbers keep the digits of the file (`Number.text`); a number that is not finite has no value. ``nan`` and ``inf`` are
not JSON, but tools that print with C's ``%f`` write them, so they are read as numbers without value. Missing or extra
commas and everything else that is not JSON break a document.

A line of text in the middle of a document, such as a warning, is yielded as `Text`, and the document continues.
Streaming libraries (ijson) accept only JSON, stop at ``nan``, and change ``1.50e3``.

>>> from io import BytesIO
>>> file = BytesIO(b'fio: slow disk\n{"jobs": [{"bw": 1.50}, {"bw": 2}]}\n')
>>> for found in pieces_of(file, {("jobs",)}):
...     print(found)
Text(line=1, text='fio: slow disk')
Started(line=2)
Piece(line=2, path=('jobs', 0), value={'bw': Number('1.50')})
Piece(line=2, path=('jobs', 1), value={'bw': Number('2')})
Ended(line=2, first_line=2, problem=None)
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, TypeAlias

from stowage.frozen import frozen
from stowage.measure.files.compiled import CUT, Paths, document_functions, maker
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.values import Number, Value
from stowage.measure.files.window import BEGINNING, BLANKS, INDENT, LEADING, LONGEST, Window

DEEPEST = 64
"""Maximum nesting depth of a document; tools use fewer than ten levels."""
MOST_VALUES = 200_000
"""Maximum number of values in a piece; about 40 MB as Python objects."""
_LARGEST_PIECE = 1 << 24
"""Maximum length of a piece [characters]."""
_AT_ONCE = 1 << 18
"""Maximum length of a piece that is decoded at once [characters]; it cannot hold `MOST_VALUES`."""

_STRING = r'"([^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+)"'
_VALUE = rf"(?:{_STRING}|([-+.0-9A-Za-z]++)|([{{\[]))"
_END = rf"{BLANKS}(,?){BLANKS}"
# Groups: key, string, word, opening bracket, closing bracket, comma.
_MEMBER = re.compile(rf"{BLANKS}(?:{_STRING}{BLANKS}:{BLANKS}{_VALUE}|([}}\]])){_END}")
_ITEM = re.compile(rf"{BLANKS}(?:(){_VALUE}|([}}\]])){_END}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")
_NO_NUMBER = re.compile(r"[-+]?(?:nan|inf|infinity)\Z", re.IGNORECASE)
_BEHIND = re.compile(_END)
# First characters of a line that belongs to a broken document and is not text.
_OF_A_BROKEN_DOCUMENT = frozenset(' \t\n}]",:-0123456789')
_WORDS = {"true": True, "false": False, "null": None}


Path: TypeAlias = tuple[str | int, ...]


@frozen
class Text:
    """One line, or the rest of a line, that is not JSON. Empty lines are skipped."""

    line: int
    text: str


@frozen
class Started:
    """Event: a JSON document begins."""

    line: int


@frozen
class Piece:
    """A complete JSON value: a member of a container that the caller opened with `pieces_of`."""

    line: int
    """First line of the value."""
    path: Path
    """Keys and indexes: `("jobs", 0)`. Empty for a document that is not opened."""
    value: Value


@frozen
class Doubled:
    """Event: an object has a duplicate key. The last value counts, as in most JSON parsers."""

    line: int
    key: str


@frozen
class Ended:
    """Event: a JSON document ends."""

    line: int
    """Line where the document ends, or where its JSON becomes invalid."""
    first_line: int
    problem: str | None
    """Reason why the document is incomplete, for people; None if it is complete."""


_text, _piece = maker(Text), maker(Piece)
_scan, _decode = document_functions(Started, Piece, Ended, Text)
Found: TypeAlias = Text | Block | Started | Piece | Doubled | Ended


def pieces_of(stream: BinaryIO, opened: Iterable[tuple[str, ...]] = (), shape: Shape | None = None) -> Iterator[Found]:
    """Yield the JSON documents of a stream piece by piece, and the text around them.

    Parameters
    ----------
    stream : BinaryIO
    opened : iterable of tuple of str
        Paths of containers whose members are yielded one by one, with ``*`` for any index of a list:
        ``("sysstat", "hosts", "*", "statistics")``. The enclosing containers are opened too; ``()`` is the document.
        Without paths, each document is one piece.
    shape : Shape or None
        Shape of the lines between documents that are one `Block`. Such lines may also come one by one; those at the end
        of a file always do.

    Raises
    ------
    Unreadable
        The file has millions of empty lines.
    """
    patterns = frozenset(path[:length] for path in opened for length in range(len(path) + 1))
    paths, compiled = _nested(patterns), shape and shape.compiled
    window = Window(stream)
    while True:
        line = window.line()
        found, end, last, stopped = _scan(window.text, window.position, line, paths, DEEPEST, _AT_ONCE, compiled)
        window.advance(end, last - line)
        yield from found
        if stopped == 0 or (stopped == CUT and len(window.text) - end <= _AT_ONCE and window.more()):
            continue
        start = window.next_line()
        if window.position == len(window.text):
            if not window.more():
                return
            continue
        if window.text[start : start + 1] in {"{", "["} and window.begins_document(start):
            window.position = window.match(INDENT)
            yield from _document(window, patterns)
        else:
            yield _text(window.line(), window.rest_of_line())


def keys_of(text: str) -> tuple[str, ...]:
    r"""Return the keys of the first document in a text, or of its first item if it is a list.

    Examples
    --------
    >>> keys_of('Starting...\n[{"fio version": "fio-3.33", "jobs": [{"jobname": "a", ')
    ('fio version', 'jobs')
    """
    keys: list[str] = []
    for line_start in re.finditer(r"^[ \t]*(?=[{\[])", text, re.MULTILINE):
        position = line_start.end()
        if not BEGINNING.match(text, position):
            continue
        brackets = ""
        while match := (_MEMBER if brackets.endswith("{") else _ITEM).match(text, position):
            if match[1] and brackets in {"{", "[{"}:
                try:
                    keys.append(_unescaped(match[1]))
                except _Broken:
                    break
            if match[5]:
                brackets = brackets[:-1]
                if not brackets or (brackets == "[" and keys):
                    break
            if match[4]:
                brackets += match[4]
                if len(brackets) > DEEPEST:
                    break
            position = match.end()
        break
    return tuple(keys)


class _Broken(Exception):
    """Error for invalid JSON after a valid beginning of a document."""


@dataclass(slots=True)
class _Frame:
    """One open JSON list or object; `held` is None if its members are yielded one by one."""

    of_keys: bool
    path: Path
    pattern: tuple[str, ...]
    line: int
    held: list[Value] | dict[str, Value] | None
    key: str = ""
    count: int = 0
    keys: set[str] = field(default_factory=set)


class _Document:
    """Parser of one document, from its first bracket to its last."""

    def __init__(self, window: Window, patterns: frozenset[tuple[str, ...]]) -> None:
        self._window = window
        self._patterns = patterns
        self._around = _Frame(of_keys=False, path=(), pattern=(), line=window.line(), held=None)
        self._frame = self._around
        self._stack: list[_Frame] = []
        self._comma = False
        self._count, self._size = 0, 0

    def found(self) -> Iterator[Found]:
        """Yield the pieces of the document; raise `_Broken` at invalid JSON."""
        window = self._window
        while True:
            match = (_MEMBER if self._frame.of_keys else _ITEM).match(window.text, window.position)
            if (
                (match is None or match.end() == len(window.text))
                and len(window.text) - window.position <= LONGEST
                and window.more()
            ):
                continue
            if match is None or (match[3] and not _is_value(match[3])):
                yield self._intruder()
            elif match[5]:
                closed = self._close(match)
                if closed.held is not None and self._frame.held is None:
                    yield _piece(closed.line, closed.path, closed.held)
                if self._frame is self._around:
                    return
            else:
                yield from self._add(match)
                if self._frame is self._around:
                    return

    def _add(self, match: re.Match[str]) -> Iterator[Found]:
        frame, window = self._frame, self._window
        if frame.count and not self._comma:
            raise self._broken("a comma")
        key = _unescaped(match[1]) if frame.of_keys else ""
        if frame.of_keys and key in (frame.keys if frame.held is None else frame.held):
            yield Doubled(window.line(), key)
        if frame.held is None:
            self._count, self._size = 0, 0
            frame.keys.add(key)
        self._count += 1
        self._size += match.end() - match.start()
        if max(self._count, len(frame.keys)) > MOST_VALUES or self._size > _LARGEST_PIECE:
            raise _Broken(f"a part of it holds more than {MOST_VALUES:,} values or {_LARGEST_PIECE >> 20} MiB")
        frame.count += 1
        if match[4]:
            yield from self._open(match, key)
            return
        word = match[3]
        value: Value = (_WORDS[word] if word in _WORDS else Number(word)) if word else _unescaped(match[2])
        if frame.held is None:
            yield _piece(window.line(), (*frame.path, key if frame.of_keys else frame.count - 1), value)
        elif isinstance(frame.held, dict):
            frame.held[key] = value
        else:
            frame.held.append(value)
        self._comma = match[6] == ","
        window.position = match.end()

    def _open(self, match: re.Match[str], key: str) -> Iterator[Piece]:
        """Open a container; if it is a piece, yield it at once unless only this parser can read it."""
        outer, window = self._frame, self._window
        if len(self._stack) == DEEPEST:
            raise self._broken(f"at most {DEEPEST} levels")
        window.position = match.start(4)
        line = window.line()
        held: list[Value] | dict[str, Value] | None = {} if match[4] == "{" else []
        inner = _Frame(match[4] == "{", outer.path, outer.pattern, line, held)
        if outer.held is None:
            if outer is not self._around:
                inner.path = (*outer.path, key if outer.of_keys else outer.count - 1)
                inner.pattern = (*outer.pattern, key if outer.of_keys else "*")
            if inner.pattern in self._patterns:
                inner.held = None
            elif (decoded := _at_once(window, DEEPEST - len(self._stack))) is not None:
                value, end, newlines = decoded
                window.advance(end, newlines)
                if outer is not self._around:
                    self._pass_comma()
                yield _piece(line, inner.path, value)
                return
        elif isinstance(outer.held, dict):
            outer.held[key] = held
        else:
            outer.held.append(held)
        self._stack.append(outer)
        self._frame, self._comma = inner, False
        window.position += 1

    def _pass_comma(self) -> None:
        """Move behind the comma and the blanks that follow a value."""
        window = self._window
        while True:
            found = _BEHIND.match(window.text, window.position)
            if found is None or found.end() < len(window.text):
                break
            if len(window.text) - window.position > LONGEST or not window.more():
                break
        if found is not None:
            self._comma, window.position = found[1] == ",", found.end()

    def _close(self, match: re.Match[str]) -> _Frame:
        closed = self._frame
        if closed is self._around or (match[5] == "}") != closed.of_keys or self._comma:
            raise self._broken()
        self._frame = self._stack.pop()
        self._comma = match[6] == ","
        self._window.position = match.end(5) if self._frame is self._around else match.end()
        return closed

    def _intruder(self) -> Text:
        """Return a line of text, such as a warning, that interrupts the document."""
        window = self._window
        window.position = window.match(LEADING)
        if not window.at_line_start() or not window.text[window.position : window.position + 1].isalpha():
            raise self._broken()
        return Text(window.line(), window.rest_of_line())

    def _broken(self, expected: str = "") -> _Broken:
        window = self._window
        window.position = window.match(LEADING)
        if window.position == len(window.text):
            return _Broken("the file ends in the middle of it")
        if not expected:
            expected = "a key and its value" if self._frame.of_keys else "a value"
            expected += " or a closing bracket" if not self._comma else ""
        shown = window.text[window.position : window.position + 41].split("\n")[0]
        return _Broken(f"{shown[:40]!r} stands where {expected} was expected")


def _document(window: Window, patterns: frozenset[tuple[str, ...]]) -> Iterator[Found]:
    first = window.line()
    yield Started(first)
    try:
        yield from _Document(window, patterns).found()
    except _Broken as broken:
        yield Ended(window.line(), first, str(broken))
        _leave_broken(window)
    else:
        yield Ended(window.line(), first, None)


def _nested(patterns: frozenset[tuple[str, ...]]) -> Paths | None:
    """Return paths as nested keys; None if there are none."""
    nested: Paths = {}
    for path in patterns:
        inner = nested
        for key in path:
            inner = inner.setdefault(key, {})
    return nested if patterns else None


def _at_once(window: Window, deepest: int) -> tuple[Value, int, int] | None:
    """Decode the container at the window's position, if it is JSON of at most `deepest` levels in the usual form.

    The result is its value, its end, and its number of newlines.
    """
    while True:
        decoded = _decode(window.text, window.position, deepest, _AT_ONCE)
        if isinstance(decoded, tuple):
            return decoded
        if not decoded or len(window.text) - window.position > _AT_ONCE or not window.more():
            return None


def _leave_broken(window: Window) -> None:
    """Skip a broken document, up to the next line that can be text or begin a document."""
    if not (window.at_line_start() and window.text[window.position : window.position + 1] in {"{", "["}):
        window.leave_line()
    while True:
        if window.position == len(window.text):
            if not window.more():
                return
        elif window.text[window.position] in _OF_A_BROKEN_DOCUMENT:
            window.leave_line()
        else:
            return


def _is_value(word: str) -> bool:
    return word in _WORDS or bool(_NUMBER.match(word) or _NO_NUMBER.match(word))


def _unescaped(text: str) -> str:
    r"""Return the value of a string literal, without NUL, and with U+FFFD for unpaired surrogates."""
    if "\\" not in text:
        return text
    try:
        meant = json.loads(f'"{text}"', strict=False)
    except ValueError:
        raise _Broken(f"the string {text[:40]!r} has an escape that JSON does not know") from None
    return str(meant).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")
