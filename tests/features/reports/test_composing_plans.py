"""Reports of plans: every number is that of the stored answer, for every plan and every option of a report."""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pypdfium2  # type: ignore[import-untyped]
import pytest

from composed import asked, check, check_exports, fact, parts_of, section, table, words_of
from database import new_org
from outdated import as_objects
from stowage.cli import screen
from stowage.documents.charts.palette import RESOURCES, looks
from stowage.documents.pdf import pdf
from stowage.example import PLANS
from stowage.features.calibration import team_knowledge
from stowage.features.planning import planning, plans
from stowage.features.planning import store as plan_store
from stowage.features.planning.decided import Decided
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.planning.store import StoredPlan
from stowage.features.reports.composing import Composed, compose
from stowage.model.report import Calculation, Chart, Paragraph, Report, Table
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound
from stowage.workloads import wording
from stowage.workloads.answers import PredictionAnswer, RankedAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
EBS: dict[str, Any] = {
    "workload": {
        "data": "5 TB",
        "durability": {"model": "infrastructure"},
        "name": "Nightly ETL",
        "runs_per_month": 30.0,
    },
    "limits": {"max_nodes": 100, "deadline": "3 h", "budget": "20 USD"},
    "choose": {"families": ["c6gd", "m6gd", "i4i"]},
    "assume": {"usual": "ignored"},
}
SORT = PLANS[0]
TOO_MUCH = PLANS[3]

Save = Callable[..., SavedPlanAnswer]
Make = Callable[..., Composed]


@pytest.fixture(scope="module")
def team(owner: Database) -> UUID:
    return new_org(owner)


@pytest.fixture(scope="module")
def save(database: Database, team: UUID) -> Save:
    kept: dict[str, SavedPlanAnswer] = {}

    def saved(document: dict[str, Any], name: str | None = None) -> SavedPlanAnswer:
        key = repr((document, name))
        if key not in kept:
            named = document if name is None else {**document, "workload": {**document["workload"], "name": name}}
            file = parse_workload(named)
            kept[key] = plans.save_plan(database, team, file, plan_id=uuid4(), now=NOW, clock=lambda: 0.0).in_objects()
        return kept[key]

    return saved


@pytest.fixture(scope="module")
def make(database: Database, team: UUID) -> Make:
    def made(origin: dict[str, Any], **more: Any) -> Composed:
        composed = compose(database, team, asked(origin, **more), author="Ada", team="Data", now=NOW)
        check(composed.report)
        return composed

    return made


def of(*saved: SavedPlanAnswer) -> dict[str, Any]:
    if len(saved) > 1:
        return {"kind": "comparison", "plan_ids": [str(each.id) for each in saved]}
    return {"kind": "plan", "plan_id": str(saved[0].id)}


def test_every_number_of_the_options_is_the_stored_answers(save: Save, make: Make) -> None:
    plan = save(EBS)
    report = make(of(plan)).report
    rows = table(report, "options")
    assert list(rows) == ["rank-1", "rank-2", "rank-3"]
    for rank, cells in enumerate(rows.values()):
        row = plan.answer.configurations[rank]
        time, cost, month = cells["time_s"], cells["cost_usd"], cells["month_usd"]
        assert (time.low, time.value, time.high) == (row.time_s.p10, row.time_s.p50, row.time_s.p90)
        assert (cost.low, cost.value, cost.high) == (row.cost_usd.p10, row.cost_usd.p50, row.cost_usd.p90)
        assert month.value == row.cost_per_month_usd.p50
        assert cells["in_time"].value == row.meets_deadline
        assert cells["in_budget"].value == row.meets_budget
        assert cells["loss"].value == row.loss_probability
        assert time.words == wording.duration(row.time_s.p50)
        assert cost.words == wording.usd(row.cost_usd.p50)
        assert cells["loss"].words == wording.chance(row.loss_probability)
        assert cells["storage"] == row.storage_words
    first = plan.answer.configurations[0]
    assert report.sentence == plan.answer.sentence
    assert fact(report, "time") == rows["rank-1"]["time_s"]
    assert fact(report, "cost") == rows["rank-1"]["cost_usd"]
    parts = table(report, "cost-parts")
    for part, usd in first.cost_parts_usd.model_dump().items():
        assert (parts[part]["rank_1_usd"].value == usd) if part in parts else usd == 0.0
    phases = table(report, "phases")
    assert [phases[f"rank-1-phase-{n}"]["time_s"].value for n in (1, 2)] == [each.time_s for each in first.phases]
    sources = {figure.quantity: figure for figure in first.provenance}
    known = table(report, "provenance")
    for name, figure in sources.items():
        found = [cells for key, cells in known.items() if key.split(" #")[0] == name]
        assert (figure.value, figure.source) in {(cells["value"].value, cells["value"].source) for cells in found}
    assert [(each.key, each.value) for each in report.versions][:1] == [("model", plan.answer.model_version)]


