"""Leftovers: servers that still run although the process that started them has ended."""

import time
from contextlib import suppress
from pathlib import Path
from signal import Signals

import psutil

from stowage.processes.errors import ChildFailed

_POLL_S = 0.02


def end_leftovers(program: str, folder: Path, signal: Signals, *, eldest: int | None = None, patience_s: float) -> None:
    """End the processes of a program with a given working directory, and wait until all have ended.

    The working directory identifies the processes, because each server has its own. A process id that was stored in a
    file would not identify them, because the system may have given it to another program since.

    Parameters
    ----------
    program : str
        Name of the program's processes in the kernel.
    folder : Path
        Working directory of the processes, resolved.
    signal : Signals
        Signal that asks a process to end.
    eldest : int or None
        Id of the only process to signal, for a program whose other processes end when this one ends; None to signal
        all processes.
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
