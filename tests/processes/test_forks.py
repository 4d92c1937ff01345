"""Forked processes: they run in parallel, are restarted after a kill, and end with their parent in every case."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from process import USUAL_SIGNALS
from stowage.processes.errors import ChildFailed, StateUnusable
from stowage.processes.forks import in_fork

PATIENCE_S = 240.0

# Each fork holds the write end of its standard output: the reader sees its end when all forks have ended.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from signal import SIGQUIT, SIGTERM
from stowage.processes import forks
from stowage.processes.errors import ChildFailed
from stowage.processes.forks import Fork, run_forks

forks.BACK_OFF_S = (0.0, 0.0, 0.1)
out = os.dup(1)

def say(line):
    os.write(out, line.encode() + b"\\n")

def clerk(number):
    def work(started):
        {before}
        started()
        say(f"clerk {{number}} {{os.getpid()}}")
        {at_work}
        while True:
            signal.pause()
    stop_by = ((SIGTERM, {patience_s[0]}), (SIGQUIT, {patience_s[1]}))
    return Fork("the clerk", f"clerk {{number}}", work, stop_by=stop_by)

def porter(started):
    os.write(1, b"the porter's words\\n")
    say(f"porter {{os.getpid()}}")
    {porter}
    while True:
        signal.pause()

def started():
    say("started")
    return [Fork("the porter", "porter", porter, Path({log!r}))] if {log!r} else []

signal.signal(SIGTERM, lambda *_: sys.exit(3))
try:
    run_forks([clerk(1), clerk(2)], started, say)
except ChildFailed as error:
    say(str(error))
"""


@contextmanager
def run(
    before: str = "pass",
    at_work: str = "pass",
    porter: str = "pass",
    log: str = "",
    patience_s: tuple[float, float] = (PATIENCE_S, PATIENCE_S),
) -> Iterator[subprocess.Popen[str]]:
    program = PROGRAM.format(before=before, at_work=at_work, porter=porter, log=log, patience_s=patience_s)
    command = [*USUAL_SIGNALS, sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str], lines: int) -> list[str]:
    """Read the output, sorted: it comes from several processes."""
    assert process.stdout is not None
    return sorted(process.stdout.readline().strip() for _ in range(lines))


def clerks(lines: list[str]) -> list[int]:
    return [int(line.split()[2]) for line in lines if line.startswith("clerk")]


def rest(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=PATIENCE_S)[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_all_work_until_a_signal_that_is_raised_again_when_they_have_ended(number: signal.Signals) -> None:
    with run() as process:
        lines = said(process, 3)
        pids = clerks(lines)
        assert lines == [f"clerk 1 {pids[0]}", f"clerk 2 {pids[1]}", "started"]
        assert len({process.pid, *pids}) == 3
        process.send_signal(number)
        assert rest(process) == ""
        assert process.returncode == (3 if number is signal.SIGTERM else -signal.SIGINT)
        assert not any(map(psutil.pid_exists, pids))


def test_one_that_is_killed_is_started_again_at_its_place_and_the_other_goes_on() -> None:
    with run() as process:
        first, second = clerks(said(process, 3))
        os.kill(first, signal.SIGKILL)
        again, told = said(process, 2)
        assert told == "the clerk was ended by SIGKILL and was started again"
        assert again.startswith("clerk 1 ")
        assert psutil.pid_exists(second)
        process.terminate()
        assert rest(process) == ""


def test_they_end_with_a_process_that_is_killed() -> None:
    with run() as process:
        said(process, 3)
        process.kill()
        assert rest(process) == ""


def test_one_that_does_not_end_at_the_first_signal_gets_the_second() -> None:
    stays = "signal.signal(SIGTERM, signal.SIG_IGN); signal.signal(SIGQUIT, lambda *_: (say('quits'), sys.exit()))"
    with run(before=stays, patience_s=(0.01, PATIENCE_S)) as process:
        said(process, 3)
        process.terminate()
        assert rest(process) == "quits\n" * 2
        assert process.returncode == 3


def test_one_that_is_deaf_is_killed() -> None:
    deaf = "[signal.signal(asked, signal.SIG_IGN) for asked in (SIGTERM, SIGQUIT)]"
    with run(before=f"number == 2 or {deaf}", patience_s=(0.01, 0.01)) as process:
        pids = clerks(said(process, 3))
        process.terminate()
        assert rest(process) == ""
        assert process.returncode == 3
        assert not any(map(psutil.pid_exists, pids))


def test_one_that_does_not_get_to_work_ends_all() -> None:
    with run(before="number == 1 or sys.exit(7)") as process:
        lines = said(process, 2)
        assert lines[1] == "the clerk ended with status 7 at its start"
        assert rest(process) == ""


def test_one_that_does_not_stay_at_work_ends_all_in_the_end() -> None:
    with run(at_work="number == 1 or sys.exit(7)") as process:
        lines = [line for line in rest(process).splitlines() if not line.startswith("clerk")]
        assert lines.pop() == "the clerk ended with status 7, after 3 restarts within 60 s"
        assert sorted(lines) == ["started", *["the clerk ended with status 7 and was started again"] * 3]


def test_others_are_forked_when_the_first_are_at_work_and_kept_likewise(tmp_path: Path) -> None:
    log = tmp_path / "log" / "porter.log"
    with run(log=str(log)) as process:
        lines = said(process, 4)
        pid = next(int(line.split()[1]) for line in lines if line.startswith("porter"))
        assert psutil.Process(pid).name() == "porter"
        os.kill(pid, signal.SIGKILL)
        again, told = said(process, 2)
        assert told == "the porter was ended by SIGKILL and was started again"
        assert again.startswith("porter ")
        process.terminate()
        assert rest(process) == ""
    assert log.read_text() == "the porter's words\n" * 2


def test_what_one_wrote_last_is_told_where_it_does_not_stay_up(tmp_path: Path) -> None:
    log = tmp_path / "log" / "porter.log"
    with run(log=str(log), porter="sys.exit(7)") as process:
        told = rest(process)
    assert f"the porter ended with status 7, after 3 restarts within 60 s; the end of {log}:" in told
    assert told.endswith("  the porter's words\n")


def test_a_signal_before_they_are_at_work_ends_them_as_well() -> None:
    with run(before="say(f'clerk {number} {os.getpid()}'); signal.pause()") as process:
        pids = clerks(said(process, 2))
        process.terminate()
        assert rest(process) == ""
        assert process.returncode == 3
        assert not any(map(psutil.pid_exists, pids))


def test_a_function_runs_in_a_fork_and_its_result_comes_back() -> None:
    here = os.getpid()
    there = in_fork(os.getpid)
    assert there != here
    assert not psutil.pid_exists(there)


def test_an_exception_in_a_fork_is_raised_here() -> None:
    def fail() -> None:
        raise StateUnusable("no room")

    with pytest.raises(StateUnusable, match="no room"):
        in_fork(fail)


def test_a_fork_that_ends_without_a_result_is_told() -> None:
    with pytest.raises(ChildFailed, match="without a result"):
        in_fork(lambda: os._exit(3))
