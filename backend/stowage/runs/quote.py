"""Quotes: upper bounds of a run's cost.

A quote covers the whole time limit of the run and is rounded up. It is computed from prices with sources.
"""

from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from math import ceil

from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind, Number, value_of
from stowage.model.hardware.catalog import Catalog
from stowage.model.infeasible import Infeasible
from stowage.model.money.object_prices import S3_PRICES
from stowage.model.money.price import emr_fee, volume_usd_per_month
from stowage.model.units import HOURS_PER_MONTH, SECONDS_PER_HOUR
from stowage.runs.spec import RunSpec, Volumes

VALID_FOR = timedelta(hours=24)
"""Validity of a quote; prices change, so an old quote must not be launched."""

MOST_ATTEMPTS = 3
"""Maximum number of launch attempts; each begins when no resource of the previous one is left."""

LEAST_BILLED_S = 60.0
"""Minimum billed time of instances, volumes and addresses [s]; beyond it they are billed by the second."""

ROOT_TYPE, ROOT_GIB, EMR_ROOT_GIB = "gp3", 8, 15
"""Root volume of each node: the size of Amazon Linux 2023's image, and the minimum of EMR (EMR management guide,
"Customizing the Amazon EBS root device volume", 2026-11-20)."""

ADDRESS_PRICE = Number("public_address_usd_per_hour", 0.005, "USD/h").published(
    "Amazon VPC pricing page, public IPv4 addresses in use, all regions, since February 2024", date(2024, 2, 1)
)
METRIC_PRICE = Number("metrics_usd_per_1000", 0.01, "USD per 1,000 metrics").estimated(
    "Amazon CloudWatch pricing page, GetMetricData, us-east-1; remembered, not read again on this day",
    date(2026, 11, 20),
)

ELSEWHERE = 1.5
"""Upper bound of a region's price of requests, as a multiple of us-east-1's [1]. The most expensive known region,
sa-east-1, charges 1.4 times as much for S3 (Amazon S3 pricing page; from memory, not read again on 2026-11-21)."""

SPOT_HEADROOM = 1.5
"""Maximum spot price as a multiple of the catalog's average, up to the on-demand price [1]."""

_POLL_S, _LOOK_S, _METRICS_S = 5.0, 5.0, 60.0
_METRICS_LATE_S = 1200.0
"""Time past the end during which CloudWatch is still read [s], because it provides metrics late."""
_METRICS_PER_NODE, _METRICS_PER_VOLUME = 8, 8
_FILES_PER_NODE = 40


@frozen
class Prices:
    """Prices of the resources that a run uses."""

    instance: Figure
    """Price of a node's instance: on-demand price, or maximum spot price [USD/h]."""
    root: Figure
    """Price of a root volume [USD/h]."""
    volume: Figure | None = None
    """Price of one measured volume [USD/h]."""
    emr: Figure | None = None
    """EMR's charge per node [USD/h]."""
    address: Figure = ADDRESS_PRICE
    """Price of a public IPv4 address [USD/h]."""
    put: Figure = S3_PRICES.put
    """Price of S3 PUT requests [USD per 1,000]."""
    get: Figure = S3_PRICES.get
    """Price of S3 GET requests [USD per 1,000]."""
    metrics: Figure = METRIC_PRICE
    """Price of CloudWatch metrics [USD per 1,000]."""


@frozen
class QuotePart:
    """One item of a quote: a kind of cost with its amount."""

    name: str
    usd: float
    """Cost of the item [USD]."""
    words: str
    """Amount and price of the item in words, such as `4 × i4i.4xlarge for 30 min at 1.373 USD/h`."""
    source: str
    """Source of the price."""
    kind: Kind
    as_of: date | None
    """Date of the price."""


