"""Base class of byte streams whose content is computed while it is read."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class RawStream(io.RawIOBase):
    """A readable stream of the bytes that `take` returns."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def take(self, size: int) -> bytes:
        """Return at most `size` bytes; none after the end."""
        raise NotImplementedError

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill a buffer; return the number of bytes."""
        room = memoryview(buffer).cast("B")
        data = self.take(len(room))
        room[: len(data)] = data
        return len(data)
