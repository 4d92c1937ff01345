"""`stowage up` as a process: started, waited for, stopped, and held to leaving nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

import psutil

SERVERS = ("DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL", "REDIS_URL")

PATIENCE_S = 60.0


@dataclass
class Running:
    process: subprocess.Popen[str]
    address: str

    def told(self) -> str:
        """Wait for the next line on standard error, and give it."""
        assert self.process.stderr is not None
        watchdog = Timer(PATIENCE_S, self.process.kill)
        watchdog.start()
        try:
            return self.process.stderr.readline()
        finally:
            watchdog.cancel()

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def child(self, *words: str) -> psutil.Process:
        """Give the child whose command line holds the words, as soon as there is one."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            for process in self.children():
                if set(words) <= _words_of(process):
                    return process
        raise AssertionError(f"there is no child {words}")


def _words_of(process: psutil.Process) -> set[str]:
    try:
        return {process.name(), *process.cmdline()}
    except psutil.Error:
        return set()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of this process with these settings of Stowage, and no others."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in SERVERS and not name.startswith("STOWAGE_")
    } | dict(settings)  # fmt: skip


def start(
    settings: Mapping[str, str],
    command: Sequence[str] = (sys.executable, "-W", "error", "-m", "stowage", "up"),
    folder: Path | None = None,
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(settings), cwd=folder
    )


@contextmanager
def running(settings: Mapping[str, str], stopped_by: signal.Signals = signal.SIGTERM) -> Iterator[Running]:
    """Start it, wait for its one line, and see that a signal ends it cleanly and completely."""
    port = free_port()
    with ended(start({**settings, "STOWAGE_PORT": str(port)})) as process, answering(process, port, stopped_by) as up:
        yield up


@contextmanager
def answering(
    process: subprocess.Popen[str], port: int, stopped_by: signal.Signals = signal.SIGTERM
) -> Iterator[Running]:
    """Wait until what was started says that it answers; see at the end that a signal stops it and its family."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == f"Stowage is at http://127.0.0.1:{port} (Ctrl-C stops it)\n", process.communicate()[1]
    yield Running(process, f"http://127.0.0.1:{port}")
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(stopped_by)
    said = process.communicate(timeout=60)
    assert said == ("", ""), said
    assert process.returncode == 0
    assert not [child for child in family if lives(child)]


def lives(process: psutil.Process) -> bool:
    """Say whether a process runs; one that ended and was not yet reaped does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """See to it that a test that fails leaves no process behind."""
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
