"""Prices of instances, volumes and object stores, and the price of an amount under price tiers.

Monthly prices are for 730 hours, as AWS bills EBS. "GB" on a bill is 2^30 bytes.
"""

import math
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number
from stowage.model.money.terms import TRAFFIC, VOLUME_IO
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, Quantity, longer, smaller, whole

SECONDS_PER_MONTH = HOURS_PER_MONTH * SECONDS_PER_HOUR
"""Month of 730 hours [s/month]."""

MB_PER_BILLED_GB = MB_PER_GIB
"""AWS bills 1,073,741,824 bytes as a GB [MB/GB].

**Source**: S3 FAQ, "How will I be charged"; S3's tier of 51,200 GB is 50 x 1,024.
"""

BETWEEN_ZONES_USD_PER_GB = Number("between_zones_usd_per_gb", 0.01, "USD/GB").published(
    "EC2 on-demand pricing page: data between availability zones, in each direction; taken over on this day",
    date(2026, 11, 20),
)

Purchase: TypeAlias = Literal["on-demand", "spot", "1-year", "3-year"]
"""Purchase option of instances; the two commitments are paid whether used or not."""


@frozen
class Tier:
    """One price tier: a price that applies up to an amount."""

    up_to: float
    """Amount at which the tier ends and the next one begins; ignored for the last tier, which has no end."""
    usd: float
    """Price within this tier [USD a unit]."""


IOPS_TIERS: Final = (32_000.0, 64_000.0)
"""Ends of the tiers of provisioned IOPS that have prices of their own; the last tier has no end [IOPS]."""

Tiers: TypeAlias = tuple[Tier, ...]
"""Tiers by ascending ``up_to``; empty means free."""


@frozen
class VolumePrices:
    """Prices of volumes of one type in one region.

    A price that does not apply is 0. A price with tiers that does not apply is empty.
    """

    usd_per_gib_month: float
    """Price of capacity [USD per GiB and month], at least 0."""
    iops_month: Tiers = ()
    """Price of one volume's provisioned IOPS beyond `included_iops` [USD per IOPS and month]."""
    included_iops: float = 0.0
    """IOPS without charge [IOPS], at least 0."""
    usd_per_mib_per_s_month: float = 0.0
    """Price of provisioned throughput beyond `included_mib_per_s` [USD per MiB/s and month]."""
    included_mib_per_s: float = 0.0
    """Throughput without charge [MiB/s], at least 0."""
    usd_per_million_io: float = 0.0
    """Price of I/O operations, for types that charge for them (`standard`) [USD per million I/O]."""


@frozen
class ObjectStorePrices:
    """Prices of an object store in one region."""

    gb_month: Tiers
    """Price of storage, with tiers by the total amount that is stored in a month [USD per GB and month]."""
    put_usd_per_1000: float
    """Price of PUT requests [USD per 1,000], at least 0."""
    get_usd_per_1000: float
    """Price of GET requests [USD per 1,000], at least 0."""


def absent(amount: Quantity) -> bool:
    """Return whether an amount is the float 0.0.

    Used to skip array operations.
    """
    return isinstance(amount, float) and amount == 0.0


def plus(a: Quantity, b: Quantity) -> Quantity:
    """Return the sum of two amounts.

    If one amount is `absent`, the other amount is returned unchanged.
    """
    if isinstance(b, float) and b == 0.0:
        return a
    return b if isinstance(a, float) and a == 0.0 else a + b


def tiered(amount: Quantity, tiers: Tiers) -> Quantity:
    """Compute the price of an amount with price tiers.

    Each part of the amount is charged at the price of its own tier.

    Parameters
    ----------
    amount : float or array
        At least 0.
    tiers : Tiers

    Returns
    -------
    float or array
        Price [USD]; continuous in the amount, and concave if prices fall from tier to tier.

    Examples
    --------
    >>> tiered(40_000.0, (Tier(32_000.0, 0.065), Tier(64_000.0, 0.0455)))
    2444.0
    """
    if absent(amount) or not tiers:
        return 0.0
    if len(tiers) == 1:
        return amount * tiers[0].usd
    usd = smaller(amount, tiers[0].up_to) * tiers[0].usd
    for below, tier in pairwise(tiers):
        beyond = longer(amount - below.up_to, 0.0)
        if tier is not tiers[-1]:
            beyond = smaller(beyond, tier.up_to - below.up_to)
        usd = usd + beyond * tier.usd
    return usd


