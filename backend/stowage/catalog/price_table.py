"""Reader of the table of EC2 prices: one line per region and instance type."""

import io
from collections.abc import Iterator, Mapping
from datetime import date

from stowage.catalog.tables import TableError, above_0, rows_of
from stowage.frozen import frozen
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


@frozen
class Priced:
    """One line of a price table: the prices of an instance type in a region."""

    region: str
    instance: str
    prices: Mapping[str, Figure]
    """Name of a price, from `instance.PRICES` -> figure [USD/h]; unknown prices are left out."""


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
    TableError
        A column is missing, a type occurs twice in a region, a price is not a number above 0, or a date is invalid.
    """
    found: dict[tuple[str, str], Priced] = {}
    for line, row in rows_of(io.StringIO(text), COLUMNS):
        region, name = row["region"], row["instance_type"]
        if (region, name) in found:
            raise TableError(f"line {line}: {name!a} in {region!a} stands there twice")
        found[region, name] = Priced(region, name, dict(_figures(row, line, others_as_of)))
    return tuple(found.values())


def _figures(row: Mapping[str, str], line: int, others_as_of: date | None) -> Iterator[tuple[str, Figure]]:
    try:
        listed = date.fromisoformat(row["on_demand_as_of"])
    except ValueError:
        raise TableError(f"line {line}: on_demand_as_of {row['on_demand_as_of']!a} is no date") from None
    for quantity, (column, source) in _SOURCES.items():
        if row[column]:
            usd = above_0(row, column, line, "price")
            as_of = listed if quantity == "usd_per_hour" or others_as_of is None else others_as_of
            yield quantity, Figure(quantity, usd, "USD/h", source, "published", as_of)
