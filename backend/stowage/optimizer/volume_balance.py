"""Computation of a volume's burst-credit balance from its measured traffic."""

import math
from collections.abc import Sequence

from stowage.frozen import frozen
from stowage.model.hardware.resource import Line, Resource
from stowage.model.hardware.volume import Volume, burst_s, lines, performance
from stowage.model.jobs.flows import Role

_ANY = Role.INPUT_READ
"""Arbitrary flow: a bucket counts the I/Os or bytes of all flows alike."""


@frozen
class Traffic:
    """I/O of a volume during one time step."""

    mb: float
    """Data read and written [MB]."""
    ios: float
    """Number of reads and writes [I/O]."""


def has_bucket(volume: Volume) -> bool:
    """Return whether a volume has a burst bucket.

    gp2 volumes have one if they are smaller than 1,000 GiB. For st1 and sc1 volumes, this size is different.
    """
    return math.isfinite(burst_s(volume))


def expected_balance(
    volume: Volume, step_s: float, traffic: Sequence[Traffic | None], measured: Sequence[float | None]
) -> tuple[float | None, ...]:
    """Compute the burst-credit balance of a volume over time from measured traffic.

    Parameters
    ----------
    volume : Volume
        A volume for which `has_bucket` is true; its values are floats, not arrays.
    step_s : float
        Duration of each step [s], above 0.
    traffic : sequence of Traffic or None
        Traffic of each step; None if unknown.
    measured : sequence of float or None
        Burst-credit balance that CloudWatch reports for each step, as a share of the full bucket [1]. It is used only
        for the first step, and for the first step after steps with unknown traffic.

    Returns
    -------
    tuple of float or None
        Mean burst-credit balance of each step, as a share of the full bucket [1]; None if unknown.

    Notes
    -----
    Predictions use the same burst bucket, i.e. the line with credit in `stowage.model.hardware.volume.lines`.
    For gp2, it counts I/Os. For st1 and sc1, it counts bytes as if all I/O were sequential, since CloudWatch does not
    report which I/Os are merged. Other I/Os cost a full MiB each, so the real bucket may empty faster than computed.

    If no balance is measured, the bucket is assumed to be full at first.

    Examples
    --------
    A 100 GiB gp2 volume earns 300 I/Os a second; a load of 3,000 empties its bucket of 5.4 million in 2,000 s:

    >>> from datetime import date
    >>> from stowage.model.hardware.volume_limits import volume_limits
    >>> gp2 = Volume(volume_limits("gp2", date(2026, 1, 1)), 100.0)
    >>> busy = Traffic(0.0, 3000.0 * 500.0)
    >>> expected_balance(gp2, 500.0, [busy] * 4, [None] * 4)
    (0.875, 0.625, 0.375, 0.125)
    """
    [bucket] = [line for line in lines(volume) if float(line.full) > 0.0]
    full, rate = float(bucket.full), float(bucket.rate)
    counts_ios = performance(volume).io_credits is not None
    level = 1.0 if all(share is None for share in measured) else None
    course: list[float | None] = []
    for moved, share in zip(traffic, measured, strict=True):
        if level is None:
            level = share
        if moved is None or level is None:
            level = None
            course.append(None)
            continue
        line = Line(rate, {_ANY: 1.0}, level * full, full)
        load = moved.ios if counts_ios else moved.mb
        [left] = Resource("volume", (line,)).after({_ANY: load}, step_s).lines
        after = float(left.credit) / full
        course.append((level + after) / 2.0)
        level = after
    return tuple(course)
