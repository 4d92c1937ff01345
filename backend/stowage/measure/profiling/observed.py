"""Observed utilization: series of monitors laid over the predicted phases of a job."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stowage.measure.reading import Series
from stowage.model.forecast import PhaseTime
from stowage.model.rates import Channel, channel

BUSY = 0.5
"""Part of its time, or of its rate, below which nothing is called the bottleneck of a phase."""

_SHARES: Mapping[str, tuple[Channel, bool]] = {
    "device_busy_share": ("storage", False),
    "volume_idle_share": ("EBS volumes", True),
    "cpu_idle_share": ("CPU", True),
}
"""Metrics that say how busy something is: of what, and whether they say how idle it is."""
_RATES: Mapping[str, Channel] = {
    "interface_received_mb_per_s": "network",
    "interface_sent_mb_per_s": "network",
    "device_read_mb_per_s": "storage",
    "device_write_mb_per_s": "storage",
    "device_mb_per_s": "storage",
    "volume_read_mb_per_s": "EBS volumes",
    "volume_write_mb_per_s": "EBS volumes",
}
"""Metrics that are a part of a rate, where the rate is known."""


@dataclass(frozen=True, slots=True)
class Span:
    """A phase on the clock of the job that was measured.

    Parameters
    ----------
    name : str
    from_s, to_s : float
        Since the job's start [s].
    predicted : str
        The bottleneck by name.
    seen : Channel or None
        The busiest of what was recorded; None where nothing was, or nothing was busy.
    busy : Mapping[Channel, float]
        Mean part of its time, or of its rate, that each was busy [1].
    """

    name: str
    from_s: float
    to_s: float
    predicted: str
    seen: Channel | None
    busy: Mapping[Channel, float]

    @property
    def agrees(self) -> bool | None:
        """Return whether what was seen is what was predicted; None where nothing was seen."""
        return None if self.seen is None else self.seen == channel(self.predicted)


def channel_of(metric: str) -> Channel | None:
    """Return which channel a metric of a monitor is about; None for those of none.

    Examples
    --------
    >>> channel_of("interface_sent_mb_per_s"), channel_of("memory_used_share")
    ('network', None)
    """
    return _SHARES[metric][0] if metric in _SHARES else _RATES.get(metric)


def times_of(series: Series, started_at: datetime | None) -> tuple[float, ...]:
    """Return the ends of a series' spans since the start of a job [s].

    Parameters
    ----------
    series : Series
    started_at : datetime or None
        Of the job; where it is not known, or that of the series is not, both are taken to start together.
    """
    away_s = 0.0
    if started_at is not None and series.started_at is not None:
        away_s = (series.started_at - started_at).total_seconds()
    return tuple(time_s + away_s for time_s in series.times_s)


def spans_of(
    phases: Sequence[PhaseTime],
    measured_s: float,
    phases_s: Iterable[tuple[str, float]] = (),
    series: Sequence[Series] = (),
    started_at: datetime | None = None,
    rates_mb_per_s: Mapping[Channel, float] | None = None,
) -> tuple[Span, ...]:
    """Lay phases over a measured job, and say what was busy in each.

    Parameters
    ----------
    phases : sequence of PhaseTime
        As predicted, one number each.
    measured_s : float
        How long the job took [s], above 0.
    phases_s : iterable of (str, float)
        How long phases took, where that was measured; the others share the rest as predicted.
    series : sequence of Series
        Of one node.
    started_at : datetime or None
        Of the job.
    rates_mb_per_s : Mapping[Channel, float], optional
        What the node offers: without it a rate says nothing of how busy something is.

    Notes
    -----
    A device that is "busy" all the time may still have room where it serves many requests at once (iostat's manual on
    %util): what is seen is a hint, and called that.
    """
    lengths_s = _lengths_s(phases, measured_s, dict(phases_s))
    found, from_s = [], 0.0
    for phase, length_s in zip(phases, lengths_s, strict=True):
        to_s = from_s + length_s
        busy = _busy(series, started_at, from_s, to_s, rates_mb_per_s or {})
        busiest = max(busy, key=lambda name: busy[name], default=None)
        seen = busiest if busiest is not None and busy[busiest] >= BUSY else None
        found.append(Span(phase.name, from_s, to_s, phase.bottleneck, seen, busy))
        from_s = to_s
    return tuple(found)


def _lengths_s(phases: Sequence[PhaseTime], measured_s: float, known_s: Mapping[str, float]) -> list[float]:
    """Return how long each phase takes on the measured job: as measured, else a share of what is left."""
    predicted_s = [float(phase.time_s) for phase in phases]
    told = [known_s.get(phase.name) for phase in phases]
    open_s = sum(time_s for time_s, known in zip(predicted_s, told, strict=True) if known is None)
    left_s = max(0.0, measured_s - sum(known for known in told if known is not None))
    scale = left_s / open_s if open_s > 0.0 else 0.0
    return [time_s * scale if known is None else known for time_s, known in zip(predicted_s, told, strict=True)]


def _busy(
    series: Sequence[Series],
    started_at: datetime | None,
    from_s: float,
    to_s: float,
    rates_mb_per_s: Mapping[Channel, float],
) -> dict[Channel, float]:
    """Return how busy each channel was between two moments: as the busiest of its devices."""
    busy: dict[Channel, float] = {}
    for one in series:
        name = channel_of(one.name)
        mean = _mean(times_of(one, started_at), one.values, from_s, to_s)
        if name is None or mean is None:
            continue
        if one.name in _SHARES:
            share = 1.0 - mean if _SHARES[one.name][1] else mean
        elif rates_mb_per_s.get(name, 0.0) > 0.0:
            share = mean / rates_mb_per_s[name]
        else:
            continue
        busy[name] = max(busy.get(name, 0.0), share)
    return busy


def _mean(times_s: Sequence[float], values: Sequence[float], from_s: float, to_s: float) -> float | None:
    """Return the mean of a series between two moments, by how long each value held; None where there is none."""
    total = weight = 0.0
    # The first span is as long as the second: a monitor writes at even intervals.
    start_s = times_s[0] - (times_s[1] - times_s[0]) if len(times_s) > 1 else from_s
    for end_s, value in zip(times_s, values, strict=True):
        held_s = min(end_s, to_s) - max(start_s, from_s)
        if held_s > 0.0:
            total += value * held_s
            weight += held_s
        start_s = end_s
    return total / weight if weight > 0.0 else None
