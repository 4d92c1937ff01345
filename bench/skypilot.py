"""Our prediction and search beside SkyPilot's optimizer, on the same candidates with the same times.

    .venv/bin/python bench/skypilot.py [--environment FOLDER]

Both are given N instance types of us-east-1, one node count for all of them (SkyPilot's ``num_nodes`` is one for a
task) and one run time for each, which is our p50; both look for the cheapest. SkyPilot is installed from PyPI into an
environment of its own, which is kept where a folder is given; that is all that needs a network.

What had to be changed for SkyPilot to run without one; `PATCHES` is printed with the figures:

- Its catalog, which it fetches, is written from ours into a home folder of its own, to where it looks for it. It
  takes a file without a checksum beside it for the user's, and does not fetch it again.
- Which clouds are enabled is answered with AWS, instead of from its state file after a check of credentials.
- Whose AWS account it is is answered with "no credentials", instead of by a call of the AWS command line; it takes
  the names of zones from the catalog then.
- Its reports of use are switched off by its own variable.
- Every attempt to open a connection is refused, and counted.

Its optimizer, its resources and its look-ups in the catalog are as they are published.
"""

import argparse
import csv
import io
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stowage.catalog.snapshot import LATEST, packaged
from stowage.model.choice import Selection
from stowage.model.cluster import Configuration, InstanceStore, divisions
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profile, Profiles
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Limits, Workload
from stowage.model.offer import offer_of
from stowage.model.plan import nine_digits
from stowage.model.prediction import Prediction, predict
from stowage.optimizer.bulk.forecasts import Forecasts, forecast_into
from stowage.optimizer.search import search

SKYPILOT = "0.14.1"
"""The newest on the day of the figures."""

REGION = "us-east-1"
NODES = 20
SIZES = (10, 40, 80, 200)

PROCESSES = 5
REPEATS = 4
"""Of each case in each process, half of them in another order; the times of all processes are taken together."""

REPEATS_OF_TIES = 20
OUR_REPEATS = PROCESSES * REPEATS

ZONES = 3
"""Of each region, where SkyPilot's catalog has all of them, as the one that it fetches does."""

BULK_NODES = 5_000
"""Node counts of each type that are predicted in bulk."""

SAME_COST = 1e-9
"""Part by which two costs may differ that are the same [1]."""

WORKLOAD = Workload("", MapReduce("sort", 1e6), assume=Assumptions(launch="ignored", billing="prorated"))
"""A sort of 1 TB on the nodes' own disks: what it costs is hours times price, as SkyPilot reckons."""

SUPPOSED_MB_PER_S = 50.0
"""Of a disk of which nothing is known [MB/s]: there are fewer types of which enough is than candidates.

Low, so that none wins by what is supposed."""

VMS_COLUMNS = (
    "InstanceType",
    "AcceleratorName",
    "AcceleratorCount",
    "vCPUs",
    "MemoryGiB",
    "GpuInfo",
    "Price",
    "SpotPrice",
    "Region",
    "AvailabilityZone",
    "Arch",
    "LocalDiskType",
    "NVMeSupported",
    "LocalDiskSize",
    "LocalDiskCount",
    "MaximumEfaInterfaces",
)

PATCHES = (
    "aws/vms.csv is written from our catalog into a home folder of its own: no catalog is fetched",
    "sky.check.get_cached_enabled_clouds_or_refresh answers [AWS]: no credentials are checked, no state is read",
    "clouds.AWS.get_active_user_identity raises CloudUserIdentityError: no AWS command line is called",
    "SKYPILOT_DISABLE_USAGE_COLLECTION=1: no reports of use",
    "socket.connect, socket.create_connection and socket.getaddrinfo refuse",
)

