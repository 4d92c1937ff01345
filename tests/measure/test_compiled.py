"""Compiled loops of the readers: the results of Python, to the last bit, or none."""

import random
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.files import documents
from stowage.measure.files.compiled import (
    CUT,
    REFUSED,
    Paths,
    add_metrics,
    document_functions,
    make_metric,
    maker,
    plain_number,
    product,
)
from stowage.measure.files.documents import Ended, Found, Piece, Started, Text
from stowage.measure.files.printed import BITS, GIB, KIB, MILLISECONDS, TIB
from stowage.measure.files.values import Number, Value, float_at, number_at, text_at, value_at, written
from stowage.measure.reading import Metric, PrintedValue

scan, decode = document_functions(Started, Piece, Ended, Text)
Scanned: TypeAlias = tuple[list[Found], int, int, int]
PARTS = (
    "{", "}", "[", "]", ",", ":", '"a"', '"jobs"', '"jobs": [', '{"a": ', '"b": {"c": 1}', "1", "-1.50e3", "true",
    "null", "NaN", "\n", " ", "x", '"\\n"', '"\\u00e9"', '"é"', '{"a": 1}\n', '[{"a": [2]}]\n', "\t", "\r\n",
)  # fmt: skip

FACTORS = (BITS, GIB, KIB, MILLISECONDS, TIB, Decimal(1), Decimal(1) / 1000, KIB * 1000 / 8, Decimal("1E+3"))


def texts(count: int) -> list[str]:
    """Return printed numbers, most of them of at most 18 digits."""
    chance = random.Random(7)  # noqa: S311 - no secret
    found = []
    for _ in range(count):
        digits = "".join(chance.choices("0123456789", k=chance.randint(1, 21)))
        point = chance.randint(0, len(digits))
        found.append(digits if chance.random() < 0.3 else f"{digits[:point]}.{digits[point:]}")
    return found


def test_a_metric_is_the_exact_product_rounded_once() -> None:
    made = 0
    for place, text in enumerate(texts(20_000)):
        factor = FACTORS[place % len(FACTORS)]
        metric = make_metric("read_iops", text, text, "1/s", "iops", factor)
        if metric is not None:
            made += 1
            expected = Metric("read_iops", float(Decimal(text) * factor), PrintedValue(text, "1/s", "iops"))
            assert metric == expected, (text, factor)
    assert made > 10_000


def test_a_plain_number_is_the_float_of_its_text() -> None:
    for text in texts(20_000):
        value = plain_number(text)
        assert value is None or value == float(text)


@pytest.mark.parametrize(
    "text",
    ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", " 1", "1 ", "1.2.3", "nan", "inf", "\u0661", "1" * 19, "0x1"],
)
def test_every_other_form_is_left_to_python(text: str) -> None:
    assert plain_number(text) is None
    assert make_metric("read_iops", text, text, "1/s", "iops", Decimal(1)) is None
    metrics: dict[str, Metric] = {}
    one = Decimal(1)
    plan = (("r", "read_iops", "1/s", "iops", one), ("no", "trim_iops", "", "", one), ("w", "write_iops", "", "", one))
    assert add_metrics(metrics, plan, {"w": Number(text), "no": "7", "r": Number("7")}, 0) == 2
    assert list(metrics) == ["read_iops"]
    assert add_metrics(metrics, ((1, "write_iops", "", "", one), (0, "trim_iops", "", "", one)), [text, "8"], 0) == 1
    assert metrics["write_iops"].value == 8.0


@pytest.mark.parametrize("factor", [*map(Decimal, ("-1", "NaN", "Infinity", "1E+40", "1E-40"))])
def test_unusual_factors_are_left_to_python(factor: Decimal) -> None:
    assert make_metric("read_iops", "7", "7", "1/s", "iops", factor) is None


def test_each_of_many_factors_counts() -> None:
    chance = random.Random(5)  # noqa: S311 - no secret
    factors = [Decimal(place) / 1_000 for place in range(1, 2_001)]
    for factor in chance.choices(factors, k=10_000):
        assert product("7", factor) == float(7 * factor)


def test_long_texts_are_left_to_python() -> None:
    assert make_metric("read_iops", "7", "7" * 61, "1/s", "iops", Decimal(1)) is None
    assert make_metric("read_iops", "7", "7", "x" * 61, "iops", Decimal(1)) is None
    assert make_metric("read_iops", "7", "7", "1/s", "x" * 121, Decimal(1)) is None


