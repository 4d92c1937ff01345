"""Servers that outlived the process that ran them."""

import time
from contextlib import suppress
from pathlib import Path
from signal import Signals

import psutil

from stowage.processes.errors import ChildFailed

_POLL_S = 0.02


def end_leftovers(program: str, folder: Path, signal: Signals, *, eldest: int | None = None, patience_s: float) -> None:
    """End the processes of a program that work in a folder, and wait until the last is gone.

    The folder tells whose they are: each of our servers works in one of its own. A number in a file does not; by
    now it may be another program's.

    Parameters
    ----------
    program : str
        Its name, as the kernel knows it.
    folder : Path
        Resolved.
    signal : Signals
        What asks it to end.
    eldest : int or None
        The only process that is asked; the others end by themselves after it. None asks all.
    patience_s : float
        How long to wait. [s]

    Raises
    ------
    ChildFailed
        They do not end.
    """
    deadline = time.monotonic() + patience_s
    asked: set[int] = set()
    while leftovers := [process for process in psutil.process_iter() if _works_in(process, program, folder)]:
        if time.monotonic() > deadline:
            pids = ", ".join(str(process.pid) for process in leftovers)
            raise ChildFailed(f"an earlier {program} in {folder} does not end: processes {pids}")
        for process in leftovers:
            if process.pid not in asked and eldest in {None, process.pid}:
                asked.add(process.pid)
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal)
        time.sleep(_POLL_S)


def _works_in(process: psutil.Process, program: str, folder: Path) -> bool:
    # A process that ended but was not yet reaped works nowhere.
    try:
        return process.name() == program and process.cwd() == str(folder)
    except psutil.Error:
        return False
