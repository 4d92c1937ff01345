"""Template data of a report: plain values, texts that the typefaces can show, charts as vector drawings."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from stowage.documents.charts.drawing import draw
from stowage.documents.charts.lettering import text_width
from stowage.documents.charts.svg import svg
from stowage.documents.text import one_line, shown, with_texts
from stowage.documents.typeface import bare, breakable, legible, typefaces
from stowage.model.report import Amount, Block, Calculation, Chart, Facts, Paragraph, Report, Row, Section, Step, Table

_Part = TypeVar("_Part")
_LINES = frozenset({"words", "text"})
"""Fields that keep their line breaks, except in amounts."""
_SIGNS = {"*": "×", "/": "÷", "-": "−"}
_TOKEN = re.compile(r"[a-z][a-z0-9_]*|[0-9.]+(?:e[+-]?[0-9]+)?|[*/-]")
_KINDS = {
    "plan": "Plan",
    "comparison": "Comparison of plans",
    "sweep": "Sweep",
    "run": "Benchmark run",
    "validation": "Model accuracy",
}
_MOST_OF_A_TITLE, _MOST_OF_A_SENTENCE = 110, 330
_MOST = {"title": 1_000, "sentence": 2_000, "caption": 1_000}
"""Most characters by field; words and paragraphs are not shortened."""
_MOST_OF_OTHERS = 400
_MOST_OF_A_HEAD = 100
_PAGE_WIDTH = 487.0
"""Width between the margins [pt]."""
_BESIDE = 10.0
"""Padding of a cell in a full table [pt]."""
_SHORT = 90.0
"""Width that a column always gets, regardless of the others [pt]."""
_OUR_LETTERS = 0.84
"""Width of our typeface relative to the one that `text_width` assumes."""
_NARROW = 18
"""Characters of a word that fit into a narrow column."""


def settable(report: Report, page: str | None, approval: str | None = None) -> dict[str, Any]:
    """Return a report as the data of the document template.

    Parameters
    ----------
    report : Report
    page : str or None
        Address of the report.
    approval : str or None
        Approval of the report in words.
    """
    clean = legible_part(report)
    made = report.made_at.astimezone(UTC)
    return {
        "families": list(typefaces()),
        "title": clean.title.strip() or "Report",
        "running": _cut(clean.title, _MOST_OF_A_TITLE),
        "heading": breakable(clean.title.strip()) or "Report",
        "sentence": breakable(clean.sentence),
        "words": _paragraphs(clean.words),
        "author": breakable(clean.author),
        "team": breakable(clean.team),
        "running_team": _cut(clean.team, 40),
        "made": day(made),
        "made_at": [made.year, made.month, made.day, made.hour, made.minute, made.second],
        "approval": None if approval is None else breakable(legible(one_line(approval))),
        "page": page,
        "page_words": None if page is None else breakable(legible(one_line(page))),
        "origin": breakable(", ".join(name for name in clean.origin.names if name)),
        "origin_kind": _KINDS[clean.origin.kind],
        "sections": [_section(section) for section in clean.sections],
        "versions": [_fact(fact.label, fact.value) for fact in clean.versions],
    }


def glance(report: Report) -> dict[str, Any]:
    """Return the data of a report's link preview."""
    clean = legible_part(replace(report, sections=()))
    return {
        "families": list(typefaces()),
        "title": breakable(_cut(clean.title, _MOST_OF_A_TITLE)) or "Report",
        "sentence": breakable(_cut(clean.sentence, _MOST_OF_A_SENTENCE)),
        "team": breakable(_cut(clean.team, 60)),
        "made": day(report.made_at.astimezone(UTC)),
    }


def day(when: datetime) -> str:
    """Format a date in full.

    Examples
    --------
    >>> day(datetime(2026, 11, 3, tzinfo=UTC))
    '3 November 2026'
    """
    return f"{when.day} {when:%B %Y}"


def legible_part(part: _Part, set_as: Callable[[str], str] = legible) -> _Part:
    r"""Return a part of a report with texts that the typefaces can show.

    Texts other than paragraphs become one line of limited length.

    Parameters
    ----------
    part : dataclass
    set_as : callable
        Conversion of each text.

    Examples
    --------
    >>> legible_part(Paragraph("a\x00b\n\u202ec")).text
    'ab\n‹U+202E›c'
    """

    def of_length(text: str, name: str, of: object) -> str:
        if name in _LINES and not isinstance(of, Amount):
            return set_as(shown(text))
        return set_as(_cut(one_line(text), _MOST.get(name, _MOST_OF_OTHERS)))

    return with_texts(part, of_length)


