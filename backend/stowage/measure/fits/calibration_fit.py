"""Fit of a framework's efficiencies, overheads and growth to finished jobs.

The fit is the maximum a posteriori estimate. Errors of ln(time) have Student's t distribution, so outliers weigh
little. The prior is hierarchical: efficiencies of one framework differ little from each other, and those of an unknown
framework may have any value (`Prior`).
"""

import math
from collections.abc import Iterable, Sequence
from datetime import date
from statistics import NormalDist

import numpy as np

from stowage.frozen import frozen
from stowage.measure.fits.calibration import (
    LEVEL,
    WIDEST,
    Calibration,
    Coefficient,
    Fitted,
    interval_deviations,
    middle_of,
)
from stowage.measure.judging.run_physics import (
    COEFFICIENTS,
    EFFICIENCIES,
    GROWTH,
    OVERHEADS,
    Floats,
    Observation,
    Run,
    Sheet,
)
from stowage.model.jobs.framework import GROWTH as EXPECTED_GROWTH
from stowage.model.jobs.framework import GROWTH_SPREAD, REPETITION, Framework
from stowage.model.jobs.frameworks import FRAMEWORKS, UNKNOWN
from stowage.model.uncertainty.scale import MAD_TO_SIGMA

FEWEST_RUNS = 3
"""Minimum number of runs for a fit."""

RESOURCE_SPREAD = 0.29
"""Standard deviation of ln(1 / efficiency) between the resources of one framework, around the framework's level.

From five efficiencies of two frameworks (Themis 1.14, 0.89, 0.87; TestDFSIO 0.85, 0.52).
"""
_OVERHEAD_SCALE = (60.0, 20.0, 1.0)
"""Expected size of overheads [s]: Hadoop and Spark take tens of seconds to start."""
_MOST_GROWTH = 1.0
"""Upper bound of growth; above it, a job takes longer on more nodes [1]."""


@frozen
class Prior:
    """Normal prior distribution of the coordinates of the fit.

    The coordinates are ln(1 / efficiency) for each resource, the overheads, and the growth.

    Notes
    -----
    With x_c = ln(1 / e_c) for each resource c, the framework's level u, and the spread r between resources,

        x_c = m_c + u + d_c,   u ~ N(0, t^2),   d_c ~ N(0, r^2),

    a normal hierarchical model. The level need not be fitted separately: without it, the x_c are normal with means m_c
    and a covariance of t^2 + r^2 on the diagonal and t^2 elsewhere. Runs limited by one resource therefore determine
    the efficiencies of all other resources to within r. The deviation t is large (the error of `frameworks.UNKNOWN`),
    so four runs that agree outweigh the prior. Overheads and growth are independent of the level: the prior mean of
    overheads is 0, and that of growth is the growth of published jobs.

    **Source**: Gelman et al., Bayesian Data Analysis, 3rd edition, sections 5.4 (normal hierarchical model) and 14.8
    (prior information as additional rows of a regression).
    """

    mean: Floats
    """Means of ln(1 / efficiency), of overheads [s] and of growth. Shape (coordinates,)."""
    covariance: Floats
    """Shape (coordinates, coordinates)."""

    @classmethod
    def of(cls, like: Framework, growth: float = EXPECTED_GROWTH.value, spread: float = GROWTH_SPREAD.value) -> "Prior":
        """Return the prior for runs of a framework.

        The mean efficiencies of disks are those of the known framework `like`.
        """
        known = {"read_efficiency": like.read_efficiency, "write_efficiency": like.write_efficiency}
        usual = UNKNOWN.efficiency.value if UNKNOWN.efficiency else 1.0
        reached = [known.get(name) for name in EFFICIENCIES]
        slowdowns = [-math.log(usual if figure is None else figure.value) for figure in reached]
        size, levels = len(COEFFICIENTS), len(EFFICIENCIES)
        covariance = np.zeros((size, size))
        covariance[:levels, :levels] = UNKNOWN.error.value**2
        diagonal = np.array([*[RESOURCE_SPREAD] * levels, *_OVERHEAD_SCALE, spread]) ** 2
        mean = np.array([*slowdowns, *[0.0] * len(OVERHEADS), growth])
        return cls(mean, covariance + np.diag(diagonal))

    @property
    def precision(self) -> Floats:
        """Return the inverse of the covariance matrix."""
        return np.asarray(np.linalg.inv(self.covariance))

    @property
    def rows(self) -> Floats:
        """Return the matrix that converts differences from the prior mean to residuals.

        This matrix W fulfills W' W = precision. So W (x - mean) are residuals of unit variance.
        """
        return np.asarray(np.linalg.cholesky(self.precision).T)

    def begin(self, sheet: Sheet) -> Floats:
        """Return the coordinates at which the search for the best fit begins.

        They are the prior means, with all efficiencies shifted to fit the median run. If the search began farther from
        the solution, every run would look like an outlier and get little weight.
        """
        x = self.mean.copy()
        for _ in range(_LEVEL_STEPS):
            level = float(np.median(sheet.errors(x)))
            x[: len(EFFICIENCIES)] = np.clip(x[: len(EFFICIENCIES)] + level, _LOWEST, _HIGHEST)
        return x


