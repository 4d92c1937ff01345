"""Table of a region's instance types, with one row for each type and one column for each figure.

Building the table is slow, so it is built once for each catalog version and cached. Each request filters and sorts the
cached table, and returns a page of it.
"""

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import get_args

from stowage.features.explore import schemas
from stowage.frozen import frozen
from stowage.model.figure import Figure, Kind
from stowage.model.hardware.catalog import Catalog
from stowage.model.hardware.instance import PRICE_OF, PRICES, InstanceType, Trait
from stowage.model.hardware.profile import Metric, Profile, Profiles
from stowage.model.money.price import Purchase
from stowage.model.money.price_terms import without_published_price
from stowage.platform.errors import BadInput, Problem
from stowage.platform.paging import page_held
from stowage.platform.problems import shown
from stowage.workloads.of_catalog import TermsAnswer

COLUMNS = tuple(
    schemas.ColumnAnswer(name=name, title=title, unit=unit, description=description, group=group)
    for group, columns in {
        "hardware": (
            ("vcpus", "vCPU", "1", "Virtual CPUs"),
            ("memory_gib", "Memory", "GiB", "Memory"),
            ("cpu_baseline_share", "CPU baseline", "1", "What each vCPU of a burstable type sustains of itself"),
        ),
        "disks": (
            ("disk_count", "Disks", "1", "Local disks"),
            ("disk_size_gb", "Disk size", "GB", "Capacity of one local disk"),
            ("capacity_gb", "Capacity", "GB", "Capacity of all local disks"),
            ("storage_read_mb_per_s", "Disk read", "MB/s", "All local disks together, only reading"),
            ("storage_write_mb_per_s", "Disk write", "MB/s", "All local disks together, only writing"),
            (
                "storage_mb_per_s",
                "Disk throughput (half read, half write)",
                "MB/s",
                "Half the local disks read while the other half write, each half at that rate",
            ),
            ("storage_read_iops", "Disk read IOPS", "1/s", "Random reads of all local disks together"),
            ("storage_write_iops", "Disk write IOPS", "1/s", "Random writes of all local disks together"),
        ),
        "EBS": (
            ("ebs_baseline_mb_per_s", "EBS baseline", "MB/s", "What the link to EBS carries for ever"),
            ("ebs_maximum_mb_per_s", "EBS maximum", "MB/s", "What it carries for at least 30 minutes a day"),
            ("ebs_baseline_iops", "EBS baseline IOPS", "1/s", "I/Os that the link to EBS carries for ever"),
            ("ebs_maximum_iops", "EBS maximum IOPS", "1/s", "I/Os that it carries for at least 30 minutes a day"),
            ("most_volumes", "Most volumes", "1", "EBS volumes that can be attached, the root volume among them"),
        ),
        "network": (
            ("network_baseline_mb_per_s", "Network baseline", "MB/s", "Sustained each way"),
            ("network_peak_mb_per_s", "Network peak", "MB/s", "Each way, on credit"),
        ),
        "price": (
            ("usd_per_hour", "On-demand", "USD/h", "Price of an hour on demand"),
            ("spot_usd_per_hour", "Spot", "USD/h", "Price of an hour as a spot instance"),
            ("one_year_usd_per_hour", "1 year", "USD/h", "Price of an hour when committed to for one year"),
            ("three_year_usd_per_hour", "3 years", "USD/h", "Price of an hour when committed to for three years"),
        ),
        "value": (
            ("usd_per_tb_hour", "USD per TB", "USD/(TB h)", "Price of an hour for each TB of local disk"),
            (
                "storage_mb_per_s_per_usd",
                "MB/s per USD",
                "MB/s per USD/h",
                "Disk throughput (half read, half write) for a dollar an hour",
            ),
            (
                "network_mb_per_s_per_usd",
                "Network per USD",
                "MB/s per USD/h",
                "Network baseline for a dollar an hour",
            ),
            (
                "network_per_storage",
                "Network per disk",
                "1",
                "Network baseline for each MB/s of disk throughput: below 1 the network limits what leaves the node",
            ),
        ),
    }.items()
    for name, title, unit, description in columns
)
_PLACES = {column.name: place for place, column in enumerate(COLUMNS)}

