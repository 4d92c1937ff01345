"""Calibrations: the efficiencies of a framework, fitted to finished jobs of a team.

A calibration also predicts the times of further runs. `calibration_fit.fit` computes a calibration. Decision 0025
describes the method and its alternatives.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any

import numpy as np

from stowage.frozen import frozen
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
from stowage.model.complete import Checked
from stowage.model.figure import Figure, Number
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


@frozen
class Coefficient(Checked):
    """One fitted coefficient of a calibration: an efficiency, an overhead or the growth."""

    name: str
    """Name of the coefficient."""
    what: str
    """Description of the coefficient, for people."""
    value: float
    unit: str
    """`1` or `s`."""
    low: float
    """Lower end of the 80% confidence interval."""
    high: float
    """Upper end of the 80% confidence interval."""
    seen: bool
    """Whether the runs determine the value. If not, `value` is the prior value. The prior value of an efficiency is the
    level of the framework's other efficiencies. That of the growth is the growth of published jobs."""


@frozen
class Fitted:
    """One finished run that was used in a fit, with its measured and predicted times."""

    name: str
    nodes: float
    bound_s: float
    """Time predicted before the fit [s]. It is a lower bound: the time with a framework without losses."""
    predicted_s: float
    """Time predicted after the fit [s]."""
    measured_s: float
    """Measured time [s]."""
    low_s: float
    """Lower end of the confidence interval at `LEVEL` for the time of a run like this one [s]."""
    high_s: float
    """Upper end of the confidence interval at `LEVEL` for the time of a run like this one [s]."""
    left_out_s: float
    """Time predicted by a fit to all other runs [s]."""
    weight: float
    """Weight of the run in the fit: 1 for a run that fits well, near 0 for an outlier."""

    @property
    def left_out_error_pct(self) -> float:
        """Return the leave-one-out error of the run [%].

        It is the error of the time that a fit to all other runs predicts for this run.
        """
        return (self.left_out_s / self.measured_s - 1.0) * 100.0


@frozen
class Expected:
    """Time that a calibration predicts for a run that was not measured."""

    time_s: float
    """Median [s]."""
    low_s: float
    """Lower end of the confidence interval at `LEVEL` [s]."""
    high_s: float
    """Upper end of the confidence interval at `LEVEL` [s]."""
    log_deviation: float
    """Standard deviation of ln(time), without unit."""
    beyond: tuple[str, ...]
    """Sentences about how far the run's node count is outside the range of the fitted runs. Empty if it is inside."""


@frozen
class NextRun(Checked):
    """A proposed run that, once measured, would make a requested prediction more certain."""

    name: str
    expected: Expected
    """Predicted time of the run."""
    narrows_pct: float
    """Reduction in the width of the interval of the requested prediction [%]."""


