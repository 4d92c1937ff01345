"""Physics of runs: how the time of a run depends on the efficiencies of its framework.

The physics of a run are the times of its resources that the model predicts for a framework without losses. They are
computed once for each run. The efficiencies are then fitted so that the time T of a run with n nodes, below, is near
the measured time.

    T = (n / n0)^h sum over phases of max over resources r of (f_r + sum over c of s_rc / e_c) + a + b ln n + g n.

- f_r is the time of resource r that does not depend on an efficiency.
- s_rc is its time at an efficiency of 1, and e_c the framework's efficiency, for each kind c of resource.
- h is the growth of the busiest node's work with the number of nodes.
- n0 is the geometric mean of the runs' node counts. It separates the efficiencies from the growth.
- a is the fixed start-up time.
- b is the overhead of messages in a tree of nodes.
- g is the overhead of a master that hands out work items one by one.

The busiest node also spends burst credits faster. The fit ignores that: f_r is assumed to grow like the other times.

**Source**: a, b and g are terms of Ernest (Venkataraman et al., Efficient performance prediction for large-scale
advanced analytics, NSDI 2016, section 3.2), with the model in place of Ernest's data / nodes. h: decision 0064.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.frozen import frozen
from stowage.model.figure import given
from stowage.model.forecast import PhaseTime
from stowage.model.jobs.framework import Framework
from stowage.model.jobs.frameworks import IDEAL

Floats = NDArray[np.float64]

PHYSICS = "2"
"""Version of this physics; calibrations of other versions are refitted. 2: growth with the nodes, separate phases."""

EFFICIENCIES: Mapping[str, str] = {
    "network_efficiency": "Part of the network's bandwidth that is reached",
    "read_efficiency": "Part of the disks' or volumes' read throughput that is reached",
    "write_efficiency": "Part of the disks' or volumes' write throughput that is reached",
    "link_efficiency": "Part of the link to EBS that is reached",
    "object_store_efficiency": "Part of the object store's throughput that is reached",
    "cpu_efficiency": "Part of what the CPUs are taken to process that is reached",
}
OVERHEADS: Mapping[str, str] = {
    "start_up_s": "Fixed start-up and end",
    "log_nodes_s": "More for each factor e of nodes",
    "per_node_s": "More for each node",
}
GROWTH = "growth"
COEFFICIENTS: Mapping[str, str] = {
    **EFFICIENCIES,
    **OVERHEADS,
    GROWTH: "Power of the node count by which the work of the busiest node grows",
}
_LEVELS, _OVERHEADS = slice(0, len(EFFICIENCIES)), slice(len(EFFICIENCIES), len(EFFICIENCIES) + len(OVERHEADS))


@frozen
class Part:
    """Times that one resource needs in one phase of a run.

    The time of the resource is split by the efficiencies that it depends on.
    """

    resource: str
    fixed_s: float
    """Time that does not depend on an efficiency, such as the refill of a burst bucket [s]."""
    slowed_s: tuple[float, ...]
    """One time for each of `EFFICIENCIES`, valid for an efficiency of 1 [s]. It is divided by the actual efficiency."""


@frozen
class Physics:
    """Times of one run as the model predicts them for a framework without losses."""

    nodes: float
    phases: tuple[tuple[str, tuple[Part, ...]], ...]
    """Name of each phase, and the times of each resource in it."""

    @property
    def bound_s(self) -> float:
        """Return the lower bound of the run's time [s].

        It is the time with a framework without losses.
        """
        return sum(max((part.fixed_s + sum(part.slowed_s) for part in parts), default=0.0) for _, parts in self.phases)


def physics_of(nodes: float, timed: Callable[[Framework], Sequence[PhaseTime]], like: Framework = IDEAL) -> Physics:
    """Split the predicted times of a run by the framework's efficiencies.

    The time of each resource in each phase becomes a fixed time, and one time for each efficiency that it depends on.

    Parameters
    ----------
    nodes : float
    timed : callable
        Function that returns the model's phases for a framework. It is called once for a framework without losses,
        and once for each efficiency, with only that efficiency halved.
    like : Framework
        Framework whose engine and streams are used, since the fit does not determine these.
    """
    bound = replace(IDEAL, engine=like.engine, streams=like.streams)
    whole = timed(bound)
    stretched = {name: timed(_with_half(bound, name)) for name in EFFICIENCIES}
    phases = []
    for index, phase in enumerate(whole):
        parts = []
        for at, (resource, alone_s) in enumerate(phase.resource_times_s):
            slower = (float(of[index].resource_times_s[at][1]) - float(alone_s) for of in stretched.values())
            slowed = tuple(max(0.0, more_s) for more_s in slower)
            parts.append(Part(resource, max(0.0, float(alone_s) - sum(slowed)), slowed))
        phases.append((phase.name, tuple(parts)))
    return Physics(nodes, tuple(phases))


def _with_half(bound: Framework, efficiency: str) -> Framework:
    half: dict[str, Any] = {efficiency: given(efficiency, 0.5, "1")}
    return replace(bound, **half)


@frozen
class Run:
    """One finished job, with its measured time and its predicted physics."""

    name: str
    measured_s: float
    """Measured time of the job [s], above 0."""
    physics: Physics
    """Times of the job as the model predicts them."""
    phases_s: tuple[tuple[tuple[str, ...], float], ...] = ()
    """Groups of the model's phases, and the measured time of each group [s], above 0. Each phase is in one group. Empty
    if these times are unknown."""

    @property
    def observations(self) -> "tuple[Observation, ...]":
        """Return the observed times to which the job is fitted.

        If the times of groups of phases are known, there is one observation per group, and one for the total time
        including overheads. Otherwise there is a single observation, of the total time. The total time alone is also
        used if the groups add up to more than the total, since then they overlap.
        """
        known_s = sum(time_s for _, time_s in self.phases_s)
        if not self.phases_s or known_s > _OVERLAP * self.measured_s:
            return (Observation(self.physics, self.measured_s),)
        measured = Part("measured", known_s, (0.0,) * len(EFFICIENCIES))
        rest = Physics(self.physics.nodes, (("measured phases", (measured,)),))
        phases = dict(self.physics.phases)
        return (
            *(
                Observation(
                    Physics(self.physics.nodes, tuple((name, phases[name]) for name in names)), time_s, overheads=False
                )
                for names, time_s in self.phases_s
            ),
            Observation(rest, self.measured_s, grows=False),
        )


_OVERLAP = 1.02
"""If phases add up to more than this multiple of a run's time, they overlap; a clock may be off by a second [1]."""


