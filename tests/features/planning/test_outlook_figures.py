"""Cost over time on the page and in reports: the numbers are the model's, and omissions are stated."""

from dataclasses import replace
from typing import Any

import pytest

from soaking import everyday
from stowage.documents.charts.drawing import draw
from stowage.features.planning.outlook.outlooks import look_ahead, outlook_blocks
from stowage.features.planning.outlook.schemas import NewOutlook, OutlookAnswer, SpendingAnswer
from stowage.features.planning.planning import predict_cluster
from stowage.model.report import Amount, Chart, Facts, Paragraph, Table
from stowage.platform.errors import BadInput
from stowage.workloads.answers import InfeasibleAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

SORT: dict[str, Any] = {
    "workload": {"data": "10 TB", "runs_per_month": 60},
    "limits": {"deadline": "20 min"},
    "assume": {"usual": "ignored"},
    "cluster": {"instance": "i3.8xlarge", "nodes": 20},
}


def asked(file: dict[str, Any] = SORT, **more: Any) -> NewOutlook:
    return NewOutlook.model_validate({"file": file, **more})


def ahead(file: dict[str, Any] = SORT, **more: Any) -> OutlookAnswer:
    found = look_ahead(asked(file, **more), packaged_knowledge)
    assert isinstance(found, OutlookAnswer)
    return found


def blocks_of(found: OutlookAnswer, kind: type) -> list[Any]:
    return [block for block in found.blocks if isinstance(block, kind)]


def table(found: OutlookAnswer, key: str) -> Table:
    (wanted,) = (block for block in found.blocks if isinstance(block, Table) and block.key == key)
    return wanted


def words(found: OutlookAnswer) -> str:
    return "\n".join(paragraph.text for paragraph in blocks_of(found, Paragraph))


def spending(found: OutlookAnswer, purchase: str) -> SpendingAnswer:
    return next(each for each in found.spendings if each.purchase == purchase)


GROWING = ahead(growth_pct_per_month=4)


@pytest.mark.parametrize("purchase", ["on-demand", "spot"])
def test_the_first_month_is_the_prediction_of_the_same_file(purchase: str) -> None:
    alone = predict_cluster(parse_workload(SORT | {"place": {"purchase": purchase}}), packaged_knowledge)
    assert isinstance(alone, PredictionAnswer)
    first = spending(GROWING, purchase).months[0]
    assert (first.nodes, first.time_s, first.cost_usd) == (20, alone.time_s, alone.cost_usd)
    assert first.month_usd == alone.cost_per_month_usd


def test_every_way_to_pay_has_all_months_and_sums_of_them() -> None:
    assert [each.purchase for each in GROWING.spendings] == ["on-demand", "spot", "1-year", "3-year"]
    for each in GROWING.spendings:
        assert [month.month for month in each.months] == list(range(1, 37))
        assert each.total_usd == each.months[-1].sum_usd == pytest.approx(sum(m.month_usd.p50 for m in each.months))
    assert GROWING.unpriced == []


def test_nodes_are_added_where_the_deadline_would_be_missed_and_that_is_said() -> None:
    months = spending(GROWING, "on-demand").months
    assert all(month.time_s.p50 <= 1_200.0 for month in months)
    assert months[0].nodes == 20 < months[-1].nodes
    assert f"the cluster from 20 to {months[-1].nodes:,} nodes" in GROWING.sentence
    assert "None is given back" in words(GROWING)


def test_years_add_up_to_all_and_are_the_sums_of_their_months() -> None:
    years = table(GROWING, "outlook-years")
    assert [row.key for row in years.rows] == ["year-1", "year-2", "year-3", "all"]
    for place, column in enumerate(years.columns):
        if column.key.endswith("_usd"):
            *each, every = [row.cells[place] for row in years.rows]
            values = [cell.value for cell in each if isinstance(cell, Amount)]
            assert len(values) == 3
            assert isinstance(every, Amount)
            assert every.value == pytest.approx(sum(values))
            purchase = column.key.removesuffix("_usd").replace("_", "-")
            assert every.value == pytest.approx(spending(GROWING, purchase).total_usd)


