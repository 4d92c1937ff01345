"""How fast a search answers, how that grows, and how far it is from computing everything. Prints figures.

    make bench

Each repetition asks for another amount of data, another deadline and another durability, and no answer is kept, so
that what is measured is what a hand on a slider feels. Times are of the thread, which others on the same machine
lengthen less than the clock on the wall; where the clock is meant, it says so.
"""

import argparse
import gc
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.extend(map(str, (Path(__file__).resolve().parents[1] / "tests" / "support").iterdir()))

from optimizer.brute_force import count
from stowage.catalog.snapshot import LATEST, packaged
from stowage.features.planning.regions import compare_regions
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.workload import Limits, Place, Workload
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.search import search
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import WorkloadFile

REGION = "us-east-1"
ROWS = 50
REPEATS = 20
QUESTIONS = 100
"""Asked of one process, to see how its memory grows."""

OWN, TWICE, EBS, S3 = (
    Durability(),
    Durability("application", 2),
    Durability("infrastructure"),
    Durability("object-store"),
)
SORT = Workload("", MapReduce("sort", 1e7))
ASKED = Workload("", Hdfs("hdfs-write", 1e7, EBS))
"""What is asked where one question is asked of spaces that grow."""

GOAL_S, GOAL_CANDIDATES = 0.030, 4e9

FIVE_REGIONS = ("us-east-1", "us-west-2", "eu-central-1", "eu-west-1", "ap-northeast-1")
RATIOS = (1.1, 1.02, 1.008)
NODES = (100, 1_000, 10_000)
MOST_NODES = (100, 200, 350, 1_000)

FILE = "workload: {job: hdfs-write, data: 20 TB, durability: {model: infrastructure}}\nlimits: {deadline: 5 h}\n"

FRESH = """
import time
started = time.perf_counter()
from stowage.workloads.knowledge import packaged_knowledge
from stowage.features.planning.planning import preview_plan
from stowage.workloads.workload_file import read_workload_file
imported = time.perf_counter()
preview_plan(read_workload_file({file!r}), packaged_knowledge, time.perf_counter, "first")
print(imported - started, time.perf_counter() - imported)
"""

GROWING = """
import random, psutil
from stowage.workloads.knowledge import packaged_knowledge
from stowage.features.planning.planning import preview_plan
from stowage.workloads.workload_file import parse_workload
import time
process, dice = psutil.Process(), random.Random(1)
print(process.memory_info().rss)
kept = [("sort", "none"), ("sort", "infrastructure"), ("hdfs-write", "infrastructure"), ("sort", "object-store")]
for number in range({questions}):
    job, model = kept[number % 4]
    workload = {{"job": job, "data": f"{{dice.uniform(1, 100):.3f}} TB", "durability": {{"model": model}}}}
    file = parse_workload({{"workload": workload, "limits": {{"deadline": f"{{dice.uniform(2, 40):.3f}} h"}}}})
    preview_plan(file, packaged_knowledge, time.perf_counter, "first")
    if number in (0, {questions} - 1):
        print(process.memory_info().rss)
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A workload whose data and deadline are drawn: from so many MB, and from so much slower than its fastest."""

    name: str
    of: Callable[[float], tuple[Workload, ...]]
    """Gives, for some MB, the workload with each durability that takes its turn."""
    least_mb: float
    most_mb: float

    def drawn(self, dice: random.Random) -> Iterator[Workload]:
        """Draw for ever."""
        number = 0
        while True:
            data_mb = math.exp(dice.uniform(math.log(self.least_mb), math.log(self.most_mb)))
            every = self.of(data_mb)
            found = every[number % len(every)]
            deadline_s = 3_600.0 * 10.0 ** dice.uniform(0.3, 1.7)
            yield replace(found, limits=replace(found.limits, deadline_s=deadline_s))
            number += 1


def sorts(*kept: Durability) -> Callable[[float], tuple[Workload, ...]]:
    """Sort with each of some durabilities."""
    return lambda data_mb: tuple(Workload("", MapReduce("sort", data_mb, durability=one)) for one in kept)


def copied(data_mb: float) -> tuple[Workload, ...]:
    """Write into HDFS with one to three copies."""
    kept = (OWN, TWICE, Durability("application", 3))
    return tuple(Workload("", Hdfs("hdfs-write", data_mb, one)) for one in kept)


