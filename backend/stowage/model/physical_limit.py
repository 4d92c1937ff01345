"""The physical limit: the time below which no framework can run a job on a configuration.

What one expects of a run is a prediction. The limit is what remains of it when nothing but the hardware counts.
"""

from dataclasses import replace

from stowage.model.cluster import Configuration, node_resources
from stowage.model.figure import Figure
from stowage.model.flows import INTERMEDIATE, Phase
from stowage.model.forecast import left, phases_of, with_cache
from stowage.model.framework import IDEAL
from stowage.model.inputs import Inputs
from stowage.model.offer import offer_of
from stowage.model.profile import Metric, ScalingCurve
from stowage.model.units import longer
from stowage.model.workload import Workload

_UNBOUNDED = 1e9
"""In place of a rate that only the network bounds [MB/s]."""


def physical_limit_s(inputs: Inputs, configuration: Configuration, workload: Workload) -> float:
    """Return the physical limit of a job [s].

    Parameters
    ----------
    inputs : Inputs
        Of the prediction (`inputs.gather`).
    configuration : Configuration
        It must be able to hold the job.
    workload : Workload
        With the copies that hold at its node count.

    Notes
    -----
    Each byte moves where it must go, once and uncompressed, and all flows of a phase overlap perfectly. Every node has
    the highest rates that are known of its type, measured or published: networks and links to EBS carry their maxima
    however long, the object store gives and takes what the network carries. Burst buckets are full; CPUs, start-up and
    launch take no time. Intermediate data that fits the memory of a node does not touch its disks. Two phases remain
    two: no byte of a sorted output can be written before the last of the input is read.
    """
    limited = _limit_inputs(inputs, workload)
    assume = replace(workload.assume, cpu="ignored", spread="ignored", launch="ignored")
    limited_workload = replace(workload, assume=assume, credits=1.0, stragglers=None, spares=0)
    nodes = float(configuration.nodes)
    offered = offer_of(limited, configuration.layout, limited_workload, nodes, quantile=0.5)
    resources = node_resources(offered.rates, offered.framework)
    total_s = 0.0
    for phase in phases_of(offered, limited_workload, nodes):
        moved = _in_memory(phase, float(offered.memory_mb))
        slowest_s = 0.0
        for resource in with_cache(resources, offered, moved):
            slowest_s = max(slowest_s, float(resource.time_s(moved.flows_mb)))
        resources = left(resources, moved, slowest_s)
        total_s += slowest_s
    return total_s


def _limit_inputs(inputs: Inputs, workload: Workload) -> Inputs:
    """Return inputs with every rate at its maximum, and without what only a framework or many nodes add."""
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
    """Return a rate of the object store that only a user's measurement bounds: the default is an estimate by vCPU."""
    return found if found is None or found.kind == "given" else replace(found, value=_UNBOUNDED, unit="MB/s")


def _at_best(inputs: Inputs, metric: Metric, found: Figure | None) -> Figure | None:
    """Return a rate, or the highest one in the profiles of the type if that is higher [MB/s].

    A rate that a user gives may be that of the slowest node of a large cluster, as in the paper.
    """
    return None if found is None else replace(found, value=max(found.value, inputs.fastest.get(metric, 0.0)))


def _peak(inputs: Inputs, workload: Workload) -> Figure | None:
    """Return the highest rate of a node's network that is known [MB/s]; None where it is unlimited."""
    found = inputs.network
    if isinstance(found, ScalingCurve):
        found = max((point.figure() for point in found.points), key=lambda figure: figure.value)
    peak = inputs.instance.network_peak_mb_per_s
    if found is not None and peak is not None and peak.value > found.value and workload.assume.network != "baseline":
        found = peak
    return _at_best(inputs, "network_mb_per_s", found)


def _in_memory(phase: Phase, memory_mb: float) -> Phase:
    """Return a phase in which as much intermediate data as fits memory does not touch the disks."""
    if not set(INTERMEDIATE) & phase.flows_mb.keys():
        return phase
    flows = {
        role: longer(flow - memory_mb, 0.0) if role in INTERMEDIATE else flow for role, flow in phase.flows_mb.items()
    }
    return replace(phase, flows_mb=flows)
