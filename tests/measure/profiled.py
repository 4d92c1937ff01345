"""Measurements and targets for the tests of profiles."""

from knowledge import AWS_2026
from runs_made_up import a_reading, disks, kept, on
from stowage.measure.profiling.profiles import (
    Measured,
    TargetProfile,
    profiles_of,
)
from stowage.measure.target import Target

CATALOG = AWS_2026.catalog
R5D = "r5d.4xlarge"
PAIR = on(R5D, nodes=2, placement_group=True)
FOUR = on(R5D, disks(2))
FOUR_NODES = on(R5D, disks(2), nodes=4)


def networks(values: list[float], target: Target = PAIR, *, days: float = 1.0) -> list[Measured]:
    return [
        one
        for number, value in enumerate(values)
        for one in kept(
            a_reading("iperf3", {"num_streams": "8"}, network_mb_per_s=value),
            target,
            CATALOG,
            number=number,
            days=number * days,
        )
    ]


def one(measured: list[Measured]) -> TargetProfile:
    (profile,) = profiles_of(measured)
    return profile
