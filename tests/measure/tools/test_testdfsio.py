"""TestDFSIO's result logs and console output of three generations of Hadoop."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut, figures, head_of, readings, remarks, values
from stowage.measure.tools import testdfsio as reader
from stowage.model.sizes import MB_PER_MIB

HERE = FILES / "testdfsio"
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md")
BLOCK = """----- TestDFSIO ----- : write
           Date & time: Tue May 20 16:43:38 CST 2014
       Number of files: 10
Total MBytes processed: {total}
     Throughput mb/sec: 52.63157894736842
Average IO rate mb/sec: 52.6315803527832
 IO rate std deviation: 0.0012335518309680533
    Test exec time sec: {time}

"""


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_recognised_and_leaves_no_line_unplaced(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    assert remarks(reader.read, content) == []


def test_a_log_holds_all_runs_that_were_appended_to_it() -> None:
    content = (HERE / "hadoop-3.log").read_bytes()
    assert [(reading.name, reading.status) for reading in readings(reader.read, content)] == [
        ("write", "ok"),
        ("read", "ok"),
        ("random read", "ok"),
    ]


@pytest.mark.parametrize("name", ["hadoop-1.log", "hadoop-2.log", "hadoop-3.log"])
def test_figures_are_those_of_the_text_to_the_last_digit(name: str) -> None:
    content = (HERE / name).read_bytes()
    blocks = content.decode().strip().split("\n\n")
    found = readings(reader.read, content)
    assert len(found) == len(blocks)
    for block, reading in zip(blocks, found, strict=True):
        lines = dict(line.strip().split(": ", 1) for line in block.splitlines()[1:])
        told = figures(reading)
        assert told["task_mb_per_s"] == lines["Throughput mb/sec"]
        assert told["task_io_rate_mb_per_s"] == lines["Average IO rate mb/sec"]
        assert told["task_io_rate_mb_per_s.stddev"] == lines["IO rate std deviation"]
        assert told["moved_mb"] == lines["Total MBytes processed"]
        assert told["time_s"] == lines["Test exec time sec"]
        assert values(reading)["task_mb_per_s"] == float(lines["Throughput mb/sec"]) * MB_PER_MIB
        assert reading.settings["Number of files"] == lines["Number of files"]


def test_what_a_task_reached_is_not_what_the_cluster_did() -> None:
    [reading] = readings(reader.read, BLOCK.format(total=10240, time="100.0").encode())
    found = values(reading)
    assert found["cluster_mb_per_s"] == pytest.approx(102.4 * MB_PER_MIB)
    assert found["task_mb_per_s"] == pytest.approx(52.63157894736842 * MB_PER_MIB)
    assert figures(reading)["cluster_mb_per_s"] == "10240 / 100.0"


def test_a_console_tells_what_the_run_was_told() -> None:
    [reading] = readings(reader.read, (HERE / "hadoop-3-write.console").read_bytes())
    assert reading.status == "ok"
    assert reading.tool_version == "TestDFSIO.1.8"
    assert reading.settings["nrBytes (MB)"] == "4.0"


def test_a_job_that_fails_is_a_failed_measurement_in_its_own_words() -> None:
    [reading] = readings(reader.read, (HERE / "hadoop-2-append.console").read_bytes())
    assert reading.status == "failed"
    assert reading.failure is not None
    assert "Not supported" in reading.failure
    assert reading.metrics == ()


@pytest.mark.parametrize(
    ("total", "time", "status"),
    [
        ("0", "30.5", "failed"),
        ("10", "0.0", "failed"),
        ("NaN", "30.5", "failed"),
        ("10", "1e309", "failed"),
        ("1e300", "1", "failed"),
    ],
)
def test_a_run_that_moved_nothing_or_says_no_figure_has_failed(total: str, time: str, status: str) -> None:
    [reading] = readings(reader.read, BLOCK.format(total=total, time=time).encode())
    assert reading.status == status
    assert "cluster_mb_per_s" not in values(reading)


def test_half_a_block_is_partial() -> None:
    content = BLOCK.format(total=10, time="30.5").encode()
    [reading] = readings(reader.read, content[: content.index(b" IO rate std")])
    assert reading.status == "partial"
    [reading] = readings(reader.read, content[: content.index(b"30.5") + 3])
    assert reading.status == "partial"


def test_the_start_is_the_date_less_the_time_and_a_zone_that_means_several_is_said() -> None:
    [reading] = readings(reader.read, BLOCK.format(total=10, time="38.0").encode())
    assert reading.started_at == datetime(2014, 5, 20, 16, 43, 0, tzinfo=UTC)
    assert any("zone" in note for note in reading.notes)


def test_what_does_not_belong_there_is_remarked_on() -> None:
    content = BLOCK.format(total=10, time="30.5").replace("     Throughput", "what is this?\n     Throughput")
    [remark] = remarks(reader.read, content.encode())
    assert remark.line == 5
    assert "what is this?" in remark.message


@given(st.sampled_from(NAMES), st.integers(0, 12_000))
def test_a_cut_file_never_says_more_than_the_whole(name: str, at: int) -> None:
    check_cut(reader.read, (HERE / name).read_bytes(), at)


@given(st.binary(max_size=300), st.integers(0, 600))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int) -> None:
    content = (HERE / "hadoop-1.log").read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])
