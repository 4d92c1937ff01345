"""Difference between two reports: facts, cells of tables and steps of calculations, compared by key.

Charts are not compared: their data is in tables and facts, or is a set of candidates without individual meaning.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Literal

from stowage.frozen import frozen
from stowage.model.report import Amount, Calculation, Fact, Facts, Report, Row, Section, Table

ChangeKind = Literal["changed", "added", "gone"]

SAME = 1e-9
"""Relative difference up to which two numbers count as the same [1]."""


@frozen
class ReportChange:
    """A number or a text that differs."""

    kind: ChangeKind
    """What happened from the older to the newer report."""
    section: str
    """Heading of the section."""
    where: str
    """Caption of the table or calculation; empty for a list of facts, and for a whole section."""
    label: str
    """Name in the report: a fact's label, or row and column; empty for a whole table, calculation or section."""
    old: Amount | str | None
    """None where the older report has no value, or for a whole row, table or section."""
    new: Amount | str | None
    """None where the newer report has no value, or for a whole row, table or section."""
    change_pct: float | None
    """Relative to the old number [%]; None for texts, different units, and an old value of 0."""
    better: bool | None
    """Whether the new number is better; None if neither a higher nor a lower value is better, or if a number and a text
    are compared."""


@frozen
class Difference:
    """Difference between two reports."""

    changes: tuple[ReportChange, ...]
    """In the order of the newer report, with the section on versions last. A removed entry is at the end of its section
    or table."""
    same: int
    """Number of values that were compared and are the same."""
    sentence: str
    """Summary of the difference."""


@frozen
class _Place:
    """Position and name of a number or text in a report."""

    section: str
    where: str
    label: str
    better: Literal["less", "more"] | None = None


_Value = Amount | str | None
_Places = Mapping[tuple[str, ...], tuple[_Place, _Value]]


def difference(old: Report, new: Report) -> Difference:
    """Compare a report with an older one.

    Parameters
    ----------
    old, new : Report
        Reports of any kind; entries with the same key are compared.
    """
    before, after = _places(old), _places(new)
    changes: list[ReportChange] = []
    same = 0
    for key, (place, value) in _merged(before, after):
        was, now = before.get(key), after.get(key)
        if was is not None and now is not None:
            if _alike(was[1], now[1]):
                same += value is not None
                continue
            kind: ChangeKind = "changed"
        elif _parent_changed(key, before, after):
            continue
        else:
            kind = "added" if was is None else "gone"
        changes.append(_change(kind, place, None if was is None else was[1], None if now is None else now[1]))
    return Difference(tuple(changes), same, _sentence(changes, same))


def _places(report: Report) -> _Places:
    """Return all comparable entries in the order of the report, each section, table or calculation before its parts."""
    found: dict[tuple[str, ...], tuple[_Place, _Value]] = {}
    for section in report.sections:
        for key, at in _of_section(section):
            # Lists of a section may have lines with the same key: neither may hide the other.
            while key in found:
                key = (*key[:-1], f"{key[-1]} again")  # noqa: PLW2901 - the same line, under another name
            found[key] = at
    # Versions come last, as in the report: readers look for the results first.
    for fact in report.versions:
        found["versions", _key_of(fact)] = (_Place("Versions", "", fact.label), fact.value)
    return found


def _of_section(section: Section) -> Iterator[tuple[tuple[str, ...], tuple[_Place, _Value]]]:
    key, heading = section.key, section.heading
    yield ("section", key), (_Place(heading, "", ""), None)
    for block in section.blocks:
        if isinstance(block, Facts):
            for fact in block.facts:
                yield (
                    ("section", key, "fact", _key_of(fact)),
                    (_Place(heading, "", fact.label, fact.better), fact.value),
                )
        elif isinstance(block, Table):
            yield ("section", key, "table", block.key), (_Place(heading, block.caption, ""), None)
            for row in block.rows:
                yield from _of_row(("section", key, "table", block.key), heading, block, row)
        elif isinstance(block, Calculation):
            yield ("section", key, "calculation", block.key), (_Place(heading, block.caption, ""), None)
            for step in block.steps:
                at = ("section", key, "calculation", block.key, step.key)
                yield at, (_Place(heading, block.caption, step.label), step.amount)


