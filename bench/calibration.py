"""How well runs on few nodes predict many: simulated clusters whose truth has effects that the fit does not know.

Each cluster has hardware and a framework of its own, drawn at random; what it does besides (`Truth`) is no part of what
is fitted. Prints the errors at 100 nodes and how often the interval holds the truth.
"""

import argparse
import math
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

import numpy as np

from stowage.measure.fits.calibration import Calibration
from stowage.measure.fits.calibration_fit import fit
from stowage.measure.judging.run_physics import Physics, Run, physics_of
from stowage.model.figure import given
from stowage.model.forecast import PhaseTime
from stowage.model.jobs.flows import Nodes, with_busiest_node
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.rates import Rates, channel, node_resources

TODAY = date(2026, 11, 21)
SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
LARGE = 100


@dataclass(frozen=True)
class Truth:
    """Effects of a simulated cluster that the fit does not model."""

    skew: float
    """The node with the most keys receives 1 + skew log2(n) shares in the second phase."""
    slow_share: float
    """Share of nodes with slow disks: a run has one by chance."""
    slow_factor: float
    """Time on slow disks, relative to the time on the other disks."""
    step_at: float
    """Number of nodes from which on the network is slower: a rack is full."""
    step_factor: float
    """Time on the network from `step_at` nodes on, relative to the time with fewer nodes."""
    noise: float
    """Standard deviation of ln(time) from run to run."""


@dataclass(frozen=True)
class Cluster:
    """Hardware, job and framework of one simulated team."""

    rates: Rates
    job: MapReduce
    framework: Framework
    truth: Truth

    def phases(self, nodes: int, data_mb: float, framework: Framework) -> tuple[PhaseTime, ...]:
        """Return what the model says of a run."""
        even = replace(self.job, data_mb=data_mb).phases(Nodes(float(nodes), 64_000.0, 8.0))
        moved = with_busiest_node(even, framework.grown(float(nodes)))
        resources = node_resources(self.rates, framework)
        found = []
        for phase in moved:
            times = tuple((resource.name, float(resource.time_s(phase.flows_mb))) for resource in resources)
            found.append(PhaseTime(phase.name, max(float(alone_s) for _, alone_s in times), times))
        return tuple(found)

    def physics(self, nodes: int, data_mb: float) -> Physics:
        """Return what the fit is told of a run."""
        return physics_of(float(nodes), lambda framework: self.phases(nodes, data_mb, framework))

    def run_s(self, nodes: int, data_mb: float, random: np.random.Generator) -> float:
        """Run it [s]."""
        truth, framework = self.truth, self.framework
        slow = truth.slow_factor if random.random() < 1.0 - (1.0 - truth.slow_share) ** nodes else 1.0
        total_s = float(framework.overhead_s(float(nodes)) or 0.0)
        for index, phase in enumerate(self.phases(nodes, data_mb, framework)):
            heavy = 1.0 + truth.skew * math.log2(nodes) if index > 0 else 1.0
            longest_s = 0.0
            for name, alone_s in phase.resource_times_s:
                of = channel(name)
                late = (
                    slow
                    if of == "storage"
                    else truth.step_factor
                    if of == "network" and nodes >= truth.step_at
                    else 1.0
                )
                longest_s = max(longest_s, float(alone_s) * heavy * late)
            total_s += longest_s
        return total_s * math.exp(random.normal(0.0, truth.noise))


def a_cluster(random: np.random.Generator) -> Cluster:
    """Draw hardware, framework and what the fit does not know."""
    disk = float(random.uniform(150.0, 1_500.0))
    rates = Rates(
        network=float(random.uniform(100.0, 1_200.0)),
        input_output_disks=disk,
        intermediate_disks=disk * float(random.choice((0.5, 1.0))),
        cpu=float(random.uniform(300.0, 2_000.0)),
    )
    reached: dict[str, Any] = {
        name: given(name, float(math.exp(-random.uniform(0.0, 0.7))), "1")
        for name in ("network_efficiency", "read_efficiency", "write_efficiency", "cpu_efficiency")
    }
    framework = replace(
        IDEAL,
        **reached,
        start_up=given("start_up", float(random.uniform(5.0, 60.0)), "s"),
        log_nodes=given("log_nodes", float(random.uniform(0.0, 10.0)), "s"),
        per_node=given("per_node", float(random.uniform(0.0, 0.5)), "s"),
    )
    truth = Truth(
        skew=float(random.uniform(0.0, 0.03)),
        slow_share=float(random.uniform(0.0, 0.01)),
        slow_factor=float(random.uniform(1.1, 1.5)),
        step_at=float(math.exp(random.uniform(math.log(8.0), math.log(90.0)))),
        step_factor=float(random.uniform(1.0, 1.4)),
        noise=float(random.uniform(0.02, 0.08)),
    )
    job = MapReduce("mapreduce", 1.0, float(random.uniform(0.5, 1.2)), float(random.uniform(0.5, 1.2)))
    return Cluster(rates, job, framework, truth)


