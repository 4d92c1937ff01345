"""A process that yields is nice, and so is its session where it leads one."""

import os
import subprocess
import sys

import pytest

from stowage.processes.priority import NICENESS

PROGRAM = """
import os
from pathlib import Path
from stowage.processes.priority import yield_to_others

yield_to_others()
group = Path("/proc/self/autogroup")
# Empty for a process outside any session's group.
text = group.read_text() if group.exists() else ""
print(os.nice(0), *text.split()[-1:])
"""


@pytest.mark.parametrize("leads", [True, False])
def test_a_process_that_yields_is_nice_and_its_session_too_if_it_leads_one(*, leads: bool) -> None:
    before = os.nice(0)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, start_new_session=leads
    )
    nice, *group = map(int, done.stdout.split())
    assert nice == min(before + NICENESS, 19)
    if leads and group:
        assert group == [NICENESS]