def within(
    workloads: Callable[[float], tuple[Workload, ...]], limits: Limits
) -> Callable[[float], tuple[Workload, ...]]:
    """Add limits."""
    return lambda data_mb: tuple(replace(one, limits=limits) for one in workloads(data_mb))


def fastest(workloads: Callable[[float], tuple[Workload, ...]]) -> Callable[[float], tuple[Workload, ...]]:
    """Look for the fastest instead of the cheapest, within a budget."""
    return lambda data_mb: tuple(
        replace(one, objective="time", limits=Limits(budget_usd=data_mb / 2e4)) for one in workloads(data_mb)
    )


def written(data_mb: float) -> tuple[Workload, ...]:
    """Write into HDFS on EBS."""
    return (Workload("", Hdfs("hdfs-write", data_mb, EBS)),)


KINDS = (
    Kind("sort, own disks or two copies", sorts(OWN, TWICE), 1e6, 1e9),
    Kind("sort, at most 200 nodes", within(sorts(OWN, TWICE), Limits(max_nodes=200)), 1e6, 1e8),
    Kind("sort, S3", sorts(S3), 1e6, 1e9),
    Kind("sort, EBS", sorts(EBS), 1e6, 1e8),
    Kind("sort, EBS, fastest in a budget", fastest(sorts(EBS)), 1e6, 1e8),
    Kind("sort, EBS, in time with 90%", within(sorts(EBS), Limits(chance=0.9)), 1e6, 1e8),
    Kind("sort, spot on own disks or EBS", lambda mb: tuple(map(on_spot, sorts(OWN, EBS)(mb))), 1e6, 1e8),
    Kind("HDFS write, one to three copies", copied, 1e6, 1e9),
    Kind("HDFS write, EBS", written, 1e6, 1e8),
    Kind("HDFS write, EBS, cheapest month", lambda mb: tuple(map(by_month, written(mb))), 1e6, 1e8),
    Kind("random I/O, EBS", lambda mb: (Workload("", RandomIo(mb, 16.0, 0.5, 8.0, mb, EBS)),), 1e5, 1e7),
    Kind(
        "append-only log, EBS", lambda mb: (Workload("", AppendLog(mb, 4.0, "every second", durability=EBS)),), 1e4, 1e6
    ),
)


def on_spot(workload: Workload) -> Workload:
    """Pay spot prices."""
    return replace(workload, place=Place(purchase="spot"))


def by_month(workload: Workload) -> Workload:
    """Look for the cheapest month of a cluster that stays."""
    return replace(workload, objective="month", runs_per_month=30.0)


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that so large a share is at most."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(times_s: Sequence[float]) -> str:
    """Write p50, p95 and p99 [ms]."""
    return "".join(f"{1000 * percentile(times_s, share):>8.1f}" for share in (0.5, 0.95, 0.99))


def thread_s(what: Callable[[], object]) -> float:
    """Return how long this thread works on something [s]."""
    started = time.thread_time()
    what()
    return time.thread_time() - started


def print_speed(catalog: Catalog, profiles: Profiles, repeats: int) -> None:
    """Print candidates, what is computed of them, and how long the parts of a search take, on one core."""
    print(f"\n{LATEST}, {REGION}, {len(catalog.instance_types):,} types; {repeats} different questions after three")
    print("thread's time [ms]                                                   layout               core       search")
    heads = "".join(f"{name:>8}" for name in ("p50", "p95", "p99") * 3)
    print(f"{'':<34}{'declared':>10}{'computed':>10}{'boxes':>9}{heads}")
    core_s: list[float] = []
    for kind in KINDS:
        asked = kind.drawn(random.Random(kind.name))  # noqa: S311 - workloads, no secret
        laid, answered, whole, sizes = [], [], [], []
        for number in range(repeats + 3):
            workload = next(asked)
            started = time.thread_time()
            question = SearchProblem(workload, catalog, profiles, Steps())
            laid_out = time.thread_time()
            answer = question.answer(ROWS)
            done = time.thread_time()
            # With the frontier's size and the nearest misses, where nothing fits.
            taken_s = thread_s(partial(search, workload, catalog, profiles, ROWS))
            if number >= 3:
                laid.append(laid_out - started)
                answered.append(done - laid_out)
                whole.append(taken_s)
                sizes.append((float(answer.size.sum()), answer.computed, answer.boxes))
        declared, computed, boxes = (statistics.median(values) for values in zip(*sizes, strict=True))
        if declared >= GOAL_CANDIDATES:
            core_s += answered
        print(
            f"{kind.name:<34}{declared:>10.2g}{computed:>10,.0f}{boxes:>9,.0f}{spread(laid)}{spread(answered)}"
            f"{spread(whole)}"
        )
    p95_s = percentile(core_s, 0.95)
    print(
        f"core over at least {GOAL_CANDIDATES:.0g} candidates, all such workloads together: p95 {1000 * p95_s:.1f} ms; "
        f"goal {1000 * GOAL_S:.0f} ms {'reached' if p95_s <= GOAL_S else 'MISSED'}"
    )


