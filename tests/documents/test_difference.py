"""Differences between two reports."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.sample import full_report, hostile_report
from stowage.documents.difference import ReportChange, difference
from stowage.model.report import Amount, Block, Calculation, Column, Fact, Facts, Report, Row, Section, Step, Table

FULL = full_report()


def report_of(*blocks: Block, key: str = "cost") -> Report:
    return replace(FULL, versions=(), sections=(Section(key, "Cost by part", blocks),))


def usd(value: float, **more: Any) -> Amount:
    return Amount(value, "USD", f"${value:g}", **more)


def facts(**values: Amount | str) -> Facts:
    return Facts(tuple(Fact(key, key.title(), value, "less") for key, value in values.items()))


def table(**rows: tuple[Amount | str | None, ...]) -> Table:
    columns = (Column("option", "Option"), Column("cost_usd", "Cost", numeric=True))
    return Table("options", "Options", columns, tuple(Row(key, cells) for key, cells in rows.items()))


def told(change: ReportChange) -> tuple[str, str, str]:
    return change.kind, change.where, change.label


@pytest.mark.parametrize("report", [full_report(), hostile_report()], ids=["full", "hostile"])
def test_nothing_differs_from_itself(report: Report) -> None:
    found = difference(report, report)
    assert found.changes == ()
    assert found.same > 20
    assert found.sentence == f"Nothing differs: all {found.same:,} numbers and texts that both have are the same."


def test_a_changed_fact_is_told_with_its_change_and_whether_it_is_better() -> None:
    found = difference(report_of(facts(cost=usd(325.0))), report_of(facts(cost=usd(260.0))))
    (change,) = found.changes
    assert change == ReportChange("changed", "Cost by part", "", "Cost", usd(325.0), usd(260.0), -20.0, better=True)
    assert found.sentence == "1 changed, 0 the same; of the headline's and other lists' numbers 1 better."


@pytest.mark.parametrize(("way", "old", "new", "better"), [("less", 1, 2, False), ("more", 1, 2, True)])
def test_which_way_is_good_is_the_facts_own(way: Any, old: float, new: float, better: bool) -> None:  # noqa: FBT001 - a parameter
    reports = [report_of(Facts((Fact("chance", "Chance", usd(value), way),))) for value in (old, new)]
    assert [change.better for change in difference(*reports).changes] == [better]


def test_a_number_whose_words_hide_the_change_is_told_all_the_same() -> None:
    old, new = Amount(325.1, "USD", "$325"), Amount(324.9, "USD", "$325")
    (change,) = difference(report_of(facts(cost=old)), report_of(facts(cost=new))).changes
    assert change.change_pct == pytest.approx(-0.0615, abs=1e-4)


def test_another_rounding_of_the_last_digit_is_no_change() -> None:
    old, new = Amount(0.1 + 0.2, "USD", "$0.30"), Amount(0.3, "USD", "$0.30")
    assert difference(report_of(facts(cost=old)), report_of(facts(cost=new))).changes == ()


def test_a_range_that_became_wider_is_a_change() -> None:
    old, new = (usd(325.0, low=300.0, high=high) for high in (340.0, 400.0))
    (change,) = difference(report_of(facts(cost=old)), report_of(facts(cost=new))).changes
    assert (change.change_pct, change.better) == (0.0, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [(usd(0.0), usd(5.0)), (usd(5.0), "unknown"), (usd(5.0), Amount(5.0, "USD/month", "$5 a month"))],
    ids=["of nothing", "a text", "another unit"],
)
def test_no_percentage_is_told_where_there_is_none(old: Amount | str, new: Amount | str) -> None:
    (change,) = difference(report_of(facts(cost=old)), report_of(facts(cost=new))).changes
    assert change.change_pct is None
    assert (change.old, change.new) == (old, new)


def test_cells_are_compared_by_the_keys_of_row_and_column_wherever_they_stand() -> None:
    old = report_of(table(first=("A", usd(1.0)), second=("B", usd(2.0))))
    new = report_of(table(second=("B", usd(3.0)), first=("A", usd(1.0))))
    (change,) = difference(old, new).changes
    assert told(change) == ("changed", "Options", "B, Cost")
    assert (change.section, change.old, change.new) == ("Cost by part", usd(2.0), usd(3.0))


def test_a_whole_row_is_told_once_and_what_is_gone_stands_behind_what_its_table_has() -> None:
    old = report_of(table(first=("A", usd(1.0)), second=("B", usd(2.0))), facts(cost=usd(1.0)))
    new = report_of(table(first=("A", usd(1.0)), third=("C", usd(9.0))), facts(cost=usd(2.0)))
    assert [told(change) for change in difference(old, new).changes] == [
        ("added", "Options", "C"),
        ("gone", "Options", "B"),
        ("changed", "", "Cost"),
    ]


def test_another_recommended_row_is_a_change() -> None:
    first, second = (
        report_of(replace(table(a=("A", usd(1.0))), rows=(Row("a", ("A", usd(1.0)), chosen=chosen),)))
        for chosen in (False, True)
    )
    (change,) = difference(first, second).changes
    assert (change.label, change.old, change.new) == ("A", None, "chosen")


def test_a_whole_section_is_told_once() -> None:
    more = Section("outlook", "Cost over time", (facts(cost=usd(1.0)), table(a=("A", usd(1.0)))))
    old = report_of(facts(cost=usd(1.0)))
    new = replace(old, sections=(*old.sections, more))
    assert [(c.kind, c.section, c.label) for c in difference(old, new).changes] == [("added", "Cost over time", "")]
    assert [(c.kind, c.section, c.label) for c in difference(new, old).changes] == [("gone", "Cost over time", "")]


def test_steps_of_a_calculation_and_versions_are_compared() -> None:
    def calculated(price: float, version: str) -> Report:
        steps = (Step("price", "Price", usd(price)), Step("twice", "Twice", usd(2 * price), "2 * price"))
        made = report_of(Calculation("cost", "How it comes about.", steps))
        return replace(made, versions=(Fact("catalog", "Catalog", version),))

    found = difference(calculated(1.0, "2025"), calculated(2.0, "2026"))
    assert [(c.section, c.label, c.change_pct) for c in found.changes] == [
        ("Cost by part", "Price", 100.0),
        ("Cost by part", "Twice", 100.0),
        ("Versions", "Catalog", None),
    ]


def test_two_lists_with_a_line_of_one_key_do_not_hide_each_other() -> None:
    old, new = (report_of(facts(cost=usd(1.0)), facts(cost=usd(value))) for value in (2.0, 3.0))
    assert [change.old for change in difference(old, new).changes] == [usd(2.0)]


values = st.floats(-1e6, 1e6, allow_nan=False).map(usd) | st.sampled_from(["a", "b"])
lists = st.dictionaries(st.sampled_from("abcdef"), values, max_size=6)


@given(lists, lists)
def test_changes_and_what_is_the_same_are_all_there_is(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = difference(report_of(facts(**old)), report_of(facts(**new)))
    kinds = {change.label: change.kind for change in found.changes}
    assert len(kinds) == len(found.changes)
    assert kinds == (
        {key.title(): "gone" for key in old.keys() - new.keys()}
        | {key.title(): "added" for key in new.keys() - old.keys()}
        | {key.title(): "changed" for key in old.keys() & new.keys() if old[key] != new[key]}
    )
    assert found.same == sum(old[key] == new[key] for key in old.keys() & new.keys())
    back = difference(report_of(facts(**new)), report_of(facts(**old)))
    assert sorted(change.label for change in back.changes) == sorted(change.label for change in found.changes)


def test_the_headline_comes_first_and_what_it_rests_on_last() -> None:
    def made(value: float, version: str) -> Report:
        summary = Section("summary", "In short", (Facts((Fact("cost", "Cost", usd(value), "less"),), headline=True),))
        rest = Section("cost", "Cost by part", (facts(launch=usd(value)),))
        versions = (Fact("model", "Model", "2"), Fact("catalog", "Catalog", version))
        return replace(FULL, sections=(summary, rest), versions=versions)

    old, new = made(1.0, "2025"), made(2.0, "2026")
    gone = replace(new, versions=new.versions[:1])
    assert [change.section for change in difference(old, new).changes] == ["In short", "Cost by part", "Versions"]
    assert [(c.section, c.kind) for c in difference(old, gone).changes][-1] == ("Versions", "gone")


def test_of_lists_with_lines_of_one_key_none_hides_another() -> None:
    old, new = (report_of(*(facts(cost=usd(value + step)) for step in range(3))) for value in (1.0, 11.0))
    assert [change.new for change in difference(old, new).changes] == [usd(11.0), usd(12.0), usd(13.0)]
