"""Spreadsheet: a report as a workbook, with one sheet for the report, and one for each table, calculation and chart.

Calculations are formulas: if a user changes an input, their results are recomputed. Everything else stays as it was
published, and the workbook says so.
"""

import io
import math
from collections.abc import Iterator, Sequence
from datetime import UTC
from functools import cache

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.format import Format  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]
from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

from stowage.documents.charts.grid import cell_colours
from stowage.documents.sheet_names import CellNames, SheetNames
from stowage.documents.text import FORMULA_SIGNS, one_line, shown
from stowage.frozen import frozen
from stowage.model.formula import FormulaError, computed, translate
from stowage.model.report import (
    Amount,
    Calculation,
    Chart,
    Column,
    Facts,
    Paragraph,
    Point,
    Report,
    Row,
    Section,
    Table,
)

LONGEST_CELL = 32_000
"""Most characters of a cell; a spreadsheet accepts 32,767 and drops the rest."""

LONGEST_PROPERTY = 255
"""Most characters of a file property; the first sheet has the whole text."""

_NUMBERS = {"USD": "#,##0.00##", "USD/month": "#,##0.00##", "nodes": "#,##0"}
_NUMBER = "General"
_OF_AMOUNT = ("Value", "Unit", "In words", "p10", "p90", "Range", "How it is known", "Source", "As of")
_WIDTHS = (40, 16, 13, 40, 14, 14, 20, 18, 50, 13)
_Apart = Table | Calculation | Chart
"""Blocks that have a sheet of their own."""
_FONT = {"font_name": "Calibri", "font_size": 11, "valign": "top"}


def workbook(report: Report) -> bytes:
    """Build the workbook of a report (XLSX).

    Returns
    -------
    bytes
        The same report gives the same bytes. A text is never a formula, regardless of its first character; inputs of
        calculations are named cells with a style of their own.

    Raises
    ------
    FormulaError
        A calculation's formula cannot be parsed, or does not give the amount in the report.
    """
    file = io.BytesIO()
    made = xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    made.set_properties(
        {
            "title": one_line(report.title)[:LONGEST_PROPERTY],
            "author": one_line(report.author)[:LONGEST_PROPERTY],
            "company": one_line(report.team)[:LONGEST_PROPERTY],
            "comments": one_line(report.sentence)[:LONGEST_PROPERTY],
            "created": report.made_at.astimezone(UTC).replace(tzinfo=None),
        }
    )
    _Writer(made, report).write()
    made.close()
    return file.getvalue()


class _Styles:
    """Cell formats of a workbook; those of numbers by unit."""

    def __init__(self, workbook: xlsxwriter.Workbook) -> None:
        def made(**more: object) -> Format:
            return workbook.add_format({**_FONT, **more})

        units = (*_NUMBERS.items(), ("", _NUMBER))
        given = {"bg_color": "#FFF4CC", "border": 1, "border_color": "#B38600", "font_color": "#0B3D91"}
        self.title = made(bold=True, font_size=18)
        self.heading = made(bold=True, font_size=13, bottom=1)
        self.head = made(bold=True, text_wrap=True, bottom=1)
        self.number_head = made(bold=True, text_wrap=True, bottom=1, align="right")
        self.text = made(text_wrap=True)
        self.beside = made(text_wrap=True, indent=1)
        self.caption = made()
        self.quoted = made(text_wrap=True, quote_prefix=True)
        self.strong = made(text_wrap=True, bold=True)
        self.doubt = made(text_wrap=True, italic=True, left=5, left_color="#B35C00")
        self.input = {unit: made(num_format=form, **given) for unit, form in units}
        self.number = {unit: made(num_format=form) for unit, form in units}
        self.result = {unit: made(num_format=form, bold=True) for unit, form in units}
        self.link = made(underline=1, font_color="#0B3D91")
        self.colour = cache(lambda of: made(bg_color=of.light.fill, font_color=of.light.ink, text_wrap=True))
        """Format in a color of a grid's cells."""


