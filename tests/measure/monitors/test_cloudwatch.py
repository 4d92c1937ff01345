"""CloudWatch's answers: rates from sums, balances unchanged, and missing information."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut, figures, head_of, readings, remarks, values
from stowage.measure.monitors import cloudwatch as reader
from stowage.measure.reading import Reading

HERE = FILES / "cloudwatch"
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md")
VOLUME = "vol-0a1b2c3d4e5f60718"


def reading_of(name: str) -> Reading:
    [reading] = readings(reader.read, (HERE / name).read_bytes())
    return reading


def answer(label: str, values_: list[float], times: list[Any] | None = None, **more: object) -> bytes:
    times = times or [f"2026-11-20T10:{5 * place:02}:00+00:00" for place in range(len(values_))]
    result = {"Id": "m1", "Label": label, "Timestamps": times, "Values": values_, "StatusCode": "Complete", **more}
    return json.dumps({"MetricDataResults": [result], "Messages": []}).encode()


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_recognised_and_read(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    assert remarks(reader.read, content) == []
    assert reading_of(name).status == "ok"


@pytest.mark.parametrize("name", ["data.json", "statistics_VolumeReadBytes.json"])
def test_bytes_are_a_sum_over_the_period(name: str) -> None:
    reading = reading_of(name)
    assert figures(reading)["volume_read_mb_per_s.max"] == "75161927680.0"
    assert values(reading)["volume_read_mb_per_s.max"] == pytest.approx(75161927680.0 / 300 / 1e6)
    [series] = [series for series in reading.series if series.name == "volume_read_mb_per_s"]
    assert series.values[:3] == pytest.approx((131.072, 0.0, 250.5397589333))
    assert reading.started_at == datetime(2026, 11, 20, 10, tzinfo=UTC)
    assert reading.duration_s == 1800.0
    assert any("period" in note for note in reading.notes)


def test_a_balance_is_a_share_and_its_smallest_is_what_counts() -> None:
    reading = reading_of("statistics_BurstBalance.json")
    assert values(reading) == {"volume_burst_balance_share.min": 0.0}
    assert reading.series[0].values[0] == pytest.approx(0.995)


def test_a_request_before_the_answer_tells_period_and_volume() -> None:
    reading = reading_of("request_and_data.json")
    assert reading.host.volume_id == VOLUME
    assert {series.of for series in reading.series} == {VOLUME}
    assert not any("period" in note for note in reading.notes)


def test_an_answer_that_goes_on_elsewhere_is_partial() -> None:
    content = json.loads((HERE / "data.json").read_text())
    [reading] = readings(reader.read, json.dumps({**content, "NextToken": "abc"}).encode())
    assert reading.status == "partial"
    [reading] = readings(reader.read, answer("VolumeReadBytes", [1.0, 2.0], StatusCode="PartialData"))
    assert reading.status == "partial"


def test_an_average_of_bytes_tells_no_rate() -> None:
    points = [{"Timestamp": f"2026-11-20T10:0{place}:00Z", "Average": 65536.0, "Unit": "Bytes"} for place in range(3)]
    content = json.dumps({"Label": "VolumeReadBytes", "Datapoints": points}).encode()
    [reading] = readings(reader.read, content)
    assert reading.metrics == ()
    assert reading.status == "partial"
    [remark] = remarks(reader.read, content)
    assert "Sum" in remark.message


def test_a_single_point_has_no_period() -> None:
    [reading] = readings(reader.read, answer("VolumeReadBytes", [1e9]))
    assert reading.status == "partial"
    assert reading.failure is not None
    assert "period" in reading.failure


def test_a_metric_that_is_not_taken_is_said() -> None:
    [remark] = remarks(reader.read, answer("CPUUtilization", [1.0, 2.0]))
    assert "CPUUtilization" in remark.message


def test_seconds_since_1970_are_times_too() -> None:
    [reading] = readings(reader.read, answer("VolumeWriteOps", [600.0, 1200.0], [1763632800, 1763632860]))
    assert values(reading) == {"volume_write_iops.max": 20.0}


@pytest.mark.parametrize("number", ["NaN", "1e309", "-Infinity"])
def test_what_is_no_number_is_remarked_on(number: str) -> None:
    content = answer("VolumeReadOps", [1.0, 2.0, 3.0]).replace(b"2.0", number.encode())
    assert len(remarks(reader.read, content)) == 1


@given(st.sampled_from(NAMES), st.integers(0, 6_000))
def test_a_cut_answer_never_says_more_than_the_whole(name: str, at: int) -> None:
    check_cut(reader.read, (HERE / name).read_bytes(), at)


@given(st.binary(max_size=300), st.integers(0, 3_000), st.sampled_from(NAMES))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int, name: str) -> None:
    content = (HERE / name).read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])
