"""Where the numbers of a prediction come from."""

from stowage.model.cluster import Configuration, Ebs, Layout
from stowage.model.figure import Figure, given
from stowage.model.inputs import Inputs
from stowage.model.instance import InstanceType
from stowage.model.profile import ScalingCurve
from stowage.model.workload import Workload


def provenance(inputs: Inputs, configuration: Configuration, workload: Workload) -> tuple[Figure, ...]:
    """List every number that went into a prediction, each once."""
    job, layout, instance = workload.job, configuration.layout, inputs.instance
    figures: list[Figure | None] = [given("workload.data", job.data_mb, "MB")]
    if job.kind == "mapreduce":
        figures.append(given("workload.map_selectivity", job.map_selectivity, "1"))
        figures.append(given("workload.reduce_selectivity", job.reduce_selectivity, "1"))
    if job.durability.model == "application":
        figures.append(given("workload.durability.replicas", float(job.durability.replicas), "1"))
    figures.append(given("cluster.nodes", float(configuration.nodes), "1", "the configuration"))
    figures += _layout_figures(layout)
    figures += [instance.disk_count.of(instance.name), _named(instance.disk_size_gb, instance)]
    figures += [inputs.storage, inputs.storage_spread]
    if configuration.nodes > 1:
        figures += _network_figures(inputs.network, configuration.nodes)
    if isinstance(layout, Ebs) and inputs.volume is not None:
        figures += [inputs.ebs_read, inputs.ebs_write, _named(inputs.ebs_link_price, instance)]
        volume = inputs.volume
        of_volume = (volume.smallest_gib, volume.largest_gib, volume.usd_per_gib_month, volume.annual_failure_rate)
        figures += [figure.of(volume.name) for figure in of_volume]
    else:
        figures.append(inputs.node_failures)
    if inputs.cpu is not None:
        figures += [instance.vcpus.of(instance.name), inputs.cpu]
    figures += [inputs.price.of(instance.name), inputs.launch, inputs.minimum_billed, inputs.framework_error]
    return tuple(figure for figure in figures if figure is not None)


def _layout_figures(layout: Layout) -> list[Figure]:
    where = "the configuration"
    if isinstance(layout, Ebs):
        return [
            given("cluster.storage.count", float(layout.count), "1", where),
            given("cluster.storage.size", float(layout.size_gib), "GiB", where),
        ]
    return [
        given("cluster.storage.input_output_disks", float(layout.input_output_disks), "1", where),
        given("cluster.storage.intermediate_disks", float(layout.intermediate_disks), "1", where),
    ]


def _network_figures(network: ScalingCurve | Figure | None, nodes: int) -> list[Figure | None]:
    if not isinstance(network, ScalingCurve):
        return [network]
    points: list[Figure | None] = [point.figure() for point in network.support(nodes)]
    return points if network.is_measured_at(nodes) else [network.estimate(nodes), *points]


def _named(figure: Figure | None, instance: InstanceType) -> Figure | None:
    return None if figure is None else figure.of(instance.name)
