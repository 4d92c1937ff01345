"""CPU priority of processes: interactive work first."""

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""Weight a tenth of that of a process at niceness 0; without competition it gets all CPU time."""

_AUTOGROUP = Path("/proc/self/autogroup")


def yield_to_others() -> None:
    """Lower the CPU priority of this process and of its future children.

    Linux distributes CPU time among sessions first (sched(7), autogroup) and applies niceness within a session, so the
    niceness of the session is set too if this process leads it.
    """
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # not every kernel has it
            _AUTOGROUP.write_text(str(NICENESS))
