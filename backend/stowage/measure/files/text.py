"""Split of an upload's bytes into lines of text.

Lines are numbered and bounded in length. The text may have any encoding.
"""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

from stowage.frozen import frozen

LONGEST_LINE_BYTES = 1 << 20
"""Maximum length of a line [bytes]; longer lines are split into pieces, which readers report in remarks."""
_CHUNK = 1 << 16
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ENDS = re.compile(r"\r\n|\n|\r")


@frozen
class Line:
    """One line without its newline."""

    number: int
    """Number of the line, from 1."""
    text: str
    """Text of the line. Bytes that are not UTF-8 are replaced with U+FFFD."""


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
    head, encoding = encoding_of(stream.read(_CHUNK))
    decode = codecs.getincrementaldecoder(encoding)(errors="replace").decode
    number, rest = 1, ""
    while head:
        rest += decode(head)
        head = stream.read(_CHUNK)
        # An \r at the end of the piece may be the first half of \r\n.
        held = "\r" if head and rest.endswith("\r") else ""
        pieces = _ENDS.split(rest[: len(rest) - len(held)])
        rest = pieces.pop() + held
        for piece in pieces:
            yield Line(number, piece.replace("\0", ""))
            number += 1
        while len(rest) > LONGEST_LINE_BYTES:
            yield Line(number, rest[:LONGEST_LINE_BYTES].replace("\0", ""))
            rest = rest[LONGEST_LINE_BYTES:]
    rest += decode(b"", final=True)
    if rest:
        yield Line(number, rest.rstrip("\r").replace("\0", ""))