def test_of_named_ranks_the_first_is_recommended(save: Save, make: Make) -> None:
    plan = save(EBS)
    composed = make({**of(plan), "ranks": [3, 1]})
    rows = table(composed.report, "options")
    assert list(rows) == ["rank-3", "rank-1"]
    third = plan.answer.configurations[2]
    assert fact(composed.report, "cost").value == third.cost_usd.p50
    assert wording.usd(third.cost_usd.p50) in composed.report.sentence
    assert [each.name for each in composed.deployable] == [cells["option"] for cells in rows.values()]


@pytest.mark.parametrize(
    ("ranks", "path"), [([1, 51], "origin.ranks.1"), ([2, 2], "origin.ranks.1")], ids=["beyond", "twice"]
)
def test_a_rank_that_is_not_there_is_refused_by_its_place(save: Save, make: Make, ranks: list[int], path: str) -> None:
    with pytest.raises(BadInput) as refused:
        make({**of(save(EBS)), "ranks": ranks})
    assert [problem.path for problem in refused.value.problems] == [path]


def test_a_plan_of_one_row_has_a_report_of_one_option(save: Save, make: Make) -> None:
    assert list(table(make(of(save(SORT))).report, "options")) == ["rank-1"]


def test_what_is_deployed_is_predicted_as_the_row_was(save: Save, make: Make, database: Database, team: UUID) -> None:
    plan = save(EBS)
    for deployable, row in zip(make(of(plan)).deployable, plan.answer.configurations, strict=False):
        file = parse_workload(deployable.file)
        found = planning.predict_cluster(file, team_knowledge.stored_knowledge(database, team))
        assert found.feasible
        # Stored rows have nine digits.
        for again, stored in ((found.time_s, row.time_s), (found.cost_usd, row.cost_usd)):
            assert asdict(again) == pytest.approx(asdict(stored), rel=1e-8)
        assert file.place.catalog == plan.answer.catalog_version


def test_today_is_predicted_by_the_same_and_the_saving_is_the_difference(save: Save, make: Make) -> None:
    plan = save(EBS)
    today = {
        "instance": "i4i.large",
        "nodes": 40,
        "storage": {"kind": "ebs", "type": "gp3", "size": "500 GiB", "count": 2},
    }
    report = make(of(plan), today=today).report
    rows = table(report, "today")
    first = plan.answer.configurations[0]
    assert rows["cost"]["recommended"].value == first.cost_usd.p50
    saved = rows["cost"]["today"].value - first.cost_usd.p50
    facts = {each.key: each.value for each in parts_of(section(report, "today")) if hasattr(each, "better")}
    assert facts["saving_run"].value == pytest.approx(saved)
    assert facts["saving_year"].value == pytest.approx(12 * 30 * saved)
    year, month = (rows[key]["recommended"] for key in ("year", "month"))
    assert (year.low, year.value, year.high) == tuple(12 * end for end in (month.low, month.value, month.high))
    check_exports(report)
    assert f"{wording.usd(abs(saved))} a run" in words_of(report)


