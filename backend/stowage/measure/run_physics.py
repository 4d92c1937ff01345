"""The physics of runs, taken apart: what of each resource's time an efficiency stretches.

The time of a run is taken as

    T = sum over phases of max over resources r of (f_r + sum over c of s_rc / e_c) + a + b ln n + g n,

with the efficiencies e_c that a framework reaches of each kind of resource, a fixed start-up a and what it loses with
more nodes: a tree of messages (b), a master that hands out work one by one (g).

**Source**: the form of the growth is Ernest's (Venkataraman et al., Efficient performance prediction for large-scale
advanced analytics, NSDI 2016, section 3.2); where Ernest has data / nodes stands the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stowage.model.figure import given
from stowage.model.forecast import PhaseTime
from stowage.model.framework import Framework
from stowage.model.frameworks import IDEAL

Floats = NDArray[np.float64]

EFFICIENCIES: Mapping[str, str] = {
    "network_efficiency": "Part of the network's bandwidth that is reached",
    "read_efficiency": "Part of the disks' or volumes' read throughput that is reached",
    "write_efficiency": "Part of the disks' or volumes' write throughput that is reached",
    "link_efficiency": "Part of the link to EBS that is reached",
    "object_store_efficiency": "Part of the object store's throughput that is reached",
    "cpu_efficiency": "Part of what the CPUs are taken to process that is reached",
}
GROWTH: Mapping[str, str] = {
    "start_up_s": "Fixed start-up and end",
    "log_nodes_s": "More for each factor e of nodes",
    "per_node_s": "More for each node",
}
COEFFICIENTS: Mapping[str, str] = {**EFFICIENCIES, **GROWTH}


@dataclass(frozen=True, slots=True)
class Part:
    """One resource in one phase of a run.

    Parameters
    ----------
    resource : str
    fixed_s : float
        What no efficiency stretches: where a burst bucket's refill rules [s].
    slowed_s : tuple of float
        What each of `EFFICIENCIES` stretches, at an efficiency of 1 [s].
    """

    resource: str
    fixed_s: float
    slowed_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Physics:
    """What the model says of a run before any framework.

    Parameters
    ----------
    nodes : float
    phases : tuple of (str, tuple of Part)
    """

    nodes: float
    phases: tuple[tuple[str, tuple[Part, ...]], ...]

    @property
    def bound_s(self) -> float:
        """How long it takes at least [s]."""
        return sum(max((part.fixed_s + sum(part.slowed_s) for part in parts), default=0.0) for _, parts in self.phases)


def physics_of(nodes: float, timed: Callable[[Framework], Sequence[PhaseTime]], like: Framework = IDEAL) -> Physics:
    """Take the physics of a run apart: how much of each resource's time each efficiency stretches.

    Parameters
    ----------
    nodes : float
    timed : callable
        Framework -> the model's phases. It is asked for the bound, and for half of each efficiency.
    like : Framework
        Whose spills and streams the framework has: they are not fitted.
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


@dataclass(frozen=True, slots=True)
class Run:
    """A finished job with its physics.

    Parameters
    ----------
    name : str
    measured_s : float
        [s], above 0.
    physics : Physics
    """

    name: str
    measured_s: float
    physics: Physics


class Sheet:
    """Runs as arrays: phases and resources padded to the most that any has.

    Parameters
    ----------
    runs : sequence of Physics
    """

    def __init__(self, runs: Sequence[Physics]) -> None:
        phases = max((len(run.phases) for run in runs), default=0)
        parts = max((len(each) for run in runs for _, each in run.phases), default=0)
        self.fixed = np.zeros((len(runs), phases, max(1, parts)))
        self.slowed = np.zeros((len(runs), phases, max(1, parts), len(EFFICIENCIES)))
        for i, run in enumerate(runs):
            for j, (_, each) in enumerate(run.phases):
                for k, part in enumerate(each):
                    self.fixed[i, j, k] = part.fixed_s
                    self.slowed[i, j, k] = part.slowed_s
        nodes = np.array([run.nodes for run in runs])
        self.growth = np.stack([np.ones(nodes.size), np.log(nodes), nodes], axis=1)

    def times_s(self, x: Floats) -> Floats:
        """Give the time of each run [s], shape (runs,)."""
        return np.asarray(self._parts_s(x).max(axis=2).sum(axis=1) + self.growth @ x[len(EFFICIENCIES) :])

    def slopes(self, x: Floats) -> Floats:
        """Give what ln(time) changes by with each coordinate, shape (runs, coordinates)."""
        parts_s = self._parts_s(x)
        ruling = parts_s.argmax(axis=2)[:, :, None, None]
        of_ruling = np.take_along_axis(self.slowed, ruling, axis=2)[:, :, 0, :]
        stretched = of_ruling.sum(axis=1) * np.exp(x[: len(EFFICIENCIES)])
        time_s = parts_s.max(axis=2).sum(axis=1) + self.growth @ x[len(EFFICIENCIES) :]
        return np.asarray(np.concatenate([stretched, self.growth], axis=1) / time_s[:, None])

    def without(self, index: int) -> "Sheet":
        """Leave a run out."""
        rest = object.__new__(Sheet)
        rest.fixed, rest.slowed = np.delete(self.fixed, index, 0), np.delete(self.slowed, index, 0)
        rest.growth = np.delete(self.growth, index, 0)
        return rest

    def _parts_s(self, x: Floats) -> Floats:
        return self.fixed + self.slowed @ np.exp(x[: len(EFFICIENCIES)])
