"""Copies of a process work side by side, come back when they are killed, and end with it, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

PATIENCE_S = 30.0

# Each copy holds the write end of its standard output: the reader sees the end of it when all of them are gone.
PROGRAM = """
import os, signal, sys
from stowage.processes.copies import Copies
from stowage.processes.errors import ChildFailed

def say(line):
    os.write(1, line.encode() + b"\\n")

def work(number, started):
    {before}
    started()
    say(f"copy {{number}} {{os.getpid()}}")
    {at_work}
    while True:
        signal.pause()

signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
try:
    Copies("the clerk", 2, work, say, 2.0).run(lambda: say("started"))
except ChildFailed as error:
    say(str(error))
"""


@contextmanager
def run(before: str = "pass", at_work: str = "pass") -> Iterator[subprocess.Popen[str]]:
    program = PROGRAM.format(before=before, at_work=at_work)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str], lines: int) -> list[str]:
    """Read what is said, in the order of the alphabet: who says it are several."""
    assert process.stdout is not None
    return sorted(process.stdout.readline().strip() for _ in range(lines))


def copies(lines: list[str]) -> list[int]:
    return [int(line.split()[2]) for line in lines if line.startswith("copy")]


def rest(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=PATIENCE_S)[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_all_work_until_a_signal_that_is_raised_again_when_they_have_ended(number: signal.Signals) -> None:
    with run() as process:
        lines = said(process, 3)
        pids = copies(lines)
        assert lines == [f"copy 1 {pids[0]}", f"copy 2 {pids[1]}", "started"]
        assert len({process.pid, *pids}) == 3
        process.send_signal(number)
        assert rest(process) == ""
        assert process.returncode == (3 if number is signal.SIGTERM else -signal.SIGINT)
        assert not any(map(psutil.pid_exists, pids))


def test_one_that_is_killed_is_started_again_at_its_place_and_the_other_goes_on() -> None:
    with run() as process:
        first, second = copies(said(process, 3))
        os.kill(first, signal.SIGKILL)
        again, told = said(process, 2)
        assert told == "the clerk was ended by SIGKILL and was started again"
        assert again.startswith("copy 1 ")
        assert psutil.pid_exists(second)
        process.terminate()
        assert rest(process) == ""


def test_they_end_with_a_process_that_is_killed() -> None:
    with run() as process:
        said(process, 3)
        process.kill()
        assert rest(process) == ""


def test_one_that_does_not_end_when_it_is_asked_to_is_killed() -> None:
    with run(at_work="signal.signal(signal.SIGTERM, signal.SIG_IGN)") as process:
        pids = copies(said(process, 3))
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
        lines = [line for line in rest(process).splitlines() if not line.startswith("copy")]
        assert lines.pop() == "the clerk ended with status 7, after 5 restarts within 60 s"
        assert sorted(lines) == ["started", *["the clerk ended with status 7 and was started again"] * 5]


def test_a_signal_before_they_are_at_work_ends_them_as_well() -> None:
    with run(before="say(f'copy {number} {os.getpid()}'); signal.pause()") as process:
        pids = copies(said(process, 2))
        process.terminate()
        assert rest(process) == ""
        assert process.returncode == 3
        assert not any(map(psutil.pid_exists, pids))
