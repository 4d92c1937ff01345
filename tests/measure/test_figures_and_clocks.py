"""Numbers and times in tools' formats, and time series in bounded memory."""

import io
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.files.clocks import clock_of, date_of, iso_of, java_date_of, zone_of
from stowage.measure.files.figures import number_of, told
from stowage.measure.files.spans import Recording
from stowage.measure.files.whole import Lines
from stowage.measure.reading import MOST_POINTS, MOST_SERIES


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e309", "0x10", "1_000", "1 000", "9" * 61, "--1", "1,000,000"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_of(text) is None


def test_a_comma_may_stand_before_a_fraction() -> None:
    assert number_of("12,50") == 12.5


def test_what_is_told_is_bounded() -> None:
    assert len(told("9" * 200, "u" * 200, "n" * 500).text) == 60


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12:00:00 AM", time(0)),
        ("12:00:00 PM", time(12)),
        ("1:05 PM", time(13, 5)),
        ("23:59:60", None),
        ("13:00 PM", None),
    ],
)
def test_clocks_have_12_hours_or_24(text: str, expected: time | None) -> None:
    assert clock_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2019年04月04日", date(2019, 4, 4)),
        ("21/11/2026", date(2026, 11, 21)),
        ("31/31/2026", None),
        ("2026-02-30", None),
        ("99/99/99", None),
    ],
)
def test_dates_are_in_figures(text: str, expected: date | None) -> None:
    found = date_of(text)
    assert (found[0] if found else None) == expected


def test_zones_that_mean_several_are_not_guessed() -> None:
    assert zone_of("CST") is None
    assert zone_of("+99:00") is None
    assert java_date_of("Tue May 20 16:43:38 CST 2014") == (datetime(2014, 5, 20, 16, 43, 38, tzinfo=UTC), False)
    assert java_date_of("Tue Feb 30 16:43:38 UTC 2014") is None
    assert iso_of("2026-11-21T04:33:06.250Z") == (datetime(2026, 11, 21, 4, 33, 6, 250_000, tzinfo=UTC), True)


@given(st.text(max_size=60))
def test_any_text_is_a_time_or_none(text: str) -> None:
    number_of(text)
    clock_of(text)
    date_of(text)
    iso_of(text)
    java_date_of(text)
    zone_of(text)


@pytest.mark.parametrize(
    ("content", "cut"), [(b"", False), (b"a\n", False), (b"a\r\n", False), (b"a", True), (b"a\n\0\0", False)]
)
def test_a_text_that_does_not_end_a_line_is_cut(content: bytes, *, cut: bool) -> None:
    lines = Lines(io.BytesIO(content))
    list(lines)
    assert lines.cut is cut


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), st.integers(1, 200))
def test_a_long_recording_keeps_mean_and_peak(values: list[float], times: int) -> None:
    recording = Recording()
    everything = values * times
    for place, value in enumerate(everything):
        recording.add("device_read_iops", "sda", (float(place), place + 1.0), value)
    [series] = recording.series(None, 0.0)
    assert len(series.times_s) <= MOST_POINTS
    lengths = [end - start for start, end in zip((0.0, *series.times_s), series.times_s, strict=False)]
    total = sum(length * value for length, value in zip(lengths, series.values, strict=True))
    assert total == pytest.approx(sum(everything), rel=1e-9)
    assert max(series.peaks) == max(values)
    assert series.times_s[-1] == len(everything)


def test_quantities_are_bounded_and_what_is_left_out_is_counted() -> None:
    recording = Recording()
    for place in range(MOST_SERIES + 5):
        recording.add("device_read_iops", f"sd{place}", (0.0, 1.0), 1.0)
    recording.add("device_read_iops", "sd0", (0.0, 1.0), 1.0)
    assert len(recording) == MOST_SERIES
    assert recording.left_out == 6
