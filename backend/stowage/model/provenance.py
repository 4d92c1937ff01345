"""Provenance of a prediction: the figures on which it depends, with their sources."""

from collections.abc import Collection

from stowage.model.cluster import Configuration, Ebs, InstanceStore, Layout
from stowage.model.figure import Figure, given
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import ScalingCurve
from stowage.model.inputs import Inputs
from stowage.model.jobs.append_log import DIRTY_RATIO, AppendLog
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MERGE_FAN_IN, MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.task_slots import ONE_PER_VCPU, SORT_MEMORY
from stowage.model.jobs.workload import Workload
from stowage.model.loss.durability import FAILURE_DETECTION_S, OBJECT_LOSS_PER_YEAR
from stowage.model.rates import Channel
from stowage.model.uncertainty.straggler import SCREENING_S


def provenance(
    inputs: Inputs,
    configuration: Configuration,
    workload: Workload,
    ruling: Collection[Channel],
    limits: tuple[Figure, ...] = (),
    idle: Collection[Figure] = (),
) -> tuple[Figure, ...]:
    """List every number that a prediction uses.

    Each number is listed once.

    Parameters
    ----------
    inputs : Inputs
    configuration : Configuration
    workload : Workload
    ruling : collection of Channel
        Channels that are the bottleneck of some phase; the doubts of other channels do not affect the result.
    limits : tuple of Figure
        Limits of the EBS volumes that affect the result.
    idle : collection of Figure
        Figures that were looked up but do not affect the result, such as price tiers that are not reached.
    """
    job, layout, instance = workload.job, configuration.layout, inputs.instance
    figures: list[Figure | None] = [figure for figure in job.figures() if figure not in idle]
    if workload.kept_s is not None:
        figures.append(given("workload.kept", workload.kept_s, "s"))
    figures += _link_figures(workload)
    figures.append(given("cluster.nodes", float(configuration.nodes), "1", "the configuration"))
    figures += _layout_figures(layout)
    figures += _straggler_figures(workload)
    if inputs.storage is not None or inputs.storage_read is not None:
        figures += [instance.disk_count.of(instance.name), _named(instance.disk_size_gb, instance)]
    each_way = (inputs.storage_read, inputs.storage_write, inputs.storage_read_iops, inputs.storage_write_iops)
    figures += [inputs.storage, *(figure for figure in each_way if figure not in idle)]
    figures += [inputs.storage_spread, inputs.storage_iops]
    if configuration.nodes > 1 or workload.talks_outside:
        figures += _network_figures(inputs, configuration.nodes, idle)
    figures += _storage_figures(inputs, limits, idle)
    figures += _loss_figures(inputs, workload, configuration.nodes)
    figures += _node_figures(inputs, workload, idle)
    figures += [doubt for name, _, doubt in inputs.doubts if name in ruling]
    curve = inputs.network
    if "network" in ruling and isinstance(curve, ScalingCurve) and not curve.is_measured_at(configuration.nodes):
        figures.append(inputs.extrapolation)
    figures += [inputs.price.of(instance.name), inputs.emr_fee, inputs.head_price, inputs.head_emr_fee]
    if inputs.between_zones is not None and inputs.between_zones not in idle:
        figures += [inputs.between_zones, given("place.zones", float(workload.place.zones), "1")]
    if workload.bears_commitment or (inputs.object_prices is not None and workload.kept_s is not None):
        figures.append(given("workload.runs_per_month", workload.runs_per_month, "1/month"))
    level = credit_level(workload)
    if level not in idle:
        figures.append(level)
    figures += [inputs.interruptions, inputs.launch, inputs.minimum_billed]
    framework = inputs.framework
    figures += [figure for figure in framework.figures() if figure not in idle]
    if framework.doublings_beyond(float(configuration.nodes)) > 0.0:
        figures.append(framework.extrapolation)
    return tuple(figure for figure in figures if figure is not None)


