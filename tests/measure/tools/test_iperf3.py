import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.reading import Reading
from stowage.measure.tools import iperf3

FILES = files_for("iperf3")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert iperf3.recognises(head_of(content))
    check_digits(iperf3.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(iperf3.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    iperf3.recognises(head_of(content))
    all_of(iperf3.read, content)


def only(name: str) -> Reading:
    """Read a file of one run."""
    (reading,) = all_of(iperf3.read, (FILES[0].parent / name).read_bytes())[0]
    return reading


def figures(reading: Reading) -> dict[str, float]:
    return {metric.name: metric.value for metric in reading.metrics}


@pytest.mark.parametrize("name", ["tcp.json", "parallel.json", "reverse.json", "udp.json", "udp_reverse.json"])
def test_sums_are_those_that_another_reader_of_json_finds(name: str) -> None:
    end = json.loads((FILES[0].parent / name).read_text(), parse_float=Decimal)["end"]
    found = figures(only(name))
    for ours, theirs in (("network_mb_per_s", "sum_received"), ("network_sent_mb_per_s", "sum_sent")):
        assert found[ours] == float(end[theirs]["bits_per_second"] / Decimal(8_000_000))


def test_what_arrives_and_what_is_sent_are_told_apart_in_each_direction() -> None:
    forth, back = only("tcp.txt"), only("reverse.txt")
    assert forth.settings["direction"] == "client to server"
    assert back.settings["direction"] == "server to client"
    assert figures(forth) == {
        "network_mb_per_s": 20.1 * 125,
        "network_sent_mb_per_s": 20.1 * 125,
        "network_retransmits": 34.0,
    }
    assert [series.name for series in forth.series + back.series] == ["network_sent_mb_per_s", "network_mb_per_s"]


@pytest.mark.parametrize("name", ["bidir.json", "bidir.txt"])
def test_both_directions_at_once_are_two_readings(name: str) -> None:
    forth, back = all_of(iperf3.read, (FILES[0].parent / name).read_bytes())[0]
    assert (forth.settings["direction"], back.settings["direction"]) == ("client to server", "server to client")
    assert figures(forth)["network_mb_per_s"] != figures(back)["network_mb_per_s"]
    assert (forth.series[0].name, back.series[0].name) == ("network_sent_mb_per_s", "network_mb_per_s")


def test_parallel_streams_are_read_by_their_sum() -> None:
    assert figures(only("parallel.txt"))["network_mb_per_s"] == 19.5 * 125
    assert only("parallel.txt").series[0].values == (20.5 * 125, 18.7 * 125)


def test_losses_and_jitter_of_udp_are_those_of_the_receiving_end() -> None:
    found = figures(only("udp.txt"))
    assert (found["network_jitter_us"], found["network_lost_share"]) == (13.0, 0.0)
    assert found["network_mb_per_s"] == 50.1 / 8


def test_bytes_come_in_1024s_and_bits_in_thousands() -> None:
    assert figures(only("udp_reverse.txt"))["network_mb_per_s"] == 1.261568  # 1232 KBytes/sec
    assert figures(only("verbose.txt"))["network_mb_per_s"] == 2581.625  # 20653 Mbits/sec


@pytest.mark.parametrize("name", ["refused.json", "refused.txt"])
def test_a_refused_connection_is_a_failed_run_in_the_tools_words(name: str) -> None:
    reading = only(name)
    assert (reading.status, reading.metrics) == ("failed", ())
    assert reading.failure == "unable to connect to server: Connection refused"


def test_an_interrupted_run_failed_although_it_has_figures() -> None:
    assert (only("interrupted.json").status, only("interrupted.json").metrics) == ("failed", ())
    assert only("interrupted.json").failure == "the server has terminated"
    assert only("interrupted.txt").failure == "the client has terminated"
    assert len(only("interrupted.txt").series[0].values) == 3


def test_several_documents_and_text_between_them_are_all_read() -> None:
    parts = [(FILES[0].parent / name).read_bytes() for name in ("tcp.json", "tcp.txt", "reverse.json", "refused.txt")]
    readings, remarks = all_of(iperf3.read, b"\n".join(parts))
    assert [reading.status for reading in readings] == ["ok", "ok", "ok", "failed"]
    assert not remarks
    listed = b"[" + parts[0] + b"," + parts[2] + b"]"
    assert [reading.name for reading in all_of(iperf3.read, listed)[0]] == [readings[0].name, readings[2].name]


def test_a_server_tells_of_each_test_and_of_the_one_that_was_cut_short() -> None:
    readings, _ = all_of(iperf3.read, (FILES[0].parent / "server.txt").read_bytes())
    assert [reading.status for reading in readings] == ["ok", "ok", "failed"]
    assert figures(readings[0]) == {"network_mb_per_s": 2750.0}
    assert "network_sent_mb_per_s" in figures(readings[1])


def test_titles_and_times_before_lines_do_not_matter() -> None:
    plain = (FILES[0].parent / "tcp.txt").read_text()
    titled = "".join(f"node1:  {line}\n" for line in plain.splitlines())
    assert figures(all_of(iperf3.read, titled.encode())[0][0]) == figures(only("tcp.txt"))
    assert not all_of(iperf3.read, titled.encode())[1]
    assert only("timestamps.txt").status == "ok"


def test_events_make_the_same_reading_as_a_document() -> None:
    whole = json.loads((FILES[0].parent / "tcp.json").read_text(), parse_float=str)
    events = [("start", whole["start"]), *(("interval", one) for one in whole["intervals"]), ("end", whole["end"])]
    lines = [json.dumps({"event": event, "data": data}) for event, data in events]
    # Writing the numbers as text and removing the quotes preserves their digits.
    content = re.sub(r'"(\d+\.\d+)"', r"\1", "\n".join(lines)) + "\n"
    (reading,) = all_of(iperf3.read, content.encode())[0]
    assert iperf3.recognises(head_of(content.encode()))
    assert (reading.metrics, reading.series) == (only("tcp.json").metrics, only("tcp.json").series)
    failed = lines[0] + '\n{"event":"error","data":"the server has terminated"}\n{"event":"end","data":{}}\n'
    assert all_of(iperf3.read, failed.encode())[0][0].failure == "the server has terminated"
    assert all_of(iperf3.read, "\n".join(lines[:-1]).encode())[0][0].status == "failed"


OLD_UDP = """{"start": {"version": "iperf 3.1.3", "connecting_to": {"host": "10.0.1.17", "port": 5201},
"test_start": {"protocol": "UDP", "num_streams": 1, "reverse": 0}},
"intervals": [{"sum": {"start": 0, "end": 1.0, "seconds": 1.0, "bytes": 131072, "bits_per_second": 1048576,
"packets": 16, "omitted": false}}],
"end": {"sum": {"start": 0, "end": 10.0, "seconds": 10.0, "bytes": 1310720, "bits_per_second": 1048576,
"jitter_ms": 0.057, "lost_packets": 3, "packets": 160, "lost_percent": 1.875}}}
"""


def test_the_one_sum_of_old_udp_is_what_was_sent() -> None:
    (reading,) = all_of(iperf3.read, OLD_UDP.encode())[0]
    assert figures(reading) == {
        "network_sent_mb_per_s": 0.131072,
        "network_jitter_us": 57.0,
        "network_lost_share": 0.01875,
    }
    assert reading.host.nodes == 2


def test_nothing_that_was_moved_is_no_result() -> None:
    nothing = re.sub(r'"(bytes|bits_per_second)":\s*[\d.]+', r'"\1": 0', (FILES[0].parent / "tcp.json").read_text())
    (reading,) = all_of(iperf3.read, nothing.encode())[0]
    assert (reading.status, reading.metrics) == ("failed", ())
    unheard = (FILES[0].parent / "tcp.json").read_text().partition('"sum_received"')
    unheard_of = unheard[0] + unheard[1] + re.sub(r'"bytes":\s*\d+', '"bytes": 0', unheard[2], count=1)
    (reading,) = all_of(iperf3.read, unheard_of.encode())[0]
    assert (reading.status, reading.failure) == ("partial", "The receiving end reported no received bytes")