_LEVEL_STEPS = 4
"""Steps to find the level; a burst bucket's refill does not scale with efficiencies, so one step may fall short."""

_LOWEST, _HIGHEST = math.log(1 / 1.5), math.log(50.0)
"""Bounds of ln(1 / efficiency).

Efficiencies reach up to 1.5, since measured rates may be too low; below 2% the bottleneck is elsewhere.
"""
_FREEDOM = 4.0
"""Degrees of freedom of Student's t; a run that is off by 3x has 1/100 of the weight."""
_EXPECTED_NOISE, _NOISE_RUNS = REPETITION.value, 1.0
"""Prior standard deviation of ln(time) between repetitions, and the number of runs that this prior counts as."""
_LEAST_NOISE = 0.02


def fit(
    framework: str,
    runs: Sequence[Run],
    fitted_on: date,
    *,
    like: str = "ideal",
    expected: Prior | None = None,
) -> Calibration:
    """Fit a framework's efficiencies, overheads and growth to finished jobs.

    Parameters
    ----------
    framework : str
        Name of the calibration.
    runs : sequence of Run
        At least `FEWEST_RUNS`; in any order.
    fitted_on : date
    like : str
        One of `model.frameworks.FRAMEWORKS`. Its efficiencies of disks and volumes are the means of the prior.
    expected : Prior, optional
        Prior to use instead of the one from ``like``.

    Raises
    ------
    ValueError
        Too few runs.
    """
    if len(runs) < FEWEST_RUNS:
        raise ValueError(f"{len(runs)} finished jobs; a calibration needs {FEWEST_RUNS}")
    middle = middle_of([run.physics.nodes for run in runs])
    sheet = Sheet([Observation(run.physics, run.measured_s) for run in runs], middle)
    observed = Sheet([each for run in runs for each in run.observations], middle)
    expected = expected or Prior.of(FRAMEWORKS[like])
    x, noise = expected.begin(sheet), 3.0 * _EXPECTED_NOISE
    for _ in range(_NOISE_STEPS):
        x = _most_likely(observed, noise, expected, x)
        noise = _noise(sheet.errors(x), _taken(sheet, x, noise, expected))
    left_out = np.array([_left_out(runs, index, middle, noise, expected, x) for index in range(len(runs))])
    # A leave-one-out prediction has an error of its own: for similar runs, 1 / (n - 1) of the variance between them.
    apart = (sheet.logs - np.log(left_out)) * math.sqrt(1.0 - 1.0 / len(runs))
    between = _noise(apart, 0.0)
    weights = _weights(sheet.errors(x) / noise)
    covariance = _covariance(observed, x, between, _weights(observed.errors(x) / noise), expected)
    slopes = sheet.slopes(x)
    of_coefficients = np.einsum("ij,jk,ik->i", slopes, covariance, slopes)
    wide = np.exp(np.minimum(interval_deviations(len(runs)) * np.sqrt(between**2 + of_coefficients), WIDEST))
    return Calibration(
        framework=framework,
        coefficients=tuple(_coefficients(x, covariance, _seen(sheet, x, covariance, expected))),
        runs=_fitted(runs, sheet.times_s(x), wide, left_out, weights),
        noise=between,
        error=math.sqrt(between**2 + float(np.mean(of_coefficients))),
        fewest_nodes=min(run.physics.nodes for run in runs),
        most_nodes=max(run.physics.nodes for run in runs),
        longest_s=max(run.measured_s for run in runs),
        covariance=tuple(tuple(map(float, row)) for row in covariance),
        fitted_on=fitted_on,
        like=like,
        with_phases=sum(len(run.observations) > 1 for run in runs),
    )


