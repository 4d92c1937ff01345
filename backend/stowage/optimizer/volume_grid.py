"""Orderable EBS volumes of a volume type, as input to the kernel.

The kernel is the compiled search (`kernel`). An offer is an orderable volume with its rates and prices. A chain is a
sequence of offers with ascending rates. The envelope of all offers has bounds of their prices and rates, with which the
kernel excludes many offers at once.
"""

import ctypes
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.hardware.catalog import VolumeType
from stowage.model.hardware.steps import Steps, smallest_for_iops_gib
from stowage.model.hardware.volume import Volume, lines, performance
from stowage.model.hardware.volume_limits import IopsAndThroughput, ProvisionedIops, VolumeLimits
from stowage.model.jobs.flows import INTERMEDIATE, Role
from stowage.model.money.price import tiered
from stowage.model.sizes import MB_PER_MIB
from stowage.optimizer.arrays import Floats, Ints, Records
from stowage.optimizer.cache import Cache
from stowage.optimizer.kernel import OFFER, SLOPES, VOLUME, address, library
from stowage.optimizer.volume_envelope import BUCKET_COUNTS, envelope, reached

ROLES = tuple(Role)
"""Order of roles in the kernel."""

_KEPT = 128
"""Cached grids, each of one volume type: a catalog has about eight."""

_RATIOS = 4
_BITS = 1e-9
_ROUNDED = 1e-12

Number = TypeVar("Number", bound=np.generic)


@frozen
class Chains:
    """Offers of one volume type, as arrays that the kernel reads in place.

    ``start`` has the index in ``offers`` at which each chain begins. Its last element is the number of offers. ``cut``
    is described at `Grid._cut`, ``slopes`` at `Grid._slopes`, ``envelope`` and ``bins`` at `Grid._envelope`.
    """

    start: NDArray[np.int32]
    cut: NDArray[np.int32]
    offers: Records
    of_size: Records | None
    envelope: Floats
    bins: tuple[int, ...]
    slopes: Floats
    step_usd: float
    """Minimum price difference between an offer and the one before it [USD/month]; 0 if some have equal prices."""
    row: Records
    """One record of `kernel.VOLUME`, with addresses of these arrays. Fields that depend on the question are not filled
    in: `cut`, quotas, the limit on loss and the table of slow volumes."""


class _CChain(ctypes.Structure):
    """Offers along a chain: `Chain` in `csrc/offers.h`."""

    _fields_ = (
        *((name, ctypes.c_int32) for name in ("offers", "counts")),
        *((name, ctypes.c_void_p) for name in ("usd", "gib", "burst_io", "burst_mb", "volumes", "together", "surely")),
        *((name, ctypes.c_double) for name in ("usd_per_gib", "less")),
    )