def test_a_comparison_begins_with_what_is_saved_against_today(save: Save, make: Make) -> None:
    today = {"instance": "i2.8xlarge", "nodes": 150, "durability": {"model": "none"}}
    report = make(of(save(PLANS[1]), save(SORT)), today=today).report
    rows, tile = table(report, "today"), fact(report, "saving_month")
    assert tile.value == pytest.approx(rows["month"]["today"].value - rows["month"]["recommended"].value)
    first = section(report, "summary").blocks[1]
    assert isinstance(first, Paragraph)
    assert "a run" in first.text
    assert first.text.endswith(" 150 × i2.8xlarge.")


def test_launch_has_a_kind_of_its_own_in_charts(save: Save, make: Make) -> None:
    counted = {**SORT, "assume": {"usual": "ignored", "launch": "counted"}}
    report = make(of(save(counted))).report
    [chart] = [each for each in parts_of(report) if isinstance(each, Chart) and each.key == "time-by-phase"]
    assert [series.resource for series in chart.series if series.name.startswith("launch")] == ["launch"]
    [look] = [look for each, look in zip(chart.series, looks(chart.series), strict=True) if each.resource == "launch"]
    assert (look.style, look.pattern) == RESOURCES["launch"]
    alike = [kind for kind, found in RESOURCES.items() if found[1] == RESOURCES["launch"][1]]
    assert alike == ["launch"]


def test_loading_and_unloading_have_a_kind_of_their_own_in_charts(save: Save, make: Make) -> None:
    places = {"input": {"elsewhere": "1 TB/s"}, "output": "object-store"}
    report = make(of(save({**SORT, "workload": {**SORT["workload"], **places}, "limits": {"max_nodes": 400}}))).report
    [chart] = [each for each in parts_of(report) if isinstance(each, Chart) and each.key == "time-by-phase"]
    kinds = {series.name: series.resource for series in chart.series}
    assert kinds["load from elsewhere"] == kinds["unload to the object store"] == "loading"
    assert kinds["map and shuffle"] != "loading"
    drawn = [look for each, look in zip(chart.series, looks(chart.series), strict=True) if each.resource == "loading"]
    # One color, two labels.
    assert len({(look.style, look.form, look.pattern) for look in drawn}) == len(drawn)
    alike = [kind for kind, found in RESOURCES.items() if found[1] == RESOURCES["loading"][1]]
    assert alike == ["loading"]


def test_today_keeps_its_data_as_it_is_said_to(save: Save, make: Make) -> None:
    cluster = {"instance": "i2.8xlarge", "nodes": 124}
    plan = save(SORT)
    copies = make(of(plan), today={**cluster, "durability": {"model": "application", "replicas": 2}}).report
    assert table(copies, "today")["kept"]["today"] == "2 copies"
    assert "not equally safe" in words_of(copies)
    alike = make(of(plan), today={**cluster, "durability": {"model": "none"}}).report
    assert table(alike, "today")["kept"]["today"] == "one copy"
    assert "not equally safe" not in words_of(alike)
    with pytest.raises(BadInput) as refused:
        make(of(plan), today={**cluster, "durability": {"model": "object-store"}})
    assert [problem.path for problem in refused.value.problems] == ["today.storage.kind"]


def test_today_that_cannot_do_the_job_is_said_with_what_it_would_take(save: Save, make: Make) -> None:
    today = {"instance": "i2.8xlarge", "nodes": 2}
    report = make(of(save(SORT)), today=today).report
    [said] = section(report, "today").blocks
    assert isinstance(said, Paragraph)
    assert said.tone == "doubt"
    assert "2 × i2.8xlarge" in said.text
    assert "cannot hold" in said.text


def test_today_on_other_storage_is_compared_and_said_to_be_less_alike(save: Save, make: Make) -> None:
    today = {"instance": "i4i.large", "nodes": 60}
    report = make(of(save(EBS)), today=today).report
    assert "not equally safe" in words_of(report)
    assert table(report, "today")["kept"]["today"] == "one copy"