def tiers_formula(amount: str, prices: Sequence[str], ends: Sequence[float]) -> str:
    """Return a formula for the price of an amount with price tiers.

    The formula computes the result of `tiered`, in the language of `stowage.model.formula`.

    Parameters
    ----------
    amount : str
        A key or a formula; repeated for each tier.
    prices : sequence of str
        Key of each tier's price; at least one.
    ends : sequence of float
        End of each tier but the last.

    Examples
    --------
    >>> tiers_formula("iops", ["first", "second"], [32_000.0])
    'min(iops, 32000) * first + max(iops - 32000, 0) * second'
    """
    parts = []
    for at, price in enumerate(prices):
        beyond = f"max({amount} - {ends[at - 1]:.0f}, 0)" if at else amount
        width = None if at == len(prices) - 1 else ends[at] - (ends[at - 1] if at else 0.0)
        parts.append(f"{beyond} * {price}" if width is None else f"min({beyond}, {width:.0f}) * {price}")
    return " + ".join(parts)


def volume_usd_per_month(
    prices: VolumePrices, size_gib: Quantity, iops: Quantity = 0.0, throughput_mib_per_s: Quantity = 0.0
) -> Quantity:
    """Compute the price of one volume for a month.

    Parameters
    ----------
    prices : VolumePrices
    size_gib : float or array
        Size of the volume [GiB].
    iops, throughput_mib_per_s : float or array
        Provisioned IOPS [1/s] and throughput [MiB/s], including the included amounts; 0 for volume types for
        which they cannot be provisioned.

    Returns
    -------
    float or array
        Price [USD a month]. Tiers apply to each volume: for several equal volumes, multiply the result by their number
        instead of adding up their sizes.

    Notes
    -----
    **Source**: EBS pricing page; the tables of cloudonaut, "EBS gp3 vs. io2", 2021, are its golden values.

    Examples
    --------
    >>> gp3 = VolumePrices(0.08, (Tier(float("inf"), 0.005),), 3000.0, 0.04, 125.0)
    >>> volume_usd_per_month(gp3, 2000.0, 12_000.0, 500.0)
    220.0
    """
    usd = size_gib * prices.usd_per_gib_month
    if prices.iops_month:
        usd = plus(usd, tiered(_beyond(iops, prices.included_iops), prices.iops_month))
    if not absent(prices.usd_per_mib_per_s_month):
        throughput = _beyond(throughput_mib_per_s, prices.included_mib_per_s)
        usd = plus(usd, throughput * prices.usd_per_mib_per_s_month)
    return usd


def volume_io_usd(prices: VolumePrices, operations: Quantity) -> Quantity:
    """Compute the price of I/O operations of all volumes over a run [USD].

    The price is 0 for volume types that do not charge for I/O operations.
    """
    return VOLUME_IO.value({"operations": operations, "usd_per_million_io": prices.usd_per_million_io})


def stored_usd(
    prices: ObjectStorePrices, size_mb: Quantity, kept_s: Quantity, runs_per_month: Quantity | None = None
) -> Quantity:
    """Compute the price of storage for the data that one run leaves in an object store.

    Parameters
    ----------
    prices : ObjectStorePrices
    size_mb : float or array
        Data that the run leaves [MB].
    kept_s : float or array
        Time for which the data is stored, at least 0 [s].
    runs_per_month : float or array, optional
        Number of runs in each month, above 0; None if there is only this run.

    Returns
    -------
    float or array
        Price for the data of one run [USD].

    Notes
    -----
    Tiers apply to the total that is stored in a month. If r runs a month each leave data D for m months, r D m is
    stored on average (Little's law), and each run pays its share. A single run stores D for m months. If m is below 1,
    this counts as D m for one month.

    **Source**: S3 pricing page and FAQ (GB-months of stored data, averaged over the month).

    Examples
    --------
    >>> s3 = ObjectStorePrices((Tier(51_200.0, 0.023), Tier(512_000.0, 0.022)), 0.005, 0.0004)
    >>> round(stored_usd(s3, 100.0 * MB_PER_BILLED_GB, SECONDS_PER_MONTH), 9)
    2.3
    """
    if absent(size_mb) or absent(kept_s):
        return 0.0
    size_gb = size_mb / MB_PER_BILLED_GB
    months = kept_s / SECONDS_PER_MONTH
    if runs_per_month is not None:
        return tiered(runs_per_month * size_gb * months, prices.gb_month) / runs_per_month
    return tiered(size_gb * smaller(months, 1.0), prices.gb_month) * longer(months, 1.0)


