"""Refreshing the catalog from AWS: moto for EC2, a server of our own for the price list, a real worker and database."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, count, repeat
from pathlib import Path
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import text

from aws import GP3, TRANSFER, Aws, aws_server, environment, instance, volume
from background import background, kill
from database import new_org, opened
from shared_postgres import new_database
from stowage.catalog.difference import difference
from stowage.catalog.schedule import Schedule
from stowage.catalog.snapshot import LATEST, packaged, with_digest
from stowage.features.catalog import refresh
from stowage.features.catalog.refresh import SOURCES, AwsRequest, Page
from stowage.features.catalog.store import catalog as catalog_store
from stowage.features.catalog.store import refresh as store
from stowage.model.hardware.catalog import CatalogVersion
from stowage.model.hardware.profile import Profiles
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.errors import Conflict
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.queue import Queue
from stowage_worker.aws.reader import AwsReader

NOW = datetime.now(UTC)
"""The real time: pages that were read more than a day ago by the database's clock are not reused."""
NAME = f"aws-{NOW.date()}"
LATER = count()
HERE = "us-east-1"
FAMILIES = ("m5", "c5", "r5", "m6g", "c6g", "r6g")
"""Families that AWS sells in these tests: some fifty types, since a refresh of all takes seconds."""


@pytest.fixture(scope="module")
def postgres() -> DatabaseUrls:
    """Return a database of these tests' own: they change the newest version."""
    urls = new_database()
    # Later than the packaged one, so that it is the newest of the two.
    with opened(urls.owner) as owner, owner.transaction(None) as connection:
        catalog_store.put_version(connection, small())
    return urls


def small() -> CatalogVersion:
    """Return the packaged catalog with a few types in two regions, as another version."""
    whole = packaged(LATEST)
    types = {name: row for name, row in whole.instance_types.items() if row.family in FAMILIES}
    regions = {
        name: replace(region, prices={sold: prices for sold, prices in region.prices.items() if sold in types})
        for name, region in whole.regions.items()
        if name in {HERE, "eu-west-1"}
    }
    profiles = Profiles(tuple(row for row in whole.profiles.rows if row.target in types))
    return with_digest(
        replace(whole, version=f"{LATEST}.small", instance_types=types, regions=regions, profiles=profiles)
    )


@pytest.fixture(scope="module")
def database(postgres: DatabaseUrls) -> Iterator[Database]:
    with opened(postgres.application) as database:
        yield database


@pytest.fixture
def org_id(postgres: DatabaseUrls) -> Iterator[UUID]:
    with opened(postgres.owner) as owner:
        yield new_org(owner)


@pytest.fixture(scope="module")
def server() -> Iterator[Aws]:
    with aws_server() as aws:
        yield aws


@pytest.fixture
def aws(server: Aws, database: Database, monkeypatch: pytest.MonkeyPatch) -> Aws:
    """Return a server that answers with the content of the newest catalog."""
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    here = newest(database).regions[HERE]
    prices = here.prices
    server.types = tuple(prices)
    server.entries = [instance(name, f"{each['usd_per_hour'].value:.10f}") for name, each in prices.items()]
    server.page = len(server.entries) * 2 // 3
    server.entries += [*GP3, TRANSFER]
    for name, told in here.volume_types.items():
        usage = {"standard": "", "io1": ".piops"}.get(name, f".{name}")
        if name != "gp3":
            server.entries.append(volume(f"EBS:VolumeUsage{usage}", "GB-Mo", f"{told.usd_per_gib_month.value:.10f}"))
            iops = told.usd_per_iops_month
            if iops is not None:
                usd = f"{iops.value:.10f}"
                server.entries.append(volume(f"EBS:VolumeP-IOPS{usage}", "IOPS-Mo", usd, "System Operation"))
    server.spot = {"m5.large": 0.04}
    server.faults.clear()
    server.asked.clear()
    return server