def test_the_table_of_months_and_the_charts_have_the_numbers_of_the_answer() -> None:
    months = table(GROWING, "outlook-months")
    keys = [column.key for column in months.columns]
    charts = {chart.key: chart for chart in blocks_of(GROWING, Chart)}
    assert set(charts) == {"outlook-cumulative", "outlook-monthly"} == set(GROWING.drawings)
    for each, paid, monthly in zip(
        GROWING.spendings, charts["outlook-cumulative"].series, charts["outlook-monthly"].series, strict=True
    ):
        cells = [row.cells[keys.index(f"{each.purchase.replace('-', '_')}_usd")] for row in months.rows]
        assert [cell.value for cell in cells if isinstance(cell, Amount)] == [m.month_usd.p50 for m in each.months]
        assert [(point.x, point.y) for point in paid.points] == [(m.month, m.sum_usd) for m in each.months]
        assert [(point.x, point.y) for point in monthly.points] == [(m.month, m.month_usd.p50) for m in each.months]


def test_drawings_are_those_of_the_charts() -> None:
    for chart in blocks_of(GROWING, Chart):
        drawn = GROWING.drawings[chart.key]
        assert (drawn.wide, drawn.narrow) == (draw(chart, "wide"), draw(chart, "narrow"))


def test_what_a_report_says_is_what_the_page_says() -> None:
    assert list(outlook_blocks(parse_workload(SORT), packaged_knowledge, 4.0, 36)) == GROWING.blocks


BUSY = ahead(SORT | {"workload": {"data": "10 TB", "runs_per_month": 2_500}, "limits": {}}, months=36)


def test_a_cluster_that_is_busy_pays_a_commitment_back_and_the_chart_has_a_line_there() -> None:
    evens = {(even.commitment, even.against): even for even in BUSY.break_evens}
    month = evens["1-year", "on-demand"].month
    assert month is not None
    year, on_demand = spending(BUSY, "1-year").months, spending(BUSY, "on-demand").months
    assert year[month - 1].sum_usd + year[month - 1].owed_usd <= on_demand[month - 1].sum_usd
    assert evens["1-year", "on-demand"].sentence == (
        f"1-year commitment: has paid against on demand if the job goes on for {month} months."
    )
    limits = next(chart for chart in blocks_of(BUSY, Chart) if chart.key == "outlook-cumulative").limits
    assert (float(month), f"1-year against on demand: month {month}") in [(line.value, line.words) for line in limits]


def test_a_commitment_that_does_not_pay_is_said_not_to() -> None:
    assert {even.month for even in GROWING.break_evens} == {None}
    assert GROWING.break_evens[0].sentence.endswith("has not paid within 36 months; on demand costs less.")


def test_what_commitments_assume_is_said() -> None:
    said = words(GROWING)
    for part in ("pays all 730 hours of a month", "none is made in the middle of a month", "whole terms of 12 or 36"):
        assert part in said
    shared = ahead(commitment="used")
    assert "the hours it uses; others use the rest" in words(shared)
    assert spending(shared, "1-year").total_usd < spending(GROWING, "1-year").total_usd
    ways = [row.key for row in table(GROWING, "outlook-ways").rows]
    assert ways == ["on-demand", "spot", "1-year", "3-year", "1-year-shared", "3-year-shared"]
    assert [row.key for row in table(shared, "outlook-ways").rows] == ways[:4]


def test_ways_to_pay_without_a_price_are_said_to_be_left_out() -> None:
    paper = {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}}
    found = ahead(paper | {"cluster": {"instance": "i2.8xlarge", "nodes": 178}}, months=12)
    assert {each.purchase for each in found.unpriced} >= {"1-year"}
    for each in found.unpriced:
        assert each.reason in words(found)
    assert {p.tone for p in blocks_of(found, Paragraph) if "left out" in p.text} == {"doubt"}