@dataclass
class Grid:
    """All options for ordering one volume type in a search.

    A grid is either for instances that are built on Nitro, or for all others.
    """

    volume: VolumeType
    nitro: bool
    counts: tuple[int, ...]
    """Numbers of volumes per node that the search tries."""
    sizes: tuple[int, ...]
    """Sizes that the search tries in addition to the smallest size that holds the data [GiB]; empty if performance does
    not depend on the size."""
    iops: NDArray[np.int32]
    """Provisioned IOPS of each option [1/s], for volume types whose performance does not depend on the size; 0 for the
    included amount. Shape (provisions,)."""
    throughput: NDArray[np.int32]
    """Provisioned throughput of each option [MiB/s], for the volume types of `iops`; 0 for the included amount. Shape
    (provisions,)."""
    of_size: Records | None
    """Offer for every whole GiB, for volume types whose performance depends on the size; None for other volume types.
    """
    io_weight: Floats
    """Number of I/Os that a volume counts for one MB of a flow [1/MB], by the role of the flow. Shape (ROLES,)."""
    mb_weight: Floats
    """Bytes that a volume counts for one MB of a flow, as a multiple of the flow's own bytes [1], by the role of the
    flow. Shape (ROLES,)."""
    _chains: Cache[tuple[float, float, float | None], Chains] = field(default_factory=lambda: Cache(most=_RATIOS))

    @property
    def by_size(self) -> bool:
        """Return whether the performance of the volume type depends on the size."""
        return self.of_size is not None

    @cached_property
    def declared(self) -> int:
        """Return the number of orderable combinations of provisioned IOPS and throughput.

        It is 1 if nothing can be provisioned.
        """
        largest = self.volume.limits.largest_gib.value
        if self.by_size:
            return 1
        # IOPS that need more than the largest size cannot be ordered.
        return int((_smallest_gib(self.volume, self.iops) <= largest).sum())

    def chains(self, lowest: float, highest: float, streams: float | None) -> Chains:
        """Return the offers that are worth considering for a job.

        The I/Os per MB of all phases of the job are within a range. An offer is dropped if it has more IOPS than can be
        used at its throughput, or more throughput than can be used at its IOPS. A cheaper offer is then as fast. All
        other offers stay.

        Parameters
        ----------
        lowest, highest : float
            Bounds of the range of I/Os per MB [1/MB].
        streams : float or None
            Concurrent requests of a node [1]; None for as many as the node's volumes need.
        """

        def make() -> Chains:
            if self.of_size is not None:
                offers = np.ascontiguousarray(self.of_size[list(self.sizes)])
                start = np.array([0, offers.size], np.int32)
            elif self.throughput.any():
                start, kept = self._balanced(lowest, highest)
                offers = _provisioned(self.volume, self.iops[kept], self.throughput[kept], nitro=self.nitro)
            else:
                offers = _provisioned(self.volume, self.iops, self.throughput, nitro=self.nitro)
                start = np.array([0, offers.size], np.int32)
            envelope, bins = self._envelope(offers, streams)
            cut = self._cut(offers, streams)
            slopes, step_usd, row = self._slopes(offers), self._step_usd(offers), self._row(start, offers, envelope)
            row["bins"], row["bucket_counts"], row["slopes"], row["step_usd"] = bins, BUCKET_COUNTS, slopes, step_usd
            return Chains(start, cut, offers, self.of_size, envelope, bins, slopes, step_usd, row)

        return self._chains.get((0.0, 0.0, streams) if self.by_size else (lowest, highest, streams), make)

    def _row(self, start: NDArray[np.int32], offers: Records, envelope: Floats) -> Records:
        row, limits = np.zeros(1, VOLUME), self.volume.limits
        row["chains"], row["by_size"] = start.size - 1, self.by_size
        row["smallest"], row["largest"] = int(limits.smallest_gib.value), int(limits.largest_gib.value)
        row["start"], row["offers"], row["of_size"] = address(start), address(offers), address(self.of_size)
        row["envelope"], row["declared"] = address(envelope), self.declared
        row["usd_per_gib"] = self.volume.prices().usd_per_gib_month
        row["least_io"] = float((offers if self.of_size is None else self.of_size)["base_io"].min())
        row["io_weight"], row["mb_weight"] = self.io_weight, self.mb_weight
        return row

    def _balanced(self, lowest: float, highest: float) -> tuple[NDArray[np.int32], Ints]:
        """Select the pairs of provisioned IOPS and throughput that are worth considering.

        Such a pair matches the I/Os per MB of some phase, which are from ``lowest`` to ``highest``. Pairs with equal
        IOPS form a chain. If all phases have the same I/Os per MB, all pairs form a single chain.

        Returns
        -------
        array of int
            Position at which each chain begins, then the number of selected pairs.
        array of int
            Indices of the selected pairs, chain after chain.
        """
        limits = self.volume.limits.performance
        if not isinstance(limits, IopsAndThroughput):
            raise TypeError(f"{self.volume.name} provisions no throughput")
        iops = np.where(self.iops > 0, self.iops, limits.included_iops.value)
        mb_per_s = np.where(self.throughput > 0, self.throughput, limits.included_mib_per_s.value) * MB_PER_MIB
        chains: list[Ints] = []
        below = 0.0
        # Options are sorted by IOPS, then by throughput.
        for first, end in pairwise((0, *(np.flatnonzero(np.diff(iops)) + 1).tolist(), iops.size)):
            level, rates = float(iops[first]), mb_per_s[first:end]
            enough = int(np.searchsorted(rates, level / lowest * (1.0 + _BITS))) if lowest > 0.0 else rates.size
            least = int(np.searchsorted(rates, below / highest * (1.0 - _BITS))) if math.isfinite(highest) else 0
            kept = np.arange(first + least, min(first + enough + 1, end))
            if kept.size:
                chains.append(kept)
            below = level
        if highest <= lowest * (1.0 + _BITS):
            chains = [np.concatenate(chains)]
        ends = np.cumsum([0, *(chain.size for chain in chains)]).astype(np.int32)
        return ends, np.concatenate(chains)

    def _step_usd(self, offers: Records) -> float:
        usd_per_gib = self.volume.usd_per_gib_month.value
        if self.by_size or usd_per_gib <= 0.0:
            return max(usd_per_gib, 0.0)
        return max(0.0, float(np.diff(_own_usd(offers)).min(initial=np.inf)))

    def _slopes(self, offers: Records) -> Floats:
        """Compute lower bounds of the prices of offers.

        A bound is a line: a price that grows linearly with the burst rate. It excludes the price of the volume's size.

        Returns
        -------
        array, shape (2, SLOPES, 2)
            For burst IOPS, then for burst MB/s: the price of each line at rate zero, and its price per unit of rate
            [USD/month]; both are 0 for unused lines.
        """
        slopes = np.zeros((2, SLOPES, 2))
        if not self.by_size:
            for of, name in enumerate(("burst_io", "burst_mb")):
                rates: Floats = offers[name]
                lines = _lines_below(rates, _own_usd(offers))
                slopes[of, : len(lines)] = lines
        return slopes

    def _cut(self, offers: Records, streams: float | None) -> NDArray[np.int32]:
        """Compute the last offer that is worth considering for each count of volumes.

        It also depends on the maximum count of volumes of an instance type. An offer with few volumes is not worth
        considering if more volumes reach the same rates and cost less at any capacity. Each added volume brings its
        included IOPS and throughput, but also some more GiB, since sizes are whole numbers. With a fixed number of
        streams (concurrent requests), more volumes reach a smaller share of their rates.

        Returns
        -------
        array of int, shape (counts, counts)
            Index of the last offer, by maximum count and then by count.
        """
        steps = len(self.counts)
        cut = np.full((steps, steps), np.iinfo(np.int32).max, np.int32)
        if self.by_size or offers.size == 0:
            return cut
        smallest = self.volume.limits.smallest_gib.value
        usd_per_gib = self.volume.usd_per_gib_month.value
        size: NDArray[np.int32] = offers["size"]
        burst_io: Floats = offers["burst_io"]
        burst_mb: Floats = offers["burst_mb"]
        own, gib = _own_usd(offers), np.maximum(smallest, size)
        if (np.diff(burst_io) < 0.0).any() or (np.diff(burst_mb) < 0.0).any():
            return cut
        volumes, together = np.array(self.counts, np.float64), reached(self.counts, streams)
        # Shares of streams are rounded: an equal rate may be lower in the last digit.
        surely = together * (1.0 if streams is None else 1.0 + _ROUNDED)
        parts = [np.ascontiguousarray(part, np.float64) for part in (own, gib, burst_io, burst_mb)]
        chain = _CChain(
            *(offers.size, steps, *(address(part) for part in (*parts, volumes, together, surely))),
            *(usd_per_gib, 1.0 - _BITS),
        )
        if library().stowage_cut(ctypes.byref(chain), ctypes.c_void_p(address(cut))):
            raise MemoryError("not enough memory for the offers of a volume type")
        return cut

    def _envelope(self, offers: Records, streams: float | None) -> tuple[Floats, tuple[int, ...]]:
        """Compute the envelope of all combinations of an offer with a number of volumes, as `volume_envelope` does."""
        smallest = self.volume.limits.smallest_gib.value
        gib: Floats = offers["size"].astype(np.float64)
        if self.by_size:
            # Between two sizes: as cheap as just above the smaller, at most as fast as the larger.
            price = np.concatenate(([smallest], gib[:-1] + 1.0)) * self.volume.usd_per_gib_month.value
        else:
            price, gib = _own_usd(offers), np.maximum(smallest, gib)
        return envelope(offers, price, gib, self.counts, streams, by_size=self.by_size)


