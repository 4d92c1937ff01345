"""How much faster two workers finish a sweep than one, and how soon a cancelled sweep leaves its worker free.

    make bench

Starts a PostgreSQL, a Redis and workers of its own, in a temporary folder.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from stowage.cli.server.preparation import prepare_database
from stowage.features.sweeps import sweeps
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import embedded_postgres
from stowage.platform.database.orgs import LOCAL_ORG_ID
from stowage.platform.jobs import jobs
from stowage.platform.jobs.embedded import embedded_redis
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.queue import Queue

REPEATS = 7
POLL_S = 0.005


def grid(columns: int, rows: int) -> SweepFile:
    """Return a sweep on which the search has some 20 to 40 ms of work a cell."""
    return SweepFile.model_validate(
        {
            "base": {
                "workload": {"data": "1 TB"},
                "place": {"catalog": "paper-2014"},
                "assume": {"network": "unlimited"},
            },
            "columns": {"quantity": "data", "values": [f"{size} TB" for size in range(1, columns + 1)]},
            "rows": {"quantity": "deadline", "values": [f"{minutes} min" for minutes in range(10, 10 + rows)]},
        }
    )


def start(database: Database, queue: Queue, file: SweepFile) -> Job:
    """Start a sweep."""
    ids = sweeps.NewIds(uuid4(), uuid4())
    now = datetime.now(UTC)
    return sweeps.start_sweep(database, LOCAL_ORG_ID, queue, file, ids=ids, asked_by="bench", now=now).job


def wait(database: Database, job: Job, done: int) -> None:
    """Poll until so many cells are stored."""
    while jobs.read_job(database, LOCAL_ORG_ID, job.id).done < done:
        time.sleep(POLL_S)


@contextmanager
def workers(count: int, database_url: str, redis_url: str) -> Iterator[None]:
    """Run workers of one process each."""
    environment = os.environ | {"DATABASE_URL": database_url, "REDIS_URL": redis_url}
    command = [sys.executable, "-m", "stowage", "worker", "--queue", "sweeps", "--processes", "1"]
    quiet = subprocess.DEVNULL
    running = [
        subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)  # noqa: S603 - our own command
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def time_sweep(database: Database, queue: Queue, file: SweepFile) -> float:
    """Return how long a sweep takes from the request to its last cell [s]."""
    started = time.perf_counter()
    job = start(database, queue, file)
    wait(database, job, job.total)
    return time.perf_counter() - started


def time_cancel(database: Database, queue: Queue) -> tuple[float, float]:
    """Return how long a cancel takes to be answered, and until the worker has finished something else [s]."""
    job = start(database, queue, grid(40, 40))
    wait(database, job, 1)
    started = time.perf_counter()
    jobs.cancel_job(database, LOCAL_ORG_ID, queue, job.id)
    answered = time.perf_counter() - started
    other = start(database, queue, grid(1, 1))
    wait(database, other, 1)
    return answered, time.perf_counter() - started


def main() -> None:
    """Measure one and two workers in turn, so that what the machine does besides hits both."""
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory(prefix="stowage-bench-"))) for _ in range(2)]
        urls = stack.enter_context(embedded_postgres(folders[0]))
        redis_url = stack.enter_context(embedded_redis(folders[1]))
        prepare_database(urls.owner, urls.application, urls.gate)
        database = stack.enter_context(closing(Database(urls.application)))
        queue = stack.enter_context(Queue(redis_url))
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(REPEATS):
            for count, measured in seconds.items():
                with workers(count, urls.application, redis_url):
                    # Until every worker has computed something, its start would be measured.
                    time_sweep(database, queue, grid(8, 1))
                    measured.append(time_sweep(database, queue, grid(20, 10)))
        for count, measured in seconds.items():
            middle, longest = statistics.median(measured), max(measured)
            print(f"{count} worker(s): 200 cells in {middle:.2f} s (median of {REPEATS}, longest {longest:.2f} s)")
        ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
        print(f"two are {statistics.median(ratios):.2f} times as fast (median; {min(ratios):.2f} to {max(ratios):.2f})")
        with workers(1, urls.application, redis_url):
            cancels = [time_cancel(database, queue) for _ in range(REPEATS)]
        for name, times in zip(
            ("answered", "worker free, and one more cell done"), zip(*cancels, strict=True), strict=True
        ):
            print(f"cancel, {name}: {1000 * statistics.median(times):.0f} ms (longest {1000 * max(times):.0f} ms)")


if __name__ == "__main__":
    main()
