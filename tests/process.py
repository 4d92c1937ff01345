"""`stowage up` as a process: started, waited for, stopped, and held to leaving nothing behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

SETTINGS = ("STOWAGE_PORT", "STOWAGE_HOME", "DATABASE_URL", "MIGRATIONS_DATABASE_URL")


@dataclass
class Running:
    process: subprocess.Popen[str]
    address: str


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in SETTINGS} | dict(settings)


def start(settings: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "stowage", "up"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(settings),
    )


@contextmanager
def running(settings: Mapping[str, str], stopped_by: signal.Signals = signal.SIGTERM) -> Iterator[Running]:
    """Start it, wait for its one line, and see that a signal ends it cleanly and completely."""
    port = free_port()
    with ended(start({**settings, "STOWAGE_PORT": str(port)})) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line == f"Stowage is at http://127.0.0.1:{port} (Ctrl-C stops it)\n", process.communicate()[1]
        yield Running(process, f"http://127.0.0.1:{port}")
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(stopped_by)
        assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == 0
        assert not [child for child in family if child.is_running()]


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """See to it that a test that fails leaves no process behind."""
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