def runs_of(cluster: Cluster, count: int, random: np.random.Generator, wrong: float = 1.0) -> list[Run]:
    """Run it a few times on up to 20 nodes; one of the runs may be wrong by a factor."""
    runs = []
    for index in range(count):
        nodes = int(random.choice(SIZES))
        data_mb = nodes * float(random.uniform(20e3, 200e3))
        measured_s = cluster.run_s(nodes, data_mb, random) * (wrong if index == count // 2 else 1.0)
        runs.append(Run(f"run {index + 1}", measured_s, cluster.physics(nodes, data_mb)))
    return runs


@dataclass(frozen=True)
class Outcome:
    """Errors of many clusters at the large size."""

    errors: Sequence[float]
    held: Sequence[bool]
    widths: Sequence[float]
    left_out_pct: Sequence[float]

    def first(self, clusters: int) -> "Outcome":
        """Return the outcome of the first clusters alone."""
        return Outcome(*(getattr(self, each.name)[:clusters] for each in fields(self)))

    def row(self) -> str:
        """Print it."""
        errors = np.abs(self.errors) * 100.0
        bias, held = np.median(self.errors) * 100.0, np.mean(self.held) * 100.0
        wide, left_out = math.exp(np.median(self.widths)), np.median(self.left_out_pct)
        return (
            f"{np.median(errors):6.1f}% {np.quantile(errors, 0.9):6.1f}% {bias:+6.1f}% {held:6.1f}% "
            f"{wide:8.2f} {left_out:8.1f}%"
        )


def simulate(clusters: int, count: int, *, seed: int = 1, wrong: float = 1.0, large: int = LARGE) -> Outcome:
    """Fit many clusters and compare with a run on many nodes."""
    errors, held, widths, left_out = [], [], [], []
    for index in range(clusters):
        random = np.random.default_rng((seed, index))
        cluster = a_cluster(random)
        data_mb = large * 100e3
        actual_s = cluster.run_s(large, data_mb, random)
        calibration: Calibration = fit("simulated", runs_of(cluster, count, random, wrong), TODAY)
        found = calibration.expect(cluster.physics(large, data_mb))
        errors.append(found.time_s / actual_s - 1.0)
        held.append(found.low_s <= actual_s <= found.high_s)
        widths.append(math.log(found.high_s / found.low_s))
        left_out.append(calibration.median_error_pct)
    return Outcome(errors, held, widths, left_out)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=400)
    clusters = parser.parse_args().clusters
    print(f"{clusters} simulated clusters, {platform.machine()}, Python {platform.python_version()}")
    print("predicted: 100 nodes, from runs on 2 to 20     median    p90    bias   held  high/low  left out")
    cases: Mapping[str, tuple[int, float, int]] = {
        "6 runs": (6, 1.0, LARGE),
        "8 runs": (8, 1.0, LARGE),
        "12 runs": (12, 1.0, LARGE),
        "20 runs": (20, 1.0, LARGE),
        "40 runs": (40, 1.0, LARGE),
        "20 runs, one 3x too long": (20, 3.0, LARGE),
        "20 runs, one 3x too short": (20, 1.0 / 3.0, LARGE),
        "12 runs, one 3x too long": (12, 3.0, LARGE),
        "20 runs; 20 nodes predicted": (20, 1.0, 20),
    }
    for name, (count, wrong, large) in cases.items():
        started = time.perf_counter()
        found = simulate(clusters, count, wrong=wrong, large=large)
        each_ms = (time.perf_counter() - started) / clusters * 1e3
        print(f"{name:44s} {found.row()}   {each_ms:6.0f} ms each")


if __name__ == "__main__":
    main()
