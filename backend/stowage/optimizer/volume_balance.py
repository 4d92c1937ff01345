"""The burst balance that a volume should have by the model, for the traffic that was measured on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from stowage.model.hardware.resource import Line, Resource
from stowage.model.hardware.volume import Volume, lines, performance
from stowage.model.jobs.flows import Role

_ANY = Role.INPUT_READ
"""Which flow it is does not matter to a bucket: it counts I/Os, or bytes."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """I/O of a volume in one step.

    Parameters
    ----------
    mb : float
        Read and written [MB].
    ios : float
        Read and written [I/O].
    """

    mb: float
    ios: float


def has_bucket(volume: Volume) -> bool:
    """Return whether a volume has a burst bucket: gp2 below 1,000 GiB, st1 and sc1 below a size."""
    reached = performance(volume)
    if reached.io_credits is not None:
        return float(reached.baseline_iops) < float(reached.burst_iops)
    return reached.credit_mib is not None and float(reached.baseline_mib_per_s) < float(reached.burst_mib_per_s)


def expected_balance(
    volume: Volume, step_s: float, traffic: Sequence[Traffic | None], measured: Sequence[float | None]
) -> tuple[float | None, ...]:
    """Follow the bucket of a volume through what was measured on it.

    Parameters
    ----------
    volume : Volume
        One that `has_bucket`, with one float for each value.
    step_s : float
        Of each step [s], above 0.
    traffic : sequence of Traffic or None
        Step by step; None where it is not known.
    measured : sequence of float or None
        The balance that CloudWatch gave for each step [1]. It sets where the course begins, and where it restarts
        after traffic that is not known; nothing else.

    Returns
    -------
    tuple of float or None
        Mean balance of each step [1]; None where nothing is known of it.

    Notes
    -----
    The bucket is the line with credit that predictions use (`stowage.model.hardware.volume.lines`). One of gp2 counts
    I/Os. One of st1 and sc1 counts bytes, as of sequential I/O: an I/O that was not merged costs a full MiB, and
    CloudWatch does not tell which those are, so small random I/O drains it faster than this says.

    Without any measured balance the bucket is taken to be full at first.

    Examples
    --------
    A gp2 volume of 100 GiB earns 300 I/Os a second; 3,000 take the 5.4 million of its bucket in 2,000 s:

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
