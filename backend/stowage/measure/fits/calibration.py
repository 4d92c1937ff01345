"""Calibrations: efficiencies of a framework from a team's finished jobs, and predictions of further runs.

`calibration_fit.fit` computes a calibration. Decision 0025 describes the method and its alternatives.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from stowage.measure.judging.run_physics import (
    COEFFICIENTS,
    EFFICIENCIES,
    GROWTH,
    OVERHEADS,
    PHYSICS,
    Floats,
    Observation,
    Physics,
    Sheet,
)
from stowage.model.figure import Figure
from stowage.model.jobs.framework import GROWTH as EXPECTED_GROWTH
from stowage.model.jobs.framework import UNSEEN_PER_DOUBLING, Framework
from stowage.model.jobs.frameworks import FRAMEWORKS

POOR_PCT = 20.0
"""A fit is poor above this median leave-one-out error [%]: twice the usual error (10%)."""
_FASTER = 0.95
"""A run that takes less than this share of the bound is faster than physics allows; rounding cannot explain it [1]."""
LEVEL = 0.8
"""Confidence level of the intervals: the share of runs that they should contain [1]."""

WIDEST = 50.0
"""Largest half-width of an interval of ln(time); at that width nothing is known, and floats do not overflow yet."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A fitted coefficient of a calibration.

    Parameters
    ----------
    name : str
        One of `COEFFICIENTS`.
    what : str
        Description of the coefficient, for people.
    value : float
    low, high : float
        80% confidence interval (`LEVEL`).
    unit : str
        ``1`` or ``s``.
    seen : bool
        Whether the runs determine the value. If not, `value` is the prior value: for an efficiency, the level of the
        framework's other efficiencies; for growth, that of published jobs.
    """

    name: str
    what: str
    value: float
    unit: str
    low: float
    high: float
    seen: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """Result of a calibration for one of the finished runs that were used in the fit.

    Parameters
    ----------
    name : str
    nodes : float
    bound_s, predicted_s, measured_s : float
        Time predicted before the fit, predicted after the fit, and measured [s].
    low_s, high_s : float
        Confidence interval at `LEVEL` for a run like this one [s].
    left_out_s : float
        Time predicted by a fit to all other runs [s].
    weight : float
        Weight of the run in the fit: 1 for a run that fits well, near 0 for an outlier.
    """

    name: str
    nodes: float
    bound_s: float
    predicted_s: float
    measured_s: float
    low_s: float
    high_s: float
    left_out_s: float
    weight: float

    @property
    def left_out_error_pct(self) -> float:
        """Return the error of the time predicted by a fit to all other runs [%]."""
        return (self.left_out_s / self.measured_s - 1.0) * 100.0


@dataclass(frozen=True, slots=True)
class Expected:
    """Predicted time of a run that was not measured, with the calibration applied.

    Parameters
    ----------
    time_s, low_s, high_s : float
        Median, and the confidence interval at `LEVEL` [s].
    log_deviation : float
        Standard deviation of ln(time), without unit.
    beyond : tuple of str
        How far the run is outside the range of the fitted runs, in sentences; empty if it is inside.
    """

    time_s: float
    low_s: float
    high_s: float
    log_deviation: float
    beyond: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextRun:
    """A run that would make predictions more certain.

    Parameters
    ----------
    name : str
    expected : Expected
        Predicted time of the run.
    narrows_pct : float
        Reduction in the width of the requested prediction's interval [%].
    """

    name: str
    expected: Expected
    narrows_pct: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of a framework from finished jobs.

    Parameters
    ----------
    framework : str
        Name of the framework in workloads.
    coefficients : tuple of Coefficient
        In the order of `COEFFICIENTS`.
    runs : tuple of Fitted
    noise : float
        Standard deviation of ln(measured / predicted) between runs, without unit.
    error : float
        `noise` combined with the uncertainty of the coefficients, for a run like the fitted runs, without unit.
    fewest_nodes, most_nodes : float
        Range of node counts of the runs.
    longest_s : float
        Time of the longest run [s].
    covariance : tuple of tuple of float
        Covariance of the coefficients, with each efficiency e as ln(1 / e).
    fitted_on : date
        Date of the newest run, or of the fit.
    like : str
        Framework profile that supplies the properties not fitted: spills, repeated work.
    with_phases : int
        Runs whose phases were fitted separately.
    physics : str
        Version of the physics that was fitted (`run_physics.PHYSICS`).
    """

    framework: str
    coefficients: tuple[Coefficient, ...]
    runs: tuple[Fitted, ...]
    noise: float
    error: float
    fewest_nodes: float
    most_nodes: float
    longest_s: float
    covariance: tuple[tuple[float, ...], ...]
    fitted_on: date
    like: str = "ideal"
    with_phases: int = 0
    physics: str = PHYSICS

    @property
    def outdated(self) -> bool:
        """Return whether the calibration was fitted with an earlier version of the physics."""
        return self.physics != PHYSICS

    @property
    def reference(self) -> float:
        """Return the node count to which the efficiencies refer: the geometric mean of the runs' node counts."""
        return middle_of([run.nodes for run in self.runs])

    @property
    def median_error_pct(self) -> float:
        """Return the median absolute error of runs that are each predicted from all other runs [%]."""
        return float(np.median([abs(run.left_out_error_pct) for run in self.runs]))

    @property
    def median_error_before_pct(self) -> float:
        """Return the median absolute error of the times predicted before the calibration [%]."""
        return float(np.median([abs(run.bound_s / run.measured_s - 1.0) for run in self.runs])) * 100.0

    @property
    def doubted(self) -> tuple[str, ...]:
        """Return the names of outliers: runs with hardly any weight, since they do not fit the others."""
        return tuple(run.name for run in self.runs if run.weight < 0.25)

    @property
    def faster(self) -> tuple[str, ...]:
        """Return the names of runs clearly faster than a framework without losses, whose time is the lower bound.

        Possible reasons are burst credits, a cache, or hardware above its published limits.
        """
        return tuple(run.name for run in self.runs if run.measured_s < run.bound_s * _FASTER)

    @property
    def poor(self) -> str | None:
        """Describe why the fit is poor; None if it predicts each run accurately enough from all other runs."""
        after, before = self.median_error_pct, self.median_error_before_pct
        if after <= POOR_PCT:
            return None
        than = "no better than without the calibration" if after >= before else "too far for a sure answer"
        return (
            f"A poor fit: runs that are left out are off by {after:.0f}% in the median, {than}; look for runs that "
            "differ in what the table does not say"
        )

    @property
    def evidence(self) -> str:
        """Describe the runs that the calibration is based on."""
        nodes = f"{self.fewest_nodes:,.0f}" + (
            f" to {self.most_nodes:,.0f} nodes" if self.most_nodes > self.fewest_nodes else " nodes"
        )
        unseen = [c.name.replace("_", " ") for c in self.coefficients if not c.seen and c.name in EFFICIENCIES]
        words = (
            f"{len(self.runs)} finished jobs on {nodes}; each predicted from the others: median error "
            f"{self.median_error_pct:.1f}%, before the calibration {self.median_error_before_pct:.1f}%"
        )
        if self.with_phases:
            words += f". Of {self.with_phases} the phases were fitted one by one"
        if self.doubted:
            words += f". Hardly counted, since they fit to no others: {', '.join(self.doubted)}"
        if self.faster:
            words += (
                f". Faster than physics allows, by what is published and without credit: {', '.join(self.faster)}; "
                "an efficiency above 1 says the same"
            )
        if unseen:
            words += f". Of these no run says anything, they are as the others of the framework: {', '.join(unseen)}"
        if self.outdated:
            words += ". Fitted with an earlier version of the physics"
        if self.poor is not None:
            words += f". {self.poor}"
        return words

    def to_framework(self) -> Framework:
        """Build the framework profile that ``workload.framework`` refers to."""
        like = FRAMEWORKS[self.like]
        value = {coefficient.name: coefficient for coefficient in self.coefficients}

        def figure(name: str) -> Figure:
            found = value[name]
            told = f"Fitted to {len(self.runs)} finished jobs of the team, {found.low:.3g} to {found.high:.3g}"
            if name in EFFICIENCIES and not found.seen:
                told = "No finished job of the team was limited by it: as the framework's other efficiencies"
            if name == GROWTH and not found.seen:
                told = f"The team's finished jobs hardly tell it: as expected before any run. {EXPECTED_GROWTH.source}"
            return Figure(
                f"framework.{self.framework}.{name}", found.value, found.unit, told, "estimated", self.fitted_on
            )

        return Framework(
            name=self.framework,
            version=self.fitted_on.isoformat(),
            what="Calibrated to the team's finished jobs",
            evidence=self.evidence,
            error=Figure(
                f"framework.{self.framework}.error",
                self.error,
                "1",
                (
                    f"Errors of {len(self.runs)} finished jobs of the team, each predicted from the others, and what "
                    "the fitted numbers are uncertain by"
                ),
                "estimated",
                self.fitted_on,
            ),
            streams=like.streams,
            recovery=like.recovery,
            engine=like.engine,
            network_efficiency=figure("network_efficiency"),
            read_efficiency=figure("read_efficiency"),
            write_efficiency=figure("write_efficiency"),
            link_efficiency=figure("link_efficiency"),
            object_store_efficiency=figure("object_store_efficiency"),
            cpu_efficiency=figure("cpu_efficiency"),
            start_up=figure("start_up_s"),
            log_nodes=figure("log_nodes_s"),
            per_node=figure("per_node_s"),
            measured_nodes=(self.fewest_nodes, self.most_nodes),
            extrapolation=self._extrapolation(),
            growth=figure(GROWTH),
            growth_from=self.reference,
        )

    def _extrapolation(self) -> Figure:
        """Return the error added by each doubling of nodes beyond the runs: unseen effects and uncertain growth."""
        of_growth = math.sqrt(self.covariance[-1][-1]) * math.log(2.0)
        told = f"{UNSEEN_PER_DOUBLING.source}. The growth itself is uncertain by {of_growth:.2g} for each factor of 2"
        value = math.hypot(UNSEEN_PER_DOUBLING.value, of_growth)
        return replace(UNSEEN_PER_DOUBLING, value=value, source=told)

    def expect(self, physics: Physics) -> Expected:
        """Predict the time of a run, with an interval that widens with the distance from the fitted runs."""
        found = Sheet([Observation(physics)], self.reference, self.fewest_nodes)
        x = self._coordinates()
        time_s = float(found.times_s(x)[0])
        deviation = math.sqrt(self._variance(found.slopes(x)[0], physics.nodes))
        wide = math.exp(min(interval_deviations(len(self.runs)) * deviation, WIDEST))
        return Expected(time_s, time_s / wide, time_s * wide, deviation, self.beyond(physics.nodes))

    def beyond(self, nodes: float) -> tuple[str, ...]:
        """Describe how far a node count is outside the range of the runs; empty if it is inside."""
        if nodes > self.most_nodes:
            most = f"{self.most_nodes:,.0f}"
            words = (
                f"{nodes:,.0f} nodes are {nodes / self.most_nodes:.3g} times as many as the largest run had ({most})"
            )
        elif nodes < self.fewest_nodes:
            words = f"{nodes:,.0f} nodes are fewer than the {self.fewest_nodes:,.0f} of the smallest run"
        else:
            return ()
        return (f"{words}: what appears only there is not in this prediction",)

    def teaches(self, candidates: Sequence[tuple[str, Physics]], asked: Physics) -> tuple[NextRun, ...]:
        """Rank runs by how much they would narrow the interval of a requested prediction.

        Parameters
        ----------
        candidates : sequence of (str, Physics)
        asked : Physics

        Notes
        -----
        One more observation with slopes j and noise s changes the covariance C of the coefficients to
        C - C j j' C / (s^2 + j' C j): V-optimal design, one step ahead. A run closer to the requested one
        also shortens the extrapolation.
        """
        x, covariance = self._coordinates(), np.array(self.covariance)
        at = Sheet([Observation(asked)], self.reference, self.fewest_nodes).slopes(x)[0]
        before = self._variance(at, asked.nodes)
        ranked = []
        for name, physics in candidates:
            slope = Sheet([Observation(physics)], self.reference, self.fewest_nodes).slopes(x)[0]
            moved = covariance @ slope
            less = covariance - np.outer(moved, moved) / (self.noise**2 + float(slope @ moved))
            nearer = min(self.fewest_nodes, physics.nodes), max(self.most_nodes, physics.nodes)
            after = float(at @ less @ at) + self.noise**2 + _beyond(asked.nodes, *nearer) ** 2
            ranked.append(NextRun(name, self.expect(physics), (1.0 - math.sqrt(after / before)) * 100.0))
        return tuple(sorted(ranked, key=lambda run: (-run.narrows_pct, run.expected.time_s, run.name)))

    def _coordinates(self) -> Floats:
        """Return the coefficients in the coordinates of the fit, with each efficiency e as ln(1 / e)."""
        value = {coefficient.name: coefficient.value for coefficient in self.coefficients}
        logs = (-math.log(value[name]) for name in EFFICIENCIES)
        return np.array([*logs, *(value[name] for name in (*OVERHEADS, GROWTH))])

    def _variance(self, slope: Floats, nodes: float, fewest: float | None = None, most: float | None = None) -> float:
        """Return the variance of a run's ln(time): from uncertain coefficients, noise of runs, and extrapolation."""
        within = (self.fewest_nodes if fewest is None else fewest, self.most_nodes if most is None else most)
        of_coefficients = float(slope @ np.array(self.covariance) @ slope)
        return of_coefficients + self.noise**2 + _beyond(nodes, *within) ** 2

    def to_dict(self) -> dict[str, Any]:
        """Convert the calibration to JSON; inverse of `from_dict`."""
        return {
            **asdict(self),
            "fitted_on": self.fitted_on.isoformat(),
            "covariance": [list(row) for row in self.covariance],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Calibration":
        """Build a calibration from the JSON of `to_dict`."""
        return cls(
            **{
                name: document[name]
                for name in ("framework", "noise", "error", "fewest_nodes", "most_nodes", "longest_s", "like")
            },
            coefficients=_with_growth(tuple(Coefficient(**each) for each in document["coefficients"])),
            runs=tuple(Fitted(**each) for each in document["runs"]),
            covariance=_with_room(tuple(tuple(map(float, row)) for row in document["covariance"])),
            fitted_on=date.fromisoformat(document["fitted_on"]),
            with_phases=document.get("with_phases", 0),
            physics=document.get("physics", _FIRST_PHYSICS),
        )


_FIRST_PHYSICS = "1"
"""Physics version of calibrations stored without one."""


def middle_of(nodes: Sequence[float]) -> float:
    """Return the geometric mean of node counts."""
    return math.exp(sum(map(math.log, nodes)) / len(nodes))


def _with_growth(coefficients: tuple[Coefficient, ...]) -> tuple[Coefficient, ...]:
    """Return coefficients including growth, which is 0 for calibrations stored without it."""
    if coefficients[-1].name == GROWTH:
        return coefficients
    return (*coefficients, Coefficient(GROWTH, COEFFICIENTS[GROWTH], 0.0, "1", 0.0, 0.0, seen=False))


def _with_room(covariance: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Extend a covariance to all coefficients, with zeros for coefficients that were not fitted."""
    missing = len(COEFFICIENTS) - len(covariance)
    padded = tuple((*row, *[0.0] * missing) for row in covariance)
    return (*padded, *((0.0,) * len(COEFFICIENTS) for _ in range(missing)))


def interval_deviations(runs: int) -> float:
    """Return the half-width of an interval at `LEVEL` in standard deviations; it is larger for few runs."""
    # Imported here: page requests must not wait for a library that only calibrations need.
    from scipy.special import stdtrit  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    return float(stdtrit(float(runs), 0.5 + LEVEL / 2.0))


def _beyond(nodes: float, fewest: float, most: float) -> float:
    """Return what extrapolating beyond the runs' node counts adds to the standard deviation of ln(time)."""
    doublings = max(math.log2(nodes / most), math.log2(fewest / nodes), 0.0)
    return UNSEEN_PER_DOUBLING.value * doublings
