"""A program in the sandbox that computes without progress."""

import sys

import pytest

from stowage.processes.sandboxed import Sandboxed, Stopped

ENDLESS = """
import sys
from stowage.processes.sandbox import Limits, Sandbox

Sandbox(int(sys.argv[1]), Limits(stretch_s=1))
while True:
    pass
"""


def test_it_is_stopped_at_its_limit_of_cpu_time_with_the_reason() -> None:
    command = (sys.executable, "-I", "-c", ENDLESS)
    with Sandboxed(command, lambda: None, "it used over 1 s of CPU time") as program, pytest.raises(Stopped) as stopped:
        program.receive()
    assert str(stopped.value) == "it used over 1 s of CPU time"
