"""Run a command, and wait for all that it started: also for processes whose parent ended before them.

    scripts/family.py COMMAND ...

The kernel adds the processor time of those that are waited for to that of this process. Chromium leaves its renderers
to init, for one. The exit status is the command's; what lives on for long behind it is named and ended, and makes
that 1. So is all that lives on for long after an interrupt.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil

ENDS_WITHIN_S = 30
INTERRUPTED_ENDS_WITHIN_S = 120
_PR_SET_CHILD_SUBREAPER = 36
"""Of prctl(2)."""


def main() -> int:
    """Run the command of the command line."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    command = subprocess.Popen(sys.argv[1:])
    ended: list[int] = []

    def interrupt(*_: object) -> None:
        signal.alarm(INTERRUPTED_ENDS_WITHIN_S)
        os.kill(command.pid, signal.SIGINT)

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGALRM, lambda *_: ended.extend(_end_those_left()))
    status = 0
    with suppress(ChildProcessError):
        while True:
            # All at once: no other process reaps those whose parent has ended.
            pid, how = os.waitpid(-1, 0)
            if pid == command.pid:
                status = os.waitstatus_to_exitcode(how)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                signal.alarm(ENDS_WITHIN_S)
    return (status if status >= 0 else 128 - status) or (1 if ended else 0)


def _end_those_left() -> Iterator[int]:
    """Kill what lives on; yield the process identifiers."""
    for left in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            print(f"ended, as it was still there: process {left.pid} {left.cmdline()}", flush=True)
            left.kill()
            yield left.pid
    signal.alarm(1)


if __name__ == "__main__":
    sys.exit(main())
