"""Reconciling runs against moto's account: every intention is stored before its request, and requests may repeat.

The nodes are simulated: their reports are put into the bucket, signed with their keys. The laboratory has real ones.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
from sqlalchemy import text

from aws_account import Simulated, connected_account
from laboratory.account import ACCOUNT, BUCKET, Account
from laboratory.between import Between, FaultKind
from quoted import KEY, SPEC, approved, connected, external_id_of, read
from stowage.features.benchmarks import reaping, running
from stowage.features.benchmarks.aws_accounts import connection_of
from stowage.features.benchmarks.running import Outside
from stowage.features.benchmarks.store import aws_accounts, run_news
from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.benchmarks.stored_runs import run_of
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import REAP_ACCOUNT, RECONCILE_RUN, Queue
from stowage.runs.actions import Launch, Prepare
from stowage.runs.cloud import LeftBehind
from stowage.runs.orders import expected, node_key
from stowage.runs.pace import Pace
from stowage.runs.run import Run
from stowage_worker.agent.signing import envelope
from stowage_worker.aws.clouds import AwsClouds

PACE = Pace(look_s=0.5, settle_s=1.0, settle_looks=3, unseen_s=2.0, denied_s=30.0, stop_s=5.0, collect_s=5.0)
MOST_MOVES = 60


class Clock:
    """The time, which a test advances."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def connected_aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture
def simulated(connected_aws: Simulated) -> Account:
    return connected_aws.account


@pytest.fixture
def aws(connected_aws: Simulated) -> Iterator[Between]:
    yield connected_aws.between
    connected_aws.between.heal()
    connected_aws.between.revoked = False
    left = connected_aws.account.left()
    assert left == {}, left


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outside(database: Database, queue: Queue, aws: Between, clock: Clock) -> Outside:
    assert aws.address
    return Outside(database, queue, AwsClouds(), PACE, clock)


@pytest.fixture
def account_id(database: Database, connected_aws: Simulated, org_id: UUID) -> UUID:
    account_id = connected(database, org_id, bucket=BUCKET, account=ACCOUNT)
    connected_aws.enforced.trust(external_id_of(account_id))
    connected_aws.between.external_id = external_id_of(account_id)
    return account_id


@pytest.fixture
def run_id(database: Database, org_id: UUID, account_id: UUID) -> UUID:
    return approved(database, org_id, account_id)


def due_now(database: Database, org_id: UUID, run_id: UUID) -> None:
    with database.transaction(org_id) as connection:
        connection.execute(
            text("UPDATE run SET next_look_at = now() WHERE id = :id AND next_look_at IS NOT NULL"), {"id": run_id}
        )


def moved(outside: Outside, clock: Clock, org_id: UUID, run_id: UUID, *states: str) -> StoredRun:
    """Reconcile a run until it is in one of the states."""
    for _ in range(MOST_MOVES):
        stored = read(outside.database, org_id, run_id)
        if stored.state in states:
            return stored
        due_now(outside.database, org_id, run_id)
        running.reconcile(outside, org_id, run_id)
        clock.now += timedelta(seconds=1)
    raise AssertionError((stored.state, stored.content, words(outside.database, org_id, run_id)))


def words(database: Database, org_id: UUID, run_id: UUID) -> Sequence[str]:
    with database.transaction(org_id) as connection:
        return [each.words for each in run_news.events(connection, run_id, limit=1000)]


def put(simulated: Account, run: Run, name: str, content: bytes) -> None:
    simulated.s3.put_object(Bucket=BUCKET, Key=f"stowage/{run.id}/{name}", Body=content)


def report(run: Run, node: int, phase: str, rate: float = 590.0, *, key: bytes = KEY) -> bytes:
    said = {
        "stowage": "report",
        "version": 1,
        "run": str(run.id),
        "node": node,
        "phase": phase,
        "status": "ok",
        "failure": None,
        "document": {"received_mb_per_s": rate, "sent_mb_per_s": rate},
    }
    return envelope(said, node_key(key, node))


def status(run: Run, node: int, state: str = "running") -> bytes:
    said = {
        "stowage": "status",
        "version": 1,
        "run": str(run.id),
        "node": node,
        "at": 1.0,
        "state": state,
        "phase": None,
        "progress": 0.5,
        "words": "It measures.",
        "log": ["a line"],
        "live": {"received_mb_per_s": 590.0},
    }
    return envelope(said, node_key(KEY, node))