@frozen
class Quote:
    """Upper bound of a run's cost, with its items."""

    total_usd: Decimal
    """Sum of all items, rounded up to the cent [USD]."""
    parts: tuple[QuotePart, ...]
    longest_s: float
    """Time from the launch to the end of the last node [s]."""
    made_at: datetime
    valid_until: datetime
    node_usd_per_hour: float
    """Cost of one node with its volumes, its IP address and its EMR charge [USD/h]."""
    volume_usd_per_hour: float
    """Cost of a node's most expensive volume [USD/h]. It is charged for each volume that outlives its node."""
    requests_usd: float
    """Cost of the requests to S3 and CloudWatch over the whole run [USD]."""
    spot_usd_per_hour: float | None
    """Maximum spot price [USD/h]; None for on-demand instances."""
    attempts: int = MOST_ATTEMPTS
    """Number of launch attempts that the quote covers."""


def prices_of(spec: RunSpec, catalog: Catalog) -> Prices | Infeasible:
    """Return the prices of a run from the catalog of its region.

    Returns
    -------
    Prices or Infeasible
        Infeasible if the region does not offer the instance type, or if a price is unknown. Without all prices there
        would be no upper bound of the cost.
    """
    instance = catalog.instance_types.get(spec.instance)
    if instance is None or instance.usd_per_hour is None:
        return Infeasible("price unknown", f"no on-demand price of {spec.instance} in {spec.region} is known")
    bought = instance.usd_per_hour
    if spec.market == "spot":
        bought = _spot(bought, instance.spot_usd_per_hour)
    root = _volume(catalog, Volumes(ROOT_TYPE, _root_gib(spec)))
    if isinstance(root, Infeasible):
        return root
    volume = _volume(catalog, spec.storage) if isinstance(spec.storage, Volumes) else None
    if isinstance(volume, Infeasible):
        return volume
    emr = emr_fee(instance.usd_per_hour.value) if spec.benchmark == "testdfsio" else None
    put, get, metrics = (_request(each, spec.region) for each in (S3_PRICES.put, S3_PRICES.get, METRIC_PRICE))
    return Prices(bought, root, volume, emr, put=put, get=get, metrics=metrics)


_TRAFFIC = QuotePart(
    "traffic",
    0.0,
    "none is charged for: nodes stand in one zone and talk by private addresses, and S3 is in the region. "
    "Left out: a bucket in another region, and the way through a NAT gateway, some 0.1 GB a node",
    "EC2 on-demand pricing page: data within a zone, by private addresses",
    "published",
    date(2026, 11, 20),
)


def quote(spec: RunSpec, prices: Prices, now: datetime) -> Quote:
    """Compute an upper bound of a run's cost.

    Every node is charged for the whole time limit, and for each launch attempt after the first one it is charged for
    another 60 s, the minimum that AWS bills. An attempt begins only when no resource of the previous attempt is left,
    so there are never more nodes than those of one attempt.
    """
    attempts = 1 if spec.zone is not None or spec.benchmark == "testdfsio" else MOST_ATTEMPTS
    paid_s = spec.time_limit_s + LEAST_BILLED_S * (attempts - 1)
    hours = spec.nodes * paid_s / SECONDS_PER_HOUR
    time = _span(paid_s)
    count = spec.storage.count if isinstance(spec.storage, Volumes) else 0
    nodes = f"{spec.nodes:,} × {spec.instance}"
    bought = "on demand" if spec.market == "on-demand" else "offered at most for spot"
    parts = [
        _part("instances", hours, prices.instance, f"{nodes} for {time} at {_usd(prices.instance)} USD/h {bought}"),
        _part(
            "start volumes",
            hours,
            prices.root,
            f"{spec.nodes:,} × {ROOT_TYPE} of {_root_gib(spec)} GiB for {time}",
        ),
        _part("addresses", hours, prices.address, f"{spec.nodes:,} public IPv4 addresses for {time}"),
    ]
    if prices.volume is not None:
        parts.append(_part("volumes", hours * count, prices.volume, f"{spec.nodes * count:,} volumes for {time}"))
    if prices.emr is not None:
        parts.append(_part("EMR", hours, prices.emr, f"its fee for {nodes} for {time}"))
    requests = _requests(spec, prices, paid_s, count)
    parts += requests
    parts.append(_TRAFFIC)
    total = sum((Decimal(part.usd) for part in parts), Decimal(0))
    volume = value_of(prices.volume)
    emr = value_of(prices.emr)
    return Quote(
        total_usd=total.quantize(Decimal("0.01"), rounding=ROUND_CEILING),
        parts=tuple(parts),
        longest_s=spec.time_limit_s,
        made_at=now,
        valid_until=now + VALID_FOR,
        node_usd_per_hour=prices.instance.value + prices.root.value + prices.address.value + count * volume + emr,
        volume_usd_per_hour=max(volume, prices.root.value),
        requests_usd=sum(part.usd for part in requests),
        spot_usd_per_hour=prices.instance.value if spec.market == "spot" else None,
        attempts=attempts,
    )


