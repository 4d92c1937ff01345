"""Stream of a file's lines, with a check that the last line is complete.

Truncated files usually end within a line.
"""

from collections.abc import Iterator
from typing import BinaryIO, cast

from stowage.measure.files.compiled import maker
from stowage.measure.files.shapes import LONGEST_BLOCK, Block, Shape, match
from stowage.measure.files.text import Line, chunks_of, lines_of
from stowage.measure.reading import Remark

ENDS_WITHIN_A_LINE = "it ends in the middle of a line"
"""Problem of a run whose file ends so."""
_line = maker(Line)


class Lines:
    r"""Lines of a stream, with a check that the last one is complete.

    After reading, `cut` is True if the last line lacks its newline. `first` has the first bytes of the stream, at most
    64.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = Lines(BytesIO(b"one\ntw"))
    >>> [line.text for line in lines], lines.cut
    (['one', 'tw'], True)
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._last = b"\n"
        self.first = b""

    def __iter__(self) -> Iterator[Line]:
        return lines_of(self.stream)

    def and_cut(self) -> Iterator[tuple[Line, bool]]:
        """Yield each line, and whether it is a last line without its newline."""
        held: Line | None = None
        for line in self:
            if held is not None:
                yield held, False
            held = line
        if held is not None:
            yield held, self.cut

    def blocks(self, shape: Shape) -> Iterator[Line | Block]:
        """Yield the lines; wherever lines have the shape, they are one block.

        A block never has the last line of a file that lacks its newline.
        """
        number, position, text = 1, 0, ""
        chunks = chunks_of(self.stream)
        while True:
            if len(text) - position < LONGEST_BLOCK and (chunk := next(chunks, None)) is not None:
                text, position = text[position:] + chunk, 0
                continue
            if found := match(shape.compiled, text, position, number):
                block, lines = found
                behind = position + len(block.text)
                if behind < len(text) or not self.cut:
                    yield block
                    number, position = number + lines, behind
                    continue
            end = text.find("\n", position)
            if end < 0 and position == len(text):
                return
            end = len(text) if end < 0 else end
            yield _line(number, text[position:end])
            number, position = number + 1, end + 1

    @property
    def stream(self) -> BinaryIO:
        """Return the stream, to read bytes instead of lines.

        It has only the method `read`.
        """
        return cast("BinaryIO", self)

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes, and remember the last bytes."""
        taken = self._stream.read(size)
        if taken:
            self.first = self.first or taken[:64]
            self._last = taken[-4:]
        return taken

    @property
    def cut(self) -> bool:
        """Return whether the last line lacks its newline.

        The text is in UTF-8 or UTF-16. NUL bytes at its end are ignored.
        """
        return self._last.rstrip(b"\0")[-1:] not in {b"\n", b"\r"}


def truncated(line: Line) -> Remark:
    """Build a remark on a last line without its newline."""
    return Remark(line.number, f"{line.text.strip()[:80]!r} has no newline: the line may be truncated")
