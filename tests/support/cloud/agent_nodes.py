"""Nodes of a run on this machine: the bundled agent, files behind URLs, EC2's metadata service, a `shutdown`."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from stowage_worker.agent.bundle import bundle

RUN = "6f1d2c3b-0000-4000-8000-00000000000a"
PEERS_KEY = bytes(range(32))


def key_of(node: int) -> bytes:
    return sha256(b"key of %d" % node).digest()


def address(node: int) -> str:
    """Return an address for a node: all of 127.0.0.0/8 is this machine, and other tests may run concurrently."""
    return f"127.{1 + os.getpid() // 250 % 250}.{os.getpid() % 250}.{node + 1}"


def net_phase(nodes: int, measured_s: float = 0.5, **more: object) -> dict[str, object]:
    return {
        "name": f"net-{nodes}",
        "kind": "net",
        "nodes": nodes,
        "measured_s": measured_s,
        "warm_up_s": 0.1,
        "connections": 1,
        "gather_s": 20,
        **more,
    }


def disk_phase(mode: str, measured_s: float = 0.4, **more: object) -> dict[str, object]:
    return {
        "name": f"disk-{mode}",
        "kind": "disk",
        "mode": mode,
        "measured_s": measured_s,
        "warm_up_s": 0.1,
        "block_bytes": 1 << 18,
        "what": "ebs",
        "fill_s": 0.3,
        **more,
    }


def orders(node: int, nodes: int, phases: list[dict[str, object]], **more: object) -> dict[str, Any]:
    return {
        "stowage": "orders",
        "version": 1,
        "run": RUN,
        "node": node,
        "nodes": nodes,
        "key": key_of(node).hex(),
        "peers_key": PEERS_KEY.hex(),
        "revision": 1,
        "poll_s": 0.2,
        "peers": [{"node": peer, "address": address(peer)} for peer in range(nodes)],
        "phases": phases,
        **more,
    }


@dataclass
class PostOffice:
    """Files that are put and fetched by URL, and the metadata of one instance."""

    url: str = ""
    files: dict[str, list[bytes]] = field(default_factory=dict)
    """All files that were put at a path, the newest last."""
    instance: str | None = "i-00000000000000001"
    """Instance id from the metadata service; None if it does not answer."""
    is_interrupted: bool = False
    """Whether EC2 has announced the interruption of the instance."""
    refused: int = 0
    """Number of report uploads that are answered with 503 first."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def put(self, path: str, content: bytes) -> None:
        with self.changed:
            self.files.setdefault(path, []).append(content)
            self.changed.notify_all()

    def told(self, path: str, node: int) -> dict[str, Any]:
        """Return the newest file of a node at a path, after checking its signature."""
        return [signed(content, node) for content in self.files[path]][-1]

    def wait_for(self, what: Any, timeout_s: float = 40.0) -> None:
        with self.changed:
            assert self.changed.wait_for(what, timeout_s), sorted(self.files)


def signed(content: bytes, node: int) -> dict[str, Any]:
    said = json.loads(content)
    mac = hmac_digest(key_of(node), said["signed"].encode(), "sha256").hex()
    assert compare_digest(mac, said["hmac_sha256"])
    found = json.loads(said["signed"])
    assert isinstance(found, dict)
    return found


class Counter(BaseHTTPRequestHandler):
    """HTTP server of the files.

    Parameters
    ----------
    office : PostOffice
    """

    office: PostOffice

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/latest/"):
            self._answer_metadata(path)
        elif path in self.office.files:
            self._answer(200, self.office.files[path][-1])
        else:
            self._answer(404)

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/latest/api/token":
            self._answer(200, b"token")
        elif self.office.refused and "/reports/" in self.path:
            self.office.refused -= 1
            self._answer(503)
        else:
            self.office.put(self.path.partition("?")[0], content)
            self._answer(200)

    def _answer_metadata(self, path: str) -> None:
        if self.headers.get("X-aws-ec2-metadata-token") != "token":
            self._answer(401)
        elif path.endswith("/instance-id") and self.office.instance is not None:
            self._answer(200, self.office.instance.encode())
        elif path.endswith("/spot/instance-action") and self.office.is_interrupted:
            self._answer(200, b'{"action": "terminate"}')
        else:
            self._answer(404)

    def _answer(self, status: int, content: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def post_office() -> Iterator[PostOffice]:
    office = PostOffice()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Counter,), {"office": office}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    office.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield office
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def at_the_office(office: PostOffice, said: dict[str, Any]) -> dict[str, Any]:
    """Complete orders with the URLs."""
    node = said["node"]
    return {
        **said,
        "orders_url": f"{office.url}/orders/{node}?X-Amz-Signature=1",
        "status_url": f"{office.url}/nodes/{node}/status?X-Amz-Signature=1",
        "reports": {
            phase["name"]: f"{office.url}/nodes/{node}/reports/{phase['name']}?X-Amz-Signature=1"
            for phase in said["phases"]
        },
    }


def give_orders(office: PostOffice, said: dict[str, Any], instance: str | None = None) -> None:
    node = said["node"]
    office.put(f"/orders/{node}", json.dumps(at_the_office(office, said)).encode())
    roll = {"node": node, "orders_url": f"{office.url}/orders/{node}?X-Amz-Signature=1"}
    nodes = {instance or office.instance: roll}
    office.put("/roll", json.dumps({"stowage": "roll", "version": 1, "run": RUN, "nodes": nodes}).encode())


@dataclass
class Machine:
    """A machine that runs one agent."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def shutdowns(self) -> list[str]:
        marks = self.folder / "shutdowns"
        return marks.read_text().splitlines() if marks.exists() else []

    @property
    def errors(self) -> str:
        return (self.folder / "errors").read_text()


@contextmanager
def machine(folder: Path, office: PostOffice, *more: str, disks: str = "") -> Iterator[Machine]:
    """Run the agent's file as a node, with a `shutdown` that only notes that it was called."""
    folder.mkdir(exist_ok=True)
    (folder / "agent.pyz").write_bytes(bundle())
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    shutdown = commands / "shutdown"
    shutdown.write_text(f'#!/bin/sh\necho "$@" >> {folder}/shutdowns\n')
    shutdown.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{commands}:{os.environ['PATH']}",
        "STOWAGE_AGENT_METADATA": office.url,
        "STOWAGE_AGENT_DISKS": disks,
        "no_proxy": "*",
    }
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [
                sys.executable,
                str(folder / "agent.pyz"),
                "node",
                "--roll",
                f"{office.url}/roll?X-Amz-Signature=1",
                *more,
            ],
            stdin=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
        )
    try:
        yield Machine(folder, process)
    finally:
        process.kill()
        process.wait()