@pytest.mark.parametrize(
    ("today", "path"),
    [
        ({"instance": "i9.huge", "nodes": 2}, "today.instance"),
        (
            {
                "instance": "i2.8xlarge",
                "nodes": 98,
                "storage": {"kind": "ebs", "type": "gp9", "size": "500 GiB", "count": 1},
            },
            "today.storage.type",
        ),
    ],
    ids=["type", "volume"],
)
def test_a_cluster_that_the_catalog_does_not_know_is_refused_at_its_field(
    save: Save, make: Make, today: dict[str, Any], path: str
) -> None:
    with pytest.raises(BadInput) as refused:
        make(of(save(SORT)), today=today)
    assert [problem.path for problem in refused.value.problems] == [path]


def test_pins_stand_beside_the_recommended_option_each_for_its_own_question(
    save: Save, make: Make, database: Database, team: UUID
) -> None:
    plan = save(SORT, "With pins")
    cluster = {"instance": "i2.8xlarge", "nodes": 150}
    copies = {**SORT, "workload": {**SORT["workload"], "durability": {"model": "application", "replicas": 2}}}
    less = {**SORT, "workload": {**SORT["workload"], "data": "40 TB"}}
    too_few = {**SORT, "cluster": {**cluster, "nodes": 2}}
    pins = [{**copies, "cluster": cluster}, {**less, "cluster": cluster}, too_few]
    plans.decide(database, team, plan.id, Decided.model_validate({"pins": pins}), NOW)
    report = make(of(plan)).report
    rows = table(report, "pins")
    # One cannot do its job, and is no choice.
    assert list(rows) == ["rank-1", "pin-1", "pin-2"]
    assert [rows[key]["kept"] for key in rows] == ["one copy", "2 copies", "one copy"]
    stored = plans.read_plan(database, team, plan.id).decided.pins
    for place in (1, 2):
        answer = stored[place - 1].answer
        assert answer.feasible
        assert rows[f"pin-{place}"]["cost_usd"].value == answer.cost_usd.p50
        assert rows[f"pin-{place}"]["loss"].value == answer.loss_probability
    said = [block.text for block in section(report, "pins").blocks if isinstance(block, Paragraph)]
    assert said == ["150 × i2.8xlarge is pinned for another question: workload.data 40 TB."]
    check_exports(report)


def test_a_plan_without_an_answer_has_a_report_of_what_comes_nearest(save: Save, make: Make) -> None:
    plan = save(TOO_MUCH)
    assert not plan.answer.configurations
    composed = make(of(plan))
    assert composed.deployable == []
    assert composed.report.sentence == plan.answer.sentence
    assert len(table(composed.report, "near-misses")) == len(plan.answer.near_misses)
    with pytest.raises(BadInput, match="no rows"):
        make({**of(plan), "ranks": [2]})
    stays = save({**TOO_MUCH, "objective": "month"})
    months = [miss.candidate.cost_always_on_usd for miss in stays.answer.near_misses]
    missed = table(make(of(stays)).report, "near-misses")
    assert [cells["cost_usd"].value for cells in missed.values()] == months
    assert {cells["cost_usd"].unit for cells in missed.values()} == {"USD/month"}


def test_a_deadline_that_is_met_by_half_is_said(save: Save, make: Make) -> None:
    plan = save(SORT)
    met = plan.answer.configurations[0].meets_deadline
    assert met is not None
    doubts = [
        each.text
        for each in section(make(of(plan)).report, "summary").blocks
        if isinstance(each, Paragraph) and each.tone == "doubt"
    ]
    assert any(f"with a chance of {wording.chance(met)}" in each for each in doubts)
    assert any("not a measurement: the network throughput of i2.8xlarge, " in each for each in doubts)


