"""Handwritten catalogs: YAML files of one region, with comments."""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Any

import yaml

from stowage.catalog.units import INSTANCE_UNITS, VOLUME_UNITS
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region, VolumeType, instance_type, volume_type
from stowage.model.hardware.instance import PRICES, InstanceType
from stowage.model.hardware.profile import Profile, Profiles

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser in C takes an eighth of the time; a PyYAML built without libyaml lacks it."""


def read(content: bytes) -> CatalogVersion:
    """Convert the content of a YAML file to the model's types.

    Raises
    ------
    KeyError
        A figure names a source that the file does not have, or a required field is missing.
    """
    document = yaml.load(content, Loader=_LOADER)  # noqa: S506 - safe, either of them
    sources = document["sources"]
    rows = document["instance_types"]
    region = Region(
        name=document["region"],
        prices={
            name: _figures(row, {name: INSTANCE_UNITS[name] for name in PRICES}, sources) for name, row in rows.items()
        },
        volume_types={
            name: _volume_type(name, row, document["as_of"], sources) for name, row in document["volume_types"].items()
        },
    )
    return CatalogVersion(
        version=document["version"],
        title=document["title"],
        as_of=document["as_of"],
        provider=document.get("provider", "aws"),
        instance_types={name: _hardware(name, row, sources) for name, row in rows.items()},
        regions={region.name: region},
        profiles=Profiles(tuple(_profile(row, sources) for row in document["profiles"])),
        digest=hashlib.sha256(content).hexdigest(),
    )


def _hardware(name: str, row: Mapping[str, Any], sources: Mapping[str, Any]) -> InstanceType:
    units = {quantity: unit for quantity, unit in INSTANCE_UNITS.items() if quantity not in PRICES}
    return instance_type(
        name,
        _figures(row, units, sources),
        disk_media=row.get("disk_media"),
        placement_group=row["placement_group"],
        gaps=row["gaps"],
    )


def _volume_type(name: str, row: Mapping[str, Any], as_of: date, sources: Mapping[str, Any]) -> VolumeType:
    return volume_type(name, _figures(row, VOLUME_UNITS, sources), as_of)


def _figures(row: Mapping[str, Any], units: Mapping[str, str], sources: Mapping[str, Any]) -> dict[str, Figure]:
    return {
        quantity: _figure(quantity, unit, row[quantity], sources) for quantity, unit in units.items() if quantity in row
    }


def _figure(quantity: str, unit: str, cell: Mapping[str, Any], sources: Mapping[str, Any]) -> Figure:
    source = sources[cell["source"]]
    return Figure(quantity, float(cell["value"]), unit, source["text"], source["kind"], source["as_of"])


def _profile(row: Mapping[str, Any], sources: Mapping[str, Any]) -> Profile:
    source = sources[row["source"]]
    as_of: date = source["as_of"]
    measured = {key: value for key, value in row.items() if key != "source"}
    measured["mean"] = float(row["mean"])
    return Profile(**measured, source=source["text"], kind=source["kind"], as_of=as_of)
