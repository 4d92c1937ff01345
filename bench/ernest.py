"""Ernest, a statistical model of a job's time, as a benchmark for our predictions.

Its time depends only on the amount of data and the number of nodes, not on the rates of the hardware.

**Source**: Venkataraman et al., Ernest, NSDI 2016, section 3.2: the time is a + b D / n + c ln n + d n for data D on n
nodes, fitted by non-negative least squares.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.laboratory.engines import least_squares


def fit(sizes: Sequence[tuple[float, int]], times_s: Sequence[float]) -> NDArray[np.float64]:
    """Fit the four coefficients of Ernest's model to runs.

    All coefficients are at least 0.

    Parameters
    ----------
    sizes : sequence of (float, int)
        Data [MB] and nodes of each run.
    times_s : sequence of float
        Time of each run [s].
    """
    return np.array(least_squares([_features(*size) for size in sizes], times_s, [1.0] * len(times_s)))


def time_s(coefficients: NDArray[np.float64], data_mb: float, nodes: int) -> float:
    """Return the predicted time of a run [s]."""
    return float(np.array(_features(data_mb, nodes)) @ coefficients)


def _features(data_mb: float, nodes: int) -> tuple[float, ...]:
    return (1.0, data_mb / nodes, math.log(nodes), float(nodes))
