"""The first section of a report is the decision: what to do, saving, risk, conditions, and by when."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import pytest

from composed import asked, check, fact, section, table
from database import new_org
from stowage.documents.pdf import pdf
from stowage.features.planning import plans
from stowage.features.planning.decided import Decided
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.composed.options import Option
from stowage.features.reports.composed.risk import doubts
from stowage.features.reports.composed.sureness import saves_nothing
from stowage.features.reports.composing import compose
from stowage.model.figure import Number
from stowage.model.prediction import Range
from stowage.model.report import Amount, Facts, Paragraph, Report
from stowage.model.uncertainty.range import FRAMEWORK_ERROR
from stowage.model.uncertainty.scale import Z90
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput
from stowage.workloads.answers import RangeSourceAnswer, RankedAnswer
from stowage.workloads.risk_levels import risk_level
from stowage.workloads.saving import CostedCluster
from stowage.workloads.workload_file import parse_workload

NOW = datetime(2026, 11, 28, 9, tzinfo=UTC)
NIGHTLY: dict[str, Any] = {
    "workload": {"data": "5 TB", "name": "Nightly ETL", "runs_per_month": 30.0},
    "limits": {"max_nodes": 100, "deadline": "3 h"},
    "choose": {"families": ["i4i"]},
    "assume": {"usual": "ignored"},
}
TODAY = {"instance": "i4i.large", "nodes": 60}

Make = Callable[..., Report]


@pytest.fixture(scope="module")
def team(owner: Database) -> UUID:
    return new_org(owner)


@pytest.fixture(scope="module")
def plan(database: Database, team: UUID) -> SavedPlanAnswer:
    file = parse_workload(NIGHTLY)
    return plans.save_plan(database, team, file, plan_id=uuid4(), now=NOW, clock=lambda: 0.0).in_objects()


@pytest.fixture(scope="module")
def make(database: Database, team: UUID, plan: SavedPlanAnswer) -> Make:
    def made(**more: Any) -> Report:
        new = asked({"kind": "plan", "plan_id": str(plan.id)}, **more)
        report = compose(database, team, new, author="Ada", team="Data", now=NOW).report
        check(report)
        return report

    return made


def tiles(report: Report) -> dict[str, Any]:
    facts = section(report, "summary").blocks[0]
    assert isinstance(facts, Facts)
    assert facts.headline
    return {each.key: each.value for each in facts.facts}


def facts_of(report: Report) -> dict[str, Any]:
    blocks = section(report, "summary").blocks
    return {each.key: each.value for block in blocks if isinstance(block, Facts) for each in block.facts}


def test_the_decision_is_first_and_all_else_is_detail(make: Make) -> None:
    report = make(today=TODAY)
    first, *others = report.sections
    assert (first.heading, first.detail) == ("Decision", False)
    assert all(each.detail for each in others)
    shown = tiles(report)
    assert list(shown) == [
        "configuration",
        "saving_month",
        "month",
        "misses_deadline",
        "loss_year",
        "loss",
        "saving_three_years",
        "decide_by",
    ]
    row = table(report, "today")["month"]
    saving = row["today"].value - row["recommended"].value
    assert saving > 0
    assert shown["configuration"].startswith("Replace 60 × i4i.large with ")
    assert shown["saving_month"].value == pytest.approx(saving)
    assert row["difference"].words in shown["saving_month"].words
    assert shown["saving_three_years"].value == pytest.approx(36 * saving)
    assert shown["month"].range_words is not None
    assert shown["decide_by"] == "28 Dec 2026"
    assert "36 months at today's prices, with 30 runs a month" in fact(report, "held")
    assert "Each month of waiting costs $" in fact(report, "until")
    assert fact(report, "question").startswith("Sort 5 TB at the hardware's limit in us-east-1")


def test_the_saving_is_against_the_given_cost_of_a_baseline(make: Make) -> None:
    report = make(today={**TODAY, "cost_per_month": "$25,000"})
    shown, rows = tiles(report), table(report, "today")
    month = rows["month"]
    assert (month["today"].value, month["today"].words) == (25_000, "$25,000 (given)")
    saving = 25_000 - month["recommended"].value
    assert shown["saving_month"].value == pytest.approx(saving)
    assert shown["saving_three_years"].value == pytest.approx(36 * saving)
    assert rows["cost"]["today"].value == pytest.approx(25_000 / 30)
    assert (rows["year"]["today"].value, rows["year"]["today"].standing) == (300_000, "given")
    assert fact(report, "given_month").words == "$25,000 a month (given)"
    said = [each.text for each in section(report, "summary").blocks if isinstance(each, Paragraph)]
    assert said[0].endswith("against 60 × i4i.large (given: $25,000 a month).")
    [stated] = [each for each in section(report, "provenance").blocks if isinstance(each, Facts)]
    assert [(each.label, each.value.words) for each in stated.facts if isinstance(each.value, Amount)] == [
        ("Cost of 60 × i4i.large today", "$25,000 a month (given)")
    ]
    assert make(today={**TODAY, "cost_per_month": "1 USD"}).sections[0] != report.sections[0]
    assert re.fullmatch(r"\S+%|under \S+%", facts_of(report)["saves_nothing"].words)


def test_the_risk_of_losing_data_is_stated_of_a_run_and_of_a_year_of_runs(make: Make) -> None:
    report = make(today=TODAY)
    facts = section(report, "summary").blocks[0]
    assert isinstance(facts, Facts)
    of_year = next(each for each in facts.facts if each.key == "loss_year")
    shown = tiles(report)
    runs = 12 * NIGHTLY["workload"]["runs_per_month"]
    assert of_year.label == f"Risk of losing data in a year of {runs:.0f} runs"
    assert shown["loss_year"].value == pytest.approx(1 - (1 - shown["loss"].value) ** runs)
    assert shown["loss_year"].words.endswith(f" ({risk_level(1 - shown['loss_year'].value)})")


def test_the_chance_of_no_saving_is_that_of_drawn_costs(make: Make) -> None:
    report = make(today=TODAY)
    found = facts_of(report)["saves_nothing"]
    assert re.fullmatch(
        r"\S+% if the two costs err independently; "
        r"(?:under 0\.1|\S+)% if the framework errs on both by the same factor",
        found.words,
    )
    row = table(report, "today")["cost"]
    draws = np.random.default_rng(7).standard_normal((2, 400_000))
    costs = []
    for cost, z in zip((row["today"], row["recommended"]), draws, strict=True):
        ends = np.log([cost.high / cost.value, cost.value / cost.low]) / Z90
        costs.append(cost.value * np.exp(z * np.where(z > 0, *ends)))
    assert 0 < found.value == pytest.approx(np.mean(costs[1] >= costs[0]), abs=0.003)


def test_a_common_error_of_the_time_also_cancels_out_in_a_cost_that_depends_on_it_in_part(
    plan: SavedPlanAnswer,
) -> None:
    """A quarter of both costs is fixed: they deviate by less than their times, where the error counts."""
    framework, others, fixed = 0.3, 0.15, 0.25
    total = Z90 * math.hypot(framework, others)
    row = plan.answer.configurations[0].model_copy(
        update={
            "time_s": Range(math.exp(-total), 1.0, math.exp(total)),
            "range_sources": [
                RangeSourceAnswer(name=FRAMEWORK_ERROR, log_deviation=framework),
                RangeSourceAnswer(name="storage: age", log_deviation=others),
            ],
        }
    )

    def cost(median: float, time: Any) -> Any:
        return median * (fixed + (1.0 - fixed) * time)

    def costed(median: float) -> RankedAnswer:
        ends = Range(*(cost(median, math.exp(sign * total)) for sign in (-1, 0, 1)))
        return row.model_copy(update={"cost_usd": ends})

    today, option = costed(110.0), Option("rank-1", "", costed(100.0), parse_workload(NIGHTLY))
    [found] = saves_nothing(today, CostedCluster.of(today, "cost"), option)
    assert isinstance(found.value, Amount)
    shared, *own = np.random.default_rng(7).standard_normal((3, 400_000))
    before, now = (
        cost(median, np.exp(framework * shared + others * z)) for median, z in zip((110.0, 100.0), own, strict=True)
    )
    said = re.search(r"; (\d+)% if the framework errs", found.value.words)
    assert said is not None
    assert float(said[1]) / 100 == pytest.approx(np.mean(now >= before), abs=0.02)


def test_costs_without_a_range_save_for_certain_whichever_way_their_ends_are_rounded(plan: SavedPlanAnswer) -> None:
    def costed(usd: float) -> RankedAnswer:
        rounded = Range(math.nextafter(usd, math.inf), usd, math.nextafter(usd, 0.0))
        return plan.answer.configurations[0].model_copy(update={"cost_usd": rounded})

    today, option = costed(110.0), Option("rank-1", "", costed(100.0), parse_workload(NIGHTLY))
    for given_usd in (None, 110.0 * option.runs_per_month):
        costs = CostedCluster.of(today, "cost", option.runs_per_month, given_usd)
        [found] = saves_nothing(today, costs, option)
        assert isinstance(found.value, Amount)
        assert found.value.words.startswith("under 0.1%")


def test_a_baseline_without_a_saving_has_no_chance_of_it(make: Make, plan: SavedPlanAnswer) -> None:
    row = plan.answer.configurations[0]
    same = {"instance": row.instance, "nodes": row.nodes, "storage": row.storage.model_dump()}
    assert "saves_nothing" not in facts_of(make(today=same))


def test_the_estimate_that_decides_is_named_in_words(plan: SavedPlanAnswer) -> None:
    option = Option("rank-1", "", plan.answer.configurations[0], parse_workload(NIGHTLY))
    estimate = Number("cpu_mb_per_s_per_vcpu", 100.0, "MB/s per vCPU").estimated("Section 5.1", NOW.date())
    longest = option.longest.model_copy(update={"bottleneck": "CPU", "time_s": 9e9})
    row = option.row.model_copy(update={"phases": [longest], "provenance": [estimate]})
    said = [paragraph.text for paragraph in doubts(replace(option, row=row))]
    assert said[-1] == (
        "The figure that limits the time most is an estimate by Stowage, not a measurement: how much data a vCPU "
        "processes in this job, 100 MB/s per vCPU. The log of a finished run of this job would settle it. The reasons "
        "for the estimate stand under “What was asked and assumed”."
    )


def test_without_a_baseline_the_cost_is_stated_and_no_saving(make: Make) -> None:
    report = make()
    shown = tiles(report)
    assert list(shown)[:2] == ["configuration", "month"]
    assert shown["configuration"].startswith("Run ")
    assert shown["three_years"].value == pytest.approx(36 * shown["month"].value)
    said = section(report, "summary").blocks[1]
    assert isinstance(said, Paragraph)
    assert said.text.startswith("No saving is stated")


def test_a_baseline_that_is_too_small_for_the_data_is_replaced(make: Make) -> None:
    said = tiles(make(today={"instance": "i4i.large", "nodes": 3, "durability": {"model": "none"}}))["configuration"]
    assert said.startswith("Replace 3 × i4i.large, which cannot run this job, with ")


@pytest.mark.parametrize(
    ("nodes", "starts", "ends"),
    [
        (4, "Replace 4 × i8g.4xlarge with ", ", to be done within 30 min"),
        (6, "Keep 6 × i8g.4xlarge, unless more speed or durability is worth $", " a month"),
    ],
    ids=["late", "in time"],
)
def test_a_baseline_that_costs_less_is_replaced_only_if_it_is_late(
    database: Database, team: UUID, nodes: int, starts: str, ends: str
) -> None:
    file = parse_workload(NIGHTLY | {"limits": {"max_nodes": 100, "deadline": "30 min"}})
    plan = plans.save_plan(database, team, file, plan_id=uuid4(), now=NOW, clock=lambda: 0.0).in_objects()
    today = {"instance": "i8g.4xlarge", "nodes": nodes}
    new = asked({"kind": "plan", "plan_id": str(plan.id)}, today=today)
    said = tiles(compose(database, team, new, author="Ada", team="Data", now=NOW).report)["configuration"]
    assert said.startswith(starts)
    assert said.endswith(ends)


def test_the_recommended_cluster_is_kept_where_it_runs_today(make: Make, plan: SavedPlanAnswer) -> None:
    row = plan.answer.configurations[0]
    same = {"instance": row.instance, "nodes": row.nodes, "storage": row.storage.model_dump()}
    assert tiles(make(today=same))["configuration"] == f"Keep {row.nodes:,} × {row.instance}"


def test_the_cluster_saved_with_the_plan_is_the_baseline_unless_it_is_left_out(
    make: Make, database: Database, team: UUID, plan: SavedPlanAnswer
) -> None:
    plans.decide(database, team, plan.id, Decided.model_validate({"today": TODAY}), NOW)
    try:
        assert "saving_month" in tiles(make())
        assert "saving_month" not in tiles(make(today=None))
    finally:
        plans.decide(database, team, plan.id, Decided(), NOW)


def test_the_day_to_decide_by_is_the_authors(make: Make) -> None:
    assert tiles(make(decide_by="2026-12-04"))["decide_by"] == "4 Dec 2026"
    for refused in ("2026-11-27", "2036-01-01"):
        with pytest.raises(BadInput) as error:
            make(decide_by=date.fromisoformat(refused))
        assert [problem.path for problem in error.value.problems] == ["decide_by"]


def test_the_decision_fills_the_first_page_of_the_pdf(make: Make) -> None:
    report = make(today=TODAY)
    pages = pypdfium2.PdfDocument(pdf(report, None))
    first = pages[0].get_textpage().get_text_range()
    for words in ("What to do", "Saving a month", "Saving over three years", "Decide by", "28 Dec 2026"):
        assert words in first
    assert "The options side by side" not in first.split("Details:")[0]
    assert "The options side by side" in pages[1].get_textpage().get_text_range()
