"""`stowage up` as a process: started, awaited, stopped, and checked for leftovers."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

import httpx2 as httpx
import psutil

import commands

SERVERS = ("DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL", "REDIS_URL")

PATIENCE_S = 240.0

_RESTORE = """import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])"""
USUAL_SIGNALS = (sys.executable, "-SEc", _RESTORE)
"""Command prefix that restores the default handling of a terminal's signals. Under `nohup`, in a background shell and
on CI runners some are ignored, and processes inherit that."""

CSRF = "X-CSRF-Token"
PLAN = {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}, "limits": {"max_nodes": 100}}


@dataclass
class Running:
    process: subprocess.Popen[str]
    address: str
    link: str = ""
    """The link in its second line of output; valid once, and until another is created: `client` creates one."""
    settings: Mapping[str, str] = field(default_factory=dict)
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self) -> httpx.Client:
        """Sign in as the local owner, by a link of its own; closed when the service ends."""
        made = stowage("link", settings=self.settings)
        assert (made.returncode, made.stderr) == (0, ""), made.stderr
        client = httpx.Client(base_url=self.address, timeout=PATIENCE_S)
        self.clients.append(client)
        return redeemed(client, made.stdout)

    def told(self) -> str:
        """Wait for the next line on standard error, and return it."""
        assert self.process.stderr is not None
        watchdog = Timer(PATIENCE_S, self.process.kill)
        watchdog.start()
        try:
            line = self.process.stderr.readline()
            assert line, f"nothing was printed; ended with {self.process.wait(PATIENCE_S)}\n{self._last_words()}"
            return line
        finally:
            watchdog.cancel()

    def _last_words(self) -> str:
        """Return the end of every log."""
        logs = sorted((Path(self.settings["STOWAGE_HOME"]) / "log").iterdir())
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}" for log in logs)

    def wait_until_ready(self) -> None:
        """Wait until every part has sent a heartbeat."""
        deadline = time.monotonic() + PATIENCE_S
        with httpx.Client(timeout=PATIENCE_S) as client:
            while time.monotonic() < deadline:
                parts = client.get(f"{self.address}/api/v1/readiness").json()["parts"]
                if all(part["status"] == "ok" for part in parts):
                    return
                time.sleep(0.25)
        raise AssertionError(f"not every part is there: {parts}")

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def child(self, name: str) -> psutil.Process:
        """Return the child process with a name, as soon as there is one."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            for process in self.children():
                if _name_of(process) == name:
                    return process
            time.sleep(0.05)
        raise AssertionError(f"there is no child {name!r}")


def redeemed(client: httpx.Client, told: str) -> httpx.Client:
    """Use a one-time link; from then on the client is signed in as the person whom the link is for."""
    answer = client.post("/api/v1/session/link", json={"secret": told.strip().rpartition("#")[2]})
    assert answer.status_code == 200, answer.text
    client.headers[CSRF] = answer.json()["csrf"]
    return client


def await_end(client: httpx.Client, job_id: str, team: str = "local") -> None:
    """Follow a job until it is done, reconnecting where connections break."""
    deadline = time.monotonic() + PATIENCE_S
    job_of, events_of = f"/api/v1/jobs/{job_id}?team={team}", f"/api/v1/jobs/{job_id}/events?team={team}"
    while (job := client.get(job_of).json()).get("state") != "done":
        assert time.monotonic() < deadline, job
        assert job.get("state") not in ("failed", "cancelled"), job
        with suppress(httpx.TransportError), client.stream("GET", events_of) as events:
            for _ in events.iter_lines():
                pass


def as_browser(client: httpx.Client) -> dict[str, Any]:
    """Return the settings for the same session in a browser's context: `browser.new_context(**as_browser(client))`."""
    return {
        "base_url": str(client.base_url).rstrip("/"),
        # Requests that a test sends past the page must carry it; the page adds it by itself.
        "extra_http_headers": {CSRF: client.headers[CSRF]},
        "storage_state": {
            "cookies": [
                {
                    "name": cookie.name,
                    "value": cookie.value or "",
                    "domain": cookie.domain,
                    "path": cookie.path,
                    "expires": cookie.expires or -1,
                    "httpOnly": True,
                    "secure": cookie.secure,
                    "sameSite": "Strict",
                }
                for cookie in client.cookies.jar
            ],
            "origins": [],
        },
    }


