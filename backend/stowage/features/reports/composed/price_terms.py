"""Price terms in a report: each cost names the discounts that it includes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stowage.model.report import Amount, Block, Calculation, Chart, Facts, Paragraph, Row, Section, Table
from stowage.workloads.of_catalog import TermsAnswer


def words_of(terms: Iterable[TermsAnswer | None]) -> str | None:
    """Return the discounts of several answers in a few words; None if none of them has a discount."""
    found = list(dict.fromkeys("no discount" if each is None else each.words for each in terms))
    if found == ["no discount"] or not found:
        return None
    return found[0] if len(found) == 1 else "the price terms of each plan"


def details_of(terms: Iterable[TermsAnswer | None]) -> str:
    """Return the discounts of several answers by service, equal ones once."""
    found = ("no discount" if each is None else f"{each.details}{_since(each)}" for each in terms)
    return " | ".join(dict.fromkeys(found))


def _since(terms: TermsAnswer) -> str:
    return "" if terms.since is None else f" (terms of {terms.since.isoformat()})"


def with_terms(sections: Sequence[Section], words: str | None) -> tuple[Section, ...]:
    """Return sections in which every label of a cost names the discounts.

    Parameters
    ----------
    words : str or None
        Discounts in a few words; None for published prices.
    """
    if words is None:
        return tuple(sections)
    return tuple(
        replace(section, blocks=tuple(_named(block, words) for block in section.blocks)) for section in sections
    )


def _named(block: Block, words: str) -> Block:
    suffix = f", incl. {words}"
    match block:
        case Paragraph():
            return block
        case Facts():
            facts = (
                replace(fact, label=f"{fact.label}{suffix}") if _is_cost(fact.value) else fact for fact in block.facts
            )
            return replace(block, facts=tuple(facts))
        case Table():
            return _named_rows(block, suffix) if block.sideways else _named_columns(block, suffix)
        case Chart():
            return _named_chart(block, words)
        case Calculation():
            return replace(block, caption=f"{block.caption} Prices include {words}.")


def _named_columns(table: Table, suffix: str) -> Table:
    columns = []
    for place, column in enumerate(table.columns):
        cells = [row.cells[place] for row in table.rows if isinstance(row.cells[place], Amount)]
        costs = bool(cells) and all(_is_cost(cell) for cell in cells)
        columns.append(replace(column, head=f"{column.head}{suffix}") if costs else column)
    return replace(table, columns=tuple(columns))


def _named_rows(table: Table, suffix: str) -> Table:
    """Name the discounts in the first cell of each row of costs."""

    def named(row: Row) -> Row:
        first, *others = row.cells
        return replace(row, cells=(f"{first}{suffix}", *others)) if any(map(_is_cost, others)) else row

    return replace(table, rows=tuple(map(named, table.rows)))


def _named_chart(chart: Chart, words: str) -> Chart:
    x, y = (
        replace(axis, label=f"{axis.label}, incl. {words}") if axis.unit.startswith("USD") else axis
        for axis in (chart.x, chart.y)
    )
    labels = [point.label or "" for series in chart.series for point in series.points]
    if chart.chart != "grid" or not any(label.startswith("$") for label in labels):
        return replace(chart, x=x, y=y)
    return replace(chart, x=x, y=y, caption=f"{chart.caption} Costs include {words}.")


def _is_cost(value: object) -> bool:
    return isinstance(value, Amount) and value.unit.startswith("USD")
