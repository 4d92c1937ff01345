"""Decoder of Avro's binary encoding, which uses the schema in the same file.

**Source** Apache Avro 1.11 specification, "Binary Encoding" (2022). Only the types in Hadoop's job history are
supported: null, boolean, int, long, float, double, bytes, string, record, enum, array, map and union.
"""

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final

_CHUNK: Final = 1 << 16
_LONGEST_BYTES: Final = 1 << 20
_MOST_VALUES: Final = 1_000_000
"""Maximum number of values in a document; more than the counters of the largest job."""
_DEEPEST: Final = 32
_PRIMITIVES: Final = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")

Read = Callable[["_Bytes"], Any]


class Documents:
    """Reader of consecutive Avro documents with one schema.

    Parameters
    ----------
    stream : BinaryIO
        A line with the schema as JSON, followed by the documents.

    Raises
    ------
    ValueError
        The stream does not begin with a schema, or the schema has unsupported types.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._bytes = _Bytes(stream)
        schema = self._bytes.line().decode("utf-8", "replace")
        try:
            self._read = _reader(json.loads(schema), {}, 0)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ValueError(f"{schema[:40]!a} is no Avro schema") from None

    def next(self) -> Any:  # noqa: ANN401 - as the schema has it
        """Return the next document; None at the end.

        Raises
        ------
        EOFError
            The file ends within the document.
        ValueError
            The document does not match the schema.
        """
        if self._bytes.at_end():
            return None
        self._bytes.values = 0
        return self._read(self._bytes)


class _Bytes:
    """Stream that is read a few bytes at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = b""
        self._at = 0
        self.values = 0

    def at_end(self) -> bool:
        if self._at < len(self._held):
            return False
        self._held, self._at = self._stream.read(_CHUNK), 0
        return not self._held

    def take(self, size: int) -> bytes:
        if not 0 <= size <= _LONGEST_BYTES:
            raise ValueError(f"a text of {size:,} bytes; accepted: up to {_LONGEST_BYTES:,}")
        while len(self._held) - self._at < size:
            more = self._stream.read(_CHUNK)
            if not more:
                raise EOFError
            self._held, self._at = self._held[self._at :] + more, 0
        taken = self._held[self._at : self._at + size]
        self._at += size
        return taken

    def line(self) -> bytes:
        """Return the next line, without its newline."""
        while (end := self._held.find(b"\n", self._at)) < 0:
            more = self._stream.read(_CHUNK)
            if not more or len(self._held) > _LONGEST_BYTES:
                raise ValueError(f"no line of up to {_LONGEST_BYTES:,} bytes")
            self._held += more
        taken, self._at = self._held[self._at : end], end + 1
        return taken

    def number(self) -> int:
        """Return the next integer of up to 64 bits, which has zig-zag encoding."""
        value = shift = 0
        while True:
            if self._at < len(self._held):
                byte = self._held[self._at]
                self._at += 1
            else:
                byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def count(self) -> None:
        self.values += 1
        if self.values > _MOST_VALUES:
            raise ValueError(f"more than {_MOST_VALUES:,} values in a document")


def _text(source: _Bytes) -> str:
    return source.take(source.number()).decode("utf-8", "replace")


_OF_PRIMITIVES: Final[Mapping[str, Read]] = {
    "null": lambda _source: None,
    "boolean": lambda source: source.take(1) == b"\x01",
    "int": _Bytes.number,
    "long": _Bytes.number,
    "float": lambda source: struct.unpack("<f", source.take(4))[0],
    "double": lambda source: struct.unpack("<d", source.take(8))[0],
    "bytes": lambda source: source.take(source.number()),
    "string": _text,
}


def _reader(schema: Any, named: dict[str, Read], depth: int) -> Read:  # noqa: ANN401 - JSON
    """Build a function that reads a value of the given schema.

    `named` has the functions for types that were defined earlier, by the names of the types.
    """
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(schema, list):
        return _union([_reader(each, named, depth + 1) for each in schema])
    if isinstance(schema, str):
        return _OF_PRIMITIVES[schema] if schema in _PRIMITIVES else named[schema]
    kind = schema["type"]
    if kind == "record":
        return _record(schema, named, depth)
    if kind == "enum":
        return _name(schema, named, _enum([str(each) for each in schema["symbols"]]))
    if kind == "array":
        return _array(_reader(schema["items"], named, depth + 1))
    if kind == "map":
        return _map(_reader(schema["values"], named, depth + 1))
    return _reader(kind, named, depth + 1)


def _name(schema: Mapping[str, Any], named: dict[str, Read], read: Read) -> Read:
    named[schema["name"]] = read
    return read


def _record(schema: Mapping[str, Any], named: dict[str, Read], depth: int) -> Read:
    fields = [(str(each["name"]), _reader(each["type"], named, depth + 1)) for each in schema["fields"]]

    def read(source: _Bytes) -> dict[str, Any]:
        source.count()
        return {name: of_field(source) for name, of_field in fields}

    return _name(schema, named, read)


def _enum(symbols: list[str]) -> Read:
    def read(source: _Bytes) -> str:
        place = source.number()
        if not 0 <= place < len(symbols):
            raise ValueError(f"symbol {place} of {len(symbols)}")
        return symbols[place]

    return read


def _union(branches: list[Read]) -> Read:
    def read(source: _Bytes) -> Any:  # noqa: ANN401 - of the branch
        place = source.number()
        if not 0 <= place < len(branches):
            raise ValueError(f"type {place} of {len(branches)}")
        return branches[place](source)

    return read


def _blocks(source: _Bytes) -> int:
    """Return the number of items in the next block of an array or map.

    The number 0 marks the end.
    """
    items = source.number()
    if items < 0:
        source.number()  # bytes of the block, for readers that skip it
        items = -items
    return items


def _array(of_item: Read) -> Read:
    def read(source: _Bytes) -> list[Any]:
        found = []
        while items := _blocks(source):
            for _ in range(items):
                source.count()
                found.append(of_item(source))
        return found

    return read


def _map(of_value: Read) -> Read:
    def read(source: _Bytes) -> dict[str, Any]:
        found = {}
        while items := _blocks(source):
            for _ in range(items):
                source.count()
                key = _text(source)
                found[key] = of_value(source)
        return found

    return read
