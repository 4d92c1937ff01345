"""Conversion of the parts of catalog versions to table rows.

A part is either the hardware of a version, or the prices and volume types of one of its regions.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import psycopg
from sqlalchemy import Connection, Table, insert, select

from stowage.features.catalog.tables import (
    catalog_part,
    instance_figure,
    instance_type,
    part_source,
    published_profile,
    region_price,
    region_type,
    volume_figure,
    volume_type,
)
from stowage.model.figure import Figure, Kind, figures_of
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType
from stowage.model.hardware.instance import PRICES, InstanceType
from stowage.model.hardware.offered import PRICE_UNIT
from stowage.platform.database.errors import Unreachable


@dataclass
class _Content:
    """The table rows of one part, without the number of the part.

    Sources of figures are numbered in the order of their first use.
    """

    rows: dict[Table, list[tuple[Any, ...]]] = field(default_factory=dict)
    """Values of all columns except the first, `part`, in PostgreSQL's text format."""
    _numbers: dict[tuple[str, Kind, date | None], int] = field(default_factory=dict)

    def source(self, source: str, kind: Kind, as_of: date | None) -> int:
        return self._numbers.setdefault((source, kind, as_of), len(self._numbers))

    def add_figures(self, table: Table, target: str, figures: Iterable[Figure]) -> None:
        rows = self.rows.setdefault(table, [])
        for figure in figures:
            source = self.source(figure.source, figure.kind, figure.as_of)
            # The shortest decimal that identifies the float, which is what `ExactFloat` stores.
            rows.append((target, figure.quantity, repr(float(figure.value)), figure.unit, source))

    def finished(self) -> dict[Table, list[tuple[Any, ...]]]:
        """Return all rows by table, in an order in which referenced tables come first."""
        sources = [
            (number, source, kind, None if as_of is None else as_of.isoformat())
            for (source, kind, as_of), number in self._numbers.items()
        ]
        return {part_source: sources, **self.rows}


def hardware_content(version: CatalogVersion) -> dict[Table, list[tuple[Any, ...]]]:
    """Return the rows of the hardware part of a version, by table."""
    content = _Content()
    content.rows[instance_type] = [
        (
            row.name,
            position,
            row.disk_media,
            row.placement_group,
            json.dumps(dict(row.gaps)),
            json.dumps(sorted(row.traits)),
        )
        for position, row in enumerate(version.instance_types.values())
    ]
    for row in version.instance_types.values():
        own = _named_after_fields(row)
        priced = next((figure.quantity for figure in own if figure.quantity in PRICES), None)
        if priced is not None:
            raise ValueError(f"{row.name}.{priced}: hardware has no price; regions have")
        content.add_figures(instance_figure, row.name, own)
    content.rows[published_profile] = [
        (
            position,
            content.source(row.source, row.kind, row.as_of),
            row.target,
            row.metric,
            repr(float(row.mean)),
            None if row.spread is None else repr(float(row.spread)),
            row.count,
            row.cluster_nodes,
            row.statistic,
            row.placement_group,
        )
        for position, row in enumerate(version.profiles.rows)
    ]
    return content.finished()


def region_content(region: Region) -> dict[Table, list[tuple[Any, ...]]]:
    """Return the rows of a region's part, by table."""
    content = _Content()
    content.rows[region_type] = [(name, position) for position, name in enumerate(region.prices)]
    for name, prices in region.prices.items():
        for quantity, figure in prices.items():
            if quantity not in PRICES or figure.quantity != quantity:
                raise ValueError(f"{name}.{quantity}: figure is named {figure.quantity!r}, must be its price")
            if figure.unit != PRICE_UNIT:
                raise ValueError(f"{name}.{quantity}: price is in {figure.unit!r}, must be in {PRICE_UNIT}")
        content.add_figures(region_price, name, (prices[quantity] for quantity in PRICES if quantity in prices))
    content.rows[volume_type] = [(name, position) for position, name in enumerate(region.volume_types)]
    for name, volume in region.volume_types.items():
        # The catalog has its own sizes of volume types; their other limits follow from the catalog's date.
        sizes = (volume.limits.smallest_gib, volume.limits.largest_gib)
        content.add_figures(volume_figure, name, (*sizes, *_named_after_fields(volume)))
    return content.finished()


def _named_after_fields(target: InstanceType | VolumeType) -> list[Figure]:
    found = figures_of(target)
    for name, figure in found.items():
        if figure.quantity != name:
            raise ValueError(f"{target.name}.{name}: figure is named {figure.quantity!r}, must be its field")
    return list(found.values())


def put_part(connection: Connection, rows: Mapping[Table, Sequence[tuple[Any, ...]]]) -> int:
    """Store a part unless its content is already stored; return its number."""
    digest = hashlib.sha256(json.dumps({table.name: found for table, found in rows.items()}).encode()).hexdigest()
    there: int | None = connection.scalar(select(catalog_part.c.id).where(catalog_part.c.digest == digest))
    if there is not None:
        return there
    added = insert(catalog_part).values(digest=digest).returning(catalog_part.c.id)
    part: int = connection.execute(added).scalar_one()
    cursor = connection.connection.cursor()
    try:
        for table, found in rows.items():
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            with cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
                for row in found:
                    copy.write_row((part, *row))
    except psycopg.OperationalError as error:
        raise Unreachable(f"the database went away while a catalog was stored: {error}") from error
    finally:
        cursor.close()
    return part