def _cut(text: str, most: int) -> str:
    """Shorten a line that is longer than a limit, at a space if possible."""
    if len(text) <= most:
        return text
    kept, _, _ = text[:most].rpartition(" ")
    return (kept if len(kept) > most // 2 else text[:most]) + "…"


def _paragraphs(text: str) -> list[str]:
    """Split a text at its empty lines."""
    return [breakable(part.strip("\n")) for part in re.split(r"\n(?:[^\S\n]*+\n)+", text) if part.strip()]


def _section(section: Section) -> dict[str, Any]:
    return {
        "heading": breakable(section.heading) or "–",
        "detail": section.detail,
        "blocks": [_block(block) for block in section.blocks],
    }


def _block(block: Block) -> dict[str, Any]:
    """Return the template data of a block: paragraph, facts, table, chart or calculation."""
    match block:
        case Paragraph():
            return {"kind": "paragraph", "tone": block.tone, "texts": _paragraphs(block.text)}
        case Facts():
            found = [_fact(fact.label, fact.value) for fact in block.facts]
            return {"kind": "facts", "headline": block.headline, "facts": found}
        case Table():
            return _table(block)
        case Chart():
            return _chart(block)
        case Calculation():
            return _calculation(block)


def _fact(label: str, value: Amount | str) -> dict[str, Any]:
    return {"label": breakable(label), "cell": _cell(value)}


def _cell(value: Amount | str | None) -> dict[str, Any] | None:
    """Return the template data of a table cell; None if it is empty.

    The data of an amount is its formatted text, its range and its standing (whether it is measured, predicted etc.).
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return {"words": breakable(value, _NARROW), "length": len(value)}
    around = None if value.range_words is None else breakable(value.range_words, _NARROW)
    words = breakable(value.words, _NARROW)
    return {"words": words, "length": len(value.words), "range": around, "standing": value.standing}


def _table(table: Table) -> dict[str, Any]:
    """Return the template data of a table.

    If the table is to be set sideways and has few rows, the template exchanges rows and columns.
    """
    sideways = table.sideways and 0 < len(table.rows) <= 5
    heads = [
        {"text": breakable(_cut(column.head, _MOST_OF_A_HEAD), _NARROW), "numeric": column.numeric}
        for column in table.columns
    ]
    gap, widths = _widths(table)
    rows = [{"chosen": row.chosen, "cells": [_cell(cell) for cell in row.cells]} for row in table.rows]
    return {
        "kind": "sideways" if sideways else "table",
        "caption": breakable(table.caption),
        "heads": heads,
        "rows": rows,
        "gap": gap,
        "widths": widths,
    }


def _widths(table: Table) -> tuple[float, list[float | None]]:
    """Return the layout of a table's columns: padding of cells [mm], and a share of the free width for each column.

    A column with the share None is only as wide as its content. A small table stays narrow, so that its rows are easy
    to read. If all columns of a larger table fit, the first column takes the free width. If not, the columns with long
    texts share the free width by the amount of their text.
    """
    columns = list(zip(*([column.head for column in table.columns], *map(_words_of, table.rows)), strict=True))
    sizes = [[text_width(text[:_MOST_OF_OTHERS], 9.0) * _OUR_LETTERS for text in texts] for texts in columns]
    needed = sum(max(widths) + 12.0 for widths in sizes)
    if needed < 0.7 * _PAGE_WIDTH:
        return 4.0, [None] * len(columns)
    if needed < _PAGE_WIDTH:
        return 2.0, [1.0, *[None] * (len(columns) - 1)]
    shares = [None if max(widths) < _SHORT else math.sqrt(sum(widths) / len(widths)) for widths in sizes]
    most = max((share for share in shares if share is not None), default=1.0)
    least = [None if share is None else max(share, most / 4) for share in shares]
    room = _PAGE_WIDTH - sum(max(of) + _BESIDE for share, of in zip(least, sizes, strict=True) if share is None)
    return 1.5, _wide_enough(least, [_widest_word(texts) for texts in columns], room)


def _wide_enough(shares: list[float | None], floors: list[float], room: float) -> list[float | None]:
    """Return the columns' shares, increased for columns in which the widest unbreakable word does not fit.

    The width comes from the other columns. If the words of all columns do not fit together, the shares stay the same.
    """
    total = sum(share for share in shares if share is not None)
    if sum(floor for share, floor in zip(shares, floors, strict=True) if share is not None) >= room:
        return shares
    # Width given to one column is taken from others, which may then be too narrow: one round for each column is enough.
    for _ in shares:
        points = [None if share is None else room * share / total for share in shares]
        shares = [None if at is None else max(at, floor) for at, floor in zip(points, floors, strict=True)]
        total = sum(share for share in shares if share is not None)
    return shares


def _widest_word(texts: Sequence[str]) -> float:
    """Return the width of the widest unbreakable word in texts, with padding [pt]."""
    words = (
        word for text in texts for word in breakable(text[:_MOST_OF_OTHERS], _NARROW).replace("\u200b", " ").split()
    )
    return _BESIDE + max((text_width(word, 9.0) * _OUR_LETTERS for word in words), default=0.0)


def _words_of(row: Row) -> list[str]:
    """Return the text of each cell of a row; for an amount, the longer one of its words and range."""
    found = []
    for cell in row.cells:
        if isinstance(cell, Amount):
            found.append(max(cell.words, cell.range_words or "", key=len))
        else:
            found.append(cell or "")
    return found


def _chart(chart: Chart) -> dict[str, Any]:
    drawn = legible_part(chart, bare)
    return {
        "kind": "chart",
        "title": breakable(chart.title),
        "caption": breakable(chart.caption),
        "alt": chart.caption or chart.title or "Chart",
        "svg": svg(draw(drawn, "wide"), drawn.title),
    }


def _calculation(calculation: Calculation) -> dict[str, Any]:
    """Return the template data of a calculation; its formulas refer to lines by number."""
    lines = {step.key: f"({number})" for number, step in enumerate(calculation.steps, 1)}
    return {
        "kind": "calculation",
        "caption": breakable(calculation.caption),
        "steps": [
            {"label": breakable(step.label), "cell": _cell(step.amount), "how": breakable(_how(step, lines))}
            for step in calculation.steps
        ],
    }


def _how(step: Step, lines: dict[str, str]) -> str:
    """Return the origin of the amount in a calculation step.

    This is the step's formula or, for an input, its standing (measured, given etc.), range, source and date.
    """
    if step.formula is not None:
        return _TOKEN.sub(lambda found: _SIGNS.get(found[0]) or lines.get(found[0], found[0]), step.formula)
    dated = None if step.amount.as_of is None else f"{step.amount.as_of.day} {step.amount.as_of:%b %Y}"
    return ", ".join(
        part for part in (step.amount.standing, step.amount.range_words, step.amount.source, dated) if part
    )
