"""Ernest's model of a job's time as a function of data and nodes, without physics; a benchmark for our predictions.

**Source**: Venkataraman et al., Ernest, NSDI 2016, section 3.2: the time is a + b D / n + c ln n + d n for data D on n
nodes, fitted by non-negative least squares.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def fit(sizes: Sequence[tuple[float, int]], times_s: Sequence[float]) -> NDArray[np.float64]:
    """Fit the four coefficients of the model, all of which are at least 0.

    Parameters
    ----------
    sizes : sequence of (float, int)
        Data [MB] and nodes of each run.
    times_s : sequence of float
        Time of each run [s].
    """
    from scipy.optimize import nnls  # type: ignore[import-untyped] # noqa: PLC0415 - reading a page must not wait for it

    return np.asarray(nnls(np.array([_features(*size) for size in sizes]), np.array(times_s))[0])


def time_s(coefficients: NDArray[np.float64], data_mb: float, nodes: int) -> float:
    """Return the predicted time of a run [s]."""
    return float(np.array(_features(data_mb, nodes)) @ coefficients)


def _features(data_mb: float, nodes: int) -> tuple[float, ...]:
    return (1.0, data_mb / nodes, math.log(nodes), float(nodes))
