"""How much memory `stowage up` takes, and how soon the page answers. Prints figures.

    .venv/bin/python bench/footprint.py

Starts the product twice on a state of its own: on an empty folder, and on what the first start left. A start lasts from
the start of the process to the whole answer of `GET /`. Memory is the proportional set size (PSS), which divides what
processes share among them, of every process of the tree, PostgreSQL and Redis included. `after start` is when all
workers have given a heartbeat and the example team is loaded; `after sweep` is when a sweep of 30 searches over all
types of us-east-1 has ended. Each row that has a goal ends with it. Takes a minute at most on an idle machine,
and many times as long on a busy one.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from process import Running, answering, ended, free_port, start  # the tests' way of starting the product
from stowage.example import JOB_ID as EXAMPLE_JOB_ID

FIRST_START_S, NEXT_START_S, PSS_MB = 5.0, 2.0, 700.0
PATIENCE_S = 900.0
"""Timeout of each wait [s]: on a busy machine the example team alone may take minutes."""
POLL_S = 0.005

SWEEP: dict[str, Any] = {
    "base": {"workload": {"data": "1 TB", "durability": {"model": "infrastructure"}}},
    "columns": {"quantity": "data", "values": [f"{size} TB" for size in (1, 3, 10, 30, 100)]},
    "rows": {"quantity": "deadline", "values": [f"{hours} h" for hours in (1, 2, 3, 6, 12, 24)]},
}


def main() -> None:
    """Start, measure, print, stop."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--processes", action="store_true", help="Print a row for each process too.")
    each = arguments.parse_args().processes
    print(
        f"# bench/footprint.py, {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores (load {os.getloadavg()[0]:.1f}), "
        f"Python {platform.python_version()}"
    )
    # Not in the folder of the user: where this runs as root, PostgreSQL is another user and must reach it.
    with tempfile.TemporaryDirectory(prefix="stowage-footprint-") as folder:
        Path(folder).chmod(0o711)
        state = Path(folder) / "state"
        measure_start("first_start", state, FIRST_START_S, memory=True, each=each)
        measure_start("next_start", state, NEXT_START_S, memory=False, each=each)


def measure_start(name: str, state: Path, goal_s: float, *, memory: bool, each: bool) -> None:
    """Start once, and print the seconds to the first page; with `memory`, what everything together takes."""
    port = free_port()
    settings = {"STOWAGE_HOME": str(state), "STOWAGE_PORT": str(port)}
    began = time.perf_counter()
    with ended(start(settings, (sys.executable, "-m", "stowage", "up"))) as process:
        page_s = seconds_to_page(f"http://127.0.0.1:{port}/", began)
        cpu_s = sum(sum(one.cpu_times()[:2]) for one in family(process.pid) if is_ours(one))
        print(f"{name}_page {page_s:.2f} s (at most {goal_s:g})")
        print(f"{name}_python_cpu {cpu_s:.2f} s")
        with answering(process, port, settings) as up:
            if memory:
                measure_memory(up, each=each)


def seconds_to_page(address: str, began: float) -> float:
    """Ask for the page until it answers."""
    with httpx.Client(timeout=PATIENCE_S) as client:
        while time.perf_counter() - began < PATIENCE_S:
            try:
                if client.get(address).status_code == 200:
                    return time.perf_counter() - began
            except httpx.TransportError:
                time.sleep(POLL_S)
    raise SystemExit(f"no page after {PATIENCE_S:g} s")


def measure_memory(up: Running, *, each: bool) -> None:
    """Print the memory after the start, and after a sweep."""
    client = up.client()
    wait_until(lambda: is_settled(client))
    print_memory("after_start", up, each=each)
    job = client.post("/api/v1/sweeps", json=SWEEP).raise_for_status().json()["job"]
    wait_until(lambda: client.get(f"/api/v1/jobs/{job['id']}").json()["state"] == "done")
    print_memory("after_sweep", up, each=each)


def is_settled(client: httpx.Client) -> bool:
    """Return whether all workers have given a heartbeat, and the example team is loaded."""
    parts = client.get("/api/v1/readiness").json()["parts"]
    example = client.get(f"/api/v1/jobs/{EXAMPLE_JOB_ID}", params={"team": "example"})
    return all(part["status"] == "ok" for part in parts) and example.json().get("state") == "done"


def wait_until(is_so: Callable[[], bool]) -> None:
    """Ask until it is so."""
    deadline = time.perf_counter() + PATIENCE_S
    while not is_so():
        if time.perf_counter() > deadline:
            raise SystemExit(f"not so after {PATIENCE_S:g} s")
        time.sleep(0.1)


def family(pid: int) -> list[psutil.Process]:
    """List a process and all that descend from it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def is_ours(process: psutil.Process) -> bool:
    """Return whether a process runs Python."""
    try:
        return "python" in Path(process.exe()).name
    except psutil.NoSuchProcess:
        return False


def print_memory(when: str, up: Running, *, each: bool) -> None:
    """Print the PSS of all processes by name, their sum, and how many run Python."""
    by_name: dict[str, list[float]] = defaultdict(list)
    python = 0
    for process in family(up.process.pid):
        with suppress(psutil.NoSuchProcess, OSError):  # one that ended meanwhile: PostgreSQL's come and go
            memory_mb = pss_mb(process.pid)
            by_name[process.name().replace(" ", "_")].append(memory_mb)
            python += is_ours(process)
    for name, values in by_name.items():
        print(f"{when}_pss_{name} {sum(values):.0f} MB ({len(values)} processes)")
        if each:
            for value in values:
                print(f"#   {value:.1f}")
    print(f"{when}_python_processes {python}")
    print(f"{when}_pss {sum(map(sum, by_name.values())):.0f} MB (at most {PSS_MB:g})")


def pss_mb(pid: int) -> float:
    """Return the proportional set size of a process [MB]."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024 / 1e6


if __name__ == "__main__":
    main()