_CONDITION = re.compile(r"([a-z_]{1,40})(<=|>=|=|<|>)(.{1,60})", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_TEXTS: Mapping[str, tuple[tuple[str, ...], Callable[[schemas.InstanceTypeRow], Collection[str]]]] = {
    "traits": (get_args(Trait), lambda row: row.traits),
    "disk_media": (("ssd", "hdd", "none"), lambda row: (row.disk_media or "none",)),
    "family": (("i2",), lambda row: (row.family,)),
    "placement_group": (("yes", "no"), lambda row: ("yes" if row.placement_group else "no",)),
}
"""Subjects of conditions that are text: accepted values (of `family` an example), and the values of a row."""
_COMPARE = {"<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt}
_COMPUTED = "Computed: "
_ORDER: tuple[Kind, ...] = ("measured", "published", "given", "estimated")
"""From the most certain kind to the least."""

_Known = Figure | Profile


@frozen
class Table:
    """All instance types of a region, in the catalog's order."""

    version: str
    region: str
    as_of: date
    purchase: Purchase
    sources: tuple[schemas.SourceAnswer, ...]
    rows: tuple[schemas.InstanceTypeRow, ...]
    """One row for each instance type, with values and sources in the order of `COLUMNS`."""
    price_terms: TermsAnswer | None
    """Discounts that all prices include; None for published prices."""


@frozen
class Condition:
    """Condition that the rows of the table must meet, e.g. ``vcpus>=8``."""

    subject: str
    """Name of a column, or one of traits, disk_media, family and placement_group."""
    comparison: str
    """One of < <= = >= >; only `=` if the subject is text."""
    operand: float | str

    def holds(self, row: schemas.InstanceTypeRow) -> bool:
        """Return whether a row meets the condition; False if the value of the row is unknown."""
        if self.subject in _TEXTS:
            _, values = _TEXTS[self.subject]
            return self.operand in values(row)
        value = row.values[_PLACES[self.subject]]
        return value is not None and bool(_COMPARE[self.comparison](value, self.operand))


def build(catalog: Catalog, profiles: Profiles, purchase: Purchase, own: Collection[Profile] = frozenset()) -> Table:
    """Build the table of a region's instance types.

    Parameters
    ----------
    profiles : Profiles
        Published profiles, with the team's own profiles in place of published ones.
    purchase : Purchase
        Purchase option with whose price the columns USD per TB and MB/s per USD are computed.
    own : collection of Profile
        Profiles that the team measured.
    """
    sources = _Sources(own)
    rows = tuple(
        _row(instance, _figures(instance, profiles, purchase), sources) for instance in catalog.instance_types.values()
    )
    return Table(
        catalog.version,
        catalog.region,
        catalog.as_of,
        purchase,
        tuple(sources.listed),
        rows,
        TermsAnswer.of(catalog.price_terms),
    )


def select(table: Table, key: Sequence[str], query: schemas.TableQuery) -> schemas.InstanceTypeTable:
    """Filter and sort the rows of a table, and return one page of the rows.

    Rows without a value in the column to sort by come last, whether the order is ascending or descending.

    Parameters
    ----------
    key : sequence of str
        Identifies the table, for the cursor.

    Raises
    ------
    BadInput
        A condition, a column or the cursor is not accepted.
    """
    where = query.where or ()
    conditions = [_read_condition(f"where.{number}", text) for number, text in enumerate(where)]
    _check_sort(query.sort)
    places = [_PLACES[column] for column in _read_columns(query.columns)]
    wanted = query.name.lower()
    found = [row for row in table.rows if wanted in row.name.lower() and all(each.holds(row) for each in conditions)]
    if query.sort is not None:
        found = _sorted(found, query.sort)
    content = (*key, *where, query.name, query.sort or "")
    page, next_cursor = page_held(found, content, query.limit, query.cursor)
    return schemas.InstanceTypeTable.from_fields(
        table,
        catalog_version=table.version,
        columns=[COLUMNS[place] for place in places] if places else list(COLUMNS),
        rows=[_cut(row, places) for row in page] if places else page,
        total=len(found),
        next_cursor=next_cursor,
    )


def _check_sort(text: str | None) -> None:
    """Raise `BadInput` if a sort order is not ``name``, ``family`` or a column, perhaps after a minus sign."""
    if text is not None and text.removeprefix("-") not in {"name", "family", *_PLACES}:
        accepted = f"accepted: name, family, {', '.join(_PLACES)}"
        raise BadInput([Problem("sort", f"{shown(text)} is not a column; {accepted}")])


def _read_columns(text: str) -> tuple[str, ...]:
    """Parse the names of the requested columns, which are separated by commas; an empty text requests all columns."""
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    for place, name in enumerate(names):
        if name not in _PLACES:
            raise BadInput([Problem("columns", f"{shown(name)} is not a column; accepted: {', '.join(_PLACES)}")])
        if name in names[:place]:
            raise BadInput([Problem("columns", f"{shown(name)} stands there twice")])
    return names


def _read_condition(path: str, text: str) -> Condition:
    found = _CONDITION.fullmatch(text)
    if found is None:
        message = f"{shown(text)} is not a condition; accepted: a column, one of < <= = >= >, and a value: vcpus>=8"
        raise BadInput([Problem(path, message)])
    subject, comparison, operand = found[1], found[2], found[3]
    if subject in _TEXTS:
        accepted, _ = _TEXTS[subject]
        if comparison != "=":
            raise BadInput([Problem(path, f"{subject} is compared with = only, as in {subject}={accepted[0]}")])
        if subject != "family" and operand not in accepted:
            message = f"{shown(operand)} is not a value of {subject}; accepted: {', '.join(accepted)}"
            raise BadInput([Problem(path, message)])
        return Condition(subject, comparison, operand)
    if subject not in _PLACES:
        message = f"{shown(subject)} is not a column; accepted: {', '.join((*_TEXTS, *_PLACES))}"
        raise BadInput([Problem(path, message)])
    number = float(operand) if _NUMBER.fullmatch(operand) else math.nan
    if not math.isfinite(number):
        raise BadInput([Problem(path, f"{shown(operand)} is not a number; write it as in {subject}>=8 or 1.5")])
    return Condition(subject, comparison, number)


def _sorted(rows: Sequence[schemas.InstanceTypeRow], sort: str) -> list[schemas.InstanceTypeRow]:
    column, descending = sort.removeprefix("-"), sort.startswith("-")
    if column in {"name", "family"}:
        return sorted(rows, key=lambda row: getattr(row, column), reverse=descending)
    place = _PLACES[column]
    known = [row for row in rows if row.values[place] is not None]
    known.sort(key=lambda row: row.values[place] or 0.0, reverse=descending)
    return known + [row for row in rows if row.values[place] is None]


def _cut(row: schemas.InstanceTypeRow, places: Sequence[int]) -> schemas.InstanceTypeRow:
    return row.model_copy(
        update={
            "values": [row.values[place] for place in places],
            "sources": [row.sources[place] for place in places],
        }
    )


class _Sources:
    """List of the sources of a table, each with a number in the order of first use."""

    def __init__(self, own: Collection[Profile]) -> None:
        self.listed: list[schemas.SourceAnswer] = []
        self._own = own
        self._places: dict[tuple[str, Kind, date | None], int] = {}

    def place(self, known: _Known) -> int:
        key = (known.source, known.kind, known.as_of)
        if key not in self._places:
            self._places[key] = len(self.listed)
            own = isinstance(known, Profile) and known in self._own
            self.listed.append(schemas.SourceAnswer(text=known.source, kind=known.kind, as_of=known.as_of, own=own))
        return self._places[key]


def _row(instance: InstanceType, known: Sequence[_Known | None], sources: _Sources) -> schemas.InstanceTypeRow:
    return schemas.InstanceTypeRow.from_fields(
        instance,
        traits=sorted(instance.traits),
        values=[None if each is None else each.mean if isinstance(each, Profile) else each.value for each in known],
        sources=[None if each is None else sources.place(each) for each in known],
    )


def _figures(instance: InstanceType, profiles: Profiles, purchase: Purchase) -> list[_Known | None]:
    known: dict[str, _Known | None] = {
        column.name: getattr(instance, column.name) for column in COLUMNS if hasattr(instance, column.name)
    }
    for name in PRICES:
        discounted = getattr(instance, name)
        if name in known and discounted is not None and discounted.kind == "given":
            # The table lists each source once.
            known[name] = replace(discounted, source=without_published_price(discounted.source))
    metrics: tuple[Metric, ...] = (
        "storage_read_mb_per_s",
        "storage_write_mb_per_s",
        "storage_mb_per_s",
        "storage_read_iops",
        "storage_write_iops",
    )
    for metric in metrics:
        known[metric] = profiles.average(instance.name, metric)
    capacity = _derived("capacity_gb", "disks x size of a disk", math.prod, known["disk_count"], known["disk_size_gb"])
    known["capacity_gb"] = instance.disk_count if instance.disk_count.value == 0 else capacity
    if known["storage_mb_per_s"] is None:
        known["storage_mb_per_s"] = _derived(
            "storage_mb_per_s",
            "half of the slower of reading and writing: half the disks read while the other half write at that rate",
            lambda rates: min(rates) / 2,
            known["storage_read_mb_per_s"],
            known["storage_write_mb_per_s"],
        )
    price, rate = known[PRICE_OF[purchase]], known["storage_mb_per_s"]
    known["usd_per_tb_hour"] = _derived(
        "usd_per_tb_hour",
        f"{purchase} price / capacity of the local disks",
        lambda pair: 1000 * pair[0] / pair[1],
        price,
        known["capacity_gb"],
    )
    known["storage_mb_per_s_per_usd"] = _derived(
        "storage_mb_per_s_per_usd", f"disk throughput / {purchase} price", _ratio, rate, price
    )
    network = known["network_baseline_mb_per_s"]
    known["network_mb_per_s_per_usd"] = _derived(
        "network_mb_per_s_per_usd", f"network baseline / {purchase} price", _ratio, network, price
    )
    known["network_per_storage"] = _derived(
        "network_per_storage", "network baseline / disk throughput", _ratio, network, rate
    )
    return [known[column.name] for column in COLUMNS]


def _ratio(pair: Sequence[float]) -> float:
    return pair[0] / pair[1]


def _derived(
    quantity: str, working: str, compute: Callable[[Sequence[float]], float], *inputs: _Known | None
) -> Figure | None:
    """Compute a figure from other figures; return None if any of these is unknown.

    The result has the kind of the least certain input, and the date of the oldest input.
    """
    known = [each for each in inputs if each is not None]
    if len(known) < len(inputs):
        return None
    try:
        value = compute([each.mean if isinstance(each, Profile) else each.value for each in known])
    except ZeroDivisionError:
        return None
    kind = max((each.kind for each in known), key=_ORDER.index)
    as_of = min((each.as_of for each in known if each.as_of is not None), default=None)
    # Several inputs may have the same source.
    parts = dict.fromkeys(
        f"({each.source.removeprefix(_COMPUTED)})" if each.source.startswith(_COMPUTED) else each.source
        for each in known
    )
    source = f"{_COMPUTED}{working}. From: {'; '.join(parts)}"
    return Figure(quantity, value, "", source, kind, as_of) if math.isfinite(value) else None