_NOISE_STEPS = 3


def _most_likely(sheet: Sheet, noise: float, expected: Prior, start: Floats) -> Floats:
    """Return the most likely coordinates, given the observed times and the prior."""
    # Imported here: page requests must not wait for a library that only a fit needs.
    from scipy.optimize import least_squares  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    rows, deviations = expected.rows, np.sqrt(np.diag(expected.covariance))
    lower = np.array([*[_LOWEST] * len(EFFICIENCIES), *[0.0] * len(OVERHEADS), 0.0])
    upper = np.array([*[_HIGHEST] * len(EFFICIENCIES), *[np.inf] * len(OVERHEADS), _MOST_GROWTH])

    def lost(z: Floats) -> tuple[Floats, Floats, Floats]:
        x = z * deviations
        off = sheet.errors(x) / noise
        # Half the square of the returned residuals is the loss of Student's t.
        return x, off, np.sqrt((_FREEDOM + 1.0) * np.log1p(off * off / _FREEDOM))

    def residuals(z: Floats) -> Floats:
        x, off, loss = lost(z)
        return np.concatenate([np.copysign(loss, off), rows @ (x - expected.mean)])

    def slopes(z: Floats) -> Floats:
        x, off, loss = lost(z)
        turned = np.where(
            np.abs(off) < _SMALL,
            math.sqrt((_FREEDOM + 1.0) / _FREEDOM),
            _weights(off) * np.abs(off) / np.maximum(loss, _SMALL),
        )
        of_runs = -turned[:, None] / noise * sheet.slopes(x) * deviations
        return np.concatenate([of_runs, rows * deviations])

    inside = np.clip(start / deviations, lower / deviations + 1e-9, upper / deviations - 1e-9)
    found = least_squares(residuals, inside, slopes, (lower / deviations, upper / deviations), max_nfev=60)
    return np.asarray(found.x * deviations)


_SMALL = 1e-6


def _weights(off: Floats) -> Floats:
    """Return the weight of each run in the fit.

    The argument is the error of each run, in standard deviations.
    """
    return (_FREEDOM + 1.0) / (_FREEDOM + off * off)


def _noise(errors: Floats, taken: float) -> float:
    """Return a robust standard deviation of errors.

    If there are few errors, it is shrunk towards the prior value. ``taken`` is the number of degrees of freedom that
    the fit has used.
    """
    median = float(np.median(np.abs(errors))) * MAD_TO_SIGMA
    spread = median * math.sqrt(errors.size / max(errors.size - taken, 1.0))
    left = max(errors.size - taken, 1.0)
    variance = (left * spread**2 + _NOISE_RUNS * _EXPECTED_NOISE**2) / (left + _NOISE_RUNS)
    return max(_LEAST_NOISE, math.sqrt(variance))


