"""Reasons for the judgement of a measurement, and the input of the checks that find them."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from stowage.frozen import frozen
from stowage.measure.files.access import Access, tool_of
from stowage.measure.profiling.profiles import TargetProfile, Verdict
from stowage.measure.reading import Reading
from stowage.measure.target import Target, VolumeTarget
from stowage.measure.tool import of_family
from stowage.model.complete import Checked
from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume import Performance

WAYS = ("read", "write")
WATCHERS, BLOCK_TOOLS = of_family("monitor"), of_family("storage")
STORE_TOOLS, JOB_TOOLS, NETWORK_TOOLS = of_family("store"), of_family("jobs"), of_family("network")


@frozen
class ReasonFigure(Checked):
    """One number on which a reason is based."""

    name: str
    value: float
    unit: str
    source: str | None = None
    """Source of the number; None for a figure of the measurement itself."""


@frozen
class Reason:
    """One reason for the verdict on a measurement."""

    code: str
    """Identifier that does not change, such as `page-cache`."""
    verdict: Verdict
    """Verdict that this reason alone would cause. It is `good` if the reason is only a remark."""
    words: str
    """Description for people, with figures and units."""
    figures: tuple[ReasonFigure, ...] = ()


@frozen
class Case:
    """Input of the plausibility checks of one measurement.

    It has the measurement, and the figures to compare it with.
    """

    reading: Reading
    target: Target
    instance: InstanceType | None
    """Instance type of the target. None if the target states no type, or if the catalog lacks it."""
    access: Access
    volumes: Performance | None
    """Provisioned performance of each volume, if known."""
    profiles: Sequence[TargetProfile]
    """Profiles of the team's earlier measurements."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Metrics of the result, by name."""
    published: Profiles | None = None
    """Published measurements of the instance type; None if they were not looked up."""

    @property
    def tool(self) -> str:
        """Return the tool that made the measurement.

        For a CSV table or PerfKitBenchmarker, it is the tool that the settings name.
        """
        return tool_of(self.reading)

    @property
    def on_volumes(self) -> VolumeTarget | None:
        """Return the target's EBS volumes; None if its storage is not EBS."""
        return self.target.storage if isinstance(self.target.storage, VolumeTarget) else None

    @property
    def rates(self) -> dict[str, float]:
        """Return the read and write throughput [MB/s]."""
        return {way: self.values[f"{way}_mb_per_s"] for way in WAYS if self.values.get(f"{way}_mb_per_s", 0.0) > 0.0}

    @property
    def per_s(self) -> dict[str, float]:
        """Return the read and write IOPS [1/s]."""
        return {way: self.values[f"{way}_iops"] for way in WAYS if self.values.get(f"{way}_iops", 0.0) > 0.0}


def cited(name: str, figure: Figure, unit: str | None = None) -> ReasonFigure:
    """Convert a published figure to a `ReasonFigure`, with its source."""
    return ReasonFigure(name, figure.value, unit or figure.unit, figure.source)