DIFFERENCES = (
    "SkyPilot is handed the times and looks each up in a dictionary; ours predicts them again in each run",
    "SkyPilot has one node count for all candidates, and its estimator is not told which",
    f"an allow-list holds our search to the same types, and it takes every node count up to {NODES} and every division",
    "    of the disks: its question is larger, and its winner another; its candidates/s counts the types alone",
    "SkyPilot returns the cheapest type; our search the cheapest configuration, with its rejections by reason, but",
    "    without a frontier, curves, ranges and sources: the prediction of a row is computed when it is read, and the",
    "    search has its time and cost already",
    f"in bulk, ours predicts each type at {BULK_NODES:,} node counts, with ranges; the ratio is that of candidates/s,",
    f"    and the winner is that of {NODES} nodes",
    "by default ours bills the launch as well, and each node for a minute at least; both are switched off here",
    "ours takes costs for equal that are so to nine digits; of those the shorter time wins, then the name",
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates of both sides."""

    catalog: Catalog
    """With all types of the region: what is known of a type may rest on others of its family."""
    profiles: Profiles
    layouts: Mapping[str, InstanceStore]
    """Of each type the division of its disks with which it is fastest; in the order in which they are given."""
    seconds: Mapping[str, float]
    """Our p50 [s], as SkyPilot is told it."""
    repeats: int = REPEATS
    """In each process."""

    def some(self, types: Iterable[str]) -> "Candidates":
        """Return those of some types."""
        kept = tuple(types)
        return replace(
            self,
            layouts={name: self.layouts[name] for name in kept},
            seconds={name: self.seconds[name] for name in kept},
        )

    def cost_usd(self, name: str, nodes: int) -> float:
        """Multiply price, hours and nodes in the order in which SkyPilot does [USD]."""
        return usd_per_hour(self.catalog.instance_types[name]) * (self.seconds[name] / 3600) * nodes


def ours(candidates: Candidates, nodes: int) -> tuple[float, str]:
    """Return how long our side takes to choose from the candidates [s], and what it chooses."""
    started = time.perf_counter()
    best = min(order_of(name, predicted(candidates, name, nodes)) for name in candidates.layouts)
    return time.perf_counter() - started, best[2]


def order_of(name: str, found: Prediction) -> tuple[float, float, str]:
    """Return the order of candidates: cost, then time, then name; SkyPilot has cost alone."""
    return (float(nine_digits(found.cost_usd.p50)), found.time_s.p50, name)


def predicted(candidates: Candidates, name: str, nodes: int) -> Prediction:
    """Predict a candidate, which is one because it can sort the data."""
    configuration = Configuration(name, nodes, candidates.layouts[name])
    found = predict(configuration, WORKLOAD, candidates.catalog, candidates.profiles)
    if isinstance(found, Infeasible):
        raise TypeError(f"{name}: {found.reason}")
    return found


def ours_at_most(candidates: Candidates, nodes: int) -> tuple[float, str]:
    """Search the candidates' types at all node counts up to one: the search cannot be held to a single one."""
    chosen = Selection(instances=tuple(candidates.layouts))
    workload = replace(WORKLOAD, limits=Limits(max_nodes=nodes), selection=chosen)
    started = time.perf_counter()
    plan = search(workload, candidates.catalog, candidates.profiles, 1, frontier=False, curves=0)
    best = plan.ranked.rows[0].configuration
    taken_s = time.perf_counter() - started
    size = plan.candidates - sum(row.count for row in plan.rejected if row.limit == "selection")
    return taken_s, f"{best.nodes} x {best.instance} of {size:,} candidates"


def ours_in_bulk(candidates: Candidates, nodes: int) -> tuple[float, str]:
    """Predict the candidates' types at `BULK_NODES` node counts from one on, with ranges, in bulk.

    The result has the time [s], with that of looking up all figures, and the cheapest type at the fewest nodes.
    """
    counts = np.arange(float(nodes), float(nodes + BULK_NODES))
    started = time.perf_counter()
    into, found = Forecasts.empty(counts.size), []
    for name, layout in candidates.layouts.items():
        inputs = gather(
            candidates.catalog.instance_types[name], None, WORKLOAD, candidates.catalog, candidates.profiles
        )
        if isinstance(inputs, Infeasible):
            raise TypeError(f"{name}: {inputs.reason}")
        forecast_into(into, offer_of(inputs, layout, WORKLOAD, counts), WORKLOAD, counts)
        found.append((float(nine_digits(into.cost_p50_usd[0])), float(into.time_p50_s[0]), name))
    return time.perf_counter() - started, min(found)[2]


def usd_per_hour(instance: InstanceType) -> float:
    """Return the price of a type that has one [USD/h]."""
    if instance.usd_per_hour is None:
        raise ValueError(f"{instance.name} has no price")
    return instance.usd_per_hour.value


def all_candidates() -> tuple[Candidates, int]:
    """Return every type that can sort the data, and how many of the first have disks of which enough is known.

    Those come first; within each part they are in some order that stays.
    """
    whole = packaged(LATEST)
    catalog = whole.in_region(REGION)
    sold = [
        instance
        for instance in catalog.instance_types.values()
        if instance.disk_count.value >= 1 and instance.usd_per_hour is not None
    ]
    random.Random(2015).shuffle(sold)  # noqa: S311 - an order, no secret
    known = fastest(catalog, whole.profiles, sold)
    others = [instance for instance in sold if instance.name not in known]
    profiles = Profiles((*whole.profiles.rows, *map(suppose, others)))
    # Once more, with what both sides go by; those that are known come first.
    found = fastest(catalog, profiles, [instance for instance in sold if instance.name in known] + others)
    layouts = {name: layout for name, (layout, _) in found.items()}
    seconds = {name: time_s for name, (_, time_s) in found.items()}
    return Candidates(catalog, profiles, layouts, seconds), len(known)


def suppose(instance: InstanceType) -> Profile:
    """Make up what a type's disks reach."""
    rate = SUPPOSED_MB_PER_S * instance.disk_count.value
    return Profile(
        target=instance.name,
        metric="storage_mb_per_s",
        mean=rate,
        spread=None,
        count=None,
        cluster_nodes=None,
        statistic="average",
        placement_group=None,
        source="Supposed",
        kind="estimated",
        as_of=date(2026, 11, 20),
    )


def fastest(
    catalog: Catalog, profiles: Profiles, types: Iterable[InstanceType]
) -> dict[str, tuple[InstanceStore, float]]:
    """Return of each type that can sort the data the division of its disks that does so soonest, and its p50 [s]."""
    best: dict[str, tuple[InstanceStore, float]] = {}
    for instance in types:
        for layout in divisions(int(instance.disk_count.value), intermediate=True):
            found = predict(Configuration(instance.name, NODES, layout), WORKLOAD, catalog, profiles)
            if isinstance(found, Infeasible):
                continue
            if instance.name not in best or found.time_s.p50 < best[instance.name][1]:
                best[instance.name] = (layout, found.time_s.p50)
    return best


def ties(candidates: Candidates) -> list[str]:
    """Return the most types that cost the same to the last bit, by SkyPilot's arithmetic."""
    equal: dict[float, list[str]] = {}
    for name in candidates.layouts:
        equal.setdefault(candidates.cost_usd(name, NODES), []).append(name)
    return max(equal.values(), key=len)


def vms_csv(regions: Iterable[Catalog], zones: int = 1) -> str:
    """Write catalogs as SkyPilot reads them: all that has a price, one row a zone."""
    text = io.StringIO()
    rows = csv.DictWriter(text, VMS_COLUMNS)
    rows.writeheader()
    for catalog, zone in product(regions, range(1, zones + 1)):
        for name, instance in catalog.instance_types.items():
            if instance.usd_per_hour is not None:
                rows.writerow(
                    {
                        "InstanceType": name,
                        "vCPUs": instance.vcpus.value,
                        "MemoryGiB": instance.memory_gib.value,
                        "Price": instance.usd_per_hour.value,
                        "Region": catalog.region,
                        "AvailabilityZone": f"{catalog.region}-az{zone}",
                        "Arch": "arm64" if "arm64" in instance.traits else "x86_64",
                    }
                )
    return text.getvalue()


def install(folder: Path) -> Path:
    """Install SkyPilot into an environment of its own, and give its Python."""
    here = Path(__file__).resolve().parent.parent
    uv = shutil.which("uv") or max(map(str, here.glob(".tools/uv-*/bin/uv")), default=None)
    if uv is None:
        raise SystemExit("uv is neither on PATH nor in .tools: `make setup` gets it")
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)  # noqa: S603 - ours
    packages = [uv, "pip", "install", "--quiet", "--python", str(python), f"skypilot=={SKYPILOT}"]
    subprocess.run(packages, check=True)  # noqa: S603 - ours
    return python


