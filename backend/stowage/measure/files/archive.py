"""Unpacking of uploads: plain files, archives, and compressed files.

Archives are zip and tar. Compression is gzip, Zstandard or one of Spark's codecs. The first bytes determine the format,
never the name. Files of an archive may be compressed too, as logs often are. Nothing is unpacked to disk, and no path
of an archive is ever opened. Members are streams that are read one after the other, with a few hundred KB of memory
each. The limits on expansion apply to all members together.
"""

import gzip
import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, Final, Literal

import zstandard

from stowage.frozen import frozen
from stowage.measure.errors import BadArchive
from stowage.measure.files.raw import RawStream
from stowage.measure.files.tarball import TarMember, looks_like_tar, members_of_tar
from stowage.measure.logs import rolled, spark_codecs

_Kind = Literal["zip", "tar", "gzip", "zstd", "lz4", "snappy", "lzf", "bzip2", "xz", "7z", "rar", "file"]

ACCEPTED: Final = "a file of a benchmark tool or a log, or a zip, tar, tar.gz, tar.zst, .gz or .zst of such files"
_CHUNK: Final = 1 << 16
_LARGEST_DIRECTORY_BYTES: Final = 1 << 20
"""Maximum size of a zip's directory; a thousand members with the longest paths need less."""
_LARGEST_WINDOW_BYTES: Final = 1 << 25
"""Maximum window of Zstandard; `zstd -19` needs 8 MiB, `--long` and `--ultra` may need 128 MiB and more."""
_ZSTD_SIP_BYTES: Final = 256
"""Size of the pieces passed to Zstandard; a block of 4 bytes may expand to 128 KiB, so a piece to at most 8 MiB."""
_MAGIC: Final[tuple[tuple[re.Pattern[bytes], _Kind], ...]] = (
    (re.compile(rb"PK(\x03\x04|\x05\x06|\x06\x06)"), "zip"),
    (re.compile(rb"\x1f\x8b"), "gzip"),
    (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), "zstd"),
    (re.compile(rb"LZ4Block"), "lz4"),
    (re.compile(rb"\x82SNAPPY\x00"), "snappy"),
    (re.compile(rb"ZV[\x00\x01]"), "lzf"),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)"), "bzip2"),
    (re.compile(rb"\xfd7zXZ\x00"), "xz"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "7z"),
    (re.compile(rb"Rar!\x1a\x07"), "rar"),
)


@frozen
class Limits:
    """Limits on the expansion of an upload when it is unpacked."""

    total_bytes: int = 1 << 30
    """Maximum total unpacked size of all files."""
    ratio: int = 200
    """Maximum number of unpacked bytes per packed byte."""
    ratio_from_bytes: int = 1 << 20
    """Number of unpacked bytes from which on `ratio` is checked."""
    members: int = 1_000
    """Maximum number of entries of an archive: files, directories and all others."""
    path_characters: int = 500
    """Maximum length of a path."""


LIMITS: Final = Limits()


