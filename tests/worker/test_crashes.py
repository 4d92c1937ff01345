"""Crashes during a sweep have no effect on it: workers are killed, Redis is flushed and restarted.

All of it runs in the soak. In the everyday tests, `tests/laboratory/test_runs.py` kills a node of a run, and
`tests/cli/test_up.py` kills each process of a service once.
"""

import random
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
import redis

from background import Background, background, kill
from grids import start_sweep
from soaking import half_and_number
from stowage.features.sweeps import sweeps
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.queue import Queue

SWEEP = SweepFile.model_validate(
    {
        "base": {"workload": {"data": "1 TB"}, "place": {"catalog": "paper-2014"}, "limits": {"max_nodes": 400}},
        "columns": {"quantity": "data", "values": [f"{size} TB" for size in range(1, 21)]},
        "rows": {"quantity": "deadline", "values": [f"{minutes} min" for minutes in range(10, 30)]},
    }
)
pytestmark = pytest.mark.soak("kills")


def assert_complete(database: Database, org_id: UUID, sweep_id: UUID) -> None:
    swept = sweeps.read_sweep(database, org_id, sweep_id)
    assert swept.job.state == "done", swept.job
    places = [(cell.row, cell.column) for cell in swept.cells]
    assert len(places) == len(set(places)) == swept.job.total == swept.job.done == 400


@pytest.mark.usefixtures("tending")
@pytest.mark.parametrize("seed", range(50), ids=half_and_number)
def test_a_worker_that_is_killed_at_any_moment_costs_nothing_but_time(
    workers: Background, database: Database, queue: Queue, org_id: UUID, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same moments in each run
    victim = workers.worker(processes=chance.choice([1, 2]))
    sweep = start_sweep(database, org_id, queue, SWEEP)
    workers.until(org_id, sweep.job.id, done=chance.randrange(0, 240))
    kill(victim)
    struck = workers.job(org_id, sweep.job.id)
    workers.worker(processes=2)
    ended = workers.ended(org_id, sweep.job.id)
    assert struck.done < ended.total
    assert_complete(database, org_id, sweep.id)


@pytest.mark.parametrize("what", ["flushed", "restarted"])
def test_redis_may_forget_everything_in_the_middle(
    database: Database, postgres: DatabaseUrls, org_id: UUID, tmp_path: Path, what: str
) -> None:
    with (
        TemporaryDirectory(prefix="stowage-redis-") as folder,
        ExitStack() as first,
        Queue(first.enter_context(embedded_redis(Path(folder)))) as queue,
        background(database, postgres, queue.url, tmp_path / "workers.log") as workers,
        ExitStack() as second,
    ):
        workers.scheduler()
        workers.worker(processes=2)
        sweep = start_sweep(database, org_id, queue, SWEEP)
        workers.until(org_id, sweep.job.id, done=20)
        if what == "flushed":
            redis.Redis.from_url(queue.url).flushall()
        else:
            first.close()
            assert second.enter_context(embedded_redis(Path(folder))) == queue.url
        workers.ended(org_id, sweep.job.id)
        assert_complete(database, org_id, sweep.id)
