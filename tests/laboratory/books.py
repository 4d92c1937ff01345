"""AWS' bill for the resources that existed: an independent check that shares no code with Stowage's own sums.

Instances and volumes by the second, 60 seconds at least; public addresses by the hour, to the second; requests by the
call. Prices of us-east-1, on demand, Linux, as AWS' price pages had them in November 2026.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

USD_PER_HOUR: Mapping[str, float] = {
    "m5.large": 0.096,
    "m5d.large": 0.113,
    "c5.large": 0.085,
    "c5d.large": 0.096,
    "i3.large": 0.156,
    "i4i.large": 0.172,
}
USD_PER_GIB_MONTH: Mapping[str, float] = {
    "gp3": 0.08,
    "gp2": 0.10,
    "io1": 0.125,
    "io2": 0.125,
    "st1": 0.045,
    "sc1": 0.015,
    "standard": 0.05,
}
USD_PER_IOPS_MONTH = 0.005
USD_PER_MIB_S_MONTH = 0.04
GP3_INCLUDED = (3000, 125)
USD_PER_ADDRESS_HOUR = 0.005
USD_PER_PUT, USD_PER_GET = 0.005 / 1000, 0.0004 / 1000
HOURS_OF_A_MONTH = 28 * 24
"""The shortest month: an hour of a volume costs most in it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A resource that existed."""

    kind: str
    """`instance` or `volume`."""
    usd_per_hour: float
    since: float
    """Seconds since 1970."""
    until: float | None = None
    """Seconds since 1970; None while the resource exists."""

    def usd(self, now: float) -> float:
        seconds = (self.until if self.until is not None else now) - self.since
        return max(60.0, math.ceil(seconds)) / 3600 * self.usd_per_hour


@dataclass
class Books:
    """All resources that existed."""

    held: dict[str, Held] = field(default_factory=dict)
    """By id."""
    puts: int = 0
    """Requests to S3 that write an object."""
    gets: int = 0
    """Requests to S3 that read an object."""

    def instance(self, name: str, type_name: str, since: float, *, public: bool) -> None:
        """Record that an instance exists."""
        rate = USD_PER_HOUR[type_name] + (USD_PER_ADDRESS_HOUR if public else 0.0)
        self.held.setdefault(name, Held("instance", rate, since))

    def volume(self, name: str, since: float, type_name: str, size_gib: int, iops: int, mib_per_s: int) -> None:
        """Record that a volume exists."""
        month = size_gib * USD_PER_GIB_MONTH[type_name]
        if type_name == "gp3":
            month += max(0, iops - GP3_INCLUDED[0]) * USD_PER_IOPS_MONTH
            month += max(0, mib_per_s - GP3_INCLUDED[1]) * USD_PER_MIB_S_MONTH
        if type_name in {"io1", "io2"}:
            month += iops * 0.065
        self.held.setdefault(name, Held("volume", month / HOURS_OF_A_MONTH, since))

    def gone(self, name: str, at: float) -> None:
        """Record that a resource no longer exists."""
        there = self.held[name]
        if there.until is None:
            self.held[name] = Held(there.kind, there.usd_per_hour, there.since, at)

    def usd(self, now: float) -> float:
        """Return the sum [USD]."""
        return (
            sum(each.usd(now) for each in list(self.held.values())) + self.puts * USD_PER_PUT + self.gets * USD_PER_GET
        )
