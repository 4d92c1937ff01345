"""Charts of the CloudWatch metrics of a volume or of a benchmark run.

They also show the burst-credit balance that the model expects for the measured traffic. The time span of a chart is
divided into steps of equal length.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from stowage.features.monitoring import watched_metrics
from stowage.features.monitoring.schemas import ExpectedBalanceAnswer, MetricsAnswer, MetricSeriesAnswer
from stowage.features.monitoring.store import metrics
from stowage.features.monitoring.store.metrics import Bucket, Resolution, StoredSeries
from stowage.features.monitoring.store.watches import StoredWatch
from stowage.features.monitoring.watched_metrics import Watched
from stowage.model.hardware.volume import Volume, check
from stowage.model.hardware.volume_limits import ProvisionedIops, volume_limits
from stowage.model.infeasible import Infeasible
from stowage.optimizer.volume_balance import Traffic, expected_balance, has_bucket
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
    drawn = metrics.resolution(since, until, most=max(most - 1, 1), now=now)
    drawing = _Drawing(connection, watch.account_id, [watch.volume_id, *_instance_of(watch)], since, until, drawn)
    volume = None if watch.description is None else _volume(watch.description)
    expected = None
    if volume is not None and has_bucket(volume):
        # A credit bucket fills or empties within minutes, so the model uses the finest stored resolution.
        fine = metrics.finest(drawing.start, now)
        followed = _Drawing(
            connection, watch.account_id, [watch.volume_id], drawing.start, until, fine, of=_OF_A_BUCKET
        )
        expected = _thinned(_expected(volume, followed.each(), fine.step_s), drawn.step_s // fine.step_s)
    return drawing.answer(watch.id, drawing.each(), expected)


def run_chart(connection: Connection, run: Run, account_id: UUID, *, most: int, now: datetime) -> MetricsAnswer:
    """Return the chart of a run from its launch to its end.

    Each metric is combined over all volumes or all nodes of the run.
    """
    since = run.launched_at or run.created_at
    until = max(run.finished_at or now, since + timedelta(minutes=1))
    things = [each.id for each in run.resources if each.kind in {"instance", "volume"}]
    drawn = metrics.resolution(since, until, most=max(most - 1, 1), now=now)
    drawing = _Drawing(connection, account_id, things, since, until, drawn)
    # Boot disks have metrics too; the model covers only volumes with burst credit.
    bursting = {each.resource for each in drawing.series if each.metric == watched_metrics.BURST_BALANCE.metric}
    expected = _expected_of_run(run, drawing.together(bursting), drawn.step_s, len(bursting))
    return drawing.answer(run.id, drawing.together(), expected)


_Step = tuple[float, float, float] | None
"""Mean, minimum and maximum of a step; None without data."""


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
        of: Collection[str] | None = None,
    ) -> None:
        found = metrics.find_series(connection, resources, account_id)
        self.drawn = drawn
        self.start = metrics.begins(since, drawn.step_s)
        self.end = until
        self.series: tuple[StoredSeries, ...] = tuple(each for each in found if of is None or each.metric in of)
        self.steps = -(-(until - self.start) // timedelta(seconds=drawn.step_s))
        ids = [each.id for each in self.series]
        self._found = metrics.read(connection, ids, self.start, until, drawn) if ids else {}

    def each(self) -> list[MetricSeriesAnswer]:
        """Return one series for each metric and resource."""
        return [
            _series(each.resource, wanted, self.steps_of(each, wanted))
            for wanted in watched_metrics.ALL.values()
            for each in self.series
            if (each.namespace, each.metric) == (wanted.namespace, wanted.metric)
        ]

    def together(self, of: Collection[str] | None = None) -> list[MetricSeriesAnswer]:
        """Return one series for each metric, combined over all resources.

        With `of`, only these resources are combined.
        """
        told = []
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
                steps = _of_all([self.steps_of(each, wanted) for each in parts], wanted)
                told.append(_series(name, wanted, steps))
        return told

    def steps_of(self, series: StoredSeries, wanted: Watched) -> list[_Step]:
        """Convert a series to one value for each step of the chart.

        A point whose period is longer than a step is used for all steps in its period.
        """
        steps: list[_Step] = [None] * self.steps
        holds = max(1, series.period_s // self.drawn.step_s)
        for bucket in self._found.get(series.id, ()):
            first = (bucket.at - self.start) // timedelta(seconds=self.drawn.step_s)
            figures = told(bucket, wanted, series.period_s)
            for place in range(max(first, 0), min(first + holds, self.steps)):
                steps[place] = figures
        return steps

    def answer(
        self, asked: UUID, series: list[MetricSeriesAnswer], expected: ExpectedBalanceAnswer | None
    ) -> MetricsAnswer:
        return MetricsAnswer(
            id=asked,
            start=self.start,
            end=self.end,
            step_s=self.drawn.step_s,
            kept=self.drawn.kept,
            steps=self.steps,
            series=series,
            expected=expected,
        )


def told(bucket: Bucket, wanted: Watched, period_s: int) -> tuple[float, float, float]:
    """Return the mean, minimum and maximum of a bucket of points, in the unit of the metric `wanted`.

    Sums over a period are converted to rates.
    """
    factor = wanted.factor / period_s if wanted.is_rate else wanted.factor
    return bucket.total / bucket.points * factor, bucket.smallest * factor, bucket.largest * factor


def _series(of: str, wanted: Watched, steps: Sequence[_Step]) -> MetricSeriesAnswer:
    return MetricSeriesAnswer.from_fields(
        wanted,
        of=of,
        mean=[None if step is None else step[0] for step in steps],
        smallest=[None if step is None else step[1] for step in steps],
        largest=[None if step is None else step[2] for step in steps],
    )


def _of_all(series: Sequence[Sequence[_Step]], wanted: Watched) -> list[_Step]:
    """Combine the series of a metric to a single series.

    The value of a step is the sum or the lowest value of all series, depending on the metric. The sum is None if any
    series has no value for the step. The lowest value ignores missing values.
    """
    together: list[_Step] = []
    for at_once in zip(*series, strict=True):
        there = [step for step in at_once if step is not None]
        if not there or (wanted.together == "sum" and len(there) < len(at_once)):
            together.append(None)
        elif wanted.together == "sum":
            together.append((sum(s[0] for s in there), sum(s[1] for s in there), sum(s[2] for s in there)))
        else:
            together.append((min(s[0] for s in there), min(s[1] for s in there), max(s[2] for s in there)))
    return together


def _expected(
    volume: Volume | None, series: Sequence[MetricSeriesAnswer], step_s: int, volumes: int = 1
) -> ExpectedBalanceAnswer | None:
    """Compute the burst-credit balance that the model expects for the measured traffic of a volume.

    Return None if the volume has no burst credits, or its traffic was not measured.

    Parameters
    ----------
    series : sequence of MetricSeriesAnswer
        Measured traffic and burst balance.
    volumes : int
        Number of equal volumes over which the traffic is summed.
    """
    by_name = {each.name: each for each in series}
    if volume is None or not has_bucket(volume) or not all(name in by_name for name in _BUSY):
        return None
    read, written, reads, writes = (by_name[name].mean for name in _BUSY)
    traffic = [
        None
        if in_mb is None or out_mb is None or in_ios is None or out_ios is None
        else Traffic((in_mb + out_mb) * step_s / volumes, (in_ios + out_ios) * step_s / volumes)
        for in_mb, out_mb, in_ios, out_ios in zip(read, written, reads, writes, strict=True)
    ]
    balances = by_name.get(watched_metrics.BURST_BALANCE.name)
    measured: Sequence[float | None] = [None] * len(traffic) if balances is None else balances.mean
    balance = expected_balance(volume, float(step_s), traffic, measured)
    apart = [abs(a - b) for a, b in zip(balance, measured, strict=True) if a is not None and b is not None]
    return ExpectedBalanceAnswer(
        balance=list(balance), furthest=max(apart, default=None), words=_words_of_balance(volume, measured)
    )


def _thinned(expected: ExpectedBalanceAnswer | None, together: int) -> ExpectedBalanceAnswer | None:
    """Merge each `together` consecutive steps of an expected balance into one step.

    The balance of the merged step is the mean of the known values.
    """
    if expected is None or together == 1:
        return expected
    balance: list[float | None] = []
    for first in range(0, len(expected.balance), together):
        known = [share for share in expected.balance[first : first + together] if share is not None]
        balance.append(sum(known) / len(known) if known else None)
    return expected.model_copy(update={"balance": balance})


def _words_of_balance(volume: Volume, measured: Sequence[float | None]) -> str:
    begins = (
        "begins with a full bucket, since CloudWatch gives no balance"
        if all(share is None for share in measured)
        else "begins where CloudWatch's balance does"
    )
    counted = (
        "each I/O takes one credit"
        if volume.limits.performance.credit == "I/Os"
        else "bytes are taken for sequential: small random I/O costs more than this shows"
    )
    return f"By the limits of {volume.limits.name} and the measured traffic; it {begins}, and {counted}."


def _expected_of_run(
    run: Run, series: Sequence[MetricSeriesAnswer], step_s: int, volumes: int
) -> ExpectedBalanceAnswer | None:
    """Compute the burst-credit balance that the model expects for each volume of a run.

    The volumes are equal, and are assumed to share the traffic equally.
    """
    storage = run.spec.storage
    if not isinstance(storage, Volumes) or volumes == 0:
        return None
    volume = _volume({"type": storage.type, "size_gib": storage.size_gib, "iops": storage.iops})
    return _expected(volume, series, step_s, volumes)


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