def test_where_it_ends_early_is_said_and_no_part_stands_for_a_whole_year() -> None:
    found = ahead(SORT | {"limits": {"max_nodes": 60}}, growth_pct_per_month=30, months=24)
    on_demand = spending(found, "on-demand")
    assert len(on_demand.months) < 24
    assert on_demand.end is not None
    assert on_demand.end in words(found)
    assert found.sentence.startswith(f"It lasts for {len(on_demand.months)} months")
    # It does not last for the first year: a table of years would have no number.
    assert len(on_demand.months) < 12
    assert not [block for block in blocks_of(found, Table) if block.key == "outlook-years"]
    longer = ahead(SORT | {"limits": {"max_nodes": 60}}, growth_pct_per_month=14, months=24)
    assert 12 <= len(spending(longer, "on-demand").months) < 24
    years = table(longer, "outlook-years").rows
    assert isinstance(years[0].cells[3], Amount)
    assert years[-1].cells[3:] == (None,) * 4


def test_break_evens_are_told_over_the_months_that_both_last() -> None:
    found = ahead(SORT | {"limits": {"max_nodes": 60}}, growth_pct_per_month=30, months=24)
    lasts = len(spending(found, "on-demand").months)
    never = [even.sentence for even in found.break_evens if even.month is None]
    assert never
    assert all(f"has not paid within {lasts} months" in sentence for sentence in never)


def test_sums_of_medians_are_said_to_be() -> None:
    assert ", at the median. The data grows" in GROWING.sentence
    stays = ahead(SORT | {"objective": "month"}, months=2)
    assert "median" not in stays.sentence
    (monthly,) = (chart for chart in blocks_of(stays, Chart) if chart.key == "outlook-monthly")
    assert "range" not in monthly.caption


def test_columns_of_counts_are_not_named_as_money() -> None:
    late = ahead(SORT | {"limits": {"deadline": "9 min"}}, growth_pct_per_month=4)
    for block in blocks_of(late, Table):
        for place, column in enumerate(block.columns):
            units = {row.cells[place].unit for row in block.rows if isinstance(row.cells[place], Amount)}
            assert not column.key.endswith("_usd") or units <= {"USD", "USD/month"}, column.key


def test_a_budget_that_a_run_outgrows_is_said() -> None:
    found = ahead(SORT | {"limits": {"budget": "20 USD"}}, growth_pct_per_month=4)
    dear = next(m.month for m in spending(found, "on-demand").months if m.cost_usd.p50 > 20.0)
    assert f"On demand: from month {dear} on a run costs more than the $20 asked." in words(found)


def test_a_cluster_that_is_late_today_begins_with_more_and_says_so() -> None:
    found = ahead(SORT | {"limits": {"deadline": "9 min"}}, months=2)
    first = spending(found, "on-demand").months[0].nodes
    assert first > 20
    assert f"On demand: 20 nodes are late in the first month; it begins with {first}." in words(found)


def test_a_cluster_that_stays_has_no_spot_price() -> None:
    found = ahead(SORT | {"objective": "month", "limits": {}}, months=3)
    assert [each.purchase for each in found.unpriced] == ["spot"]
    assert "nodes at spot prices do not stay" in words(found)
    assert "The cluster stays all month." in words(found)


@pytest.mark.parametrize(
    "storage",
    [
        {"kind": "instance-store", "input_output_disks": 2, "intermediate_disks": 2},
        {"kind": "ebs", "type": "gp3", "size": "2000 GiB", "count": 4, "iops": 6000, "throughput_mib_per_s": 500},
        {"kind": "object-store"},
    ],
    ids=lambda storage: storage["kind"],
)
def test_each_layout_is_looked_ahead_at(storage: dict[str, Any]) -> None:
    models = {"instance-store": "none", "ebs": "infrastructure", "object-store": "object-store"}
    workload = {"data": "10 TB", "durability": {"model": models[storage["kind"]]}}
    cluster = {"instance": "i3.8xlarge", "nodes": 20, "storage": storage}
    found = ahead({"workload": workload, "cluster": cluster}, growth_pct_per_month=20, months=12)
    assert spending(found, "on-demand").months[0].nodes == 20


