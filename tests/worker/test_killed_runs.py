"""Runs by workers and a scheduler as processes: they complete when any of these is killed."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

from aws_account import Simulated, connected_account
from background import Background, kill
from laboratory.account import ACCOUNT, BUCKET, Account
from quoted import KEY, SPEC, approved, connected, external_id_of, read
from stowage.features.benchmarks.store import run_news
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.benchmarks.stored_runs import run_of
from stowage.platform.database.database import Database
from stowage.runs.mailbox import report_key, status_key
from stowage.runs.orders import expected, node_key
from stowage.runs.run import ENDED
from stowage_worker.agent.signing import envelope

PACE = {"look_s": 0.2, "settle_s": 0.5, "settle_looks": 3, "unseen_s": 1.0, "stop_s": 5.0, "collect_s": 5.0}
PATIENCE_S = 240.0


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture
def run_id(database: Database, org_id: UUID, aws: Simulated, monkeypatch: pytest.MonkeyPatch) -> UUID:
    monkeypatch.setenv("STOWAGE_RUNS_PACE", json.dumps(PACE))
    account_id = connected(database, org_id, bucket=BUCKET, account=ACCOUNT)
    aws.enforced.trust(external_id_of(account_id))
    aws.between.external_id = external_id_of(account_id)
    return approved(database, org_id, account_id)


def awaited(database: Database, org_id: UUID, run_id: UUID, come: Callable[[StoredRun], bool]) -> StoredRun:
    deadline = time.monotonic() + PATIENCE_S
    while not come(stored := read(database, org_id, run_id)):
        assert time.monotonic() < deadline, stored
        time.sleep(0.1)
    return stored


def play(simulated: Account, run_id: UUID) -> None:
    """Put the nodes' reports into the bucket."""

    def put(node: int, key: str, **said: Any) -> None:
        whole = {"version": 1, "run": str(run_id), "node": node, **said}
        content = envelope(whole, node_key(KEY, node))
        simulated.s3.put_object(Bucket=BUCKET, Key=f"stowage/{run_id}/{key}", Body=content)

    for node, phase in expected(SPEC):
        document = {"received_mb_per_s": 590.0, "sent_mb_per_s": 590.0}
        put(node, report_key(node, phase), stowage="report", phase=phase, status="ok", failure=None, document=document)
    for node in range(SPEC.nodes):
        about: dict[str, Any] = {
            "at": 1.0,
            "phase": None,
            "progress": 1.0,
            "words": "It is done.",
            "log": [],
            "live": {},
        }
        put(node, status_key(node), stowage="status", state="done", **about)


@pytest.mark.soak("kills")
@pytest.mark.usefixtures("tending")
def test_a_worker_that_is_killed_in_the_middle_of_a_launch_is_followed_by_another_and_nothing_is_launched_twice(
    workers: Background, database: Database, org_id: UUID, aws: Simulated, run_id: UUID
) -> None:
    launching = aws.between.fail("ec2:RunInstances", "hold", 1, lambda call: call.parameters.get("DryRun") != "true")
    first = workers.worker("runs")
    assert launching.reached.wait(PATIENCE_S)
    kill(first)
    workers.processes.remove(first)
    assert read(database, org_id, run_id).state == "launching"
    launching.go_on.set()
    second = workers.worker("runs")
    awaited(database, org_id, run_id, lambda stored: stored.state == "running")
    tag = {"key": "stowage-run", "value": str(run_id)}
    of_the_run = [
        each for each in aws.account.instances() if any(tag.items() <= told.items() for told in each.get_tags())
    ]
    assert len(of_the_run) == SPEC.nodes
    play(aws.account, run_id)
    awaited(database, org_id, run_id, lambda stored: stored.state in {"collecting", "tearing-down", *ENDED})
    kill(second)
    workers.processes.remove(second)
    workers.worker("runs")
    stored = awaited(database, org_id, run_id, lambda stored: stored.state in ENDED)
    assert (stored.state, run_of(stored).verified) == ("done", True)
    assert aws.account.left() == {}
    with database.transaction(org_id) as connection:
        assert set(run_news.reported(connection, run_id)) == set(expected(SPEC))
