"""Processor time of processes: those that somebody waits for at a keyboard come first."""

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""A process that yields has a tenth of the share of one that does not; alone it has all."""

_AUTOGROUP = Path("/proc/self/autogroup")


def yield_to_others() -> None:
    """Yield processor time to processes that have not called this, also in what is forked from here.

    Linux shares processor time between sessions first (sched(7), autogroup), where niceness counts within a session
    only: the session of this process yields too, if it is its own.
    """
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # not every kernel has it
            _AUTOGROUP.write_text(str(NICENESS))