def _root_gib(spec: RunSpec) -> int:
    return EMR_ROOT_GIB if spec.benchmark == "testdfsio" else ROOT_GIB


def _spot(on_demand: Figure, average: Figure | None) -> Figure:
    if average is None:
        words = f"the on-demand price, which spot never exceeds; the type's own is not known. {on_demand.source}"
        return Figure("most_spot_usd_per_hour", on_demand.value, "USD/h", words, "estimated", on_demand.as_of)
    value = min(on_demand.value, ceil(average.value * SPOT_HEADROOM * 1e4) / 1e4)
    words = f"{SPOT_HEADROOM:g} times an average of {average.value:g} USD/h, at most on demand. {average.source}"
    return Figure("most_spot_usd_per_hour", value, "USD/h", words, "estimated", average.as_of)


def _volume(catalog: Catalog, volumes: Volumes) -> Figure | Infeasible:
    found = catalog.volume_types.get(volumes.type)
    if found is None:
        return Infeasible("price unknown", f"no price of {volumes.type} in {catalog.region} is known")
    monthly = volume_usd_per_month(
        found.prices(), float(volumes.size_gib), float(volumes.iops or 0), float(volumes.throughput_mib_per_s or 0)
    )
    price = found.usd_per_gib_month
    return Figure(
        f"{volumes.type}.usd_per_hour",
        float(monthly) / HOURS_PER_MONTH,
        "USD/h",
        f"a 730th of a month's price. {price.source}",
        price.kind,
        price.as_of,
    )


def _request(price: Figure, region: str) -> Figure:
    if region == "us-east-1":
        return price
    words = f"{ELSEWHERE:g} times that of us-east-1, as a bound. {price.source}"
    return Figure(price.quantity, price.value * ELSEWHERE, price.unit, words, "estimated", price.as_of)


def _requests(spec: RunSpec, prices: Prices, paid_s: float, volumes: int) -> list[QuotePart]:
    polls = ceil(paid_s / _POLL_S)
    looks = ceil((paid_s + SECONDS_PER_HOUR) / _LOOK_S)
    puts = spec.nodes * (polls + _FILES_PER_NODE) + looks
    gets = spec.nodes * (polls + looks + _FILES_PER_NODE)
    readings = ceil((paid_s + _METRICS_LATE_S) / _METRICS_S) + 1
    metrics = readings * spec.nodes * (_METRICS_PER_NODE + _METRICS_PER_VOLUME * (volumes + 1))
    return [
        _part("S3, written and listed", puts / 1000.0, prices.put, f"{puts:,} requests at most"),
        _part("S3, read", gets / 1000.0, prices.get, f"{gets:,} requests at most"),
        _part("CloudWatch", metrics / 1000.0, prices.metrics, f"{metrics:,} metrics at most"),
    ]


def _part(name: str, amount: float, price: Figure, words: str) -> QuotePart:
    return QuotePart(name, amount * price.value, words, price.source, price.kind, price.as_of)


def _usd(figure: Figure) -> str:
    return f"{figure.value:.4f}".rstrip("0").rstrip(".")


def _span(seconds: float) -> str:
    return f"{seconds / 60.0:,.4g} min"
