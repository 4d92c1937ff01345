"""Reader of the members of a tar archive, from a stream and in bounded memory.

The standard library parses the header blocks, but not the archive. Its own iteration would load headers of any length
into memory, and an extended header may claim a gigabyte.

**Source** POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header"; GNU tar 1.34, "Basic Tar Format"
(types L and K: a long name or link, before the header it belongs to).
"""

import re
import tarfile
from collections.abc import Iterator
from typing import BinaryIO, Final, Literal

from stowage.measure.errors import BadArchive

_BLOCK: Final = 512
_LONGEST_HEADER_BYTES: Final = 1 << 16
_CUT_OFF: Final = "The tar ends in the middle: it was not copied whole"
_EXTENDED: Final = {b"x", b"g", b"L", b"K", b"X"}
_RECORD_LENGTH: Final = re.compile(rb"([0-9]{1,7}) ")

Kind = Literal["file", "directory", "link", "device or queue", "member of an unknown kind"]


def looks_like_tar(head: bytes) -> bool:
    """Return whether a file begins with a tar header, according to the checksum in the header.

    Parameters
    ----------
    head : bytes
        At least 512 bytes, or the whole file.
    """
    try:
        return len(head) >= _BLOCK and bool(_header(head[:_BLOCK]).name)
    except tarfile.HeaderError:
        return False


class TarMember:
    """One member of a tar archive.

    It must be read before the next one is requested.

    Parameters
    ----------
    stream : BinaryIO
        The archive, positioned after the header of the member.
    path : str
    kind : Kind
    size : int
        Size of the content [bytes].
    """

    def __init__(self, stream: BinaryIO, path: str, kind: Kind, size: int) -> None:
        self._stream = stream
        self.path = path
        self.kind: Kind = kind
        self._left = size
        self._padding = -size % _BLOCK

    def read(self, count: int) -> bytes:
        """Read at most `count` bytes; return no bytes after the end."""
        wanted = min(count, self._left)
        data = self._stream.read(wanted)
        if len(data) < wanted:
            raise BadArchive(_CUT_OFF)
        self._left -= len(data)
        return data

    def skip(self) -> None:
        """Skip the rest of the member, up to the next header."""
        while self._left:
            self.read(1 << 16)
        self._stream.read(self._padding)


def members_of_tar(stream: BinaryIO) -> Iterator[TarMember]:
    """Yield the members of a tar.

    Parameters
    ----------
    stream : BinaryIO
        Positioned at the first header. Its `read` returns fewer bytes than requested only at the end.

    Raises
    ------
    BadArchive
        A header is invalid, or the tar is truncated.
    """
    path: str | None = None
    size: int | None = None
    while True:
        block = stream.read(_BLOCK)
        if not block.strip(b"\0"):
            # A tar ends with two empty blocks, or one from some writers. Without any, it was truncated between members.
            if path is not None or len(block) < _BLOCK:
                raise BadArchive(_CUT_OFF)
            return
        if len(block) < _BLOCK:
            raise BadArchive(_CUT_OFF)
        try:
            header = _header(block)
        except tarfile.HeaderError as error:
            raise BadArchive(f"The tar is damaged: {error}") from None
        if header.type in _EXTENDED:
            content = _extended(stream, header.size)
            if header.type == b"L":
                path = content.rstrip(b"\0").decode(errors="replace")
            elif header.type in {b"x", b"X"}:
                records = _records(content)
                if any(key.startswith("GNU.sparse") for key in records):
                    raise BadArchive("The tar holds a file with holes; pack it without --sparse")
                path = records.get("path", path)
                size = _size(records["size"]) if "size" in records else size
            continue
        kind = _kind(header)
        # The size in a link's header is its target's: no content follows.
        length = (header.size if size is None else size) if kind not in {"link", "directory"} else 0
        member = TarMember(stream, path or header.name, kind, length)
        path, size = None, None
        yield member
        member.skip()


def _header(block: bytes) -> tarfile.TarInfo:
    header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    if header.size < 0:
        raise tarfile.HeaderError("a negative size")
    return header


def _kind(header: tarfile.TarInfo) -> Kind:
    if header.isdir():
        return "directory"
    if header.islnk() or header.issym():
        return "link"
    if header.isdev():
        return "device or queue"
    if header.type in {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}:
        return "file"
    return "member of an unknown kind"


def _extended(stream: BinaryIO, size: int) -> bytes:
    if size > _LONGEST_HEADER_BYTES:
        raise BadArchive(f"A header of the tar has {size:,} bytes; at most {_LONGEST_HEADER_BYTES:,} are accepted")
    content = stream.read(size)
    if len(content) < size:
        raise BadArchive(_CUT_OFF)
    stream.read(-size % _BLOCK)
    return content


def _records(content: bytes) -> dict[str, str]:
    """Parse the records of an extended header.

    A record is `length key=value` and a newline. The length is that of the whole record.
    """
    records: dict[str, str] = {}
    start, end = 0, len(content.rstrip(b"\0"))
    while start < end:
        written = _RECORD_LENGTH.match(content, start)
        # A record whose length is invalid or ends before its own `key=` would make the parser loop.
        stop = start + int(written[1]) if written else start
        key, equals, value = content[written.end() : stop - 1].partition(b"=") if written else (b"", b"", b"")
        if not equals or stop > end or content[stop - 1 : stop] != b"\n":
            raise BadArchive("The tar is damaged: an extended header is not made of records")
        records[key.decode(errors="replace")] = value.decode(errors="replace")
        start = stop
    return records


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise BadArchive(f"The tar is damaged: a size of {text[:40]!r}")
    return int(text)
