"""Recorded EC2 descriptions of some instance types, and the inputs of a small catalog."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from stowage.catalog.build import Ingredients
from stowage.catalog.hardware import instance_types
from stowage.catalog.price_table import COLUMNS, read_prices
from stowage.catalog.snapshot import packaged
from stowage.catalog.volume_table import read_volumes

ON = date(2026, 11, 20)
LISTED_ON = date(2026, 7, 6)
RECORDED = Path(__file__).parents[2] / "catalog" / "described" / "instance_types.json"

DESCRIBED: dict[str, Mapping[str, Any]] = {item["InstanceType"]: item for item in json.loads(RECORDED.read_text())}
HARDWARE = instance_types(DESCRIBED.values(), as_of=ON)

VOLUMES = """
usd:
  us-east-1:
    gp3: {gib_month: 0.08, iops_month: 0.005, mib_per_s_month: 0.04}
    io2: {gib_month: 0.125, iops_month_tiers: [[32000, 0.065], [64000, 0.0455], [256000, 0.03185]]}
    standard: {gib_month: 0.05, per_million_io: 0.05}
    snapshot_gib_month: 0.05
  eu-west-1:
    second_hand: true
    gp2: {gib_month: 0.11}
"""


def prices(*lines: str) -> str:
    """Return a price table of some lines: region, type, on demand, its day, one year, three years, spot."""
    return "\n".join((",".join(COLUMNS), *lines)) + "\n"


def ingredients(table: str, **others: Any) -> Ingredients:
    """Return the inputs of a catalog of the recorded types."""
    return Ingredients(
        **{
            "described": tuple(DESCRIBED.values()),
            "described_on": ON,
            "offered": {},
            "prices": read_prices(table),
            "volumes": read_volumes(VOLUMES, LISTED_ON),
            "profiles": (),
            "old": packaged("paper-2014"),
            **others,
        }
    )
