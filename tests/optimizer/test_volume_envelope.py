"""Envelope of the orders of a volume type: each bin bounds all orders that cost as much."""

import numpy as np
import pytest

from stowage.model.hardware.steps import Steps
from stowage.optimizer.arrays import Floats, Records
from stowage.optimizer.volume_envelope import BUCKET_COUNTS, reached
from stowage.optimizer.volume_grid import Grid, grids_of
from stowage.workloads.knowledge import packaged_knowledge

GRIDS = grids_of(packaged_knowledge("latest", "us-east-1").catalog.volume_types, Steps(1.1), 16.0)
"""With large steps, which make fewer orders."""


@pytest.mark.parametrize("streams", [None, 16.0])
@pytest.mark.parametrize("volume", ["gp2", "gp3", "io1", "io2", "sc1", "st1"])
@pytest.mark.parametrize("io_per_mb", [(4.0, 4.0), (4.0, 64.0)])
def test_each_bin_is_as_cheap_and_as_fast_as_its_orders(
    volume: str, io_per_mb: tuple[float, float], streams: float | None
) -> None:
    grid = GRIDS[volume, True]
    chains = grid.chains(*io_per_mb, streams)
    for bucket, most in enumerate(BUCKET_COUNTS):
        bins = chains.envelope[bucket, : chains.bins[bucket]]
        assert np.all(np.diff(bins[:, 0]) > 0.0), "ascending prices"
        for count in (count for count in grid.counts if count <= most):
            _assert_within(bins, grid, chains.offers, count, float(reached([count], streams)[0]))


def _assert_within(bins: Floats, grid: Grid, offers: Records, count: int, together: float) -> None:
    """Check the orders of a count of volumes against their bins."""
    gib = np.maximum(offers["size"].astype(float), grid.volume.limits.smallest_gib.value)
    price = gib * grid.volume.usd_per_gib_month.value if grid.by_size else offers["usd_iops"] + offers["usd_throughput"]
    of_order = bins[np.searchsorted(bins[:, 0], count * price, side="right") - 1]
    for at, name in ((1, "burst_io"), (2, "base_io"), (4, "burst_mb"), (5, "base_mb")):
        rate = offers[name] * (together if name.startswith("burst") else count)
        assert np.all(of_order[:, at] * rate <= 1.0 + 1e-12), name
    for at, name in ((3, "io_full"), (6, "mb_full")):
        assert np.all(of_order[:, at] >= offers[name] * count * (1.0 - 1e-12)), name
    assert np.all(of_order[:, 7] >= gib * count if grid.by_size else of_order[:, 7] <= gib * count)
