"""Predictions a second in bulk, with every effect, the range and the cost, beside what the machine could do.

One configuration is a type x node count x storage layout: medians of time and cost, p10 and p90 of both, and the
chances to meet a deadline and a budget, written into arrays that are there before. Node counts, prices, rates of CPUs
and sizes of volumes differ from one to the next. Two kinds of storage: the instances' own disks, at the physical limit
and with Spark, and EBS volumes with burst credit behind a link with credit.

Times are those of the CPU, as other programs share this machine; the rate on two cores is that of both threads of one
call. The reference is the model itself, on arrays that fit the cache. The roofline is measured in the same run: what
memory, divisions, other operations and numpy's functions would take alone, each at its full rate.

    .venv/bin/python bench/predictions.py
"""

import ctypes
import os
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.catalog.snapshot import packaged
from stowage.model.cluster import Ebs, InstanceStore
from stowage.model.forecast import forecast
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Workload
from stowage.model.offer import Offer, offer_of
from stowage.model.uncertainty.scale import normal_cdf
from stowage.optimizer.bulk.forecasts import Forecasts, forecast_into, program_of
from stowage.optimizer.bulk.program import CHUNK, Execution, Program
from stowage.optimizer.bulk.recording import COMPILED, Recorder

SIZE = 1 << 20
ROUNDS = 7
LIMITS = Limits(deadline_s=1_800.0, budget_usd=500.0)
PAPER = packaged("paper-2014")
CATALOG = PAPER.in_region("us-east-1")

_TRIM_THRESHOLD, _TOP_PAD = -1, -2
"""Parameters of mallopt(3)."""

Floats = NDArray[np.float64]
Question = tuple[Offer, Workload, Floats]


def on_own_disks(size: int, framework: str = "ideal") -> Question:
    """Ask for a 100 TB sort with two copies: 2 phases over 5 resources, stragglers, the network's fall, CPU."""
    job = MapReduce("sort", 100e6, durability=Durability("application", 2))
    return question("i2.8xlarge", None, InstanceStore(5, 3), Workload("", job, framework, limits=LIMITS), size)


def with_spark(size: int) -> Question:
    """Ask for the same sort with Spark: tasks, waves, serial fetches, growth and start-up."""
    return on_own_disks(size, "spark")


def on_volumes(size: int) -> Question:
    """Ask for the same sort on gp2: lines with credit carried from phase to phase, each volume of its own size."""
    workload = Workload("", MapReduce("sort", 100e6, durability=Durability("infrastructure")), limits=LIMITS)
    workload = replace(workload, assume=replace(workload.assume, network="unlimited"), credits=0.4)
    return question("i2.4xlarge", "gp2", Ebs("gp2", 135, 8), workload, size)


def question(instance: str, volume: str | None, layout: InstanceStore | Ebs, workload: Workload, size: int) -> Question:
    """Stack configurations: node counts, disk rates, prices and volume sizes that differ from one to the next."""
    of_type = None if volume is None else CATALOG.volume_types[volume]
    inputs = gather(CATALOG.instance_types[instance], of_type, workload, CATALOG, PAPER.profiles)
    if isinstance(inputs, Infeasible):
        raise SystemExit(inputs.reason)
    random = np.random.default_rng(20261120)
    nodes = random.integers(100, 1_000, size).astype(np.float64)
    sizes = None if volume is None else random.integers(100, 1_000, size).astype(np.float64)
    offered = offer_of(inputs, layout, workload, nodes, sizes)

    def differing(value: float) -> Floats:
        return value * random.uniform(0.5, 2.0, size)

    prices = replace(offered.prices, usd_per_hour=differing(inputs.price.value))
    rates = replace(offered.rates, cpu=differing(3_200.0))
    return replace(offered, prices=prices, rates=rates), workload, nodes


def cpu_ns(call: Callable[[], object], count: int) -> float:
    """Return the median CPU time of all threads for each of ``count`` elements [ns], after a warm-up."""
    call()
    times_ns = []
    for _ in range(ROUNDS):
        started = time.process_time_ns()
        call()
        times_ns.append((time.process_time_ns() - started) / count)
    return statistics.median(times_ns)


def bulk_ns(ask: Callable[[int], Question], threads: int) -> float:
    """Return the CPU time of all threads for each configuration of a large call [ns]."""
    offered, workload, nodes = ask(SIZE)
    into = Forecasts.empty(SIZE)
    return cpu_ns(lambda: forecast_into(into, offered, workload, nodes, threads), SIZE)


def model_ns(ask: Callable[[int], Question], times: int = 20) -> float:
    """Return the CPU time of the model itself for each configuration, on arrays that fit the cache [ns].

    Where the C library gives memory back to the system after each operation of numpy, it takes half as long again.
    """
    for parameter in (_TRIM_THRESHOLD, _TOP_PAD):
        ctypes.CDLL(None).mallopt(parameter, 1 << 28)
    asked = ask(CHUNK)

    def call() -> None:
        for _ in range(times):
            forecast(*asked)

    return cpu_ns(call, CHUNK * times)