def newest(database: Database) -> CatalogVersion:
    with database.transaction(None) as connection:
        latest = catalog_store.find(connection, "latest")
        assert latest is not None
        return catalog_store.load(connection, latest.version)


def versions(database: Database) -> list[str]:
    with database.transaction(None) as connection:
        return [row.version for row in catalog_store.versions(connection)]


def started(database: Database, org_id: UUID, queue: Queue) -> Job:
    now = NOW + timedelta(seconds=next(LATER))
    return refresh.start_refresh(database, org_id, queue, [HERE], asked_by="test", now=now)


def work(database: Database, org_id: UUID, queue: Queue, job: Job, *parts: int) -> Job:
    """Process parts here, as a worker would; all of them unless some are named."""
    reader = AwsReader(attempts=2)
    for number in parts or range(job.total):
        part = Part(org_id, job.id, "refresh", number)
        jobs.work_on_part(
            database, queue, part, {"refresh": lambda held: refresh.read_part(held, reader)}, time.monotonic
        )
    return jobs.read_job(database, org_id, job.id)


def cheaper(aws: Aws, factor: float) -> None:
    """Make the types of the price list cheaper."""
    for row in aws.entries[: len(aws.types)]:
        for term in row["terms"]["OnDemand"].values():
            for dimension in term["priceDimensions"].values():
                dimension["pricePerUnit"]["USD"] = f"{float(dimension['pricePerUnit']['USD']) * factor:.10f}"


