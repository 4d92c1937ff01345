"""The profile of an unknown framework, derived from known frameworks, and checked by leaving out each in turn.

`frameworks.UNKNOWN` states the figures of the profile. This module derives them from all published times of frameworks,
and compares them with the times of frameworks that are left out of the fit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stowage.model.jobs.frameworks import HADOOP_DFSIO, IDEAL, UNKNOWN
from stowage.model.uncertainty.scale import Z90
from stowage.validation.evaluations import EVALUATIONS, evaluation, spark_record
from stowage.validation.hierarchy import Width, of_another
from stowage.validation.inputs import PublishedInputs
from stowage.validation.st1 import DIRECTIONS, LAYOUTS, predicted_by

THEMIS, SPARK, HADOOP = "Themis", "Spark", "Hadoop"


@dataclass(frozen=True, slots=True)
class Piece:
    """The time of a run of a framework, with the physical bound of the same run.

    Parameters
    ----------
    framework : str
    name : str
        Name of the case in the validation.
    time_s : float
        Time of the run [s].
    bound_s : float
        Time of the run as predicted with the framework `IDEAL` [s].
    measured : bool
        Whether the time was measured. If not, it was predicted with a packaged profile, and is not used in fits.
    """

    framework: str
    name: str
    time_s: float
    bound_s: float
    measured: bool = True

    @property
    def log_ratio(self) -> float:
        """Return ln(time / bound) [1]."""
        return math.log(self.time_s / self.bound_s)


def evidence(inputs: PublishedInputs) -> tuple[Piece, ...]:
    """Return the times of 13 runs: ten published ones, and three predicted with a packaged framework profile."""
    measured = [
        *(
            Piece(THEMIS, name, inputs.actual(f"{name}-time"), evaluation(inputs, name).time_s.p50)
            for name in EVALUATIONS
        ),
        Piece(SPARK, "sort-spark", inputs.actual("sort-spark-time"), spark_record(inputs, IDEAL.name).time_s.p50),
        *(
            Piece(
                HADOOP,
                f"st1-{direction}-{volumes}",
                inputs.actual(f"st1-{direction}-{volumes}"),
                predicted_by(inputs, IDEAL, direction, volumes).time_s.p50,
            )
            for direction in DIRECTIONS
            for volumes in LAYOUTS
        ),
    ]
    derived = (
        Piece(
            HADOOP,
            f"{HADOOP_DFSIO.name}: {name}",
            evaluation(inputs, name, framework=HADOOP_DFSIO.name).time_s.p50,
            evaluation(inputs, name).time_s.p50,
            measured=False,
        )
        for name in EVALUATIONS
    )
    return (*measured, *derived)


def fit(pieces: Sequence[Piece]) -> Width:
    """Return the range of ln(time / bound) for a run of an unseen framework, from measured times of other frameworks.

    Parameters
    ----------
    pieces : sequence of Piece
        Times of at least two frameworks, with at least two times of one framework; only measured times count.
    """
    groups: dict[str, list[float]] = {}
    for piece in pieces:
        if piece.measured:
            groups.setdefault(piece.framework, []).append(piece.log_ratio)
    return of_another(list(groups.values()))


def left_out(pieces: Sequence[Piece], framework: str) -> Width:
    """Return the range of ln(time / bound) for a framework, predicted from all other frameworks."""
    return fit([piece for piece in pieces if piece.framework != framework])


def spread(pieces: Sequence[Piece]) -> float:
    """Return the difference of ln(time / bound) between the slowest and the fastest of ``pieces`` [1]."""
    ratios = [piece.log_ratio for piece in pieces]
    return max(ratios) - min(ratios)


def unknown_range() -> tuple[float, float]:
    """Return p10 and p90 of ln(time / bound) according to the profile `frameworks.UNKNOWN` [1]."""
    if UNKNOWN.efficiency is None or UNKNOWN.faster is None:
        raise TypeError("the framework of which nothing is known has an efficiency and two sides")
    median = -math.log(UNKNOWN.efficiency.value)
    return median - Z90 * UNKNOWN.faster.value, median + Z90 * UNKNOWN.error.value


def needed_error(pieces: Sequence[Piece]) -> float:
    """Return the deviation above the median with which p90 of `frameworks.UNKNOWN` equals the slowest time [1]."""
    if UNKNOWN.efficiency is None:
        raise TypeError("the framework of which nothing is known has an efficiency")
    return (max(piece.log_ratio for piece in pieces) + math.log(UNKNOWN.efficiency.value)) / Z90
