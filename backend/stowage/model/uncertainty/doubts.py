"""Doubts: uncertainty of a rate, due to few measurements, age, defaults, or estimates from related types."""

from dataclasses import dataclass, replace
from datetime import date

from stowage.model.figure import Figure
from stowage.model.hardware.profile import Profile, ScalingCurve
from stowage.model.uncertainty.range import AGE_PER_ROOT_YEAR, age_doubt, measurement_doubt
from stowage.model.uncertainty.scale import STORAGE_SPREAD

CPU_DOUBT = Figure(
    quantity="cpu_doubt",
    value=0.35,
    unit="1",
    source="Assumed: the default of 100 MB/s per vCPU against 45 to 104 MB/s seen in the paper without a limit by CPU",
    kind="estimated",
    as_of=date(2015, 8, 27),
)
OBJECT_STORE_DOUBT = Figure(
    quantity="object_store_doubt",
    value=0.3,
    unit="1",
    source="Assumed: one request under way for each vCPU; clients keep fewer or more",
    kind="estimated",
    as_of=date(2026, 11, 20),
)
FAMILY_DOUBT = Figure(
    quantity="family_doubt",
    value=0.2,
    unit="1",
    source=(
        "Assumed for disks that are taken from another type of the family: in the paper i2.4xlarge was 3% above half "
        "of i2.8xlarge, but its disks are the same; a disk of another size has another controller"
    ),
    kind="estimated",
    as_of=date(2026, 11, 20),
)


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """A rate, with the profile that it comes from; the profile is None if the rate is given or published."""

    figure: Figure
    profile: Profile | None = None
    by_family: bool = False


def doubts_of(found: MeasuredRate | None, on: date) -> list[tuple[str, Figure]]:
    """List the doubts of a rate, each with its reason and size; empty for rates that are given or published."""
    if found is None or found.profile is None:
        return []
    if found.by_family:
        return [("estimated from the family", FAMILY_DOUBT)]
    return _of_profile(found.profile, on)


def network_doubts(network: ScalingCurve | Figure | None, on: date) -> list[tuple[str, Figure]]:
    """List the doubts of a network rate at cluster sizes at which it was measured; empty if it was not measured."""
    return _of_profile(network.points[0], on) if isinstance(network, ScalingCurve) else []


def _of_profile(row: Profile, on: date) -> list[tuple[str, Figure]]:
    # All rates of disks share one channel, which has one doubt.
    name = "storage" if row.metric.startswith("storage") else row.metric.removesuffix("_mb_per_s")
    spread = STORAGE_SPREAD.value if row.spread is None else row.spread
    few = "count unknown" if row.count is None else f"{row.count} measurements"
    doubts = [
        (
            "few measurements",
            Figure(
                f"{row.target}.{name}_measurement_doubt",
                measurement_doubt(spread, row.count),
                "1",
                f"Spread {spread:g} between nodes / sqrt(count), {few}",
                "estimated",
                row.as_of,
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