def test_a_comparison_puts_winners_side_by_side_and_says_what_was_asked_differently(save: Save, make: Make) -> None:
    one, copies, none = save(SORT), save(PLANS[1]), save(TOO_MUCH)
    composed = make(of(copies, one, none))
    report = composed.report
    rows = table(report, "options")
    # The cheapest first; ties by the order in which they were named.
    assert list(rows) == ["plan-2", "plan-1"]
    assert rows["plan-1"]["cost_pct"].value == pytest.approx(
        100 * (copies.answer.configurations[0].cost_usd.p50 / one.answer.configurations[0].cost_usd.p50 - 1)
    )
    different = table(report, "differences")
    assert different["workload.durability.model"] == {
        "field": "workload.durability.model",
        "asked_1": "application",
        "asked_2": "by default",
        "asked_3": "by default",
    }
    assert "place.catalog" not in different
    assert none.answer.sentence in words_of(report)
    assert len([each for each in parts_of(report) if isinstance(each, Calculation)]) == 2
    check_exports(report)
    assert [each.name for each in composed.deployable] == ["98 × i2.8xlarge", "124 × i2.8xlarge"]
    assert report.origin.object_ids == (str(copies.id), str(one.id), str(none.id))


def test_what_costs_the_same_today_saves_nothing_in_every_place(save: Save, make: Make) -> None:
    row = save(SORT).answer.configurations[0]
    report = make(of(save(SORT)), today={"instance": row.instance, "nodes": row.nodes}).report
    facts = {each.key: each.value for each in parts_of(section(report, "today")) if hasattr(each, "better")}
    assert "the cost is the same" in words_of(report)
    assert {facts[key].words for key in ("saving_run", "saving_month", "saving_year")} == {"none: it costs the same"}


def test_clusters_that_stay_are_compared_by_their_months(save: Save, make: Make) -> None:
    stays = {**EBS, "objective": "month", "limits": {"max_nodes": 20}}
    one = save({**stays, "choose": {"instances": ["c6gd.4xlarge"]}}, "One")
    other = save({**stays, "choose": {"instances": ["i4i.4xlarge"]}}, "Other")
    always = {each.answer.configurations[0].cost_always_on_usd: each.name for each in (one, other)}
    cheapest = min(always, key=lambda usd: usd or 0.0)
    report = make(of(one, other)).report
    rows = table(report, "options")
    assert next(iter(rows.values()))["month_usd"].value == cheapest
    assert next(cells["plan"] for cells in rows.values()) == always[cheapest]
    dearest = max(usd or 0.0 for usd in always)
    assert list(rows.values())[1]["cost_pct"].value == pytest.approx(100 * (dearest / (cheapest or 1.0) - 1))
    assert f"cost {wording.usd(cheapest or 0.0)} a month, always on." in report.sentence
    assert f"{wording.usd(dearest - (cheapest or 0.0))} more a month" in words_of(report)
    mixed = table(make(of(one, save(EBS))).report, "options")
    assert mixed["plan-1"]["month_usd"].words.endswith(", always on")
    assert not mixed["plan-2"]["month_usd"].words.endswith(", always on")


