"""Drivers of readers: which method of a reader gets which part of a file."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO, ClassVar, Generic, TypeVar

from stowage.measure.files.documents import Doubled, Ended, Found, Piece, Started, Text, pieces_of
from stowage.measure.files.text import Line
from stowage.measure.files.whole import Lines, truncated
from stowage.measure.reading import Remark

Result = TypeVar("Result")
"""Type of a reader's results: measurements or finished jobs."""


class LineReader(ABC, Generic[Result]):
    """Reader of a text file, line by line.

    Parameters
    ----------
    takes_cut_line : bool
        Whether a last line without its newline is processed as all others. Otherwise a remark reports it.
    """

    takes_cut_line: ClassVar[bool] = False

    @classmethod
    def read(cls, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Read a file, and yield its results and remarks."""
        reader, lines = cls(), Lines(stream)
        for line, cut in lines.and_cut():
            if cut and not cls.takes_cut_line:
                yield truncated(line)
            else:
                yield from reader.take(line)
        yield from reader.end(cut=lines.cut)

    @abstractmethod
    def take(self, line: Line) -> Iterable[Result | Remark]:
        """Process the next line."""

    @abstractmethod
    def end(self, *, cut: bool) -> Iterable[Result | Remark]:
        """Process the end of the file; ``cut`` if its last line has no newline."""


class DocumentReader(Generic[Result]):
    """Reader of a file of JSON documents, with lines of text between them.

    A reader overrides the methods of the parts that its tool writes; other parts are skipped.

    Parameters
    ----------
    opened : collection of paths
        Objects and lists of a document whose members are processed one by one, as in `pieces_of`.
    """

    opened: ClassVar[Collection[tuple[str, ...]]] = ()
    lines: Lines
    """The file."""

    @classmethod
    def read(cls, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Read a file, and yield its results and remarks."""
        return cls().results(stream)

    def results(self, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Yield the results and remarks of a file."""
        self.lines = Lines(stream)
        held: Found | None = None
        for found in pieces_of(self.lines.stream, self.opened):
            if held is not None:
                yield from self.take(held)
            held = found
        if isinstance(held, Text) and self.lines.cut:
            yield from self.cut_line(held)
        elif held is not None:
            yield from self.take(held)
        yield from self.end(cut=self.lines.cut)

    def take(self, found: Found) -> Iterable[Result | Remark]:
        """Process the next part of the file."""
        match found:
            case Text():
                return self.text(found)
            case Started():
                return self.started(found)
            case Piece():
                return self.piece(found)
            case Doubled():
                return self.doubled(found)
            case Ended():
                return self.ended(found)

    def text(self, _line: Text) -> Iterable[Result | Remark]:
        """Process a line of text."""
        return ()

    def cut_line(self, line: Text) -> Iterable[Result | Remark]:
        """Process a last line of text without its newline."""
        return self.take(line)

    def started(self, _started: Started) -> Iterable[Result | Remark]:
        """Process the beginning of a document."""
        return ()

    def piece(self, _piece: Piece) -> Iterable[Result | Remark]:
        """Process one value of a document."""
        return ()

    def doubled(self, _doubled: Doubled) -> Iterable[Result | Remark]:
        """Process a key that stands twice in an object."""
        return ()

    def ended(self, _ended: Ended) -> Iterable[Result | Remark]:
        """Process the end of a document."""
        return ()

    def end(self, *, cut: bool) -> Iterable[Result | Remark]:  # noqa: ARG002 - for overriding methods
        """Process the end of the file; ``cut`` if its last line has no newline."""
        return ()


def within_a_document(line: Text) -> Remark:
    """Build a remark on a line of text inside a JSON document."""
    return Remark(line.line, f"{line.text.strip()[:80]!r} stands in the middle of a JSON document")


def stands_twice(doubled: Doubled) -> Remark:
    """Build a remark on a key that stands twice in an object."""
    return Remark(doubled.line, f"The key {doubled.key[:60]!r} stands twice; the last counts")
