"""Fitting a framework's efficiency, start-up and growth to finished jobs.

The fit is the most likely one where errors of ln(time) are Student's t, so that single runs that went wrong weigh
little, under priors from what other frameworks show (`PRIOR`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from statistics import NormalDist

import numpy as np

from stowage.measure.calibration import LEVEL, WIDEST, Calibration, Coefficient, Fitted, interval_deviations
from stowage.measure.run_physics import COEFFICIENTS, EFFICIENCIES, GROWTH, Floats, Run, Sheet
from stowage.model.framework import FRAMEWORKS, UNKNOWN, Framework

FEWEST_RUNS = 3
"""Runs of one framework below which nothing is fitted."""

_SLOWDOWN = (-math.log(UNKNOWN.efficiency.value if UNKNOWN.efficiency else 1.0), 0.29)
"""Mean and standard deviation of ln(1 / efficiency) before any run is seen: what two other frameworks reached."""
_GROWTH_SCALE = (60.0, 20.0, 1.0)
"""How large start-up and growth are expected to be [s]: tens of seconds as Hadoop and Spark take to start."""
PRIOR: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(EFFICIENCIES, _SLOWDOWN),
    **{name: (0.0, scale) for name, scale in zip(GROWTH, _GROWTH_SCALE, strict=True)},
}
"""Of ln(1 / efficiency) [1], and of start-up and growth [s]: mean and standard deviation."""

_LOWEST, _HIGHEST = math.log(1 / 1.5), math.log(50.0)
"""Bounds of ln(1 / efficiency): rates may be measured too low by half; below 2% something else is in the way."""
_FREEDOM = 4.0
"""Of Student's t: a run that is off by 3x weighs a hundredth."""
_EXPECTED_NOISE, _NOISE_RUNS = 0.08, 3.0
"""Standard deviation of ln(time) between repetitions that few runs are drawn to, and how many runs that is worth."""
_LEAST_NOISE = 0.02


def fit(
    framework: str,
    runs: Sequence[Run],
    fitted_on: date,
    *,
    like: str = "ideal",
) -> Calibration:
    """Fit a framework's efficiency, start-up and growth to finished jobs.

    Parameters
    ----------
    framework : str
        What the calibration is called.
    runs : sequence of Run
        At least `FEWEST_RUNS`; in any order.
    fitted_on : date
    like : str
        One of `model.framework.FRAMEWORKS`: what it reaches of disks and volumes is what is expected before any run.

    Raises
    ------
    ValueError
        Too few runs.
    """
    if len(runs) < FEWEST_RUNS:
        raise ValueError(f"{len(runs)} finished jobs; a calibration needs {FEWEST_RUNS}")
    sheet, logs = Sheet([run.physics for run in runs]), np.log([run.measured_s for run in runs])
    expected = _expected(FRAMEWORKS[like])
    x, noise = expected[:, 0].copy(), 3.0 * _EXPECTED_NOISE
    for _ in range(_NOISE_STEPS):
        x = _most_likely(sheet, logs, noise, expected, x)
        noise = _noise(_errors(sheet, logs, x), _taken(sheet, x, noise, expected))
    left_out = np.array([_left_out(sheet, logs, index, noise, expected, x) for index in range(len(runs))])
    between = max(noise, _noise(logs - np.log(left_out), 0.0))
    weights = _weights(_errors(sheet, logs, x) / noise)
    covariance = _covariance(sheet, x, between, weights, expected)
    seen = _seen(sheet, x)
    slopes = sheet.slopes(x)
    of_coefficients = np.einsum("ij,jk,ik->i", slopes, covariance, slopes)
    half = interval_deviations(len(runs)) * np.sqrt(between**2 + of_coefficients)
    wide = np.exp(np.minimum(half, WIDEST))
    times_s = sheet.times_s(x)
    return Calibration(
        framework=framework,
        coefficients=tuple(_coefficients(x, covariance, seen)),
        runs=tuple(
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
        ),
        noise=between,
        error=math.sqrt(between**2 + float(np.mean(of_coefficients))),
        fewest_nodes=min(run.physics.nodes for run in runs),
        most_nodes=max(run.physics.nodes for run in runs),
        longest_s=max(run.measured_s for run in runs),
        covariance=tuple(tuple(map(float, row)) for row in covariance),
        fitted_on=fitted_on,
        like=like,
    )


def _expected(like: Framework) -> Floats:
    """Give mean and standard deviation of each coordinate before any run, shape (coordinates, 2)."""
    known = {"read_efficiency": like.read_efficiency, "write_efficiency": like.write_efficiency}
    rows = []
    for name, (mean, deviation) in PRIOR.items():
        reached = known.get(name)
        rows.append((mean if reached is None else -math.log(reached.value), deviation))
    return np.array(rows)


_NOISE_STEPS = 3


