from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.reading import Reading
from stowage.measure.tools import netperf

FILES = files_for("netperf")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert netperf.recognises(head_of(content))
    check_digits(netperf.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(netperf.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    netperf.recognises(head_of(content))
    all_of(netperf.read, content)


def only(name: str) -> Reading:
    (reading,) = all_of(netperf.read, (FILES[0].parent / name).read_bytes())[0]
    return reading


def figures(name: str) -> dict[str, float]:
    return {metric.name: metric.value for metric in only(name).metrics}


def test_tables_are_read_by_their_test_and_unit() -> None:
    assert figures("tcp_stream.txt") == {"network_mb_per_s": 9405.31 / 8}
    assert figures("mbytes.txt") == {"network_mb_per_s": 1171.521536}
    assert figures("tcp_rr.txt") == {"transactions_per_s": 18213.47}
    assert only("tcp_stream.txt").series[0].values == (9412.55 / 8, 9398.04 / 8)


def test_both_ends_of_udp_are_told_apart() -> None:
    assert figures("udp_stream.txt") == {"network_sent_mb_per_s": 9355.02 / 8, "network_mb_per_s": 9276.00 / 8}


def test_omni_is_read_by_its_names_however_they_are_broken_into_lines() -> None:
    found = figures("omni.csv")
    assert found["transactions_per_s"] == 3150.22
    assert {name: value for name, value in found.items() if name != "transactions_per_s"} == {
        "network_latency_us.p50": 311,
        "network_latency_us.p90": 340,
        "network_latency_us.p99": 402,
        "network_latency_us.stddev": 40.18,
        "network_latency_us.min": 255,
        "network_latency_us.max": 4120,
    }
    assert figures("omni.keys") == {
        "network_mb_per_s": 9391.18 / 8,
        "network_sent_mb_per_s": 9391.22 / 8,
        "network_retransmits": 211,
    }


def test_what_failed_is_told_in_the_tools_words() -> None:
    reading = only("refused.txt")
    assert reading.status == "failed"
    assert reading.failure is not None
    assert "are you sure there is a netserver listening" in reading.failure


def test_values_that_do_not_fit_their_names_are_no_result() -> None:
    content = (FILES[0].parent / "omni.csv").read_text().replace("3150.22,Trans/s,311,", "3150.22,Trans/s,")
    readings, remarks = all_of(netperf.read, content.encode())
    assert [reading.status for reading in readings] == ["failed"]
    assert "9 values stand where 10 were expected" in remarks[0].message
