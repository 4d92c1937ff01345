"""Checks of every composed report."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import openpyxl

from stowage.documents.difference import difference
from stowage.documents.spreadsheet import workbook
from stowage.documents.table_file import harmless, table_file
from stowage.documents.text import shown
from stowage.features.reports.schemas import NewReport
from stowage.model.formula import computed
from stowage.model.report import Amount, Block, Calculation, Chart, Fact, Facts, Report, Section, Table


def asked(origin: dict[str, Any], **more: Any) -> NewReport:
    """Request a report, without expensive parts unless they are requested."""
    return NewReport.model_validate({"title": "A report", "outlook": None, "origin": origin, **more})


def parts_of(part: Any) -> Iterator[Any]:
    """Yield all parts of a report, the report itself first."""
    yield part
    if isinstance(part, tuple):
        for each in part:
            yield from parts_of(each)
    elif is_dataclass(part) and not isinstance(part, type):
        for field in fields(part):
            yield from parts_of(getattr(part, field.name))


def section(report: Report, key: str) -> Section:
    return next(each for each in report.sections if each.key == key)


def fact(report: Report, key: str) -> Any:
    """Return the value of a fact of the summary."""
    found = {each.key: each.value for each in parts_of(report.sections[0]) if isinstance(each, Fact)}
    return found[key]


def table(report: Report, key: str) -> dict[str, dict[str, Any]]:
    """Return the cells of a table by the keys of row and column."""
    found = next(each for each in parts_of(report) if isinstance(each, Table) and each.key == key)
    names = [column.key for column in found.columns]
    return {row.key: dict(zip(names, row.cells, strict=True)) for row in found.rows}


def words_of(report: Report) -> str:
    """Return all texts of a report."""
    return "\n".join(part for part in parts_of(report) if isinstance(part, str))


def check(report: Report) -> None:
    """Compare a report with the model's results for its parts."""
    parts = list(parts_of(report))
    assert all(math.isfinite(part) for part in parts if isinstance(part, float))
    assert all(part == shown(part) for part in parts if isinstance(part, str))
    assert report.sections[0].key == "summary"
    assert not report.sections[0].detail
    _unique([each.key for each in report.sections])
    blocks = [block for each in report.sections for block in each.blocks]
    assert all(each.blocks for each in report.sections)
    for kind in (Table, Chart, Calculation):
        _unique([block.key for block in blocks if isinstance(block, kind)])
    for block in blocks:
        _check_block(block)
    for amount in parts:
        if isinstance(amount, Amount):
            assert amount.words.strip()
            assert (amount.low is None) == (amount.high is None) == (amount.range_words is None)
            if amount.low is not None and amount.high is not None:
                assert amount.low <= amount.value <= amount.high


def check_exports(report: Report) -> None:
    """Compare the files of a report with the page: the same numbers in the same words."""
    amounts = [part for part in parts_of(report) if isinstance(part, Amount)]
    lines = {
        (line["value"], line["unit"], line["words"], line["low"], line["high"], line["range_words"])
        for line in csv.DictReader(io.StringIO(table_file(report)))
    }
    book = openpyxl.load_workbook(io.BytesIO(workbook(report)), data_only=True)
    cells = {cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row}
    numbers = {f"{cell:.12g}" for cell in cells if isinstance(cell, int | float)}
    assert amounts
    for each in amounts:
        ends = ["" if end is None else repr(end) for end in (each.low, each.high)]
        words, range_words = harmless(each.words), harmless(each.range_words or "")
        assert (repr(each.value), each.unit, words, *ends, range_words) in lines, each
        assert {each.words, each.range_words or each.words} <= cells, each
        assert all(f"{value:.12g}" in numbers for value in (each.value, each.low, each.high) if value is not None), each
    assert difference(report, report).changes == ()


def _check_block(block: Block) -> None:
    if isinstance(block, Facts):
        _unique([each.key for each in block.facts])
        assert not block.headline or len(block.facts) <= 8
    if isinstance(block, Table):
        _unique([column.key for column in block.columns])
        _unique([row.key for row in block.rows])
        assert all(len(row.cells) == len(block.columns) for row in block.rows)
        assert block.caption
    if isinstance(block, Chart):
        assert sum(len(series.points) for series in block.series) <= 5_000
        assert block.series
        assert all(series.points for series in block.series)
        assert block.caption
    if isinstance(block, Calculation):
        _unique([step.key for step in block.steps])
        for key, value in computed(block).items():
            step = next(each for each in block.steps if each.key == key)
            assert math.isclose(value, step.amount.value, rel_tol=1e-9), step


def _unique(keys: list[str]) -> None:
    assert len(set(keys)) == len(keys), keys