def print_by_nodes(catalog: Catalog, profiles: Profiles, repeats: int) -> None:
    """Print how long the core takes over all workloads on EBS where they may have so many nodes at most."""
    print(f"\nall {sum('EBS' in kind.name for kind in KINDS)} workloads on EBS together, {repeats} questions of each")
    print(f"at most so many nodes: declared candidates (least, most), core [ms]{'p50':>8}{'p95':>8}{'p99':>8}")
    for most in MOST_NODES:
        times_s, sizes = [], []
        for kind in KINDS:
            asked = kind.drawn(random.Random(kind.name))  # noqa: S311 - workloads, no secret
            for number, drawn in zip(range(repeats + 3), asked, strict=False):
                workload = replace(drawn, limits=replace(drawn.limits, max_nodes=most))
                question = SearchProblem(workload, catalog, profiles, Steps())
                started = time.thread_time()
                answer = question.answer(ROWS)
                if number >= 3 and float(answer.size.sum()) >= GOAL_CANDIDATES:
                    times_s.append(time.thread_time() - started)
                    sizes.append(float(answer.size.sum()))
        print(f"{most:>6,}   {min(sizes):>8.1g} {max(sizes):>8.1g} {'':<42}{spread(times_s)}")


def print_memory() -> None:
    """Print what a process holds."""
    lines = python(GROWING.format(questions=QUESTIONS)).split()
    imported, first, last = (int(line) / 1e6 for line in lines)
    print(
        f"\nmemory of a process [MB]: {imported:.0f} after import, {first:.0f} after the first answer, "
        f"{last:.0f} after {QUESTIONS} different questions"
    )


def print_cold_start(repeats: int) -> None:
    """Print how long a fresh process takes to its first plan."""
    parts = [list(map(float, python(FRESH.format(file=FILE.encode())).split())) for _ in range(repeats)]
    imports, firsts = zip(*parts, strict=True)
    print(
        f"cold start, {repeats} fresh processes, clock on the wall [s]: import {statistics.median(imports):.2f} "
        f"(least {min(imports):.2f}), first plan {statistics.median(firsts):.2f} (least {min(firsts):.2f})"
    )
    with tempfile.TemporaryDirectory(prefix="stowage-bench-") as folder:
        file = Path(folder) / "workload.yaml"
        file.write_text(FILE, encoding="utf-8")
        command = [str(Path(sys.executable).with_name("stowage")), "plan", str(file), "--json"]
        taken = []
        for _ in range(repeats):
            started = time.perf_counter()
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - ours
            taken.append(time.perf_counter() - started)
    print(f"stowage plan FILE --json, clock on the wall [s]: {statistics.median(taken):.2f} (least {min(taken):.2f})")


