"""Documents of DiskBench and NetBench, version 1."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cut_files import check_any_bytes, check_cut, figures, head_of, readings, remarks, values
from stowage.measure.seeds import SEEDS
from stowage.measure.tools import diskbench, netbench

DISKS: dict[str, Any] = {
    "stowage": "diskbench",
    "version": 1,
    "tool_version": "0.1.0",
    "name": "4 disks",
    "started_at": "2026-11-20T14:30:00+00:00",
    "duration_s": 60,
    "host": {"instance_type": "i4i.8xlarge", "region": "us-east-1", "zone": "us-east-1a", "nodes": 1, "cpus": 32},
    "settings": {"mode": "read-write", "disks": 2, "direct": True, "block_bytes": 1048576},
    "result": {"storage_mb_per_s": 2671.25, "read_mb_per_s": 2671.25, "write_mb_per_s": 2700.5},
    "intervals": {"length_s": 20, "read_mb_per_s": [2600, 2700.0, 2713.75]},
    "notes": ["warm-up of 5 s left out"],
}
NETWORK: dict[str, Any] = {
    "stowage": "netbench",
    "version": 1,
    "host": {"instance_type": "i4i.8xlarge", "nodes": 16},
    "settings": {"placement_group": True, "connections": 1},
    "result": {"network_mb_per_s": 1100.5, "network_slowest_mb_per_s": 950},
}
SEED_FILES = [seed.open().read() for seed in SEEDS if seed.name.startswith("diskbench")]


def disks(**changed: object) -> bytes:
    return json.dumps({key: value for key, value in {**DISKS, **changed}.items() if value is not None}).encode()


def test_a_document_is_taken_as_it_says() -> None:
    [reading] = readings(diskbench.read, disks())
    assert (reading.status, reading.name, reading.tool_version) == ("ok", "4 disks", "0.1.0")
    assert figures(reading)["storage_mb_per_s"] == "2671.25"
    assert values(reading)["write_mb_per_s"] == 2700.5
    assert reading.settings["direct"] == "true"
    assert reading.host.instance_type == "i4i.8xlarge"
    assert reading.series[0].times_s == (20.0, 40.0, 60.0)
    assert remarks(diskbench.read, disks()) == []


def test_a_network_is_taken_as_it_says() -> None:
    [reading] = readings(netbench.read, json.dumps(NETWORK).encode())
    assert values(reading) == {"network_mb_per_s": 1100.5, "network_slowest_mb_per_s": 950.0}
    assert reading.host.nodes == 16
    assert reading.settings["placement_group"] == "true"


def test_each_recognises_its_own_only() -> None:
    ours, theirs = disks(), json.dumps(NETWORK).encode()
    assert diskbench.recognises(head_of(ours))
    assert not netbench.recognises(head_of(ours))
    assert netbench.recognises(head_of(theirs))
    assert not diskbench.recognises(head_of(theirs))


def test_documents_may_follow_each_other() -> None:
    assert len(readings(diskbench.read, disks() + b"\n" + disks(name="again"))) == 2


def test_a_failed_run_is_failed_in_its_own_words() -> None:
    content = disks(status="failed", failure="disk /dev/nvme1n1 went away", result=None, intervals=None)
    [reading] = readings(diskbench.read, content)
    assert (reading.status, reading.failure) == ("failed", "disk /dev/nvme1n1 went away")


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"version": None},
        {"status": "fine"},
        {"status": "failed"},
        {"failure": "but it is ok"},
        {"result": None},
        {"result": {}},
        {"result": {"storage_mb_per_s": 0}},
        {"result": {"storage_mb_per_s": -1}},
        {"result": {"storage_mb_per_s": "1515"}},
        {"result": {"network_mb_per_s": 1515}},
        {"result": {"storage_mb_per_s.median": 1515}},
        {"result": {"read_iops": 1515}},
        {"duration_s": 0},
        {"started_at": "2026-11-20T14:30:00"},
        {"started_at": "yesterday"},
        {"intervals": {"read_mb_per_s": [1]}},
        {"intervals": {"length_s": 1, "cpu_user_share": [1]}},
        {"told": {"storage_mb_per_s": {"text": "2.6", "unit": "GB/s"}}},
    ],
)
def test_a_document_that_is_wrong_is_a_failed_measurement(changed: dict[str, object]) -> None:
    [reading] = readings(diskbench.read, disks(**changed))
    assert reading.status == "failed"
    assert reading.metrics == ()
    assert len(remarks(diskbench.read, disks(**changed))) == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e309"])
def test_what_is_no_number_fails(number: str) -> None:
    [reading] = readings(diskbench.read, disks().replace(b"2671.25", number.encode()))
    assert reading.status == "failed"


def test_a_field_that_is_not_known_is_remarked_on_and_left_out() -> None:
    [remark] = remarks(diskbench.read, disks(weather="fair"))
    assert "weather" in remark.message
    assert readings(diskbench.read, disks(weather="fair"))[0].status == "ok"


@given(st.sampled_from([disks(), *SEED_FILES]), st.integers(0, 4_000))
def test_a_cut_document_never_says_more_than_the_whole(content: bytes, at: int) -> None:
    check_cut(diskbench.read, content, at)


@given(st.binary(max_size=300), st.integers(0, 800))
def test_any_bytes_are_read_to_the_end(junk: bytes, at: int) -> None:
    content = disks()
    check_any_bytes(diskbench.read, junk)
    check_any_bytes(netbench.read, junk)
    check_any_bytes(diskbench.read, content[:at] + junk + content[at:])
