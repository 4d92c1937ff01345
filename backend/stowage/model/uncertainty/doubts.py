"""Doubts: reasons why a rate is uncertain.

Such reasons are few measurements, age, a default value, or an estimate from a related type.
"""

from dataclasses import replace
from datetime import date

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number
from stowage.model.hardware.profile import Profile, ScalingCurve
from stowage.model.uncertainty.range import AGE_PER_ROOT_YEAR, age_doubt, measurement_doubt
from stowage.model.uncertainty.scale import STORAGE_SPREAD

CPU_DOUBT = Number("cpu_doubt", 0.35, "1").estimated(
    "Assumed: the default of 100 MB/s per vCPU against 45 to 104 MB/s seen in the paper without a limit by CPU",
    date(2015, 8, 27),
)
OBJECT_STORE_DOUBT = Number("object_store_doubt", 0.3, "1").estimated(
    "Assumed: one request under way for each vCPU; clients keep fewer or more", date(2026, 11, 20)
)
FAMILY_DOUBT = Number("family_doubt", 0.2, "1").estimated(
    "Assumed for disks that are taken from another type of the family: in the paper i2.4xlarge was 3% above half "
    "of i2.8xlarge, but its disks are the same; a disk of another size has another controller",
    date(2026, 11, 20),
)


@frozen
class MeasuredRate:
    """One rate, with the profile that it comes from."""

    figure: Figure
    """The rate."""
    profile: Profile | None = None
    """Profile with the measurements; None if the user gave the rate, or if the rate is published."""
    by_family: bool = False
    """Whether the profile is that of another type of the family."""


def doubts_of(found: MeasuredRate | None, on: date) -> list[tuple[str, Figure]]:
    """List the doubts of a rate, each with its reason and size.

    The list is empty for rates that are given or published.
    """
    if found is None or found.profile is None:
        return []
    if found.by_family:
        return [("estimated from the family", FAMILY_DOUBT)]
    return _of_profile(found.profile, on)


def network_doubts(network: ScalingCurve | Figure | None, on: date) -> list[tuple[str, Figure]]:
    """List the doubts of a network rate at the cluster sizes at which it was measured.

    The list is empty if the rate was not measured.
    """
    return _of_profile(network.points[0], on) if isinstance(network, ScalingCurve) else []


def _of_profile(row: Profile, on: date) -> list[tuple[str, Figure]]:
    # All rates of disks share one channel, which has one doubt.
    name = "storage" if row.metric.startswith("storage") else row.metric.removesuffix("_mb_per_s")
    spread = STORAGE_SPREAD.value if row.spread is None else row.spread
    few = "count unknown" if row.count is None else f"{row.count} measurements"
    doubts = [
        (
            "few measurements",
            Number(f"{row.target}.{name}_measurement_doubt", measurement_doubt(spread, row.count), "1").estimated(
                f"Spread {spread:g} between nodes / sqrt(count), {few}", row.as_of
            ),
        )
    ]
    years = (on - row.as_of).days / 365.25
    if years > 0.0:
        aged = replace(
            AGE_PER_ROOT_YEAR,
            quantity=f"{row.target}.{name}_age_doubt",
            value=age_doubt(years),
            source=f"{years:.1f} years old: {AGE_PER_ROOT_YEAR.value:g} per root year. {AGE_PER_ROOT_YEAR.source}",
        )
        doubts.append(("age", aged))
    return doubts
