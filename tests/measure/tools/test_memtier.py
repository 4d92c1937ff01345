import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.reading import Reading
from stowage.measure.tools import memtier

FILES = files_for("memtier")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert memtier.recognises(head_of(content))
    check_digits(memtier.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(memtier.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    memtier.recognises(head_of(content))
    all_of(memtier.read, content)


def only(content: str) -> Reading:
    (reading,) = all_of(memtier.read, content.encode())[0]
    return reading


def figures(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


TABLE = (FILES[0].parent / "memtier.txt").read_text()
DOCUMENT = (FILES[0].parent / "memtier.json").read_text()


def test_table_and_json_of_one_run_agree_but_for_the_mean_that_the_tool_prints_differently() -> None:
    table, document = figures(only(TABLE)), figures(only(DOCUMENT))
    assert {name: document[name] for name in table if "mean" not in name} == {
        name: value for name, value in table.items() if "mean" not in name
    }
    assert (table["set_latency_us.mean"], document["set_latency_us.mean"]) == (125983.88, 124721.0)
    assert table["operations_mb_per_s"] == 395.49746176
    assert "get_per_s" not in table


def test_json_says_when_and_what_was_run_second_by_second() -> None:
    reading = only(DOCUMENT)
    assert reading.started_at == datetime(2026, 11, 20, 8, 26, 28, 37_000, tzinfo=UTC)
    assert (reading.duration_s, reading.settings["pipeline"], reading.settings["data_size"]) == (5.061, "25", "10000")
    assert reading.series[0].values == (31776, 51697, 38054, 38269, 37916)


def test_old_columns_and_other_percentiles_are_read() -> None:
    old = """ALL STATS
=========================================================================
Type         Ops/sec     Hits/sec   Misses/sec      Latency       KB/sec
-------------------------------------------------------------------------
Sets        13850.07          ---          ---      1.37800      1066.70
Gets       138348.50         0.00    138348.50      1.35900      5389.27
Waits           0.00          ---          ---      0.00000          ---
Totals     152198.57         0.00    138348.50      1.36100      6455.97
"""
    assert figures(only(old))["get_latency_us.mean"] == 1359
    other = TABLE.replace("  p50 Latency", "  p90 Latency").replace("p99.9 Latency", " p100 Latency")
    assert {"set_latency_us.p90", "set_latency_us.max"} <= {*figures(only(other))}


@pytest.mark.parametrize("share", ["999", "101", "99.1234567"])
def test_a_percentile_that_is_none_is_left_out_and_the_others_stay(share: str) -> None:
    """Found by fuzzing: `p999` was read as a statistic."""
    table, document = TABLE.replace("p99 ", f"p{share} "), DOCUMENT.replace('"p99.00"', f'"p{share}"')
    assert (table == TABLE, document == DOCUMENT) == (False, False)
    for changed, content in ((table, TABLE), (document, DOCUMENT)):
        left_out = figures(only(content)).keys() - figures(only(changed)).keys()
        assert {name.partition(".")[2] for name in left_out} == {"p99"}


def test_an_interrupted_run_and_one_that_did_nothing_are_no_good_ones() -> None:
    assert only(DOCUMENT.replace('"Interrupted": "false"', '"Interrupted": "true"')).status == "partial"
    assert only(re.sub("39366.99", "0.00", TABLE)).status == "failed"
    (reading,) = all_of(memtier.read, b"[RUN #1] Launching threads now...\nconnection error: Connection refused\n")[0]
    assert reading.failure == "connection error: Connection refused"


def test_of_several_runs_the_average_is_read() -> None:
    average = "AGGREGATED AVERAGE RESULTS (2 runs)"
    runs = "".join(TABLE.replace("ALL STATS", title) for title in ("BEST RUN RESULTS", "WORST RUN RESULTS", average))
    assert [reading.name for reading in all_of(memtier.read, runs.encode())[0]] == [average]
