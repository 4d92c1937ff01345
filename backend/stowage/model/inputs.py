"""Every figure that a prediction takes, looked up: what is measured, published, assumed or given.

The arithmetic (`prediction.evaluate`) reads numbers from here and from nowhere else; provenance lists
what is in here. What is not known makes a type, or all but its single node, infeasible.
"""

from dataclasses import dataclass

from stowage.model.cluster import CPU_MB_PER_S_PER_VCPU
from stowage.model.cost import LAUNCH_S, MINIMUM_BILLED_S, Prices
from stowage.model.durability import NODE_FAILURES_PER_YEAR
from stowage.model.figure import Figure, given
from stowage.model.framework import FRAMEWORKS
from stowage.model.infeasible import Infeasible, Limit
from stowage.model.instance import InstanceType, VolumeType
from stowage.model.profile import Metric, Profiles, ScalingCurve
from stowage.model.scale import STORAGE_SPREAD
from stowage.model.workload import Workload


@dataclass(frozen=True, slots=True)
class Inputs:
    """Every figure that predictions of one instance type and storage kind take for one workload.

    Parameters
    ----------
    instance : InstanceType
    volume : VolumeType or None
        None without EBS.
    price : Figure
        [USD/h].
    ebs_link_price : Figure or None
        [USD/h].
    storage : Figure
        DiskBench's rate [MB/s].
    storage_spread : Figure or None
        None where the rate is given or spread is ignored.
    network : ScalingCurve, Figure or None
        [MB/s]; None where it is unlimited, or unknown and `network_gap` says why.
    network_gap : str or None
        Why only a single node can be predicted.
    ebs_read, ebs_write : Figure or None
        [MB/s].
    cpu : Figure or None
        [MB/s per vCPU]; None where ignored.
    launch, minimum_billed : Figure or None
        [s]; None where not billed.
    framework_error : Figure
    node_failures : Figure
        [1/a].
    """

    instance: InstanceType
    volume: VolumeType | None
    price: Figure
    ebs_link_price: Figure | None
    storage: Figure
    storage_spread: Figure | None
    network: ScalingCurve | Figure | None
    network_gap: str | None
    ebs_read: Figure | None
    ebs_write: Figure | None
    cpu: Figure | None
    launch: Figure | None
    minimum_billed: Figure | None
    framework_error: Figure
    node_failures: Figure

    def prices(self) -> Prices:
        """Give the prices of one node."""
        return Prices(
            usd_per_hour=self.price.value,
            ebs_link_usd_per_hour=_value(self.ebs_link_price),
            volume_usd_per_gib_month=0.0 if self.volume is None else self.volume.usd_per_gib_month.value,
            launch_s=_value(self.launch),
            minimum_billed_s=_value(self.minimum_billed),
        )


def gather(
    instance: InstanceType, volume: VolumeType | None, workload: Workload, profiles: Profiles
) -> Inputs | Infeasible:
    """Look up every figure that predictions of an instance type need.

    Parameters
    ----------
    instance : InstanceType
    volume : VolumeType or None
        With a volume type, input and output live on EBS.
    workload : Workload
    profiles : Profiles

    Returns
    -------
    Inputs or Infeasible
        Infeasible where a figure is unknown that every node count needs.
    """
    assume, measured = workload.assume, workload.measured_of(instance.name)
    if instance.disk_count.value < 1:
        return Infeasible("no disks", f"{instance.name} has no disks of its own", "a type with local disks")
    if instance.usd_per_hour is None:
        return _unknown("price unknown", instance, "usd_per_hour")
    storage = _one_rate(instance, "storage_mb_per_s", measured.storage_mb_per_s, profiles)
    if storage is None:
        return _unknown("storage bandwidth unknown", instance, "storage_mb_per_s")
    ebs_read = ebs_write = None
    if volume is not None:
        ebs_read = _one_rate(instance, "ebs_read_mb_per_s", measured.ebs_read_mb_per_s, profiles)
        ebs_write = _one_rate(instance, "ebs_write_mb_per_s", measured.ebs_write_mb_per_s, profiles)
        if ebs_read is None or ebs_write is None:
            return _unknown("EBS bandwidth unknown", instance, "ebs_mb_per_s")
    network, network_gap = _network(instance, workload, profiles)
    modelled_spread = assume.spread == "modelled" and measured.storage_mb_per_s is None
    return Inputs(
        instance=instance,
        volume=volume,
        price=instance.usd_per_hour,
        ebs_link_price=instance.ebs_usd_per_hour if volume is not None else None,
        storage=storage,
        storage_spread=_spread(instance, profiles) if modelled_spread else None,
        network=network,
        network_gap=network_gap,
        ebs_read=ebs_read,
        ebs_write=ebs_write,
        cpu=CPU_MB_PER_S_PER_VCPU if assume.cpu == "modelled" else None,
        launch=LAUNCH_S if assume.launch == "billed" else None,
        minimum_billed=MINIMUM_BILLED_S if assume.billing == "by-second" else None,
        framework_error=FRAMEWORKS[workload.framework].error,
        node_failures=NODE_FAILURES_PER_YEAR,
    )


def _one_rate(instance: InstanceType, metric: Metric, measured: float | None, profiles: Profiles) -> Figure | None:
    """Take what the user measured, else the average with the most measurements behind it."""
    if measured is not None:
        return given(f"measured.{metric}", measured, "MB/s")
    rows = [row for row in profiles.of(instance.name, metric) if row.statistic == "average"]
    return max(rows, key=lambda row: row.count or 0).figure() if rows else None


def _spread(instance: InstanceType, profiles: Profiles) -> Figure:
    for row in profiles.of(instance.name, "storage_mb_per_s"):
        if row.spread is not None:
            return Figure(f"{instance.name}.storage_spread", row.spread, "1", row.source, row.kind, row.as_of)
    return STORAGE_SPREAD


def _network(
    instance: InstanceType, workload: Workload, profiles: Profiles
) -> tuple[ScalingCurve | Figure | None, str | None]:
    assume, measured = workload.assume, workload.measured_of(instance.name)
    if assume.network == "unlimited":
        return None, None
    if measured.network_mb_per_s is not None:
        return given("measured.network_mb_per_s", measured.network_mb_per_s, "MB/s"), None
    grouped = workload.place.placement_group
    rows = tuple(
        row
        for row in profiles.of(instance.name, "network_mb_per_s")
        if row.placement_group is None or row.placement_group == grouped
    )
    curve = ScalingCurve.through(rows)
    if curve is None:
        where = "in a placement group" if grouped else "outside a placement group"
        gap = instance.gaps.get("network_mb_per_s", "nobody has measured it")
        return None, f"the network bandwidth of {instance.name} {where} is not known: {gap}"
    if assume.network == "baseline" or assume.spread == "ignored":
        return curve.points[0].figure(), None
    return curve, None


def _unknown(limit: Limit, instance: InstanceType, quantity: str) -> Infeasible:
    name = limit.removesuffix(" unknown")
    why = instance.gaps.get(quantity, "nobody has measured it")
    return Infeasible(limit, f"the {name} of {instance.name} is not known: {why}", f"the {name} of {instance.name}")


def _value(figure: Figure | None) -> float:
    return 0.0 if figure is None else figure.value
