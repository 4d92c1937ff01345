"""Physical limit: the time below which no framework can run a job on a configuration.

A prediction is the expected time of a run. The limit is the part of this time that the hardware alone causes. The other
part has causes, such as CPU time or uneven tasks.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from stowage.frozen import frozen
from stowage.model.cluster import Configuration, Layout
from stowage.model.complete import Checked
from stowage.model.figure import Figure
from stowage.model.forecast import left, phases_of, with_cache
from stowage.model.hardware.profile import Metric, ScalingCurve
from stowage.model.inputs import Inputs
from stowage.model.jobs.engine import DIRECT, Engine
from stowage.model.jobs.flows import INTERMEDIATE, Phase
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import IDEAL
from stowage.model.jobs.workload import Workload
from stowage.model.offer import Offer, timed_offer
from stowage.model.rates import node_resources
from stowage.model.units import Quantity, longer

_UNBOUNDED = 1e9
"""Stands for a rate that only the network limits [MB/s]."""


def limit_time_s(inputs: Inputs, layout: Layout, workload: Workload, nodes: Quantity) -> Quantity:
    """Return the physical limit of a job [s].

    Parameters
    ----------
    inputs : Inputs
        Inputs of the prediction (`inputs.gather`), or stacked inputs of several configurations.
    layout : Layout
    workload : Workload
        Workload with the replication factor that applies at these node counts.
    nodes : float or array
        Node counts with enough capacity for the job.

    Notes
    -----
    Each byte moves only where it must, once and in its stated size, and all flows of a phase overlap perfectly. Every
    node has the highest known rates of its type, measured or published: networks and EBS links sustain their maxima,
    and the object store is as fast as the network. Burst buckets are full; CPUs, start-up and launch take no time.
    Intermediate data that fits in the memory of a node does not use the node's disks. Phases still run one after the
    other: no byte of a sorted output can be written before the last byte of the input is read.
    """
    full = replace(_undisturbed(workload), credits=1.0)
    offered = timed_offer(_limit_inputs(inputs, full), layout, full, nodes)
    return _phases_s(offered, full, nodes, in_memory=True)


@frozen
class Cause(Checked):
    """One cause of the difference between the physical limit and a prediction."""

    name: str
    time_s: float
    """Time that the cause adds [s]; below 0 if it saves time, as compression does."""


def causes(
    inputs: Inputs, configuration: Configuration, workload: Workload, limit_s: float, median_s: float
) -> tuple[Cause, ...]:
    """Return the causes of the predicted time beyond the physical limit.

    They are in the order of `_steps`.

    Parameters
    ----------
    inputs : Inputs
        Inputs of the prediction.
    configuration : Configuration
    workload : Workload
        As for `limit_time_s`.
    limit_s : float
        The physical limit [s].
    median_s : float
        The predicted time [s].

    Returns
    -------
    tuple of Cause
        The times of all causes and the physical limit add up to ``median_s``. Earlier causes may hide a later cause:
        CPU time, for example, adds nothing while the disks are slower. Causes that add nothing are left out.
    """
    before_s = limit_s
    found = []
    for name, time_s in (*_steps(inputs, configuration, workload), (_REST, median_s)):
        found.append(Cause(name, time_s - before_s))
        before_s = time_s
    return tuple(cause for cause in found if abs(cause.time_s) > _NOTHING * max(limit_s, median_s))


_NOTHING = 1e-6
_REST = "slow nodes, launch and start-up"


def _steps(inputs: Inputs, configuration: Configuration, workload: Workload) -> Iterator[tuple[str, float]]:
    """Yield the names of causes, each with a time of the job [s].

    It is the time of the job under this cause and all previous causes.
    """
    engine, undisturbed, nodes = inputs.framework.engine, _undisturbed(workload), float(configuration.nodes)
    alike = replace(inputs, storage_spread=None, ebs_spread=None, interruptions=None, launch=None)
    without_cpu = timed_offer(
        replace(alike, cpu=None, cpu_baseline_share=None), configuration.layout, undisturbed, nodes
    )

    @cache
    def time_s(engine: Engine, *, in_memory: bool = False) -> float:
        # Without CPU time, rates do not depend on the engine. Most frameworks have the same engine in several steps.
        running = replace(without_cpu, framework=replace(IDEAL, engine=engine))
        return float(_phases_s(running, undisturbed, nodes, in_memory=in_memory))

    @cache
    def with_cpu_s(framework: Framework) -> float:
        offered = timed_offer(replace(alike, framework=framework), configuration.layout, undisturbed, nodes)
        return float(_phases_s(offered, undisturbed, nodes, in_memory=False))

    bytes_only = Engine(merging=engine.merging, shuffle_size=engine.shuffle_size, wire_size=engine.wire_size)
    yield "sustained rates below peak", time_s(DIRECT, in_memory=True)
    yield "scratch data on disk", time_s(DIRECT)
    yield "spills, merges and shuffle format", time_s(bytes_only)
    if engine.remote_input:
        yield "input of other nodes", time_s(replace(bytes_only, remote_input=True))
    yield "phases that do not overlap", time_s(replace(engine, split=None))
    yield "uneven tasks", time_s(engine)
    own = inputs.framework
    yield "CPU", with_cpu_s(replace(IDEAL, engine=engine))
    # The work of the busiest node grows with the node count.
    yield "uneven nodes", with_cpu_s(replace(IDEAL, engine=engine, growth=own.growth, growth_from=own.growth_from))
    yield "unexplained framework overhead", with_cpu_s(own)


def _undisturbed(workload: Workload) -> Workload:
    """Return a workload without the launch of a cluster and without slow nodes."""
    assume = replace(workload.assume, spread="ignored", launch="ignored")
    return replace(workload, assume=assume, stragglers=None, spares=0)


def _phases_s(offered: Offer, workload: Workload, nodes: Quantity, *, in_memory: bool) -> Quantity:
    """Return the total time of a job's phases [s].

    With ``in_memory``, intermediate data stays in memory as far as it fits.
    """
    resources = node_resources(offered.rates, offered.framework)
    total_s: Quantity = 0.0
    phases = phases_of(offered, workload, nodes)
    for place, phase in enumerate(phases, start=1):
        moved = _in_memory(phase, offered.memory_mb) if in_memory else phase
        slowest_s: Quantity = 0.0
        for resource in with_cache(resources, offered, moved):
            slowest_s = longer(slowest_s, resource.time_s(moved.flows_mb))
        if place < len(phases):
            resources = left(resources, moved, slowest_s)
        total_s = total_s + slowest_s
    return total_s


def _limit_inputs(inputs: Inputs, workload: Workload) -> Inputs:
    """Return inputs for the physical limit, with every rate at its maximum.

    They leave out the effects of frameworks, and of the differences between many nodes.
    """
    return replace(
        inputs,
        framework=IDEAL,
        network=_peak(inputs, workload),
        storage=_at_best(inputs, "storage_mb_per_s", inputs.storage),
        storage_read=_at_best(inputs, "storage_read_mb_per_s", inputs.storage_read),
        storage_write=_at_best(inputs, "storage_write_mb_per_s", inputs.storage_write),
        ebs_read=_at_best(inputs, "ebs_read_mb_per_s", inputs.ebs_read),
        ebs_write=_at_best(inputs, "ebs_write_mb_per_s", inputs.ebs_write),
        network_baseline=None,
        network_credit=None,
        single_flow=None,
        ebs_baseline=inputs.ebs_maximum,
        ebs_baseline_iops=inputs.ebs_maximum_iops,
        object_store=_object_store(inputs.object_store),
        cpu=None,
        cpu_baseline_share=None,
        storage_spread=None,
        ebs_spread=None,
        doubts=(),
        extrapolation=None,
        interruptions=None,
        launch=None,
    )


def _object_store(found: Figure | None) -> Figure | None:
    """Return the rate of the object store for the physical limit.

    A rate that the user measured is used as it is. The default rate is only an estimate, so an unlimited rate replaces
    it. The result is None if the object store is not used.
    """
    return found if found is None or found.kind == "given" else replace(found, value=_UNBOUNDED, unit="MB/s")


def _at_best(inputs: Inputs, metric: Metric, found: Figure | None) -> Figure | None:
    """Return the higher of two rates of a type [MB/s].

    One is the rate ``found``. The other is the highest rate in the profiles of the type. A rate that a user gives may
    be that of the slowest node of a large cluster, as in the paper, and so be too low.
    """
    return None if found is None else replace(found, value=longer(found.value, inputs.fastest.get(metric, 0.0)))


def _peak(inputs: Inputs, workload: Workload) -> Figure | None:
    """Return the highest known rate of a node's network [MB/s].

    The result is None if the network is unlimited.
    """
    found = inputs.network
    if isinstance(found, ScalingCurve):
        found = max((point.figure() for point in found.points), key=lambda figure: figure.value)
    peak = inputs.instance.network_peak_mb_per_s
    if found is not None and peak is not None and workload.assume.network != "baseline":
        found = replace(found, value=longer(found.value, peak.value))
    return _at_best(inputs, "network_mb_per_s", found)


def _in_memory(phase: Phase, memory_mb: Quantity) -> Phase:
    """Return a phase with intermediate data in memory.

    As much of the data as fits is moved from the disks to memory.
    """
    if not set(INTERMEDIATE) & phase.flows_mb.keys():
        return phase
    flows = {
        role: longer(flow - memory_mb, 0.0) if role in INTERMEDIATE else flow for role, flow in phase.flows_mb.items()
    }
    return replace(phase, flows_mb=flows)
