"""Differences between two catalogs of a region, by kind."""

from dataclasses import replace

import pytest

from knowledge import AWS_2026, published
from stowage.catalog.difference import Change, PriceChange, difference, figures_of_volume
from stowage.model.hardware.catalog import Catalog

THEN = AWS_2026.catalog


def changed(**figures: float | None) -> Catalog:
    """Return r5.xlarge with other figures, or without some (None)."""
    made = {name: None if value is None else published(name, value) for name, value in figures.items()}
    now = replace(THEN.instance_types["r5.xlarge"], **made)  # type: ignore[arg-type]  # the fields are figures
    return replace(THEN, version="now", instance_types={**THEN.instance_types, "r5.xlarge": now})


def test_the_same_differs_in_nothing() -> None:
    found = difference(THEN, changed(usd_per_hour=0.252 * (1 + 1e-12)), "usd_per_hour")
    assert found.counts() == []
    assert (found.cheaper, found.dearer, found.volumes, found.hardware) == ((), (), (), ())


@pytest.mark.parametrize(
    ("price", "words"),
    [
        (0.2, ["1 type cheaper"]),
        (0.3, ["1 type dearer"]),
        (None, ["1 type without a price now"]),
    ],
)
def test_a_price_falls_rises_or_is_not_known(price: float | None, words: list[str]) -> None:
    assert difference(THEN, changed(usd_per_hour=price), "usd_per_hour").counts() == words
    # The other purchase option did not change.
    assert difference(THEN, changed(usd_per_hour=price), "spot_usd_per_hour").counts() == []


def test_a_price_that_is_found_later_is_none_that_rose() -> None:
    found = difference(changed(usd_per_hour=None), THEN, "usd_per_hour")
    assert (found.priced, found.dearer) == (("r5.xlarge",), ())


def test_a_change_is_relative_to_what_was() -> None:
    assert PriceChange("m5.large", "usd_per_hour", 0.2, 0.15).change_pct == pytest.approx(-25)
    assert PriceChange("m5.large", "usd_per_hour", 0.0, 0.15).change_pct == 0


def test_types_come_and_go_and_hardware_is_no_price() -> None:
    fewer = replace(THEN, instance_types={"r5.xlarge": THEN.instance_types["r5.xlarge"]})
    assert difference(fewer, THEN, "usd_per_hour").new == ("r5d.xlarge", "r5d.4xlarge", "r5d.24xlarge")
    assert difference(THEN, fewer, "usd_per_hour").gone == ("r5d.xlarge", "r5d.4xlarge", "r5d.24xlarge")
    found = difference(THEN, changed(memory_gib=31, most_volumes=28), "usd_per_hour")
    assert found.hardware == (
        Change("r5.xlarge", "memory_gib", 32, 31),
        Change("r5.xlarge", "most_volumes", None, 28),
    )
    assert found.counts() == ["1 type with other hardware figures"]


def test_volume_types_come_with_all_their_figures() -> None:
    without = replace(THEN, volume_types={name: row for name, row in THEN.volume_types.items() if name != "gp3"})
    found = difference(without, THEN, "usd_per_hour").volumes
    assert {change.name for change in found} == {"gp3"}
    assert {change.then for change in found} == {None}
    names = [figure.quantity for figure in figures_of_volume(THEN.volume_types["gp3"])]
    assert [change.quantity for change in found] == names
    assert {"included_iops", "largest_gib", "usd_per_iops_month"} <= set(names)
    assert len(set(names)) == len(names)


def test_volume_types_that_come_and_go_did_not_change() -> None:
    kinds = dict(THEN.volume_types)
    fewer = replace(THEN, volume_types={name: kinds[name] for name in kinds if name != "gp3"})
    assert difference(fewer, THEN, "usd_per_hour").counts() == ["1 volume type new"]
    assert difference(THEN, fewer, "usd_per_hour").counts() == ["1 volume type gone"]
    gp2 = kinds["gp2"]
    dearer = replace(gp2, usd_per_gib_month=replace(gp2.usd_per_gib_month, value=9.0))
    both = replace(THEN, volume_types={"gp2": dearer, "gp3": kinds["gp3"]})
    only = replace(THEN, volume_types={"gp2": gp2})
    assert difference(only, both, "usd_per_hour").counts() == ["1 volume type new", "1 changed"]
    found = difference(only, both, "usd_per_hour")
    assert (found.new_volumes, found.gone_volumes) == (("gp3",), ())