def test_a_second_version_appears_with_what_changed_and_a_third_only_if_something_did(
    aws: Aws,
    database: Database,
    postgres: DatabaseUrls,
    queue: Queue,
    redis_url: str,
    org_id: UUID,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    before = newest(database)
    cheaper(aws, 0.9)
    aws.entries.append(volume("EBS:VolumeUsage.gp9", "GB-Mo", "0.06"))
    log = tmp_path_factory.mktemp("refresh") / "log"
    with background(database, postgres, redis_url, log) as workers:
        workers.worker("refresh")
        job = started(database, org_id, queue)
        assert (job.kind, job.state, job.total) == ("refresh", "queued", len(SOURCES))
        ended = workers.ended(org_id, job.id)
        assert (ended.state, ended.reason, ended.done) == ("done", None, len(SOURCES)), log.read_text()
        after = newest(database)
        assert after.version == NAME
        found = difference(before.in_region(HERE), after.in_region(HERE), "usd_per_hour")
        cheaper_by = {change.name: round(change.change_pct, 3) for change in found.cheaper}
        assert cheaper_by == dict.fromkeys(aws.types, -10.0)
        assert not found.dearer
        assert ("gp3", "usd_per_gib_month", 0.08, 0.07) in [
            (row.name, row.quantity, row.then, row.now) for row in found.volumes
        ]
        spot = after.regions[HERE].prices["m5.large"]["spot_usd_per_hour"]
        assert (round(spot.value, 6), spot.as_of) == (0.042, NOW.date())
        elsewhere = [name for name in before.regions if name != HERE]
        assert all(after.regions[name].prices == before.regions[name].prices for name in elsewhere)
        assert after.profiles == before.profiles
        answer = refresh.read_refresh(database, org_id, queue, Schedule())
        assert (answer.version, answer.newest_version, answer.credentials) == (after.version, after.version, "found")
        assert answer.sentence == f"It made the catalog {NAME}."
        assert any("'gp9' is unknown" in note for note in answer.notes)
        assert any("between zones cost USD 0.01" in note for note in answer.notes)

        with database.transaction(None) as connection:
            stored = catalog_store.find(connection, NAME)
        assert stored is not None
        assert with_digest(after).digest == stored.digest

        again = workers.ended(org_id, started(database, org_id, queue).id)
        assert (again.state, again.reason) == ("done", None)
        assert newest(database).version == after.version
        assert refresh.read_refresh(database, org_id, queue, Schedule()).sentence == "Nothing has changed."

        cheaper(aws, 0.9)
        assert workers.ended(org_id, started(database, org_id, queue).id).state == "done"
        third = newest(database)
        assert third.version == f"{NAME}.2"
        assert with_digest(third).digest == third.digest


def test_a_failure_half_way_leaves_no_trace_and_going_on_asks_only_for_what_is_missing(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    there = versions(database)
    cheaper(aws, 1.1)
    instances = SOURCES.index("instances")
    job = started(database, org_id, queue)
    work(database, org_id, queue, job, *range(instances))
    aws.asked.clear()
    aws.faults.append(("GetProducts", ""))
    aws.fail("GetProducts", "deny")
    failed = work(database, org_id, queue, job, instances)
    assert aws.asked == ["GetProducts"] * 2
    assert (failed.state, failed.done) == ("failed", instances)
    assert "may not call pricing:GetProducts in us-east-1" in str(failed.reason)
    assert versions(database) == there
    aws.asked.clear()
    jobs.retry_job(database, org_id, queue, job.id)
    done = work(database, org_id, queue, job)
    assert (done.state, done.done) == ("done", len(SOURCES))
    assert aws.asked == ["GetProducts"] * (1 + len(SOURCES) - 1 - instances)
    assert len(versions(database)) == len(there) + 1


@pytest.mark.soak("kills")
def test_a_worker_that_is_killed_in_a_page_costs_that_page(
    aws: Aws, database: Database, postgres: DatabaseUrls, queue: Queue, redis_url: str, org_id: UUID, tmp_path: Path
) -> None:
    there = versions(database)
    cheaper(aws, 0.95)
    instances = SOURCES.index("instances")
    job = started(database, org_id, queue)
    work(database, org_id, queue, job, *range(instances))
    aws.asked.clear()
    aws.faults.append(("GetProducts", ""))
    aws.fail("GetProducts", "hold")
    with background(database, postgres, redis_url, tmp_path / "log") as workers:
        victim = workers.worker("refresh")
        assert aws.holding.wait(60)
        kill(victim)
        aws.go_on.set()
        assert workers.job(org_id, job.id).done == instances
        assert versions(database) == there
        workers.scheduler()
        workers.worker("refresh")
        assert workers.ended(org_id, job.id).state == "done"
    assert len(versions(database)) == len(there) + 1
    # Of its two pages of instances the second was requested twice, and nothing else.
    assert aws.asked == ["GetProducts"] * (1 + len(SOURCES) - instances + 1)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (instance("m5.large", "0.096", unit="Days"), "m5.large is priced per 'Days'"),
        (instance("m5.large", "0.7", currency="CNY"), "m5.large is priced in CNY"),
    ],
)
def test_a_price_that_is_not_understood_fails_the_refresh(
    aws: Aws, database: Database, queue: Queue, org_id: UUID, row: dict[str, object], words: str
) -> None:
    there = versions(database)
    aws.entries.append(row)
    failed = work(database, org_id, queue, started(database, org_id, queue), SOURCES.index("instances"))
    assert failed.state == "failed"
    assert f"The price list of us-east-1 is not understood: {words}" in str(failed.reason)
    assert versions(database) == there


def test_what_cannot_be_true_is_refused(aws: Aws, database: Database, queue: Queue, org_id: UUID) -> None:
    there = versions(database)
    cheaper(aws, 1000.0)
    failed = work(database, org_id, queue, started(database, org_id, queue))
    assert failed.state == "failed"
    assert "What AWS answered cannot be believed: us-east-1: " in str(failed.reason)
    assert "of its 54 types have odd prices" in str(failed.reason)
    assert versions(database) == there


