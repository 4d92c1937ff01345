"""Leftovers: servers that outlived the process that started them."""

import time
from contextlib import suppress
from pathlib import Path
from signal import Signals

import psutil

from stowage.processes.errors import ChildFailed

_POLL_S = 0.02


def end_leftovers(program: str, folder: Path, signal: Signals, *, eldest: int | None = None, patience_s: float) -> None:
    """End the processes of a program with a given working directory, and wait until all are gone.

    The working directory identifies the processes, since each server has its own. A process id from a file would not:
    another program may have it by now.

    Parameters
    ----------
    program : str
        Name of the program's processes in the kernel.
    folder : Path
        Working directory of the processes, resolved.
    signal : Signals
        Signal that asks a process to end.
    eldest : int or None
        Id of the only process to signal, for programs whose other processes end after it; None to signal all.
    patience_s : float
        Timeout [s].

    Raises
    ------
    ChildFailed
        The processes do not end within the timeout.
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
    # A zombie process has no working directory.
    try:
        return process.name() == program and process.cwd() == str(folder)
    except psutil.Error:
        return False
