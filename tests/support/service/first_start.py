"""The first start of a service, on what a crash left: used and stopped."""

import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx

from process import PATIENCE_S, redeemed, running

PLAN = {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}, "limits": {"max_nodes": 100}}


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
