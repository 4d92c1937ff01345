"""Uploads whose reader is stopped: within its limits, by its rules, and before the part may be another worker's."""

import itertools
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from hostile_reader import ATTEMPTS
from stowage.jobs.queue import Queue
from stowage.processes.sandboxed import Overdue, Stopped
from stowage.store import jobs as job_store
from stowage.store.database import Database
from stowage.usecases import sandboxed_reading
from stowage.usecases.measurement_answers import UploadAnswer
from stowage.usecases.sandboxed_reading import FileBegun, Input, reader
from uploading import FIO
from worker.test_uploads import job_of, looked_at, sent, started, work

HOSTILE = Path(__file__).parents[1] / "hostile_reader.py"
STOPS = {
    "loop": "it computed for over 5 s without reading on",
    "remember": "it needed more than 512 MiB of memory",
    "crash": r"it crashed \(SIGSEGV\)",
    "end": "it ended in the middle",
    "ask for a piece that is not": "it answered with what a reader does not answer",
    "answer nonsense": "it answered with what a reader does not answer",
    "answer in another tongue": "it answered with what a reader does not answer",
}
TOO_LONG = "What it holds is too long altogether; upload it in parts"

Taken = Callable[[str], None]


def command(way: str) -> tuple[str, ...]:
    return (sys.executable, "-I", str(HOSTILE), way)


@pytest.fixture
def taken_over(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Have uploads read by a program that a file has taken over."""
    return lambda way: monkeypatch.setattr(sandboxed_reading, "READER", command(way))


def read_by(database: Database, gate: Database, queue: Queue, org_id: UUID) -> UploadAnswer:
    upload_id = sent(database, gate, org_id, FIO)
    work(database, queue, org_id, job_of(started(database, org_id, queue, upload_id)), time.monotonic)
    return looked_at(database, org_id, upload_id)


@pytest.mark.parametrize("way", STOPS)
def test_a_file_whose_reading_was_stopped_twice_is_refused_and_says_why(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, way: str
) -> None:
    taken_over(way)
    upload = read_by(database, gate, queue, org_id)
    assert upload.state == "refused"
    assert upload.problem is not None
    with pytest.raises(AssertionError, match=f"Reading it was stopped twice: {STOPS[way]}"):
        raise AssertionError(upload.problem)
    assert upload.job is not None
    assert (upload.job.state, upload.readings_total) == ("done", 0)
    # The worker takes up the next file.
    with pytest.MonkeyPatch.context() as mended:
        mended.setattr(sandboxed_reading, "READER", (sys.executable, "-I", "-m", "stowage.measure.sandboxed_reader"))
        assert read_by(database, gate, queue, org_id).state == "read"


@pytest.mark.parametrize("way", ["flood", "claim a gigabyte"])
def test_what_says_too_much_is_refused(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, way: str
) -> None:
    taken_over(way)
    assert read_by(database, gate, queue, org_id).problem == TOO_LONG


def test_a_reader_that_was_taken_over_opens_starts_and_signals_nothing() -> None:
    with reader(lambda: None, command("reach out")) as sandboxed:
        if not sandboxed.filtered:
            pytest.skip("no filter on system calls here: see `stowage doctor`")
        found = list(sandboxed.read(Input.of("it", FIO)))
    assert found[0] == FileBegun("it")
    became = [str(getattr(each, "message", "")) for each in found[1:]]
    assert [each.partition(":")[0] for each in became] == list(ATTEMPTS)
    assert [each for each in became if each.endswith("done")] == []


def test_a_reader_holds_nothing_of_the_process_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with socket.create_server(("127.0.0.1", 0)), reader(lambda: None) as sandboxed:
        process = psutil.Process(sandboxed.process.pid)
        folder = Path(f"/proc/{process.pid}")
        assert (folder / "environ").read_bytes() == b""
        assert {each.name for each in (folder / "fd").iterdir()} == {"0", "1", "2"}
        assert (folder / "cwd").resolve() == Path("/")


def test_a_reader_is_killed_where_nobody_extends_its_time() -> None:
    with reader(lambda: None, command("wait")) as sandboxed:
        sandboxed.process.extend(0.1)
        with pytest.raises(Overdue):
            list(sandboxed.read(Input.of("it", FIO)))
        assert not psutil.pid_exists(sandboxed.process.pid)


def test_a_reader_is_gone_before_the_part_may_be_another_workers(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signs of life that cannot be given for as long as a lease lasts."""
    taken_over("loop")
    alive: list[bool] = []
    whole = job_store.advance
    pids: list[int] = []
    begun = sandboxed_reading.SandboxedReader.__init__

    def noted(self: sandboxed_reading.SandboxedReader, *arguments: object) -> None:
        begun(self, *arguments)  # type: ignore[arg-type]
        pids.append(self.process.pid)

    def stuck(connection: object, held: job_store.Claim, units: int) -> None:
        if pids:
            time.sleep(job_store.LEASE_S)
            alive.append(psutil.pid_exists(pids[-1]) and psutil.Process(pids[-1]).status() != psutil.STATUS_ZOMBIE)
            raise job_store.ClaimLost
        whole(connection, held, units)  # type: ignore[arg-type]

    monkeypatch.setattr(sandboxed_reading.SandboxedReader, "__init__", noted)
    monkeypatch.setattr(job_store, "advance", stuck)
    upload = read_by(database, gate, queue, org_id)
    assert alive == [False]
    assert upload.state == "reading"


def test_a_job_that_was_cancelled_takes_its_reader_along(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken
) -> None:
    taken_over("wait")
    before = set(psutil.Process().children())
    upload_id = sent(database, gate, org_id, FIO)
    job_id = job_of(started(database, org_id, queue, upload_id))
    looked = itertools.count()

    def clock() -> float:
        # It waits for its program by then.
        if next(looked) == 20:
            with database.transaction(org_id) as connection:
                job_store.cancel(connection, job_id)
        return time.monotonic()

    work(database, queue, org_id, job_id, clock)
    assert looked_at(database, org_id, upload_id).state == "reading"
    assert set(psutil.Process().children()) == before


def test_a_reader_ends_with_the_process_that_started_it() -> None:
    code = (
        "import sys; from stowage.usecases.sandboxed_reading import SandboxedReader;"
        "print(SandboxedReader(lambda: None).process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        started_reader = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    psutil.wait_procs([started_reader], timeout=60)
    assert not started_reader.is_running()


def test_a_reader_that_says_nothing_any_more_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stowage.processes.sandboxed.SILENT_FOR_S", 0.5)
    with reader(lambda: None, command("wait")) as sandboxed, pytest.raises(Stopped, match="said nothing"):
        list(sandboxed.read(Input.of("it", FIO)))
