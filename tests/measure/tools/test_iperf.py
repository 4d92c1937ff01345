from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.reading import Reading
from stowage.measure.tools import iperf

FILES = files_for("iperf")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert iperf.recognises(head_of(content))
    check_digits(iperf.read, content)


# A line of CSV does not show that others are missing: the first of two streams looks like a single stream.
@pytest.mark.parametrize("path", [path for path in FILES if path.name != "parallel.csv"], ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(iperf.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    iperf.recognises(head_of(content))
    all_of(iperf.read, content)


def readings_of(name: str) -> list[Reading]:
    return all_of(iperf.read, (FILES[0].parent / name).read_bytes())[0]


def figures(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


def test_the_row_of_the_whole_counts_and_those_of_intervals_are_a_series() -> None:
    (reading,) = readings_of("tcp.txt")
    assert figures(reading) == {"network_sent_mb_per_s": 2500.0}
    assert (reading.duration_s, reading.series[0].values) == (2.0148, (19.9 * 125, 20.4 * 125))
    assert figures(readings_of("mbytes.txt")[0]) == {"network_sent_mb_per_s": 2525 * 1.048576}


def test_a_client_sends_and_a_server_receives() -> None:
    assert figures(readings_of("server.txt")[0]) == {"network_mb_per_s": 20.1 * 125}
    assert figures(readings_of("parallel.txt")[0]) == {"network_sent_mb_per_s": 43.4 * 125}
    (udp,) = readings_of("udp.txt")
    assert figures(udp) == {
        "network_sent_mb_per_s": 2.625,
        "network_mb_per_s": 2.625,
        "network_jitter_us": 0.0,
        "network_lost_share": 0.0,
    }


def test_a_sum_of_both_directions_is_no_figure_of_either() -> None:
    assert [reading.status for reading in readings_of("server.txt")] == ["ok"] * 7 + ["failed"] * 2


def test_what_failed_is_told_in_the_tools_words() -> None:
    (reading,) = readings_of("refused.txt")
    assert (reading.status, reading.failure) == ("failed", "tcp connect failed: Connection refused")
    assert [reading.status for reading in readings_of("tradeoff.txt")] == ["failed", "ok"]


def test_csv_tells_client_and_server_by_their_ports() -> None:
    (reading,) = readings_of("tcp.csv")
    assert figures(reading) == {"network_sent_mb_per_s": 2502.006338625}
    assert (len(reading.series[0].values), reading.duration_s) == (2, 2.0)
    swapped = b"20261121043712,127.0.0.1,5001,127.0.0.1,56686,1,0.0-10.0,2494562364,1995649891\n"
    assert figures(all_of(iperf.read, swapped)[0][0]) == {"network_mb_per_s": 249.456236375}
    (streams,) = readings_of("parallel.csv")
    assert (streams.status, streams.metrics) == ("failed", ())


OLD = """------------------------------------------------------------
Client connecting to 10.0.1.17, TCP port 5001
TCP window size: 85.0 KByte (default)
------------------------------------------------------------
[  3] local 10.0.1.16 port 41234 connected with 10.0.1.17 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec  10.9 GBytes  9.39 Gbits/sec
"""


def test_the_single_decimal_of_old_versions_is_read() -> None:
    (reading,) = all_of(iperf.read, OLD.encode())[0]
    assert (reading.status, figures(reading)) == ("ok", {"network_sent_mb_per_s": 9.39 * 125})
    assert reading.host.nodes == 2


def test_runs_that_were_appended_to_a_csv_are_told_apart() -> None:
    content = (FILES[0].parent / "tcp.csv").read_bytes() * 3
    assert [reading.duration_s for reading in all_of(iperf.read, content)[0]] == [2.0, 2.0, 2.0]


def test_text_and_csv_in_one_file_are_told_apart() -> None:
    text, table = ((FILES[0].parent / name).read_bytes() for name in ("tcp.txt", "tcp.csv"))
    for content in (text + table, table + text):
        assert [reading.status for reading in all_of(iperf.read, content)[0]] == ["ok", "ok"]
    row = b"[  1] 0.0000-2.0148 sec  4.69 GBytes  20.0 Gbits/sec\n"
    readings, remarks = all_of(iperf.read, table + row)
    assert ([reading.status for reading in readings], len(remarks)) == (["ok"], 1)
