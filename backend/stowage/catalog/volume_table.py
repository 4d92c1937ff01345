"""Prices of EBS volumes by region, from a table of them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import yaml

from stowage.catalog.units import VOLUME_UNITS
from stowage.model.catalogue import VolumeType, volume_type
from stowage.model.figure import Figure, Kind
from stowage.model.infeasible import Infeasible
from stowage.model.volume_limits import volume_limits

LISTED = "EBS public price list"
SECOND_HAND = "Second-hand: a third-party table, not AWS' own list"

_PRICES = {
    "gib_month": "usd_per_gib_month",
    "iops_month": "usd_per_iops_month",
    "mib_per_s_month": "usd_per_mib_per_s_month",
    "per_million_io": "usd_per_million_io",
}
_TIERS = {
    32_000: "usd_per_iops_month",
    64_000: "usd_per_iops_month_above_32000",
    256_000: "usd_per_iops_month_above_64000",
}
"""Upper end of a tier [IOPS] -> the price that holds in it."""

_OF_NO_TYPE = {"second_hand", "snapshot_gib_month"}
"""Snapshots have no place in a prediction: they are billed beside the volumes, for what changed."""


class VolumeTableError(ValueError):
    """A table of volume prices is not understood; the message names the region and the type."""


def read_volumes(text: str, as_of: date) -> dict[str, dict[str, VolumeType]]:
    """Read what volumes cost where.

    Parameters
    ----------
    text : str
        YAML with the key ``usd``: region -> volume type -> prices, as `docs/guides/catalogue.md` describes it.
    as_of : date
        Of the prices; what AWS lets a volume be and do is taken as of the same day.

    Returns
    -------
    dict of str to dict of str to VolumeType
        Region -> name -> volume type.

    Raises
    ------
    VolumeTableError
        A type or a price is unknown, or no number above 0.
    """
    try:
        table = yaml.safe_load(text)["usd"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise VolumeTableError(f"no table of volume prices: {error}") from error
    return {
        region: {
            name: _volume_type(region, name, row, as_of, second_hand=bool(rows.get("second_hand")))
            for name, row in sorted(rows.items())
            if name not in _OF_NO_TYPE
        }
        for region, rows in sorted(table.items())
    }


def _volume_type(region: str, name: str, row: Mapping[str, Any], as_of: date, *, second_hand: bool) -> VolumeType:
    limits = volume_limits(name, as_of)
    if isinstance(limits, Infeasible):
        raise VolumeTableError(f"{region}: {limits.reason}")
    kind: Kind = "estimated" if second_hand else "published"
    prices: dict[str, Any] = {}
    for key, value in row.items():
        if key == "iops_month_tiers":
            prices |= _tiers(region, name, value)
        elif key in _PRICES:
            prices[_PRICES[key]] = value
        else:
            raise VolumeTableError(f"{region}, {name}: unknown price {key!a}")
    for quantity, value in prices.items():
        if not isinstance(value, int | float) or not 0.0 < value < float("inf"):
            raise VolumeTableError(f"{region}, {name}: {quantity} {value!r} is no price above 0")
    source = SECOND_HAND if second_hand else LISTED
    figures = {
        quantity: Figure(quantity, float(value), VOLUME_UNITS[quantity], source, kind, as_of)
        for quantity, value in prices.items()
    }
    worst = limits.highest_annual_failure_rate
    figures["annual_failure_rate"] = Figure(
        "annual_failure_rate", worst.value, "1/a", worst.source, worst.kind, worst.as_of
    )
    try:
        return volume_type(name, figures, as_of)
    except KeyError as error:
        raise VolumeTableError(f"{region}, {name}: no {error.args[0]}") from error


def _tiers(region: str, name: str, told: list[tuple[float, float]]) -> dict[str, Any]:
    if [upper for upper, _ in told] != list(_TIERS):
        raise VolumeTableError(f"{region}, {name}: tiers end at {', '.join(f'{upper:,}' for upper in _TIERS)} IOPS")
    return {_TIERS[int(upper)]: usd for upper, usd in told}