class _Writer:
    """Writer of the sheets of one workbook."""

    def __init__(self, made: xlsxwriter.Workbook, report: Report) -> None:
        self._made = made
        self._report = report
        self._sheet_names = SheetNames()
        self._cell_names = CellNames()
        self._styles = _Styles(made)

    def write(self) -> None:
        """Write all sheets."""
        first = self._sheet("Report", _WIDTHS)
        apart = [
            (section, block, self._sheet_names.name(block.key))
            for section in self._report.sections
            for block in section.blocks
            if isinstance(block, _Apart)
        ]
        self._write_report(first, {id(block): name for _, block, name in apart})
        for section, block, name in apart:
            self._write_block(section, block, name)

    def _sheet(self, name: str, widths: Sequence[float]) -> Worksheet:
        sheet = self._made.add_worksheet(self._sheet_names.name(name) if name == "Report" else name)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        return sheet

    # Cells

    def _text(self, sheet: Worksheet, row: int, column: int, text: str, style: Format | None = None) -> None:
        """Write a text, never as a formula; a text that begins like a formula gets the quote-prefix format."""
        said = shown(text)[:LONGEST_CELL]
        computes = said.lstrip()[:1] in FORMULA_SIGNS
        sheet.write_string(row, column, said, self._styles.quoted if computes else style or self._styles.text)

    def _number(self, sheet: Worksheet, at: tuple[int, int], value: float, unit: str) -> None:
        sheet.write_number(*at, value, _of(self._styles.number, unit, value))

    def _heads(self, sheet: Worksheet, row: int, heads: Sequence[str], numbers: Sequence[int] = (1, 4, 5)) -> None:
        for column, head in enumerate(heads):
            style = self._styles.number_head if column in numbers else self._styles.head
            self._text(sheet, row, column, head, style)

    def _known(self, sheet: Worksheet, row: int, column: int, amount: Amount) -> None:
        """Write the fields of an amount except the number: unit, words, range, standing, source and date."""
        self._text(sheet, row, column, "" if amount.unit == "1" else amount.unit, self._styles.beside)
        self._text(sheet, row, column + 1, amount.words, self._styles.beside)
        for place, end in enumerate((amount.low, amount.high)):
            if end is not None:
                self._number(sheet, (row, column + 2 + place), end, amount.unit)
        day = None if amount.as_of is None else amount.as_of.isoformat()
        texts = (amount.range_words, amount.standing, amount.source, day)
        for place, text in enumerate(texts):
            if text is not None:
                self._text(sheet, row, column + 4 + place, text, self._styles.beside)

    # The first sheet

    def _write_report(self, sheet: Worksheet, names: dict[int, str]) -> None:
        report, styles = self._report, self._styles
        self._text(sheet, 0, 0, one_line(report.title), styles.title)
        sheet.set_row(0, 26)
        row = 1
        for text in (report.sentence, *_paragraphs(report.words)):
            row = self._wide(sheet, row, text, styles.text)
        made = f"{report.author}, {report.team}, {report.made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        row = self._wide(sheet, row, made, styles.text)
        if report.origin.names:
            row = self._wide(sheet, row, f"Made of: {', '.join(report.origin.names)}", styles.text)
        row = self._wide(sheet, row, "As published: only sheets with inputs are recalculated.", styles.text)
        for section in report.sections:
            row = self._write_section(sheet, row + 1, section, names)
        self._text(sheet, row + 1, 0, "Versions", styles.heading)
        self._write_facts(sheet, row + 2, Facts(report.versions))
        sheet.freeze_panes(1, 0)

    def _write_section(self, sheet: Worksheet, row: int, section: Section, names: dict[int, str]) -> int:
        self._text(sheet, row, 0, one_line(section.heading), self._styles.heading)
        row += 1
        for block in section.blocks:
            if isinstance(block, Paragraph):
                style = self._styles.doubt if block.tone == "doubt" else self._styles.text
                for text in _paragraphs(block.text):
                    row = self._wide(sheet, row, text, style)
            elif isinstance(block, Facts):
                row = self._write_facts(sheet, row, block)
            else:
                name = names[id(block)]
                target = name.replace("'", "''")
                sheet.write_url(row, 0, f"internal:'{target}'!A1", self._styles.link, string=f"Sheet {name}")
                self._text(sheet, row, 1, one_line(block.caption), self._styles.caption)
                row += 1
        return row

    def _write_facts(self, sheet: Worksheet, row: int, block: Facts) -> int:
        self._heads(sheet, row, ("", *_OF_AMOUNT))
        for fact in block.facts:
            row += 1
            self._text(sheet, row, 0, fact.label, self._styles.strong if block.headline else None)
            if isinstance(fact.value, Amount):
                self._number(sheet, (row, 1), fact.value.value, fact.value.unit)
                self._known(sheet, row, 2, fact.value)
            else:
                self._text(sheet, row, 3, fact.value, self._styles.beside)
                sheet.set_row(row, _height(fact.value, _WIDTHS[3]))
        return row + 1

    def _wide(self, sheet: Worksheet, row: int, text: str, style: Format) -> int:
        """Write running text over the whole width of a sheet, in as many rows as needed; return the next free row."""
        said = shown(text)
        for start in range(0, max(1, len(said)), LONGEST_CELL):
            part = said[start : start + LONGEST_CELL]
            sheet.merge_range(row, 0, row, 8, "", style)
            self._text(sheet, row, 0, part, style)
            sheet.set_row(row, _height(part, sum(_WIDTHS[:9])))
            row += 1
        return row

    # A sheet for each table, calculation and chart

    def _write_block(self, section: Section, block: _Apart, name: str) -> None:
        if isinstance(block, Table):
            self._write_table(section, block, name)
        elif isinstance(block, Calculation):
            self._write_calculation(section, block, name)
        else:
            self._write_chart(section, block, name)

    def _begin(self, section: Section, block: _Apart, name: str, widths: Sequence[float]) -> Worksheet:
        sheet = self._sheet(name, widths)
        self._text(sheet, 0, 0, one_line(section.heading), self._styles.heading)
        self._text(sheet, 1, 0, one_line(block.caption), self._styles.caption)
        return sheet

    def _write_table(self, section: Section, table: Table, name: str) -> None:
        parts = [part for place in range(len(table.columns)) for part in _parts(table, place)]
        marked = any(row.chosen for row in table.rows)
        sheet = self._begin(section, table, name, [part.width for part in parts])
        numbers = [place for place, part in enumerate(parts) if part.what in {"value", "low", "high"}]
        self._heads(sheet, 3, [*(part.head for part in parts), *(["Chosen"] if marked else [])], numbers)
        sheet.set_row(3, 15.0 * max((math.ceil(1.3 * len(part.head) / part.width) for part in parts), default=1))
        for number, row in enumerate(table.rows, start=4):
            for column, part in enumerate(parts):
                self._write_cell(sheet, (number, column), part, row)
            if row.chosen:
                self._text(sheet, number, len(parts), "chosen", self._styles.strong)
        sheet.freeze_panes(4, 1)
        if table.rows:
            sheet.autofilter(3, 0, 3 + len(table.rows), len(parts) - (not marked))

    def _write_cell(self, sheet: Worksheet, at: tuple[int, int], part: "_Part", row: Row) -> None:
        cell = row.cells[part.column]
        if isinstance(cell, Amount):
            value = part.of(cell)
            if isinstance(value, float):
                self._number(sheet, at, value, cell.unit)
            elif value is not None:
                self._text(sheet, *at, value, self._styles.strong if row.chosen else self._styles.beside)
        elif cell is not None and part.texts:
            self._text(sheet, *at, cell, self._styles.strong if row.chosen and at[1] == 0 else None)

    def _write_calculation(self, section: Section, block: Calculation, name: str) -> None:
        sheet = self._begin(section, block, name, (*_WIDTHS[:5], 14, 18, 16, 50, 12, 44))
        values = computed(block)
        note = "Change what is framed: all else on this sheet is computed from it; words and ranges stay as published."
        self._text(sheet, 2, 0, note, self._styles.caption)
        self._heads(sheet, 3, ("", *_OF_AMOUNT, "How it is computed"))
        cells: dict[str, str] = {}
        for row, step in enumerate(block.steps, start=4):
            amount = step.amount
            self._text(sheet, row, 0, step.label, self._styles.strong if step is block.steps[-1] else None)
            address = xl_rowcol_to_cell(row, 1, row_abs=True, col_abs=True)
            if step.formula is None:
                sheet.write_number(row, 1, amount.value, _of(self._styles.input, amount.unit, amount.value))
                target = name.replace("'", "''")
                self._made.define_name(self._cell_names.name(block.key, step.key), f"='{target}'!{address}")
                self._text(sheet, row, 10, f"{step.key}, an input")
            else:
                value = values[step.key]
                if abs(value - amount.value) > 1e-9 * max(1.0, abs(amount.value)):
                    raise FormulaError(f"{step.key!a} is {value!r} by its formula, and {amount.value!r} in the report")
                style = _of(self._styles.result if step is block.steps[-1] else self._styles.number, amount.unit, value)
                sheet.write_formula(row, 1, f"={translate(step.formula, cells)}", style, value)
                self._text(sheet, row, 10, f"{step.key} = {step.formula}")
            self._known(sheet, row, 2, amount)
            cells[step.key] = address
        sheet.freeze_panes(4, 1)

    def _write_chart(self, section: Section, chart: Chart, name: str) -> None:
        sheet = self._begin(section, chart, name, (34, 30, 18, 30, 18, 14, 14, 14, 30, 10, 10))
        self._text(sheet, 2, 0, chart.title, self._styles.strong)
        heads = ("Series", _axis(chart.x.label, chart.x.unit, "x"), "", _axis(chart.y.label, chart.y.unit, "y"), "")
        near = ("Near-tie",) if any(point.near_tie for series in chart.series for point in series.points) else ()
        self._heads(sheet, 3, (*heads, "p10", "p90", "Shade", "Words", "Chosen", *near), (1, 3, 5, 6, 7))
        row = 4
        colours = cell_colours(chart) if chart.chart == "grid" else {}
        for series in chart.series:
            for point in series.points:
                self._write_point(sheet, row, chart, series.name, point)
                if point.label is not None:
                    colour = colours.get((point.x, point.y))
                    self._text(sheet, row, 8, point.label, None if colour is None else self._styles.colour(colour))
                row += 1
        for limit in chart.limits:
            self._text(sheet, row, 0, "limit")
            of_x = limit.axis == "x"
            self._number(sheet, (row, 1 if of_x else 3), limit.value, chart.x.unit if of_x else chart.y.unit)
            self._text(sheet, row, 8, limit.words)
            row += 1
        sheet.freeze_panes(4, 1)

    def _write_point(self, sheet: Worksheet, row: int, chart: Chart, series: str, point: Point) -> None:
        self._text(sheet, row, 0, series)
        for column, axis, value in ((1, chart.x, point.x), (3, chart.y, point.y)):
            self._number(sheet, (row, column), value, axis.unit)
            place = int(value)
            if axis.scale == "categories" and value == place and 0 <= place < len(axis.categories):
                self._text(sheet, row, column + 1, axis.categories[place])
        for column, end in ((5, point.low), (6, point.high), (7, point.value)):
            if end is not None:
                self._number(sheet, (row, column), end, chart.y.unit if column < 7 else "")
        if point.ringed:
            self._text(sheet, row, 9, "chosen")
        if point.near_tie:
            self._text(sheet, row, 10, "near-tie")