def run_skypilot(python: Path, cases: Sequence[Candidates], catalog_csv: str, seed: int) -> dict[str, Any]:
    """Run all cases in one process of SkyPilot's environment, with a home folder of its own."""
    asked = {
        "vms_csv": catalog_csv,
        "nodes": NODES,
        "seed": seed,
        "cases": [
            {"types": list(case.layouts), "seconds": dict(case.seconds), "repeats": case.repeats} for case in cases
        ],
    }
    with TemporaryDirectory(prefix="stowage-bench-") as home:
        # Nothing else of the environment: neither credentials nor a configuration of SkyPilot's.
        variables = {"HOME": home, "PATH": os.defpath, "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
        ended = subprocess.run(  # noqa: S603 - our own worker
            [str(python), str(Path(__file__).with_name("skypilot_worker.py"))],
            input=json.dumps(asked),
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
    if ended.returncode != 0:
        raise SystemExit(f"SkyPilot's side failed:\n{ended.stderr}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def row(side: str, count: int, times_s: Sequence[float], ratio: float, winner: str) -> None:
    """Print one line of the table."""
    median, p95 = statistics.median(times_s), statistics.quantiles(times_s, n=20, method="inclusive")[-1]
    print(
        f"{count:>10}  {side:<30}{1000 * median:>9.1f}ms{1000 * p95:>9.1f}ms{count / median:>14,.0f}{ratio:>8.1f}"
        f"  {winner}"
    )


def measured_here(
    side: Callable[[Candidates, int], tuple[float, str]], candidates: Candidates
) -> tuple[list[float], Counter[str]]:
    """Run one of our sides after a warm-up, half of the runs in another order: the times [s] and the winners."""
    side(candidates, NODES)
    shuffle = random.Random(1)  # noqa: S311 - an order, no secret
    times_s, winners = [], Counter[str]()
    for number in range(OUR_REPEATS):
        types = list(candidates.layouts)
        order = shuffle.sample(types, len(types)) if number % 2 else types
        taken_s, winner = side(candidates.some(order), NODES)
        times_s.append(taken_s)
        winners[winner] += 1
    return times_s, winners


def counted(winners: Counter[str]) -> str:
    """Spell out how often each was chosen."""
    return ", ".join(f"{name} {count}" for name, count in winners.most_common())


def compare(case: Candidates, answers: Sequence[Mapping[str, Any]]) -> bool:
    """Print the lines of one case, and say whether both sides chose the same each time."""
    runs = [run for answer in answers for run in answer["runs"]]
    theirs_s = [run["taken_s"] for run in runs]
    theirs = Counter[str](run["winner"] for run in runs)
    ours_s, chosen = measured_here(ours, case)
    ratio = statistics.median(theirs_s) / statistics.median(ours_s)
    row("SkyPilot Optimizer.optimize", len(case.layouts), theirs_s, 1.0, counted(theirs))
    row("ours: predict, each in full", len(case.layouts), ours_s, ratio, counted(chosen))
    searched_s, found = measured_here(ours_at_most, case)
    ratio = statistics.median(theirs_s) / statistics.median(searched_s)
    row(f"ours: search, up to {NODES} nodes", len(case.layouts), searched_s, ratio, counted(found))
    bulk_s, cheapest = measured_here(ours_in_bulk, case)
    count = BULK_NODES * len(case.layouts)
    ratio = statistics.median(theirs_s) / len(case.layouts) / (statistics.median(bulk_s) / count)
    row(f"ours: bulk, {BULK_NODES:,} node counts", count, bulk_s, ratio, counted(cheapest))
    return len(theirs) == 1 and theirs.keys() == chosen.keys() == cheapest.keys()


def largest_difference(case: Candidates, answer: Mapping[str, Any]) -> float:
    """Return by what part the costs of the two sides differ at most [1]."""
    largest = 0.0
    for name in case.layouts:
        found = predicted(case, name, NODES)
        largest = max(largest, abs(answer["cost_usd"][name] / found.cost_usd.p50 - 1.0))
    return largest


def print_ties(case: Candidates, answers: Sequence[Mapping[str, Any]]) -> None:
    """Print who won among candidates of equal cost, by process and by order."""
    cost_usd = case.cost_usd(next(iter(case.layouts)), NODES)
    print(f"\nequal costs: {', '.join(sorted(case.layouts))}; {cost_usd!r} USD each")
    for number, answer in enumerate(answers, 1):
        for shuffled, words in ((False, "one order"), (True, "other orders")):
            winners = Counter[str](run["winner"] for run in answer["runs"] if run["shuffled"] is shuffled)
            print(f"  SkyPilot, process {number}, {words:<13} {counted(winners)}")
    _, chosen = measured_here(ours, case)
    print(f"  ours, {OUR_REPEATS} runs, half of them in other orders: {counted(chosen)}")
    print("  SkyPilot keeps candidates in a set of objects whose hash follows from their address, and takes the first.")


def print_head(versions: Mapping[str, str], installed_s: float, rows: int, known: int) -> None:
    """Print on what, with what and how often was measured."""
    print("python bench/skypilot.py")
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}; SkyPilot {versions['skypilot']} with pandas {versions['pandas']}, "
        f"installed in {installed_s:.1f} s"
    )
    print(
        f"{LATEST}, {REGION}, {rows:,} types with a price in SkyPilot's catalog; 1 TB sort on {NODES} nodes, "
        "the cheapest wins"
    )
    print(
        f"SkyPilot: {PROCESSES} processes with {REPEATS} repeats each after a warm-up; ours: {OUR_REPEATS} repeats "
        "after one; every other one in another order"
    )
    print(
        f"{known} types have disks of which enough is known, and come first; of the others each disk is supposed to "
        f"reach {SUPPOSED_MB_PER_S:.0f} MB/s"
    )


def print_all_regions(case: Candidates, found: Mapping[str, Any], rows: int) -> None:
    """Print what the same candidates take SkyPilot in a catalog of all regions."""
    times_s = [run["taken_s"] for run in found["runs"]]
    print(
        f"SkyPilot with all regions in its catalog, {ZONES} zones each, {rows:,} rows: {len(case.layouts)} "
        f"candidates in {1000 * statistics.median(times_s):,.0f} ms (median of {len(times_s)}, "
        f"longest {1000 * max(times_s):,.0f} ms)"
    )


def main() -> None:
    """Print what both sides take, and what they choose."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--environment", type=Path, help="where SkyPilot is installed, and kept")
    given: Path | None = options.parse_args().environment
    temporary = TemporaryDirectory(prefix="stowage-bench-") if given is None else nullcontext(given)
    everything, known = all_candidates()
    names = list(everything.layouts)
    cases = [everything.some(names[:size]) for size in SIZES]
    tied = replace(everything.some(ties(everything.some(names[:known]))), repeats=REPEATS_OF_TIES)
    whole = packaged(LATEST)
    one_region = vms_csv([everything.catalog])
    all_regions = vms_csv(map(whole.in_region, whole.regions), ZONES)
    with temporary as folder:
        started = time.perf_counter()
        python = install(Path(folder).absolute())
        installed_s = time.perf_counter() - started
        answers = [run_skypilot(python, [*cases, tied], one_region, seed) for seed in range(PROCESSES)]
        of_all_regions = run_skypilot(python, [cases[1]], all_regions, PROCESSES)
    by_case = list(zip(*(answer["cases"] for answer in answers), strict=True))

    print_head(answers[0]["versions"], installed_s, one_region.count("\n") - 1, known)
    heads = f"{'candidates':>10}  {'side':<30}{'median':>11}{'p95':>11}{'candidates/s':>14}{'ratio':>8}"
    print(f"\n{heads}  winner and in how many runs")
    same = [compare(case, found) for case, found in zip(cases, by_case, strict=False)]
    print(f"the same winner on both sides in every run: {'yes' if all(same) else f'NO {same}'}")
    differences = [largest_difference(case, found[0]) for case, found in zip([*cases, tied], by_case, strict=True)]
    print(f"the costs of the two sides differ by a factor of 1 +- {max(differences):.1e} at most")
    first_s = statistics.median(answer["first_s"] for answer in answers)
    print(f"SkyPilot's first optimization in a process, {SIZES[0]} candidates: {1000 * first_s:.0f} ms (median)")
    print_all_regions(cases[1], of_all_regions["cases"][0], all_regions.count("\n") - 1)
    print_ties(tied, by_case[-1])

    print("\npatched, so that SkyPilot runs without a network:")
    print("\n".join(f"  {patch}" for patch in PATCHES))
    refused = sum(len(answer["refused"]) for answer in [*answers, of_all_regions])
    print(f"  connections that were refused: {refused}")
    print("\nwhere the sides differ:")
    print("\n".join(f"  {difference}" for difference in DIFFERENCES))
    if not all(same) or max(differences) > SAME_COST:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
