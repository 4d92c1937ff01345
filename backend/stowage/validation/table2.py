"""Table 2 and Figure 9 of the paper: cost of sorting 100 TB, if only disks, or if disks and network, limit the sort."""

from dataclasses import replace

from stowage.model.cluster import Configuration, InstanceStore, capacity_groups_mb, nodes_needed
from stowage.model.hardware.profile import Profiles, ScalingCurve
from stowage.model.infeasible import Infeasible
from stowage.model.inputs import gather
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.uncertainty.range import Source, quantiles, total_deviation
from stowage.validation.case import Predicted
from stowage.validation.inputs import EQUATIONS, PublishedInputs, cost_of

TYPES = (
    "c3.large",
    "m3.large",
    "m3.medium",
    "m1.xlarge",
    "i2.4xlarge",
    "i2.8xlarge",
    "hs1.8xlarge",
    "cr1.8xlarge",
)
_DISKS_ALONE: Assumptions = replace(EQUATIONS, network="unlimited", capacity="pooled")
_POOLED: Assumptions = replace(EQUATIONS, capacity="pooled")


def predictions(published: PublishedInputs) -> dict[str, Predicted]:
    """Predict the cases of Table 2, of the rates on which Table 2 is based, and of Figure 9."""
    found = {f"table2-nodes-{name}": Predicted(float(_fewest_nodes(published, name))) for name in TYPES}
    # The rate was derived from the cost, so this checks only the arithmetic and has no range.
    found |= {f"table2-cost-{name}": Predicted(_cost(published, name).value) for name in TYPES}
    return found | _rates(published) | _figure_9(published)


def sort(published: PublishedInputs, assume: Assumptions, measured: Measured | None = None) -> Workload:
    """Return the paper's sort of 100 TB."""
    job = MapReduce("sort", published.value("data"))
    return Workload("", job, measured=measured or Measured(), assume=assume)


def network_at_two_nodes_mb_per_s(published: PublishedInputs) -> float:
    """Return the rate that NetBench measured between two i2.8xlarge instances [MB/s]."""
    return _network_curve(published).points[0].mean


def measured_storage_mb_per_s(published: PublishedInputs, name: str) -> float:
    """Return the mean rate that DiskBench measured on an instance type [MB/s]."""
    rows = published.profiles.of(name, "storage_mb_per_s")
    return next(row.mean for row in rows if row.statistic == "average")


def _rates(published: PublishedInputs) -> dict[str, Predicted]:
    in_text = Measured(storage_mb_per_s=published.value("hs1.8xlarge.storage_in_the_text"))
    share = published.actual("sort-2io-storage-share") / 100.0
    mean = Measured(storage_mb_per_s=published.value("i2.8xlarge.slowest_storage") / share)
    return {
        "diskbench-i2.8xlarge-rounded": Predicted(measured_storage_mb_per_s(published, "i2.8xlarge") / 1000.0),
        "diskbench-hs1-cost": _cost(published, "hs1.8xlarge", in_text),
        "diskbench-i2.8xlarge-cost": _cost(published, "i2.8xlarge", mean),
        "diskbench-i2.4xlarge-rate": _by_family(published, "i2.4xlarge"),
    }


def _figure_9(published: PublishedInputs) -> dict[str, Predicted]:
    slowest = Measured(network_mb_per_s=published.value("i2.8xlarge.slowest_network"))
    storage = measured_storage_mb_per_s(published, "i2.8xlarge")
    hs1_nodes = _fewest_nodes(published, "hs1.8xlarge")
    hs1 = _with_fallen_network(published, "hs1.8xlarge", hs1_nodes)
    m1_usd, i2_usd = published.actual("netbench-m1-cost"), published.actual("netbench-i2-cost")
    return {
        "netbench-63-pct": Predicted(100.0 * network_at_two_nodes_mb_per_s(published) / storage),
        "netbench-i2-cost": Predicted(_cost(published, "i2.8xlarge", slowest, _POOLED).value),
        "netbench-m1-cost": _with_fallen_network(published, "m1.xlarge", _fewest_nodes(published, "m1.xlarge")),
        "netbench-hs1-factor": hs1.over(_cost(published, "hs1.8xlarge").value),
        "netbench-saving": Predicted(m1_usd - i2_usd),
        "netbench-saving-pct": Predicted(100.0 * (m1_usd - i2_usd) / m1_usd),
    }


def _cost(
    published: PublishedInputs, name: str, measured: Measured | None = None, assume: Assumptions = _DISKS_ALONE
) -> Predicted:
    """Predict the cost of the sort on the fewest nodes that hold the data; by Eq. 7, more nodes cost the same."""
    disks = int(published.paper.instance_types[name].disk_count.value)
    layout = InstanceStore(1, 0) if disks == 1 else InstanceStore(disks // 2, disks // 2)
    configuration = Configuration(name, _fewest_nodes(published, name), layout)
    return cost_of(published.predict(configuration, sort(published, assume, measured)))


def _fewest_nodes(published: PublishedInputs, name: str) -> int:
    instance = published.paper.instance_types[name]
    workload = sort(published, _DISKS_ALONE)
    layout = InstanceStore(int(instance.disk_count.value), 0)
    return nodes_needed(capacity_groups_mb(layout, instance, workload.job, "pooled"), 1)


def _with_fallen_network(published: PublishedInputs, name: str, nodes: int) -> Predicted:
    """Predict the cost of the sort with a nominal network rate that falls with cluster size as that of i2.8xlarge."""
    curve = _network_curve(published)
    kept = float(curve.rate_mb_per_s(float(nodes))) / curve.points[0].mean
    nominal = published.value(f"{name}.network")
    found = _cost(published, name, Measured(network_mb_per_s=nominal * kept), _POOLED)
    words = f"At {nodes:,} nodes {kept:.1%} of {nominal:,.0f} MB/s are left, {nominal * kept:,.0f} MB/s."
    return replace(found, assumptions=(words,))


def _network_curve(published: PublishedInputs) -> ScalingCurve:
    curve = ScalingCurve.through(published.profiles.of("i2.8xlarge", "network_mb_per_s"))
    if curve is None:
        raise ValueError("the paper's profiles have the network of i2.8xlarge")
    return curve


def _by_family(published: PublishedInputs, name: str) -> Predicted:
    """Estimate the disk rate of a measured type from other types of its family, as if it had not been measured."""
    workload = sort(published, Assumptions(network="unlimited"))
    others: Profiles = published.without_profiles_of(name)
    inputs = gather(published.paper.instance_types[name], None, workload, published.paper, others)
    if isinstance(inputs, Infeasible) or inputs.storage is None:
        raise TypeError(f"{name} has a measured relative")
    doubts = [Source(reason, figure.value) for channel, reason, figure in inputs.doubts if channel == "storage"]
    rates = quantiles(inputs.storage.value, total_deviation(doubts))
    return Predicted(float(rates.p50), float(rates.p10), float(rates.p90))
