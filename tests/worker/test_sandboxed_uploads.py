"""Uploads whose reader is stopped: by its limits, by its protocol, and before its worker's claim expires."""

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
from stowage.features.measurements import sandboxed_reading
from stowage.features.measurements.sandboxed_reading import FileBegun, Input, reader
from stowage.features.measurements.schemas import UploadAnswer
from stowage.platform.database.database import Database
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.queue import Queue
from stowage.processes.sandboxed import Overdue, Stopped
from uploading import FIO
from worker.test_uploads import job_of, looked_at, sent, started, work

HOSTILE = Path(__file__).parents[1] / "support" / "files" / "hostile_reader.py"
STOPS = {
    "loop": "it used over 5 s of CPU time without progress",
    "remember": "it used more than 512 MiB of memory",
    "crash": r"it crashed \(SIGSEGV\)",
    "end": "it ended early",
    "ask for a piece that is not": "it sent an invalid message",
    "answer nonsense": "it sent an invalid message",
    "answer with an impossible job": "it sent an invalid message",
    "answer in another tongue": "it sent an invalid message",
}
USUAL = {"remember", "crash", "answer nonsense"}
"""One way each of limits, crashes and invalid messages; the CPU limit alone takes 4 s of CPU time."""
TOO_LONG = "The results in the file are too large; split it into smaller files"

Taken = Callable[[str], None]


def command(way: str) -> tuple[str, ...]:
    return (sys.executable, "-I", str(HOSTILE), way)


@pytest.fixture
def taken_over(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """Replace the reader of uploads by one that a file has exploited."""
    return lambda way: monkeypatch.setattr(sandboxed_reading, "READER", command(way))


def read_by(database: Database, gate: Database, queue: Queue, org_id: UUID) -> UploadAnswer:
    upload_id = sent(database, gate, org_id, FIO)
    work(database, queue, org_id, job_of(started(database, org_id, queue, upload_id)), time.monotonic)
    return looked_at(database, org_id, upload_id)


@pytest.mark.parametrize(
    "way", [way if way in USUAL else pytest.param(way, marks=pytest.mark.soak("kills")) for way in STOPS]
)
def test_a_file_whose_reader_was_stopped_twice_is_refused_with_the_reason(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, way: str
) -> None:
    taken_over(way)
    upload = read_by(database, gate, queue, org_id)
    assert upload.state == "refused"
    assert upload.problem is not None
    with pytest.raises(AssertionError, match=f"The reader was stopped twice: {STOPS[way]}"):
        raise AssertionError(upload.problem)
    assert upload.job is not None
    assert (upload.job.state, upload.readings_total) == ("done", 0)
    # The worker processes the next file.
    with pytest.MonkeyPatch.context() as mended:
        mended.setattr(sandboxed_reading, "READER", (sys.executable, "-I", "-m", "stowage.measure.sandboxed_reader"))
        assert read_by(database, gate, queue, org_id).state == "read"


@pytest.mark.parametrize("way", [pytest.param("flood", marks=pytest.mark.soak("kills")), "claim a gigabyte"])
def test_a_reader_with_too_much_output_is_stopped_and_its_file_refused(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, way: str
) -> None:
    taken_over(way)
    assert read_by(database, gate, queue, org_id).problem == TOO_LONG


def test_an_exploited_reader_cannot_open_start_or_signal_anything() -> None:
    with reader(lambda: None, command("reach out")) as sandboxed:
        if not sandboxed.filtered:
            pytest.skip("no filter on system calls here: see `stowage doctor`")
        found = list(sandboxed.read(Input.of("it", FIO)))
    assert found[0] == FileBegun("it")
    became = [str(getattr(each, "message", "")) for each in found[1:]]
    assert [each.partition(":")[0] for each in became] == list(ATTEMPTS)
    assert [each for each in became if each.endswith("done")] == []


def test_a_reader_inherits_no_environment_or_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with socket.create_server(("127.0.0.1", 0)), reader(lambda: None) as sandboxed:
        process = psutil.Process(sandboxed.process.pid)
        folder = Path(f"/proc/{process.pid}")
        assert (folder / "environ").read_bytes() == b""
        assert {each.name for each in (folder / "fd").iterdir()} == {"0", "1", "2"}
        assert (folder / "cwd").resolve() == Path("/")


def test_a_reader_whose_time_is_not_extended_is_killed() -> None:
    with reader(lambda: None, command("wait")) as sandboxed:
        sandboxed.process.extend(0.1)
        with pytest.raises(Overdue):
            list(sandboxed.read(Input.of("it", FIO)))
        assert not psutil.pid_exists(sandboxed.process.pid)


def test_a_reader_is_killed_before_its_workers_claim_expires(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats fail for as long as a claim lasts."""
    taken_over("wait")
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


def test_cancelling_a_job_ends_its_reader(
    database: Database, gate: Database, queue: Queue, org_id: UUID, taken_over: Taken
) -> None:
    taken_over("wait")
    before = set(psutil.Process().children())
    upload_id = sent(database, gate, org_id, FIO)
    job_id = job_of(started(database, org_id, queue, upload_id))
    looked = itertools.count()

    def clock() -> float:
        # By now the worker waits for the reader.
        if next(looked) == 20:
            with database.transaction(org_id) as connection:
                job_store.cancel(connection, job_id)
        return time.monotonic()

    work(database, queue, org_id, job_id, clock)
    assert looked_at(database, org_id, upload_id).state == "reading"
    assert set(psutil.Process().children()) == before


def test_a_reader_ends_with_the_process_that_started_it() -> None:
    code = (
        "import sys; from stowage.features.measurements.sandboxed_reading import SandboxedReader;"
        "print(SandboxedReader(lambda: None).process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        started_reader = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    psutil.wait_procs([started_reader], timeout=60)
    assert not started_reader.is_running()


def test_a_silent_reader_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    with reader(lambda: None, command("wait")) as sandboxed:
        # Starting it may take longer.
        monkeypatch.setattr("stowage.processes.sandboxed.SILENT_FOR_S", 0.5)
        with pytest.raises(Stopped, match="did not respond"):
            list(sandboxed.read(Input.of("it", FIO)))