def play(simulated: Account, run: Run) -> None:
    """Put the nodes' reports into the bucket."""
    for node, phase in expected(run.spec):
        put(simulated, run, f"nodes/{node:04}/{phase}.json", report(run, node, phase))
    for node in range(run.spec.nodes):
        put(simulated, run, f"nodes/{node:04}/status.json", status(run, node, "done"))


def launched(simulated: Account, run_id: UUID) -> list[Any]:
    return [
        each
        for each in simulated.instances()
        if any(tag["key"] == "stowage-run" and tag["value"] == str(run_id) for tag in each.get_tags())
    ]


def test_from_its_approval_to_its_end_with_nothing_left(
    outside: Outside, clock: Clock, simulated: Account, org_id: UUID, run_id: UUID
) -> None:
    stored = moved(outside, clock, org_id, run_id, "running")
    run = run_of(stored)
    assert len(run.nodes) == SPEC.nodes
    assert len(launched(simulated, run_id)) == SPEC.nodes
    due_now(outside.database, org_id, run_id)
    running.reconcile(outside, org_id, run_id)
    orders = json.loads(simulated.s3.get_object(Bucket=BUCKET, Key=f"stowage/{run_id}/orders/0001.json")["Body"].read())
    assert (orders["node"], orders["key"]) == (1, node_key(KEY, 1).hex())
    play(simulated, run)
    stored = moved(outside, clock, org_id, run_id, "done", "failed", "cancelled")
    assert (stored.state, run_of(stored).verified, run_of(stored).failure) == ("done", True, None)
    assert stored.agreed_usd is not None
    assert 0 < stored.spent_usd <= stored.agreed_usd
    with outside.database.transaction(org_id) as connection:
        assert set(run_news.reported(connection, run_id)) == set(expected(SPEC))
        statuses = run_news.statuses(connection, run_id)
        states = [each.content["state"] for each in run_news.events(connection, run_id, limit=99, kind="state")]
    assert [(each.node, each.content["state"], each.content["log"]) for each in statuses] == [
        (0, "done", ["a line"]),
        (1, "done", ["a line"]),
    ]
    assert states == ["launching", "running", "collecting", "tearing-down", "done"]


def test_what_cannot_be_believed_is_told_and_counts_for_nothing(
    outside: Outside, clock: Clock, simulated: Account, org_id: UUID, run_id: UUID
) -> None:
    run = run_of(moved(outside, clock, org_id, run_id, "running"))
    put(simulated, run, "nodes/0000/net-2.json", report(run, 0, "net-2", key=bytes(32)))
    put(simulated, run, "nodes/0001/net-2.json", report(run, 0, "net-2"))
    put(simulated, run, "nodes/0001/status.json", b"{")
    due_now(outside.database, org_id, run_id)
    running.reconcile(outside, org_id, run_id)
    with outside.database.transaction(org_id) as connection:
        assert run_news.reported(connection, run_id) == {}
        assert run_news.statuses(connection, run_id) == ()
        told = [each.words for each in run_news.events(connection, run_id, limit=99, kind="remark")]
    assert len(told) == 3
    play(simulated, run)
    moved(outside, clock, org_id, run_id, "collecting", "tearing-down")
    with outside.database.transaction(org_id) as connection:
        store.ask_cancel(connection, run_id, by="Ada", at=clock())
    moved(outside, clock, org_id, run_id, "done", "cancelled")


@pytest.mark.soak("aws")
def test_a_report_that_comes_again_is_nothing_and_another_one_is_remarked_on(
    outside: Outside, clock: Clock, simulated: Account, org_id: UUID, run_id: UUID
) -> None:
    run = run_of(moved(outside, clock, org_id, run_id, "running"))
    for again, rate in enumerate((590.0, 590.0, 1.0)):
        # The same in another envelope: S3 has another file.
        content = report(run, 0, "net-2", rate) + b" " * again
        put(simulated, run, "nodes/0000/net-2.json", content)
        due_now(outside.database, org_id, run_id)
        running.reconcile(outside, org_id, run_id)
    told = [each for each in words(outside.database, org_id, run_id) if "once more" in each]
    assert len(told) == 1
    with outside.database.transaction(org_id) as connection:
        [stored] = run_news.reports(connection, run_id)
        store.ask_cancel(connection, run_id, by="Ada", at=clock())
    assert stored.content == report(run, 0, "net-2")
    moved(outside, clock, org_id, run_id, "cancelled")