def _taken(sheet: Sheet, x: Floats, noise: float, expected: Prior) -> float:
    """Return the number of degrees of freedom that the fit takes from the runs.

    It is smaller than the number of coefficients, since the prior also determines them in part.
    """
    slopes = sheet.slopes(x)
    information = slopes.T @ slopes / noise**2
    return float(np.trace(np.linalg.solve(information + expected.precision, information)))


def _covariance(sheet: Sheet, x: Floats, noise: float, weights: Floats, expected: Prior) -> Floats:
    """Return the covariance of the coordinates around their most likely values.

    It is Laplace's approximation of the posterior distribution.
    """
    slopes = sheet.slopes(x)
    information = (slopes * np.minimum(weights, 1.0)[:, None]).T @ slopes / noise**2
    return np.asarray(np.linalg.inv(information + expected.precision))


def _left_out(runs: Sequence[Run], left: int, middle: float, noise: float, expected: Prior, start: Floats) -> float:
    """Return the time of the run at index `left`, predicted from all other runs [s]."""
    others = Sheet([each for index, run in enumerate(runs) if index != left for each in run.observations], middle)
    rest = _most_likely(others, noise, expected, start)
    return float(Sheet([Observation(runs[left].physics)], middle).times_s(rest)[0])


def _seen(sheet: Sheet, x: Floats, covariance: Floats, expected: Prior) -> Floats:
    """Return a mask of the coordinates whose values the runs determine.

    Growth is determined if its variance is well below its prior variance. Any other coordinate is determined if it
    accounts for more than 1% of some run's time.
    """
    ruled = sheet.slopes(x) * np.where(np.arange(x.size) < len(EFFICIENCIES), 1.0, np.maximum(x, 0.0))
    seen = np.asarray(ruled.max(axis=0) > 0.01)
    seen[-1] = covariance[-1, -1] < _SURER * expected.covariance[-1, -1]
    return seen


_SURER = 0.5
"""Below this share of its prior variance, growth is determined by the runs more than by published jobs [1]."""


def _coefficients(x: Floats, covariance: Floats, seen: Floats) -> Iterable[Coefficient]:
    away = NormalDist().inv_cdf(0.5 + LEVEL / 2.0) * np.sqrt(np.diag(covariance))
    for index, (name, what) in enumerate(COEFFICIENTS.items()):
        low, value, high = (float(x[index] + side * away[index]) for side in (-1.0, 0.0, 1.0))
        if name in EFFICIENCIES:
            low, value, high = math.exp(-high), math.exp(-value), math.exp(-low)
            yield Coefficient(name, what, value, "1", low, high, bool(seen[index]))
        elif name == GROWTH:
            yield Coefficient(name, what, value, "1", max(0.0, low), high, bool(seen[index]))
        else:
            # The search stops just inside its bounds: such a value is 0.
            yield Coefficient(
                name, what, value if value > _NOTHING_S else 0.0, "s", max(0.0, low), high, bool(seen[index])
            )


_NOTHING_S = 1e-6


def _fitted(
    runs: Sequence[Run], times_s: Floats, wide: Floats, left_out: Floats, weights: Floats
) -> tuple[Fitted, ...]:
    """Return the result of the fit for each run.

    The arrays have one entry per run: ``times_s`` is the predicted time [s], ``wide`` the factor from it to either end
    of its interval, and ``left_out`` the time predicted from the other runs [s].
    """
    return tuple(
        Fitted(
            name=run.name,
            nodes=run.physics.nodes,
            bound_s=run.physics.bound_s,
            predicted_s=float(times_s[index]),
            measured_s=run.measured_s,
            low_s=float(times_s[index] / wide[index]),
            high_s=float(times_s[index] * wide[index]),
            left_out_s=float(left_out[index]),
            weight=min(1.0, float(weights[index])),
        )
        for index, run in enumerate(runs)
    )
