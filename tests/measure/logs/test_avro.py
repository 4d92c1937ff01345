"""Avro's binary encoding: documents read by their own schema, and invalid ones."""

import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avro_documents import written
from stowage.measure.logs.avro import Documents

SCHEMA = {
    "type": "record",
    "name": "Event",
    "fields": [
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "number", "type": "long"},
        {"name": "on", "type": "boolean"},
        {"name": "name", "type": ["null", "string"]},
        {"name": "numbers", "type": {"type": "array", "items": "int"}},
        {"name": "acls", "type": {"type": "map", "values": "string"}},
        {"name": "counter", "type": {"type": "record", "name": "Counter", "fields": [{"name": "n", "type": "double"}]}},
        {"name": "counters", "type": {"type": "array", "items": "Counter"}},
    ],
}
EVENTS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["A", "B"]),
        "number": st.integers(-(2**63), 2**63 - 1),
        "on": st.booleans(),
        "name": st.none() | st.text(),
        "numbers": st.lists(st.integers(-(2**31), 2**31 - 1)),
        "acls": st.dictionaries(st.text(), st.text()),
        "counter": st.fixed_dictionaries({"n": st.floats(allow_nan=False)}),
        "counters": st.lists(st.fixed_dictionaries({"n": st.floats(allow_nan=False)})),
    }
)


def file_of(schema: object, *documents: bytes) -> BytesIO:
    return BytesIO(json.dumps(schema).encode() + b"\n" + b"".join(documents))


def all_of(documents: Documents) -> list[Any]:
    found = []
    while (document := documents.next()) is not None:
        found.append(document)
    return found


@given(st.lists(EVENTS, max_size=5))
@settings(max_examples=50, deadline=None)
def test_documents_are_read_as_they_were_written(events: list[dict[str, Any]]) -> None:
    assert all_of(Documents(file_of(SCHEMA, *(written(SCHEMA, event) for event in events)))) == events


def test_the_specifications_own_examples() -> None:
    """**Source** Apache Avro 1.11 specification, "Binary Encoding": zig-zag numbers, "foo", the array [3, 27]."""
    numbers = {"type": "array", "items": "long"}
    for value, encoded in ((0, "00"), (-1, "01"), (1, "02"), (-2, "03"), (2, "04"), (-64, "7f"), (64, "8001")):
        assert Documents(file_of("long", bytes.fromhex(encoded))).next() == value
    assert Documents(file_of("string", bytes.fromhex("06666f6f"))).next() == "foo"
    assert Documents(file_of(numbers, bytes.fromhex("04063600"))).next() == [3, 27]
    # The same as a block that states its size.
    assert Documents(file_of(numbers, bytes.fromhex("0304063600"))).next() == [3, 27]


@pytest.mark.parametrize(
    "schema",
    ["nonsense", {"type": "fixed", "size": 4}, {"type": "record"}, ["null", "Later"], [[[["long"]]]], {"type": {}}, 7],
)
def test_what_is_no_schema_is_refused(schema: object) -> None:
    nested: object = schema if schema != [[[["long"]]]] else json.loads("[" * 40 + '"long"' + "]" * 40)
    with pytest.raises(ValueError, match="no Avro schema"):
        Documents(file_of(nested))
    with pytest.raises(ValueError, match="no line of up to"):
        Documents(BytesIO(b'"long"'))


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        ("long", "ff" * 10 + "01"),
        ("string", "ffffffff0f"),
        ("string", "01"),
        (["null", "long"], "04"),
        ({"type": "enum", "name": "Kind", "symbols": ["A"]}, "02"),
        ({"type": "array", "items": "null"}, "feffffffff0f"),
    ],
)
def test_what_is_not_of_the_schema_is_refused_in_bounded_time(schema: object, content: str) -> None:
    with pytest.raises(ValueError, match=r"bits|bytes|type|symbol|values"):
        Documents(file_of(schema, bytes.fromhex(content))).next()


def test_a_document_that_is_cut_is_no_document() -> None:
    whole = written(SCHEMA, {"kind": "A", "number": 300, "on": True, "name": "n", "numbers": [1], "acls": {"a": "b"},
                             "counter": {"n": 1.0}, "counters": []})  # fmt: skip
    for size in range(1, len(whole)):
        with pytest.raises(EOFError):
            Documents(file_of(SCHEMA, whole[:size])).next()
