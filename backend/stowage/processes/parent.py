"""Programs of ours that must not outlive the one that started them, even where that one is killed.

`stowage up` names itself to the programs that it starts (`named_to_children`), and these begin with
`end_with_parent`. So do the processes of a Celery worker's pool, which would otherwise go on without their worker.
"""

import ctypes
import os
import sys
import threading
import time
from signal import SIGKILL

PARENT = "STOWAGE_PARENT"
"""Variable of the environment: the number of the process without which this one has no business."""

_PR_SET_PDEATHSIG = 1
_LOOK_EVERY_S = 1.0


def named_to_children() -> dict[str, str]:
    """Give what the environment of a child must hold for its `end_with_parent`."""
    return {PARENT: str(os.getpid())}


def end_with_parent() -> None:
    """Have this process killed as soon as the one named in its environment has ended.

    Where none is named, nothing is done. In both cases this process names itself to those that it starts or forks
    from now on. Call it before anything else, from the main thread.
    """
    named = os.environ.get(PARENT, "")
    if named.isdecimal():
        end_with(int(named))
    else:
        os.environ.update(named_to_children())


def end_with(parent: int) -> None:
    """Have this process killed as soon as its parent has ended; otherwise as `end_with_parent`.

    Parameters
    ----------
    parent : int
        Number of the process that started or forked this one.
    """
    os.environ.update(named_to_children())
    if not _asked_of_the_kernel():
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    # It may have ended before the kernel was asked.
    if os.getppid() != parent:
        os.kill(os.getpid(), SIGKILL)


def _asked_of_the_kernel() -> bool:
    """Ask Linux for the signal. It comes when the *thread* that forked this process ends: see `child.Child`."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(SIGKILL), 0, 0, 0) == 0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    os.kill(os.getpid(), SIGKILL)
