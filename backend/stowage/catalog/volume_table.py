"""Reader of the table of EBS volume prices by region."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import yaml

from stowage.catalog.tables import NUMBER, TableError
from stowage.catalog.units import VOLUME_UNITS
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import VolumeType, volume_type
from stowage.model.hardware.volume_limits import volume_limits
from stowage.model.infeasible import Infeasible

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
"""Upper end of a tier [IOPS] -> the price within it."""

_OF_NO_TYPE = {"second_hand", "snapshot_gib_month"}
"""Predictions exclude snapshots: they are billed separately, for the changed data."""


def read_volumes(text: str, as_of: date, *, prices_as_of: date | None = None) -> dict[str, dict[str, VolumeType]]:
    """Parse the prices of volume types by region.

    Parameters
    ----------
    text : str
        YAML with the key ``usd``: region -> volume type -> prices, as `docs/guides/catalog.md` describes it.
    as_of : date
        Date of AWS' limits on volumes.
    prices_as_of : date, optional
        Date of the prices, if different.

    Returns
    -------
    dict of str to dict of str to VolumeType
        Region -> name -> volume type.

    Raises
    ------
    TableError
        A volume type or price is unknown or occurs twice, or a price is not a number above 0.
    """
    try:
        document = yaml.load(text, _OnceEach)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise TableError(f"no table of volume prices: {error}") from error
    return {
        region: {
            name: _volume_type(region, name, row, as_of, prices_as_of or as_of, _kind(region, rows))
            for name, row in _rows(f"{region}, ", rows)
            if name not in _OF_NO_TYPE
        }
        for region, rows in _rows("", _table(document))
    }


class _OnceEach(yaml.SafeLoader):
    """YAML loader that refuses duplicate keys and unusual numbers.

    With duplicate keys, YAML would silently use the last value.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                line = key.start_mark.line + 1
                raise TableError(f"no table of volume prices: line {line}: {key.value!a} stands there twice")
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def number(self, node: yaml.ScalarNode) -> float:
        text = self.construct_scalar(node)
        if not NUMBER.fullmatch(text):
            line = node.start_mark.line + 1
            raise TableError(f"no table of volume prices: line {line}: {text!a} is no plain number")
        return float(text)


for _tag in ("int", "float"):
    _OnceEach.add_constructor(f"tag:yaml.org,2002:{_tag}", _OnceEach.number)


def _table(document: object) -> object:
    if not isinstance(document, dict) or "usd" not in document:
        raise TableError("no table of volume prices: no 'usd' at its top")
    return document["usd"]


def _rows(where: str, table: object) -> list[tuple[str, Any]]:
    """Return the entries of a table, sorted by name."""
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table):
        raise TableError(f"{where}no table: names with something behind each are expected")
    return sorted(table.items())


def _kind(region: str, rows: Mapping[str, Any]) -> Kind:
    second_hand = rows.get("second_hand", False)
    if not isinstance(second_hand, bool):
        raise TableError(f"{region}: second_hand {second_hand!a} is neither true nor false")
    return "estimated" if second_hand else "published"


def _volume_type(region: str, name: str, row: object, as_of: date, prices_as_of: date, kind: Kind) -> VolumeType:
    limits = volume_limits(name, as_of)
    if isinstance(limits, Infeasible):
        raise TableError(f"{region}: {limits.reason}")
    prices: dict[str, Any] = {}
    for key, value in _rows(f"{region}, {name}: ", row):
        if key == "iops_month_tiers":
            prices |= _tiers(region, name, value)
        elif key in _PRICES:
            prices[_PRICES[key]] = value
        else:
            raise TableError(f"{region}, {name}: unknown price {key!a}")
    for quantity, value in prices.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < float("inf"):
            raise TableError(f"{region}, {name}: {quantity} {value!a} is no price above 0")
    source = LISTED if kind == "published" else SECOND_HAND
    figures = {
        quantity: Figure(quantity, float(value), VOLUME_UNITS[quantity], source, kind, prices_as_of)
        for quantity, value in prices.items()
    }
    figures["annual_failure_rate"] = replace(limits.highest_annual_failure_rate, quantity="annual_failure_rate")
    try:
        return volume_type(name, figures, as_of)
    except KeyError as error:
        raise TableError(f"{region}, {name}: no {error.args[0]}") from error


def _tiers(region: str, name: str, told: object) -> dict[str, Any]:
    pairs = isinstance(told, list) and all(isinstance(tier, list) and len(tier) == 2 for tier in told)
    if not isinstance(told, list) or not pairs or [upper for upper, _ in told] != list(_TIERS):
        raise TableError(f"{region}, {name}: tiers end at {', '.join(f'{upper:,}' for upper in _TIERS)} IOPS")
    return {_TIERS[upper]: usd for upper, usd in told}
