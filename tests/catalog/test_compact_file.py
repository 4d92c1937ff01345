"""The file format of a catalog of all regions: writing and reading round-trips."""

import gzip
import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from described import HARDWARE, LISTED_ON, VOLUMES, ingredients, prices
from stowage.catalog.build import build
from stowage.catalog.snapshot import packaged, read, with_digest, write
from stowage.catalog.units import INSTANCE_UNITS
from stowage.catalog.volume_table import read_volumes
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import CatalogVersion, Region, instance_type
from stowage.model.hardware.instance import PRICES
from stowage.model.hardware.profile import Profile, Profiles

TABLE = prices("us-east-1,m5.large,0.096,2026-07-06,0.06,0.04,0.03", "eu-west-1,m5.large,0.107,2025-05-28,,,")
SMALL = build("aws-test", "A test", LISTED_ON, ingredients(TABLE)).version

_WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
_DAYS = st.dates(date(2006, 1, 1), date(2030, 1, 1))
_RATES = st.floats(0.0, 1e9, allow_nan=False)
_KINDS = st.sampled_from(["measured", "published", "estimated"])


def figures(names: list[str]) -> st.SearchStrategy[dict[str, Figure]]:
    def figure(name: str) -> st.SearchStrategy[Figure]:
        return st.builds(Figure, st.just(name), _RATES, st.just(INSTANCE_UNITS[name]), _WORDS, _KINDS, _DAYS)

    return st.fixed_dictionaries({}, optional={name: figure(name) for name in names})


_NAMES = st.sampled_from(["a1.large", "b2.large", "c3.large"])
_REQUIRED = ("vcpus", "memory_gib", "disk_count")
_HARDWARE = [name for name in INSTANCE_UNITS if name not in PRICES]


@st.composite
def versions(draw: st.DrawFn) -> CatalogVersion:
    base = HARDWARE["m5.large"]
    types = {}
    for name in sorted(draw(st.sets(_NAMES))):
        told = {quantity: getattr(base, quantity) for quantity in _REQUIRED} | draw(figures(_HARDWARE))
        types[name] = instance_type(
            name,
            told,
            disk_media=draw(st.sampled_from([None, "ssd", "hdd"])),
            placement_group=draw(st.booleans()),
            gaps=draw(st.dictionaries(_WORDS, _WORDS, max_size=2)),
            traits=draw(st.frozensets(st.sampled_from(["nitro", "burstable", "arm64"]))),
        )
    regions = {}
    for place in draw(st.sets(st.sampled_from(["here", "there"]))):
        sold = draw(st.sets(st.sampled_from(sorted(types)))) if types else set()
        volumes = read_volumes(VOLUMES, LISTED_ON)["us-east-1"] if draw(st.booleans()) else {}
        regions[place] = Region(place, {name: draw(figures(list(PRICES))) for name in sold}, volumes)
    profile = st.builds(
        Profile,
        target=_NAMES,
        metric=st.sampled_from(["storage_read_mb_per_s", "network_mb_per_s"]),
        mean=_RATES,
        spread=st.none() | _RATES,
        count=st.none() | st.integers(1, 999),
        cluster_nodes=st.none() | st.integers(1, 999),
        statistic=st.sampled_from(["average", "slowest"]),
        placement_group=st.none() | st.booleans(),
        source=_WORDS,
        kind=_KINDS,
        as_of=_DAYS,
    )
    made = CatalogVersion(
        version=draw(_WORDS),
        title=draw(_WORDS),
        as_of=LISTED_ON,
        provider="aws",
        instance_types=types,
        regions=regions,
        profiles=Profiles(tuple(draw(st.lists(profile, max_size=3)))),
        digest="",
    )
    return with_digest(made)


@settings(max_examples=25)
@given(versions())
def test_what_is_written_is_read_again_to_the_last_bit(version: CatalogVersion) -> None:
    content = write(version)
    assert read(content) == version
    assert write(read(content)) == content


def test_a_catalog_round_trips_with_any_stored_digest() -> None:
    assert read(write(replace(SMALL, digest="forgotten"))) == SMALL


def test_equal_content_gives_equal_bytes_and_digest_however_it_is_ordered() -> None:
    turned = replace(
        SMALL,
        instance_types=dict(sorted(SMALL.instance_types.items(), reverse=True)),
        regions=dict(sorted(SMALL.regions.items(), reverse=True)),
    )
    assert write(turned) == write(SMALL)
    assert with_digest(turned).digest == SMALL.digest
    assert with_digest(replace(SMALL, title="Another")).digest != SMALL.digest


def test_the_digest_is_of_the_text_and_not_of_who_compressed_it() -> None:
    content = write(SMALL)
    again = gzip.compress(gzip.decompress(content), compresslevel=1, mtime=0)
    assert again != content
    assert read(again).digest == read(content).digest


def test_sizes_of_volumes_that_are_a_catalog_s_own_are_kept() -> None:
    paper = packaged("paper-2014")
    again = read(write(paper))
    assert again.regions["us-east-1"] == paper.regions["us-east-1"]
    assert again.in_region("us-east-1").volume_types["gp2"].limits.largest_gib.value == 1024


@pytest.mark.parametrize("content", ["no gzip", "{", "[]", "{}"])
def test_another_file_is_refused(content: str) -> None:
    with pytest.raises(ValueError, match="catalog file"):
        read(content.encode())
    with pytest.raises(ValueError, match="catalog file"):
        read(gzip.compress(content.encode()))


def test_a_later_format_is_refused() -> None:
    document = json.loads(gzip.decompress(write(SMALL)))
    document["format"] = 2
    with pytest.raises(ValueError, match="another format"):
        read(gzip.compress(json.dumps(document).encode()))


def with_vcpus(**changes: Any) -> CatalogVersion:
    large = SMALL.instance_types["m5.large"]
    changed = replace(large, vcpus=replace(large.vcpus, **changes))
    return replace(SMALL, instance_types={**SMALL.instance_types, "m5.large": changed})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "GiB"}, "vcpus is given as vcpus in GiB, not in 1"),
        ({"quantity": "cores"}, "vcpus is given as cores"),
        ({"as_of": None}, "vcpus has no date"),
        ({"value": float("nan")}, "Out of range"),
        ({"value": float("inf")}, "Out of range"),
    ],
)
def test_figures_that_cannot_be_kept_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        write(with_vcpus(**changes))


def test_limits_of_volumes_that_are_not_the_day_s_are_refused() -> None:
    volume = SMALL.regions["us-east-1"].volume_types["gp3"]
    odd = replace(volume, limits=replace(volume.limits, media="hdd"))
    region = replace(SMALL.regions["us-east-1"], volume_types={"gp3": odd})
    with pytest.raises(ValueError, match="the limits of gp3 are not those of 2026-07-06"):
        write(replace(SMALL, regions={"us-east-1": region}))
    with pytest.raises(ValueError, match="gp3"):
        write(replace(SMALL, as_of=date(2015, 1, 1), regions={"us-east-1": region}))  # before the region existed
