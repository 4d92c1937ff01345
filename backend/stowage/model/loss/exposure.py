"""Chance that a configuration loses data while the data is exposed to loss."""

from collections.abc import Sequence
from dataclasses import replace

from stowage.model.cluster import Configuration, Ebs, ObjectStore
from stowage.model.inputs import Inputs
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import (
    CopiedData,
    chance_of_loss,
    chance_of_object_loss,
    chances_of_loss,
    repair_time_s,
    sets_of_blocks,
)
from stowage.model.offer import OBJECT_MB
from stowage.model.units import Quantity


def loss_probability(
    inputs: Inputs, repair_mb_per_s: Quantity, configuration: Configuration, workload: Workload, exposure_s: float
) -> float:
    """Return the chance that data is lost within a time [1].

    Parameters
    ----------
    inputs : Inputs
    repair_mb_per_s : float
        Rate of repairs of a node [MB/s] (`Offer.repair_mb_per_s`); not used for a single copy.
    configuration : Configuration
    workload : Workload
        Workload with the replication factor at this node count. Lost copies are re-created if its data stays.
    exposure_s : float
        Exposure of the data [s], at least 0.

    Notes
    -----
    Data on a node's own disks is lost with the node. Data on EBS is lost with a volume: a node that fails loses none of
    its volumes. See `durability` for the model.
    """
    data = _copied_data(inputs, repair_mb_per_s, configuration, workload)
    return _chance_of_objects(workload, exposure_s) if data is None else chance_of_loss(data, exposure_s)


def loss_probabilities(exposed: Sequence[tuple[Inputs, Quantity, Configuration, Workload, float]]) -> list[float]:
    """Return the chances of data loss of many configurations [1].

    Each is the result of `loss_probability`. This function takes a fraction of the time of separate calls.
    """
    copied: list[tuple[CopiedData, float]] = []
    chances: list[float | None] = []
    for inputs, repair_mb_per_s, configuration, workload, exposure_s in exposed:
        data = _copied_data(inputs, repair_mb_per_s, configuration, workload)
        if data is not None:
            copied.append((data, exposure_s))
        chances.append(_chance_of_objects(workload, exposure_s) if data is None else None)
    of_copies = iter(chances_of_loss(copied))
    return [next(of_copies) if chance is None else chance for chance in chances]


def rereplication_s(
    workload: Workload, repair_mb_per_s: Quantity, nodes: Quantity, units: Quantity | None = None
) -> Quantity:
    """Return the time until the copies of a failed unit are re-created [s].

    Parameters
    ----------
    workload : Workload
        Workload with the replication factor that applies at those numbers of nodes.
    repair_mb_per_s : float or array
        Rate of repairs of a node [MB/s] (`Offer.repair_mb_per_s`).
    nodes : float or array
        Whole numbers, at least 1.
    units : float or array, optional
        Number of EBS volumes, if volumes are the units that fail; the volumes of a node share the node's repair rate.
    """
    failing = nodes if units is None else units
    return repair_time_s(workload.job.input_output_mb / failing, failing, repair_mb_per_s * nodes / failing)


def _chance_of_objects(workload: Workload, exposure_s: float) -> float:
    job = workload.job
    object_mb = job.block_mb if isinstance(job, Hdfs) else OBJECT_MB
    return chance_of_object_loss(max(1.0, job.input_output_mb / object_mb), exposure_s)


def _copied_data(
    inputs: Inputs, repair_mb_per_s: Quantity, configuration: Configuration, workload: Workload
) -> CopiedData | None:
    """Return the copied data of a configuration: units, copies, failure rate and repairs.

    The result is None for an object store.
    """
    layout, nodes, job = configuration.layout, configuration.nodes, workload.job
    if isinstance(layout, ObjectStore):
        return None
    replicas = job.durability.replicas
    on_volumes = isinstance(layout, Ebs) and inputs.volume is not None
    units = nodes * layout.count if isinstance(layout, Ebs) else nodes
    failures = inputs.volume.annual_failure_rate if on_volumes and inputs.volume else inputs.node_failures
    if replicas == 1:
        return CopiedData(units, 1, failures.value)
    data = CopiedData(units, replicas, failures.value)
    if isinstance(job, Hdfs):
        data = replace(data, sets=sets_of_blocks(units, replicas, max(1.0, job.blocks)))
    if workload.repairs:
        repair_s = rereplication_s(workload, float(repair_mb_per_s), nodes, units)
        # Bandwidth is most of the repair time, and units that fail together share it.
        data = replace(data, repair_s=float(repair_s), repairs="serial")
    return data
