"""Workers and the scheduler as processes, on a database and a Redis of the test's own."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL, SIGTERM
from uuid import UUID

import psutil
import redis

from commands import started
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import DatabaseUrls
from stowage.platform.jobs import store as jobs
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.queue import Queue, channel
from stowage.platform.jobs.store import UNFINISHED

PATIENCE_S = 240.0


@dataclass
class Background:
    """Starts `stowage worker` and `stowage scheduler`, and ends those that still run."""

    database: Database
    urls: DatabaseUrls
    redis_url: str
    log: Path
    processes: list[psutil.Process] = field(default_factory=list)
    _arguments: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def start(self, *arguments: str) -> psutil.Process:
        settings = {"DATABASE_URL": self.urls.application, "REDIS_URL": self.redis_url, "STOWAGE_LOG": "json"}
        if "periodic" in arguments:
            settings["GATE_DATABASE_URL"] = self.urls.gate
        with self.log.open("ab") as log, Path(os.devnull).open("rb") as nothing:
            process = started(arguments, (nothing, log, log), environment=os.environ | settings)
        self.processes.append(process)
        self._arguments[process.pid] = arguments
        return process

    def worker(self, queue: str = "sweeps", processes: int = 1) -> psutil.Process:
        return self.start("worker", "--queue", queue, "--processes", str(processes))

    def scheduler(self) -> Sequence[psutil.Process]:
        """Start the scheduler and the worker for periodic tasks, which requeue lost parts."""
        return self.start("scheduler"), self.worker("periodic")

    def job(self, org_id: UUID, job_id: UUID) -> Job:
        with self.database.transaction(org_id) as connection:
            job = jobs.get(connection, job_id)
        assert job is not None
        return job

    def until(self, org_id: UUID, job_id: UUID, done: int) -> Job:
        """Wait until a number of units are done, or the job has ended."""
        return self._awaited(org_id, job_id, lambda job: job.done >= done or job.state not in UNFINISHED)

    def ended(self, org_id: UUID, job_id: UUID) -> Job:
        """Wait until the job has ended."""
        return self._awaited(org_id, job_id, lambda job: job.state not in UNFINISHED)

    def _awaited(self, org_id: UUID, job_id: UUID, come: Callable[[Job], bool]) -> Job:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self._revive()
            try:
                with redis.Redis.from_url(self.redis_url) as client, client.pubsub() as listener:
                    listener.subscribe(channel(job_id))
                    while time.monotonic() < deadline:
                        self._revive()
                        if come(job := self.job(org_id, job_id)):
                            return job
                        listener.get_message(timeout=1.0)
            except redis.ConnectionError:
                # The test is restarting Redis; the database continues.
                if come(job := self.job(org_id, job_id)):
                    return job
        raise AssertionError(f"{self.job(org_id, job_id)}\n{self.log.read_text()[-3000:]}")

    def _revive(self) -> None:
        """Restart processes that ended by themselves, as `stowage up` and Docker do."""
        for process in list(self.processes):
            with suppress(psutil.TimeoutExpired):
                if process.wait(0) == 1:
                    self.processes.remove(process)
                    self.start(*self._arguments[process.pid])

    def end(self) -> None:
        for process in self.processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(SIGTERM)
        for process in self.processes:
            try:
                process.wait(PATIENCE_S)
            except psutil.TimeoutExpired:
                process.kill()
                raise


@contextmanager
def background(database: Database, urls: DatabaseUrls, redis_url: str, log: Path) -> Iterator[Background]:
    """Yield a place to start workers; at the end stop all of them, and check that none ended by itself."""
    with Queue(redis_url) as queue:
        queue.ping()
    started = Background(database, urls, redis_url, log)
    try:
        yield started
    finally:
        started.end()


def kill(process: psutil.Process) -> None:
    """Kill a worker like a crash, without notice to its pool; check that the pool ends too."""
    pool = process.children(recursive=True)
    process.send_signal(SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(pool, timeout=PATIENCE_S)
    assert alive == []
