"""Console output of TeraGen, TeraSort and other MapReduce jobs, of three generations of Hadoop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import FILES, check_any_bytes, check_cut, figures, head_of, readings, remarks, values
from stowage.measure.tools import terasort as reader

HERE = FILES / "terasort"
NAMES = sorted(path.name for path in HERE.iterdir() if path.suffix != ".md")


@pytest.mark.parametrize("name", NAMES)
def test_every_console_is_recognised_and_leaves_no_line_unplaced(name: str) -> None:
    content = (HERE / name).read_bytes()
    assert reader.recognises(head_of(content))
    assert remarks(reader.read, content) == []


@pytest.mark.parametrize(
    ("name", "program", "status"),
    [
        ("hadoop-1-teragen.console", "TeraGen", "ok"),
        ("hadoop-1-terasort.console", "TeraSort", "failed"),
        ("hadoop-2-terasort.console", "TeraSort", "ok"),
        ("hadoop-3-teragen.console", "TeraGen", "ok"),
        ("hadoop-3-terasort.console", "TeraSort", "ok"),
        ("hadoop-3-terasort-again.console", "TeraSort", "failed"),
        ("hadoop-3-teravalidate.console", "MapReduce job", "ok"),
    ],
)
def test_a_job_is_ok_only_if_it_says_so(name: str, program: str, status: str) -> None:
    [reading] = readings(reader.read, (HERE / name).read_bytes())
    assert (reading.name, reading.status) == (program, status)
    assert bool(reading.metrics) == (status == "ok")


def test_time_and_bytes_are_those_of_the_log() -> None:
    content = (HERE / "hadoop-3-terasort.console").read_bytes()
    lines = content.decode().splitlines()
    begun = next(line for line in lines if "Running job" in line).split()[1]
    ended = next(line for line in lines if "completed successfully" in line).split()[1]
    written = next(line for line in reversed(lines) if "Bytes Written=" in line).strip().split("=")[1]
    [reading] = readings(reader.read, content)
    assert figures(reading)["time_s"] == f"{ended} - {begun}"
    assert figures(reading)["moved_mb"] == written
    seconds = float(ended[-6:].replace(",", ".")) - float(begun[-6:].replace(",", "."))
    assert values(reading)["time_s"] == pytest.approx(seconds % 60)
    assert values(reading)["cluster_mb_per_s"] == pytest.approx(float(written) / 1e6 / (seconds % 60))


def test_the_failure_is_the_programs_own() -> None:
    [reading] = readings(reader.read, (HERE / "hadoop-3-terasort-again.console").read_bytes())
    assert reading.failure is not None
    assert "already exists" in reading.failure


def test_a_task_that_failed_and_was_run_again_does_not_fail_the_job() -> None:
    content = (HERE / "hadoop-3-terasort.console").read_text()
    tried = content.replace(
        " map 100% reduce 0%", " map 50% reduce 0%\nError: java.lang.RuntimeException: no space left on device", 1
    )
    [reading] = readings(reader.read, tried.encode())
    assert reading.status == "ok"


def test_the_shells_time_is_taken_where_the_log_has_none() -> None:
    content = (HERE / "hadoop-3-terasort.console").read_text()
    [before] = readings(reader.read, content.encode())
    moved = content.replace("2026-11-21 05:", "2026-11-21 05:", 1)
    frozen = "\n".join(
        line if "completed successfully" not in line else line.split("INFO", 1)[1].split(": ", 1)[1]
        for line in moved.splitlines()
    )
    [reading] = readings(reader.read, f"{frozen}\nreal\t1m2.345s\nuser\t0m1.0s\nsys\t0m0.1s\n".encode())
    assert before.status == "ok"
    assert values(reading)["time_s"] == pytest.approx(62.345)


def test_a_console_that_lacks_counters_is_partial() -> None:
    content = (HERE / "hadoop-3-terasort.console").read_bytes()
    cut = content[: content.rindex(b"\tFile Output Format")]
    [reading] = readings(reader.read, cut)
    assert reading.status == "partial"
    assert reading.metrics == ()


@given(st.sampled_from(NAMES), st.integers(0, 12_000))
def test_a_cut_file_never_says_more_than_the_whole(name: str, at: int) -> None:
    check_cut(reader.read, (HERE / name).read_bytes(), at)


@given(st.binary(max_size=300), st.integers(0, 9_000))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int) -> None:
    content = (HERE / "hadoop-2-terasort.console").read_bytes()
    check_any_bytes(reader.read, junk)
    check_any_bytes(reader.read, content[:at] + junk + content[at:])