def _key_of(fact: Fact) -> str:
    """Return the key of a fact.

    The catalog version had another key in reports before December 2026, which is converted.
    """
    return "catalog" if fact.key == "catalogue" else fact.key


def _of_row(
    of: tuple[str, ...], heading: str, table: Table, row: Row
) -> Iterator[tuple[tuple[str, ...], tuple[_Place, _Value]]]:
    name = _name(row)
    yield (*of, row.key), (_Place(heading, table.caption, name), "chosen" if row.chosen else None)
    for column, cell in zip(table.columns, row.cells, strict=True):
        yield (*of, row.key, column.key), (_Place(heading, table.caption, f"{name}, {column.head}"), cell)


def _name(row: Row) -> str:
    first = row.cells[0] if row.cells else None
    return row.key if first is None else first.words if isinstance(first, Amount) else first


def _merged(before: _Places, after: _Places) -> Iterator[tuple[tuple[str, ...], tuple[_Place, _Value]]]:
    """Yield the entries of both reports in the order of the newer report.

    Entries that only the older report has are last in their section or table.
    """
    gone: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for key in before:
        if key not in after:
            gone.setdefault(_within(key, after), []).append(key)
    ends = dict.fromkeys(gone)
    last: dict[tuple[str, ...], tuple[str, ...]] = {}
    for key in after:
        for length in range(len(key) + 1):
            if key[:length] in ends:
                last[key[:length]] = key
    after_key: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for whole, keys in gone.items():
        after_key.setdefault(last.get(whole, ()), []).extend(keys)
    for key, found in after.items():
        yield key, found
        yield from ((each, before[each]) for each in after_key.get(key, ()))
    yield from ((each, before[each]) for each in after_key.get((), ()))


def _within(key: tuple[str, ...], places: _Places) -> tuple[str, ...]:
    """Return the key of the innermost section, table, row or calculation that contains an entry.

    The key is empty if nothing contains the entry.
    """
    return next((key[:length] for length in range(len(key) - 1, 0, -1) if key[:length] in places), ())


def _parent_changed(key: tuple[str, ...], before: _Places, after: _Places) -> bool:
    """Return whether a section, table, row or calculation that contains an entry is in only one of the reports."""
    wholes = (key[:length] for length in range(1, len(key)))
    return any((whole in before) != (whole in after) for whole in wholes)


def _alike(old: _Value, new: _Value) -> bool:
    if isinstance(old, Amount) and isinstance(new, Amount):
        words = (old.words, old.range_words, old.unit) == (new.words, new.range_words, new.unit)
        pairs = ((old.value, new.value), (old.low, new.low), (old.high, new.high))
        return words and all(_close(a, b) for a, b in pairs)
    return old == new


def _close(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=SAME)


def _change(kind: ChangeKind, place: _Place, old: _Value, new: _Value) -> ReportChange:
    change_pct, better = None, None
    if isinstance(old, Amount) and isinstance(new, Amount) and old.unit == new.unit:
        if old.value != 0.0:
            change_pct = 100.0 * (new.value - old.value) / abs(old.value)
            change_pct = change_pct if math.isfinite(change_pct) else None
        if place.better is not None and old.value != new.value:
            better = (new.value < old.value) == (place.better == "less")
    return ReportChange(kind, place.section, place.where, place.label, old, new, change_pct, better)


def _sentence(changes: list[ReportChange], same: int) -> str:
    if not changes:
        return f"Nothing differs: all {same:,} numbers and texts that both have are the same."
    kinds: tuple[tuple[ChangeKind, str], ...] = (("changed", "changed"), ("added", "new"), ("gone", "gone"))
    counts = [(sum(change.kind == kind for change in changes), words) for kind, words in kinds]
    said = _listed([f"{count:,} {words}" for count, words in counts if count])
    better, worse = (sum(change.better is way for change in changes) for way in (True, False))
    of_good = _listed([f"{count:,} {way}" for count, way in ((better, "better"), (worse, "worse")) if count])
    judged = f"; of the headline's and other lists' numbers {of_good}" if of_good else ""
    return f"{said}, {same:,} the same{judged}."


def _listed(parts: list[str]) -> str:
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
