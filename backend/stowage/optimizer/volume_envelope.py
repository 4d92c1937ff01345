"""Envelope of all orders of a volume type: bounds of prices and rates, with which the kernel excludes many at once.

An order is an offer with a number of volumes. Orders are sorted into bins by price, without the price of their GiB
unless the performance depends on the size.
"""

import ctypes
from collections.abc import Sequence

import numpy as np

from stowage.model.jobs.framework import busy_share
from stowage.optimizer.arrays import Floats, Records
from stowage.optimizer.kernel import BINS, BUCKETS, address, library

BUCKET_COUNTS = (16, 22, 24, 25, 27, 30, 31, 32, 40, 63, 78, 127)
"""Maximum volumes per node for which envelopes are computed."""

_RATES = ("burst_io", "base_io", "io_full", "burst_mb", "base_mb", "mb_full")


class COffered(ctypes.Structure):
    """Offers by ascending price: `Offered` in `csrc/offers.h`."""

    _fields_ = (
        *((name, ctypes.c_int32) for name in ("offers", "counts", "bins", "by_size")),
        *((name, ctypes.c_void_p) for name in ("price", "most", "gib", "volumes", "together", "edges", "until")),
    )


def envelope(
    offers: Records, price: Floats, gib: Floats, counts: Sequence[int], streams: float | None, *, by_size: bool
) -> tuple[Floats, tuple[int, ...]]:
    """Compute the envelope of all combinations of an offer with a number of volumes.

    Each bin has the lowest price of its orders, and the highest rates of orders that cost no more than its most
    expensive one. A limited number of streams (concurrent requests) lowers the burst rates of volumes, but not their
    credits.

    Parameters
    ----------
    offers : array of OFFER, shape (offers,)
    price : array, shape (offers,)
        Monthly price of each offer [USD]; if performance depends on the size, the lowest price of any size above the
        offer before it.
    gib : array, shape (offers,)
        Least size of each offer [GiB]; if performance depends on the size, the largest size.
    counts : sequence of int
        Numbers of volumes, in ascending order.
    streams : float or None
        Concurrent requests of a node [1]; None for as many as the node's volumes need.
    by_size : bool
        Whether performance depends on the size.

    Returns
    -------
    array, shape (BUCKETS, BINS, 8)
        For each maximum count in `BUCKET_COUNTS` and each bin: price [USD/month]; burst and baseline of IOPS as their
        reciprocals [s], and I/O credit; the same of MB/s; total size [GiB], which is the largest up to the bin if
        performance depends on the size, else the smallest from the bin on.
    tuple of int
        Number of used bins for each maximum count.
    """
    order = np.argsort(price, kind="stable")
    price, volumes = np.ascontiguousarray(price[order]), np.array(counts, np.float64)
    most = np.stack([np.maximum.accumulate(offers[name][order]) for name in _RATES])
    extreme = np.maximum.accumulate(gib[order]) if by_size else np.minimum.accumulate(gib[order][::-1])[::-1]
    sizes = np.ascontiguousarray(extreme)
    together, edges = reached(counts, streams), _edges(price, volumes)
    until = np.array(BUCKET_COUNTS, np.float64)
    offered = COffered(
        *(price.size, volumes.size, edges.size - 1, by_size),
        *(address(part) for part in (price, most, sizes, volumes, together, edges, until)),
    )
    bins, used = np.zeros((BUCKETS, BINS, 8)), np.zeros(BUCKETS, np.int32)
    if library().stowage_envelope(
        ctypes.byref(offered), ctypes.c_void_p(address(bins)), ctypes.c_void_p(address(used))
    ):
        raise MemoryError("not enough memory for the envelope of a volume type")
    return bins, tuple(used.tolist())


def reached(counts: Sequence[int] | Floats, streams: float | None) -> Floats:
    """Return the combined burst rate of volumes as a multiple of the burst rate of a single volume [1].

    The result has one ratio for each count of volumes.
    """
    volumes = np.asarray(counts, np.float64)
    return volumes if streams is None else volumes * np.asarray(busy_share(streams, volumes))


def _edges(price: Floats, volumes: Floats) -> Floats:
    """Return the edges of bins in ascending order; the last one is infinite. Prices ascend."""
    paid = price[price > 0.0]
    if not paid.size:
        return np.array([0.0, np.inf])
    edges = np.geomspace(paid[0], paid[-1] * volumes[-1], BINS - 1)
    edges[0] = paid[0]
    return np.concatenate(([0.0], edges[:-1], [np.inf]))
