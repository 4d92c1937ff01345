"""Run a command, and wait for all that it started: also for processes whose parent ended before them.

    scripts/family.py COMMAND ...

The kernel adds the processor time of those that are waited for to that of this process. Chromium leaves its renderers
to nobody, for one. The exit status is the command's; what lives on for long behind it is ended, and named.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time

import psutil

ENDS_WITHIN_S = 30.0
_PR_SET_CHILD_SUBREAPER = 36
"""Of prctl(2)."""


def main() -> int:
    """Run the command of the command line."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    with subprocess.Popen(sys.argv[1:]) as command:  # noqa: S603 - our own commands
        signal.signal(signal.SIGINT, lambda *_: command.send_signal(signal.SIGINT))
        status = command.wait()
    deadline = time.monotonic() + ENDS_WITHIN_S
    while _waited_for():
        if time.monotonic() > deadline:
            status = status or 1
            for left in psutil.Process().children(recursive=True):
                print(f"still there, ended: process {left.pid} {left.cmdline()}", flush=True)
                left.kill()
        time.sleep(0.02)
    return status


def _waited_for() -> bool:
    """Wait for those that have ended; say whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
