"""Refreshing the catalogue from AWS: moto for EC2, a server of ours with the price list, a real worker and database."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, count, repeat
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from aws import GP3, TRANSFER, Aws, aws_server, environment, instance, volume
from background import background, kill
from database import bare_postgres, new_org, opened
from stowage.catalog.difference import difference
from stowage.jobs.queue import Part, Queue
from stowage.model.catalogue import CatalogueVersion
from stowage.store import catalogue as catalogue_store
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls
from stowage.usecases import jobs, refresh
from stowage.usecases.job_answers import JobAnswer
from stowage.usecases.preparation import prepare_database
from stowage.usecases.refresh import SOURCES, NewIds, Schedule
from stowage_worker.aws.reader import AwsReader

NOW = datetime.now(UTC)
"""A real one: what was read more than a day ago, by the database's clock, is not gone on with."""
NAME = f"aws-{NOW.date()}"
LATER = count()
HERE = "us-east-1"
SIZES = ("m5.large", "m5.xlarge", "m5.2xlarge", "m5.4xlarge")


@pytest.fixture(scope="module")
def postgres() -> Iterator[DatabaseUrls]:
    """Give a database of these tests' own: they change what is newest."""
    with bare_postgres() as urls:
        prepare_database(urls.owner, urls.application)
        yield urls


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
    """Give a server that answers what the newest catalogue says already."""
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    prices = newest(database).regions[HERE].prices
    server.entries = [instance(name, f"{prices[name]['usd_per_hour'].value:.10f}") for name in SIZES]
    server.entries += [*GP3, TRANSFER]
    server.spot = {"m5.large": 0.04}
    server.faults.clear()
    server.asked.clear()
    return server


def newest(database: Database) -> CatalogueVersion:
    with database.transaction(None) as connection:
        latest = catalogue_store.find(connection, "latest")
        assert latest is not None
        return catalogue_store.load(connection, latest.version)


def versions(database: Database) -> list[str]:
    with database.transaction(None) as connection:
        return [row.version for row in catalogue_store.versions(connection)]


def started(database: Database, org_id: UUID, queue: Queue) -> JobAnswer:
    ids = NewIds(uuid4(), uuid4())
    now = NOW + timedelta(seconds=next(LATER))
    return refresh.start_refresh(database, org_id, queue, [HERE], ids=ids, asked_by="test", now=now)


def work(database: Database, org_id: UUID, queue: Queue, job: JobAnswer, *parts: int) -> JobAnswer:
    """Work on parts here, as a worker would; on all of them unless some are named."""
    reader = AwsReader(attempts=2)
    for number in parts or range(job.total):
        part = Part(org_id, job.id, "refresh", number)
        jobs.work_on_part(
            database, queue, part, {"refresh": lambda held: refresh.read_part(held, reader)}, time.monotonic
        )
    return jobs.read_job(database, org_id, job.id)


def cheaper(aws: Aws, factor: float) -> None:
    """Make the types of the price list cheaper."""
    for row in aws.entries[: len(SIZES)]:
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
    aws.entries.append(volume("EBS:VolumeUsage.gp4", "GB-Mo", "0.06"))
    log = tmp_path_factory.mktemp("refresh") / "log"
    with background(database, postgres.application, redis_url, log) as workers:
        workers.worker("refresh")
        job = started(database, org_id, queue)
        assert (job.kind, job.state, job.total) == ("refresh", "queued", len(SOURCES))
        ended = workers.ended(org_id, job.id)
        assert (ended.state, ended.reason, ended.done) == ("done", None, len(SOURCES)), log.read_text()
        after = newest(database)
        assert after.version == NAME
        found = difference(before.in_region(HERE), after.in_region(HERE), "usd_per_hour")
        assert {change.name: round(change.change_pct, 6) for change in found.cheaper} == dict.fromkeys(SIZES, -10.0)
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
        assert answer.sentence == f"It made the catalogue {NAME}."
        assert any("'gp4' is unknown" in note for note in answer.notes)
        assert any("between zones cost USD 0.01" in note for note in answer.notes)

        again = workers.ended(org_id, started(database, org_id, queue).id)
        assert (again.state, again.reason) == ("done", None)
        assert newest(database).version == after.version
        assert refresh.read_refresh(database, org_id, queue, Schedule()).sentence == "Nothing has changed."

        cheaper(aws, 0.9)
        assert workers.ended(org_id, started(database, org_id, queue).id).state == "done"
        assert newest(database).version == f"{NAME}.2"


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
    with background(database, postgres.application, redis_url, tmp_path / "log") as workers:
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
    # Of its two pages of instances the second was asked for twice, and nothing else.
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
    aws.entries[0] = instance("m5.large", "96.0")
    failed = work(database, org_id, queue, started(database, org_id, queue))
    assert failed.state == "failed"
    assert "cannot be believed: us-east-1/m5.large: " in str(failed.reason)
    assert versions(database) == there


def test_without_credentials_it_fails_and_says_so(
    aws: Aws, database: Database, queue: Queue, org_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    failed = work(database, org_id, queue, started(database, org_id, queue), 0)
    assert failed.state == "failed"
    assert str(failed.reason).startswith("There are no AWS credentials")
    assert aws.asked == []


def test_pages_whose_token_holds_no_more_are_read_anew(
    aws: Aws, database: Database, queue: Queue, org_id: UUID
) -> None:
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
    def due(now: datetime, every_s: float | None = 3600.0) -> JobAnswer | None:
        ids = NewIds(uuid4(), uuid4())
        return refresh.refresh_if_due(database, org_id, queue, Schedule(every_s, (HERE,)), ids=ids, now=now)

    assert due(NOW, None) is None
    first = due(NOW)
    assert first is not None
    assert first.asked_by == "schedule"
    assert due(NOW + timedelta(hours=2)) is None
    jobs.cancel_job(database, org_id, queue, first.id)
    assert due(NOW + timedelta(minutes=59)) is None
    assert due(NOW + timedelta(minutes=60)) is not None