def _most_likely(sheet: Sheet, logs: Floats, noise: float, expected: Floats, start: Floats) -> Floats:
    """Give the coordinates that are most likely of runs and prior."""
    # Imported here: reading a page must not wait for what only a fit needs.
    from scipy.optimize import least_squares  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    means, deviations = expected.T
    lower = np.array([*[_LOWEST] * len(EFFICIENCIES), *[0.0] * len(GROWTH)])
    upper = np.array([*[_HIGHEST] * len(EFFICIENCIES), *[np.inf] * len(GROWTH)])

    def residuals(z: Floats) -> Floats:
        x = z * deviations
        off = _errors(sheet, logs, x) / noise
        # Half the square of what is given here is what Student's t loses.
        lost = np.sqrt((_FREEDOM + 1.0) * np.log1p(off * off / _FREEDOM))
        return np.concatenate([np.copysign(lost, off), z - means / deviations])

    def slopes(z: Floats) -> Floats:
        x = z * deviations
        off = _errors(sheet, logs, x) / noise
        lost = np.sqrt((_FREEDOM + 1.0) * np.log1p(off * off / _FREEDOM))
        turned = np.where(
            np.abs(off) < _SMALL,
            math.sqrt((_FREEDOM + 1.0) / _FREEDOM),
            _weights(off) * np.abs(off) / np.maximum(lost, _SMALL),
        )
        of_runs = -turned[:, None] / noise * sheet.slopes(x) * deviations
        return np.concatenate([of_runs, np.eye(z.size)])

    inside = np.clip(start / deviations, lower / deviations + 1e-9, upper / deviations - 1e-9)
    found = least_squares(residuals, inside, slopes, (lower / deviations, upper / deviations), max_nfev=60)
    return np.asarray(found.x * deviations)


_SMALL = 1e-6


def _errors(sheet: Sheet, logs: Floats, x: Floats) -> Floats:
    return logs - np.log(sheet.times_s(x))


def _weights(off: Floats) -> Floats:
    """Say how much runs weigh that are off by so many deviations."""
    return (_FREEDOM + 1.0) / (_FREEDOM + off * off)


def _noise(errors: Floats, taken: float) -> float:
    """Give the standard deviation of errors, whatever single ones are; of few it is drawn to what is usual."""
    median = float(np.median(np.abs(errors))) * 1.4826
    spread = median * math.sqrt(errors.size / max(errors.size - taken, 1.0))
    left = max(errors.size - taken, 1.0)
    variance = (left * spread**2 + _NOISE_RUNS * _EXPECTED_NOISE**2) / (left + _NOISE_RUNS)
    return max(_LEAST_NOISE, math.sqrt(variance))


def _taken(sheet: Sheet, x: Floats, noise: float, expected: Floats) -> float:
    """Say how many of the runs' degrees of freedom the coefficients take; the prior holds the rest of them."""
    slopes = sheet.slopes(x) * expected[:, 1]
    information = slopes.T @ slopes / noise**2
    return float(np.trace(np.linalg.solve(information + np.eye(x.size), information)))


def _covariance(sheet: Sheet, x: Floats, noise: float, weights: Floats, expected: Floats) -> Floats:
    """Give the covariance of the coordinates about the most likely ones (Laplace's approximation)."""
    slopes = sheet.slopes(x)
    information = (slopes * np.minimum(weights, 1.0)[:, None]).T @ slopes / noise**2
    return np.asarray(np.linalg.inv(information + np.diag(expected[:, 1] ** -2.0)))


def _left_out(sheet: Sheet, logs: Floats, index: int, noise: float, expected: Floats, start: Floats) -> float:
    """Predict a run from all others [s]."""
    rest = _most_likely(sheet.without(index), np.delete(logs, index), noise, expected, start)
    return float(sheet.times_s(rest)[index])


def _seen(sheet: Sheet, x: Floats) -> Floats:
    """Say of each coordinate whether it rules a hundredth of some run."""
    return np.asarray(
        (sheet.slopes(x) * np.where(np.arange(x.size) < len(EFFICIENCIES), 1.0, np.maximum(x, 0.0))).max(axis=0) > 0.01
    )


def _coefficients(x: Floats, covariance: Floats, seen: Floats) -> Iterable[Coefficient]:
    away = NormalDist().inv_cdf(0.5 + LEVEL / 2.0) * np.sqrt(np.diag(covariance))
    for index, (name, what) in enumerate(COEFFICIENTS.items()):
        low, value, high = (float(x[index] + side * away[index]) for side in (-1.0, 0.0, 1.0))
        if name in EFFICIENCIES:
            low, value, high = math.exp(-high), math.exp(-value), math.exp(-low)
            yield Coefficient(name, what, value, "1", low, high, bool(seen[index]))
        else:
            # The search for the most likely stops just inside its bounds: that is 0.
            yield Coefficient(
                name, what, value if value > _NOTHING_S else 0.0, "s", max(0.0, low), high, bool(seen[index])
            )


_NOTHING_S = 1e-6
