from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.reading import Reading
from stowage.measure.tools import redis_benchmark

FILES = files_for("redis_benchmark")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert redis_benchmark.recognises(head_of(content))
    check_digits(redis_benchmark.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(redis_benchmark.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    redis_benchmark.recognises(head_of(content))
    all_of(redis_benchmark.read, content)


def readings_of(content: str) -> list[Reading]:
    return all_of(redis_benchmark.read, content.encode())[0]


def figures(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


def test_each_test_of_a_text_is_a_reading_with_its_summary() -> None:
    sets, gets = readings_of((FILES[0].parent / "text.txt").read_text())
    assert figures(sets) == {
        "set_per_s": 136986.30,
        "set_latency_us.mean": 84,
        "set_latency_us.min": 24,
        "set_latency_us.p50": 79,
        "set_latency_us.p95": 127,
        "set_latency_us.p99": 183,
        "set_latency_us.max": 535,
    }
    assert (sets.settings["clients"], sets.settings["payload"], sets.duration_s) == ("20", "1000", 0.15)
    assert figures(gets)["get_per_s"] == 129032.26


def test_quiet_text_and_csv_say_the_same_with_less() -> None:
    quiet = readings_of((FILES[0].parent / "quiet.txt").read_text())
    assert [figures(reading) for reading in quiet] == [
        {"set_per_s": 133333.33, "set_latency_us.p50": 87},
        {"get_per_s": 132450.34, "get_latency_us.p50": 87},
    ]
    table = readings_of((FILES[0].parent / "out.csv").read_text())
    assert figures(table[0])["set_latency_us.max"] == 4199


def test_other_tests_are_not_taken_for_set_or_get() -> None:
    readings = readings_of((FILES[0].parent / "pipeline.csv").read_text())
    assert [next(iter(figures(reading))) for reading in readings] == [
        "set_per_s",
        "get_per_s",
        "operations_per_s",
        "operations_per_s",
    ]
    assert readings[3].settings["test"] == "LRANGE_100 (first 100 elements)"


OLD = """====== SET ======
  50000 requests completed in 1.62 seconds
  50 parallel clients
  3 bytes payload
  keep alive: 1

42.17% <= 1 milliseconds
100.00% <= 3 milliseconds
30864.20 requests per second

"""


def test_old_versions_say_a_rate_and_no_percentile() -> None:
    (reading,) = readings_of(OLD)
    assert (reading.status, figures(reading)) == ("ok", {"set_per_s": 30864.20})
    assert reading.notes
    assert figures(readings_of("SET: 30864.20 requests per second\n")[0]) == {"set_per_s": 30864.20}
    assert figures(readings_of('"SET","30864.20"\n')[0]) == {"set_per_s": 30864.20}


def test_no_rate_is_no_result() -> None:
    for text in ("SET: -nan requests per second\n", '"SET","inf"\n', "SET: 0.00 requests per second\n"):
        assert [reading.status for reading in readings_of(text)] == ["failed"]
    (refused,) = readings_of((FILES[0].parent / "refused.txt").read_text())
    assert refused.failure == "Could not connect to Redis at 127.0.0.1:6391: Connection refused"
    (stopped,) = readings_of(OLD.partition("42.17%")[0] + "Error from server: LOADING\n")
    assert (stopped.status, stopped.failure) == ("failed", "Error from server: LOADING")
