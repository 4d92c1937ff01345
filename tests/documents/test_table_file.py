"""A report as CSV, parsed again: every number is the report's, and no cell is a formula."""

import csv
import io
import re
from datetime import date
from typing import Any

import pytest

from documents.sample import HOSTILE, amounts_of, full_report, hostile_report
from stowage.documents.table_file import COLUMNS, harmless, table_file
from stowage.documents.text import shown
from stowage.model.report import Amount, Calculation, Chart, Facts, Report, Table

_MARKED = re.compile(r"(^|[;\t\r\n])(\s*)'([=+\-@＝＋－＠])")  # noqa: RUF001 - both widths

FULL, HOSTILE_REPORT = full_report(), hostile_report()


def read_table_file(text: str) -> list[dict[str, Any]]:
    """Parse the output of `table_file`: numbers as floats, texts without their escape marks."""
    rows: list[dict[str, Any]] = []
    for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
        plain: dict[str, Any] = {name: _MARKED.sub(r"\1\2\3", cell) for name, cell in row.items()}
        for name in ("value", "low", "high"):
            plain[name] = float(row[name]) if row[name] else None
        plain["as_of"] = date.fromisoformat(row["as_of"]) if row["as_of"] else None
        rows.append(plain)
    return rows


def amount_in(row: dict[str, Any]) -> tuple[Any, ...]:
    names = ("value", "unit", "words", "low", "high", "range_words", "standing", "source", "as_of")
    return tuple(row[name] for name in names)


def told(each: Amount) -> tuple[Any, ...]:
    texts = (each.range_words, each.standing, each.source)
    known = tuple(shown(text or "") for text in texts)
    return (each.value, shown(each.unit), shown(each.words), each.low, each.high, *known, each.as_of)


@pytest.mark.parametrize("report", [FULL, HOSTILE_REPORT], ids=["full", "hostile"])
def test_every_number_is_read_again_as_it_is_in_the_report(report: Report) -> None:
    charts = {b.key for s in report.sections for b in s.blocks if isinstance(b, Chart)}
    found = [amount_in(row) for row in read_table_file(table_file(report)) if row["value"] is not None]
    expected = [told(each) for each in amounts_of(report)]
    assert len(expected) > 50
    for each in expected:
        assert each in found
    assert charts


ROWS = read_table_file(table_file(FULL))
BY_PLACE = {(row["section"], row["block"], row["row"], row["column"]): row for row in ROWS}
BLOCKS: list[tuple[str, int, Any]] = [
    (section.key, place, block) for section in FULL.sections for place, block in enumerate(section.blocks, start=1)
]


def test_each_cell_stands_under_its_section_table_row_and_column() -> None:
    for section, _, block in BLOCKS:
        for row in block.rows if isinstance(block, Table) else ():
            for column, cell in zip(block.columns, row.cells, strict=True):
                at = BY_PLACE.get((section, block.key, row.key, column.key))
                if isinstance(cell, Amount):
                    assert at is not None
                    assert amount_in(at) == told(cell)
                else:
                    assert (None if at is None else at["words"]) == cell


def test_facts_and_steps_stand_under_their_keys() -> None:
    for section, place, block in BLOCKS:
        for fact in block.facts if isinstance(block, Facts) else ():
            assert (section, f"facts-{place}", fact.key, fact.label) in BY_PLACE
        for step in block.steps if isinstance(block, Calculation) else ():
            assert BY_PLACE[section, block.key, step.key, step.label]["value"] == step.amount.value
            formula = BY_PLACE.get((section, block.key, step.key, "formula"))
            assert (None if formula is None else formula["words"]) == step.formula


def test_points_of_charts_are_there_with_all_their_digits() -> None:
    rows = read_table_file(table_file(FULL))
    for section in FULL.sections:
        for block in section.blocks:
            if isinstance(block, Chart):
                of_chart = [row for row in rows if (row["section"], row["block"]) == (section.key, block.key)]
                points = [point for series in block.series for point in series.points]
                names = {f"{series.name} {n}" for series in block.series for n in range(1, len(series.points) + 1)}
                drawn = [row for row in of_chart if row["row"] in names]
                assert [row["value"] for row in drawn if row["column"] == "x"] == [point.x for point in points]
                assert [(row["value"], row["low"], row["high"]) for row in drawn if row["column"] == "y"] == [
                    (point.y, point.low, point.high) for point in points
                ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_people_should_not_write_is_a_cell_that_computes_nothing(text: str) -> None:
    said = shown(text)
    (cell,) = next(csv.reader(io.StringIO(_line(harmless(said)), newline=""), strict=True))
    assert not re.match(r"\s*[=+\-@]", cell)
    assert _MARKED.sub(r"\1\2\3", cell) == said


def test_no_cell_of_a_hostile_report_begins_a_formula_and_all_lines_are_as_long() -> None:
    for row in csv.reader(io.StringIO(table_file(HOSTILE_REPORT), newline=""), strict=True):
        assert len(row) == len(COLUMNS)
        for name, cell in zip(COLUMNS, row, strict=True):
            if name not in {"value", "low", "high"}:
                assert not re.match(r"\s*[=+\-@＝＋－＠]", cell)  # noqa: RUF001 - both widths
    assert table_file(HOSTILE_REPORT).encode() == table_file(HOSTILE_REPORT).encode()


def _line(cell: str) -> str:
    made = io.StringIO(newline="")
    csv.writer(made).writerow([cell])
    return made.getvalue()
