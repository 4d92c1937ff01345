"""Documents in Avro's binary encoding, for tests of its reader."""

import struct
from collections.abc import Callable
from typing import Any


def written(schema: Any, value: Any, named: dict[str, Any] | None = None) -> bytes:
    """Return a value in the binary encoding of a schema.

    For a union the first type that fits is used; for records, the one that `value` names as a key, as in Avro's JSON.
    """
    named = {} if named is None else named
    _learn(schema, named)
    return _of(schema, value, named)


def _learn(schema: Any, named: dict[str, Any]) -> None:
    if isinstance(schema, list):
        for each in schema:
            _learn(each, named)
    elif isinstance(schema, dict):
        if "name" in schema and "type" in schema and schema["type"] in {"record", "enum"}:
            named[schema["name"]] = schema
        for each in schema.get("fields", []):
            _learn(each["type"], named)
        for part in ("items", "values"):
            _learn(schema.get(part), named)
        if isinstance(schema.get("type"), dict | list):
            _learn(schema["type"], named)


def _of(schema: Any, value: Any, named: dict[str, Any]) -> bytes:
    if isinstance(schema, list):
        place, inner = _branch(schema, value)
        return number(place) + _of(schema[place], inner, named)
    if isinstance(schema, str):
        return _of(named[schema], value, named) if schema in named else _PRIMITIVES[schema](value)
    kind = schema["type"]
    if kind == "record":
        fields = [(each["type"], value.get(each["name"], each.get("default"))) for each in schema["fields"]]
        return b"".join(_of(of_field, inner, named) for of_field, inner in fields)
    if kind == "enum":
        return number(schema["symbols"].index(value))
    if kind == "array":
        return _block([_of(schema["items"], each, named) for each in value])
    if kind == "map":
        return _block([text(key) + _of(schema["values"], each, named) for key, each in value.items()])
    return _of(kind, value, named)


def _block(items: list[bytes]) -> bytes:
    return (number(len(items)) + b"".join(items) if items else b"") + b"\x00"


def _branch(schema: list[Any], value: Any) -> tuple[int, Any]:
    names = [each if isinstance(each, str) else each["name"] for each in schema]
    if value is None:
        return names.index("null"), None
    if isinstance(value, dict) and len(value) == 1:
        [(key, inner)] = value.items()
        name = key.rsplit(".", 1)[-1]
        if name in names:
            return names.index(name), inner
    return names.index("string" if isinstance(value, str) else "long"), value


def number(value: int) -> bytes:
    """Return a variable-length zig-zag number."""
    value = (value << 1) ^ (value >> 63)
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def text(value: str) -> bytes:
    """Return a text with its length in front."""
    encoded = value.encode()
    return number(len(encoded)) + encoded


_PRIMITIVES: dict[str, Callable[[Any], bytes]] = {
    "null": lambda _value: b"",
    "boolean": lambda value: b"\x01" if value else b"\x00",
    "int": number,
    "long": number,
    "double": lambda value: struct.pack("<d", value),
    "string": text,
}