def credit_level(workload: Workload) -> Figure:
    """Return the assumed fill level of burst buckets at the start."""
    return workload.credits_assumed or given("credits", workload.credits, "1")


def read_share(job: RandomIo) -> Figure:
    """Return the share of reads among random I/Os."""
    return given("workload.read_share", job.read_share, "1")


def _layout_figures(layout: Layout) -> list[Figure | None]:
    where = "the configuration"
    if isinstance(layout, Ebs):
        figures: list[Figure | None] = [
            given("cluster.storage.count", float(layout.count), "1", where),
            given("cluster.storage.size", float(layout.size_gib), "GiB", where),
        ]
        if layout.iops is not None:
            figures.append(given("cluster.storage.iops", float(layout.iops), "IOPS", where))
        if layout.first_read_mib_per_s is not None:
            figures.append(given("cluster.storage.first_read", layout.first_read_mib_per_s, "MiB/s", where))
        if layout.throughput_mib_per_s is not None:
            figures.append(given("cluster.storage.throughput", float(layout.throughput_mib_per_s), "MiB/s", where))
        return figures
    if isinstance(layout, InstanceStore):
        return [
            given("cluster.storage.input_output_disks", float(layout.input_output_disks), "1", where),
            given("cluster.storage.intermediate_disks", float(layout.intermediate_disks), "1", where),
        ]
    return []


def _link_figures(workload: Workload) -> list[Figure | None]:
    """Return the rates of the links to places outside AWS."""
    links = (("input", workload.link_in_mb_per_s), ("output", workload.link_out_mb_per_s))
    return [given(f"workload.{end}.elsewhere", rate, "MB/s") for end, rate in links if rate is not None]


def _straggler_figures(workload: Workload) -> list[Figure | None]:
    """List the assumptions about slow nodes and spare nodes."""
    figures: list[Figure | None] = []
    if workload.stragglers is not None:
        figures.append(given("assume.stragglers.share", workload.stragglers.share, "1"))
        figures.append(given("assume.stragglers.factor", workload.stragglers.factor, "1"))
    if workload.spares > 0:
        figures += [given("cluster.spares", float(workload.spares), "1", "the configuration"), SCREENING_S]
    return figures


def _storage_figures(inputs: Inputs, limits: tuple[Figure, ...], idle: Collection[Figure]) -> list[Figure | None]:
    """List the figures of input and output storage.

    They are those of EBS volumes and the EBS link, of the object store, or of the failures of nodes.
    """
    if inputs.volume is not None:
        volume = inputs.volume
        prices = (
            volume.usd_per_gib_month,
            volume.usd_per_iops_month,
            volume.usd_per_iops_month_above_32000,
            volume.usd_per_iops_month_above_64000,
            volume.usd_per_mib_per_s_month,
            volume.usd_per_million_io,
            volume.annual_failure_rate,
        )
        links = (inputs.ebs_maximum, inputs.ebs_baseline, inputs.ebs_maximum_iops, inputs.ebs_baseline_iops)
        return [
            inputs.ebs_read,
            inputs.ebs_write,
            inputs.ebs_spread,
            *(_named(figure, inputs.instance) for figure in links if figure not in idle),
            _named(inputs.ebs_link_price, inputs.instance),
            *(figure.of(volume.name) for figure in (*prices, *limits) if figure is not None and figure not in idle),
            *_store_figures(inputs, idle),
        ]
    if inputs.kind == "object-store":
        return _store_figures(inputs, idle)
    return [inputs.node_failures, *_store_figures(inputs, idle)]


def _store_figures(inputs: Inputs, idle: Collection[Figure]) -> list[Figure | None]:
    """List the figures of the object store.

    The result is empty if no data is read from it or written to it.
    """
    if inputs.object_prices is None:
        return []
    prices = (inputs.object_prices.put, inputs.object_prices.get, *inputs.object_prices.stored)
    return [inputs.object_store, *(figure for figure in prices if figure not in idle)]


