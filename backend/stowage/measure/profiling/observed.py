"""Observed utilization of resources in each predicted phase of a job.

The observations are time series of monitoring tools. A channel is a resource of a node whose utilization they show.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from stowage.frozen import frozen
from stowage.measure.reading import Series
from stowage.model.forecast import PhaseTime
from stowage.model.rates import Channel, channel

BUSY = 0.5
"""Minimum utilization of a phase's bottleneck, as a share of the time or of the rate [1]."""

_SHARES: Mapping[str, tuple[Channel, bool]] = {
    "device_busy_share": ("storage", False),
    "volume_idle_share": ("EBS volumes", True),
    "cpu_idle_share": ("CPU", True),
}
"""Metrics of utilization, with the channel, and whether the metric is the idle share."""
_RATES: Mapping[str, Channel] = {
    "interface_received_mb_per_s": "network",
    "interface_sent_mb_per_s": "network",
    "device_read_mb_per_s": "storage",
    "device_write_mb_per_s": "storage",
    "device_mb_per_s": "storage",
    "volume_read_mb_per_s": "EBS volumes",
    "volume_write_mb_per_s": "EBS volumes",
}
"""Metrics that are compared with the channel's rate if it is known."""


@frozen
class Span:
    """One phase of a measured job, with its predicted and its observed bottleneck."""

    name: str
    from_s: float
    """Start of the phase, since the start of the job [s]."""
    to_s: float
    """End of the phase, since the start of the job [s]."""
    predicted: str
    """Name of the predicted bottleneck."""
    seen: Channel | None
    """Observed bottleneck: the busiest channel. None if no channel was recorded, or none was busy."""
    busy: Mapping[Channel, float]
    """Mean utilization of each channel (ratio), either of the time or of the channel's full rate."""

    @property
    def agrees(self) -> bool | None:
        """Return whether the observed bottleneck is the predicted one.

        The result is None if no bottleneck was observed.
        """
        return None if self.seen is None else self.seen == channel(self.predicted)


def channel_of(metric: str) -> Channel | None:
    """Return the channel that a monitoring metric describes.

    A channel is a resource of a node, such as the network. The result is None if the metric describes no channel.

    Examples
    --------
    >>> channel_of("interface_sent_mb_per_s"), channel_of("memory_used_share")
    ('network', None)
    """
    return _SHARES[metric][0] if metric in _SHARES else _RATES.get(metric)


def times_of(series: Series, started_at: datetime | None) -> tuple[float, ...]:
    """Return the times at which the intervals of a series end, since the start of a job [s].

    Parameters
    ----------
    series : Series
    started_at : datetime or None
        Start of the job. If this or the start of the series is unknown, job and series are assumed to start together.
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
) -> tuple[Span, ...]:
    """Compute the start, end and utilization of each phase of a measured job.

    Parameters
    ----------
    phases : sequence of PhaseTime
        Predicted phases, each with a single time.
    measured_s : float
        Time of the job [s], above 0.
    phases_s : iterable of (str, float)
        Names of phases and their measured times [s]. The other phases share the rest of the job's time in proportion
        to their predicted times.
    series : sequence of Series
        Time series of one node.
    started_at : datetime or None
        Start of the job.

    Notes
    -----
    A device that serves requests in parallel may have spare capacity even if it is busy all the time (iostat's manual
    on %util). Therefore the observed bottleneck is only a hint, and is labeled as a hint.
    """
    lengths_s = _lengths_s(phases, measured_s, dict(phases_s))
    found, from_s = [], 0.0
    for phase, length_s in zip(phases, lengths_s, strict=True):
        to_s = from_s + length_s
        busy = _busy(series, started_at, from_s, to_s)
        busiest = max(busy, key=lambda name: busy[name], default=None)
        seen = busiest if busiest is not None and busy[busiest] >= BUSY else None
        found.append(Span(phase.name, from_s, to_s, phase.bottleneck, seen, busy))
        from_s = to_s
    return tuple(found)


def _lengths_s(phases: Sequence[PhaseTime], measured_s: float, known_s: Mapping[str, float]) -> list[float]:
    """Return the time of each phase in the measured job [s].

    Phases that were not measured share the remaining time in proportion to their predicted times.
    """
    predicted_s = [float(phase.time_s) for phase in phases]
    told = [known_s.get(phase.name) for phase in phases]
    open_s = sum(time_s for time_s, known in zip(predicted_s, told, strict=True) if known is None)
    left_s = max(0.0, measured_s - sum(known for known in told if known is not None))
    scale = left_s / open_s if open_s > 0.0 else 0.0
    return [time_s * scale if known is None else known for time_s, known in zip(predicted_s, told, strict=True)]


def _busy(series: Sequence[Series], started_at: datetime | None, from_s: float, to_s: float) -> dict[Channel, float]:
    """Return the utilization of each channel between two moments.

    If a channel has several devices, the utilization is that of the busiest device.
    """
    busy: dict[Channel, float] = {}
    for one in series:
        mean = _mean(times_of(one, started_at), one.values, from_s, to_s)
        if one.name in _SHARES and mean is not None:
            name, of_idle = _SHARES[one.name]
            busy[name] = max(busy.get(name, 0.0), 1.0 - mean if of_idle else mean)
    return busy


def _mean(times_s: Sequence[float], values: Sequence[float], from_s: float, to_s: float) -> float | None:
    """Return the time-weighted mean of a series between two moments.

    The result is None if the series has no values between them.
    """
    total = weight = 0.0
    # The first interval is assumed to be as long as the second: monitoring tools report at regular intervals.
    start_s = times_s[0] - (times_s[1] - times_s[0]) if len(times_s) > 1 else from_s
    for end_s, value in zip(times_s, values, strict=True):
        held_s = min(end_s, to_s) - max(start_s, from_s)
        if held_s > 0.0:
            total += value * held_s
            weight += held_s
        start_s = end_s
    return total / weight if weight > 0.0 else None
