"""The example team: measurements imported like users' files; they change no team's answer, and can be removed."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from sqlalchemy import delete, func, select

from composed import check, table
from kept_measurements import FIRST, iperf3, keep, network
from rounded import check_rounded
from stowage import example as demo
from stowage.features.catalog import catalogs
from stowage.features.measurements import measurements, profile_views, uploads
from stowage.features.measurements.schemas import MeasurementSummaryAnswer
from stowage.features.measurements.store.measurements import Wanted
from stowage.features.measurements.tables import measurement, upload, upload_piece
from stowage.features.planning import plans
from stowage.features.planning.planning import preview_plan
from stowage.features.reports import reports
from stowage.features.sweeps import sweeps
from stowage.measure.seeds import SEEDS
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs.queue import Queue
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def loaded(database: Database, queue: Queue) -> Iterator[Database]:
    """Load the example team once; a test that removes it loads it again."""
    demo.load(database, queue, NOW)
    yield database
    demo.remove(database)


def listed(database: Database) -> list[MeasurementSummaryAnswer]:
    return measurements.list_measurements(database, EXAMPLE_ORG_ID, Wanted(), limit=100, cursor=None).measurements


def rows(database: Database, org_id: UUID = EXAMPLE_ORG_ID) -> list[int]:
    with database.transaction(org_id) as connection:
        tables = (upload, upload_piece, measurement)
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables]


def test_what_others_measured_is_kept_with_its_source_but_for_two_rates_of_unnamed_volumes(loaded: Database) -> None:
    found = listed(loaded)
    assert Counter(each.source for each in found) == {
        seed.source: {"diskbench-2015.json": 4, "netbench-2015.json": 1, "st1-2023.csv": 6, "redis-2014.csv": 2}.get(
            seed.name, 3
        )
        for seed in SEEDS
    }
    assert {each.verdict for each in found} == {"good"}
    assert not [each.name for each in found if "EBS volumes" in each.name]
    # Measurements without a region get none.
    assert {each.target.region for each in found if each.target.instance == "r5.xlarge"} == {None}
    assert {each.target.region for each in found if each.target.instance == "i2.8xlarge"} == {"us-east-1"}
    kept = next(each for each in found if each.name == "gp3")
    upload_id = measurements.read_measurement(loaded, EXAMPLE_ORG_ID, kept.id).upload_id
    (seed,) = (seed for seed in SEEDS if seed.name == "fio-2021.csv")
    with seed.open() as file:
        assert b"".join(uploads.original(loaded, EXAMPLE_ORG_ID, upload_id).content) == file.read()


def test_a_copy_of_the_papers_figures_stays_beside_the_published_ones_and_says_why(loaded: Database) -> None:
    found = profile_views.list_profiles(loaded, EXAMPLE_ORG_ID).profiles
    assert not any(row.feeds for row in found)
    paper = [row for row in found if row.metric == "storage_mb_per_s" and row.target.nodes == 1]
    assert {row.target.instance for row in paper} == {"i2.8xlarge", "i2.4xlarge", "hs1.8xlarge"}
    for row in paper:
        assert row.newest.date() == date(2014, 10, 1)
        assert row.why_not is not None
        assert "only what was measured later takes its place" in row.why_not
        assert row.difference_pct == pytest.approx(0.0, abs=3.0)


def test_loading_twice_keeps_once_and_its_plans_answer_as_they_did_without_measurements(
    loaded: Database, queue: Queue
) -> None:
    before = rows(loaded)
    demo.load(loaded, queue, NOW)
    assert rows(loaded) == before
    stored = plans.list_plans(loaded, EXAMPLE_ORG_ID, limit=100, cursor=None).plans
    assert len(stored) == len(demo.PLANS)
    by_name = {document["workload"]["name"]: document for document in demo.PLANS}
    for each in stored:
        saved = plans.read_plan(loaded, EXAMPLE_ORG_ID, each.id)
        assert saved.changes == []
        without = preview_plan(parse_workload(by_name[each.name]), packaged_knowledge, lambda: 0.0, "first")
        compared = {"sentence", "configurations"}
        nothing = {"frontier": [], "curves": [], "frontier_size": 0}
        check_rounded(*(found.model_dump(mode="json", include=compared) | nothing for found in (saved.answer, without)))


def test_its_plans_of_today_save_against_their_baselines(loaded: Database) -> None:
    stored = plans.list_plans(loaded, EXAMPLE_ORG_ID, limit=100, cursor=None).plans
    savings = {each.name: each.saving for each in stored if each.saving is not None}
    assert set(savings) == {demo.PLANS[number]["workload"]["name"] for number in demo.BASELINES}
    for name, saving in savings.items():
        assert saving.month_usd > 1_000, name
        assert saving.sentence.startswith("Saves "), name


def test_its_sweeps_are_computed_although_measurements_came_in_the_same_moment(loaded: Database, queue: Queue) -> None:
    demo.compute(loaded, queue, lambda: 0.0)
    stored = sweeps.list_sweeps(loaded, EXAMPLE_ORG_ID, limit=100, cursor=None).sweeps
    assert [each.job.state for each in stored] == ["done"] * len(demo.SWEEPS)
    # Its report's files are ready too, and the next load creates none again.
    report = reports.read_report(loaded, EXAMPLE_ORG_ID, demo.REPORT_ID)
    assert report.documents.state == "ready"
    demo.load(loaded, queue, NOW)
    [listed_report] = reports.list_reports(loaded, EXAMPLE_ORG_ID, limit=10, cursor=None).reports
    assert listed_report.id == demo.REPORT_ID
    assert reports.read_report(loaded, EXAMPLE_ORG_ID, demo.REPORT_ID).digest == report.digest


def test_its_report_puts_the_papers_three_ways_to_keep_data_side_by_side(loaded: Database) -> None:
    found = reports.read_report(loaded, EXAMPLE_ORG_ID, demo.REPORT_ID).report
    check(found)
    kept = [cells["kept"] for cells in table(found, "options").values()]
    assert kept == ["one copy", "2 copies", "EBS volumes"]
    winners = [plans.read_plan(loaded, EXAMPLE_ORG_ID, UUID(each)).answer for each in found.origin.object_ids]
    costs = [cells["cost_usd"].value for cells in table(found, "options").values()]
    assert costs == [answer.configurations[0].cost_usd.p50 for answer in winners]


def test_removing_leaves_nothing_and_loading_brings_it_back(loaded: Database, queue: Queue) -> None:
    before = rows(loaded)
    demo.remove(loaded)
    try:
        assert rows(loaded) == [0, 0, 0]
        assert profile_views.list_profiles(loaded, EXAMPLE_ORG_ID).profiles == []
        assert reports.list_reports(loaded, EXAMPLE_ORG_ID, limit=10, cursor=None).reports == []
    finally:
        demo.load(loaded, queue, NOW)
    assert rows(loaded) == before == [len(SEEDS), len(SEEDS), 19]


def test_what_another_team_kept_cannot_be_emptied_like_that(database: Database, org_id: UUID) -> None:
    keep(database, org_id, [(iperf3(900.0, FIRST), network("r5d.4xlarge"))])
    before = rows(database, org_id)
    with database.transaction(org_id) as connection:
        connection.execute(delete(upload))
        connection.execute(delete(upload_piece))
    assert rows(database, org_id) == before
    assert before[2] == 1


def test_profiles_are_made_with_the_types_of_all_regions(database: Database) -> None:
    types = catalogs.newest_catalog(database).instance_types
    for region in ("us-east-1", "af-south-1", "ap-northeast-1"):
        assert packaged_knowledge("latest", region).catalog.instance_types.keys() <= types.keys()
