"""CSV: a report with one line for each number and each text, with all its fields."""

import csv
import io
from collections.abc import Iterator
from dataclasses import asdict, astuple, fields
from datetime import date
from typing import Final

from stowage.documents.text import FORMULA_SIGNS, shown
from stowage.frozen import frozen
from stowage.model.report import Amount, Calculation, Chart, Facts, Paragraph, Report, Section, Table

_CELL_ENDS: Final = frozenset(";\t\r\n")
"""Characters that some spreadsheets read as the end of a cell."""


@frozen
class _Place:
    section: str
    block: str = ""
    row: str = ""
    column: str = ""


COLUMNS: Final = tuple(field.name for part in (_Place, Amount) for field in fields(part))
"""Columns of the file. A text fills only ``words``; the ``words`` of a chart's point are its label, if it has one."""


def table_file(report: Report) -> str:
    """Convert a report to CSV.

    Returns
    -------
    str
        To be encoded as UTF-8; lines end in CR LF (RFC 4180). Numbers have all their digits: parsed as floats, they
        equal those of the report. A text that a spreadsheet would compute starts with an apostrophe.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for place, value in _values(report):
        writer.writerow(_line(place, value))
    return text.getvalue()


def harmless(text: str) -> str:
    """Prefix a text with an apostrophe where a spreadsheet would interpret it as a formula.

    Examples
    --------
    >>> [harmless(text) for text in ("=1+1", "1+1", "x;=1+1", "half-hourly; 1-2")]
    ["'=1+1", '1+1', "x;'=1+1", 'half-hourly; 1-2']
    """
    if FORMULA_SIGNS.isdisjoint(text):
        return text
    marked: list[str] = []
    # In one pass: a regular expression would restart at each of many consecutive line ends.
    begins = True
    for character in text:
        if begins and character in FORMULA_SIGNS:
            marked.append("'")
        begins = character in _CELL_ENDS or (begins and character.isspace())
        marked.append(character)
    return "".join(marked)


def _line(place: _Place, value: Amount | str) -> tuple[str, ...]:
    found = {"words": value} if isinstance(value, str) else asdict(value)
    return tuple(_cell(cell) for cell in (*astuple(place), *(found.get(field.name) for field in fields(Amount))))


def _cell(value: str | float | date | None) -> str:
    if isinstance(value, str):
        return harmless(shown(value))
    return "" if value is None else value.isoformat() if isinstance(value, date) else repr(value)


def _values(report: Report) -> Iterator[tuple[_Place, Amount | str]]:
    head = (
        ("title", report.title),
        ("sentence", report.sentence),
        ("words", report.words),
        ("author", report.author),
        ("team", report.team),
        ("made_at", report.made_at.isoformat()),
        ("origin", report.origin.kind),
        *(("origin_name", name) for name in report.origin.names),
    )
    for name, text in head:
        yield _Place("report", "head", name), text
    for fact in report.versions:
        yield _Place("report", "versions", fact.key, fact.label), fact.value
    for section in report.sections:
        yield _Place(section.key, "heading"), section.heading
        yield from _of_section(section)


def _of_section(section: Section) -> Iterator[tuple[_Place, Amount | str]]:
    for place, block in enumerate(section.blocks, start=1):
        if isinstance(block, Paragraph):
            yield _Place(section.key, f"paragraph-{place}", "", block.tone), block.text
        elif isinstance(block, Facts):
            for fact in block.facts:
                yield _Place(section.key, f"facts-{place}", fact.key, fact.label), fact.value
        elif isinstance(block, Table):
            yield _Place(section.key, block.key), block.caption
            yield from _of_table(section.key, block)
        elif isinstance(block, Calculation):
            yield _Place(section.key, block.key), block.caption
            for step in block.steps:
                yield _Place(section.key, block.key, step.key, step.label), step.amount
                if step.formula is not None:
                    yield _Place(section.key, block.key, step.key, "formula"), step.formula
        else:
            yield _Place(section.key, block.key, "", "title"), block.title
            yield _Place(section.key, block.key), block.caption
            yield from _of_chart(section.key, block)


def _of_table(section: str, table: Table) -> Iterator[tuple[_Place, Amount | str]]:
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell is not None:
                yield _Place(section, table.key, row.key, column.key), cell
        if row.chosen:
            yield _Place(section, table.key, row.key, "chosen"), "chosen"


def _of_chart(section: str, chart: Chart) -> Iterator[tuple[_Place, Amount | str]]:
    for name, axis in (("x", chart.x), ("y", chart.y)):
        yield _Place(section, chart.key, f"axis {name}"), axis.label
        for place, category in enumerate(axis.categories):
            yield _Place(section, chart.key, f"axis {name}", str(place)), category
    for series in chart.series:
        for place, point in enumerate(series.points, start=1):
            row = f"{series.name} {place}"
            yield _Place(section, chart.key, row, "x"), Amount(point.x, chart.x.unit, "")
            y = Amount(point.y, chart.y.unit, point.label or "", point.low, point.high)
            yield _Place(section, chart.key, row, "y"), y
            if point.value is not None:
                yield _Place(section, chart.key, row, "value"), Amount(point.value, "", "")
    for limit in chart.limits:
        unit = chart.x.unit if limit.axis == "x" else chart.y.unit
        yield _Place(section, chart.key, "limit", limit.axis), Amount(limit.value, unit, limit.words)
