"""Comparison of predicted and measured phases of a finished job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stowage.measure.logs.logged_jobs import PHASES
from stowage.model.forecast import PhaseTime

AGREES: Final = 0.1
"""Largest relative difference between a phase and its prediction that counts as agreement [1]."""
_MAP, _REDUCE = PHASES["mapreduce"]
_OF_ENGINE: Final = {
    "map": _MAP,
    "fetch": _REDUCE,
    "fetch, sort and reduce": _REDUCE,
}
"""Phases of an engine that fetches after the map phase, with the log's phases that contain them."""


@dataclass(frozen=True, slots=True)
class ComparedPhase:
    """A phase as predicted and as measured.

    Parameters
    ----------
    name : str
        Name in the measurement.
    predicted_s, measured_s : float
        [s]
    """

    name: str
    predicted_s: float
    measured_s: float

    @property
    def agrees(self) -> bool:
        """Return whether the measured time is close to the predicted time."""
        return abs(self.measured_s - self.predicted_s) <= AGREES * self.predicted_s


def compared(phases: Sequence[PhaseTime], phases_s: Sequence[tuple[str, float]]) -> tuple[ComparedPhase, ...]:
    """Pair each measured phase with its predicted time; omit measured phases without a prediction.

    Parameters
    ----------
    phases : sequence of PhaseTime
        Predicted phases, with a single time each.
    phases_s : sequence of (str, float)
        Measured phases [s].
    """
    names = _names([phase.name for phase in phases], phases_s)
    predicted_s: dict[str, float] = {}
    for phase, name in zip(phases, names, strict=True):
        predicted_s[name] = predicted_s.get(name, 0.0) + float(phase.time_s)
    return tuple(
        ComparedPhase(name, predicted_s[name], measured_s) for name, measured_s in phases_s if name in predicted_s
    )


def told_apart(
    phases: Sequence[str], phases_s: Sequence[tuple[str, float]]
) -> tuple[tuple[tuple[str, ...], float], ...]:
    """Group the model's phases by measured phase, with each measured time; empty if a phase was not measured.

    Parameters
    ----------
    phases : sequence of str
        Names in the model.
    phases_s : sequence of (str, float)
        Measured phases [s].

    Examples
    --------
    >>> told_apart(["map and shuffle", "sort and reduce"], [("map and shuffle", 60.0), ("sort and reduce", 30.0)])
    ((('map and shuffle',), 60.0), (('sort and reduce',), 30.0))
    >>> told_apart(["map and shuffle", "sort and reduce"], [("stage 0", 60.0)])
    ()
    """
    names, measured_s = _names(phases, phases_s), dict(phases_s)
    if not set(names) <= measured_s.keys():
        return ()
    return tuple(
        (tuple(phase for phase, own in zip(phases, names, strict=True) if own == name), measured_s[name])
        for name in dict.fromkeys(names)
    )


def _names(phases: Sequence[str], phases_s: Sequence[tuple[str, float]]) -> list[str]:
    """Return the names that the measurement uses for the phases of the model, in the same order."""
    by_engine = phases_s and not {name for name, _ in phases_s} <= set(phases)
    names: Mapping[str, str] = _OF_ENGINE if by_engine else {}
    return [names.get(name, name) for name in phases]


def furthest_off(phases: Sequence[ComparedPhase]) -> ComparedPhase | None:
    """Return the phase with the largest difference in seconds; None if all agree.

    Examples
    --------
    >>> furthest_off([ComparedPhase("map", 10.0, 30.0), ComparedPhase("reduce", 100.0, 150.0)]).name
    'reduce'
    >>> furthest_off([ComparedPhase("map", 10.0, 10.5)]) is None
    True
    """
    off = [phase for phase in phases if not phase.agrees]
    return max(off, key=lambda phase: abs(phase.measured_s - phase.predicted_s), default=None)