@frozen
class _Part:
    """One column of a sheet. It shows either the texts of a table column, or one field of the amounts in it."""

    column: int
    head: str
    width: float
    what: str
    texts: bool = False

    def of(self, amount: Amount) -> float | str | None:
        """Return the field of an amount that this column shows."""
        value = getattr(amount, self.what)
        return float(value) if isinstance(value, int | float) else None if value is None else str(value)


def _parts(table: Table, place: int) -> Iterator[_Part]:
    """Yield the columns of a sheet that show one column of the report's table.

    Texts need one sheet column. Amounts need several: the value, the unit (only if it varies), the formatted text, and
    each further field that any of the amounts has.
    """
    column = table.columns[place]
    cells = [row.cells[place] for row in table.rows]
    amounts = [cell for cell in cells if isinstance(cell, Amount)]
    units = {amount.unit for amount in amounts}
    if not amounts:
        yield _Part(place, column.head, _width(column), "words", texts=True)
        return
    head = column.head or column.key
    one_unit = len(units) == 1
    unit = next(iter(units))
    yield _Part(place, f"{head} [{unit}]" if one_unit and unit not in {"", "1"} else head, 16, "value")
    if not one_unit:
        yield _Part(place, f"{head}: unit", 10, "unit")
    yield _Part(place, f"{head}: in words", 20, "words", texts=True)
    for what, name in (
        ("low", "p10"),
        ("high", "p90"),
        ("range_words", "range"),
        ("standing", "how it is known"),
        ("source", "source"),
        ("as_of", "as of"),
    ):
        if any(getattr(amount, what) is not None for amount in amounts):
            yield _Part(place, f"{head}: {name}", 40 if what == "source" else 14, what)


def _width(column: Column) -> float:
    return 16.0 if column.numeric else 34.0


def _axis(label: str, unit: str, name: str) -> str:
    named = label or name
    return f"{named} [{unit}]" if unit not in {"", "1"} else named


def _of(styles: dict[str, Format], unit: str, value: float) -> Format:
    # With money's digits, the price of one request would show as 0.
    return styles[unit if unit in styles and (value == 0.0 or abs(value) >= 0.01) else ""]


def _height(text: str, width: float) -> float:
    """Return the height of a row that shows a text in a column of a given width [points]."""
    lines = sum(1 + int(len(line) / width) for line in shown(text).split("\n"))
    return min(409.0, 15.0 * lines)


def _paragraphs(text: str) -> list[str]:
    return [line for line in shown(text).split("\n") if line.strip()]
