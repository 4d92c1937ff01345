"""JSON documents inside text: detection, memory use, and errors in broken documents."""

import json
import resource
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.errors import Unreadable
from stowage.measure.files.documents import Doubled, Ended, Piece, Started, Text, keys_of, pieces_of
from stowage.measure.files.values import Number, Value, number_at, text_at


def _pieces(content: bytes, *opened: tuple[str, ...]) -> list[tuple[int, tuple[str | int, ...], Value]]:
    return [
        (found.line, found.path, found.value)
        for found in pieces_of(BytesIO(content), opened)
        if isinstance(found, Piece)
    ]


def _problems(content: bytes) -> list[str | None]:
    return [found.problem for found in pieces_of(BytesIO(content)) if isinstance(found, Ended)]


def _plain(value: Value) -> object:
    if isinstance(value, Number):
        return value.value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=5),
    max_leaves=20,
)
_DOCUMENTS = st.dictionaries(st.text("abcé", min_size=1, max_size=3), _JSON, max_size=5)


@given(st.lists(_DOCUMENTS, max_size=4), st.sampled_from([None, 1, 3]), st.sampled_from(["\n", "\n\n", " ", "\r\n"]))
def test_documents_in_a_row_are_read_as_the_standard_library_reads_each(
    documents: list[dict[str, object]], indent: int | None, between: str
) -> None:
    content = between.join(json.dumps(document, indent=indent) for document in documents)
    assert [_plain(value) for _, _, value in _pieces(content.encode())] == documents
    assert _problems(content.encode()) == [None] * len(documents)


@given(_DOCUMENTS, st.data())
def test_a_document_that_is_cut_anywhere_is_never_whole(document: dict[str, object], data: st.DataObject) -> None:
    content = json.dumps(document, indent=2).encode()
    cut = data.draw(st.integers(1, len(content) - 1))
    for found in pieces_of(BytesIO(content[:cut])):
        assert not isinstance(found, Ended) or found.problem


@given(st.binary(max_size=400) | st.text('{}[]",:1eE+-. \n\\ntru', max_size=200).map(str.encode))
def test_any_bytes_are_read_without_a_crash_and_what_starts_ends(content: bytes) -> None:
    found = list(pieces_of(BytesIO(content), [("a",), ("*",)]))
    starts = [each for each in found if isinstance(each, Started | Ended)]
    assert all(isinstance(each, Started if place % 2 == 0 else Ended) for place, each in enumerate(starts))
    assert len(starts) % 2 == 0


def test_text_stands_before_between_and_within_documents() -> None:
    content = b'fio: slow\n{"a": [\n1,\nfio: slower\n2]}\n[  5] local\n[1 of 2\n{"b": 2} done\n'
    found = list(pieces_of(BytesIO(content)))
    assert [each for each in found if isinstance(each, Text)] == [
        Text(1, "fio: slow"),
        Text(4, "fio: slower"),
        Text(6, "[  5] local"),
        Text(7, "[1 of 2"),
        Text(8, " done"),
    ]
    assert _pieces(content) == [(2, (), {"a": [Number("1"), Number("2")]}), (8, (), {"b": Number("2")})]


def test_members_of_opened_containers_come_singly_with_their_lines() -> None:
    content = b'{"v": "x",\n "hosts": [\n  {"name": "h", "points": [\n   {"t": 1},\n   {"t": 2}]}]}'
    assert _pieces(content, ("hosts", "*", "points")) == [
        (1, ("v",), "x"),
        (3, ("hosts", 0, "name"), "h"),
        (4, ("hosts", 0, "points", 0), {"t": Number("1")}),
        (5, ("hosts", 0, "points", 1), {"t": Number("2")}),
    ]


@pytest.mark.parametrize("digits", ["1.50", "-0", "1e5", "1E+05", "12345678901234567890.123456789", "0.000000"])
def test_numbers_keep_their_digits(digits: str) -> None:
    ((_, _, value),) = _pieces(f'{{"n": {digits}}}'.encode())
    assert number_at(value, "n") == Number(digits)
    assert Number(digits).value == float(digits)


@pytest.mark.parametrize("digits", ["nan", "-nan", "NaN", "inf", "-Infinity", "1e309", "-1e309", "9" * 400])
def test_what_is_no_finite_number_has_no_value(digits: str) -> None:
    ((_, _, value),) = _pieces(f'{{"n": {digits}}}'.encode())
    found = number_at(value, "n")
    assert found
    assert found.value is None


