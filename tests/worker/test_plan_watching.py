"""Watched plans checked by a worker: started by the API, by the periodic task, twice, and after a lost worker."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
import redis
from sqlalchemy import text

from background import PATIENCE_S, Background
from small_catalogs import Versions, small_catalogs
from stowage.features.alerts import alerts
from stowage.features.planning import plans
from stowage.features.planning.watches import checking as plan_watching
from stowage.features.planning.watches import watches as plan_watches
from stowage.features.planning.watches.schemas import NewPlanWatch, PlanWatchAnswer
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.queue import CHECK_PLAN, Queue, channel
from stowage.workloads.workload_file import parse_workload

EVEN = {"i3.8xlarge": 1.0, "i3en.6xlarge": 1.0, "i4i.8xlarge": 1.0}
QUESTION = {"workload": {"data": "1 TB", "name": "nightly sort"}, "limits": {"max_nodes": 10}}

A_DAY_LATER = """
UPDATE plan_watch SET next_check_at = now() - interval '1 hour', sent_at = now() - interval '9 minutes',
                      taken_until = now() - interval '1 minute', tries = 1
"""


@pytest.fixture
def versions(database: Database, postgres: DatabaseUrls) -> Iterator[Versions]:
    with small_catalogs(database, postgres) as made:
        made.put(EVEN)
        yield made


def test_each_due_check_is_done_once_for_any_number_of_requests(
    workers: Background, database: Database, gate: Database, queue: Queue, org_id: UUID, versions: Versions
) -> None:
    plan_id = uuid4()
    plans.save_plan(
        database, org_id, parse_workload(QUESTION), plan_id=plan_id, now=datetime.now(UTC), clock=lambda: 0.0
    )

    def is_checked(times: int) -> PlanWatchAnswer:
        deadline = time.monotonic() + PATIENCE_S
        with redis.Redis.from_url(queue.url) as client, client.pubsub() as listener:
            listener.subscribe(channel(plan_id))
            while time.monotonic() < deadline:
                found = plan_watches.read(database, org_id, plan_id, now=datetime.now(UTC))
                if len(found.checks) >= times and not found.checking:
                    return found
                listener.get_message(timeout=1.0)
        raise AssertionError(workers.log.read_text()[-3000:])

    workers.worker()
    daily = NewPlanWatch(every="day")
    plan_watches.watch(database, org_id, queue, plan_id, daily, by="Ada", now=datetime.now(UTC))
    assert is_checked(1).checks[0].problem is None
    # Repeated messages find nothing to do.
    queue.send_each(CHECK_PLAN, [(str(org_id), str(plan_id))] * 5, expires_s=60.0, queue="sweeps")
    # A day later, found by the periodic task; a worker that had claimed it is gone.
    versions.put(dict.fromkeys(EVEN, 2.0))
    with database.transaction(org_id) as connection:
        connection.execute(text(A_DAY_LATER))
    plan_watching.send_due(gate, database, queue)
    found = is_checked(2)
    assert [check.told for check in found.checks] == [False, True]
    assert found.next_check_at is not None
    assert timedelta() < found.next_check_at - datetime.now(UTC) <= timedelta(days=1)
    assert len(alerts.list_alerts(database, org_id, limit=10, cursor=None).alerts) == 1