def requests_usd(
    prices: ObjectStorePrices, written_mb: Quantity, read_mb: Quantity, mb_per_request: Quantity
) -> Quantity:
    """Compute the price of the requests that move data to and from an object store.

    Transfer within a region is free.

    Parameters
    ----------
    prices : ObjectStorePrices
    written_mb, read_mb : float or array
        Data that is written to the object store, and data that is read from it [MB].
    mb_per_request : float or array
        Object size, or the part of a larger object that one request moves, above 0 [MB].

    Returns
    -------
    float or array
        Price [USD]. Requests are rounded up to whole numbers; list requests, and requests that begin or end a multipart
        upload, are ignored.
    """
    usd: Quantity = 0.0
    for moved_mb, usd_per_1000 in ((written_mb, prices.put_usd_per_1000), (read_mb, prices.get_usd_per_1000)):
        if not absent(moved_mb):
            usd = plus(usd, whole(moved_mb / mb_per_request) / 1000.0 * usd_per_1000)
    return usd


def traffic_usd(network_mb: Quantity, share: Quantity, usd_per_gb: float = BETWEEN_ZONES_USD_PER_GB.value) -> Quantity:
    """Compute the price of traffic between availability zones.

    Parameters
    ----------
    network_mb : float or array
        Total data that nodes send to each other [MB].
    share : float or array
        Share of the traffic that crosses zones [1], 0 to 1; (z - 1)/z if nodes in z zones exchange data evenly.
    usd_per_gb : float
        Price in each direction [USD/GB]: AWS charges both in the source zone and in the destination zone.

    Returns
    -------
    float or array
        Price [USD].

    Examples
    --------
    >>> round(traffic_usd(1000.0 * MB_PER_BILLED_GB, 0.5), 9)
    10.0
    """
    return TRAFFIC.value({"sent_mb": network_mb, "share_between_zones": share, "usd_per_gb_between_zones": usd_per_gb})


def usual_emr_usd_per_hour(on_demand_usd_per_hour: Quantity) -> Quantity:
    """Return the hourly EMR fee that follows from on-demand prices by the pattern of `emr_fee` [USD/h]."""
    return smaller(0.25 * on_demand_usd_per_hour, 0.27)


def emr_fee(on_demand_usd_per_hour: float) -> Figure:
    """Estimate the hourly EMR fee of an instance type whose fee is unknown [USD/h].

    Examples
    --------
    >>> emr_fee(0.192).value, emr_fee(6.82).value
    (0.048, 0.27)
    """
    usd_per_hour = float(usual_emr_usd_per_hour(on_demand_usd_per_hour))
    return Number("emr_usd_per_hour", usd_per_hour, "USD/h").estimated(
        f"25% of the on-demand price of {on_demand_usd_per_hour:g} USD/h, at most 0.27 USD/h: "
        "the pattern of the EMR pricing page; the type's own fee is not known here",
        date(2026, 11, 20),
    )


def interruption_rate(monthly_share: float) -> Figure:
    """Estimate the interruption rate of a spot instance [1/h].

    AWS' spot instance advisor publishes the share of instances that were interrupted in the last month, in bands (under
    5%, 5 to 10, 10 to 15, 15 to 20, over 20%). It does not publish how long the instances ran, and interruptions come
    in bursts. The estimate assumes that each instance ran for the whole month, and that the interruption rate was
    constant.

    Parameters
    ----------
    monthly_share : float
        Share of the instances that were interrupted within a month, in [0, 1).

    Examples
    --------
    >>> round(interruption_rate(0.10).value, 6)
    0.000144
    """
    return Number("interruptions_per_hour", -math.log1p(-monthly_share) / HOURS_PER_MONTH, "1/h").estimated(
        f"{monthly_share:.0%} of instances interrupted a month, -ln(1 - share) / 730 h: the EC2 spot instance "
        "advisor gives bands of that share, no rate; an even rate over whole months is our assumption",
        date(2026, 11, 20),
    )


INTERRUPTIONS_PER_HOUR = interruption_rate(0.10)
"""Default interruption rate: the upper end of the advisor's second band."""


def _beyond(amount: Quantity, included: Quantity) -> Quantity:
    return amount if absent(included) else longer(amount - included, 0.0)