def test_a_month_is_one_figure_of_one_cluster_in_answer_sentence_terminal_and_report(
    save: Save, make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    """Permanent HDFS: the winner's month by part, all nodes that are paid for, and time against monthly cost."""
    plan = save(
        {
            "workload": {"data": "200 TB", "job": "hdfs-write", "durability": {"model": "application", "replicas": 3}},
            "place": {"primary": "m6g.xlarge"},
            "objective": "month",
        }
    )
    answer = plan.answer
    winner = answer.configurations[0]
    assert winner.cost_always_on_parts_usd is not None
    parts = winner.cost_always_on_parts_usd.model_dump()
    month_usd = winner.cost_always_on_usd or 0.0
    assert sum(parts.values()) == pytest.approx(month_usd)
    assert parts["head_nodes"] == pytest.approx(730.0 * next(price_of_head(winner)))
    nodes = f"{winner.nodes} × {winner.instance} and 1 × m6g.xlarge as NameNode"
    costs = f"{wording.usd(month_usd)} a month"
    assert f"{nodes} on their own disks cost {costs}, always on. One run writes 200 TB to HDFS in " in answer.sentence
    end = answer.frontier[-1]
    assert (end.instance, end.nodes, end.cost_always_on_usd) == (winner.instance, winner.nodes, month_usd)

    screen.show_plan(answer)
    told = " ".join(capsys.readouterr().out.split())
    assert nodes in told
    assert costs in told
    assert f"1 {winner.nodes} × {winner.instance} {wording.usd(month_usd)} " in told
    assert "Costs include 1 × m6g.xlarge as NameNode." in told
    cluster = {"instance": winner.instance, "nodes": winner.nodes, "storage": winner.storage.model_dump()}
    file = parse_workload({**answer.workload, "cluster": cluster})
    alone = planning.predict_cluster(file, packaged_knowledge)
    assert isinstance(alone, PredictionAnswer)
    assert alone.cost_always_on_parts_usd == winner.cost_always_on_parts_usd
    screen.show_prediction(alone, file.objective)
    workers, head = (wording.usd(parts[part]) for part in ("instances", "head_nodes"))
    assert f"Cost of a month: worker nodes {workers}, NameNode {head} " in " ".join(capsys.readouterr().out.split())

    report = make(of(plan)).report
    assert report.sentence == answer.sentence
    assert fact(report, "configuration").startswith(f"Run {nodes}, ".replace(" x ", " × "))
    assert fact(report, "month").value == month_usd
    options, by_part = table(report, "options"), table(report, "cost-parts")
    assert options["rank-1"]["month_usd"].value == month_usd
    assert options["rank-1"]["head_node"] == "NameNode, m6g.xlarge"
    assert by_part["total"]["rank_1_usd"].value == month_usd
    assert {part: cells["rank_1_usd"].value for part, cells in by_part.items() if part != "total"} == {
        part: usd for part, usd in parts.items() if usd > 0.0
    }
    assert [by_part[part]["part"] for part in ("instances", "head_nodes")] == ["Worker nodes", "NameNode"]
    drawn = next(each for each in parts_of(report) if isinstance(each, Chart) and each.key == "frontier")
    assert drawn.y.label == "Always-on monthly cost"
    assert [point.y for series in drawn.series for point in series.points if point.ringed] == [month_usd]
    assert f"for {costs} ({winner.nodes} × {winner.instance}): nothing beats" in drawn.caption
    worked = next(each for each in parts_of(report) if isinstance(each, Calculation))
    assert worked.steps[-1].amount.value == month_usd
    assert "Cost of a run" not in words_of(report)
    check_exports(report)
    pages = pypdfium2.PdfDocument(pdf(report, None))
    printed = "".join("".join(page.get_textpage().get_text_range() for page in pages).split())
    assert "".join(f"{nodes} on their own disks cost {costs}".split()) in printed


def price_of_head(row: RankedAnswer) -> Iterator[float]:
    return (figure.value for figure in row.provenance if figure.quantity == "head_usd_per_hour")


def test_chances_to_be_late_are_drawn_where_there_are_any(save: Save, make: Make) -> None:
    def charts(*plans: SavedPlanAnswer) -> set[str]:
        return {each.key for each in parts_of(make(of(*plans)).report) if isinstance(each, Chart)}

    sure, late = save(EBS), save(SORT)
    assert {row.meets_deadline for row in sure.answer.configurations[:3]} == {1.0}
    assert "misses" not in charts(sure)
    assert "misses" in charts(late, save(SORT, "Again"))


def test_a_comparison_needs_different_plans_and_one_answer(save: Save, make: Make) -> None:
    with pytest.raises(BadInput, match="stands there twice"):
        make({"kind": "comparison", "plan_ids": [str(save(SORT).id)] * 2})
    with pytest.raises(BadInput, match="nothing meets the limits of any"):
        make(of(save(TOO_MUCH), save(TOO_MUCH, "Again")))


def test_no_plan_of_another_team_is_found(save: Save, database: Database, owner: Database) -> None:
    with pytest.raises(NotFound):
        compose(database, new_org(owner), asked(of(save(SORT))), author="", team="", now=NOW)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "=1+1", "{{ 7*7 }}", "مرحبا"], ids=ascii)
