"""A report as a workbook, read by another library and computed by another program."""

import hashlib
import io
import math
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook

from documents.libreoffice import recomputed
from documents.sample import HOSTILE, amounts_of, full_report, hostile_report, texts_of
from stowage.documents.spreadsheet import LONGEST_CELL, workbook
from stowage.documents.text import one_line, shown
from stowage.model.formula import FormulaError, computed
from stowage.model.report import Amount, Block, Calculation, Report, Section, Step

FULL, HOSTILE_REPORT = full_report(), hostile_report()


def read(content: bytes | Path, *, values: bool = False) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(content) if isinstance(content, bytes) else content, data_only=values)


def cells_of(book: Workbook) -> Iterator[Any]:
    return (cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None)


def calculations_of(report: Report) -> list[Calculation]:
    return [block for section in report.sections for block in section.blocks if isinstance(block, Calculation)]


def named(book: Workbook, name: str) -> Any:
    """Return the cell of a defined name."""
    ((sheet, address),) = book.defined_names[name].destinations
    return book[sheet][address.replace("$", "")]


def value_cells(book: Workbook, calculation: Calculation) -> dict[str, Any]:
    """Return the cell of each step."""
    sheet = next(each for each in book if each["A2"].value == one_line(calculation.caption))
    assert sheet["C4"].value == "Unit"
    return {step.key: sheet.cell(5 + place, 2) for place, step in enumerate(calculation.steps)}


