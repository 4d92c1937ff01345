"""Bounds on the work for one team's AWS account: listings, and concurrent processes."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from aws_account import A_PAGE, EXTERNAL_ID, KEY, Simulated, connected_account, connection, list_endlessly, run_of
from database import KEYRING
from laboratory.account import ACCOUNT, BUCKET, REGION
from laboratory.between import Answer, Call
from quoted import approved, connected, external_id_of
from stowage.features.benchmarks import reaping
from stowage.features.benchmarks.running import Outside
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import leases
from stowage.platform.jobs.heartbeats import ClaimLost
from stowage.platform.jobs.leases import AWS_LEASES, leased
from stowage.platform.jobs.queue import READ_METRICS, REAP_ACCOUNT, RECONCILE_RUN, Queue, celery_app
from stowage.runs.actions import DeleteObjects
from stowage.runs.pace import Pace
from stowage.runs.spec import RunSpec
from stowage_worker.aws.clouds import AwsCloud, AwsClouds
from stowage_worker.tasks import Connections, register

SPEC = RunSpec("netbench", "m5.large", 2, REGION)
MOST_REQUESTS = 100
"""Number of pages of an endless bucket after which the test fails."""


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture(scope="module")
def tasks(postgres: DatabaseUrls, redis_url: str) -> Iterator[Mapping[str, Callable[..., None]]]:
    """Return the tasks of a worker, registered once with Celery."""
    connections = Connections(postgres.application, redis_url, keyring=KEYRING)
    app = celery_app(redis_url)
    register(app, connections)
    yield app.tasks
    connections.close()


@pytest.fixture
def aws(simulated: Simulated) -> Iterator[Simulated]:
    simulated.enforced.trust(EXTERNAL_ID)
    simulated.between.external_id = EXTERNAL_ID
    yield simulated
    simulated.between.supplies.pop("s3:ListBucket", None)
    simulated.between.heal()


@pytest.fixture
def cloud(aws: Simulated) -> AwsCloud:
    assert aws.between.address
    return AwsClouds().of(connection(), REGION)


@pytest.fixture
def account_id(database: Database, aws: Simulated, org_id: UUID) -> UUID:
    account_id = connected(database, org_id, bucket=BUCKET, account=ACCOUNT)
    aws.enforced.trust(external_id_of(account_id))
    aws.between.external_id = external_id_of(account_id)
    approved(database, org_id, account_id)
    return account_id


@pytest.fixture
def outside(database: Database, queue: Queue, aws: Simulated) -> Outside:
    assert aws.between.address
    return Outside(database, queue, AwsClouds(), Pace(), lambda: datetime.now(UTC))


def endless(aws: Simulated, name: Callable[[int], str], *, folders: bool = False) -> list[int]:
    """Make the bucket endless, up to the number of pages after which the test fails; return the count of requests."""
    asked = list_endlessly(aws, name, folders=folders)
    listed = aws.between.supplies["s3:ListBucket"]

    def bounded(call: Call, simulate: Callable[[], Answer]) -> Answer:
        assert len(asked) < MOST_REQUESTS
        return listed(call, simulate)

    aws.between.supplies["s3:ListBucket"] = bounded
    return asked


def test_a_look_lists_a_bounded_number_of_pages_of_an_endless_bucket(aws: Simulated, cloud: AwsCloud) -> None:
    run = run_of(SPEC)
    asked = endless(aws, lambda number: f"stowage/{run.id}/{number}")
    assert len(cloud.look(run).objects) == 20 * A_PAGE
    assert len(asked) == 20


@pytest.mark.soak("aws")
def test_deletion_handles_a_bounded_number_of_pages_of_an_endless_bucket(aws: Simulated, cloud: AwsCloud) -> None:
    run = run_of(SPEC)
    asked = endless(aws, lambda number: f"stowage/{run.id}/{number}")
    before = len(aws.between.calls)
    cloud.do(run, DeleteObjects(), KEY)
    assert len(asked) == 20
    deleted = [call for _, call, _ in aws.between.calls[before:] if call.action == "s3:DeleteObjects"]
    assert len(deleted) == 20


@pytest.mark.soak("aws")
def test_a_sweep_lists_a_bounded_number_of_run_folders_of_an_endless_bucket(aws: Simulated, cloud: AwsCloud) -> None:
    asked = endless(aws, lambda number: f"stowage/{UUID(int=number)}/", folders=True)
    left = [each for each in cloud.left_behind() if each.kind == "objects"]
    assert len({each.run_id for each in left}) == 20
    # The page of run folders, and a page of each listed folder.
    assert len(asked) == 20 + 20


def test_an_account_is_swept_by_one_process_at_a_time(
    outside: Outside, aws: Simulated, org_id: UUID, account_id: UUID
) -> None:
    hanging = aws.between.fail("ec2:DescribeInstances", "hold")
    first = Thread(target=reaping.reap, args=(outside, org_id, account_id))
    first.start()
    assert hanging.reached.wait(30.0)
    before = len(aws.between.calls)
    assert reaping.reap(outside, org_id, account_id) == 0
    assert len(aws.between.calls) == before
    hanging.go_on.set()
    first.join(60.0)
    assert not first.is_alive()
    assert reaping.reap(outside, org_id, account_id) == 0
    assert len(aws.between.calls) > before


def test_at_most_two_processes_work_in_the_accounts_of_one_team(
    aws: Simulated, database: Database, tasks: Mapping[str, Callable[..., None]], org_id: UUID, account_id: UUID
) -> None:
    run_id = approved(database, org_id, account_id)
    work = [(RECONCILE_RUN, str(run_id)), (REAP_ACCOUNT, str(account_id)), (READ_METRICS,)]
    with leased(database, org_id, *AWS_LEASES) as one, leased(database, org_id, *AWS_LEASES) as other:
        assert one
        assert other
        before = len(aws.between.calls)
        for task, *arguments in work:
            tasks[task](str(org_id), *arguments)
        assert len(aws.between.calls) == before
    for task, *arguments in work[:2]:
        before = len(aws.between.calls)
        tasks[task](str(org_id), *arguments)
        assert len(aws.between.calls) > before, task


def test_a_lease_without_heartbeats_expires(database: Database, org_id: UUID) -> None:
    silent, next_one = uuid4(), uuid4()
    with database.transaction(org_id) as connected_to:
        assert leases.take(connected_to, "a name", silent)
        assert not leases.take(connected_to, "a name", next_one)
        leases.keep(connected_to, "a name", silent)
        connected_to.execute(text("UPDATE lease SET until = now() - interval '1 second'"))
        assert leases.take(connected_to, "a name", next_one)
        with pytest.raises(ClaimLost):
            leases.keep(connected_to, "a name", silent)
        leases.release(connected_to, "a name", silent)
        leases.keep(connected_to, "a name", next_one)


@pytest.mark.parametrize(
    ("state", "findings", "swept"),
    [
        ("unchecked", {}, False),
        ("checking", {}, False),
        ("failing", {}, False),
        ("failing", {"sts:AssumeRole": "granted", "sts:ExternalId": "denied"}, False),
        ("failing", {"sts:AssumeRole": "granted", "sts:ExternalId": "granted", "s3:PutObject": "denied"}, True),
        ("checking", {"sts:AssumeRole": "granted", "sts:ExternalId": "granted"}, True),
    ],
)
def test_a_sweep_assumes_only_roles_that_a_check_has_proven(
    outside: Outside,
    aws: Simulated,
    database: Database,
    org_id: UUID,
    account_id: UUID,
    state: str,
    findings: dict[str, str],
    swept: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    stored = [{"action": action, "outcome": outcome, "words": ""} for action, outcome in findings.items()]
    with database.transaction(org_id) as connected_to:
        connected_to.execute(
            text("UPDATE aws_account SET state = :state, findings = :findings"),
            {"state": state, "findings": json.dumps(stored)},
        )
    before = len(aws.between.calls)
    reaping.reap(replace(outside, clouds=AwsClouds()), org_id, account_id)
    assert (len(aws.between.calls) > before) is swept


def test_a_check_stops_if_the_role_does_not_require_the_external_id(aws: Simulated) -> None:
    before, aws.between.external_id = aws.between.external_id, None
    aws.enforced.open_to_anybody = True
    try:
        asked = len(aws.between.calls)
        found = AwsClouds().of(connection(), REGION).check()
    finally:
        aws.enforced.open_to_anybody = False
        aws.between.external_id = before
    assert [(each.action, each.outcome) for each in found] == [
        ("sts:AssumeRole", "granted"),
        ("sts:ExternalId", "denied"),
    ]
    assert {call.service for _, call, _ in aws.between.calls[asked:]} == {"sts"}


def test_a_check_stops_if_the_role_is_of_another_account(aws: Simulated) -> None:
    asked = len(aws.between.calls)
    found = AwsClouds().of(connection(account="999999999999"), REGION).check()
    assert [(each.action, each.outcome) for each in found] == [("sts:AssumeRole", "denied")]
    assert {call.service for _, call, _ in aws.between.calls[asked:]} == {"sts"}
