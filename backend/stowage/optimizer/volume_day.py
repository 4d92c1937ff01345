"""Course of a day of load on volumes: burst credit and delivered throughput over time."""

from itertools import pairwise

from stowage.frozen import frozen
from stowage.model.complete import Checked
from stowage.model.hardware.resource import Line, Resource, trace
from stowage.model.units import SECONDS_PER_HOUR
from stowage.optimizer.volumes import HOURS_PER_DAY, ROUNDING, Load

_DAY_S = HOURS_PER_DAY * SECONDS_PER_HOUR


@frozen
class Moment(Checked):
    """One point in time during a day of load.

    Between two neighboring moments, burst credit changes linearly and delivered throughput is constant.
    """

    hour: float
    """Time since the start of the load [h], from 0 to 24."""
    mb_per_s: float
    """Delivered throughput from this moment to the next [MB/s]."""
    volume_credit: float | None
    """Burst credit of the volumes, as a share of the full bucket [1]; None if there is no bucket."""
    link_credit: float | None
    """Burst credit of the EBS link, as a share of the full bucket [1]; None if there is no bucket. The link has two
    buckets. The share is that of the emptier bucket."""


@frozen
class Day(Checked):
    """Course of the first day of a load, with burst credit and delivered throughput."""

    course: tuple[Moment, ...]
    """Moments from hour 0 to hour 24."""
    late_h: float
    """Delay of the last byte of the day's load [h]; 0 if the load is not throttled."""


def day(load: Load, volumes: Resource, link: Resource | None = None) -> Day:
    """Compute the course of the first day of a load.

    Parameters
    ----------
    load : Load
        Load with ``mib_per_s`` above 0.
    volumes, link : Resource
        Volumes and EBS link, with their burst credit at the start of the day.

    Notes
    -----
    The load of the day is one phase of the model. Its resources are the volumes, the link and the load's own rate. If
    the volumes or the link throttle the load, the phase takes longer: the throttled bytes are delivered later. After
    the phase all buckets refill. The result has a moment for each time at which the slope of the credit or of the
    delivered throughput changes.
    """
    moved = {load.role: load.mb_per_s * load.hours * SECONDS_PER_HOUR}
    pace = Resource("load", (Line(load.mb_per_s, {load.role: 1.0}),))
    resources = [pace, volumes] if link is None else [pace, volumes, link]
    phase = trace(resources, moved)
    end_s = phase.times_s[-1]
    rested = [resource.after(moved, end_s) for resource in resources]
    rates = phase.rates_mb_per_s[load.role]
    points: list[tuple[float, float, list[Resource]]] = []
    for index, rate in enumerate(rates):
        passed = {load.role: phase.done[index] * moved[load.role]}
        points.append((phase.times_s[index], rate, [one.after(passed, phase.times_s[index]) for one in resources]))
    waits_s = sorted({0.0, _DAY_S, *(_until_full_s(line) for one in rested for line in one.lines)})
    points += [(end_s + wait_s, 0.0, [one.after({}, wait_s) for one in rested]) for wait_s in waits_s]
    course = [_moment(time_s, rate, state) for time_s, rate, state in points]
    late_h = max(0.0, end_s / SECONDS_PER_HOUR - load.hours)
    return Day(_within_a_day(course), late_h if late_h > load.hours * ROUNDING else 0.0)


def _until_full_s(line: Line) -> float:
    missing = float(line.full) - float(line.credit)
    return missing / float(line.rate) if missing > 0.0 else 0.0


def _moment(time_s: float, rate: float, state: list[Resource]) -> Moment:
    _, volumes, *links = state
    return Moment(
        # Removes rounding errors near whole hours.
        hour=round(time_s / SECONDS_PER_HOUR, 9),
        mb_per_s=rate,
        volume_credit=_emptiest(volumes),
        link_credit=_emptiest(links[0]) if links else None,
    )


def _emptiest(resource: Resource) -> float | None:
    shares = [float(line.credit) / float(line.full) for line in resource.lines if float(line.full) > 0.0]
    return min(shares, default=None)


def _within_a_day(course: list[Moment]) -> tuple[Moment, ...]:
    """Return the moments of a course up to hour 24.

    Of several moments at the same hour, only the last is kept. The moment at hour 24 is interpolated.
    """
    kept: list[Moment] = []
    for before, after in pairwise(course):
        if before.hour >= HOURS_PER_DAY:
            break
        if after.hour > before.hour:
            kept.append(before)
        if after.hour >= HOURS_PER_DAY:
            part = (HOURS_PER_DAY - before.hour) / (after.hour - before.hour)
            kept.append(
                Moment(
                    HOURS_PER_DAY,
                    before.mb_per_s,
                    _between(before.volume_credit, after.volume_credit, part),
                    _between(before.link_credit, after.link_credit, part),
                )
            )
    return tuple(kept)


def _between(start: float | None, end: float | None, part: float) -> float | None:
    return None if start is None or end is None else start + (end - start) * part
