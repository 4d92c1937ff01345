"""Arithmetic of the paper: speeds, costs and savings that follow from its printed node counts, times and prices."""

from stowage.model.money.cost import Prices, run_cost
from stowage.model.sizes import MB_PER_GB
from stowage.model.units import SECONDS_PER_HOUR
from stowage.validation.case import Predicted
from stowage.validation.evaluations import bound_time_s
from stowage.validation.inputs import PublishedInputs
from stowage.validation.table2 import measured_storage_mb_per_s, network_at_two_nodes_mb_per_s

_MB_PER_TB = 1_000.0 * MB_PER_GB
_SECONDS_PER_MINUTE = 60.0


def predictions(inputs: PublishedInputs) -> dict[str, Predicted]:
    """Compute those figures of the paper that follow from other printed figures."""
    found = _speeds(inputs) | _costs(inputs) | _shares(inputs)
    return {name: Predicted(value) for name, value in found.items()}


def _speeds(inputs: PublishedInputs) -> dict[str, float]:
    data_mb = inputs.value("data")
    # Spark's time is not printed; it is its cost over the cost of its nodes per second.
    spark_s = inputs.actual("sort-spark-cost") / _usd(inputs, "i2.8xlarge", inputs.value("spark.nodes"), 1.0)
    found: dict[str, float] = {}
    for record, figure, time_s in (
        ("2io", "two_io", inputs.actual("sort-2io-time")),
        ("application", "application", inputs.actual("sort-application-time")),
        ("infrastructure", "infrastructure", inputs.actual("sort-infrastructure-time")),
        ("spark", "spark", spark_s),
    ):
        found[f"records-{record}-tb-per-min"] = data_mb / _MB_PER_TB / time_s * _SECONDS_PER_MINUTE
        found[f"records-{record}-per-node"] = data_mb / inputs.value(f"{figure}.nodes") / time_s
    del found["records-infrastructure-tb-per-min"]  # which the paper does not print
    two_io, application = inputs.actual("records-2io-tb-per-min"), inputs.actual("records-application-tb-per-min")
    hadoop, baidu = inputs.actual("records-hadoop-tb-per-min"), inputs.actual("records-baidu-tb-per-min")
    for record, speed in (("hadoop", hadoop), ("baidu", baidu)):
        mb_per_s = speed * _MB_PER_TB / _SECONDS_PER_MINUTE
        found[f"records-{record}-per-node"] = mb_per_s / inputs.value(f"{record}.nodes")
    return found | {
        "records-baidu-faster": 100.0 * (baidu / two_io - 1.0),
        "records-hadoop-slower-2io": two_io / hadoop,
        "records-hadoop-slower-application": application / hadoop,
    }


def _costs(inputs: PublishedInputs) -> dict[str, float]:
    two_io, application, ebs, spark = (
        inputs.actual(f"sort-{name}-cost") for name in ("2io", "application", "infrastructure", "spark")
    )
    dearer = application - two_io
    nodes_s = {
        name: (inputs.value(f"{figure}.nodes"), inputs.actual(f"sort-{name}-time"))
        for name, figure in (("2io", "two_io"), ("application", "application"), ("infrastructure", "infrastructure"))
    }
    volumes_gib = inputs.value("infrastructure.volumes") * inputs.value("infrastructure.volume_gib")
    return {
        "records-2io-cost": _usd(inputs, "i2.8xlarge", *nodes_s["2io"]),
        "records-application-cost": _usd(inputs, "i2.8xlarge", *nodes_s["application"]),
        "records-infrastructure-cost": _usd(inputs, "r3.4xlarge", *nodes_s["infrastructure"], volumes_gib),
        "records-infrastructure-hour": _usd(inputs, "r3.4xlarge", 1.0, SECONDS_PER_HOUR, volumes_gib),
        "sort-application-dearer": dearer,
        "sort-application-dearer-pct": 100.0 * dearer / two_io,
        "records-spark-saving": spark - application,
        "records-spark-saving-pct": 100.0 * (spark - application) / spark,
        "records-ebs-saving": application - ebs,
        "records-ebs-saving-pct": 100.0 * (application - ebs) / application,
    }


def _shares(inputs: PublishedInputs) -> dict[str, float]:
    data_mb, nodes = inputs.value("data"), inputs.value("infrastructure.nodes")
    ideal = data_mb / nodes / bound_time_s(inputs, "sort-infrastructure")
    measured = data_mb / nodes / inputs.actual("sort-infrastructure-time")
    r3, c3 = (_usd(inputs, name, 1.0, SECONDS_PER_HOUR) for name in ("r3.4xlarge", "c3.4xlarge"))
    storage = inputs.value("i2.8xlarge.slowest_storage") / measured_storage_mb_per_s(inputs, "i2.8xlarge")
    network = inputs.value("i2.8xlarge.slowest_network") / network_at_two_nodes_mb_per_s(inputs)
    return {
        "sort-2io-storage-share": 100.0 * storage,
        "sort-2io-network-share": 100.0 * network,
        "records-infrastructure-ideal": ideal,
        "records-infrastructure-share": 100.0 * measured / ideal,
        "records-r3-over-c3": 100.0 * (r3 / c3 - 1.0),
    }


def _usd(inputs: PublishedInputs, instance: str, nodes: float, time_s: float, volumes_gib: float = 0.0) -> float:
    """Return the cost of nodes, volumes and separately priced EBS links for the time ``time_s`` [USD]."""
    found = inputs.paper.instance_types[instance]
    if found.usd_per_hour is None:
        raise ValueError(f"the paper's catalog has the price of {instance}")
    prices = Prices(
        usd_per_hour=found.usd_per_hour.value,
        ebs_link_usd_per_hour=0.0 if found.ebs_usd_per_hour is None else found.ebs_usd_per_hour.value,
        launch_s=0.0,
        minimum_billed_s=0.0,
        volumes_usd_per_month=volumes_gib * inputs.paper.volume_types["gp2"].usd_per_gib_month.value,
    )
    return float(run_cost(prices, nodes, time_s).total)