def test_one_that_is_cancelled_is_torn_down_and_keeps_what_it_has(
    outside: Outside, clock: Clock, simulated: Account, org_id: UUID, run_id: UUID
) -> None:
    moved(outside, clock, org_id, run_id, "launching")
    with outside.database.transaction(org_id) as connection:
        assert store.ask_cancel(connection, run_id, by="Ada", at=clock())
    stored = moved(outside, clock, org_id, run_id, "done", "failed", "cancelled")
    assert (stored.state, run_of(stored).verified) == ("cancelled", True)
    assert all(each.state == "terminated" for each in launched(simulated, run_id))


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        pytest.param("ec2:RunInstances", "lose", marks=pytest.mark.soak("aws")),
        pytest.param("ec2:RunInstances", "throttle", marks=pytest.mark.soak("aws")),
        pytest.param("ec2:CreateSecurityGroup", "lose", marks=pytest.mark.soak("aws")),
        pytest.param("s3:PutObject", "broken", marks=pytest.mark.soak("aws")),
        pytest.param("ec2:Describe*", "throttle", marks=pytest.mark.soak("aws")),
    ],
)
def test_what_fails_on_the_way_is_done_the_next_time_and_once(
    outside: Outside,
    aws: Between,
    clock: Clock,
    simulated: Account,
    org_id: UUID,
    run_id: UUID,
    action: str,
    kind: FaultKind,
) -> None:
    fault = aws.fail(action, kind, 6)
    stored = moved(outside, clock, org_id, run_id, "running", "failed")
    assert fault.met >= 1
    assert stored.state == "running", stored.content
    assert len(launched(simulated, run_id)) == SPEC.nodes
    aws.heal()
    play(simulated, run_of(stored))
    assert moved(outside, clock, org_id, run_id, "done", "failed").state == "done"


@pytest.mark.soak("aws")
def test_without_capacity_nothing_is_left_and_it_says_so(
    outside: Outside, aws: Between, clock: Clock, org_id: UUID, run_id: UUID
) -> None:
    aws.fail("ec2:RunInstances", "capacity", None, lambda call: call.parameters.get("DryRun") != "true")
    stored = moved(outside, clock, org_id, run_id, "done", "failed", "cancelled")
    assert (stored.state, run_of(stored).verified) == ("failed", True)
    assert "capacity" in str(run_of(stored).failure)


@pytest.mark.soak("aws")
def test_a_role_that_is_taken_back_ends_the_run_in_doubt_and_the_sweep_settles_it_when_it_is_given_again(
    outside: Outside, aws: Between, clock: Clock, simulated: Account, org_id: UUID, account_id: UUID, run_id: UUID
) -> None:
    moved(outside, clock, org_id, run_id, "running")
    aws.revoked = True
    for _ in range(2 * MOST_MOVES):
        if (stored := read(outside.database, org_id, run_id)).state == "failed":
            break
        due_now(outside.database, org_id, run_id)
        running.reconcile(outside, org_id, run_id)
        clock.now += timedelta(seconds=30)
    assert (stored.state, run_of(stored).verified) == ("failed", False)
    assert f"stowage-run = {run_id}" in str(run_of(stored).failure)
    assert reaping.reap(outside, org_id, account_id) == 0
    assert any(each.state != "terminated" for each in launched(simulated, run_id))
    aws.revoked = False
    clock.now += reaping.PATIENCE
    while reaping.reap(outside, org_id, account_id):
        clock.now += timedelta(seconds=60)
    assert simulated.left() == {}
    assert run_of(read(outside.database, org_id, run_id)).verified
    told = words(outside.database, org_id, run_id)
    assert any("The sweep found what was left" in each for each in told)
    assert told[-1] == "It was seen by now that nothing is left of it."


@pytest.mark.soak("aws")
def test_a_launch_that_aws_takes_after_the_run_has_ended_is_swept_away(
    outside: Outside, clock: Clock, simulated: Account, org_id: UUID, account_id: UUID, run_id: UUID
) -> None:
    with outside.database.transaction(org_id) as connection:
        store.ask_cancel(connection, run_id, by="Ada", at=clock())
    before = run_of(moved(outside, clock, org_id, run_id, "cancelled"))
    late = replace(before, zones=("us-east-1a",), ends_at=clock() + timedelta(hours=1))
    with outside.database.transaction(org_id) as connection:
        stored = aws_accounts.get(connection, account_id)
    assert stored is not None
    reached = connection_of(stored, org_id)
    assert reached is not None
    cloud = outside.clouds.of(reached, "us-east-1")
    for action in (Prepare(), Launch(0, "us-east-1a", clock() + timedelta(hours=1), 3600.0)):
        cloud.do(late, action, KEY)
    assert any(each.state == "running" for each in launched(simulated, run_id))
    while reaping.reap(outside, org_id, account_id):
        clock.now += timedelta(seconds=60)
    assert simulated.left() == {}


