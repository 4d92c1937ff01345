"""Steps in which sizes, IOPS and throughput of volumes are tried."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import AWS_2026, PAPER, named
from stowage.model.hardware.catalog import VolumeType, volume_type
from stowage.model.hardware.steps import Steps, smallest_for_iops_gib
from stowage.model.hardware.volume_limits import IopsAndThroughput, ProvisionedIops

VOLUMES = AWS_2026.catalog.volume_types
IO1 = volume_type("io1", named({}, usd_per_gib_month=0.1, annual_failure_rate=0.002), AWS_2026.catalog.as_of)


@given(ratio=st.floats(1.001, 3.0), smallest=st.integers(1, 5_000), more=st.integers(0, 100_000))
def test_steps_reach_from_end_to_end_and_none_is_wider_than_its_ratio(ratio: float, smallest: int, more: int) -> None:
    found = Steps(ratio).between(float(smallest), float(smallest + more))
    assert (found[0], found[-1]) == (smallest, smallest + more)
    assert all(before < after <= before * ratio + 1.0 + 1e-6 for before, after in pairwise(found))


def test_steps_of_a_ratio_hold_those_of_its_square() -> None:
    assert set(Steps(1.008**2).between(3_000.0, 16_000.0)) <= set(Steps(1.008).between(3_000.0, 16_000.0))


def test_a_range_of_nothing_is_one_step() -> None:
    assert Steps().between(5.0, 5.0) == (5,)


@pytest.mark.parametrize(("name", "sets"), [("gp2", True), ("st1", True), ("gp3", False), ("io2", False)])
def test_sizes_are_tried_where_they_set_performance(name: str, sets: bool) -> None:  # noqa: FBT001 - a column of the table
    sizes = Steps().sizes_gib(VOLUMES[name])
    assert bool(sizes) is sets
    if sets:
        limits = VOLUMES[name].limits
        assert (sizes[0], sizes[-1]) == (limits.smallest_gib.value, limits.largest_gib.value)


def test_the_sizes_at_which_performance_stops_growing_are_among_them() -> None:
    # 16,000 IOPS at 3 a GiB; 500 MiB/s at 40 a TiB, and at 250 a TiB while bursting.
    assert 5_334 in Steps(2.0).sizes_gib(VOLUMES["gp2"])
    assert {12_800, 2_048} <= set(Steps(2.0).sizes_gib(VOLUMES["st1"]))


def test_a_volume_without_anything_to_provision_has_one_choice() -> None:
    iops, throughput = Steps().provisions(VOLUMES["st1"])
    assert (iops.tolist(), throughput.tolist()) == ([0], [0])


def test_throughput_is_tried_within_what_iops_allow_and_what_is_included_is_not_named() -> None:
    performance = VOLUMES["gp3"].limits.performance
    assert isinstance(performance, IopsAndThroughput)
    found = [(int(iops), int(mib)) for iops, mib in zip(*Steps(2.0).provisions(VOLUMES["gp3"]), strict=True)]
    assert found[0] == (0, 0)
    assert (0, 250) in found
    # Each pair of steps that AWS would accept occurs once, in order.
    steps = [
        (iops, mib)
        for iops in Steps(2.0).between(performance.included_iops.value, performance.largest_iops.value)
        for mib in Steps(2.0).between(performance.included_mib_per_s.value, performance.largest_mib_per_s.value)
        if mib <= max(iops * performance.largest_mib_per_s_per_iops.value, performance.included_mib_per_s.value)
    ]
    included = (performance.included_iops.value, performance.included_mib_per_s.value)
    assert [(iops or included[0], mib or included[1]) for iops, mib in found] == steps


@pytest.mark.parametrize("volume", [VOLUMES["io2"], IO1], ids=["io2", "io1"])
def test_iops_that_must_be_provisioned_always_are(volume: VolumeType) -> None:
    performance = volume.limits.performance
    assert isinstance(performance, ProvisionedIops)
    iops, throughput = Steps(2.0).provisions(volume)
    assert not throughput.any()
    assert (iops[0], iops[-1]) == (performance.smallest_iops.value, performance.largest_iops.value)


def test_every_number_of_volumes_up_to_32_is_tried_and_the_most() -> None:
    assert Steps().counts(7) == tuple(range(1, 8))
    assert Steps().counts(127)[-1] == 127
    assert Steps().counts(0) == ()


def of_ratio(per_gib: float) -> VolumeType:
    volume = VOLUMES["io2"]
    performance = volume.limits.performance
    assert isinstance(performance, ProvisionedIops)
    ratio = replace(performance.largest_iops_per_gib, value=per_gib)
    return replace(volume, limits=replace(volume.limits, performance=replace(performance, largest_iops_per_gib=ratio)))


@pytest.mark.parametrize(
    ("per_gib", "iops"),
    # 29 / 0.29 rounds down to 100 and 145 / 0.29 up beyond 500; neither rounding may change the size.
    [(1_000.0, 64_000), (1_000.0, 100), (0.29, 29), (0.29, 145), (0.29, 146)],
)
def test_the_smallest_size_for_some_iops_allows_them_and_one_gib_less_does_not(per_gib: float, iops: int) -> None:
    size_gib = smallest_for_iops_gib(of_ratio(per_gib), iops)
    assert size_gib * per_gib >= iops
    assert size_gib == 1 or (size_gib - 1) * per_gib < iops


def test_iops_ask_for_no_size_where_none_are_provisioned() -> None:
    assert smallest_for_iops_gib(VOLUMES["io2"], None) == 0
    assert smallest_for_iops_gib(PAPER.catalog.volume_types["gp2"], 3_000) == 0
