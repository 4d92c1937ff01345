"""The part of a file of JSON documents that is in memory, and the position of the parser in it."""

import re
from typing import BinaryIO

from stowage.measure.errors import Unreadable
from stowage.measure.files.text import chunks_of

LONGEST = 1 << 20
"""Maximum length of a string, and of the whitespace between two values [characters]."""
_MOST_EMPTY_LINES = 1_000_000
BATCH = 1 << 16

BLANKS = r"[ \t\n]*+"
BEGINNING = re.compile(rf'\{{{BLANKS}["}}]|\[{BLANKS}[\[\]{{"]')
LEADING = re.compile(BLANKS)
_EMPTY_LINES = re.compile(r"(?:[ \t]*+\n)*+()[ \t]*+")
INDENT = re.compile(r"[ \t]*+")


class Window:
    """Part of a file that is in memory: whole lines, or parts of very long lines."""

    def __init__(self, stream: BinaryIO) -> None:
        self._chunks = chunks_of(stream)
        self.text = ""
        self.position = 0
        self._counted, self._line = 0, 1
        self._empty = 0

    def more(self) -> bool:
        """Read more text, and discard the parsed text; return False at the end of the file."""
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._count_empty_lines(chunk)
        self.line()
        kept = max(self.position - 1, 0)
        self.text = self.text[kept:] + chunk
        self.position -= kept
        self._counted = self.position
        return True

    def _count_empty_lines(self, chunk: str) -> None:
        leading = len(chunk) - len(chunk.lstrip("\n"))
        self._empty += leading
        if self._empty > _MOST_EMPTY_LINES:
            line = self.line() + self.text.count("\n", self.position) + leading - self._empty + _MOST_EMPTY_LINES + 1
            raise Unreadable(f"More than {_MOST_EMPTY_LINES:,} empty lines follow each other", line)
        if leading < len(chunk):
            # The first newline ends a line of text.
            self._empty = len(chunk) - len(chunk.rstrip("\n")) - 1

    def line(self) -> int:
        """Return the line number at `position`."""
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def advance(self, end: int, newlines: int) -> None:
        """Move to a position, with the given number of newlines until there."""
        self._line = self.line() + newlines
        self.position = self._counted = end

    def match(self, pattern: re.Pattern[str]) -> int:
        """Return the end of a match at `position`; `position` itself if there is none."""
        found = pattern.match(self.text, self.position)
        return found.end() if found else self.position

    def next_line(self) -> int:
        """Move behind empty lines; return the index behind the indent of the next line."""
        found = _EMPTY_LINES.match(self.text, self.position)
        if found is None:
            return self.position
        self.position = found.start(1)
        return found.end()

    def at_line_start(self) -> bool:
        """Return whether a line begins at `position`."""
        return self.position == 0 or self.text[self.position - 1] == "\n"

    def begins_document(self, start: int) -> bool:
        """Return whether a document begins at index `start` of `text`, in the current line."""
        indent = start - self.position
        while not BEGINNING.match(self.text, self.position + indent):
            behind = self.position + indent + 1
            blank = LEADING.match(self.text, behind)
            end = blank.end() if blank else behind
            if end < len(self.text) or end - behind > BATCH:
                return False
            if not self.more():
                return True  # a bracket at the end of the file: a truncated document
        return True

    def rest_of_line(self) -> str:
        """Return the rest of the line at `position`; only its first part if it is very long."""
        while (end := self.text.find("\n", self.position)) < 0:
            if len(self.text) - self.position > LONGEST or not self.more():
                end = len(self.text)
                break
        taken = self.text[self.position : end]
        self.position = min(end + 1, len(self.text))
        return taken

    def leave_line(self) -> None:
        """Move to the next line, even if the current line is longer than the window."""
        while (end := self.text.find("\n", self.position)) < 0:
            self.position = len(self.text)
            if not self.more():
                return
        self.position = end + 1
