"""iostat's reports: every text format of sysstat, and its JSON."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut_recording, figures, head_of, readings, remarks, values
from stowage.measure.monitors import iostat as reader
from stowage.measure.reading import MOST_POINTS, Reading

HERE = FILES / "iostat"
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md")


def reading_of(name: str) -> Reading:
    [reading] = readings(reader.read, (HERE / name).read_bytes())
    return reading


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_recognised_and_leaves_no_line_unplaced(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    assert remarks(reader.read, content) == []
    assert len(readings(reader.read, content)) == 1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "boot_only.txt"])
def test_the_report_since_boot_is_never_among_those_that_are_kept(name: str) -> None:
    # The first report of every file covers the time since boot, except with -y.
    reading = reading_of(name)
    reports = int(reading.settings["reports"])
    without_first = name in {"xkty.txt", "y_once.txt"}
    assert reading.status == "ok"
    assert all(len(series.values) == (reports if without_first else reports - 1) for series in reading.series)
    assert any("first report" in note for note in reading.notes) != without_first


def test_means_since_boot_alone_are_no_measurement() -> None:
    reading = reading_of("boot_only.txt")
    assert reading.status == "partial"
    assert reading.metrics == ()
    assert reading.series == ()


@pytest.mark.parametrize(
    ("name", "told", "mb_per_s"),
    [
        ("plain.txt", "152936.00", 152936 * 1024 / 1e6),
        ("x.txt", "152936.00", 152936 * 1024 / 1e6),
        ("xmt.txt", "149.35", 149.35 * 1.048576),
        ("dxtm_iso.txt", "149.35", 149.35 * 1.048576),
        ("hx.txt", "148.3M", 148.3 * 1.048576),
        ("m.json", "149.35", 149.35 * 1.048576),
        ("x.json", "152936.00", 152936 * 1024 / 1e6),
        ("sysstat9.txt", "102400.00", 102400 * 512 / 1e6),
        ("sysstat11.txt", "62.50", 62.5 * 1.048576),
    ],
)
def test_units_are_those_of_the_column(name: str, told: str, mb_per_s: float) -> None:
    reading = reading_of(name)
    assert figures(reading)["device_write_mb_per_s.max"] == told
    assert values(reading)["device_write_mb_per_s.max"] == pytest.approx(mb_per_s, rel=1e-12)


def test_times_are_the_ends_of_the_reports_since_the_first() -> None:
    reading = reading_of("xmt.txt")
    assert reading.started_at == datetime(2026, 11, 21, 4, 33, 5, tzinfo=UTC)
    assert reading.duration_s == 2.0
    assert all(series.times_s == (1.0, 2.0) for series in reading.series)


def test_a_clock_without_a_date_passes_midnight() -> None:
    reading = reading_of("sysstat9.txt")
    assert reading.started_at == datetime(2014, 3, 12, 23, 59, 59, tzinfo=UTC)
    assert reading.duration_s == 5.0


def test_a_file_without_times_says_how_they_were_counted() -> None:
    assert any("No times" in note for note in reading_of("x.txt").notes)
    assert reading_of("x.txt").started_at is None
    assert not any("No times" in note for note in reading_of("xmt.txt").notes)


def test_latencies_and_shares_are_in_our_units() -> None:
    found = values(reading_of("x.txt"))
    assert found["device_read_latency_us.max"] == pytest.approx(330.0)
    assert found["device_busy_share.max"] == pytest.approx(0.14)
    assert found["cpu_user_share.max"] == pytest.approx(0.89)
    assert found["cpu_idle_share.min"] == 0.0


def test_the_banner_names_the_machine() -> None:
    host = reading_of("x.txt").host
    assert (host.name, host.cpus) == ("vm", 2)


def test_a_day_that_could_be_a_month_is_said() -> None:
    assert any("the month first" in note for note in reading_of("sysstat9.txt").notes)


def test_two_runs_in_a_file_are_two_measurements() -> None:
    content = (HERE / "x.txt").read_bytes() + (HERE / "xmt.txt").read_bytes()
    assert [reading.line for reading in readings(reader.read, content)] == [1, 24]


def test_a_line_that_is_no_row_is_remarked_on() -> None:
    content = (HERE / "x.txt").read_bytes().replace(b"vda  ", b"oops ", 1).replace(b"oops", b"Killed\noops", 1)
    [remark] = remarks(reader.read, content)
    assert "Killed" in remark.message


@pytest.mark.parametrize("blank", ["\f", "\v", "\u2003"])
def test_a_line_of_other_blanks_is_remarked_on(blank: str) -> None:
    lines = (HERE / "x.txt").read_text().split("\n")
    lines.insert(6, blank)
    content = "\n".join(lines).encode()
    assert [remark.line for remark in remarks(reader.read, content)] == [7]
    assert len(readings(reader.read, content)) == 1


def test_a_figure_that_is_none_is_remarked_on() -> None:
    content = (HERE / "x.txt").read_text().replace("152936.00", "      nan").encode()
    [remark] = remarks(reader.read, content)
    assert "wkB/s" in remark.message


def test_a_long_recording_keeps_its_peaks_and_its_mean() -> None:
    header = "Linux 6.1 (vm) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
    one = "Device             tps    kB_read/s    kB_wrtn/s\nsda               1.00      {read:.2f}      0.00\n\n"
    reads = [float(place % 7) for place in range(5_001)]
    content = header + "".join(one.format(read=read) for read in reads)
    [reading] = readings(reader.read, content.encode())
    [series] = [series for series in reading.series if series.name == "device_read_mb_per_s"]
    assert len(series.values) <= MOST_POINTS
    assert max(series.peaks) == pytest.approx(6 * 1024 / 1e6)
    lengths = [end - start for start, end in zip((0.0, *series.times_s), series.times_s, strict=False)]
    total = sum(length * value for length, value in zip(lengths, series.values, strict=True))
    assert total == pytest.approx(sum(reads[1:]) * 1024 / 1e6)


@given(st.sampled_from(NAMES), st.integers(0, 2_500))
def test_a_cut_recording_is_the_beginning_of_the_whole(name: str, at: int) -> None:
    check_cut_recording(reader.read, (HERE / name).read_bytes(), at)


@given(st.binary(max_size=300), st.integers(0, 1_500), st.sampled_from(NAMES))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int, name: str) -> None:
    content = (HERE / name).read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])
