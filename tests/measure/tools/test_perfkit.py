from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given

from measured import all_of, check_cut, check_digits, damaged, files_for, head_of
from stowage.measure.tools import perfkit

FILES = files_for("perfkit")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_is_recognised_and_its_figures_stand_in_it(path: Path) -> None:
    content = path.read_bytes()
    assert perfkit.recognises(head_of(content))
    check_digits(perfkit.read, content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_was_cut_says_nothing_that_the_whole_does_not(path: Path) -> None:
    check_cut(perfkit.read, path.read_bytes())


@given(damaged([path.read_bytes() for path in FILES]))
def test_no_bytes_break_it(content: bytes) -> None:
    perfkit.recognises(head_of(content))
    all_of(perfkit.read, content)


def test_samples_of_one_test_are_a_measurement_with_its_machine() -> None:
    readings, remarks = all_of(perfkit.read, FILES[0].read_bytes())
    assert not remarks
    assert [(reading.name, {m.name: m.value for m in reading.metrics}) for reading in readings] == [
        ("iperf", {"network_sent_mb_per_s": 93871.5 / 8}),
        (
            "netperf",
            {"transactions_per_s": 18213.47, "network_latency_us.p50": 52, "network_latency_us.p99": 71},
        ),
        ("fio", {"read_mb_per_s": 524.288, "read_completion_latency_us.p99.9": 1830}),
    ]
    host = readings[2].host
    assert (host.instance_type, host.region, host.zone, host.nodes, host.volume_type) == (
        "c5n.18xlarge",
        "us-east-1",
        "us-east-1a",
        2,
        "gp3",
    )
    assert readings[0].started_at == datetime(2026, 11, 21, 4, 40, 1, 250_000, tzinfo=UTC)


def test_what_is_not_known_is_said_and_another_cloud_is_no_instance_type() -> None:
    line = FILES[0].read_text().splitlines()[0]
    unknown = line.replace('"Throughput"', '"Bogosity"')
    readings, remarks = all_of(perfkit.read, f"{unknown}\n".encode())
    assert (readings, len(remarks)) == ([], 1)
    assert "Bogosity" in remarks[0].message
    (other,) = all_of(perfkit.read, line.replace("cloud:AWS", "cloud:GCP").encode())[0]
    assert other.host.instance_type is None
    assert "GCP" in other.notes[0]


@pytest.mark.parametrize("value", ["1e309", "NaN", "-1", "0"])
def test_a_value_that_is_none_is_no_result(value: str) -> None:
    line = FILES[0].read_text().splitlines()[0].replace("93871.5", value)
    assert [reading.status for reading in all_of(perfkit.read, line.encode())[0]] == ["failed"]


def test_of_several_threads_the_total_counts() -> None:
    line = FILES[0].read_text().splitlines()[1]
    stream = line.replace("transactions_per_second", "Mbits/sec")
    names = ("total", "average", "p50", "stddev")
    lines = [stream.replace("TCP_RR_Transaction_Rate", f"TCP_STREAM_Throughput_{name}") for name in names]
    readings, remarks = all_of(perfkit.read, "\n".join(lines).encode())
    assert ([m.name for reading in readings for m in reading.metrics], remarks) == (["network_mb_per_s"], [])


@pytest.mark.parametrize(("unit", "mb_per_s"), [("Mbits/sec", [1.0]), ("GBITS/SEC", [1_000.0]), ("MBytes/sec", [])])
def test_only_bits_are_read_by_iperfs_units(unit: str, mb_per_s: list[float]) -> None:
    line = FILES[0].read_text().splitlines()[0].replace("93871.5", "8")
    readings, remarks = all_of(perfkit.read, line.replace("Mbits/sec", unit).encode())
    assert [metric.value for reading in readings for metric in reading.metrics] == mb_per_s
    assert len(remarks) == (not mb_per_s)
