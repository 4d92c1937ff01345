"""Figures that AWS' documentation states for 31 instance types, compared with the packaged catalog."""

from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from stowage.catalog.snapshot import packaged
from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType

DOCUMENTED: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("documented_types.yaml").read_text(encoding="utf-8")
)
TYPES: dict[str, dict[str, Any]] = DOCUMENTED["types"]
CATALOG = packaged("aws-2026-07-06")

MB_PER_S_OF_GBIT_PER_S = 125
MB_PER_S_OF_MBIT_PER_S = 1 / 8
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number in the catalog's unit, and the rounding error of the printed form."""

    field: str
    value: float
    tolerance: float

    def holds(self, figure: Figure | None) -> bool:
        return figure is not None and abs(figure.value - self.value) <= self.tolerance + ROUNDING


def printed(field: str, text: str, factor: float = 1) -> Printed:
    digits = text.replace(",", "").strip()
    decimals = len(digits.partition(".")[2])
    return Printed(field, float(digits) * factor, 0.5 * 10**-decimals * factor)


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")]


def hardware(rows: dict[str, Any]) -> list[Printed]:
    vcpus, memory = cells(rows["hardware"])
    return [printed("vcpus", vcpus), printed("memory_gib", memory)]


def disks(rows: dict[str, Any]) -> list[Printed]:
    if rows["disks"] is None:
        return [Printed("disk_count", 0, 0)]
    count, size = rows["disks"].removesuffix(" GB").split(" x ")
    return [printed("disk_count", count), printed("disk_size_gb", size)]


def network(rows: dict[str, Any]) -> list[Printed]:
    if "network" not in rows:
        return []
    row = cells(rows["network"])
    baseline, peak = row if len(row) == 2 else [row[0].removesuffix(" Gigabit")] * 2
    return [
        printed("network_baseline_mb_per_s", baseline, MB_PER_S_OF_GBIT_PER_S),
        printed("network_peak_mb_per_s", peak, MB_PER_S_OF_GBIT_PER_S),
    ]


def ebs_link(rows: dict[str, Any]) -> list[Printed]:
    if rows.get("ebs", "none") == "none":
        return []
    row = cells(rows["ebs"])
    pairs = list(zip(row[::2], row[1::2], strict=True)) if len(row) == 6 else [(cell, cell) for cell in row]
    found = []
    for end, side in enumerate(("baseline", "maximum")):
        megabits, megabytes, iops = (pair[end] for pair in pairs)
        found += [
            printed(f"ebs_{side}_mb_per_s", megabits, MB_PER_S_OF_MBIT_PER_S),
            printed(f"ebs_{side}_mb_per_s", megabytes),
            printed(f"ebs_{side}_iops", iops),
        ]
    return found


def cpu(rows: dict[str, Any]) -> list[Printed]:
    if "cpu" not in rows:
        return []
    credits_per_hour, _, vcpus, share = cells(rows["cpu"])
    earned = float(credits_per_hour) / float(vcpus) / 60
    return [
        printed("vcpus", vcpus),
        printed("cpu_baseline_share", share.removesuffix("%"), 0.01),
        Printed("cpu_baseline_share", earned, 0.5 / float(vcpus) / 60),
    ]


def volumes(rows: dict[str, Any]) -> list[Printed]:
    return [printed("most_volumes", rows["volumes"])] if "volumes" in rows else []


def all_printed(name: str) -> list[Printed]:
    rows = TYPES[name]
    return [*hardware(rows), *disks(rows), *network(rows), *ebs_link(rows), *cpu(rows), *volumes(rows)]


def figure(instance: InstanceType, field: str) -> Figure | None:
    found = getattr(instance, field)
    assert found is None or isinstance(found, Figure)
    return found


def disagreeing(name: str) -> set[tuple[str, float, float | None]]:
    """Return field, documented value and catalog value of all that differ."""
    instance = CATALOG.instance_types[name]
    found: set[tuple[str, float, float | None]] = set()
    for number in all_printed(name):
        here = figure(instance, number.field)
        if not number.holds(here):
            found.add((number.field, number.value, None if here is None else here.value))
    return found