def function_ns(of: Callable[[Any], Any], times: int = 200) -> float:
    """Return the CPU time of a function of the model in bulk, for each element of an array in the cache [ns]."""
    recorder = Recorder(CHUNK)
    result = of(recorder.symbol(np.random.default_rng(1).uniform(-3.0, 3.0, CHUNK)))
    execution = Execution(Program(recorder, [recorder.value(result)]), [np.empty(CHUNK)])

    def call() -> None:
        for _ in range(times):
            execution.run(0, CHUNK)

    return cpu_ns(call, CHUNK * times)


@dataclass(frozen=True, slots=True)
class Machine:
    """CPU time of each kind of work on one core at its full rate [ns]."""

    read: float
    """A number from memory."""
    written: float
    """A number to memory."""
    multiply_add: float
    division: float
    function: float
    """exp or log, by numpy."""

    @classmethod
    def measured(cls) -> "Machine":
        """Measure this machine."""
        a, x = np.ones(1 << 23), np.random.default_rng(1).uniform(0.1, 1.0, CHUNK)
        with TemporaryDirectory(prefix="stowage-bench-") as folder:
            core = compiled(Path(__file__).with_name("roofline.c"), Path(folder))
            rounds, each = 200_000, core.of_a_round()
            multiply_add = cpu_ns(lambda: core.multiply_adds(rounds), rounds * each)
            division = cpu_ns(lambda: core.divisions(rounds), rounds * each)
        y = np.empty_like(x)
        function = cpu_ns(lambda: [f(x, out=y) for f in (np.exp, np.log) for _ in range(200)], 400 * CHUNK)
        return cls(cpu_ns(a.sum, a.size), cpu_ns(lambda: a.fill(1.0), a.size), multiply_add, division, function)


def compiled(source: Path, folder: Path) -> ctypes.CDLL:
    """Compile a C file for this processor."""
    library = folder / f"{source.stem}.so"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ("-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=fast", "-fPIC", "-shared")
    subprocess.run([*compiler, *flags, "-o", str(library), str(source)], check=True)  # noqa: S603 - the user's compiler
    found = ctypes.CDLL(str(library))
    for function in (found.multiply_adds, found.divisions):
        function.argtypes, function.restype = (ctypes.c_int64,), ctypes.c_double
    return found


@dataclass(frozen=True, slots=True)
class Work:
    """Work of one prediction, by kind."""

    read: int
    """Numbers from memory."""
    written: int
    """Numbers to memory."""
    operations: int
    """Other than divisions, square roots among these, and functions."""
    divisions: int
    functions: int

    @classmethod
    def of(cls, asked: Question) -> "Work":
        """Count the operations that are recorded."""
        program, results = program_of(*asked)
        codes = np.concatenate([step.operations["code"] for step in program.steps])
        divisions = int(np.isin(codes, [COMPILED.index(name) for name in ("divide", "sqrt")]).sum())
        sums = int((codes == COMPILED.index("multiply_add")).sum())
        functions = sum(len(step.by_numpy) for step in program.steps)
        read = len(program.arrays) - len(program.tables)
        return cls(read, len(results), codes.size + sums - divisions, divisions, functions)

    def alone_ns(self, machine: Machine) -> dict[str, float]:
        """Return the CPU time of each kind of work alone, on one core [ns]."""
        return {
            "memory": self.read * machine.read + self.written * machine.written,
            "divisions": self.divisions * machine.division,
            "other operations": self.operations * machine.multiply_add,
            "exp and log": self.functions * machine.function,
        }


def main() -> None:
    """Print the rates, and what bounds them."""
    machine = Machine.measured()
    print(
        f"one core: memory {8.0 / machine.read:.1f} GB/s read, {8.0 / machine.written:.1f} GB/s written; "
        f"{1.0 / machine.multiply_add:.0f} fused multiply-adds, {1.0 / machine.division:.2f} divisions a ns; "
        f"exp and log {machine.function:.2f} ns, the normal distribution function {function_ns(normal_cdf):.1f} ns each"
    )
    for ask in (on_own_disks, with_spark, on_volumes):
        before = model_ns(ask)
        alone, both = bulk_ns(ask, 1), bulk_ns(ask, 2)
        print(
            f"{ask.__name__:13} one core {1_000.0 / alone:5.1f}, two cores {2_000.0 / both:5.1f} million predictions a "
            f"second; {alone:.0f} ns each, {before / alone:.1f} times faster than the model on arrays ({before:.0f} ns)"
        )
        asked = ask(CHUNK)
        work = Work.of(asked)
        parts = work.alone_ns(machine)
        # Memory, the divider and the other units work at the same time; numpy's functions come in between.
        least = max(parts["memory"], parts["divisions"], parts["other operations"]) + parts["exp and log"]
        print(f"{'':13} {work}")
        print(
            f"{'':13} alone: {', '.join(f'{name} {taken:.1f} ns' for name, taken in parts.items())}; "
            f"at least {least:.1f} ns, of which this is {alone / least:.1f} times"
        )


if __name__ == "__main__":
    main()