@pytest.mark.parametrize(
    "content",
    ['{"a":[1,,2]}', '{"a":[1,2,]}', '{"a":1,}', '{"a" 1}', '{"a":1 "b":2}', '{"a":01}', '{"a":[1}', '{"a":"\\x"}',
     '{"a":.5}', '{"a":True}', '{"a":1]', '{"a":"b'],
)  # fmt: skip
def test_what_is_no_json_is_said_and_the_next_document_is_read(content: str) -> None:
    assert _problems(content.encode() + b'\n{"b": 1}') == [*_problems(content.encode()), None]
    assert _problems(content.encode())[0]


def test_parts_of_a_broken_document_are_no_documents() -> None:
    content = b'{\n  "jobs": [\n    {"a" 1},\n    {"b": 2}\n  ]\n}\nfio-3.33\n{"c": 3}\n'
    assert [value for _, _, value in _pieces(content)] == [{"c": Number("3")}]
    assert [each for each in pieces_of(BytesIO(content)) if isinstance(each, Text)] == [Text(7, "fio-3.33")]


def test_a_key_that_stands_twice_is_said_and_the_last_counts() -> None:
    content = b'{"a": 1,\n "a": 2, "b": {"c": 1,\n "c": 3}}'
    assert [each for each in pieces_of(BytesIO(content)) if isinstance(each, Doubled)] == [
        Doubled(2, "a"),
        Doubled(3, "c"),
    ]
    assert _pieces(content)[0][2] == {"a": Number("2"), "b": {"c": Number("3")}}


def test_strings_come_without_what_no_database_takes() -> None:
    ((_, _, value),) = _pieces(b'{"a": "\\ud800x\\u0000\\u00e9\\ud83d\\ude00"}')
    assert text_at(value, "a") == "\ufffdxé😀"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_the_encoding(encoding: str) -> None:
    assert _pieces('{"é": "ü"}\r\n'.encode(encoding))[0][2] == {"é": "ü"}


@pytest.mark.parametrize(
    "content",
    [b"[" * 10**6, b'{"a":' * 10**6, b'"' * 10**6, b'{"a": "' + b"x" * 3 * 10**6, b'{"a":[1' + b" " * 3 * 10**6,
     b'{"a":[' + b"1," * 210_000, b'{"a":[' + b"1" * 2 * 10**6],
)  # fmt: skip
def test_what_is_too_deep_or_too_large_is_refused_soon(content: bytes) -> None:
    assert not _pieces(content)
    assert all(_problems(content))


def test_empty_lines_by_the_million_are_refused() -> None:
    with pytest.raises(Unreadable):
        list(pieces_of(BytesIO(b'{"a": 1}\n' + b"\n" * 1_000_100)))


def test_a_large_file_passes_in_the_memory_of_its_largest_piece() -> None:
    job = b'{"jobname": "x", "bins": {' + b", ".join(b'"%d": %d' % (each, each) for each in range(2000)) + b"}}"

    class Endless:
        def __init__(self) -> None:
            self.left = 150
            self.started = False

        def read(self, _size: int) -> bytes:
            if not self.started:
                self.started = True
                return b'{"jobs": [\n'
            self.left -= 1
            return b"" if self.left < 0 else job + (b",\n" if self.left else b"]}\n")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [each.line for each in pieces_of(Endless(), [("jobs",)]) if isinstance(each, Piece)]  # type: ignore[arg-type]  # it has a read method only
    assert found == list(range(2, 152))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # [KiB]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"fio version": "fio-3.33", "jobs": [{"jobname": ', ("fio version", "jobs")),
        ('starting\n[1] 5\n[{"a": 1, "b": {"c": 2}}, {"d": 1}]', ("a", "b")),
        ("{}", ()),
        ("no document", ()),
        ('{"a": 1, "\\io": 2, "b": 3}', ("a",)),
        ('{"a": {"b": 1}, "c": [[', ("a", "c")),
    ],
)
def test_keys_of_the_first_document_are_told_of_a_part_of_it(text: str, keys: tuple[str, ...]) -> None:
    assert keys_of(text) == keys
