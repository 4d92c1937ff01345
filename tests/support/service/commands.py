"""`stowage` as called in a terminal, in a process that is forked from the tests' own.

It has its own arguments, environment, folder and standard streams and ends with an exit status, and it need not import
everything again. What a fresh process imports is the subject of `tests/cli/test_imports.py`.
"""

import gc
import os
import signal
import stat
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import psutil

from stowage.cli import main
from stowage.features.planning.planning import get_ready
from stowage.workloads.knowledge import packaged_knowledge

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 240.0
"""Timeout of a command that hangs; no test depends on it otherwise."""


def stowage(
    *arguments: str,
    stdin: bytes | str = b"",
    cwd: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
    columns: int = 80,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end.

    Parameters
    ----------
    *arguments : str
    stdin : bytes or str
        Its standard input.
    cwd : Path
    environment : mapping of str to str
        All of it.
    columns : int
        Width of its terminal, in characters.
    """
    _get_ready()
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        command = started(arguments, (given, out, err), cwd, {**environment, "COLUMNS": str(columns)})
        try:
            status = command.wait(PATIENCE_S)
        finally:
            with suppress(psutil.NoSuchProcess):
                command.kill()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(["stowage", *arguments], int(status or 0), *texts)


def started(
    arguments: Sequence[str],
    streams: Sequence[IO[bytes]],
    cwd: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
) -> psutil.Process:
    """Start a command without waiting for its end.

    Parameters
    ----------
    arguments : sequence of str
    streams : sequence of file
        Standard input, output and error.
    cwd, environment
        As of `stowage`.

    Returns
    -------
    psutil.Process
        `wait` returns its exit status.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        for number, file in enumerate(streams):
            os.dup2(file.fileno(), number)
        _let_go()
        _become(arguments, cwd, environment)
    return psutil.Process(child)


@lru_cache(maxsize=1)
def _get_ready() -> None:
    """Load the catalog in the parent, so that each command need not do it."""
    get_ready(packaged_knowledge)


def _let_go() -> None:
    """Release the sockets, pipes and regular files of the tests, and so their file locks, as exec would.

    Their numbers must not refer to files opened later, because objects of the parent still use them. For the same
    reason none of these objects is collected.
    """
    gc.freeze()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in [int(file.name) for file in Path("/proc/self/fd").iterdir()]:
        with suppress(OSError):  # the folder's own descriptor is closed by now
            mode = os.fstat(number).st_mode
            if number > 2 and (stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
                os.dup2(nowhere, number, inheritable=False)


def _become(arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
    """Run the command in this process, and end it without reporting to pytest."""
    status = 1
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    try:
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - they end with the process
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["stowage", *arguments]
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the test sees it as the command's output
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