def listed(name: str) -> set[tuple[str, float, float | None]]:
    return {
        (row["field"], float(row["documented"]), row["catalog"])
        for row in DOCUMENTED["disagreements"]
        if row["type"] == name and row["field"] != "disk_media"
    }


@pytest.mark.parametrize("name", TYPES)
def test_every_printed_value_holds_but_those_listed_as_disagreeing(name: str) -> None:
    assert disagreeing(name) == listed(name)


@pytest.mark.parametrize("name", TYPES)
def test_the_kind_of_disks_is_as_printed_but_where_listed(name: str) -> None:
    rows = TYPES[name]
    documented = None if rows["disks"] is None else rows["media"].split()[-1].lower()
    here = CATALOG.instance_types[name].disk_media
    exceptions = [
        (row["documented"], row["catalog"])
        for row in DOCUMENTED["disagreements"]
        if row["type"] == name and row["field"] == "disk_media"
    ]
    assert exceptions == ([] if documented == here else [(documented, here)])


@pytest.mark.parametrize("name", TYPES)
def test_a_type_bursts_its_cpu_just_where_the_documentation_gives_a_baseline(name: str) -> None:
    instance = CATALOG.instance_types[name]
    assert ("burstable" in instance.traits) == ("cpu" in TYPES[name])
    assert (instance.cpu_baseline_share is not None) == ("cpu" in TYPES[name])


@pytest.mark.parametrize("name", [name for name, rows in TYPES.items() if rows.get("ebs") == "none"])
def test_a_type_without_a_link_of_its_own_to_ebs_has_none_in_the_catalog(name: str) -> None:
    instance = CATALOG.instance_types[name]
    assert instance.ebs_baseline_mb_per_s is None
    assert instance.ebs_maximum_mb_per_s is None
    assert instance.ebs_baseline_iops is None
    assert instance.ebs_maximum_iops is None


@pytest.mark.parametrize("name", [name for name, rows in TYPES.items() if "disk_iops" in rows])
def test_random_reads_measured_of_the_disks_are_near_those_that_are_documented(name: str) -> None:
    documented = printed("storage_read_iops", cells(TYPES[name]["disk_iops"])[0]).value
    measured = [row.mean for row in CATALOG.profiles.of(name, "storage_read_iops")]
    assert measured == pytest.approx([documented] * len(measured), rel=0.15)


def test_random_reads_are_measured_of_most_types_whose_documentation_prints_them() -> None:
    documented = [name for name, rows in TYPES.items() if "disk_iops" in rows]
    assert sum(bool(CATALOG.profiles.of(name, "storage_read_iops")) for name in documented) >= 7


def test_types_old_and_new_of_every_kind_are_among_them() -> None:
    traits = {name: CATALOG.instance_types[name].traits for name in TYPES}
    media = {name: CATALOG.instance_types[name].disk_media for name in TYPES}
    assert len(TYPES) >= 20
    assert sum("previous generation" in found for found in traits.values()) >= 5
    assert sum("nitro" in found for found in traits.values()) >= 10
    assert sum("burstable" in found for found in traits.values()) >= 4
    assert sum(found == "ssd" for found in media.values()) >= 5
    assert sum(found == "hdd" for found in media.values()) >= 5
    assert sum(found is None for found in media.values()) >= 5


def test_every_row_names_a_page_of_known_edition() -> None:
    pages = DOCUMENTED["pages"]
    assert {rows["page"] for rows in TYPES.values()} <= set(pages)
    for page in pages.values():
        assert len(page["commit"]) == 40
        assert isinstance(page["edition"], date)


def test_every_disagreement_is_of_a_field_and_says_which_of_the_two_is_newer() -> None:
    known = {field.name for field in fields(InstanceType)}
    for row in DOCUMENTED["disagreements"]:
        assert row["type"] in TYPES
        assert row["field"] in known
        assert row["newer"] in {"documentation", "catalog"}


def test_unchecked_types_are_in_the_catalog_and_have_no_documented_rows() -> None:
    assert set(DOCUMENTED["unchecked"]) <= set(CATALOG.instance_types)
    assert not set(DOCUMENTED["unchecked"]) & set(TYPES)
