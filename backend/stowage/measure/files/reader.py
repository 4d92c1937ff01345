"""Drivers of readers: which method of a reader gets which part of a file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, BinaryIO, ClassVar, Generic, TypeVar

from stowage.measure.files.documents import Doubled, Ended, Found, Piece, Started, Text, pieces_of
from stowage.measure.files.shapes import Block, Shape
from stowage.measure.files.text import Line
from stowage.measure.files.whole import Lines, truncated
from stowage.measure.reading import Remark

Result = TypeVar("Result")
"""Type of a reader's results: measurements or finished jobs."""


class LineReader(ABC, Generic[Result]):
    """Reader of a text file, line by line."""

    shape: ClassVar[Shape | None] = None
    """Usual form of a whole run, or of a part of it."""

    @classmethod
    def read(cls, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Read a file, and yield its results and remarks."""
        reader, lines = cls(), Lines(stream)
        held: Line | Block | None = None
        for part in lines if cls.shape is None else lines.blocks(cls.shape):
            if held is not None and (found := reader.take(held) if isinstance(held, Line) else reader.take_block(held)):
                yield from found
            held = part
        if isinstance(held, Block):
            yield from reader.take_block(held)
        elif held is not None:
            yield from reader.cut_line(held) if lines.cut else reader.take(held)
        yield from reader.end(cut=lines.cut)

    def take_block(self, block: Block) -> Iterable[Result | Remark]:
        """Process lines that have the shape, with the same outcome as if `take` got each of them.

        It is only about speed.
        """
        for number, text in enumerate(block.text.split("\n")[:-1], start=block.line):
            yield from self.take(Line(number, text))

    @abstractmethod
    def take(self, line: Line) -> Iterable[Result | Remark]:
        """Process the next line."""

    def cut_line(self, line: Line) -> Iterable[Result | Remark]:
        """Process a last line without its newline: a remark reports it."""
        return (truncated(line),)

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
    shape: ClassVar[Shape | None] = None
    """Usual form of several lines of text."""
    lines: Lines
    """The file."""
    last: Found | None = None
    """Last part of the file, once all others have been processed."""

    @classmethod
    def read(cls, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Read a file, and yield its results and remarks."""
        return cls().results(stream)

    def results(self, stream: BinaryIO) -> Iterator[Result | Remark]:
        """Yield the results and remarks of a file."""
        self.lines = Lines(stream)
        process: dict[type, Callable[[Any], Iterable[Result | Remark]]] = {
            Piece: self.piece,
            Text: self.text,
            Block: self.block,
            Started: self.started,
            Ended: self.ended,
            Doubled: self.doubled,
        }
        held: Found | None = None
        for found in pieces_of(self.lines.stream, self.opened, self.shape):
            # Most parts have no results: no generator for them.
            if held is not None and (results := process[type(held)](held)):
                yield from results
            held = found
        if isinstance(held, Block) and self.lines.cut:
            # Behind it stands nothing but blanks without a newline.
            *texts, held = _texts_in(held)
            for text in texts:
                yield from self.text(text)
        self.last = held
        if isinstance(held, Text) and self.lines.cut:
            yield from self.cut_line(held)
        elif held is not None:
            yield from process[type(held)](held)
        yield from self.end(cut=self.lines.cut)

    def text(self, _line: Text) -> Iterable[Result | Remark]:
        """Process a line of text."""
        return ()

    def block(self, block: Block) -> Iterable[Result | Remark]:
        """Process lines that have the shape, with the same outcome as if `text` got each of them.

        It is only about speed.
        """
        for text in _texts_in(block):
            yield from self.text(text)

    def cut_line(self, line: Text) -> Iterable[Result | Remark]:
        """Process a last line of text without its newline."""
        return self.text(line)

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


def _texts_in(block: Block) -> list[Text]:
    """Return the lines of a block that are not empty."""
    lines = enumerate(block.text.split("\n")[:-1], start=block.line)
    return [Text(number, text) for number, text in lines if text.strip(" \t")]


def within_a_document(line: Text) -> Remark:
    """Build a remark on a line of text inside a JSON document."""
    return Remark(line.line, f"{line.text.strip()[:80]!r} stands in the middle of a JSON document")


def stands_twice(doubled: Doubled) -> Remark:
    """Build a remark on a key that stands twice in an object."""
    return Remark(doubled.line, f"The key {doubled.key[:60]!r} stands twice; the last counts")