def without_values(content: bytes) -> bytes:
    """Remove the cached results of formulas from a workbook, so that an application must compute them."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for part in old.namelist():
            text = old.read(part)
            if part.startswith("xl/worksheets/"):
                text, count = re.subn(rb"(</f>)<v>[^<]*</v>", rb"\1<v>0</v>", text)
                assert count == text.count(b"</f>")
            new.writestr(part, text)
    return made.getvalue()


def saved(book: Workbook) -> bytes:
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def report_of(*blocks: Block) -> Report:
    return replace(FULL, sections=(Section("cost", "Cost", blocks),))


def amount(value: float, unit: str = "USD") -> Amount:
    return Amount(value, unit, f"{value:g} {unit}")


def any_formula(keys: list[str], chance: random.Random, depth: int = 0) -> str:
    kind = chance.choice("kknbbbpmc-") if depth < 4 else chance.choice("kn")
    if kind == "k":
        return chance.choice(keys)
    if kind == "n":
        return repr(chance.choice([0.5, 2.0, 3600.0, 1e-3, chance.uniform(0.1, 100.0)]))
    inner = any_formula(keys, chance, depth + 1)
    if kind == "p":
        return f"({inner})"
    if kind == "c":
        return f"ceil({inner})"
    if kind == "-":
        return f"-{inner}"
    other = any_formula(keys, chance, depth + 1)
    if kind == "m":
        return f"{chance.choice(['max', 'min'])}({inner}, {other})"
    return f"{inner} {chance.choice('+-*/')} {other}"


def any_calculation(steps: int) -> Calculation:
    """Build a long, random calculation of formulas; steps without a value are left out."""
    chance = random.Random(10)  # noqa: S311 - the same formulas every time
    made = [Step(f"r{place}c{place}", f"Input {place}", amount(chance.uniform(0.1, 1000.0))) for place in range(9)]
    while len(made) < steps:
        key, formula = f"step_{len(made)}", any_formula([step.key for step in made[-12:]], chance)
        tried = Calculation("any", "Any.", (*made, Step(key, key, amount(0.0), formula)))
        try:
            value = computed(tried)[key]
        except FormulaError:
            continue
        # A difference that is nearly zero relative to its terms has no digits to compare.
        if 1e-6 < abs(value) < 1e12:
            made.append(Step(key, key, amount(value), formula))
    return Calculation("any", "Any formulas.", tuple(made))


@pytest.mark.parametrize("report", [FULL, HOSTILE_REPORT], ids=["full", "hostile"])
def test_the_same_report_gives_the_same_bytes_and_another_others(report: Report) -> None:
    first = workbook(report)
    assert hashlib.sha256(first).digest() == hashlib.sha256(workbook(report)).digest()
    assert workbook(replace(report, sentence="Another.")) != first


def test_every_number_of_the_report_stands_in_the_workbook_with_its_words() -> None:
    book = read(workbook(FULL), values=True)
    numbers = {round(value, 12) for value in cells_of(book) if isinstance(value, int | float)}
    texts = {value for value in cells_of(book) if isinstance(value, str)}
    found = list(amounts_of(FULL))
    assert len(found) > 50
    for each in found:
        for value in (each.value, each.low, each.high):
            assert value is None or any(math.isclose(value, number, rel_tol=1e-14) for number in numbers), each
        assert shown(each.words) in texts
        for text in (each.range_words, each.standing, each.source):
            assert text is None or shown(text) in texts
        assert each.as_of is None or each.as_of.isoformat() in texts


def test_points_of_charts_have_sheets_of_their_own() -> None:
    book = read(workbook(FULL))
    rows: list[Any] = list(book["frontier"].iter_rows(min_row=5, values_only=True))
    drawn = [(row[0], row[1], row[3]) for row in rows if row[3] is not None]
    blocks: list[Any] = [block for section in FULL.sections for block in section.blocks]
    (chart,) = (block for block in blocks if block.kind == "chart" and block.key == "frontier")
    assert drawn[:-1] == [
        (series.name, pytest.approx(point.x, rel=1e-14), pytest.approx(point.y, rel=1e-14))
        for series in chart.series
        for point in series.points
    ]


def test_inputs_have_names_and_a_style_of_their_own() -> None:
    book = read(workbook(FULL))
    (calculation,) = calculations_of(FULL)
    cells = value_cells(book, calculation)
    for step in calculation.steps:
        cell = cells[step.key]
        if step.formula is None:
            assert named(book, f"{calculation.key}_{step.key}") == cell
            assert cell.value == pytest.approx(step.amount.value, rel=1e-14)
            assert cell.fill.start_color.rgb == "FFFFF4CC"
        else:
            assert cell.data_type == "f"
            assert cell.fill.fill_type is None


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_people_should_not_write_is_a_text(text: str) -> None:
    small = replace(FULL, title=text, words=text, author=text, team=text, sections=())
    sheet = read(workbook(small))["Report"]
    assert [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f"] == []
    assert (sheet["A1"].value or "") == one_line(text)


def test_a_hostile_report_has_no_formula_but_its_calculations_and_no_link_to_the_outside() -> None:
    content = workbook(HOSTILE_REPORT)
    steps = [step for calculation in calculations_of(HOSTILE_REPORT) for step in calculation.steps]
    book = read(content)
    formulas = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    assert len(formulas) == sum(step.formula is not None for step in steps)
    outside = [cell.hyperlink.target for s in book for row in s.iter_rows() for cell in row if cell.hyperlink]
    assert set(outside) <= {None}
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        assert not [name for name in parts.namelist() if "external" in name.lower() or "vba" in name.lower()]
        assert all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in parts.infolist())


def test_texts_of_a_hostile_report_are_all_there() -> None:
    texts = {value for value in cells_of(read(workbook(HOSTILE_REPORT))) if isinstance(value, str)}
    whole = " ".join("\n".join(texts).split())
    for text in texts_of(HOSTILE_REPORT):
        for line in shown(text).split("\n"):
            assert one_line(line)[:200] in whole, line[:80]


def test_text_longer_than_a_cell_goes_on_in_the_next() -> None:
    text = "".join(chr(97 + place % 26) for place in range(2 * LONGEST_CELL + 100))
    values = [value for value in cells_of(read(workbook(replace(FULL, words=text)))) if isinstance(value, str)]
    parts = [value for value in values if value in text and len(value) >= 100]
    assert "".join(parts) == text


def test_names_of_sheets_are_such_as_spreadsheets_take() -> None:
    blocks = [
        Calculation(key, f"Number {place}.", (Step("a", "A", amount(1.0)),))
        for place, key in enumerate(["a/b", "A:B", "history", "'", "x" * 50, "x" * 60, "report", "="])
    ]
    names = read(workbook(report_of(*blocks))).sheetnames
    assert names[0] == "Report"
    assert len({name.lower() for name in names}) == len(names) == 9
    assert all(0 < len(name) <= 31 and not set(name) & set("[]:*?/\\") for name in names)
    assert "history" not in {name.lower() for name in names}


def test_a_formula_that_does_not_give_its_amount_is_refused() -> None:
    steps = (Step("a", "A", amount(2.0)), Step("b", "B", amount(5.0), "2 * a"))
    with pytest.raises(FormulaError, match=r"^'b' is 4\.0 by its formula, and 5\.0 in the report$"):
        workbook(report_of(Calculation("c", "C.", steps)))


def test_libreoffice_computes_what_we_compute_before_and_after_an_input_changes(tmp_path: Path) -> None:
    (calculation,) = calculations_of(FULL)
    of_any = report_of(any_calculation(150))
    changed = read(workbook(FULL))
    inputs = {step.key: 1.25 * step.amount.value for step in calculation.steps if step.formula is None}
    for key, value in inputs.items():
        named(changed, f"{calculation.key}_{key}").value = value
    files = {
        "full": without_values(workbook(FULL)),
        "any": without_values(workbook(of_any)),
        "hostile": without_values(workbook(HOSTILE_REPORT)),
        "changed": saved(changed),
    }
    made = recomputed(files, tmp_path)
    expected = {
        "full": (FULL, {calculation.key: computed(calculation)}),
        "any": (of_any, {each.key: computed(each) for each in calculations_of(of_any)}),
        "hostile": (HOSTILE_REPORT, {each.key: computed(each) for each in calculations_of(HOSTILE_REPORT)}),
        "changed": (FULL, {calculation.key: computed(calculation, inputs)}),
    }
    compared = 0
    for name, (report, values) in expected.items():
        book = read(made[name], values=True)
        for each in calculations_of(report):
            found = value_cells(book, each)
            for key, value in values[each.key].items():
                assert found[key].value == pytest.approx(value, rel=1e-9, abs=1e-12), (name, key)
                compared += 1
    assert compared > 170
    assert computed(calculation, inputs) != computed(calculation)