def test_an_odd_price_of_a_single_type_is_left_out_and_named(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    before = newest(database)
    cheaper(aws, 0.97)
    aws.entries[aws.types.index("m5.metal")] = instance("m5.metal", "96.0")
    aws.spot["m5.large"] = 1e-6
    done = work(database, org_id, queue, started(database, org_id, queue))
    assert (done.state, done.reason) == ("done", None)
    prices, then = newest(database).regions[HERE].prices, before.regions[HERE].prices
    assert prices["m5.metal"] == then["m5.metal"]
    assert prices["m5.large"]["usd_per_hour"].value < then["m5.large"]["usd_per_hour"].value
    assert prices["m5.large"]["spot_usd_per_hour"] == then["m5.large"]["spot_usd_per_hour"]
    notes = refresh.read_refresh(database, org_id, queue, Schedule()).notes
    assert any("us-east-1: m5.metal: 96 USD/h is out of proportion" in note for note in notes)
    assert any("us-east-1: m5.large: spot_usd_per_hour of" in note for note in notes)


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        ("instanceType", "the price list has 0 of the 54 on-demand prices"),
        ("usagetype", "the price list has 0 of the 7 prices of volumes' capacity"),
    ],
)
def test_a_price_list_that_comes_empty_fails_the_refresh(
    aws: Aws, database: Database, queue: Queue, org_id: UUID, lacking: str, words: str
) -> None:
    there = versions(database)
    instances = [row for row in aws.entries if "instanceType" in row["product"]["attributes"]]
    others = [row for row in aws.entries if row not in instances]
    aws.entries = others if lacking == "instanceType" else instances
    failed = work(database, org_id, queue, started(database, org_id, queue))
    assert (failed.state, words in str(failed.reason)) == ("failed", True), failed.reason
    assert versions(database) == there


