"""Comparison of our model with Ernest's in predicting laboratory runs.

Both models are fitted to runs on few nodes, and predict the runs on more nodes. Ernest is a statistical model
(`ernest`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench import ernest
from bench.laboratory.engines import FITTED_NODES, Fitted, fitted, fitting
from bench.laboratory.recorded import Run
from stowage.model.jobs.framework import UNSEEN_PER_DOUBLING
from stowage.model.uncertainty.scale import Z90

LEVEL = 0.8
"""Share of runs that a range should contain [1]."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One run with its predictions by our model and by Ernest's.

    The run is on more nodes than the runs to which the models are fitted.
    """

    run: Run
    predicted_s: float
    """Median time, as predicted by our model [s]."""
    deviation: float
    """Standard deviation of ln(time), as predicted by our model [1]."""
    ernest_s: float
    """Median time, as predicted by Ernest's model [s]."""
    ernest_deviation: float
    """Standard deviation of ln(time), as predicted by Ernest's model [1]."""
    payload_mb: float
    """Predicted data between nodes, as the framework counts it [MB]."""
    sent_mb: float
    """Predicted data between nodes, as the network switch counts it [MB]."""
    cpu_s: float
    """Predicted CPU time of all programs on the nodes [s]."""
    task_cpu_s: float | None
    """Predicted CPU time of tasks alone [s]; None if the framework does not count the CPU time of tasks."""

    @property
    def error(self) -> float:
        """Return the relative error of the time that our model predicts [1]."""
        return self.predicted_s / self.run.time_s - 1.0

    @property
    def ernest_error(self) -> float:
        """Return the relative error of the time that Ernest's model predicts [1]."""
        return self.ernest_s / self.run.time_s - 1.0

    @property
    def holds(self) -> bool:
        """Return whether the range that our model predicts contains the measured time.

        A range should contain the share `LEVEL` of all measured times.
        """
        return abs(math.log(self.predicted_s / self.run.time_s)) <= Z90 * self.deviation

    @property
    def score(self) -> float:
        """Return the interval score of our model's prediction of ln(time) [1].

        A lower score is better.
        """
        return _score(self.predicted_s, self.deviation, self.run.time_s)

    @property
    def ernest_score(self) -> float:
        """Return the interval score of Ernest's prediction of ln(time) [1].

        A lower score is better.
        """
        return _score(self.ernest_s, self.ernest_deviation, self.run.time_s)


def _score(predicted_s: float, deviation: float, measured_s: float) -> float:
    """Return the interval score of a prediction of ln(time) [1].

    It is the score of Gneiting and Raftery (2007, eq. 43), for ranges that should contain the share `LEVEL` of all
    times.
    """
    off, half = abs(math.log(measured_s / predicted_s)), Z90 * deviation
    return 2.0 * half + 2.0 / (1.0 - LEVEL) * max(0.0, off - half)


def compare(
    runs: Sequence[Run], name: str, *, limited: bool = False, own: Fitted | None = None
) -> tuple[Compared, ...]:
    """Compare our model with Ernest's in predicting runs on many nodes.

    Both models are fitted to the runs on at most `FITTED_NODES` nodes. The result has the runs on more nodes.

    Parameters
    ----------
    runs : sequence of Run
        Runs of one framework and version. Runs without a shuffle are ignored.
    name : str
        Name of the framework, as in the file name of its table.
    limited : bool
        Whether to predict only the runs that were limited by the machine's CPUs, or only the runs that were not. Fits
        never use runs that were limited.
    own : Fitted, optional
        Our model as fitted to these runs, if the caller has it.
    """
    few = fitting(runs)
    own, form = own or fitted(few, name), Ernest(few)
    of_own = _deviation([math.log(own.time_s(run) / run.time_s) for run in few], own.by_times)
    of_ernest = _deviation([math.log(form.time_s(run) / run.time_s) for run in few], 2)
    many = [run for run in runs if run.nodes > FITTED_NODES and run.shuffles and run.counts is not limited]
    return tuple(_compared(run, own, of_own, form, of_ernest) for run in many)


def _compared(run: Run, own: Fitted, of_own: float, form: "Ernest", of_ernest: float) -> Compared:
    unseen = UNSEEN_PER_DOUBLING.value * math.log2(run.nodes / FITTED_NODES)
    return Compared(
        run,
        own.time_s(run),
        math.hypot(of_own, unseen),
        form.time_s(run),
        math.hypot(of_ernest, unseen),
        own.payload_mb(run),
        own.sent_mb(run),
        own.cpu_s(run),
        own.task_cpu_s(run),
    )


def _deviation(errors: Sequence[float], taken: int) -> float:
    """Return the standard deviation of the errors of a fit [1].

    ``taken`` is the number of degrees of freedom that the fit used.
    """
    return math.sqrt(sum(error * error for error in errors) / max(1, len(errors) - taken))


class Ernest:
    """Ernest's model (`ernest`), fitted separately to each kind of job."""

    def __init__(self, runs: Sequence[Run]) -> None:
        kinds: dict[tuple[str, ...], list[Run]] = {}
        for run in runs:
            kinds.setdefault(_kind(run), []).append(run)
        self._coefficients = {
            kind: ernest.fit([(run.data_mb, run.nodes) for run in of_kind], [run.time_s for run in of_kind])
            for kind, of_kind in kinds.items()
        }

    def time_s(self, run: Run) -> float:
        """Return the predicted time of a run [s]."""
        return ernest.time_s(self._coefficients[_kind(run)], run.data_mb, run.nodes)


def _kind(run: Run) -> tuple[str, ...]:
    return tuple(run.told[column] for column in ("job", "compression", "skew", "output_share", "replication"))
