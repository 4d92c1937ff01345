"""Reads a second of the API, beside a bare FastAPI route with one ORM query and no session; and saves of plans.

    python bench/reads.py [--rounds 3] [--seconds 3] [--saves 30]

Both run on two processes, and read the same PostgreSQL over eight connections that stay open. The routes are measured
in turn. The client, the servers and PostgreSQL share the machine, so the ratio counts, and beside it the CPU time: that
of the API processes and of PostgreSQL, by request. Transactions are those that PostgreSQL counted in its databases.

Saves follow one another on one connection, each with other data. Previews of the same workloads are measured beside
them: what a save takes more is its own. Both search on both cores.
"""

import argparse
import os
import platform
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from process import Running, free_port, running

CONNECTIONS = 8
PLANS = 50
WORKLOAD = {"workload": {"job": "sort", "data": "100 TB"}, "limits": {"deadline": "10 h", "max_nodes": 200}}


EBS = {"model": "infrastructure"}
SAVED: dict[str, dict[str, Any]] = {
    "sort, own disks": {"durability": {"model": "none"}},
    "sort, EBS": {"durability": EBS},
    "HDFS write, EBS": {"job": "hdfs-write", "durability": EBS},
}
"""Workloads that are saved, without their data."""
ASKED = ("/api/v1/plans/preview/columns", "/api/v1/plans/columns")
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Read:
    """A request to repeat, and the processes that answer it."""

    name: str
    address: str
    path: str
    headers: str
    processes: Sequence[psutil.Process]

    @property
    def head(self) -> bytes:
        """The request as sent."""
        host = urlsplit(self.address).netloc
        return f"GET {self.path} HTTP/1.1\r\nHost: {host}\r\n{self.headers}\r\n".encode()


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of a route in one round, by request."""

    a_second: float
    api_ms: float
    """CPU time of the API processes."""
    postgres_ms: float
    transactions: float


class Connection:
    """A connection with one request under way, which is opened again whenever the server closes it."""

    def __init__(self, read: Read, selector: selectors.BaseSelector) -> None:
        self._head, self._selector = read.head, selector
        place = urlsplit(read.address)
        self._at = (place.hostname, place.port)
        self._open()

    def _open(self) -> None:
        self._socket = socket.create_connection(self._at)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(self._socket, selectors.EVENT_READ, self)
        self._received = b""

    def send(self) -> None:
        """Send the request."""
        self._socket.sendall(self._head)

    def receive(self) -> bool:
        """Read what has arrived; return whether the answer is complete."""
        self._received += self._socket.recv(1 << 18)
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(self._received.decode(errors="replace"))
        head = head.lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r")[0])
        if len(body) < length:
            return False
        self._received = b""
        if b"\r\nconnection: close" in head:
            self.close()
            self._open()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._selector.unregister(self._socket)
        self._socket.close()


def repeat(read: Read, seconds: float) -> tuple[int, float]:
    """Repeat a request over all connections; return the number of answers and the time [s]."""
    answered = 0
    with selectors.DefaultSelector() as selector:
        connections = [Connection(read, selector) for _ in range(CONNECTIONS)]
        began = time.perf_counter()
        for each in connections:
            each.send()
        while time.perf_counter() - began < seconds:
            for key, _ in selector.select(1.0):
                if key.data.receive():
                    answered += 1
                    key.data.send()
        took_s = time.perf_counter() - began
        for each in connections:
            each.close()
    return answered, took_s


def cpu_s(processes: Sequence[psutil.Process]) -> float:
    """Return the CPU time of processes so far [s]."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


class Postgres:
    """The embedded server of the product."""

    def __init__(self, up: Running) -> None:
        family = psutil.Process(up.process.pid).children(recursive=True)
        self.processes = [each for each in family if "postgres" in each.name()]
        sockets = (str(each.laddr) for process in self.processes for each in process.net_connections("unix"))
        path = Path(next(each for each in sockets if ".s.PGSQL." in each))
        self.at = f"host={path.parent} port={path.name.rpartition('.')[2]}"
        self.url = f"postgresql+psycopg://stowage_gate@/stowage?{self.at.replace(' ', '&')}"
        self._watch = psycopg.connect(f"{self.at} user=postgres dbname=postgres", autocommit=True)

    def cpu_s(self) -> float:
        """Return the CPU time of the server with its backends so far [s]."""
        family = [each for parent in self.processes[:1] for each in (parent, *parent.children(recursive=True))]
        return cpu_s(family)

    def transactions(self) -> int:
        """Return how many transactions have ended in the database of the product."""
        time.sleep(1.2)  # backends report at most once a second
        query = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'stowage'"
        [(ended,)] = self._watch.execute(query).fetchall()
        return int(ended)


def measure(read: Read, postgres: Postgres, seconds: float) -> Measured:
    """Measure a route."""
    repeat(read, 0.5)
    before, api_s, postgres_s = postgres.transactions(), cpu_s(read.processes), postgres.cpu_s()
    answered, took_s = repeat(read, seconds)
    api_s, postgres_s = cpu_s(read.processes) - api_s, postgres.cpu_s() - postgres_s
    ended = postgres.transactions() - before
    return Measured(answered / took_s, 1e3 * api_s / answered, 1e3 * postgres_s / answered, ended / answered)


