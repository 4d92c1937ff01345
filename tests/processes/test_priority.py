"""A process that yields is nice, and so are its session and the sessions of its sandboxes."""

import os
import subprocess
import sys

import pytest

from stowage.processes.priority import NICENESS

ASKING = """
from pathlib import Path

group = Path("/proc/self/autogroup")
# Empty for a process outside any session's group.
print(group.read_text() if group.exists() else "")
"""


def has_sessions() -> bool:
    """Check whether this kernel gives a new session a niceness of its own.

    Checked in a new session: the tests' own may be that of the machine's first process, which has none.
    """
    asked = subprocess.run(
        [sys.executable, "-c", ASKING], check=True, capture_output=True, text=True, start_new_session=True
    )
    return bool(asked.stdout.strip())


HAS_SESSIONS = has_sessions()

PROGRAM = """
import os
from pathlib import Path
from stowage.processes.priority import yield_to_others

yield_to_others()
group = Path("/proc/self/autogroup")
text = group.read_text() if group.exists() else ""
print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_IDLE, *text.split()[-1:])
"""

SANDBOXING = """
import sys
from pathlib import Path
from stowage.processes.priority import yield_to_others
from stowage.processes.sandboxed import Sandboxed

yield_to_others()
with Sandboxed(["sleep", "60"], lambda: None, "") as sandboxed:
    print(Path(f"/proc/{sandboxed.pid}/autogroup").read_text().split()[-1])
"""


@pytest.mark.parametrize("leads", [True, False])
def test_a_process_that_yields_is_nice_and_its_session_too_if_it_leads_one(*, leads: bool) -> None:
    before = os.nice(0)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, start_new_session=leads
    )
    nice, idle, *group = done.stdout.split()
    assert int(nice) == min(before + NICENESS, 19)
    assert (idle == "True") == (leads and HAS_SESSIONS)
    if leads and HAS_SESSIONS:
        assert group == [str(NICENESS)]


@pytest.mark.skipif(not HAS_SESSIONS, reason="this kernel has no niceness of sessions")
def test_a_sandbox_has_the_priority_of_the_process_that_starts_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SANDBOXING], check=True, capture_output=True, text=True, start_new_session=True
    )
    assert done.stdout == f"{NICENESS}\n"
