"""Time of the search core with the defaults of the page: frameworks, usual limits, deadlines at 95%. Prints a table.

    python -m bench.search_defaults

Every question is a workload file as the page sends it, so that the defaults of its job apply: Spark or Hadoop, space
that stays free, the smallest nodes, launch within the deadline, and a deadline that is met with 95% confidence. Data
and deadline are drawn. On EBS the first rows and the frontier are searched apart, which two threads do at once; times
are of one thread: of each search, of both, and of a single search for both, for comparison. The C library keeps memory
as in the API's processes. A fixed loop in the same run shows how fast the machine is.
"""

import argparse
import math
import random
import statistics
import time
from collections.abc import Iterator
from typing import Any

from bench.search_speed import REGION, percentile, thread_s
from stowage.cli.server.local import share_memory
from stowage.features.planning.planning import FIRST_ROWS
from stowage.model.hardware.steps import Steps
from stowage.optimizer.kernel import Answer
from stowage.optimizer.problem import SearchProblem
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile

OWN, TWICE = {"model": "none"}, {"model": "application", "replicas": 2}
EBS, S3 = {"model": "infrastructure"}, {"model": "object-store"}

Kind = tuple[str, list[dict[str, Any]], float, float, dict[str, Any]]
"""Job, durabilities that take turns, least and most data [MB], other sections of the workload file."""

KINDS: dict[str, Kind] = {
    "sort, own disks or two copies": ("sort", [OWN, TWICE], 1e6, 1e9, {}),
    "sort, S3": ("sort", [S3], 1e6, 1e9, {}),
    "sort, EBS": ("sort", [EBS], 1e6, 1e8, {}),
    "sort, EBS, fastest in a budget": ("sort", [EBS], 1e6, 1e8, {"objective": "time"}),
    "sort, EBS, spot": ("sort", [EBS], 1e6, 1e8, {"place": {"purchase": "spot"}}),
    "HDFS write, one to three copies": ("hdfs-write", [OWN, TWICE], 1e6, 1e9, {}),
    "HDFS write, EBS": ("hdfs-write", [EBS], 1e6, 1e8, {}),
    "HDFS write, EBS, cheapest month": ("hdfs-write", [EBS], 1e6, 1e8, {"objective": "month"}),
    "random I/O, EBS": ("random-io", [EBS], 1e5, 1e7, {}),
    "append-only log, EBS": ("append-log", [EBS], 1e4, 1e6, {}),
    "append-only log of 100 TB, EBS": ("append-log", [EBS], 1e8, 1.1e8, {}),
}


def questions(name: str, most_nodes: int | None) -> Iterator[WorkloadFile]:
    """Draw workload files for ever."""
    job, durabilities, least_mb, most_mb, more = KINDS[name]
    dice = random.Random(name)  # noqa: S311 - workloads, no secret
    number = 0
    while True:
        data_mb = math.exp(dice.uniform(math.log(least_mb), math.log(most_mb)))
        limits: dict[str, Any] = {"deadline": f"{3_600.0 * 10.0 ** dice.uniform(0.3, 1.7):.0f} s"}
        if more.get("objective") == "time":
            limits = {"budget": f"{max(1.0, data_mb / 2e4):.2f} USD"}
        if most_nodes is not None:
            limits["max_nodes"] = most_nodes
        durability = durabilities[number % len(durabilities)]
        workload = {"job": job, "data": f"{data_mb:.6g} MB", "durability": durability}
        document = {**more, "workload": workload, "limits": limits}
        document["place"] = {"region": REGION, **more.get("place", {})}
        yield WorkloadFile.model_validate(document)
        number += 1


def core_of(file: WorkloadFile) -> tuple[float, float, float, list[Answer]]:
    """Search one workload as `search` does.

    The result has the thread's time in the core [s], of the first rows, of the frontier and of a single search for
    both, and what the first two found. Without volumes one search finds both.
    """
    knowledge = packaged_knowledge(file.place.catalog, file.place.region)
    workload = possible_workloads(file, knowledge)[0]
    problem = SearchProblem(workload, knowledge.catalog, knowledge.profiles, Steps())
    apart = bool(problem.lanes.volume_keys)
    started = time.thread_time()
    found = [problem.answer(FIRST_ROWS, frontier=not apart)]
    between = time.thread_time()
    if apart:
        found.append(problem.answer(1, counted=False))
    apart_s = time.thread_time() - between
    problem.answer(FIRST_ROWS)
    return between - started, apart_s, time.thread_time() - between - apart_s, found


def loop() -> int:
    """Sum two million squares: the fixed reference."""
    return sum(number * number for number in range(2_000_000))


def main() -> None:
    """Print each kind of question, then all on EBS together."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=None)
    options = parser.parse_args()
    share_memory()
    print("| workload | computed | boxes | points | first rows [ms] | frontier [ms] | both [ms] | both, p95 [ms] |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    on_ebs: list[tuple[float, float]] = []
    single_s: list[float] = []
    for name in KINDS:
        found = [
            core_of(file) for _, file in zip(range(options.repeats + 1), questions(name, options.nodes), strict=False)
        ][1:]
        times_s = [(of_rows_s, of_frontier_s) for of_rows_s, of_frontier_s, *_ in found]
        if "EBS" in name:
            on_ebs += times_s
            single_s += [of_both_s for _, _, of_both_s, _ in found]
        sizes = [
            (sum(each.computed for each in answers), sum(each.boxes for each in answers), answers[-1].frontier.size)
            for *_, answers in found
        ]
        figures = " | ".join(f"{statistics.median(values):,.0f}" for values in zip(*sizes, strict=True))
        medians = " | ".join(f"{1000 * statistics.median(values):.1f}" for values in zip(*times_s, strict=True))
        both = [sum(pair) for pair in times_s]
        print(
            f"| {name} | {figures} | {medians} | {1000 * statistics.median(both):.1f} "
            f"| {1000 * percentile(both, 0.95):.1f} |"
        )
    both_s, longer_s = [sum(pair) for pair in on_ebs], [max(pair) for pair in on_ebs]
    for words, values in (("both searches", both_s), ("the longer of them", longer_s), ("a single search", single_s)):
        print(
            f"all on EBS, {words}: p50 {1000 * statistics.median(values):.1f} ms, "
            f"p95 {1000 * percentile(values, 0.95):.1f} ms"
        )
    print(f"reference loop {1000 * thread_s(loop):.0f} ms")


if __name__ == "__main__":
    main()
