"""Processes that end together with their parent, even if the parent is killed; and process titles.

The forks of `stowage up` end when it ends, and the pool processes of a Celery worker end when the worker ends.
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
    """Arrange that this process is killed as soon as its parent ends.

    Must be called from the main thread.

    Parameters
    ----------
    parent : int
        Id of the process that forked this one.
    """
    # Linux sends the signal when the *thread* that forked this process ends: see `child.Child`.
    if not _prctl(_PR_SET_PDEATHSIG, int(SIGKILL)):
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    # The parent may have ended before the call above.
    if os.getppid() != parent:
        os.kill(os.getpid(), SIGKILL)


def set_title(title: str) -> None:
    """Set the name of this process in `ps` and `top`.

    On systems other than Linux, this does nothing. At most 15 bytes are shown.
    """
    _prctl(_PR_SET_NAME, ctypes.c_char_p(title.encode()))


def _prctl(option: int, value: int | ctypes.c_char_p) -> bool:
    """Call Linux's prctl, and return whether it succeeded; False on other systems."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    os.kill(os.getpid(), SIGKILL)
