"""Parts of a snapshot together equal the snapshot; parts of another snapshot are refused."""

import gzip
import zlib
from dataclasses import fields
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from stowage.catalog import parts
from stowage.catalog.snapshot import LATEST, load, read
from stowage.features.planning.planning import preview_plan
from stowage.model.hardware.catalog import CatalogVersion
from stowage.model.hardware.steps import Steps
from stowage.optimizer.columns.rates import RateColumns, columns_of
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.knowledge import Knowledge
from stowage.workloads.workload_file import parse_workload

SNAPSHOT = (resources.files("stowage.catalog") / "snapshots" / f"{LATEST}.json.gz").read_bytes()
PARTS = parts.split(SNAPSHOT)
WHOLE = read(SNAPSHOT)
ON_EBS = parse_workload({"workload": {"data": "10 TB", "durability": {"model": "infrastructure"}}})


@pytest.fixture(scope="module")
def of_parts(tmp_path_factory: pytest.TempPathFactory) -> CatalogVersion:
    return loaded(tmp_path_factory.mktemp("snapshots"), PARTS)


def loaded(folder: Path, beside: bytes | None) -> CatalogVersion:
    (folder / f"{LATEST}.json.gz").write_bytes(SNAPSHOT)
    if beside is not None:
        (folder / f"{LATEST}.parts").write_bytes(beside)
    return load(LATEST, folder)


def test_they_hold_every_figure_of_every_region(of_parts: CatalogVersion) -> None:
    assert of_parts == WHOLE
    assert of_parts.digest == WHOLE.digest
    assert list(of_parts.regions) == list(WHOLE.regions)


def test_columns_of_a_search_are_the_same(of_parts: CatalogVersion) -> None:
    ours, theirs = columns(of_parts), columns(WHOLE)
    arrays = [field.name for field in fields(RateColumns) if isinstance(getattr(ours, field.name), np.ndarray)]
    assert {"prices", "classes", "disk_mb", "vcpus"} <= set(arrays)
    for name in arrays:
        one, other = getattr(ours, name), getattr(theirs, name)
        # The bytes of an array of objects are their addresses.
        same = one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
        assert same, name
    assert ours.lanes().tobytes() == theirs.lanes().tobytes()
    assert (ours.hardware.spreads, ours.hardware.curves) == (theirs.hardware.spreads, theirs.hardware.curves)
    assert ours.instances == theirs.instances


def columns(version: CatalogVersion) -> RateColumns:
    return columns_of(ON_EBS.to_workload(), version.in_region("us-east-1"), version.profiles, Steps())


def test_plans_are_the_same(of_parts: CatalogVersion) -> None:
    ours, theirs = planned(of_parts), planned(WHOLE)
    assert ours.configurations
    assert ours == theirs


def planned(version: CatalogVersion) -> PlanAnswer:
    knowledge = Knowledge(version.in_region("us-east-1"), version.profiles, version.digest)
    return preview_plan(ON_EBS, lambda *_: knowledge, lambda: 0.0)


def test_a_snapshot_without_parts_is_read_itself(tmp_path: Path) -> None:
    assert loaded(tmp_path, None).digest == WHOLE.digest


OTHERS = parts.split(gzip.compress(gzip.decompress(SNAPSHOT), compresslevel=1, mtime=0))


@pytest.mark.parametrize(
    "beside",
    [b"", b"no JSON\n", b"[]\n", b"{}\n", PARTS[:-1], PARTS + b".", PARTS.replace(b"\n", b"\n.", 1)[:-1], OTHERS],
    ids=["empty", "no JSON", "a list", "no head", "cut", "too long", "shifted", "of another snapshot"],
)
def test_parts_of_another_snapshot_or_broken_ones_are_not_read(tmp_path: Path, beside: bytes) -> None:
    assert parts.read(beside, SNAPSHOT) is None
    assert loaded(tmp_path, beside).digest == WHOLE.digest


def test_a_region_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    """A broken region is detected when it is used, and other regions are not affected."""
    found = parts.read(PARTS, SNAPSHOT)
    assert found is not None
    size = len(found.regions["us-west-2"])
    place = PARTS.index(found.regions["us-west-2"])
    version = loaded(tmp_path, PARTS[:place] + bytes(size) + PARTS[place + size :])
    assert version.in_region("us-east-1") == WHOLE.in_region("us-east-1")
    with pytest.raises(zlib.error):
        version.in_region("us-west-2")