def _lines_below(rates: Floats, usd: Floats) -> Floats:
    """Return lines below all points of prices over rates.

    They are the longest rising edges of the lower convex hull of the points. Each row of the result is one line: its
    price at rate zero, and its price per unit of rate. There are at most `SLOPES` lines.
    """
    order = np.lexsort((usd, rates))
    x, y = rates[order], usd[order]
    edges: list[tuple[float, float]] = []
    at = 0
    while (right := int(np.searchsorted(x, x[at], side="right"))) < x.size:
        slopes = (y[right:] - y[at]) / (x[right:] - x[at])
        # Of points on one line, despite rounding, the furthest.
        least = float(slopes.min())
        end = right + int(np.flatnonzero(slopes <= least + _ROUNDED * abs(least))[-1])
        if slopes[end - right] > 0.0:
            edges.append((float(x[end] - x[at]), float(slopes[end - right])))
        at = end
    steep = np.array([slope for _, slope in sorted(edges, reverse=True)[:SLOPES]])
    # Shifted to stay below every offer despite rounding.
    return np.array([((usd - slope * rates).min() - _BITS * usd.max(), slope) for slope in steep]).reshape(-1, 2)


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the sorted values without duplicates.

    Replaces `numpy.unique`, which imports masked arrays and adds 0.03 s to a command.
    """
    ordered = np.sort(values)
    first = np.ones(ordered.size, np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


_grids: Cache[tuple[VolumeType, Steps, float, bool], Grid] = Cache(most=_KEPT)


def grids_of(
    volume_types: Mapping[str, VolumeType], steps: Steps, random_io_kib: float
) -> Mapping[tuple[str, bool], Grid]:
    """Return the grids of all volume types in the search.

    They are cached. Regions with equal prices share them.

    Returns
    -------
    Mapping[tuple[str, bool], Grid]
        Grids, by the name of the volume type and by whether the instance is built on Nitro, which affects provisioned
        IOPS.
    """
    return {
        (name, nitro): _grids.get(
            (volume, steps, random_io_kib, nitro), partial(_grid, volume, steps, random_io_kib, nitro=nitro)
        )
        for name, volume in sorted(volume_types.items())
        if volume.searched
        for nitro in ((True, False) if isinstance(volume.limits.performance, ProvisionedIops) else (True,))
    }


def _grid(volume: VolumeType, steps: Steps, random_io_kib: float, *, nitro: bool) -> Grid:
    """Build the grid of a volume type.

    It has all sizes of the search, or all combinations of provisioned IOPS and throughput.
    """
    limits, sizes = volume.limits, steps.sizes_gib(volume)
    of_size = None
    iops, throughput = np.zeros(1, np.int32), np.zeros(1, np.int32)
    if sizes:
        of_size = _of_size(limits, sizes, nitro=nitro)
    else:
        iops, throughput = steps.provisions(volume)
    performance_limits = limits.performance
    least = performance_limits.smallest_iops.value if isinstance(performance_limits, ProvisionedIops) else None
    sample = lines(Volume(limits, float(max(sizes, default=1)), least, nitro=nitro), random_io_kib=random_io_kib)
    of_bursts = [line.weights for line in sample if not isinstance(line.full, float) or line.full == 0.0]
    io_weight, mb_weight = (
        np.array([0.0 if role in INTERMEDIATE else float(weights.get(role, 0.0)) for role in ROLES])
        for weights in of_bursts[:2]
    )
    return Grid(volume, nitro, steps.counts(BUCKET_COUNTS[-1]), sizes, iops, throughput, of_size, io_weight, mb_weight)


@lru_cache(_KEPT)
def _of_size(limits: VolumeLimits, sizes: tuple[int, ...], *, nitro: bool) -> Records:
    """Return the offer for every whole GiB of a volume type whose performance depends on the size."""
    every = np.arange(0.0, limits.largest_gib.value + 1.0)
    every[0] = 1.0
    found = _performing(Volume(limits, every, nitro=nitro), every.size)
    found["size"] = np.arange(every.size)
    found["above"] = np.searchsorted(np.array(sizes), np.arange(every.size), side="right")
    return found


def _provisioned(volume: VolumeType, iops: NDArray[np.int32], throughput: NDArray[np.int32], *, nitro: bool) -> Records:
    """Return the offers with provisioned IOPS and throughput.

    ``iops`` and ``throughput`` have one element for each offer; 0 stands for the included amount.
    """
    limits, prices = volume.limits.performance, volume.prices()
    asked_iops, asked_throughput = iops.astype(np.float64), throughput.astype(np.float64)
    reached_iops: Floats | None = asked_iops
    reached_throughput: Floats | None = None
    if isinstance(limits, IopsAndThroughput):
        reached_iops = np.where(iops > 0, asked_iops, limits.included_iops.value)
        reached_throughput = np.where(throughput > 0, asked_throughput, limits.included_mib_per_s.value)
    elif not isinstance(limits, ProvisionedIops):
        reached_iops = None
    offers = _performing(Volume(volume.limits, 1.0, reached_iops, reached_throughput, nitro=nitro), iops.size)
    offers["iops"], offers["throughput"] = iops, throughput
    offers["size"] = _smallest_gib(volume, iops)
    if prices.iops_month:
        offers["usd_iops"] = tiered(_beyond(asked_iops, prices.included_iops), prices.iops_month)
    if prices.usd_per_mib_per_s_month != 0.0:
        offers["usd_throughput"] = _beyond(asked_throughput, prices.included_mib_per_s) * prices.usd_per_mib_per_s_month
    return offers


def _own_usd(offers: Records) -> Floats:
    """Compute the price of the provisioned IOPS and throughput of each offer [USD/month]."""
    usd: Floats = offers["usd_iops"] + offers["usd_throughput"]
    return usd


def _smallest_gib(volume: VolumeType, iops: NDArray[np.int32]) -> Ints:
    levels = distinct(iops)
    smallest = np.array([smallest_for_iops_gib(volume, int(level) or None) for level in levels], np.int64)
    return smallest[np.searchsorted(levels, iops)]


def _performing(volume: Volume, size: int) -> Records:
    found = np.zeros(size, OFFER)
    reached = performance(volume)
    found["burst_io"], found["base_io"] = reached.burst_iops, reached.baseline_iops
    found["burst_mb"] = np.asarray(reached.burst_mib_per_s) * MB_PER_MIB
    found["base_mb"] = np.asarray(reached.baseline_mib_per_s) * MB_PER_MIB
    if reached.io_credits is not None:
        found["io_full"] = reached.io_credits
    if reached.credit_mib is not None:
        found["mb_full"] = np.asarray(reached.credit_mib) * MB_PER_MIB
    for name in ("burst_io", "base_io", "burst_mb", "base_mb"):
        found[f"{name}_s"] = 1.0 / found[name]
    return found


def _beyond(amount: Floats, included: float) -> Floats:
    return np.maximum(amount - included, 0.0) if included != 0.0 else amount
