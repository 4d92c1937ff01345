"""Redis benchmark: a server with an append-only file on the measured disk, under load from a standard tool.

The tool is memtier_benchmark if installed, else redis-benchmark, which comes with Redis. The tool's output is reported
unchanged: Stowage has parsers for both tools.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Callable

from stowage_worker.agent.disks import Disk
from stowage_worker.agent.events import Say, log, progress
from stowage_worker.agent.machine import host
from stowage_worker.agent.measured import Measured
from stowage_worker.agent.orders import RedisPhase
from stowage_worker.agent.programs import found, install, output, start

_CLIENTS = 50
_VALUE_BYTES = 100
_KEYS = 1_000_000
_LEAST_REQUESTS, _TRIAL_S = 2_000, 3.0
_STARTS_WITHIN_S = 15.0
_MOUNTS_WITHIN_S = 120.0
_LONGEST_TEXT = 1 << 20


class _FailedError(Exception):
    """Redis could not be measured."""


class Redis:
    """Redis benchmark of a node, with the append-only file on the first of the given disks."""

    def __init__(self, disks: list[Disk], phase: RedisPhase, say: Say, is_stopping: Callable[[], bool]) -> None:
        self._disk, self._phase, self._say, self._is_stopping = disks[0], phase, say, is_stopping

    def run(self) -> Measured:
        """Run the benchmark and return its results.

        The results contain the output of the load tool, or the reason for a failure.
        """
        try:
            install("redis-server", self._say)
            # Amazon Linux 2023 calls them redis6-server and so on.
            server = found("redis-server", "redis6-server")
            if server is None:
                return Measured("failed", "redis-server is not installed and could not be", {})
            with ExitStack() as stack:
                above = self._mounted(stack) if self._disk.is_device else Path(self._disk.path).resolve().parent
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="stowage-redis-", dir=above))
                # Not in the data folder: the path of a socket must be short.
                sockets = stack.enter_context(tempfile.TemporaryDirectory(prefix="stowage-"))
                return self._serve(server, Path(folder), str(Path(sockets) / "redis"))
        except (_FailedError, OSError, subprocess.TimeoutExpired) as wrong:
            return Measured("failed", str(wrong)[:300], {})

    def _serve(self, program: str, folder: Path, place: str) -> Measured:
        settings = {"appendonly": "yes", "appendfsync": self._phase.appendfsync, "save": "", "port": "0"}
        command = [program, "--dir", str(folder), "--unixsocket", place, "--daemonize", "no", "--logfile", ""]
        for name, value in settings.items():
            command += [f"--{name}", value]
        server = start(command)
        try:
            self._await(server, place)
            tool, text = self._ask(place)
            log_bytes = sum(path.stat().st_size for path in folder.rglob("*.aof*") if path.is_file())
        finally:
            server.terminate()
            try:
                server.wait(10.0)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
        document = {
            "tool": tool,
            "text": text,
            "appendfsync": self._phase.appendfsync,
            "append_only_mb": round(log_bytes / 1e6, 6),
            "clients": _CLIENTS,
            "value_bytes": _VALUE_BYTES,
            "host": host(),
        }
        return Measured("ok", None, document)

    def _await(self, server: subprocess.Popen[bytes], place: str) -> None:
        until = time.monotonic() + _STARTS_WITHIN_S
        while time.monotonic() < until:
            if server.poll() is not None:
                raise _FailedError(f"redis-server ended with status {server.returncode}")
            with socket.socket(socket.AF_UNIX) as asking, contextlib.suppress(OSError):
                asking.settimeout(1.0)
                asking.connect(place)
                asking.sendall(b"PING\r\n")
                if asking.recv(16).startswith(b"+PONG"):
                    return
            time.sleep(0.05)
        raise _FailedError(f"redis-server did not answer within {_STARTS_WITHIN_S:g} s")

    def _ask(self, place: str) -> tuple[str, str]:
        memtier = found("memtier_benchmark")
        if memtier is not None:
            command = [memtier, "-S", place, "--ratio=1:0", f"--data-size={_VALUE_BYTES}", "--hide-histogram"]
            command += [f"--test-time={round(self._phase.measured_s)}", f"--clients={_CLIENTS // 2}", "--threads=2"]
            return "memtier_benchmark", self._output(command, self._phase.measured_s)
        program = found("redis-benchmark", "redis6-benchmark")
        if program is None:
            raise _FailedError("neither memtier_benchmark nor redis-benchmark is installed")

        def command_of(requests: int) -> list[str]:
            told = [program, "-s", place, "-t", "set", "-n", str(requests), "-c", str(_CLIENTS)]
            return [*told, "-d", str(_VALUE_BYTES), "-r", str(_KEYS), "--precision", "3"]

        # The tool takes a number of requests, not a duration: estimate it from a short trial.
        began, requests = time.monotonic(), _LEAST_REQUESTS
        while True:
            started = time.monotonic()
            self._output(command_of(requests), self._phase.measured_s)
            took_s = max(1e-3, time.monotonic() - started)
            if took_s > _TRIAL_S / 3 or time.monotonic() - began > _TRIAL_S:
                break
            requests *= 4
        requests = max(_LEAST_REQUESTS, int(requests / took_s * self._phase.measured_s))
        return "redis-benchmark", self._output(command_of(requests), self._phase.measured_s)

    def _output(self, command: list[str], about_s: float) -> str:
        """Run the load tool and return its output; raise an error if it fails or takes too long."""
        began = time.monotonic()
        with tempfile.TemporaryFile() as printed:
            process = start(command, printed, subprocess.STDOUT)
            try:
                while process.poll() is None:
                    time.sleep(0.1)
                    past_s = time.monotonic() - began
                    progress(self._say, past_s / (about_s + 1.0), f"Redis, appendfsync {self._phase.appendfsync}")
                    if self._is_stopping():
                        raise _FailedError("it was stopped")
                    if past_s > 5 * about_s + 30.0:
                        raise _FailedError(f"the tool had not ended after {past_s:.0f} s")
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
            printed.seek(0)
            text = printed.read(_LONGEST_TEXT).decode("utf-8", "replace")
        if process.returncode:
            raise _FailedError(f"the tool ended with status {process.returncode}: {' '.join(text.split())[-200:]}")
        return text.replace("\0", "")

    def _mounted(self, stack: ExitStack) -> Path:
        """Create a file system on the device, overwriting it, and mount it until the stack closes."""
        program = found("mkfs.xfs", "mkfs.ext4")
        mount, unmount = found("mount"), found("umount")
        if program is None or mount is None or unmount is None:
            raise _FailedError("there is no mkfs.xfs or mkfs.ext4, mount and umount")
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="stowage-disk-"))
        force = "-f" if program.endswith("xfs") else "-F"
        for command in ([program, force, "-q", self._disk.path], [mount, self._disk.path, folder]):
            log(self._say, " ".join(command))
            status, words = output(command, _MOUNTS_WITHIN_S)
            if status:
                raise _FailedError(f"{' '.join(command)}: {' '.join(words.split())[-200:]}")
        stack.callback(output, [unmount, folder], _MOUNTS_WITHIN_S)
        return Path(folder)
