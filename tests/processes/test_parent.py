"""Child processes end with the process that forked them, however that ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

# Each process holds the write end of the standard output: the reader sees its end when all have ended.
PROGRAM = """
import os, signal
from stowage.processes import parent
if {without_kernel}:
    parent._prctl = lambda *_: False

def wait(name):
    os.write(1, f"{{name}} {{os.getpid()}}\\n".encode())
    while True:
        signal.pause()

first = os.getpid()
if os.fork() == 0:
    parent.end_with(first)
    second = os.getpid()
    if os.fork() == 0:
        parent.end_with(second)
        wait("third")
    wait("second")
wait("first")
"""


@contextmanager
def family(*, without_kernel: bool = False) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    """Run a process that forks another, which forks a third; return the first, and the ids of all."""
    program = PROGRAM.format(without_kernel=without_kernel)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline().split() for _ in range(3)]
        try:
            yield process, {name: int(number) for name, number in said}
        finally:
            process.kill()


@pytest.mark.parametrize("without_kernel", [False, True])
def test_all_end_when_the_first_is_killed(without_kernel: bool) -> None:  # noqa: FBT001 - pytest gives it by name
    with family(without_kernel=without_kernel) as (first, _):
        first.kill()
        assert first.communicate(timeout=30)[0] == ""


def test_what_one_forked_ends_when_that_one_is_killed_and_the_first_goes_on() -> None:
    with family() as (first, numbers):
        third = psutil.Process(numbers["third"])
        os.kill(numbers["second"], signal.SIGKILL)
        assert psutil.wait_procs([third], timeout=30)[1] == []
        assert first.poll() is None


def test_a_parent_that_had_ended_before_the_kernel_was_asked_is_noticed() -> None:
    program = "from stowage.processes.parent import end_with; end_with(2**22 + 1); print('goes on')"
    orphan = subprocess.run([sys.executable, "-c", program], check=False, timeout=30, capture_output=True)
    assert (orphan.returncode, orphan.stdout) == (-signal.SIGKILL, b"")