@frozen
class Calibration:
    """Calibration of a framework from finished jobs."""

    framework: str
    """Name of the framework in workloads."""
    coefficients: tuple[Coefficient, ...]
    """In the order of `COEFFICIENTS`."""
    runs: tuple[Fitted, ...]
    noise: float
    """Standard deviation of ln(measured / predicted) between runs, without unit."""
    error: float
    """Standard deviation of ln(time) for a run like the fitted runs, without unit. It combines `noise` with the
    uncertainty of the coefficients."""
    fewest_nodes: float
    """Smallest node count of the runs."""
    most_nodes: float
    """Largest node count of the runs."""
    longest_s: float
    """Time of the longest run [s]."""
    covariance: tuple[tuple[float, ...], ...]
    """Covariance of the coefficients, with each efficiency e as ln(1 / e)."""
    fitted_on: date
    """Date of the newest run, or of the fit."""
    like: str = "ideal"
    """Name of the framework profile that supplies the properties that are not fitted, such as spills and repeated work.
    """
    with_phases: int = 0
    """Number of runs whose phases were fitted separately."""
    physics: str = PHYSICS
    """Version of the model of run times that was fitted (`run_physics.PHYSICS`)."""

    @property
    def outdated(self) -> bool:
        """Return whether the calibration was fitted with an earlier version of the time model.

        This model is the physics of runs (`run_physics`).
        """
        return self.physics != PHYSICS

    @property
    def reference(self) -> float:
        """Return the node count to which the efficiencies refer.

        It is the geometric mean of the runs' node counts.
        """
        return middle_of([run.nodes for run in self.runs])

    @property
    def median_error_pct(self) -> float:
        """Return the median leave-one-out error of the runs [%].

        The leave-one-out error of a run is the absolute error of its time as predicted from all other runs.
        """
        return float(np.median([abs(run.left_out_error_pct) for run in self.runs]))

    @property
    def median_error_before_pct(self) -> float:
        """Return the median error of the times predicted before the calibration [%].

        The errors are absolute values.
        """
        return float(np.median([abs(run.bound_s / run.measured_s - 1.0) for run in self.runs])) * 100.0

    @property
    def doubted(self) -> tuple[str, ...]:
        """Return the names of the runs that are outliers.

        An outlier does not fit the other runs, and so has hardly any weight in the fit.
        """
        return tuple(run.name for run in self.runs if run.weight < 0.25)

    @property
    def faster(self) -> tuple[str, ...]:
        """Return the names of runs that were faster than the model allows.

        Such a run took clearly less time than the model predicts for a framework without losses. Possible reasons are
        burst credits, a cache, or hardware above its published limits.
        """
        return tuple(run.name for run in self.runs if run.measured_s < run.bound_s * _FASTER)

    @property
    def poor(self) -> str | None:
        """Return a description of a poor fit; None if the fit is not poor.

        A fit is poor if the median leave-one-out error of its runs is above `POOR_PCT`.
        """
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
        """Return a description of the runs on which the calibration is based."""
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
        """Build the framework profile of the calibration.

        A workload uses the profile if ``workload.framework`` is the name of the calibration.
        """
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

        efficiencies: dict[str, Any] = {name: figure(name) for name in EFFICIENCIES}
        return Framework(
            name=self.framework,
            version=self.fitted_on.isoformat(),
            what="Calibrated to the team's finished jobs",
            evidence=self.evidence,
            error=Number(f"framework.{self.framework}.error", self.error, "1").estimated(
                f"Errors of {len(self.runs)} finished jobs of the team, each predicted from the others, and what "
                "the fitted numbers are uncertain by",
                self.fitted_on,
            ),
            streams=like.streams,
            recovery=like.recovery,
            engine=like.engine,
            **efficiencies,
            start_up=figure("start_up_s"),
            log_nodes=figure("log_nodes_s"),
            per_node=figure("per_node_s"),
            measured_nodes=(self.fewest_nodes, self.most_nodes),
            extrapolation=self._extrapolation(),
            growth=figure(GROWTH),
            growth_from=self.reference,
        )

    def _extrapolation(self) -> Figure:
        """Return the error of extrapolating to other node counts, per doubling.

        It is added for each doubling of the node count beyond those of the runs. It combines effects that appear only
        at other node counts with the uncertainty of the growth.
        """
        of_growth = math.sqrt(self.covariance[-1][-1]) * math.log(2.0)
        told = f"{UNSEEN_PER_DOUBLING.source}. The growth itself is uncertain by {of_growth:.2g} for each factor of 2"
        value = math.hypot(UNSEEN_PER_DOUBLING.value, of_growth)
        return replace(UNSEEN_PER_DOUBLING, value=value, source=told)

    def expect(self, physics: Physics) -> Expected:
        """Predict the time of a run, with an interval.

        The interval is the wider, the farther the run is from the fitted runs.
        """
        found = Sheet([Observation(physics)], self.reference, self.fewest_nodes)
        x = self._coordinates()
        time_s = float(found.times_s(x)[0])
        deviation = math.sqrt(self._variance(found.slopes(x)[0], physics.nodes))
        wide = math.exp(min(interval_deviations(len(self.runs)) * deviation, WIDEST))
        return Expected(time_s, time_s / wide, time_s * wide, deviation, self.beyond(physics.nodes))

    def beyond(self, nodes: float) -> tuple[str, ...]:
        """Return sentences about how far a node count is outside the range of the runs.

        The result is empty if the node count is inside the range.
        """
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
        """Rank proposed runs by how much they would narrow the interval of a requested prediction.

        Notes
        -----
        Each run is rated as if it were the only further run (V-optimal design, one step ahead). One more observation
        with slopes j and noise s changes the covariance C of the coefficients to C - C j j' C / (s^2 + j' C j). A run
        whose node count is closer to the requested one also shortens the extrapolation.
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
        """Return the coefficients as coordinates of the fit.

        The coordinate of an efficiency e is ln(1 / e); the other coefficients stay as they are.
        """
        value = {coefficient.name: coefficient.value for coefficient in self.coefficients}
        logs = (-math.log(value[name]) for name in EFFICIENCIES)
        return np.array([*logs, *(value[name] for name in (*OVERHEADS, GROWTH))])

    def _variance(self, slope: Floats, nodes: float) -> float:
        """Return the variance of ln(time) of a run.

        It is the sum of the variances from uncertain coefficients, from the noise between runs, and from extrapolation
        to the run's node count.
        """
        of_coefficients = float(slope @ np.array(self.covariance) @ slope)
        return of_coefficients + self.noise**2 + _beyond(nodes, self.fewest_nodes, self.most_nodes) ** 2

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
    """Return the coefficients of a stored calibration, including the growth.

    A calibration stored without growth gets a growth of 0.
    """
    if coefficients[-1].name == GROWTH:
        return coefficients
    return (*coefficients, Coefficient(GROWTH, COEFFICIENTS[GROWTH], 0.0, "1", 0.0, 0.0, seen=False))


def _with_room(covariance: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Extend the covariance of a stored calibration to all coefficients.

    Entries of coefficients that were not fitted are 0.
    """
    missing = len(COEFFICIENTS) - len(covariance)
    padded = tuple((*row, *[0.0] * missing) for row in covariance)
    return (*padded, *((0.0,) * len(COEFFICIENTS) for _ in range(missing)))


def interval_deviations(runs: int) -> float:
    """Return the half-width of a confidence interval at `LEVEL`, in standard deviations.

    It is larger if there are few runs.
    """
    # Imported here: page requests must not wait for a library that only calibrations need.
    from scipy.special import stdtrit  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    return float(stdtrit(float(runs), 0.5 + LEVEL / 2.0))


def _beyond(nodes: float, fewest: float, most: float) -> float:
    """Return the standard deviation of ln(time) due to extrapolation to a node count.

    It is 0 between the smallest and the largest node count of the runs.
    """
    doublings = max(math.log2(nodes / most), math.log2(fewest / nodes), 0.0)
    return UNSEEN_PER_DOUBLING.value * doublings
