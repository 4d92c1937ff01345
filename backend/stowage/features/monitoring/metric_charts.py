"""Charts of the CloudWatch metrics of a volume or of a benchmark run.

They also show the burst-credit balance that the model expects for the measured traffic. The time span of a chart is
divided into steps of equal length.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.schemas import ExpectedBalanceAnswer, MetricsAnswer, MetricSeriesAnswer
from stowage.features.monitoring.store import chart_data, metrics
from stowage.features.monitoring.store.chart_data import Resolution
from stowage.features.monitoring.store.metrics import StoredSeries
from stowage.features.monitoring.store.watches import StoredWatch
from stowage.features.monitoring.watched_metrics import Watched
from stowage.frozen import frozen
from stowage.model.hardware.volume import Volume, check
from stowage.model.hardware.volume_limits import ProvisionedIops, volume_limits
from stowage.model.infeasible import Infeasible
from stowage.optimizer.volume_balance import expected_balance, has_bucket
from stowage.platform.database.database import Connection
from stowage.runs.run import Run
from stowage.runs.spec import Volumes

_BUSY = ("read_mb_per_s", "write_mb_per_s", "read_iops", "write_iops")
_OF_A_BUCKET = frozenset(
    each.metric for each in watched_metrics.ALL.values() if each.name in {*_BUSY, watched_metrics.BURST_BALANCE.name}
)


def volume_chart(
    connection: Connection, watch: StoredWatch, since: datetime, until: datetime, *, most: int, now: datetime
) -> MetricsAnswer:
    """Return the chart of a monitored volume and of the instance that it is attached to.

    Parameters
    ----------
    most : int
        Maximum number of steps.
    """
    drawn = chart_data.resolution(since, until, most=max(most - 1, 1), now=now)
    drawing = _Drawing(connection, watch.account_id, [watch.volume_id, *_instance_of(watch)], since, until, drawn)
    volume = None if watch.description is None else _volume(watch.description)
    expected = None
    if volume is not None and has_bucket(volume):
        # A credit bucket fills or empties within minutes, so the model uses the finest stored resolution.
        fine = chart_data.finest(drawing.start, now)
        means = _means(connection, drawing, watch.volume_id, fine)
        expected = _expected(volume, means, fine.step_s, together=drawn.step_s // fine.step_s)
    return drawing.answer(watch.id, drawing.each(), expected)


def run_chart(connection: Connection, run: Run, account_id: UUID, *, most: int, now: datetime) -> MetricsAnswer:
    """Return the chart of a run from its launch to its end.

    Each metric is combined over all volumes or all nodes of the run.
    """
    since = run.launched_at or run.created_at
    until = max(run.finished_at or now, since + timedelta(minutes=1))
    things = [each.id for each in run.resources if each.kind in {"instance", "volume"}]
    drawn = chart_data.resolution(since, until, most=max(most - 1, 1), now=now)
    drawing = _Drawing(connection, account_id, things, since, until, drawn)
    # Boot disks have metrics too; the model covers only volumes with burst credit.
    bursting = {each.resource for each in drawing.series if each.metric == watched_metrics.BURST_BALANCE.metric}
    means = {each.wanted.name: each.steps[0] for each in drawing.together(bursting)}
    expected = _expected_of_run(run, means, drawn.step_s, len(bursting))
    return drawing.answer(run.id, drawing.together(), expected)


_Steps = NDArray[np.float64]
"""Mean, minimum and maximum (rows) of each step (columns), in the unit of the metric; NaN without data."""


@frozen
class _Curve:
    """A metric over time, of one resource or combined."""

    of: str
    """Id of the resource, or a description of those combined."""
    wanted: Watched
    steps: _Steps


class _Drawing:
    """A chart of the metrics of one or more resources (volumes and instances)."""

    def __init__(
        self,
        connection: Connection,
        account_id: UUID,
        resources: Sequence[str],
        since: datetime,
        until: datetime,
        drawn: Resolution,
    ) -> None:
        self.series = metrics.find_series(connection, resources, account_id)
        self.drawn = drawn
        self.start = chart_data.begins(since, drawn.step_s)
        self.end = until
        self.steps = -(-(until - self.start) // timedelta(seconds=drawn.step_s))
        ids = [each.id for each in self.series]
        self._found = chart_data.read(connection, ids, self.start, until, drawn) if ids else {}

    def each(self) -> list[_Curve]:
        """Return one curve for each metric and resource."""
        return [
            _Curve(each.resource, wanted, self._steps_of(each, wanted))
            for wanted in watched_metrics.ALL.values()
            for each in self.series
            if (each.namespace, each.metric) == (wanted.namespace, wanted.metric)
        ]

    def together(self, of: Collection[str] | None = None) -> list[_Curve]:
        """Return one curve for each metric, combined over all resources.

        With `of`, only these resources are combined.
        """
        curves = []
        for wanted in watched_metrics.ALL.values():
            parts = [
                each
                for each in self.series
                if (each.namespace, each.metric) == (wanted.namespace, wanted.metric)
                and (of is None or each.resource in of)
            ]
            if parts:
                together = "sum of" if wanted.together == "sum" else "lowest of"
                things = "volumes" if wanted.dimension == "VolumeId" else "nodes"
                name = parts[0].resource if len(parts) == 1 else f"{together} {len(parts)} {things}"
                steps = _of_all(np.array([self._steps_of(each, wanted) for each in parts]), wanted)
                curves.append(_Curve(name, wanted, steps))
        return curves

    def _steps_of(self, series: StoredSeries, wanted: Watched) -> _Steps:
        """Convert a series to the mean, minimum and maximum of each step.

        A point whose period is longer than a step is used for all steps in its period.
        """
        found = self._found.get(series.id)
        if found is None:
            return np.full((3, self.steps), np.nan)
        factor = factor_of(wanted, series.period_s)
        steps = np.array([found.total / found.points * factor, found.smallest * factor, found.largest * factor])
        known = steps.copy()
        for after in range(1, max(1, series.period_s // self.drawn.step_s)):
            held = known[:, :-after]
            steps[:, after:] = np.where(np.isnan(steps[:, after:]), held, steps[:, after:])
        return steps

    def answer(self, asked: UUID, curves: Sequence[_Curve], expected: ExpectedBalanceAnswer | None) -> MetricsAnswer:
        return MetricsAnswer(
            id=asked,
            start=self.start,
            end=self.end,
            step_s=self.drawn.step_s,
            kept=self.drawn.kept,
            steps=self.steps,
            series=[_answer(each) for each in curves],
            expected=expected,
        )


def factor_of(wanted: Watched, period_s: int) -> float:
    """Return the factor from CloudWatch's points to the unit of the metric `wanted`.

    Sums over a period are converted to rates.
    """
    return wanted.factor / period_s if wanted.is_rate else wanted.factor


def _answer(curve: _Curve) -> MetricSeriesAnswer:
    mean, smallest, largest = map(_values, curve.steps)
    return MetricSeriesAnswer.from_fields(curve.wanted, of=curve.of, mean=mean, smallest=smallest, largest=largest)


def _values(steps: NDArray[np.float64]) -> list[float | None]:
    """Convert the values of steps to those of an answer: None instead of NaN."""
    return [None if value != value else value for value in steps.tolist()]  # noqa: PLR0124 - a third of math.isnan


def _of_all(parts: NDArray[np.float64], wanted: Watched) -> _Steps:
    """Combine the steps of a metric of several resources (first axis).

    The value of a step is the sum or the lowest value of all resources, depending on the metric. The sum is NaN if any
    resource has no value for the step. The lowest value ignores missing values.
    """
    if wanted.together == "sum":
        return np.array(parts.sum(axis=0))
    return np.array([*np.fmin.reduce(parts[:, :2]), np.fmax.reduce(parts[:, 2])])


def _means(
    connection: Connection, drawing: _Drawing, volume_id: str, fine: Resolution
) -> Mapping[str, NDArray[np.float64]]:
    """Load the traffic and the burst balance of the volume of a chart: the mean of each period of `fine`, by name."""
    series = {
        each.id: (watched_metrics.ALL[each.namespace, each.metric], each.period_s)
        for each in drawing.series
        if each.resource == volume_id and each.metric in _OF_A_BUCKET
    }
    found = chart_data.read_means(connection, list(series), drawing.start, drawing.end, fine.kept) if series else {}
    unknown = np.full(-(-(drawing.end - drawing.start) // timedelta(seconds=fine.step_s)), np.nan)
    return {
        wanted.name: found.get(each, unknown) * factor_of(wanted, period_s)
        for each, (wanted, period_s) in series.items()
    }


def _expected(
    volume: Volume | None,
    means: Mapping[str, NDArray[np.float64]],
    step_s: int,
    *,
    volumes: int = 1,
    together: int = 1,
) -> ExpectedBalanceAnswer | None:
    """Compute the burst-credit balance that the model expects for the measured traffic of a volume.

    Return None if the volume has no burst credits, or its traffic was not measured.

    Parameters
    ----------
    means : mapping of str to array
        Measured traffic and burst balance: the mean of each step by name, NaN without data.
    volumes : int
        Number of equal volumes over which the traffic is summed.
    together : int
        Number of consecutive steps that are one step of the answer: their mean, without unknown ones.
    """
    if volume is None or not has_bucket(volume) or not all(name in means for name in _BUSY):
        return None
    read, written, reads, writes = (means[name] for name in _BUSY)
    measured = means.get(watched_metrics.BURST_BALANCE.name, np.full(len(read), np.nan))
    moved_mb, ios = (read + written) * step_s / volumes, (reads + writes) * step_s / volumes
    balance = expected_balance(volume, float(step_s), moved_mb, ios, measured)
    apart = np.abs(balance - measured)
    return ExpectedBalanceAnswer(
        balance=_values(_thinned(balance, together)),
        furthest=None if np.isnan(apart).all() else float(np.nanmax(apart)),
        words=_words_of_balance(volume, measured),
    )


def _thinned(balance: NDArray[np.float64], together: int) -> NDArray[np.float64]:
    """Merge each `together` consecutive steps into one, the mean of the known values; NaN if none is known."""
    filled = np.full(-(-len(balance) // together) * together, np.nan)
    filled[: len(balance)] = balance
    # Summed in the order of time.
    steps = np.ascontiguousarray(filled.reshape(-1, together).T)
    known = (~np.isnan(steps)).sum(axis=0)
    return np.array(np.where(known > 0, np.nan_to_num(steps).sum(axis=0), np.nan) / np.maximum(known, 1))


def _words_of_balance(volume: Volume, measured: NDArray[np.float64]) -> str:
    begins = (
        "begins with a full bucket, since CloudWatch gives no balance"
        if np.isnan(measured).all()
        else "begins where CloudWatch's balance does"
    )
    counted = (
        "each I/O takes one credit"
        if volume.limits.performance.credit == "I/Os"
        else "bytes are taken for sequential: small random I/O costs more than this shows"
    )
    return f"By the limits of {volume.limits.name} and the measured traffic; it {begins}, and {counted}."


def _expected_of_run(
    run: Run, means: Mapping[str, NDArray[np.float64]], step_s: int, volumes: int
) -> ExpectedBalanceAnswer | None:
    """Compute the burst-credit balance that the model expects for each volume of a run.

    The volumes are equal, and are assumed to share the traffic equally.
    """
    storage = run.spec.storage
    if not isinstance(storage, Volumes) or volumes == 0:
        return None
    volume = _volume({"type": storage.type, "size_gib": storage.size_gib, "iops": storage.iops})
    return _expected(volume, means, step_s, volumes=volumes)


def _volume(described: Mapping[str, Any]) -> Volume | None:
    """Convert EC2's description of a volume to a volume of the model.

    Return None if the model does not support the volume.
    """
    limits = volume_limits(str(described["type"]), datetime.now(UTC).date())
    if isinstance(limits, Infeasible):
        return None
    iops = described.get("iops") if isinstance(limits.performance, ProvisionedIops) else None
    volume = Volume(limits, float(described["size_gib"]), None if iops is None else float(iops))
    if isinstance(limits.performance, ProvisionedIops) and iops is None:
        return None
    return volume if check(volume) is None else None


def _instance_of(watch: StoredWatch) -> Iterable[str]:
    instance = None if watch.description is None else watch.description.get("instance")
    return () if instance is None else (str(instance),)
