"""Why a measurement is believed or not, and what a check may look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from stowage.measure.files.access import Access, tool_of
from stowage.measure.profiling.profiles import TargetProfile, Verdict
from stowage.measure.reading import Reading
from stowage.measure.target import Target, VolumeTarget
from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType
from stowage.model.hardware.profile import Profiles
from stowage.model.hardware.volume import Performance

WAYS = ("read", "write")
WATCHERS = frozenset({"iostat", "sar", "vnstat", "cloudwatch"})
BLOCK_TOOLS = frozenset({"fio", "sysbench", "diskbench"})
STORE_TOOLS = frozenset({"redis-benchmark", "memtier_benchmark"})
JOB_TOOLS = frozenset({"testdfsio", "terasort"})
NETWORK_TOOLS = frozenset({"iperf3", "iperf", "netperf", "netbench"})


@dataclass(frozen=True, slots=True)
class ReasonFigure:
    """A number that a reason rests on.

    Parameters
    ----------
    name : str
    value : float
    unit : str
    source : str or None
        None for what the measurement itself says.
    """

    name: str
    value: float
    unit: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that speaks about a measurement.

    Parameters
    ----------
    code : str
        The same for the same reason for ever: ``page-cache``.
    verdict : Verdict
        What it makes of the measurement, were it alone; good for a remark.
    words : str
        For people, with figures and units.
    figures : tuple of ReasonFigure
    """

    code: str
    verdict: Verdict
    words: str
    figures: tuple[ReasonFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """All that a check may ask for.

    Parameters
    ----------
    reading : Reading
    target : Target
    instance : InstanceType or None
        None where it is not stated, or not in the catalogue.
    access : Access
    volumes : Performance or None
        What each of the volumes was provisioned for, where that is known.
    profiles : sequence of TargetProfile
        What was measured before.
    values : Mapping[str, float]
        The reading's metrics by name.
    published : Profiles or None
        Published measurements of the type; None where they were not looked up.
    """

    reading: Reading
    target: Target
    instance: InstanceType | None
    access: Access
    volumes: Performance | None
    profiles: Sequence[TargetProfile]
    values: Mapping[str, float] = field(default_factory=dict)
    published: Profiles | None = None

    @property
    def tool(self) -> str:
        """Name the tool; of a table, the one that it names."""
        return tool_of(self.reading)

    @property
    def on_volumes(self) -> VolumeTarget | None:
        """Return the volumes that took part."""
        return self.target.storage if isinstance(self.target.storage, VolumeTarget) else None

    @property
    def rates(self) -> dict[str, float]:
        """Return what was read and written [MB/s]."""
        return {way: self.values[f"{way}_mb_per_s"] for way in WAYS if self.values.get(f"{way}_mb_per_s", 0.0) > 0.0}

    @property
    def per_s(self) -> dict[str, float]:
        """Return the I/Os per second that were read and written [1/s]."""
        return {way: self.values[f"{way}_iops"] for way in WAYS if self.values.get(f"{way}_iops", 0.0) > 0.0}


def cited(name: str, figure: Figure, unit: str | None = None) -> ReasonFigure:
    """Convert a published figure, with its source, for a reason."""
    return ReasonFigure(name, figure.value, unit or figure.unit, figure.source)
