"""Compiled loops of the readers: the results of Python, to the last bit, or none."""

import json
import random
from decimal import Decimal

import pytest

from stowage.measure.files.compiled import add_metrics, make_metric, maker, newlines, object_of, outline, plain_number
from stowage.measure.files.printed import BITS, GIB, KIB, MILLISECONDS, TIB
from stowage.measure.reading import Metric, PrintedValue

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
    plan = (("read_iops", "1/s", "iops", Decimal(1)), ("write_iops", "1/s", "iops", Decimal(1)))
    assert add_metrics(metrics, plan, ["7", text], 0) == 1
    assert list(metrics) == ["read_iops"]


@pytest.mark.parametrize("factor", [*map(Decimal, ("-1", "NaN", "Infinity", "1E+40", "1E-40"))])
def test_unusual_factors_are_left_to_python(factor: Decimal) -> None:
    assert make_metric("read_iops", "7", "7", "1/s", "iops", factor) is None


def test_long_texts_are_left_to_python() -> None:
    assert make_metric("read_iops", "7", "7" * 61, "1/s", "iops", Decimal(1)) is None
    assert make_metric("read_iops", "7", "7", "x" * 61, "iops", Decimal(1)) is None
    assert make_metric("read_iops", "7", "7", "1/s", "x" * 121, Decimal(1)) is None


def test_records_are_those_of_their_class() -> None:
    made = maker(PrintedValue)
    assert made("1.50", "KiB/s", "bw") == PrintedValue("1.50", "KiB/s", "bw")
    with pytest.raises(TypeError, match="2 values were given to a record of 3 fields"):
        made("1.50", "KiB/s")


def test_an_object_with_a_key_twice_is_refused() -> None:
    assert object_of([("a", 1), ("b", 2)]) == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="twice"):
        object_of([("a", 1), ("a", 2)])


def test_an_outline_has_the_lines_of_the_outer_members() -> None:
    text = '{"a": 1,\n "b":\n [\n  2, {"c": "}\\"]"},\n  3], "d": {\n}}'
    assert json.loads(text)
    # a, b, its 2, {...} and 3, d: at most two levels.
    assert outline(text, 2) == (3, [0, 2, 2, 3, 4, 4], 5)
    assert outline(text, 1) == (3, [0, 2, 4], 5)
    assert outline(text, 0) == (3, [], 5)
    assert outline('["\\u0061"]', 1) is None
    assert newlines(text) == 5