def python(program: str) -> str:
    """Run a program in a fresh process."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - ours


def print_all_regions() -> None:
    """Print how long the best of each region takes: the first time, and with another question."""
    file = WorkloadFile.model_validate({"workload": {"job": "sort", "data": "10 TB"}, "limits": {"deadline": "5 h"}})
    on_ebs = file.model_copy(
        update={"workload": file.workload.model_validate({"data": "10 TB", "durability": {"model": "infrastructure"}})}
    )
    for name, asked in (("own disks", file), ("EBS", on_ebs)):
        times = []
        for data in ("10 TB", "12 TB", "7 TB"):
            workload = asked.workload.model_copy(update={"data": data})
            other = asked.model_copy(update={"workload": workload})
            started = time.perf_counter()
            answer = compare_regions(other, packaged_knowledge, time.perf_counter)
            times.append(time.perf_counter() - started)
        print(
            f"all {len(answer.regions)} regions, sort, {name}, clock on the wall [s]: {times[0]:.2f} at first, then "
            f"{min(times[1:]):.2f}"
        )


def print_growth(catalog: Catalog, profiles: Profiles, repeats: int) -> None:
    """Print how layout and core grow with layouts, nodes and regions."""
    print("\nHDFS write of 10 TB on EBS: declared candidates, thread's time of layout and core [ms], medians")
    for ratio in RATIOS:
        for most in NODES:
            workload = replace(ASKED, limits=Limits(max_nodes=most))
            print(
                f"steps of {ratio}, {most:>6,} nodes  {timed(workload, [(catalog, profiles)], Steps(ratio), repeats)}"
            )
    whole = packaged(LATEST)
    regions = [(whole.in_region(name), whole.profiles) for name in FIVE_REGIONS]
    for places in (regions[:1], regions):
        print(f"{len(places)} region(s), 1,000 nodes       {timed(ASKED, places, Steps(), repeats)}")


def timed(workload: Workload, places: Sequence[tuple[Catalog, Profiles]], steps: Steps, repeats: int) -> str:
    """Lay out and answer a question in one place after the other; the first time does not count."""
    laid, answered = [], []
    declared = 0.0
    for number in range(repeats + 1):
        asked = replace(workload, job=replace(workload.job, data_mb=workload.job.data_mb * (1.0 + 0.01 * number)))
        started = time.thread_time()
        questions = [SearchProblem(asked, *place, steps) for place in places]
        laid_out = time.thread_time()
        answers = [question.answer(ROWS) for question in questions]
        answered.append(time.thread_time() - laid_out)
        laid.append(laid_out - started)
        declared = sum(float(answer.size.sum()) for answer in answers)
    return (
        f"{declared:>10.2g}{1000 * statistics.median(laid[1:]):>10.1f}{1000 * statistics.median(answered[1:]):>10.1f}"
    )


def print_brute_force(catalog: Catalog, profiles: Profiles) -> None:
    """Print how fast everything can be computed, and how far the search is from having to."""
    print("\nbrute force (`stowage_count`: counts what is within the limits, keeps the cheapest), one core:")
    steps = Steps(1.05)
    for name, workload in {
        "HDFS write, EBS": replace(ASKED, limits=Limits(deadline_s=40_000.0)),
        "random I/O, EBS": replace(ASKED, job=RandomIo(1e7, 16.0, 0.5, 8.0, 1e7, EBS)),
        "sort, EBS": replace(SORT, job=MapReduce("sort", 1e7, durability=EBS)),
    }.items():
        # One node count stands for all: each is computed alike.
        run = count(partial(SearchProblem, workload, catalog, profiles, steps), 200, 1_000, "-O3")
        found = run()
        rate = found.computed / min(thread_s(run) for _ in range(3))
        question = SearchProblem(workload, catalog, profiles, Steps())
        size = question.answer(ROWS).size
        took_s = min(thread_s(partial(question.answer, ROWS)) for _ in range(5))
        declared = float(size[question.lanes.rows["row"] >= 0].sum())
        print(
            f"  {name:<18}{rate / 1e6:>6.0f} million candidates/s, {found.plain / found.computed:.0%} of them in the "
            f"kernel's own way; all {declared:.2g} would take {declared / rate / 3600:,.1f} h; the search excludes "
            f"{declared / took_s / 1e6:,.0f} in a microsecond"
        )


def main() -> None:
    """Print everything."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--repeats", type=int, default=REPEATS)
    repeats = options.parse_args().repeats
    processor = "unknown processor"
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    print("python bench/search_speed.py")
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {processor}, {os.cpu_count()} cores with a load of "
        f"{os.getloadavg()[0]:.1f}, {psutil.virtual_memory().total / 2**30:.0f} GiB, Python {platform.python_version()}"
    )
    print_cold_start(5)
    print_memory()
    print_all_regions()
    whole = packaged(LATEST)
    catalog = whole.in_region(REGION)
    # A collection walks through the whole catalog; what a server does about it, `bench/api_latency.py` shows.
    gc.collect()
    gc.freeze()
    print_speed(catalog, whole.profiles, repeats)
    print_by_nodes(catalog, whole.profiles, repeats)
    print_growth(catalog, whole.profiles, 5)
    print_brute_force(catalog, whole.profiles)


if __name__ == "__main__":
    main()
