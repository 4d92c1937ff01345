"""A calibration: what a team's finished jobs say of a framework, and what follows for runs that were not made.

`calibration_fit.fit` makes one. Decision 0025 says how, and what was tried besides.
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
"""Median error of runs that are left out beyond which a fit says that it is poor [%]: twice what is usual (10%)."""
_FASTER = 0.95
"""Of the bound: below it a run beat physics, and not by rounding [1]."""
LEVEL = 0.8
"""Part of runs that an interval is meant to hold."""

WIDEST = 50.0
"""Where half an interval ends, as ln(time): by then it says that nothing is known, and floats still hold it."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One fitted number.

    Parameters
    ----------
    name : str
        One of `COEFFICIENTS`.
    what : str
    value, low, high : float
        With the interval that holds it at `LEVEL`.
    unit : str
        ``1`` or ``s``.
    seen : bool
        Whether the runs tell it; if not, it is as expected before any run: an efficiency as the others of the
        framework, growth as that of published jobs.
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
    """Statement of the calibration about one of its own runs.

    Parameters
    ----------
    name : str
    nodes : float
    bound_s, predicted_s, measured_s : float
        Before and after the fit, and as it was [s].
    low_s, high_s : float
        Interval of a run like it at `LEVEL` [s].
    left_out_s : float
        Predicted from all other runs [s].
    weight : float
        How much it weighs in the fit [1], 1 for one that fits well; little for one that went wrong.
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
        """Error of the prediction from all other runs [%]."""
        return (self.left_out_s / self.measured_s - 1.0) * 100.0


@dataclass(frozen=True, slots=True)
class Expected:
    """A calibrated time of a run that was not made.

    Parameters
    ----------
    time_s, low_s, high_s : float
        Median, and the interval at `LEVEL` [s].
    log_deviation : float
        Standard deviation of ln(time) [1].
    beyond : tuple of str
        In which ways it is beyond the runs, in words; empty where it is not.
    """

    time_s: float
    low_s: float
    high_s: float
    log_deviation: float
    beyond: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextRun:
    """A run that would teach something.

    Parameters
    ----------
    name : str
    expected : Expected
        How long it would take.
    narrows_pct : float
        By how much the interval of what was asked would narrow [%].
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
        The name that a workload gives.
    coefficients : tuple of Coefficient
        In the order of `COEFFICIENTS`.
    runs : tuple of Fitted
    noise : float
        Standard deviation of ln(measured / predicted) between runs [1].
    error : float
        The same with what the coefficients are uncertain by, of a run like those that were fitted [1].
    fewest_nodes, most_nodes : float
        Of the runs.
    longest_s : float
        The longest run [s].
    covariance : tuple of tuple of float
        Of the coefficients, efficiencies as ln(1 / e).
    fitted_on : date
        Of the youngest run, or of the fit.
    like : str
        The profile whose other properties are taken: spills, what is redone.
    with_phases : int
        Runs whose phases were fitted one by one.
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
        """Return whether it was fitted to an earlier version of the physics."""
        return self.physics != PHYSICS

    @property
    def reference(self) -> float:
        """Node count at which the efficiencies hold: the middle of the runs' [1]."""
        return middle_of([run.nodes for run in self.runs])

    @property
    def median_error_pct(self) -> float:
        """Median size of the errors of predictions from all other runs [%]."""
        return float(np.median([abs(run.left_out_error_pct) for run in self.runs]))

    @property
    def median_error_before_pct(self) -> float:
        """Median size of the errors of the physical bound [%]."""
        return float(np.median([abs(run.bound_s / run.measured_s - 1.0) for run in self.runs])) * 100.0

    @property
    def doubted(self) -> tuple[str, ...]:
        """Names of the runs that hardly weigh: they fit to no others."""
        return tuple(run.name for run in self.runs if run.weight < 0.25)

    @property
    def faster(self) -> tuple[str, ...]:
        """Names of the runs that took less time than the bound: credit, a cache, or better than what is published."""
        return tuple(run.name for run in self.runs if run.measured_s < run.bound_s * _FASTER)

    @property
    def poor(self) -> str | None:
        """Describe what is wrong with the fit; None where left-out runs are predicted well enough."""
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
        """Describe the evidence of the calibration."""
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
        """Return the profile that ``workload.framework`` names."""
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
        """Return what the error grows by for each factor of 2 beyond the runs: the unseen, and doubt of the growth."""
        of_growth = math.sqrt(self.covariance[-1][-1]) * math.log(2.0)
        told = f"{UNSEEN_PER_DOUBLING.source}. The growth itself is uncertain by {of_growth:.2g} for each factor of 2"
        value = math.hypot(UNSEEN_PER_DOUBLING.value, of_growth)
        return replace(UNSEEN_PER_DOUBLING, value=value, source=told)

    def expect(self, physics: Physics) -> Expected:
        """Predict a run, with an interval that widens away from the runs that were fitted."""
        found = Sheet([Observation(physics)], self.reference, self.fewest_nodes)
        x = self._coordinates()
        time_s = float(found.times_s(x)[0])
        deviation = math.sqrt(self._variance(found.slopes(x)[0], physics.nodes))
        wide = math.exp(min(interval_deviations(len(self.runs)) * deviation, WIDEST))
        return Expected(time_s, time_s / wide, time_s * wide, deviation, self.beyond(physics.nodes))

    def beyond(self, nodes: float) -> tuple[str, ...]:
        """Describe how a number of nodes exceeds the runs; empty where it does not."""
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
        """Rank runs by how much they would narrow the interval of what is asked.

        Parameters
        ----------
        candidates : sequence of (str, Physics)
        asked : Physics

        Notes
        -----
        One more observation with slopes j and noise s moves the covariance C of the coefficients to
        C - C j j' C / (s^2 + j' C j): V-optimal design, one step ahead. A run nearer to what is asked also
        shortens the extrapolation.
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
        """Return the coefficients as the fit has them: efficiencies as ln(1 / e)."""
        value = {coefficient.name: coefficient.value for coefficient in self.coefficients}
        logs = (-math.log(value[name]) for name in EFFICIENCIES)
        return np.array([*logs, *(value[name] for name in (*OVERHEADS, GROWTH))])

    def _variance(self, slope: Floats, nodes: float, fewest: float | None = None, most: float | None = None) -> float:
        """Return the variance of ln(time) of a run: of the coefficients, between runs, and beyond the runs."""
        within = (self.fewest_nodes if fewest is None else fewest, self.most_nodes if most is None else most)
        of_coefficients = float(slope @ np.array(self.covariance) @ slope)
        return of_coefficients + self.noise**2 + _beyond(nodes, *within) ** 2

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON; `from_dict` reads it."""
        return {
            **asdict(self),
            "fitted_on": self.fitted_on.isoformat(),
            "covariance": [list(row) for row in self.covariance],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Calibration":
        """Read what `to_dict` wrote."""
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
"""Of calibrations that were stored without a version."""


def middle_of(nodes: Sequence[float]) -> float:
    """Return the geometric mean of node counts [1]."""
    return math.exp(sum(map(math.log, nodes)) / len(nodes))


def _with_growth(coefficients: tuple[Coefficient, ...]) -> tuple[Coefficient, ...]:
    """Return coefficients with a growth: none in those that were stored before there was one."""
    if coefficients[-1].name == GROWTH:
        return coefficients
    return (*coefficients, Coefficient(GROWTH, COEFFICIENTS[GROWTH], 0.0, "1", 0.0, 0.0, seen=False))


def _with_room(covariance: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Return a covariance of all coefficients; of one that was not fitted nothing is uncertain."""
    missing = len(COEFFICIENTS) - len(covariance)
    padded = tuple((*row, *[0.0] * missing) for row in covariance)
    return (*padded, *((0.0,) * len(COEFFICIENTS) for _ in range(missing)))


def interval_deviations(runs: int) -> float:
    """Return how many standard deviations an interval at `LEVEL` takes: more where few runs say what a deviation is."""
    # Imported here: reading a page must not wait for what only calibrations need.
    from scipy.special import stdtrit  # type: ignore[import-untyped] # noqa: PLC0415 - no types; see above

    return float(stdtrit(float(runs), 0.5 + LEVEL / 2.0))


def _beyond(nodes: float, fewest: float, most: float) -> float:
    """Return the standard deviation of ln(time) of what no run shows [1]."""
    doublings = max(math.log2(nodes / most), math.log2(fewest / nodes), 0.0)
    return UNSEEN_PER_DOUBLING.value * doublings
