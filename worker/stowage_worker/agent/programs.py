"""Programs that the agent runs, as argument lists without a shell and without text from orders."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import IO

from stowage_worker.agent.events import Say, log

_PACKAGES = {"fio": "fio", "iperf3": "iperf3", "redis-server": "redis6"}
_DEBIAN = {"redis-server": "redis-server"}
_INSTALL_S = 300.0


def start(
    command: list[str],
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    *,
    folder: Path | None = None,
    is_apart: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a program.

    Parameters
    ----------
    command : list of str
    stdout, stderr : int or file
        Destinations of the program's output, which is discarded by default.
    folder : Path, optional
        Working directory.
    is_apart : bool
        Whether the program gets a separate process group, so that signals to the agent's group do not reach it.
    """
    return subprocess.Popen(  # noqa: S603 - see above
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        cwd=folder,
        start_new_session=is_apart,
    )


def output(command: list[str], timeout_s: float) -> tuple[int, str]:
    """Run a program to its end; return its exit status and its output.

    Raises
    ------
    OSError, subprocess.TimeoutExpired
    """
    done = subprocess.run(  # noqa: S603 - see above
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout_s,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def found(*names: str) -> str | None:
    """Return the path of the first installed program among the given names; None if none is installed."""
    return next((path for path in map(shutil.which, names) if path is not None), None)


def install(program: str, say: Say) -> bool:
    """Install a program from the system's packages if it is missing.

    Returns
    -------
    bool
        Whether the program is installed now.
    """
    if found(program) is not None:
        return True
    manager = found("dnf", "yum", "apt-get")
    if manager is not None:
        is_debian = manager.endswith("apt-get")
        package = (_DEBIAN if is_debian else {}).get(program, _PACKAGES.get(program, program))
        log(say, f"{program} is missing: {Path(manager).name} installs {package}")
        steps = [[manager, "update", "-q"]] if is_debian else []
        for command in [*steps, [manager, "install", "-y", "-q", package]]:
            try:
                output(command, _INSTALL_S)
            except (OSError, subprocess.TimeoutExpired) as wrong:  # noqa: PERF203 - two at most
                log(say, f"{' '.join(command)}: {type(wrong).__name__}")
    return found(program) is not None
