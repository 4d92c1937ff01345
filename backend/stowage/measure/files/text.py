"""Split of an upload's bytes into lines of text.

Lines are numbered and bounded in length. The text may have any encoding.
"""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from stowage.frozen import frozen
from stowage.measure.files.compiled import maker

LONGEST_LINE_BYTES = 1 << 20
"""Maximum length of a line [bytes]; longer lines are split into pieces, which readers report in remarks."""
_CHUNK = 1 << 16
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@frozen
class Line:
    """One line without its newline."""

    number: int
    """Number of the line, from 1."""
    text: str
    """Text of the line. Bytes that are not UTF-8 are replaced with U+FFFD."""


_line = maker(Line)


def encoding_of(start: bytes) -> tuple[bytes, str]:
    """Return the first bytes of a file without a byte-order mark, and the encoding that the mark sets."""
    for bom, encoding in _BOMS:
        if start.startswith(bom):
            return start[len(bom) :], encoding
    return start, "utf-8"


def lines_of(stream: BinaryIO) -> Iterator[Line]:
    r"""Yield the lines of a stream, with one line in memory at a time.

    A byte-order mark sets the encoding; without a mark, the encoding is UTF-8. Lines end with ``\n``, ``\r\n`` or
    ``\r`` (a progress display). NUL bytes, which a crash leaves in files, are removed.

    Examples
    --------
    >>> from io import BytesIO
    >>> [line.text for line in lines_of(BytesIO(b"a\r\nb\rc"))]
    ['a', 'b', 'c']
    """
    number, rest = 1, ""
    for text in _texts_of(stream):
        pieces = (rest + text).split("\n")
        rest = pieces.pop()
        if "\0" in text or "\0" in rest:
            pieces = [piece.replace("\0", "") for piece in pieces]
        yield from map(_line, range(number, number + len(pieces)), pieces)
        number += len(pieces)
        while len(rest) > LONGEST_LINE_BYTES:
            yield _line(number, rest[:LONGEST_LINE_BYTES].replace("\0", ""))
            rest = rest[LONGEST_LINE_BYTES:]
    if rest:
        yield _line(number, rest.replace("\0", ""))


def chunks_of(stream: BinaryIO) -> Iterator[str]:
    r"""Yield the text of a stream in chunks of whole lines, in the form of `lines_of`: every line ends with ``\n``.

    Only a line longer than `LONGEST_LINE_BYTES` is split.

    Examples
    --------
    >>> from io import BytesIO
    >>> list(chunks_of(BytesIO(b"a\r\nb\rc")))
    ['a\nb\n', 'c\n']
    """
    rest, split = "", False
    for text in _texts_of(stream):
        end = text.rfind("\n") + 1
        if end:
            yield (rest + text[:end]).replace("\0", "")
            rest, split = text[end:], False
        else:
            rest += text
        if len(rest) > LONGEST_LINE_BYTES:
            yield rest.replace("\0", "")
            rest, split = "", True
    if rest or split:
        yield rest.replace("\0", "") + "\n"


def _texts_of(stream: BinaryIO) -> Iterator[str]:
    r"""Yield the decoded text of a stream in chunks, none of them empty, with all line ends as ``\n``."""
    head, encoding = encoding_of(stream.read(_CHUNK))
    decode = codecs.getincrementaldecoder(encoding)(errors="replace").decode
    held = ""
    while head:
        text = held + decode(head)
        head = stream.read(_CHUNK)
        # An \r at the end of a chunk may be the first half of \r\n.
        held = "\r" if head and text.endswith("\r") else ""
        if "\r" in text:
            text = text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
        if text:
            yield text
    if text := decode(b"", final=True):
        yield text