def test_records_are_those_of_their_class() -> None:
    made = maker(PrintedValue)
    assert made("1.50", "KiB/s", "bw") == PrintedValue("1.50", "KiB/s", "bw")
    with pytest.raises(TypeError, match="2 values were given to a record of 3 fields"):
        made("1.50", "KiB/s")


@dataclass(slots=True, weakref_slot=True)
class _Referable:
    text: str


@dataclass
class _Open:
    text: str


@pytest.mark.parametrize("kind", [_Referable, _Open])
def test_a_class_with_more_than_its_fields_is_no_record(kind: type) -> None:
    with pytest.raises((TypeError, AttributeError)):
        maker(kind)


def found_in(text: str, position: int = 0, *, opened: Paths | None = None, deepest: int = 3) -> Scanned:
    return scan(text, position, 1, opened, deepest, 100, None)


def test_documents_and_the_lines_around_them_are_found_in_one_scan() -> None:
    text = 'é\n\n {"a": 1,\n "b": [\n  2, {"c": "}\\"]"}]}[3\n'
    events, end, line, stopped = found_in(text, 1, opened={"b": {"*": {}}})
    assert events == [
        Started(3),
        Piece(3, ("a",), Number("1")),
        Piece(4, ("b", 0), Number("2")),
        Piece(5, ("b", 1, "c"), '}"]'),
        Ended(5, 3, None),
        Text(5, "[3"),
    ]
    assert (end, line, stopped) == (len(text), 6, CUT)


@pytest.mark.parametrize(
    ("text", "stopped"),
    [
        ('{"a": 1, "a": 2}', REFUSED),
        ('{"a": "\\u0041"}', REFUSED),
        ('{"a": "\\x"}', REFUSED),
        ('{"a": 01}', REFUSED),
        ('{"a": tru}', REFUSED),
        ('{"a": [1,]}', REFUSED),
        ('{"a": "\t"}', REFUSED),
        ("[[[[]]]]", REFUSED),
        ("a line without its end", REFUSED),
        ("{", REFUSED),
        ('{"', CUT),
        ('{"a": "\\', CUT),
        ('{"a": 1', CUT),
        ('{"a": -', CUT),
        ('{"a": tr', CUT),
        (f'{{"a": "{"x" * 100}"}}', CUT),
    ],
)
def test_a_scan_stops_at_whatever_it_does_not_know(text: str, stopped: int) -> None:
    assert found_in(f"ok\n{text}") == ([Text(1, "ok")], 3, 2, stopped)


def test_one_scan_finds_a_bounded_number_of_events() -> None:
    events, end, line, stopped = found_in("x\n" * 1_000)
    assert (len(events), end, line, stopped) == (256, 512, 257, 0)


def test_a_container_is_decoded_where_it_stands() -> None:
    text = 'ü: {"a": [true, null, -Infinity],\n"b": "ü"} and more'
    assert decode(text, 3, 2, 100) == ({"a": [True, None, Number("-Infinity")], "b": "ü"}, len(text) - 9, 1)
    assert decode(text, 3, 1, 100) is False
    assert decode(text, 3, 2, 20) is True
    assert decode(text, len(text), 2, 20) is False


def test_values_are_found_by_their_path() -> None:
    value: Value = {"a": {"b": Number("1.5"), "c": "x", "d": Number("1e999")}}
    assert number_at(value, "a", "b") == Number("1.5")
    assert (float_at(value, "a", "b"), float_at(value, "a", "c"), float_at(value, "a", "d")) == (1.5, None, None)
    assert (text_at(value, "a", "c"), text_at(value, "a", "b"), text_at(value, "a", "c", "e")) == ("x", None, None)
    assert (written(value, "a", "b"), written(value, "a", "c"), written(value, "a")) == ("1.5", "x", None)
    assert (value_at(value), value_at(value, "b"), number_at(None)) == (value, None, None)


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_the_compiled_parser_and_that_of_python_find_the_same(text: str) -> None:
    opened = [("jobs",), ("*", "a")]
    found = list(documents.pieces_of(BytesIO(text.encode()), opened))
    with pytest.MonkeyPatch.context() as only:
        only.setattr(documents, "_scan", lambda _text, position, line, *_: ([], position, line, REFUSED))
        only.setattr(documents, "_decode", lambda *_: False)
        assert found == list(documents.pieces_of(BytesIO(text.encode()), opened))
