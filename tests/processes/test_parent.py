"""Programs of ours end with the one that started them, however that one ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stowage.processes.parent import PARENT, named_to_children

# Each holds the write end of its standard output: the reader sees the end of it when all of them are gone.
CHILD = """
import os, signal, time
from stowage.processes import parent
if {without_kernel}:
    parent._asked_of_the_kernel = lambda: False
parent.end_with_parent()
if {with_pool} and os.fork() == 0:
    parent.end_with_parent()
os.write(1, b"%d\\n" % os.getpid())
while True:
    signal.pause()
"""

PARENT_PROGRAM = """
import os, subprocess, sys
from stowage.processes.parent import named_to_children
environment = os.environ | named_to_children()
subprocess.Popen([sys.executable, "-c", sys.argv[1]], env=environment).wait()
"""


@contextmanager
def family(*, with_pool: bool = False, without_kernel: bool = False) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a parent whose child calls `end_with_parent`; give the parent, and the number of the child."""
    script = CHILD.format(with_pool=with_pool, without_kernel=without_kernel)
    with subprocess.Popen([sys.executable, "-c", PARENT_PROGRAM, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(2 if with_pool else 1)]
        try:
            yield process, min(said)
        finally:
            process.kill()


def test_a_child_ends_when_its_parent_is_killed() -> None:
    with family() as (parent, _):
        parent.kill()
        stdout, _ = parent.communicate(timeout=30)
        assert stdout == ""


def test_so_does_what_the_child_forked() -> None:
    with family(with_pool=True) as (parent, _):
        parent.kill()
        stdout, _ = parent.communicate(timeout=30)
        assert stdout == ""


def test_what_a_child_forked_ends_when_only_the_child_is_killed() -> None:
    with family(with_pool=True) as (parent, child):
        os.kill(child, signal.SIGKILL)
        stdout, _ = parent.communicate(timeout=30)
        assert stdout == ""


def test_where_the_kernel_does_not_help_a_child_ends_as_well() -> None:
    with family(without_kernel=True) as (parent, _):
        parent.kill()
        stdout, _ = parent.communicate(timeout=30)
        assert stdout == ""


def test_a_parent_that_had_ended_before_the_kernel_was_asked_is_noticed() -> None:
    orphan = subprocess.run(
        [sys.executable, "-c", CHILD.format(with_pool=False, without_kernel=False)],
        env=os.environ | {PARENT: str(2**22 + 1)},
        check=False,
        timeout=30,
    )
    assert orphan.returncode == -signal.SIGKILL


@pytest.mark.parametrize("named", [None, "", "nonsense"])
def test_a_program_that_is_told_of_no_parent_goes_on_and_names_itself(named: str | None) -> None:
    script = (
        "import os; from stowage.processes.parent import *; end_with_parent(); print(os.environ[PARENT], os.getpid())"
    )
    environment = {name: value for name, value in os.environ.items() if name != PARENT}
    if named is not None:
        environment[PARENT] = named
    said = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True)
    variable, pid = said.stdout.split()
    assert variable == pid


def test_the_name_that_is_given_is_this_process() -> None:
    assert named_to_children() == {PARENT: str(os.getpid())}
