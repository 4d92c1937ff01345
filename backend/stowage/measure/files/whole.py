"""Lines of a text, and whether the last line is complete; truncated files usually end within a line."""

from collections.abc import Iterator
from typing import BinaryIO, cast

from stowage.measure.files.text import Line, lines_of


class Lines:
    r"""Lines of a stream; remembers the first and the last bytes of the stream.

    After reading, `cut` shows whether the last line lacks its newline, and `first` has the first 64 bytes or fewer.

    Parameters
    ----------
    stream : BinaryIO

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

    @property
    def stream(self) -> BinaryIO:
        """Return the stream for reading bytes instead of lines, with `read` as its only method."""
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
        """Return whether the last line of a text in UTF-8 or UTF-16 lacks its newline; ignore trailing NUL bytes."""
        return self._last.rstrip(b"\0")[-1:] not in {b"\n", b"\r"}
