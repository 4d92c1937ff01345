"""Reports of a sweep, a run and the validation: every number is that of the page."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from composed import asked, check, check_exports, fact, parts_of, section, table, words_of
from grids import SMALL, start_sweep
from quoted import approved, connected
from reported import ended, launched, net_document, report
from stowage.features.benchmarks import runs
from stowage.features.calibration import validation
from stowage.features.reports.composing import Composed, compose
from stowage.features.sweeps import sweeps
from stowage.model.report import Chart, Paragraph
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, NotFound
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue
from stowage.runs.spec import RunSpec
from stowage.workloads import wording
from stowage.workloads.knowledge import packaged_knowledge

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)

Make = Callable[..., Composed]


@pytest.fixture
def make(database: Database, org_id: UUID) -> Make:
    def made(origin: dict[str, Any], **more: Any) -> Composed:
        now = datetime.now(UTC)
        composed = compose(database, org_id, asked(origin, **more), author="Ada", team="Data", now=now)
        check(composed.report)
        assert composed.deployable == []
        return composed

    return made


def compute(database: Database, org_id: UUID, queue: Queue, job_id: UUID, parts: Sequence[int]) -> None:
    for number in parts:
        part = Part(org_id, job_id, "sweep", number)
        jobs.work_on_part(database, queue, part, {"sweep": sweeps.compute_part}, lambda: 0.0)


def test_a_sweep_shows_every_cell_and_who_wins_where(
    database: Database, org_id: UUID, queue: Queue, make: Make
) -> None:
    started = start_sweep(database, org_id, queue, SMALL)
    origin = {"kind": "sweep", "sweep_id": str(started.id)}
    with pytest.raises(BadInput, match="still being computed, 0 of 6 cells"):
        make(origin)
    compute(database, org_id, queue, started.job.id, range(6))
    sweep = sweeps.read_sweep(database, org_id, started.id)
    found = make(origin).report
    rows = table(found, "cells")
    assert len(rows) == len(sweep.cells) == 6
    for cell in sweep.cells:
        key = f"{sweep.columns.values[cell.column]} / {sweep.rows.values[cell.row]}"
        if cell.best is None:
            assert rows[key]["winner"] == "none fits"
            assert rows[key]["limited_by"] == cell.sentence
            assert rows[key]["storage"] is None
            continue
        cost, time = rows[key]["cost_usd"], rows[key]["time_s"]
        assert (cost.low, cost.value, cost.high) == astuple(cell.best.cost_usd)
        assert (time.value, time.words) == (cell.best.time_s.p50, wording.duration(cell.best.time_s.p50))
        assert rows[key]["winner"] == f"{cell.best.nodes:,} × {cell.best.instance}"
    won = [cell for cell in sweep.cells if cell.best is not None]
    assert 0 < len(won) < 6
    assert fact(found, "fits").value == len(won)
    [grid] = [each for each in parts_of(found) if isinstance(each, Chart) and each.key == "cost-grid"]
    shaded, none = grid.series
    assert {(point.x, point.y): point.value for point in shaded.points} == {
        (cell.column, cell.row): cell.best.cost_usd.p50 for cell in won if cell.best
    }
    assert len(none.points) == 6 - len(won)
    assert shaded.shades == "ratios"
    # Marked and colored as on the page of the sweep.
    near = {(cell.column, cell.row) for cell in won if cell.best and cell.best.near_tie}
    [winners] = [each for each in parts_of(found) if isinstance(each, Chart) and each.key == "winners-grid"]
    for chart in (grid, winners):
        assert {(point.x, point.y) for series in chart.series for point in series.points if point.near_tie} == near
        assert ("≈ marks" in chart.caption) == (near != set())
    # Headings and charts are regions of the page, whose names must differ.
    names = [each.title for each in parts_of(found) if isinstance(each, Chart)]
    names += [each.heading for each in found.sections]
    assert len(set(names)) == len(names)
    families = {series.name.partition(".")[0]: series.family for series in winners.series if not series.faint}
    assert families == {name: number for number, name in enumerate(sorted(families))}
    # The base has a size, which each column replaces.
    assert list(table(found, "asked")) == ["place.catalog", "limits.max_nodes", "assume.usual"]
    assert sweep.name == "sort: data size by deadline"
    check_exports(found)
    counted = Counter(each.best.instance for each in won if each.best)
    assert {key: cells["cells"].value for key, cells in table(found, "winners").items()} == dict(counted)
    with pytest.raises(BadInput, match="recommends no cluster"):
        make(origin, today={"instance": "i2.8xlarge", "nodes": 3})


def test_a_sweep_for_the_cheapest_month_speaks_of_months(
    database: Database, org_id: UUID, queue: Queue, make: Make
) -> None:
    file = SMALL.model_copy(update={"base": SMALL.base.model_copy(update={"objective": "month"})})
    started = start_sweep(database, org_id, queue, file)
    compute(database, org_id, queue, started.job.id, range(6))
    sweep = sweeps.read_sweep(database, org_id, started.id)
    won = [(cell, cell.best) for cell in sweep.cells if cell.best is not None]
    months = [best.cost_always_on_usd or 0.0 for _, best in won]
    assert all(wording.usd(month) in cell.sentence for (cell, _), month in zip(won, months, strict=True))
    found = make({"kind": "sweep", "sweep_id": str(started.id)}).report
    span = f"{wording.usd(min(months))} to {wording.usd(max(months))}"
    assert f"A month costs {span};" in found.sentence
    assert fact(found, "cheapest").value == min(months)
    assert fact(found, "dearest").value == max(months)
    [grid] = [each for each in parts_of(found) if isinstance(each, Chart) and each.key == "cost-grid"]
    assert grid.title == "Cost of a month"
    assert [point.value for point in grid.series[0].points] == months
    rows = table(found, "cells")
    assert [cells["cost_usd"].value for cells in rows.values() if cells["cost_usd"] is not None] == months
    assert "a run" not in words_of(found).replace("time of a run", "").replace("Time of a run", "")


def test_a_run_shows_what_it_measured_and_what_it_cost_and_no_ids_of_the_account(
    database: Database, org_id: UUID, make: Make
) -> None:
    account = connected(database, org_id)
    spec = RunSpec("netbench", "i2.8xlarge", 4, "us-east-1")
    run_id = approved(database, org_id, account, spec=spec)
    origin = {"kind": "run", "run_id": str(run_id)}
    with pytest.raises(BadInput, match="has not ended yet"):
        make(origin)
    launched(database, org_id, run_id, 4)
    for size in (2, 4):
        for node in range(size):
            document = net_document(900.0 - 10.0 * node - 30.0 * size, datetime.now(UTC))
            report(database, org_id, run_id, node, f"net-{size}", document)
    ended(database, org_id, run_id, 0.21)
    answer = runs.read_run(database, org_id, run_id, datetime.now(UTC))
    found = make(origin).report
    for result in answer.results:
        for metric in result.metrics:
            amount = table(found, "results")[f"{result.phase}.{metric.name}"]["value"]
            assert (amount.value, amount.unit, amount.standing) == (metric.value, metric.unit, "measured")
    scaling = table(found, "scaling-table")
    assert [cells["slowest_mb_per_s"].value for cells in scaling.values()] == [
        point.slowest_mb_per_s for point in answer.scaling
    ]
    assert fact(found, "spent").words == "$0.21"
    assert fact(found, "quoted").value == answer.quoted_usd
    assert {cells["usd"].value for cells in table(found, "quote").values()} == {each.usd for each in answer.quote.parts}
    check_exports(found)
    # The sentence describes the whole cluster, not two nodes of it.
    whole = answer.scaling[-1]
    assert whole.nodes == 4
    assert f"{wording.three_digits(whole.mean_mb_per_s)} MB/s. It cost $0.21" in found.sentence
    said = words_of(found)
    assert not any(each.id in said for each in answer.resources)
    assert not any(node.address in said for node in answer.nodes if node.address)


def test_a_run_that_measured_nothing_says_so(database: Database, org_id: UUID, make: Make) -> None:
    account = connected(database, org_id)
    run_id = approved(database, org_id, account, spec=RunSpec("netbench", "i2.8xlarge", 4, "us-east-1"))
    launched(database, org_id, run_id, 4)
    ended(database, org_id, run_id, state="failed", outcome="failed", failure="no node reported", verified=False)
    found = make({"kind": "run", "run_id": str(run_id)}).report
    doubts = [each.text for each in parts_of(found) if isinstance(each, Paragraph) and each.tone == "doubt"]
    assert any("no node reported" in each for each in doubts)
    assert any("could not be seen" in each for each in doubts)
    assert sum("o node reported" in each.text for each in parts_of(found) if isinstance(each, Paragraph)) == 1
    assert "results" not in [each.key for each in found.sections]


def test_the_validation_shows_every_case_those_that_miss_among_them(make: Make) -> None:
    answer = validation.validate(packaged_knowledge)
    found = make({"kind": "validation"}).report
    rows = table(found, "cases")
    assert list(rows) == [case.id for case in answer.cases]
    for case in answer.cases:
        predicted, actual = rows[case.id]["predicted"], rows[case.id]["actual"]
        assert (None if predicted is None else predicted.value) == case.predicted
        assert (None if actual is None else actual.value) == case.actual
    check_exports(found)
    assert fact(found, "median").value == answer.experiments.median_abs_error_pct
    worst = table(found, "worst")
    errors = [abs(cells["error_pct"].value) for cells in worst.values()]
    assert errors == sorted(errors, reverse=True)
    assert len(section(found, "contradictions").blocks[0].rows) == len(answer.contradictions)  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", ["sweep", "run"])
def test_what_is_not_there_is_not_found(make: Make, kind: str) -> None:
    with pytest.raises(NotFound):
        make({"kind": kind, f"{kind}_id": str(uuid4())})


def test_a_sweep_that_was_ended_says_how_much_of_it_there_is(
    database: Database, org_id: UUID, queue: Queue, make: Make
) -> None:
    started = start_sweep(database, org_id, queue, SMALL)
    compute(database, org_id, queue, started.job.id, [0])
    jobs.cancel_job(database, org_id, queue, started.job.id)
    found = make({"kind": "sweep", "sweep_id": str(started.id)}).report
    assert "Only 1 of 6 cells" in words_of(found)