def files_of(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Iterator[tuple[str, BinaryIO]]:
    """Yield each file of an upload with its path.

    The parts of a rolled event log are joined into one file. Parameters and errors are those of `members_of`. A stream
    is valid until the next one is requested.
    """
    return rolled.joined(members_of(stream, name, limits))


def members_of(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Iterator[tuple[str, BinaryIO]]:
    """Yield each file of an upload with its path.

    Parameters
    ----------
    stream : BinaryIO
        The upload. It must be seekable: a zip has its directory at the end.
    name : str
        Name of the upload; for a plain file also its path. A final `.gz`, `.zst` and so on is dropped if the file
        was compressed.
    limits : Limits

    Yields
    ------
    tuple of str and BinaryIO
        Path and content. A stream is valid until the next one is requested. Reading a stream raises `BadArchive` if it
        expands too far or is truncated.

    Raises
    ------
    BadArchive
        The upload cannot be unpacked. The message states what is accepted. Files that were yielded before must be
        discarded.
    """
    packed = _Counted(stream)
    budget = _Budget(limits)
    head = stream.read(_CHUNK)
    stream.seek(0)
    kind = _kind_of(head)
    if kind == "file":
        if not head:
            raise BadArchive(f"The file is empty; accepted is {ACCEPTED}")
        yield name, _guarded(stream.read, budget)
    elif kind == "zip":
        yield from _of_zip(stream, budget)
    elif kind == "tar":
        yield from _of_tar(_guarded(packed.read, budget), budget, packed)
    elif kind in _UNPACKERS:
        inner = _guarded(_unpacked(kind, packed, name), budget, packed)
        head = inner.peek(_CHUNK)
        inner_kind = _kind_of(head)
        if inner_kind == "tar":
            yield from _of_tar(inner, budget, packed)
        elif inner_kind == "file":
            yield re.sub(r"\.(gz|gzip|zst|zstd|lz4|snappy|lzf)\Z", "", name, flags=re.IGNORECASE) or name, inner
            _drain(inner)
        else:
            raise BadArchive(f"A {inner_kind} archive inside a {kind} one; accepted is {ACCEPTED}")
    else:
        raise BadArchive(f"This is a {kind} archive; accepted is {ACCEPTED}")


def _kind_of(head: bytes) -> _Kind:
    for magic, kind in _MAGIC:
        if magic.match(head):
            return kind
    return "tar" if looks_like_tar(head) else "file"


class _Budget:
    """Number of bytes unpacked so far from all members, with the limits on this number."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unpacked = 0

    def take(self, count: int, packed: int | None) -> None:
        self.unpacked += count
        if self.unpacked > self.limits.total_bytes:
            raise BadArchive(
                f"It unpacks to more than {self.limits.total_bytes:,} bytes; at most that much is accepted"
            )
        if (
            packed is not None
            and self.unpacked > self.limits.ratio_from_bytes
            and self.unpacked > packed * self.limits.ratio
        ):
            raise BadArchive(
                f"It expands more than {self.limits.ratio}-fold ({self.unpacked:,} bytes out of {packed:,}); "
                "output of benchmark tools does not"
            )


class _Counted(RawStream):
    """A stream that counts the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.taken = 0

    def take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.taken += len(data)
        return data


class _Guard(RawStream):
    """Stream of unpacked bytes that enforces the limits on expansion.

    It also converts errors of the libraries to `BadArchive`.
    """

    def __init__(self, read: Callable[[int], bytes], budget: _Budget, packed: _Counted | int | None) -> None:
        self._read = read
        self._budget = budget
        self._packed = packed

    def take(self, size: int) -> bytes:
        taken, left = [], size
        while left:
            try:
                data = self._read(left)
            except EOFError:
                raise BadArchive("The archive ends in the middle: it was not copied whole") from None
            except (OSError, zlib.error, zstandard.ZstdError, zipfile.BadZipFile, NotImplementedError) as error:
                raise BadArchive(f"The archive is damaged: {error}") from None
            if not data:
                break
            taken.append(data)
            left -= len(data)
            self._budget.take(len(data), self._packed.taken if isinstance(self._packed, _Counted) else self._packed)
        return b"".join(taken)


def _guarded(read: Callable[[int], bytes], budget: _Budget, packed: _Counted | int | None = None) -> io.BufferedReader:
    return io.BufferedReader(_Guard(read, budget, packed), _CHUNK)


class _Zstd:
    """Reader of consecutive Zstandard frames.

    Unlike the stream of the library, it raises an error if a frame is truncated.
    """

    def __init__(self, packed: "_Counted | io.BufferedReader") -> None:
        self._packed = packed
        self._context = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW_BYTES)
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._rest = b""
        self._out = b""

    def read(self, size: int) -> bytes:
        while not self._out:
            sip = self._rest or self._packed.read(_ZSTD_SIP_BYTES)
            self._rest = b""
            if not sip:
                if self._frame is not None:
                    raise EOFError
                return b""
            self._frame = self._frame or self._context.decompressobj()
            self._out = self._frame.decompress(sip)
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._frame = None
        given, self._out = self._out[:size], self._out[size:]
        return given


_UNPACKERS: Final[dict[_Kind, Callable[["_Counted | io.BufferedReader"], Callable[[int], bytes]]]] = {
    "gzip": lambda packed: gzip.GzipFile(fileobj=packed).read,
    "zstd": lambda packed: _Zstd(packed).read,
    "lz4": spark_codecs.lz4,
    "snappy": spark_codecs.snappy,
    "lzf": spark_codecs.lzf,
}
"""Compression formats of a single file, each with its decompressor."""


class _Sips(RawStream):
    """Stream that refuses large reads.

    It is needed since `zipfile` reads the whole directory of a zip at once.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def read(self, size: int = -1, /) -> bytes:
        if size > _LARGEST_DIRECTORY_BYTES:
            raise BadArchive(
                f"The zip's directory is larger than {_LARGEST_DIRECTORY_BYTES:,} bytes; at most that much is accepted"
            )
        return self._stream.read(_LARGEST_DIRECTORY_BYTES if size < 0 else size)


def _of_zip(stream: BinaryIO, budget: _Budget) -> Iterator[tuple[str, BinaryIO]]:
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    try:
        archive = zipfile.ZipFile(_Sips(stream))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError, OverflowError) as error:
        raise BadArchive(f"The zip archive is damaged or cut off: {error}") from None
    with archive:
        members = sorted(archive.infolist(), key=lambda member: rolled.order(member.filename))
        if len(members) > budget.limits.members:
            raise BadArchive(f"The zip holds {len(members):,} members; at most {budget.limits.members:,} are accepted")
        if sum(member.compress_size for member in members) > size:
            raise BadArchive("The zip's members overlap: they are larger than the archive")
        left_out = rolled.replaced(member.filename for member in members)
        files, packed = 0, 0
        for member in members:
            path = _checked_path(member.filename, budget.limits)
            packed += member.compress_size
            if member.is_dir() or is_beside(path) or path in left_out:
                continue
            files += 1
            with _opened(archive, member) as content:
                yield path, _plain(path, _guarded(content.read, budget, packed), budget, packed)
        if not files:
            raise BadArchive(f"The zip holds no file; accepted is {ACCEPTED}")


def _opened(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    path = member.filename
    if stat.S_IFMT(member.external_attr >> 16) not in {0, stat.S_IFREG}:
        raise BadArchive(f"{path!r} in the zip is a link or a device; files are accepted")
    if member.flag_bits & 0x1:
        raise BadArchive(f"{path!r} in the zip is encrypted; pack it without a password")
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        # The library limits the output of one call only for these two methods.
        raise BadArchive(f"{path!r} is packed by method {member.compress_type}; stored and deflate are accepted")
    try:
        return archive.open(member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError, EOFError) as error:
        raise BadArchive(f"{path!r} in the zip is damaged: {error}") from None


def _of_tar(stream: io.BufferedReader, budget: _Budget, packed: _Counted) -> Iterator[tuple[str, BinaryIO]]:
    limits = budget.limits
    listed, files = 0, 0
    for member in members_of_tar(stream):
        listed += 1
        if listed > limits.members:
            raise BadArchive(f"The tar holds more than {limits.members:,} members; at most that many are accepted")
        path = _checked_path(member.path, limits)
        if member.kind == "directory" or is_beside(path):
            continue
        if member.kind != "file":
            raise BadArchive(f"{path!r} in the tar is a {member.kind}; files are accepted")
        files += 1
        yield path, _plain(path, io.BufferedReader(_Part(member), _CHUNK), budget, packed)
    if not files:
        raise BadArchive(f"The tar holds no file; accepted is {ACCEPTED}")
    _drain(stream)


def _drain(stream: BinaryIO) -> None:
    """Read a stream to its end, so that the checksum of the content is verified."""
    while stream.read(_CHUNK):
        pass


class _Part(RawStream):
    """Member of a tar archive as a raw stream."""

    def __init__(self, member: TarMember) -> None:
        self._member = member

    def take(self, size: int) -> bytes:
        return self._member.read(size)


def _plain(path: str, content: io.BufferedReader, budget: _Budget, packed: _Counted | int) -> io.BufferedReader:
    """Return the content of a file in an archive.

    If the file is compressed, the content is decompressed.

    Raises
    ------
    BadArchive
        The file is itself an archive, or is compressed twice.
    """
    kind = _kind_of(content.peek(_CHUNK))
    if kind in _UNPACKERS:
        content = _guarded(_unpacked(kind, content, path), budget, packed)
        kind = _kind_of(content.peek(_CHUNK))
    if kind != "file":
        raise BadArchive(f"{path!r} is a {kind} archive inside an archive; unpack it first")
    return content


def _unpacked(kind: _Kind, packed: "_Counted | io.BufferedReader", path: str) -> Callable[[int], bytes]:
    """Return a function that reads decompressed bytes.

    For files of a rolled log the function accepts truncation, since Spark may still be writing the file.
    """
    read = _UNPACKERS[kind](packed)
    if not rolled.is_part(path):
        return read

    def up_to_a_cut(size: int) -> bytes:
        try:
            return read(size)
        except EOFError:
            return b""

    return up_to_a_cut


def is_beside(path: str) -> bool:
    """Return whether an entry of an archive is a companion file of macOS, or a checksum file of Hadoop."""
    *folders, name = path.split("/")
    return (
        "__MACOSX" in folders
        or name.startswith("._")
        or name == ".DS_Store"
        or (name.startswith(".") and name.endswith(".crc"))
    )


def _checked_path(path: str, limits: Limits) -> str:
    """Return a path in an archive after checking that it is not malicious.

    Paths are only displayed, but a displayed path can deceive people.
    """
    told = repr(path[:80])
    if not path or len(path) > limits.path_characters:
        raise BadArchive(
            f"A path in the archive has {len(path)} characters; accepted are 1 to {limits.path_characters}"
        )
    if any(unicodedata.category(character).startswith("C") for character in path):
        raise BadArchive(f"The path {told} in the archive holds control characters")
    parts = re.split(r"[/\\]", path)
    if parts[0] == "" or re.match(r"[A-Za-z]:", path) or ".." in parts:
        raise BadArchive(f"The path {told} in the archive leads out of it; accepted are paths below it")
    return path
