"""CPU priority of processes: background work yields to requests of users."""

import os
import time
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""Weight a tenth of that of a process at niceness 0; without competition it gets all CPU time."""

_TRIES = 5
"""Number of tries; Linux accepts changes by unprivileged processes, over all sessions, only every 0.1 s."""
_APART_S = 0.11


def yield_to_others() -> None:
    """Lower the CPU priority of this process and of its future children.

    Linux first distributes CPU time among sessions (sched(7), autogroup). The niceness of a process has an effect only
    within its session. So if this process leads its session, the niceness of the session is set too. In this case the
    process also gets the scheduling policy SCHED_IDLE: a process that handles a request preempts it at once, and a CPU
    that runs only such processes counts as idle. The session keeps its weight.
    """
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid() and yield_session(os.getpid()):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def yield_session(leader: int) -> bool:
    """Set the niceness of a session to the niceness of this process, and return whether this succeeded.

    It fails, for example, on a kernel without autogroups.

    Parameters
    ----------
    leader : int
        Id of the process that leads the session.
    """
    group = Path(f"/proc/{leader}/autogroup")
    for _ in range(_TRIES):
        try:
            # Empty for a process in a control group, where the control group's weight counts instead.
            if not group.read_text().strip():
                return False
            group.write_text(str(os.nice(0)))
        except BlockingIOError:
            time.sleep(_APART_S)
        except OSError:
            return False
        else:
            return True
    return False
