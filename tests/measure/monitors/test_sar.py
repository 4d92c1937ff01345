"""sar's text in several locales, and sadf's output from its binary file."""

import io
import json
import random
import tracemalloc
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut_recording, figures, head_of, readings, remarks, values
from stowage.measure.errors import Unreadable
from stowage.measure.monitors import iostat
from stowage.measure.monitors import sar as reader
from stowage.measure.reading import Reading

HERE = FILES / "sar"
REFUSED = {"binary.sa", "sadf.xml"}
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md" and path.name not in REFUSED)
OF_ONE_RECORDING = ["all.txt", "american.txt", "german.txt", "all.csv", "all.json"]


def reading_of(name: str) -> Reading:
    [reading] = readings(reader.read, (HERE / name).read_bytes())
    return reading


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_recognised(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    assert not iostat.recognises(head_of(content))
    if name != "bq.txt":
        assert remarks(reader.read, content) == []


@pytest.mark.parametrize("name", OF_ONE_RECORDING)
def test_all_forms_of_one_recording_say_the_same(name: str) -> None:
    ours, first = reading_of(name), reading_of("all.txt")
    assert ours.started_at == datetime(2026, 11, 21, 4, 33, 5, tzinfo=UTC)
    assert ours.duration_s == 4.0
    expected = {(series.name, series.of): series.values for series in first.series}
    found = {(series.name, series.of): series.values for series in ours.series}
    assert found == {key: values for key, values in expected.items() if key in found}
    assert ("device_read_mb_per_s", "vda") in found
    assert ("cpu_user_share", "") in found


def test_averages_are_the_tools_own() -> None:
    told = figures(reading_of("all.txt"))
    assert told["cpu_user_share.mean"] == "88.83"
    assert told["device_write_mb_per_s.mean"] == "79897.00"
    assert told["device_write_mb_per_s.max"] == "147784.00"
    assert figures(reading_of("german.txt"))["cpu_user_share.mean"] == "88,83"


def test_sectors_of_older_versions_are_512_bytes_and_midnight_passes() -> None:
    reading = reading_of("sysstat10.txt")
    found = values(reading)
    assert found["device_read_mb_per_s.max"] == pytest.approx(204800 * 512 / 1e6)
    assert found["interface_received_mb_per_s.max"] == pytest.approx(2.048)
    assert reading.started_at == datetime(2014, 3, 12, 23, 50, 1, tzinfo=UTC)
    assert reading.duration_s == 1200.0
    assert any("started again" in note for note in reading.notes)


def test_of_processors_only_all_of_them_are_taken() -> None:
    assert {series.of for series in reading_of("uall.txt").series} == {""}


def test_an_activity_that_is_not_taken_is_said_once() -> None:
    content = (HERE / "bq.txt").read_bytes()
    assert [remark.line for remark in remarks(reader.read, content)] == [3, 6]
    assert reading_of("bq.txt").status == "partial"


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_only_sysstat_can_read_is_refused_with_the_way_out(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    with pytest.raises(Unreadable, match="sadf -j"):
        list(reader.read(io.BytesIO(content)))


@given(st.sampled_from(NAMES), st.integers(0, 6_000))
def test_a_cut_recording_is_the_beginning_of_the_whole(name: str, at: int) -> None:
    check_cut_recording(reader.read, (HERE / name).read_bytes(), at)


@given(st.binary(max_size=300), st.integers(0, 2_500), st.sampled_from(NAMES))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int, name: str) -> None:
    content = (HERE / name).read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])


WORDS = (
    "all",
    "0",
    "vda",
    "lo",
    "DEV",
    "CPU",
    "%user",
    "tps",
    "rkB/s",
    "%memused",
    "0.50",
    "12",
    "1.4M",
    "7,5",
    "LINUX",
)
CLOCKS = ("04:33:05", "04:33:06", "23:59:59", "00:00:01", "25:00:00", "9:05:06 PM", "Average:", "Average:", "x")
HEADERS = ("CPU %user %idle", "DEV tps rkB/s", "IFACE rxkB/s txkB/s", "kbmemfree %memused", "tps rtps", "DEV tps tps")


def table(chance: random.Random) -> str:
    """Return lines of sar's text, most of them as sar prints them."""
    lines = []
    for _ in range(chance.randint(1, 5)):
        header = chance.choice(HEADERS)
        lines += [f"{chance.choice(CLOCKS)}  {header}"] * (chance.random() < 0.9)
        for _ in range(chance.randint(0, 4)):
            first = chance.choice((("all", "-1", "0"), ("sda", "sdb"), ("lo",))[chance.randrange(3)])
            words = [first, *(f"{chance.uniform(0, 99):.2f}" for _ in header.split()[1:])]
            if chance.random() < 0.1:
                words[chance.randrange(len(words))] = chance.choice(WORDS)
            if chance.random() < 0.05:
                words.append(chance.choice(WORDS))
            lines.append(f"{chance.choice(CLOCKS[: chance.choice((2, 9))])}  {'  '.join(words)}")
        lines += [""] * chance.randrange(2)
    return "".join(f"{line}\n" for line in lines)


def test_a_table_is_read_as_its_lines_are(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)  # noqa: S311 - no secret
    banner = "Linux 6.1.0 (vm) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
    ends = ("", "", "\n", " ", "\n\t", "12:")
    contents = [(chance.choice((banner, "")) + table(chance) + chance.choice(ends)).encode() for _ in range(1_000)]
    whole = [list(reader.read(io.BytesIO(content))) for content in contents]
    monkeypatch.setattr("stowage.measure.monitors.sar._Reader.shape", None)
    assert whole == [list(reader.read(io.BytesIO(content))) for content in contents]


def test_of_a_host_with_endless_members_only_the_wanted_ones_are_held() -> None:
    host = {"nodename": "vm"} | {f"member-{number}": "x" * 1_000 for number in range(8_000)}
    content = json.dumps({"sysstat": {"hosts": [host]}}, indent=0).encode()
    stream = io.BytesIO(content)
    tracemalloc.start()
    try:
        list(reader.read(stream))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(content) / 4
