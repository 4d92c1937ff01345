"""Runs as workers store them: launched, with reports, ended; as rows, for tests of their views."""

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from stowage.features.benchmarks.store import run_news, runs
from stowage.features.benchmarks.stored_runs import reconciled, run_of
from stowage.platform.database.database import Database
from stowage.runs.orders import node_key
from stowage.runs.report import Report, read_report
from stowage.runs.run import Resource, Run
from stowage_worker.agent.signing import envelope

PATIENCE_S = 240.0


def net_document(mb_per_s: float, at: datetime) -> dict[str, Any]:
    """Return the report of a node for a network phase."""
    return {
        "received_mb_per_s": mb_per_s,
        "sent_mb_per_s": mb_per_s,
        "started_at": at.isoformat(),
        "duration_s": 20.0,
        "connections": 1,
        "processes": 2,
        "retransmits": 0,
        "iperf3_mb_per_s": None,
        "host": {"name": "ip-10-0-0-4", "kernel": "6.1.0", "cpus": 32},
        "intervals": {},
    }


def report(
    database: Database, org_id: UUID, run_id: UUID, node: int, phase: str, document: Mapping[str, Any], **more: Any
) -> None:
    """Store a node's signed report of a phase, as a worker does after verifying it."""
    said = {"stowage": "report", "version": 1, "run": str(run_id), "node": node, "phase": phase}
    said |= {"status": "ok", "failure": None, "document": dict(document), **more}
    with database.transaction(org_id) as connection:
        key = node_key(runs.key_of(connection, run_id), node)
        content = envelope(said, key)
        found = read_report(content, key, run_id, node, phase)
        assert isinstance(found, Report), found
        digest = bytes.fromhex(found.sha256)
        assert run_news.add_report(
            connection, run_id, node=node, phase=phase, content=content, sha256=digest, at=datetime.now(UTC)
        )


def status(database: Database, org_id: UUID, run_id: UUID, node: int, *, at: datetime, **said: Any) -> None:
    """Store the status of a node."""
    content = {"at": at.timestamp(), "state": "running", "phase": None, "progress": 0.0, "words": "", "log": []}
    with database.transaction(org_id) as connection:
        run_news.set_status(connection, run_id, node=node, content={**content, "live": {}, **said}, at=at)


def move(database: Database, org_id: UUID, run_id: UUID, spent_usd: float = 0.0, **changed: Any) -> Run:
    """Claim an approved run, change it, and release it, as a worker does after reconciling it."""
    patient_until = time.monotonic() + PATIENCE_S
    # The database's clock may be set back meanwhile, and then the run is not due yet.
    while True:
        with database.transaction(org_id) as connection:
            held = runs.claim(connection, run_id)
            if held is not None:
                stored = runs.get(connection, run_id)
                assert stored is not None
                run = replace(run_of(stored), **changed)
                runs.release(connection, held, reconciled(run, spent_usd), 0.0)
                return run
        assert time.monotonic() < patient_until
        time.sleep(0.05)


def launched(database: Database, org_id: UUID, run_id: UUID, nodes: int) -> Run:
    """Set a run's nodes to running and measuring."""
    now = datetime.now(UTC)
    return move(
        database,
        org_id,
        run_id,
        state="running",
        zones=("us-east-1a",),
        launched_at=now - timedelta(minutes=3),
        running_since=now - timedelta(minutes=1),
        deadline=now + timedelta(minutes=27),
        ends_at=now + timedelta(minutes=25),
        nodes=tuple((f"i-{number:04d}", f"10.0.0.{number + 4}") for number in range(nodes)),
        resources=tuple(
            Resource("instance", f"i-{number:04d}", 2.5, now - timedelta(minutes=3)) for number in range(nodes)
        ),
    )


def ended(database: Database, org_id: UUID, run_id: UUID, spent_usd: float = 0.21, **changed: Any) -> Run:
    """Set a run to torn down, with any outcome."""
    now = datetime.now(UTC)
    with database.transaction(org_id) as connection:
        stored = runs.get(connection, run_id)
    assert stored is not None
    gone = tuple(replace(each, ended_at=now, gone_at=now) for each in run_of(stored).resources)
    change = {"state": "done", "outcome": "done", "verified": True, **changed}
    return move(
        database,
        org_id,
        run_id,
        spent_usd,
        collecting_since=now,
        tearing_down_since=now,
        finished_at=now,
        resources=gone,
        **change,
    )
