"""Comparison of predicted and measured phases of a finished job."""

from collections.abc import Mapping, Sequence
from typing import Final

from stowage.frozen import frozen
from stowage.measure.logs.logged_jobs import PHASES
from stowage.model.complete import Checked
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


@frozen
class ComparedPhase(Checked):
    """One phase of a finished job, with its predicted and its measured time."""

    name: str
    """Name of the phase in the measurement."""
    predicted_s: float
    """Predicted time [s]."""
    measured_s: float
    """Measured time [s]."""

    @property
    def agrees(self) -> bool:
        """Return whether the measured time is close to the predicted time."""
        return abs(self.measured_s - self.predicted_s) <= AGREES * self.predicted_s


def compared(phases: Sequence[PhaseTime], phases_s: Sequence[tuple[str, float]]) -> tuple[ComparedPhase, ...]:
    """Pair the measured phases of a job with their predicted times.

    Measured phases without a prediction are left out.

    Parameters
    ----------
    phases : sequence of PhaseTime
        Predicted phases, with a single time each.
    phases_s : sequence of (str, float)
        Name and time of each measured phase [s].
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
    """Group the model's phases by the measured phase that contains them.

    Parameters
    ----------
    phases : sequence of str
        Names of the phases in the model.
    phases_s : sequence of (str, float)
        Name and time of each measured phase [s].

    Returns
    -------
    tuple of (tuple of str, float)
        Names of the model's phases in each group, and the measured time of the group [s]. Empty if one of the model's
        phases was not measured.

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
    """Return the measurement's name for each phase of the model."""
    by_engine = phases_s and not {name for name, _ in phases_s} <= set(phases)
    names: Mapping[str, str] = _OF_ENGINE if by_engine else {}
    return [names.get(name, name) for name in phases]


def furthest_off(phases: Sequence[ComparedPhase]) -> ComparedPhase | None:
    """Return the phase whose measured time differs most from the predicted time.

    The difference is taken in seconds. The result is None if all phases agree with their predictions.

    Examples
    --------
    >>> furthest_off([ComparedPhase("map", 10.0, 30.0), ComparedPhase("reduce", 100.0, 150.0)]).name
    'reduce'
    >>> furthest_off([ComparedPhase("map", 10.0, 10.5)]) is None
    True
    """
    off = [phase for phase in phases if not phase.agrees]
    return max(off, key=lambda phase: abs(phase.measured_s - phase.predicted_s), default=None)