def test_a_holder_that_was_silent_does_nothing_any_more(
    outside: Outside, aws: Between, clock: Clock, simulated: Account, org_id: UUID, run_id: UUID
) -> None:
    """One worker hangs in a read; meanwhile another one claims the run and reconciles it."""
    hanging = aws.fail("ec2:DescribeInstances", "hold")
    first = Thread(target=running.reconcile, args=(outside, org_id, run_id))
    first.start()
    assert hanging.reached.wait(30.0)
    with outside.database.transaction(org_id) as connection:
        connection.execute(
            text("UPDATE run SET attempt = attempt + 1, lease_until = NULL, next_look_at = now() WHERE id = :id"),
            {"id": run_id},
        )
        assert store.ask_cancel(connection, run_id, by="Ada", at=clock())
    ended = moved(outside, clock, org_id, run_id, "cancelled")
    hanging.go_on.set()
    first.join(60.0)
    assert not first.is_alive()
    assert read(outside.database, org_id, run_id) == ended
    assert launched(simulated, run_id) == []


def test_a_fault_of_ours_holds_nothing_up_for_long(
    outside: Outside, clock: Clock, org_id: UUID, run_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        """An error that no code expects."""

        def of(self, *_: object) -> Any:
            raise ZeroDivisionError("a fault of ours")

    assert running.reconcile(replace(outside, clouds=Broken()), org_id, run_id)
    stored = read(outside.database, org_id, run_id)
    assert (stored.state, stored.content["trouble"]["kind"]) == ("approved", "unreachable")
    [reference] = [each.split()[-1].rstrip(").") for each in words(outside.database, org_id, run_id)]
    assert f"reference {reference}" in caplog.text
    with outside.database.transaction(org_id) as connection:
        store.ask_cancel(connection, run_id, by="Ada", at=clock())
    moved(outside, clock, org_id, run_id, "cancelled")


def test_messages_are_sent_for_what_is_due_and_for_accounts(
    outside: Outside, gate: Database, queue: Queue, redis_url: str, org_id: UUID, account_id: UUID, run_id: UUID
) -> None:
    with redis.Redis.from_url(redis_url) as client:
        client.delete("runs")
        assert running.send_due(gate, queue) >= 1
        assert reaping.send_due(gate, queue) >= 1
        sent = [json.loads(each)["headers"] for each in client.lrange("runs", 0, -1)]
        client.delete("runs")
    asked = {(each["task"], each["argsrepr"]) for each in sent}
    assert (RECONCILE_RUN, repr((str(org_id), str(run_id)))) in asked
    assert (REAP_ACCOUNT, repr((str(org_id), str(account_id)))) in asked
    assert all(each["expires"] for each in sent)
    with outside.database.transaction(org_id) as connection:
        store.ask_cancel(connection, run_id, by="Ada", at=datetime.now(UTC))


def test_an_account_is_swept_every_minute_while_it_is_used_then_once_an_hour_and_not_at_all_before(
    outside: Outside, aws: Between, clock: Clock, org_id: UUID, account_id: UUID
) -> None:
    def swept() -> int:
        before = len(aws.calls)
        reaping.reap(outside, org_id, account_id)
        return len(aws.calls) - before

    assert swept() == 0
    run_id = approved(outside.database, org_id, account_id)
    assert swept() > 0
    with outside.database.transaction(org_id) as connection:
        store.ask_cancel(connection, run_id, by="Ada", at=clock())
    moved(outside, clock, org_id, run_id, "cancelled")
    assert swept() > 0
    clock.now += reaping.QUIET_AFTER + timedelta(minutes=1)
    in_an_hour = []
    for _ in range(60):
        clock.now += timedelta(minutes=1)
        in_an_hour.append(swept() > 0)
    assert sum(in_an_hour) == 1


def test_what_is_left_is_what_is_past_its_deadline_or_of_a_run_that_ended() -> None:
    now = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)

    def thing(deadline: datetime | None) -> LeftBehind:
        return LeftBehind(uuid4(), "instance", "i-1", "us-east-1", deadline)

    late, soon = now - reaping.PATIENCE - timedelta(seconds=1), now + timedelta(minutes=5)
    assert reaping.is_left(thing(late), None, now)
    assert not reaping.is_left(thing(soon), None, now)
    assert not reaping.is_left(thing(None), None, now)
