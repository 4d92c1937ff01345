"""Decoders of Spark's compression codecs lz4, snappy and lzf, in the stream formats of Spark.

Each stream is a sequence of small blocks. The blocks are decoded here in Python. This takes no more code than using
libraries for the three formats, and exposes no further compiled code to untrusted input.

**Source** LZ4 Block Format Description (2022) in the stream of lz4-java's LZ4BlockOutputStream; Snappy compressed
format description (2011) in the stream of snappy-java's SnappyOutputStream; LZF as written by compress-lzf 1.1. Tested
with: files that Spark 3.5.7 wrote with each codec.
"""

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from stowage.measure.errors import BadArchive

_LARGEST_BLOCK_BYTES: Final = 1 << 20
"""Maximum size of a block; Spark's default is 32 KiB, lzf's up to 64 KiB. A MiB takes at most a second to decode."""


class Packed(Protocol):
    """Compressed stream, which returns fewer bytes than requested only at its end."""

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes."""
        ...


def lz4(packed: Packed) -> Callable[[int], bytes]:
    """Return a function that reads a stream of lz4-java (Spark's codec lz4)."""
    return _Blocks(_lz4_blocks(packed)).read


def snappy(packed: Packed) -> Callable[[int], bytes]:
    """Return a function that reads a stream of snappy-java (Spark's codec snappy)."""
    return _Blocks(_snappy_blocks(packed)).read


def lzf(packed: Packed) -> Callable[[int], bytes]:
    """Return a function that reads a stream of compress-lzf (Spark's codec lzf)."""
    return _Blocks(_lzf_blocks(packed)).read


class _Blocks:
    """Decompressed blocks, read as one stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes; return no bytes at the end.

        Raises
        ------
        EOFError
            The stream ends within a block.
        BadArchive
            The stream is damaged, or a block is too large.
        """
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._left = memoryview(block)
        given, self._left = self._left[:size], self._left[size:]
        return bytes(given)


def _lz4_blocks(packed: Packed) -> Iterator[bytes]:
    ended = False
    while header := packed.read(21):
        if len(header) < 21:
            raise EOFError
        stored, size = (int.from_bytes(header[at : at + 4], "little") for at in (9, 13))
        if header[:8] != b"LZ4Block" or header[8] >> 4 not in {1, 2}:
            raise _damaged("a block without the beginning of one")
        content = _exactly(packed, _bounded(stored))
        ended = size == 0
        if size:
            yield content if header[8] >> 4 == 1 else _whole(_lz4, content, _bounded(size))
    if not ended:
        raise EOFError


def _snappy_blocks(packed: Packed) -> Iterator[bytes]:
    if _exactly(packed, 16)[:8] != b"\x82SNAPPY\x00":
        raise _damaged("no header of snappy-java")
    while header := packed.read(4):
        if len(header) < 4:
            raise EOFError
        content = _exactly(packed, _bounded(int.from_bytes(header, "big")))
        size, at = _varint(content)
        yield _whole(_snappy, content[at:], _bounded(size))


def _lzf_blocks(packed: Packed) -> Iterator[bytes]:
    while header := packed.read(5):
        if len(header) < 5:
            raise EOFError
        if header[:2] != b"ZV" or header[2] not in {0, 1}:
            raise _damaged("a block without the beginning of one")
        stored = int.from_bytes(header[3:5], "big")
        size = int.from_bytes(_exactly(packed, 2), "big") if header[2] else stored
        content = _exactly(packed, stored)
        yield _whole(_lzf, content, size) if header[2] else content


def _exactly(packed: Packed, size: int) -> bytes:
    content = packed.read(size) if size else b""
    if len(content) < size:
        raise EOFError
    return content


def _bounded(size: int) -> int:
    if size > _LARGEST_BLOCK_BYTES:
        raise BadArchive(f"A block of {size:,} bytes; accepted are blocks of up to {_LARGEST_BLOCK_BYTES:,}")
    return size


def _damaged(why: str) -> BadArchive:
    return BadArchive(f"The archive is damaged: {why}")


class _Room:
    """Output buffer of one block, limited to the block's declared size."""

    def __init__(self, size: int) -> None:
        self.bytes = bytearray()
        self._size = size

    def add(self, content: bytes, count: int) -> None:
        """Append literal bytes of the block."""
        if len(content) != count or len(self.bytes) + count > self._size:
            raise IndexError
        self.bytes += content

    def copy(self, back: int, count: int) -> None:
        """Append a copy of earlier bytes of the block.

        They start `back` bytes before the end. The copy may overlap its own output.
        """
        start = len(self.bytes) - back
        if back <= 0 or start < 0 or len(self.bytes) + count > self._size:
            raise IndexError
        if back >= count:
            self.bytes += self.bytes[start : start + count]
        else:
            self.bytes += (self.bytes[start:] * (count // back + 1))[:count]


def _whole(decode: Callable[[bytes, _Room], None], content: bytes, size: int) -> bytes:
    """Decode a block, and check its decoded size.

    It must be exactly `size`.
    """
    room = _Room(size)
    try:
        decode(content, room)
    except IndexError:
        raise _damaged("a block that refers beyond itself") from None
    if len(room.bytes) != size:
        raise _damaged(f"a block of {len(room.bytes):,} bytes that should have {size:,}")
    return bytes(room.bytes)


def _lz4(content: bytes, room: _Room) -> None:
    at, end = 0, len(content)
    while at < end:
        token = content[at]
        count, at = _extended(content, at + 1, token >> 4)
        room.add(content[at : at + count], count)
        at += count
        if at == end:
            return
        back = content[at] | content[at + 1] << 8
        count, at = _extended(content, at + 2, token & 15)
        room.copy(back, count + 4)


def _extended(content: bytes, at: int, count: int) -> tuple[int, int]:
    """Parse a length in lz4 format.

    A length of 15 or more continues in further bytes. The result is the length and the position after it.
    """
    if count == 15:
        while (more := content[at]) == 255:
            count, at = count + 255, at + 1
        count, at = count + more, at + 1
    return count, at


def _snappy(content: bytes, room: _Room) -> None:
    at, end = 0, len(content)
    while at < end:
        tag = content[at]
        at += 1
        if tag & 3 == 0:
            count = tag >> 2
            if count >= 60:
                bytes_of_count = count - 59
                count = int.from_bytes(content[at : at + bytes_of_count], "little")
                at += bytes_of_count
            room.add(content[at : at + count + 1], count + 1)
            at += count + 1
        elif tag & 3 == 1:
            room.copy((tag >> 5) << 8 | content[at], (tag >> 2 & 7) + 4)
            at += 1
        else:
            bytes_of_back = 2 if tag & 3 == 2 else 4
            room.copy(int.from_bytes(content[at : at + bytes_of_back], "little"), (tag >> 2) + 1)
            at += bytes_of_back


def _varint(content: bytes) -> tuple[int, int]:
    """Parse the length that precedes a snappy block.

    The result is the length and the position of the block.
    """
    value = 0
    for at, byte in enumerate(content[:5]):
        value |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return value, at + 1
    raise _damaged("a block without its length")


def _lzf(content: bytes, room: _Room) -> None:
    at, end = 0, len(content)
    while at < end:
        control = content[at]
        at += 1
        if control < 32:
            room.add(content[at : at + control + 1], control + 1)
            at += control + 1
            continue
        count = control >> 5
        if count == 7:
            count, at = count + content[at], at + 1
        room.copy(((control & 31) << 8 | content[at]) + 1, count + 2)
        at += 1
