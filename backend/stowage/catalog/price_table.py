"""Reader of the table of EC2 prices: one line per region and instance type."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from stowage.catalog.numbers import above_0
from stowage.model.figure import Figure

COLUMNS = (
    "region",
    "instance_type",
    "on_demand",
    "on_demand_as_of",
    "reserved_1y_no_upfront",
    "reserved_3y_all_upfront",
    "spot_average",
)
"""Columns of the CSV table: Linux, shared tenancy, USD per hour; empty if unknown."""

_SOURCES = {
    "usd_per_hour": ("on_demand", "EC2 public price list: on demand, Linux, shared tenancy"),
    "one_year_usd_per_hour": (
        "reserved_1y_no_upfront",
        "EC2 public price list: 1 year reserved, nothing upfront, Linux, shared tenancy",
    ),
    "three_year_usd_per_hour": (
        "reserved_3y_all_upfront",
        "EC2 public price list: 3 years reserved, all upfront, spread over the hours, Linux, shared tenancy",
    ),
    "spot_usd_per_hour": ("spot_average", "EC2 spot price, average, Linux"),
}


class PriceTableError(ValueError):
    """A price table is invalid; the message names the line and the column."""


@dataclass(frozen=True, slots=True)
class Priced:
    """One line of a price table: the prices of an instance type in a region.

    Parameters
    ----------
    region, instance : str
    prices : Mapping[str, Figure]
        Name of a price, from `instance.PRICES` -> figure [USD/h]; unknown prices are left out.
    """

    region: str
    instance: str
    prices: Mapping[str, Figure]


def read_prices(text: str, *, others_as_of: date | None = None) -> tuple[Priced, ...]:
    """Parse a price table.

    Parameters
    ----------
    text : str
        CSV with the columns `COLUMNS`.
    others_as_of : date, optional
        Date of the reserved and spot prices; by default the date of the line's on-demand price.

    Raises
    ------
    PriceTableError
        A column is missing, a type occurs twice in a region, a price is not a number above 0, or a date is invalid.
    """
    reader = csv.DictReader(io.StringIO(text), restval="")
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise PriceTableError(f"line 1: no column {missing[0]!a}; the headings are {', '.join(COLUMNS)}")
    found: dict[tuple[str, str], Priced] = {}
    for line, row in enumerate(reader, 2):
        region, name = row["region"], row["instance_type"]
        if (region, name) in found:
            raise PriceTableError(f"line {line}: {name!a} in {region!a} stands there twice")
        found[region, name] = Priced(region, name, dict(_figures(row, line, others_as_of)))
    return tuple(found.values())


def _figures(row: Mapping[str, str], line: int, others_as_of: date | None) -> Iterator[tuple[str, Figure]]:
    try:
        listed = date.fromisoformat(row["on_demand_as_of"])
    except ValueError:
        raise PriceTableError(f"line {line}: on_demand_as_of {row['on_demand_as_of']!a} is no date") from None
    for quantity, (column, source) in _SOURCES.items():
        cell = row[column]
        if not cell:
            continue
        usd = above_0(cell)
        if usd is None:
            raise PriceTableError(f"line {line}: {column} {cell!a} is no price above 0")
        as_of = listed if quantity == "usd_per_hour" or others_as_of is None else others_as_of
        yield quantity, Figure(quantity, usd, "USD/h", source, "published", as_of)