def stowage(*arguments: str, settings: Mapping[str, str], input: str = "") -> subprocess.CompletedProcess[str]:  # noqa: A002 - as `subprocess` calls it
    """Run a command to its end, with only these settings of Stowage."""
    return commands.stowage(*arguments, stdin=input, environment=environment(settings))


def _name_of(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of this process with only these settings of Stowage."""
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
        (*USUAL_SIGNALS, *command),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(settings),
        cwd=folder,
    )


@contextmanager
def running(settings: Mapping[str, str], stopped_by: signal.Signals = signal.SIGTERM) -> Iterator[Running]:
    """Start it, wait for its two lines, and check that a signal ends it cleanly and completely.

    Without the example team, which takes six seconds of CPU time, unless the settings request it.
    """
    port = free_port()
    settings = {"STOWAGE_EXAMPLE": "off", **settings, "STOWAGE_PORT": str(port)}
    with ended(start(settings)) as process, answering(process, port, settings, stopped_by) as up:
        yield up


@contextmanager
def answering(
    process: subprocess.Popen[str],
    port: int,
    settings: Mapping[str, str],
    stopped_by: signal.Signals = signal.SIGTERM,
) -> Iterator[Running]:
    """Wait until the service answers; check at the end that a signal stops it and its child processes."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(f"Stowage is at http://127.0.0.1:{port} (stop it with Ctrl-C or: kill "), (
        process.communicate()[1]
    )
    said, _, link = process.stdout.readline().rstrip("\n").rpartition(" ")
    assert said == "Sign in once with", process.communicate()[1]
    assert re.fullmatch(rf"http://127\.0\.0\.1:{port}/sign-in#[\w-]{{43}}", link)
    up = Running(process, f"http://127.0.0.1:{port}", link, settings)
    try:
        yield up
    finally:
        for client in up.clients:
            client.close()
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(stopped_by)
    printed, told = process.communicate(timeout=60)
    # A worker that receives no messages after Redis was killed exits, and is restarted.
    lost = re.compile(r"stowage: the worker for \w+ jobs ended with status 1 and was started again\n")
    assert (printed, lost.sub("", told)) == ("", ""), (printed, told)
    assert process.returncode == 0
    assert not [child for child in family if lives(child)]


def lives(process: psutil.Process) -> bool:
    """Return whether a process runs; an ended process that was not yet reaped does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    """Ensure that a failed test leaves no process behind."""
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                # First by signal, as a user does: after a kill its servers would continue to run.
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=30)
                process.kill()


@dataclass
class FirstStart:
    """Output and answers of the first start on a state, and the files that it left."""

    home: Path
    printed: str
    pid: int
    health: Any
    unknown: int
    session: Any
    second_use: int
    plan: Any
    page: httpx.Response
    secret: str
    running: str
    """Content of `running.json`."""


def start_first(home: Path) -> FirstStart:
    """Start the service on a state that a crash left, use it, and stop it by SIGINT."""
    _as_a_crash_leaves_it(home)
    with (
        running({"STOWAGE_HOME": str(home), "STOWAGE_API_PROCESSES": "1"}, stopped_by=signal.SIGINT) as up,
        httpx.Client(base_url=up.address, timeout=PATIENCE_S) as client,
    ):
        printed = up.told()
        health = client.get("/api/v1/health").json()
        unknown = client.get("/api/v1/plans").status_code
        redeemed(client, up.link)
        secret = up.link.rpartition("#")[2]
        plan = client.post("/api/v1/plans", json=PLAN).raise_for_status().json()
        first = FirstStart(
            home=home,
            printed=printed,
            pid=up.process.pid,
            health=health,
            unknown=unknown,
            session=client.get("/api/v1/session").json(),
            second_use=httpx.post(f"{up.address}/api/v1/session/link", json={"secret": secret}).status_code,
            plan=plan,
            page=httpx.get(f"{up.address}/plans/{plan['id']}"),
            secret=secret,
            running=(home / "running.json").read_text(),
        )
    assert not (home / "running.json").exists()
    return first


def _as_a_crash_leaves_it(home: Path) -> None:
    """Create the files of a start that was killed during initdb."""
    (home / "postgres.new").mkdir(parents=True)
    (home / "lock").write_bytes(b"\xff garbage")
    (home / "running.json").write_text("{")
    (home / "running.json.new").write_text("")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(home / "redis.sock"))