def test_one_whose_pages_another_has_given_up_is_not_gone_on_with(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    job = started(database, org_id, queue)
    work(database, org_id, queue, job, *range(len(SOURCES) - 1))
    jobs.cancel_job(database, org_id, queue, job.id)
    newer = started(database, org_id, queue)
    assert newer.id != job.id
    with pytest.raises(Conflict, match="start a new one"):
        jobs.retry_job(database, org_id, queue, job.id, refresh.demand_newest)
    jobs.cancel_job(database, org_id, queue, newer.id)
    with pytest.raises(Conflict, match="start a new one"):
        jobs.retry_job(database, org_id, queue, job.id, refresh.demand_newest)
    assert jobs.read_job(database, org_id, job.id).state == "cancelled"
    assert jobs.retry_job(database, org_id, queue, newer.id, refresh.demand_newest).state == "queued"
    jobs.cancel_job(database, org_id, queue, newer.id)
    assert aws.faults == type(aws.faults)()


def test_where_pages_are_gone_nothing_is_made_of_the_rest(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    cheaper(aws, 0.9)
    there = versions(database)
    job = started(database, org_id, queue)
    work(database, org_id, queue, job, *range(len(SOURCES) - 1))
    with database.transaction(org_id) as connection:
        asked = store.newest(connection)
        assert asked is not None
        store.forget_part(connection, asked.id, 0)
    failed = work(database, org_id, queue, job, len(SOURCES) - 1)
    assert failed.reason == "Its pages were given up for a newer refresh: start a new one."
    assert (failed.reference, versions(database)) == (None, there)


def test_a_part_that_runs_out_of_its_time_is_gone_on_with(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    class OutOfTime(AwsReader):
        def page(self, question: AwsRequest, token: str | None) -> Page:
            if token is not None:
                raise SoftTimeLimitExceeded
            return super().page(question, token)

    job = started(database, org_id, queue)
    part = Part(org_id, job.id, "refresh", SOURCES.index("instances"))
    reader = OutOfTime()
    jobs.work_on_part(database, queue, part, {"refresh": lambda held: refresh.read_part(held, reader)}, time.monotonic)
    assert jobs.read_job(database, org_id, job.id).state == "running"
    with database.transaction(org_id) as connection:
        connection.execute(text("UPDATE job_part SET heartbeat_at = now() - interval '1 min' WHERE state = 'running'"))
    assert work(database, org_id, queue, job, part.number).done == 1
    assert aws.asked == ["GetProducts"] * 2


def test_without_credentials_it_fails_and_says_so(
    aws: Aws, database: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    failed = work(database, org_id, queue, started(database, org_id, queue), 0)
    assert failed.state == "failed"
    assert str(failed.reason).startswith("There are no AWS credentials")
    assert aws.asked == []


def test_pages_with_an_expired_token_are_read_again(aws: Aws, database: Database, queue: Queue, org_id: UUID) -> None:
    job = started(database, org_id, queue)
    aws.faults.append(("GetProducts", ""))
    aws.fail("GetProducts", "bad token")
    part = SOURCES.index("instances")
    assert work(database, org_id, queue, job, part).done == 1
    assert aws.asked == ["GetProducts"] * 4


def test_a_part_that_takes_long_is_put_back_with_its_pages_and_gone_on_with(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
    job = started(database, org_id, queue)
    part = SOURCES.index("instances")
    moments = chain((0.0, 0.0, 0.0), repeat(1000.0))
    reader = AwsReader()
    jobs.work_on_part(
        database,
        queue,
        Part(org_id, job.id, "refresh", part),
        {"refresh": lambda held: refresh.read_part(held, reader)},
        lambda: next(moments),
    )
    assert (aws.asked, jobs.read_job(database, org_id, job.id).done) == (["GetProducts"], 0)
    assert work(database, org_id, queue, job, part).done == 1
    assert aws.asked == ["GetProducts"] * 2


@pytest.mark.usefixtures("aws")
def test_a_cancelled_one_reads_nothing_more(aws: Aws, database: Database, queue: Queue, org_id: UUID) -> None:
    job = started(database, org_id, queue)
    jobs.cancel_job(database, org_id, queue, job.id)
    assert work(database, org_id, queue, job).state == "cancelled"
    assert aws.asked == []


def test_while_one_goes_on_another_is_that_one(database: Database, queue: Queue, org_id: UUID) -> None:
    job = started(database, org_id, queue)
    assert started(database, org_id, queue).id == job.id


def test_a_schedule_starts_one_when_it_is_due_and_no_other(database: Database, queue: Queue, org_id: UUID) -> None:
    def due(now: datetime, every_s: float | None = 3600.0) -> Job | None:
        return refresh.refresh_if_due(database, org_id, queue, Schedule(every_s, (HERE,)), now=now)

    assert due(NOW, None) is None
    first = due(NOW)
    assert first is not None
    assert first.asked_by == "schedule"
    assert due(NOW + timedelta(hours=2)) is None
    jobs.cancel_job(database, org_id, queue, first.id)
    assert due(NOW + timedelta(minutes=59)) is None
    assert due(NOW + timedelta(minutes=60)) is not None


def test_what_people_start_of_other_regions_or_cancel_does_not_put_the_schedule_off(
    database: Database, queue: Queue, org_id: UUID
) -> None:
    def by_hand(regions: tuple[str, ...], hours: float) -> Job:
        now = NOW + timedelta(hours=hours)
        return refresh.start_refresh(database, org_id, queue, regions, asked_by="a member", now=now)

    def due(hours: float) -> Job | None:
        now = NOW + timedelta(hours=hours)
        return refresh.refresh_if_due(database, org_id, queue, Schedule(24 * 3600.0, (HERE,)), now=now)

    def end(job: Job | None) -> None:
        assert job is not None
        with database.transaction(org_id) as connection:
            claim = job_store.claim(connection, job.id, 0)
            assert claim is not None
            job_store.fail(connection, claim, reason="no credentials", reference=None)

    end(due(0))
    end(by_hand(("eu-west-1",), 23))
    jobs.cancel_job(database, org_id, queue, by_hand((HERE,), 23.5).id)
    end(due(24))
    end(by_hand(("eu-west-1", HERE), 30))
    assert due(48) is None
    assert due(54) is not None
