"""Sweep of connected accounts, which removes resources that outlived their benchmark run.

Runs tear down their resources, and the nodes of a run terminate themselves. The sweep covers the remaining cases: a
launch that AWS accepted after its run had ended, a volume that outlived its instance, an account that was unreachable.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.benchmarks.aws_accounts import connection_of, is_proven
from stowage.features.benchmarks.running import Outside
from stowage.features.benchmarks.store import aws_accounts, run_news
from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.features.benchmarks.store.runs import StoredRun
from stowage.features.benchmarks.stored_runs import run_of
from stowage.platform.database.database import Database
from stowage.platform.jobs.leases import leased
from stowage.platform.jobs.queue import REAP_ACCOUNT, REAP_EVERY_S, Queue
from stowage.runs.cloud import Connection, LeftBehind
from stowage.runs.observation import CloudError
from stowage.runs.run import ENDED

log = logging.getLogger(__name__)

QUIET_AFTER = timedelta(hours=6)
"""Accounts without a run for this long are swept once an hour, each at its own minute; the others every minute. Many
unused accounts must not keep workers from reconciling runs."""

PATIENCE = timedelta(minutes=5)
"""A resource this long past its deadline counts as left behind: it is neither terminating nor listed late by AWS."""


def send_due(gate: Database, queue: Queue) -> int:
    """Send a sweep message for each connected account of any team, and return the number of messages.

    Parameters
    ----------
    gate : Database
        Database as the auth role, which may read the connected accounts of all teams.
    """
    with gate.transaction(None) as connection:
        found = store.connected(connection)
    queue.send_each(REAP_ACCOUNT, [(str(org_id), str(account_id)) for org_id, account_id in found], REAP_EVERY_S)
    return len(found)


def reap(outside: Outside, org_id: UUID, account_id: UUID) -> int:
    """Remove the resources that runs left behind in an account.

    If an ended run has no resource left, its tear-down is marked as verified. Nothing is done if the role is not proven
    (see `is_proven`), if no run was ever approved, or if another process is sweeping the account. Accounts without a
    recent run are swept only once an hour.

    Returns
    -------
    int
        Number of resources removed.
    """
    with outside.database.transaction(org_id) as connection:
        account = aws_accounts.get(connection, account_id)
        regions = set(store.regions(connection, account_id))
        is_active = store.is_active(connection, account_id, outside.clock() - QUIET_AFTER)
    # An unproven role may belong to another account, in which we must not act.
    reached = None if account is None or not is_proven(account) else connection_of(account, org_id)
    # Without an approved run, the account holds none of our resources.
    if reached is None or not regions:
        return 0
    if not is_active and outside.clock().minute != account_id.int % 60:
        return 0
    with leased(outside.database, org_id, f"sweep {account_id}") as mine:
        return _reap(outside, reached, regions) if mine else 0


def _reap(outside: Outside, reached: Connection, regions: set[str]) -> int:
    """Sweep all given regions of an account, and return the number of removed resources."""
    seen: dict[str, list[LeftBehind]] = {}
    removed = 0
    for region in sorted(regions | {reached.bucket_region}):
        try:
            found, gone = _sweep(outside, reached, region)
        except CloudError as error:
            log.warning("cannot sweep account %s in %s: %s", reached.id, region, error)
            continue
        seen[region] = found
        removed += gone
    _settle(outside, reached, seen)
    return removed


def is_left(thing: LeftBehind, run: StoredRun | None, now: datetime) -> bool:
    """Return whether a resource was left behind.

    This is so if its run has ended, or if the deadline in its tag passed more than `PATIENCE` ago.

    Parameters
    ----------
    run : StoredRun or None
        Run named by the tag; None if it does not exist, for example after a backup was restored.
    """
    if run is not None and run.state in ENDED:
        return True
    return thing.deadline is not None and now > thing.deadline + PATIENCE


def _sweep(outside: Outside, reached: Connection, region: str) -> tuple[list[LeftBehind], int]:
    """Remove the resources left behind in a region.

    Returns
    -------
    tuple of (list of LeftBehind, int)
        All resources with the tag of a run, and the number of removed resources.
    """
    cloud = outside.clouds.of(reached, region)
    found = list(cloud.left_behind())
    with outside.database.transaction(reached.org_id) as connection:
        runs = store.get_all(connection, list({each.run_id for each in found}))
    now = outside.clock()
    left = [each for each in found if is_left(each, runs.get(each.run_id), now)]
    if left:
        log.warning("account %s, %s: %d resources are left behind by runs", reached.id, region, len(left))
        # Log before removing, so that every removed resource is on record.
        _tell(outside.database, reached.org_id, runs, left, now)
        cloud.remove(left)
        for run_id in {each.run_id for each in left} & runs.keys():
            outside.queue.announce(run_id)
    return found, len(left)


def _tell(
    database: Database, org_id: UUID, runs: Mapping[UUID, StoredRun], left: Sequence[LeftBehind], now: datetime
) -> None:
    by_run: dict[UUID, list[LeftBehind]] = defaultdict(list)
    for each in left:
        by_run[each.run_id].append(each)
    with database.transaction(org_id) as connection:
        for run_id, things in by_run.items():
            if run_id in runs:
                listed = ", ".join(f"{each.kind} {each.id}" for each in things)
                ids = {"left": [[each.kind, each.id] for each in things]}
                told = run_news.events(connection, run_id, limit=1, newest=True, kind="remark")
                # A resource that takes long to delete is found by several sweeps; log it once.
                if not told or told[0].content != ids:
                    words = f"The sweep found what was left, and removes it: {listed}."
                    run_news.add_events(connection, run_id, [NewEvent(now, "remark", words, ids)])


def _settle(outside: Outside, reached: Connection, seen: Mapping[str, Sequence[LeftBehind]]) -> None:
    """Mark the tear-down of ended runs as verified if the sweep found none of their resources."""
    now = outside.clock()
    with outside.database.transaction(reached.org_id) as connection:
        doubtful = store.in_doubt(connection, reached.id, ended_before=now - PATIENCE)
    held = {each.run_id for found in seen.values() for each in found}
    gone = [
        run
        for run in doubtful
        if {str(run.spec["region"]), reached.bucket_region} <= seen.keys()
        and run.id not in held
        and not _may_have_cluster(outside, reached, run)
    ]
    with outside.database.transaction(reached.org_id) as connection:
        for run in gone:
            store.verify(connection, run.id, {**run.content, "verified": True})
            words = "It was seen by now that nothing is left of it."
            run_news.add_events(connection, run.id, [NewEvent(now, "remark", words, {})])


def _may_have_cluster(outside: Outside, reached: Connection, run: StoredRun) -> bool:
    """Return whether a run may still have an EMR cluster.

    The result is also True if the account cannot be read, for example because the role has lost a permission.
    """
    if run.spec["benchmark"] != "testdfsio":
        return False
    try:
        seen = outside.clouds.of(reached, str(run.spec["region"])).look(run_of(run))
    except CloudError as error:
        log.warning("cannot verify the tear-down of run %s: %s", run.id, error)
        return True
    return bool(seen.emr_clusters)
