"""The catalogues that travel in the package: files that are read into the model's types."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from stowage.model.catalogue import Catalogue, VolumeType, instance_type, volume_type
from stowage.model.figure import Figure
from stowage.model.instance import InstanceType
from stowage.model.profile import Profile, Profiles

LATEST = "paper-2014"
"""What `latest` means to a catalogue key; the newest version that the package carries."""

VERSIONS = ("paper-2014",)

_INSTANCE_UNITS = {
    "vcpus": "1",
    "memory_gib": "GiB",
    "disk_count": "1",
    "disk_size_gb": "GB",
    "usd_per_hour": "USD/h",
    "ebs_usd_per_hour": "USD/h",
    "ebs_baseline_mb_per_s": "MB/s",
    "ebs_maximum_mb_per_s": "MB/s",
    "ebs_baseline_iops": "IOPS",
    "ebs_maximum_iops": "IOPS",
    "network_baseline_mb_per_s": "MB/s",
    "network_peak_mb_per_s": "MB/s",
    "most_volumes": "1",
    "spot_usd_per_hour": "USD/h",
    "one_year_usd_per_hour": "USD/h",
    "three_year_usd_per_hour": "USD/h",
}
_VOLUME_UNITS = {
    "smallest_gib": "GiB",
    "largest_gib": "GiB",
    "annual_failure_rate": "1/a",
    "usd_per_gib_month": "USD per GiB and month",
    "usd_per_iops_month": "USD per IOPS and month",
    "usd_per_iops_month_above_32000": "USD per IOPS and month",
    "usd_per_iops_month_above_64000": "USD per IOPS and month",
    "usd_per_mib_per_s_month": "USD per MiB/s and month",
    "usd_per_million_io": "USD",
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One packaged catalogue with its published profiles.

    Parameters
    ----------
    catalogue : Catalogue
    profiles : Profiles
    digest : str
        SHA-256 of the file: two snapshots with one digest are the same.
    """

    catalogue: Catalogue
    profiles: Profiles
    digest: str


@lru_cache
def packaged(version: str) -> Snapshot:
    """Read a packaged snapshot.

    Parameters
    ----------
    version : str
        One of `VERSIONS`.

    Raises
    ------
    KeyError
        There is no such version.
    """
    if version not in VERSIONS:
        raise KeyError(version)
    content = (resources.files("stowage.catalog") / "snapshots" / f"{version}.yaml").read_bytes()
    return read(content)


def read(content: bytes) -> Snapshot:
    """Turn the content of a snapshot file into the model's types.

    Raises
    ------
    KeyError
        A figure names a source that the file does not have, or a required field is missing.
    """
    document = yaml.safe_load(content)
    sources = document["sources"]
    catalogue = Catalogue(
        version=document["version"],
        title=document["title"],
        as_of=document["as_of"],
        region=document["region"],
        instance_types={name: _instance_type(name, row, sources) for name, row in document["instance_types"].items()},
        volume_types={
            name: _volume_type(name, row, document["as_of"], sources) for name, row in document["volume_types"].items()
        },
    )
    profiles = Profiles(tuple(_profile(row, sources) for row in document["profiles"]))
    return Snapshot(catalogue, profiles, hashlib.sha256(content).hexdigest())


def _instance_type(name: str, row: Mapping[str, Any], sources: Mapping[str, Any]) -> InstanceType:
    figures = {
        quantity: _figure(quantity, unit, row[quantity], sources)
        for quantity, unit in _INSTANCE_UNITS.items()
        if quantity in row
    }
    return instance_type(
        name, figures, disk_media=row.get("disk_media"), placement_group=row["placement_group"], gaps=row["gaps"]
    )


def _volume_type(name: str, row: Mapping[str, Any], as_of: date, sources: Mapping[str, Any]) -> VolumeType:
    figures = {
        quantity: _figure(quantity, unit, row[quantity], sources)
        for quantity, unit in _VOLUME_UNITS.items()
        if quantity in row
    }
    return volume_type(name, figures, as_of)


def _figure(quantity: str, unit: str, cell: Mapping[str, Any], sources: Mapping[str, Any]) -> Figure:
    source = sources[cell["source"]]
    return Figure(quantity, float(cell["value"]), unit, source["text"], source["kind"], source["as_of"])


def _profile(row: Mapping[str, Any], sources: Mapping[str, Any]) -> Profile:
    source = sources[row["source"]]
    as_of: date = source["as_of"]
    measured = {key: value for key, value in row.items() if key != "source"}
    measured["mean"] = float(row["mean"])
    return Profile(**measured, source=source["text"], kind=source["kind"], as_of=as_of)
