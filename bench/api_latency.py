"""How soon the API ranks what four users ask for at once, each time something else. Prints figures.

    make bench

Starts the product on a state of its own. Every request has another amount of data, deadline and durability, and no
answer is kept between them. The users wait for nothing but their answers: there are four requests under way all the
time, connections stay open, and each request is of a signed-in user.
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from process import CSRF, running, stowage  # the tests' way of starting the product serves here too

USERS = 4
REQUESTS = 40
"""Of each user."""
WARM_UP = 16
"""Of each user, so that each copy of the API has seen each kind of job."""
FEWER_NODES = 200
"""What most people may order; without a limit it is 1,000."""

ADDRESS = "/api/v1/plans/preview/columns"

EBS: dict[str, object] = {"model": "infrastructure"}
JOBS: dict[str, tuple[dict[str, object], ...]] = {
    "sort": ({"model": "none"}, {"model": "application", "replicas": 2}, EBS, {"model": "object-store"}),
    "hdfs-write": ({"model": "application", "replicas": 3}, EBS, {"model": "none"}),
    "random-io": (EBS, {"model": "none"}),
    "append-log": (EBS, {"model": "application", "replicas": 2}),
}

LATENCY_GOAL_S, ALONE_GOAL_S, MEMORY_GOAL_MB, BYTES_GOAL = 0.100, 0.040, 250.0, 60_000


@dataclass(frozen=True, slots=True)
class Answered:
    """One request: what was asked, how long the client waited and the search took [s], bytes as sent and as read."""

    kind: str
    waited_s: float
    searched_s: float
    sent_bytes: int
    read_bytes: int
    candidates: int


def questions(seed: int, most_nodes: int | None, *, ebs_only: bool) -> Iterator[dict[str, Any]]:
    """Send requests until stopped: kinds of jobs and durabilities in turn, data and deadline at random."""
    dice = random.Random(seed)  # noqa: S311 - workloads, no secret
    kinds = [(job, kept) for job, every in JOBS.items() for kept in every if not ebs_only or kept is EBS]
    dice.shuffle(kinds)
    while True:
        for job, kept in kinds:
            data_tb, deadline_h = 10.0 ** dice.uniform(0.0, 2.3), 10.0 ** dice.uniform(0.3, 1.7)
            yield {
                "workload": {"job": job, "data": f"{data_tb:.3f} TB", "durability": kept},
                "limits": {"deadline": f"{deadline_h:.3f} h"} | ({"max_nodes": most_nodes} if most_nodes else {}),
            }


def ask(client: httpx2.Client, question: dict[str, Any]) -> Answered:
    """Ask one question and read the whole answer."""
    started = time.perf_counter()
    with client.stream("POST", ADDRESS, json=question) as response:
        response.raise_for_status()
        body = response.read()
        sent = response.num_bytes_downloaded
    waited_s = time.perf_counter() - started
    answer = json.loads(body)
    kind = f"{question['workload']['job']}, {question['workload']['durability']['model']}"
    return Answered(kind, waited_s, answer["elapsed_s"], sent, len(body), answer["candidates"])


def use(
    signed_in: httpx2.Client, user: int, count: int, most_nodes: int | None = None, *, ebs_only: bool
) -> list[Answered]:
    """Ask one question after the other over a connection of its own."""
    with httpx2.Client(
        base_url=signed_in.base_url,
        cookies=signed_in.cookies,
        headers={CSRF: signed_in.headers[CSRF]},
        timeout=60.0,
    ) as client:
        asked = questions(1_000 + user, most_nodes, ebs_only=ebs_only)
        return [ask(client, next(asked)) for _ in range(count)]


def at_once(
    signed_in: httpx2.Client, users: int, count: int, first: int, most_nodes: int | None = None, *, ebs_only: bool
) -> list[Answered]:
    """Have so many users ask at the same time."""
    with ThreadPoolExecutor(users) as pool:
        found = pool.map(lambda user: use(signed_in, first + user, count, most_nodes, ebs_only=ebs_only), range(users))
        return [answered for of_user in found for answered in of_user]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so large a share is at most."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def line(name: str, values: Sequence[float]) -> None:
    """Print p50, p95, p99 and the largest [ms]."""
    shown = (*(percentile(values, share) for share in (0.5, 0.95, 0.99)), max(values))
    print(f"{name:<44}" + "".join(f"{1000 * value:>9.0f}" for value in shown) + f"{len(values):>8}")


def shown(words: str, answered: Sequence[Answered]) -> None:
    """Print what the users waited, and what of it the search took."""
    line(f"{words}: the client waits", [one.waited_s for one in answered])
    line(f"{words}: the search within", [one.searched_s for one in answered])
    line(f"{words}: all else", [one.waited_s - one.searched_s for one in answered])


def listeners(parent: int) -> list[psutil.Process]:
    """List the processes of the API: the one that was started, and its copies that listen on the same socket."""
    process = psutil.Process(parent)
    port = {c.laddr.port for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    kin = [
        child
        for child in process.children(recursive=True)
        if port & {c.laddr.port for c in child.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    ]
    return [process, *kin]


def memory_mb(processes: Sequence[psutil.Process]) -> str:
    """Return the resident memory of each [MB]."""
    return ", ".join(f"{process.memory_info().rss / 1e6:.0f}" for process in processes)


def cpu_s(parent: int) -> float:
    """Return the CPU time that the processes of the API have used so far [s]."""
    return sum(sum(process.cpu_times()[:2]) for process in listeners(parent))


def used_s(parent: int) -> tuple[float, float]:
    """Return the CPU times that the API and its users, which share the cores, have used so far [s]."""
    return cpu_s(parent), time.process_time()


def by_kind(words: str, answered: Sequence[Answered]) -> None:
    """Print how long the users waited, by what they asked for."""
    print(f"\n{words}, by what they ask for, the client waits:")
    for kind in sorted({one.kind for one in answered}):
        line(f"  {kind}", [one.waited_s for one in answered if one.kind == kind])


def fixed_loop_s() -> float:
    """Return the CPU time of a fixed loop of Python [s], by which machines can be compared."""
    started = time.process_time()
    sum(place * place for place in range(3_000_000))
    return time.process_time() - started


def main() -> None:
    """Start the product, let the users ask, print."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--requests", type=int, default=REQUESTS, help="of each user")
    requests = options.parse_args().requests
    with tempfile.TemporaryDirectory(prefix="stowage-bench-") as home, running({"STOWAGE_HOME": home}) as up:
        processes = listeners(up.process.pid)
        signed_in = up.client()
        # Four users without pause ask more than the 50 previews a second that a team has.
        team = signed_in.get("/api/v1/me").json()["team"]["org_id"]
        stowage("quotas", team, "--set", "previews-per-second=1000", settings=up.settings).check_returncode()
        before = memory_mb(processes)
        started = time.perf_counter()
        use(signed_in, 0, 1, ebs_only=True)
        first_s = time.perf_counter() - started
        at_once(signed_in, USERS, WARM_UP, 100, ebs_only=False)
        loops_s = [fixed_loop_s() for _ in range(5)]
        used = [used_s(up.process.pid)]
        alone = use(signed_in, 200, requests, ebs_only=False)
        used.append(used_s(up.process.pid))
        load = os.getloadavg()[0]
        mixed = at_once(signed_in, USERS, requests, 300, ebs_only=False)
        used.append(used_s(up.process.pid))
        on_ebs = at_once(signed_in, USERS, requests // 2, 400, ebs_only=True)
        fewer = at_once(signed_in, USERS, requests, 500, FEWER_NODES, ebs_only=False)
        after = memory_mb(processes)
    print("python bench/api_latency.py")
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores with a load of {load:.1f} "
        f"before the users came, Python {platform.python_version()}"
    )
    print(f"{'[ms]':<44}" + "".join(f"{name:>9}" for name in ("p50", "p95", "p99", "largest")) + f"{'asked':>8}")
    shown("one user", alone)
    shown(f"{USERS} users", mixed)
    shown(f"{USERS} users, all on EBS", on_ebs)
    shown(f"{USERS} users, {FEWER_NODES} nodes", fewer)
    by_kind("one user", alone)
    by_kind(f"{USERS} users", mixed)
    read, sent = (
        statistics.median(values) for values in zip(*((a.read_bytes, a.sent_bytes) for a in mixed), strict=True)
    )
    largest = max(a.read_bytes for a in mixed)
    print(
        f"\nan answer: {read / 1e3:,.0f} kB, {sent / 1e3:,.0f} kB compressed (medians); at most {largest / 1e3:,.1f} kB"
    )
    print(f"the first answer of the process: {first_s:.2f} s (client's clock)")
    print(f"memory of the process and its {len(processes) - 1} copies that serve, each with what they share [MB]:")
    print(f"  {before} before the first question, {after} after all")
    for place, who in enumerate(("the API", "the users' own program")):
        one_ms = 1_000.0 * (used[1][place] - used[0][place]) / len(alone)
        four_ms = 1_000.0 * (used[2][place] - used[1][place]) / len(mixed)
        print(f"CPU time of {who} for each request: {one_ms:.1f} ms (one user), {four_ms:.1f} ms ({USERS} users)")
    print(f"a fixed loop of Python beside it: {1_000.0 * min(loops_s):.0f} ms of CPU time (least of {len(loops_s)})")
    goals = (
        (f"p95 {1000 * LATENCY_GOAL_S:.0f} ms", percentile([one.waited_s for one in mixed], 0.95) <= LATENCY_GOAL_S),
        (f"one user {1000 * ALONE_GOAL_S:.0f} ms", percentile([one.waited_s for one in alone], 0.95) <= ALONE_GOAL_S),
        (f"{MEMORY_GOAL_MB:.0f} MB each", max(float(part) for part in after.split(", ")) <= MEMORY_GOAL_MB),
        (f"{BYTES_GOAL / 1e3:.0f} kB", largest <= BYTES_GOAL),
    )
    print("goals: " + "; ".join(f"{name} {'reached' if reached else 'MISSED'}" for name, reached in goals))


if __name__ == "__main__":
    main()