@contextmanager
def peer(postgres: Postgres, person_id: str) -> Iterator[Read]:
    """Run the bare route on two processes."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "reads_peer:app", "--workers=2", f"--port={port}"]
    quiet = ["--no-access-log", "--log-level=warning"]
    environment = os.environ | {"DATABASE_URL": postgres.url, "PERSON": person_id}
    with subprocess.Popen([*command, *quiet], env=environment, cwd=Path(__file__).parent) as process:  # noqa: S603 - ours
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            time.sleep(3.0)
            workers = psutil.Process(process.pid).children(recursive=True)
            yield Read("bare FastAPI + ORM, one query, no session", f"http://127.0.0.1:{port}", "/me", "", workers)
        finally:
            process.terminate()


def api_processes(up: Running) -> list[psutil.Process]:
    """List the processes of the API."""
    family = psutil.Process(up.process.pid).children(recursive=True)
    return [each for each in family if each.name().startswith("stowage api")]


def ours(up: Running) -> tuple[list[Read], str]:
    """Return the routes of the product to read, and the id of the person who is signed in."""
    client = up.client()
    api = api_processes(up)
    headers = "Cookie: " + "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies.jar) + "\r\n"
    # The example team has no plans here.
    empty = Read("an empty /plans", up.address, "/api/v1/plans?team=example", headers, api)
    person_id = client.get("/api/v1/me").json()["person"]["person_id"]
    saved = client.post("/api/v1/plans", json=WORKLOAD).raise_for_status().json()["id"]
    for _ in range(PLANS - 1):
        client.post(f"/api/v1/plans/{saved}/duplicate").raise_for_status()
    reads = [
        Read("/me", up.address, "/api/v1/me", headers, api),
        empty,
        Read(f"/plans, a page of {PLANS}", up.address, f"/api/v1/plans?limit={PLANS}", headers, api),
        Read("/plans/{id}, a saved plan as objects", up.address, f"/api/v1/plans/{saved}", headers, api),
        Read("/plans/{id}/columns, as the page reads it", up.address, f"/api/v1/plans/{saved}/columns", headers, api),
        Read(
            "the same, compressed",
            up.address,
            f"/api/v1/plans/{saved}/columns",
            f"{headers}Accept-Encoding: gzip\r\n",
            api,
        ),
    ]
    return reads, person_id


def requests_ms(up: Running, postgres: Postgres, path: str, workload: dict[str, Any], count: int) -> list[float]:
    """Return the CPU time of the API and of PostgreSQL for a request about a workload [ms]."""
    client = up.client()
    before: list[float] = []
    processes = api_processes(up)
    for number in range(count + WARM_UP):
        if number == WARM_UP:
            before = [cpu_s(processes), postgres.cpu_s()]
        data = {"data": f"{10.0 + number / 100.0:.2f} TB"}
        client.post(path, json={"workload": workload | data, "limits": {"deadline": "5 h"}}).raise_for_status()
    after = [cpu_s(processes), postgres.cpu_s()]
    return [1e3 * (end - begin) / count for begin, end in zip(before, after, strict=True)]


def main() -> None:
    """Run the product and its peer, measure in turn, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--saves", type=int, default=30)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="stowage-bench-") as home,
        running({"STOWAGE_HOME": home, "STOWAGE_API_PROCESSES": "2"}) as up,
    ):
        up.wait_until_ready()
        postgres = Postgres(up)
        reads, person_id = ours(up)
        with peer(postgres, person_id) as bare:
            reads = [bare, *reads]
            rounds = [[measure(read, postgres, options.seconds) for read in reads] for _ in range(options.rounds)]
        saves = {
            name: [requests_ms(up, postgres, path, workload, options.saves) for path in ASKED]
            for name, workload in SAVED.items()
        }
    print("python bench/reads.py")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'medians':<44}{'a second':>10}{'of bare':>9}{'API ms':>9}{'of bare':>9}{'PG ms':>8}{'transactions':>14}")
    for number, read in enumerate(reads):
        found = [of[number] for of in rounds]

        rate = statistics.median(of[number].a_second / of[0].a_second for of in rounds)
        cpu = statistics.median(of[number].api_ms / of[0].api_ms for of in rounds)
        a_second, api_ms, postgres_ms, transactions = map(statistics.median, zip(*map(astuple, found), strict=True))
        print(
            f"{read.name:<44}{a_second:>10.0f}{rate:>9.2f}{api_ms:>9.2f}{cpu:>9.2f}"
            f"{postgres_ms:>8.2f}{transactions:>14.1f}"
        )
    print(f"{'saves':<44}{'preview ms':>12}{'save ms':>10}{'PG ms':>8}")
    for name, ((preview_ms, _), (save_ms, postgres_ms)) in saves.items():
        print(f"{name:<44}{preview_ms:>12.1f}{save_ms:>10.1f}{postgres_ms:>8.1f}")


if __name__ == "__main__":
    main()
