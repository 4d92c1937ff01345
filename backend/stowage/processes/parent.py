"""Processes that must not outlive the one that forked them, even where that one is killed; and their names.

The forks of `stowage up` end with it, and the processes of a Celery worker's pool with their worker.
"""

import ctypes
import os
import sys
import threading
import time
from signal import SIGKILL

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15
_LOOK_EVERY_S = 1.0


def end_with(parent: int) -> None:
    """Have this process killed as soon as its parent has ended. Call it from the main thread.

    Parameters
    ----------
    parent : int
        Number of the process that forked this one.
    """
    # Linux sends the signal when the *thread* that forked this process ends: see `child.Child`.
    if not _prctl(_PR_SET_PDEATHSIG, int(SIGKILL)):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    # It may have ended before the kernel was asked.
    if os.getppid() != parent:
        os.kill(os.getpid(), SIGKILL)


def set_title(title: str) -> None:
    """Set the name by which `ps` and `top` show this process, where the system is Linux; at most 15 bytes are shown."""
    _prctl(_PR_SET_NAME, ctypes.c_char_p(title.encode()))


def _prctl(option: int, value: int | ctypes.c_char_p) -> bool:
    """Ask Linux; return False on other systems, or where it refuses."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    os.kill(os.getpid(), SIGKILL)