def test_hostile_names_of_plans_are_texts(save: Save, make: Make, name: str) -> None:
    report = make(of(save(SORT, name), save(SORT))).report
    assert report.origin.names[0] == name
    assert table(report, "options")["plan-1"]["plan"] == name


def test_a_title_and_words_show_all_that_they_hold(save: Save, make: Make) -> None:
    report = make(of(save(SORT)), title="invoice\u202egnp.exe", words="pay\u200bload\n=1+1\u2066").report
    assert report.title == "invoice‹U+202E›gnp.exe"
    assert report.words == "payload\n=1+1‹U+2066›"
    assert make(of(save(SORT)), title="\u200b").report.title


def test_a_row_without_its_sources_is_given_them_and_where_it_cannot_be_it_says_so(
    database: Database, owner: Database
) -> None:
    team = new_org(owner)
    answer = planning.preview_plan(parse_workload(SORT), team_knowledge.stored_knowledge(database, team), lambda: 0.0)
    [row] = answer.configurations
    bare = row.model_copy(update={"sources": False, "provenance": [], "causes": [], "courses": []})

    def stored(**changed: Any) -> Report:
        plan = StoredPlan(
            id=uuid4(),
            name="Without sources",
            workload=answer.workload,
            catalog_version=answer.catalog_version,
            profiles_digest=answer.profiles_digest,
            model_version=changed.get("model_version", answer.model_version),
            answer=as_objects(answer.model_copy(update={"configurations": [bare], **changed}).model_dump(mode="json")),
            best_instance=row.instance,
            best_nodes=row.nodes,
            best_time_s=row.time_s.p50,
            best_cost_usd=row.cost_usd.p50,
            created_at=NOW,
        )
        with database.transaction(team) as connection:
            plan_store.insert(connection, plan)
        ask = asked({"kind": "plan", "plan_id": str(plan.id)}, today={"instance": "i2.8xlarge", "nodes": 178})
        report = compose(database, team, ask, author="", team="", now=NOW).report
        check(report)
        return report

    assert len(table(stored(), "provenance")) == len(row.provenance)
    old = stored(model_version="1")
    said = words_of(old)
    assert "does not list what it rests on for 98 × i2.8xlarge" in said
    assert "The same question would rest on other versions by now: model 1, now" in said
    assert "predicted by the model and the measurements of the day of the report" in said
    [calculation] = [each for each in parts_of(old) if isinstance(each, Calculation)]
    assert [step.amount.value for step in calculation.steps if step.key == "instances_usd"] == [
        row.cost_parts_usd.instances
    ]


def test_the_outlook_is_of_the_recommended_cluster(save: Save, make: Make) -> None:
    report = make(of(save(SORT)), outlook={"growth_pct_per_month": 3, "months": 12}).report
    charts = [each for each in section(report, "outlook").blocks if isinstance(each, Chart)]
    assert [each.key for each in section(report, "months").blocks if isinstance(each, Table)] == ["outlook-months"]
    assert "outlook-months" not in {each.key for each in section(report, "outlook").blocks if isinstance(each, Table)}
    assert charts
    check_exports(report)
    assert all(math.isfinite(point.y) for chart in charts for each in chart.series for point in each.points)


def test_reports_of_the_same_plan_have_the_same_keys(save: Save, make: Make) -> None:
    def keys(report: Report) -> list[str]:
        return [f"{type(part).__name__} {part.key}" for part in parts_of(report) if hasattr(part, "key")]

    plan = save(EBS)
    assert keys(make(of(plan)).report) == keys(make(of(plan), title="Another").report)
