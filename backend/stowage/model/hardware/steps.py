"""Sizes, IOPS and throughput of EBS volumes that a search tries.

AWS offers every whole GiB, IOPS and MiB/s. A search of all these values would improve a result by less than can be
measured. The search tries values of which each is a fixed ratio above the previous one. So the best tried value is
within this ratio of the best value.
"""

import math

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.hardware.catalog import VolumeType
from stowage.model.hardware.volume_limits import IopsAndThroughput, IopsBySize, ProvisionedIops, ThroughputBySize


@frozen
class Steps:
    """Resolution of a search over EBS volumes.

    Notes
    -----
    The steps are the smallest value times the powers of the ratio, rounded up to whole numbers, and the largest value.
    So the steps of a ratio include all steps of its square.
    """

    ratio: float = 1.008
    """Ratio of each value to the previous value, above 1. Where whole numbers are farther apart than this ratio, every
    whole number is a step."""

    def counts(self, most: int) -> tuple[int, ...]:
        """List the numbers of volumes per node that a search tries.

        They are all numbers up to 32. Above 32, each number is about a quarter larger than the previous number.

        Examples
        --------
        >>> Steps().counts(48)[-3:]
        (32, 40, 48)
        """
        return tuple(count for count in _COUNTS if count <= most)

    def between(self, smallest: float, largest: float) -> tuple[int, ...]:
        """List the values that a search tries from ``smallest`` to ``largest``.

        Both ends are included.

        Examples
        --------
        >>> Steps(2.0).between(3.0, 20.0)
        (3, 6, 12, 20)
        """
        if not smallest < largest:
            return (math.ceil(smallest),)
        count = math.floor(math.log(largest / smallest) / math.log(self.ratio) + 1e-9)
        values = {math.ceil(smallest * self.ratio**power - 1e-9) for power in range(count + 1)}
        return tuple(sorted({value for value in values if value < largest} | {math.floor(largest)}))

    def sizes_gib(self, volume: VolumeType) -> tuple[int, ...]:
        """List the volume sizes that a search tries [GiB].

        In addition, a search tries the smallest size that holds the data. The list is empty if performance does not
        depend on the size: the best size is then the smallest size that holds the data and allows the provisioned IOPS.
        """
        limits = volume.limits
        smallest, largest = limits.smallest_gib.value, limits.largest_gib.value
        performance = limits.performance
        if isinstance(performance, IopsBySize):
            fullest = performance.largest_iops.value / performance.iops_per_gib.value
            bends: tuple[float, ...] = (performance.small_volume_gib.value + 1.0, fullest)
        elif isinstance(performance, ThroughputBySize):
            rates = (
                (performance.largest_baseline_mib_per_s, performance.baseline_mib_per_s_per_tib),
                (performance.largest_burst_mib_per_s, performance.burst_mib_per_s_per_tib),
            )
            bends = tuple(1024.0 * most.value / per_tib.value for most, per_tib in rates)
        else:
            return ()
        steps = set(self.between(smallest, largest))
        return tuple(sorted(steps | {math.ceil(bend) for bend in bends if smallest <= bend <= largest}))

    def provisions(self, volume: VolumeType) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """List the combinations of IOPS and throughput that a search tries.

        They are sorted by IOPS, then by throughput.

        Returns
        -------
        iops, throughput : array of int, shape (provisions,)
            Provisioned IOPS [1/s] and throughput [MiB/s] of each combination; 0 if the volume type includes that amount
            without charge, or if users cannot provision it.
        """
        performance = volume.limits.performance
        if isinstance(performance, IopsAndThroughput):
            included, included_mib = performance.included_iops.value, performance.included_mib_per_s.value
            iops = np.array(self.between(included, performance.largest_iops.value), np.int32)
            throughput = np.array(self.between(included_mib, performance.largest_mib_per_s.value), np.int32)
            most_mib = np.maximum(included_mib, iops * performance.largest_mib_per_s_per_iops.value)
            level, beside = np.nonzero(throughput <= most_mib[:, np.newaxis])
            iops, throughput = np.where(iops > included, iops, 0), np.where(throughput > included_mib, throughput, 0)
            return iops[level], throughput[beside]
        iops = np.zeros(1, np.int32)
        if isinstance(performance, ProvisionedIops):
            iops = np.array(self.between(performance.smallest_iops.value, performance.largest_iops.value), np.int32)
        return iops, np.zeros_like(iops)


_COUNTS = (*range(1, 33), 40, 48, 63, 78, 98, 127)


def smallest_for_iops_gib(volume: VolumeType, iops: int | None) -> int:
    """Return the smallest volume size for which AWS accepts the provisioned IOPS [GiB].

    The result is 0 if the size does not limit IOPS.

    Examples
    --------
    500 IOPS for each GiB of gp3: 80,000 need 160 GiB.
    """
    performance = volume.limits.performance
    if iops is None or not isinstance(performance, IopsAndThroughput | ProvisionedIops):
        return 0
    per_gib = performance.largest_iops_per_gib.value
    size = math.ceil(iops / per_gib)
    # The quotient may round across a whole number: the test is whether AWS accepts the IOPS.
    while size > 1 and (size - 1) * per_gib >= iops:
        size -= 1
    while size * per_gib < iops:
        size += 1
    return size
