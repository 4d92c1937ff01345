"""Metrics that monitors recorded beside a job, averaged over the predicted phases."""

from datetime import UTC, datetime, timedelta

import pytest

from stowage.measure.profiling.observed import channel_of, spans_of, times_of
from stowage.measure.reading import Series
from stowage.model.forecast import START_UP, PhaseTime

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
PHASES = (
    PhaseTime("map", 60.0, (("network out", 60.0), ("CPU", 20.0))),
    PhaseTime("sort", 30.0, (("network out", 1.0), ("input/output disks", 30.0))),
    PhaseTime(START_UP, 10.0, (("framework", 10.0),)),
)


def series(name: str, values: list[float], of: str = "", started_at: datetime | None = START) -> Series:
    times_s = tuple(10.0 * (index + 1) for index in range(len(values)))
    return Series(name, of, started_at, times_s, tuple(values), tuple(values))


def test_phases_share_the_measured_time_as_they_were_predicted() -> None:
    spans = spans_of(PHASES, 200.0)
    assert [(span.name, span.from_s, span.to_s) for span in spans] == [
        ("map", 0.0, 120.0),
        ("sort", 120.0, 180.0),
        (START_UP, 180.0, 200.0),
    ]
    assert [(span.seen, span.agrees, span.busy) for span in spans] == [(None, None, {})] * 3


def test_phases_that_were_measured_take_what_was_measured_and_the_others_the_rest() -> None:
    spans = spans_of(PHASES, 200.0, [("sort", 160.0)])
    assert [span.to_s - span.from_s for span in spans] == pytest.approx([40.0 * 6 / 7, 160.0, 40.0 / 7])


def test_phases_that_take_longer_together_than_the_job_leave_nothing() -> None:
    spans = spans_of(PHASES, 100.0, [("map", 70.0), ("sort", 70.0)])
    assert [span.to_s - span.from_s for span in spans] == [70.0, 70.0, 0.0]


def test_the_busiest_in_each_phase_is_seen() -> None:
    recorded = [
        series("interface_sent_mb_per_s", [90.0] * 6 + [5.0] * 4),
        series("device_busy_share", [0.3] * 6 + [0.98] * 3 + [0.1], "nvme0n1"),
        series("device_busy_share", [0.2] * 10, "nvme1n1"),
        series("cpu_idle_share", [0.6] * 10),
        series("memory_used_share", [1.0] * 10),
    ]
    spans = spans_of(PHASES, 100.0, series=recorded, started_at=START)
    assert [(span.seen, span.agrees) for span in spans] == [(None, None), ("storage", True), (None, None)]
    assert spans[0].busy == pytest.approx({"storage": 0.3, "CPU": 0.4})


def test_what_was_not_predicted_is_said_not_to_agree() -> None:
    [first, *_] = spans_of(PHASES, 100.0, series=[series("cpu_idle_share", [0.02] * 10)])
    assert (first.seen, first.agrees) == ("CPU", False)


def test_throughput_alone_tells_no_utilization() -> None:
    assert spans_of(PHASES, 100.0, series=[series("volume_read_mb_per_s", [500.0] * 10)])[0].busy == {}


def test_a_monitor_that_began_before_the_job_is_moved_to_its_clock() -> None:
    early = series("device_busy_share", [0.0, 0.0, *[1.0] * 6, *[0.0] * 4], started_at=START - timedelta(seconds=20))
    assert times_of(early, START)[:3] == (-10.0, 0.0, 10.0)
    assert times_of(early, None)[:1] == (10.0,)
    spans = spans_of(PHASES, 100.0, series=[early], started_at=START)
    assert [span.busy for span in spans] == [{"storage": 1.0}, {"storage": 0.0}, {"storage": 0.0}]


def test_a_monitor_that_ended_before_a_phase_says_nothing_of_it() -> None:
    spans = spans_of(PHASES, 100.0, series=[series("device_busy_share", [0.7])], started_at=START)
    assert [bool(span.busy) for span in spans] == [True, False, False]


def test_metrics_belong_to_channels() -> None:
    assert channel_of("volume_idle_share") == "EBS volumes"
    assert channel_of("device_latency_us") is None