def test_what_is_left_open_is_chosen_as_a_prediction_chooses_it() -> None:
    file = {
        "workload": {"data": "10 TB", "durability": {"model": "any"}},
        "place": {"purchase": "any"},
        "limits": {"loss": "1 %"},
        "cluster": {"instance": "i3.8xlarge", "nodes": 20, "spares": 1},
    }
    alone = predict_cluster(parse_workload(file), packaged_knowledge)
    assert isinstance(alone, PredictionAnswer)
    assert alone.purchase is not None
    assert spending(ahead(file, months=1), alone.purchase).months[0].cost_usd == alone.cost_usd


def test_a_cluster_that_cannot_do_the_job_is_infeasible_and_a_paragraph_in_a_report() -> None:
    file = SORT | {"cluster": {"instance": "i3.8xlarge", "nodes": 1}}
    found = look_ahead(asked(file), packaged_knowledge)
    assert isinstance(found, InfeasibleAnswer)
    (block,) = outlook_blocks(parse_workload(file), packaged_knowledge, 0.0, 36)
    assert block == Paragraph(f"What it costs over time cannot be said: {found.reason}.", "doubt")


def test_a_deadline_that_no_cluster_meets_is_infeasible() -> None:
    found = look_ahead(asked(SORT | {"limits": {"deadline": "1 s", "max_nodes": 30}}), packaged_knowledge)
    assert isinstance(found, InfeasibleAnswer)
    assert found.limit == "deadline"


PACES = ((-50.0, 120), (100.0, 120), (0.0, 1), (1e-9, 13))
"""Growth [% per month], and months."""
EXTREMES = [(data, pace) for data in ("1 B", "100 PB") for pace in PACES]
EXTREMES_EVERYDAY = [("1 B", (-50.0, 120)), ("100 PB", (100.0, 120)), ("100 PB", (1e-9, 13)), ("1 B", (0.0, 1))]


@pytest.mark.parametrize("extreme", everyday(EXTREMES_EVERYDAY, EXTREMES, "spaces"))
def test_extremes_of_what_is_accepted_are_answered(extreme: tuple[str, tuple[float, int]]) -> None:
    """Answers refuse numbers that are not finite, so an overflow anywhere would raise here."""
    data, (growth, months) = extreme
    file = {"workload": {"data": data}, "cluster": {"instance": "i3.8xlarge", "nodes": 60_000}}
    found = ahead(file, growth_pct_per_month=growth, months=months)
    assert found.sentence


def test_fields_that_are_wrong_are_named_from_the_top_of_the_body() -> None:
    with pytest.raises(BadInput) as refused:
        look_ahead(asked(SORT | {"cluster": {"instance": "i9.huge", "nodes": 1}}), packaged_knowledge)
    assert [problem.path for problem in refused.value.problems] == ["file.cluster.instance"]


def test_keys_of_blocks_are_unique_and_facts_have_words() -> None:
    keys = [block.key for block in GROWING.blocks if isinstance(block, Table | Chart)]
    assert len(set(keys)) == len(keys)
    facts = [fact for block in blocks_of(GROWING, Facts) for fact in block.facts]
    assert len({fact.key for fact in facts}) == len(facts)
    assert replace(facts[0], key="x") != facts[0]


def test_where_slow_nodes_are_assumed_fewer_months_are_looked_at() -> None:
    slow = SORT | {"assume": {"stragglers": {"share": 0.05, "factor": 3}}, "limits": {}}
    assert len(spending(ahead(slow, months=2), "on-demand").months) == 2
    for path, refuse in (
        ("months", lambda: look_ahead(asked(slow, months=37), packaged_knowledge)),
        ("outlook.months", lambda: outlook_blocks(parse_workload(slow), packaged_knowledge, 0.0, 37)),
    ):
        with pytest.raises(BadInput, match="accepted: up to 36") as refused:
            refuse()
        assert [problem.path for problem in refused.value.problems] == [path]