@frozen
class Observation:
    """One measured time, of a whole job or of some of its phases."""

    physics: Physics
    """Predicted times of the work that was measured."""
    time_s: float = 1.0
    """Measured time [s], above 0."""
    overheads: bool = True
    """Whether the time includes the framework's overheads."""
    grows: bool = True
    """Whether the times of the phases grow with the number of nodes. False if these times are measured ones."""


class Sheet:
    """Observations as arrays, to compute the modeled time of all of them at once.

    The arrays are padded to the largest numbers of phases and resources.

    Parameters
    ----------
    observations : sequence of Observation
    reference : float
        Node count to which the efficiencies refer, at least 1.
    fewest : float
        Node count up to which the busiest node's work does not grow (`Framework.grown`), at least 1.
    """

    def __init__(self, observations: Sequence[Observation], reference: float, fewest: float = 1.0) -> None:
        every = [each.physics for each in observations]
        phases = max((len(run.phases) for run in every), default=0)
        parts = max((len(each) for run in every for _, each in run.phases), default=0)
        self.logs = np.log([each.time_s for each in observations])
        self.fixed = np.zeros((len(every), phases, max(1, parts)))
        self.slowed = np.zeros((len(every), phases, max(1, parts), len(EFFICIENCIES)))
        for i, run in enumerate(every):
            for j, (_, each) in enumerate(run.phases):
                for k, part in enumerate(each):
                    self.fixed[i, j, k] = part.fixed_s
                    self.slowed[i, j, k] = part.slowed_s
        nodes = np.array([run.nodes for run in every])
        counted = np.array([each.overheads for each in observations])
        grows = np.array([each.grows for each in observations])
        self.overheads = np.stack([np.ones(nodes.size), np.log(nodes), nodes], axis=1) * counted[:, None]
        self.log_nodes = np.log(np.maximum(nodes, fewest) / reference) * grows

    def times_s(self, x: Floats) -> Floats:
        """Return the modeled time of each observation at the coordinates ``x`` [s]."""
        return np.asarray(self._work_s(x) + self.overheads @ x[_OVERHEADS])

    def slopes(self, x: Floats) -> Floats:
        """Return the derivatives of ln(time) with respect to the coordinates.

        The result has the shape (observations, coordinates).
        """
        parts_s = self._parts_s(x)
        ruling = parts_s.argmax(axis=2)[:, :, None, None]
        of_ruling = np.take_along_axis(self.slowed, ruling, axis=2)[:, :, 0, :]
        stretched = of_ruling.sum(axis=1) * np.exp(x[_LEVELS]) * self._grown(x)[:, None]
        work_s = self._work_s(x)
        time_s = work_s + self.overheads @ x[_OVERHEADS]
        of_growth = (work_s * self.log_nodes)[:, None]
        return np.asarray(np.concatenate([stretched, self.overheads, of_growth], axis=1) / time_s[:, None])

    def errors(self, x: Floats) -> Floats:
        """Return ln(observed time / modeled time) of each observation."""
        return np.asarray(self.logs - np.log(self.times_s(x)))

    def _work_s(self, x: Floats) -> Floats:
        return np.asarray(self._parts_s(x).max(axis=2).sum(axis=1) * self._grown(x))

    def _grown(self, x: Floats) -> Floats:
        return np.asarray(np.exp(x[-1] * self.log_nodes))

    def _parts_s(self, x: Floats) -> Floats:
        return self.fixed + self.slowed @ np.exp(x[_LEVELS])
