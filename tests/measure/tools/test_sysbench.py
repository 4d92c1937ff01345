"""sysbench fileio of four versions: rates of reads and writes, latencies of all operations, and failed runs."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.metrics import kind_of
from stowage.measure.reading import Reading, Remark
from stowage.measure.tools.sysbench import read

_FILES = Path(__file__).parents[1] / "files" / "sysbench"
_ALL = sorted(path.name for path in _FILES.glob("*.txt"))


def _content(name: str) -> bytes:
    return (_FILES / name).read_bytes()


def _found(content: bytes) -> list[Reading | Remark]:
    return list(read(BytesIO(content)))


def _readings(content: bytes) -> list[Reading]:
    return [each for each in _found(content) if isinstance(each, Reading)]


def _told(reading: Reading) -> dict[str, str]:
    return {metric.name: metric.told.text for metric in reading.metrics}


def _values(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


def test_rates_of_1_0_are_told_singly_and_in_mib() -> None:
    (reading,) = _readings(_content("rndrw.txt"))
    assert (reading.status, reading.tool_version, reading.name) == ("ok", "sysbench 1.0.20", "random r/w")
    assert _told(reading) == {
        "read_iops": "57160.82",
        "write_iops": "38107.05",
        "fsync_per_s": "3812.25",
        "read_mb_per_s": "893.14",
        "write_mb_per_s": "595.42",
        "operation_latency_us.min": "0.00",
        "operation_latency_us.mean": "0.01",
        "operation_latency_us.max": "5.21",
        "operation_latency_us.p95": "0.00",
    }
    values = _values(reading)
    assert values["read_mb_per_s"] == 936.52516864
    # Reads of 16 KiB each.
    assert values["read_iops"] * 16384 / 1e6 == pytest.approx(values["read_mb_per_s"], rel=1e-4)
    assert reading.duration_s == 2.0009


def test_interim_reports_are_series() -> None:
    (reading,) = _readings(_content("rndrw.txt"))
    reads, writes = reading.series
    assert (reads.name, reads.times_s, writes.name) == ("read_mb_per_s", (1.0,), "write_mb_per_s")
    assert [*reads.values, *writes.values] == pytest.approx([803.86 * 1.048576, 535.91 * 1.048576])


def test_what_was_not_done_has_no_rate() -> None:
    (reading,) = _readings(_content("seqrd.txt"))
    assert not {"write_iops", "write_mb_per_s", "fsync_per_s"} & _values(reading).keys()
    assert reading.settings["threads"] == "2"
    assert reading.settings["file-extra-flags"] == "directio"


def test_percentiles_are_those_that_were_asked_for() -> None:
    (asked,) = _readings(_content("rndrd-p99-async.txt"))
    assert "operation_latency_us.p99" in _values(asked)
    (none,) = _readings(_content("rndrd-no-percentile.txt"))
    assert not [name for name in _values(none) if ".p" in name]


def test_0_4_tells_one_rate_for_reads_and_writes() -> None:
    (reading,) = _readings(_content("0.4.12-rndrw.txt"))
    values = _values(reading)
    assert values["operations_per_s"] == 200
    assert values["operations_mb_per_s"] == 3.2768
    assert values["operations_per_s"] * 16384 / 1e6 == pytest.approx(values["operations_mb_per_s"])
    assert not {"read_iops", "read_mb_per_s"} & values.keys()
    assert values["operation_latency_us.p95"] == 8150


def test_0_5_tells_that_rate_of_reads_where_nothing_was_written() -> None:
    (reading,) = _readings(_content("0.5-seqrd.txt"))
    values = _values(reading)
    assert (values["read_iops"], values["read_mb_per_s"], values["read_mb"]) == (32768, 536.870912, 5368.70912)
    assert not {"operations_per_s", "write_mb"} & values.keys()


def test_1_1_tells_mb_beside_mib() -> None:
    (reading,) = _readings(_content("1.1-rndrw.txt"))
    values = _values(reading)
    assert (values["read_mb_per_s"], values["write_iops"], values["fsync_per_s"]) == (31.46, 1280, 32.12)
    assert reading.duration_s is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("other-size.txt", "Size of file 'test_file.0' is 8MiB, but at least 256MiB is expected."),
        ("no-files.txt", "Cannot open file 'test_file.0' errno = 2 (No such file or directory)"),
        ("no-mode.txt", "Missing required argument: --file-test-mode"),
        ("unknown-option.txt", "invalid option: --warmup-time=1"),
    ],
)
def test_a_failed_test_is_failed_with_sysbenchs_words(name: str, words: str) -> None:
    (reading,) = _readings(_content(name))
    assert (reading.status, reading.failure, reading.metrics) == ("failed", f"sysbench says: {words}", ())


@pytest.mark.parametrize("name", ["cpu.txt", "memory.txt", "prepare.txt"])
def test_what_is_no_measurement_of_files_is_remarked_on_only(name: str) -> None:
    (remark,) = _found(_content(name))
    assert isinstance(remark, Remark)


def test_several_tests_in_a_file_are_several_readings() -> None:
    content = b"".join(_content(name) for name in ("prepare.txt", "rndrw.txt", "cpu.txt", "seqrd.txt", "0.5-seqrd.txt"))
    assert [reading.name for reading in _readings(content)] == ["random r/w", "sequential read", "sequential read"]


@pytest.mark.parametrize("name", _ALL)
def test_every_line_of_its_own_files_has_a_place_and_every_metric_a_meaning(name: str) -> None:
    for each in _found(_content(name)):
        if isinstance(each, Remark):
            assert "no line that" not in each.message
        else:
            assert all(kind_of(metric.name).unit for metric in each.metrics)


def test_a_line_of_something_else_is_remarked_on() -> None:
    content = _content("seqrd.txt") + b"root@host:~# reboot\n"
    assert [each.message for each in _found(content) if isinstance(each, Remark)] == [
        "'root@host:~# reboot' is no line that sysbench fileio prints"
    ]


@given(st.sampled_from(_ALL), st.data())
def test_a_file_that_is_cut_has_no_result_that_the_whole_has_not(name: str, data: st.DataObject) -> None:
    content = _content(name)
    cut = data.draw(st.integers(0, len(content)))
    whole = [_told(reading) for reading in _readings(content) if reading.status == "ok"]
    for reading in _readings(content[:cut]):
        assert reading.status != "ok" or _told(reading) in whole


@given(st.sampled_from(_ALL), st.data())
def test_any_bytes_put_anywhere_do_not_break_it(name: str, data: st.DataObject) -> None:
    content = _content(name)
    place = data.draw(st.integers(0, len(content)))
    gone = data.draw(st.integers(0, 50))
    _found(content[:place] + data.draw(st.binary(max_size=30)) + content[place + gone :])
