"""vnStat's traffic of interfaces: lists, samples, and output of live mode."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut_recording, figures, head_of, readings, remarks, values
from stowage.measure.monitors import vnstat as reader
from stowage.measure.reading import Reading

HERE = FILES / "vnstat"
NOTHING_OF_A_RUN = {"months.txt", "summary.txt"}
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md")
TAKEN = [name for name in NAMES if name not in NOTHING_OF_A_RUN]


def reading_of(name: str) -> Reading:
    [reading] = readings(reader.read, (HERE / name).read_bytes())
    return reading


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_recognised(name: str) -> None:
    assert reader.recognises(head_of((HERE / name).read_bytes()))


@pytest.mark.parametrize("name", TAKEN)
def test_nothing_is_left_unplaced(name: str) -> None:
    assert remarks(reader.read, (HERE / name).read_bytes()) == []
    assert reading_of(name).status == "ok"


@pytest.mark.parametrize("name", sorted(NOTHING_OF_A_RUN))
def test_sums_of_months_are_remarked_on_with_what_would_help(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert readings(reader.read, content) == []
    assert all("--json" in remark.message for remark in remarks(reader.read, content))


def test_text_and_json_of_one_interface_agree() -> None:
    text, document = reading_of("five.txt"), reading_of("all.json")
    assert text.started_at == document.started_at
    for ours, theirs in zip(text.series, document.series, strict=True):
        assert ours.values[:-1] == pytest.approx(theirs.values[:-1], rel=1e-3)


def test_bytes_of_five_minutes_are_a_rate() -> None:
    reading = reading_of("all.json")
    told = figures(reading)["interface_sent_mb_per_s.max"]
    assert values(reading)["interface_sent_mb_per_s.max"] == float(told) / 1e6 / 300
    # The last five minutes had not ended when the list was written.
    [sent] = [series for series in reading.series if series.name == "interface_sent_mb_per_s"]
    assert sent.times_s[-1] % 300 > 0
    assert sent.values[-1] == pytest.approx(sent.values[-2], rel=0.05)


def test_rates_are_in_bits_of_a_thousand() -> None:
    reading = reading_of("tr.txt")
    assert figures(reading) == {"interface_received_mb_per_s": "656.29", "interface_sent_mb_per_s": "6.26"}
    assert values(reading)["interface_received_mb_per_s"] == pytest.approx(656.29e3 / 8 / 1e6)
    assert reading.duration_s == 4.0


def test_watching_gives_mean_and_extremes() -> None:
    text, document = values(reading_of("live.txt")), values(reading_of("live.json"))
    for name in ("interface_sent_mb_per_s.max", "interface_sent_mb_per_s.mean"):
        assert text[name] == pytest.approx(document[name], rel=2e-3)
    assert reading_of("live.json").duration_s == 12.0


def test_watching_that_was_broken_off_is_partial() -> None:
    content = (HERE / "live.json").read_bytes()
    [reading] = readings(reader.read, content[: content.rindex(b'{"seconds"')])
    assert reading.status == "partial"


def test_version_1_counts_in_kib_and_numbers_its_hours() -> None:
    reading = reading_of("version1.json")
    assert reading.started_at == datetime(2018, 3, 14, 10, tzinfo=UTC)
    assert values(reading)["interface_received_mb_per_s.max"] == pytest.approx(7200000 * 1024 / 1e6 / 3600)


def test_a_year_that_no_calendar_has_is_remarked_on() -> None:
    content = (
        (HERE / "version1.json")
        .read_bytes()
        .replace(b'"year":2018,"month":3,"day":14', b'"year":99999999999,"month":3,"day":14')
    )
    assert len(remarks(reader.read, content)) == 2


@given(st.sampled_from(TAKEN), st.integers(0, 2_500))
def test_a_cut_file_says_nothing_that_does_not_stand_in_it(name: str, at: int) -> None:
    content = (HERE / name).read_bytes()
    if name.endswith(".json"):
        check_any_bytes(reader.read, content[:at])
    else:
        check_cut_recording(reader.read, content, at)


@given(st.binary(max_size=300), st.integers(0, 1_500), st.sampled_from(NAMES))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int, name: str) -> None:
    content = (HERE / name).read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])
