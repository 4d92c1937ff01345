"""Computation of a volume's burst-credit balance from its measured traffic."""

import math

import numpy as np

from stowage.model.hardware.volume import Volume, burst_s, lines, performance
from stowage.optimizer.arrays import Floats


def has_bucket(volume: Volume) -> bool:
    """Return whether a volume has a burst bucket.

    gp2 volumes have one if they are smaller than 1,000 GiB. For st1 and sc1 volumes, this size is different.
    """
    return math.isfinite(burst_s(volume))


def expected_balance(
    volume: Volume,
    step_s: float,
    moved_mb: Floats,
    ios: Floats,
    measured: Floats,
) -> Floats:
    """Compute the burst-credit balance of a volume over time from measured traffic.

    Parameters
    ----------
    volume : Volume
        A volume for which `has_bucket` is true; its values are floats, not arrays.
    step_s : float
        Duration of each step [s], above 0.
    moved_mb, ios : array
        Data read and written in each step [MB], and number of reads and writes [I/O]; NaN if unknown.
    measured : array
        Burst-credit balance that CloudWatch reports for each step, as a share of the full bucket [1]; NaN if unknown.
        It is used only for the first step, and for the first step after steps with unknown traffic.

    Returns
    -------
    array
        Mean burst-credit balance of each step, as a share of the full bucket [1]; NaN if unknown.

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
    >>> ios, unknown = np.full(4, 3000.0 * 500.0), np.full(4, np.nan)
    >>> expected_balance(gp2, 500.0, np.zeros(4), ios, unknown).tolist()
    [0.875, 0.625, 0.375, 0.125]
    """
    [bucket] = [line for line in lines(volume) if float(line.full) > 0.0]
    loads = ios if performance(volume).io_credits is not None else moved_mb
    known = ~np.isnan(moved_mb + ios)
    return _course(float(bucket.full), float(bucket.rate) * step_s, np.where(known, loads, np.nan), measured)


def _course(full: float, earned: float, loads: Floats, measured: Floats) -> Floats:
    """Compute the mean level of a bucket in each step, as a share of `full`; it earns `earned` units in each step."""
    level: float | None = 1.0 if np.isnan(measured).all() else None
    course = [math.nan] * len(loads)
    # A month of minutes takes this loop 43,000 times.
    for place, load in enumerate(loads.tolist()):
        if level is None and not math.isnan(measured[place]):
            level = float(measured[place])
        if level is None or math.isnan(load):
            level = None
            continue
        # As in `Resource.after`, for a single limit.
        left = level * full - load + earned
        after = 1.0 if left >= full else left / full if left > 0.0 else 0.0
        course[place] = (level + after) / 2.0
        level = after
    return np.array(course)