def _loss_figures(inputs: Inputs, workload: Workload, nodes: int) -> list[Figure | None]:
    """List the figures that determine the chance of data loss, except for failure rates."""
    job = workload.job
    if inputs.kind == "object-store":
        return [OBJECT_LOSS_PER_YEAR]
    if job.durability.replicas == 1:
        return []
    figures: list[Figure | None] = []
    if isinstance(job, Hdfs) and nodes > job.durability.replicas:
        figures.append(given("workload.block_size", job.block_mb, "MB"))
    if workload.repairs:
        figures.append(FAILURE_DETECTION_S)
    return figures


def _network_figures(inputs: Inputs, nodes: int, idle: Collection[Figure]) -> list[Figure | None]:
    network = inputs.network
    outside = None if inputs.outside in idle else inputs.outside
    if not isinstance(network, ScalingCurve):
        published = (inputs.network_baseline, inputs.single_flow)
        rate = network if network is None or network.kind == "given" else network.of(inputs.instance.name)
        return [
            None if network in idle else rate,
            *(_named(figure, inputs.instance) for figure in published if figure not in idle),
            *(figure for figure in (inputs.network_credit,) if figure not in idle),
            outside,
        ]
    points: list[Figure | None] = [*(point.figure() for point in network.support(nodes)), outside]
    return points if network.is_measured_at(nodes) else [network.estimate(nodes), *points]


def _node_figures(inputs: Inputs, workload: Workload, idle: Collection[Figure]) -> list[Figure | None]:
    """List the figures of CPUs and memory that affect the result."""
    job, cpu, store = workload.job, inputs.cpu, inputs.object_store
    computes = cpu is not None and cpu not in idle
    # Without a number of partitions there is one for each concurrent task, and the vCPUs cancel out.
    cut = isinstance(job, MapReduce) and job.partitions is not None and job.tasks == ONE_PER_VCPU
    figures = _memory_figures(inputs, workload, idle)
    if computes or cut or (store is not None and store.kind != "given"):
        figures.append(inputs.instance.vcpus.of(inputs.instance.name))
    if not computes:
        return figures
    return [*figures, cpu, inputs.vcpu_speed, _named(inputs.cpu_baseline_share, inputs.instance)]


def _memory_figures(inputs: Inputs, workload: Workload, idle: Collection[Figure]) -> list[Figure | None]:
    """List the figures of memory.

    The result is empty if the flows of the job do not depend on memory.
    """
    job, instance = workload.job, inputs.instance
    memory = instance.memory_gib.of(instance.name)
    if isinstance(job, AppendLog) and job.fsync in {"every second", "never"}:
        return [memory, DIRTY_RATIO]
    if isinstance(job, MapReduce) and (job.partitions is not None or inputs.framework.engine.knows_nodes):
        return [memory, SORT_MEMORY, MERGE_FAN_IN]
    if inputs.tasks.memory_mb is not None:
        return [memory, SORT_MEMORY]
    if isinstance(job, RandomIo):
        depth, share = given("workload.queue_depth", job.queue_depth, "1"), read_share(job)
        return [depth, share] if _directed(inputs, job) and share not in idle else [depth]
    return []


def _directed(inputs: Inputs, job: RandomIo) -> bool:
    """Return whether random reads and writes differ in speed.

    Replication, the EBS link, the disks or the framework can make them differ.
    """
    framework = inputs.framework
    pairs = (
        (inputs.ebs_read, inputs.ebs_write),
        (inputs.storage_read, inputs.storage_write),
        (inputs.storage_read_iops, inputs.storage_write_iops),
    )
    return (
        job.durability.replicas > 1
        or framework.read_efficiency != framework.write_efficiency
        or any(read is not None and write is not None and read.value != write.value for read, write in pairs)
    )


def _named(figure: Figure | None, instance: InstanceType) -> Figure | None:
    return None if figure is None else figure.of(instance.name)
