"""Assembly of the nodes' reports: the resulting files are accepted by the benchmark readers."""

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stowage.measure.reading import Reading, Remark
from stowage.measure.target import Target
from stowage.measure.tools import diskbench, netbench
from stowage.runs.assembly import Result, ResultFile, results, scaling
from stowage.runs.report import Report, ReportStatus
from stowage.runs.screening import screen
from stowage.runs.spec import OwnDisks, RunSpec, Volumes

NETWORK = RunSpec("netbench", "i4i.large", 4, "us-east-1", placement_group=True)
DISKS = RunSpec("diskbench", "i4i.large", 3, "us-east-1", storage=OwnDisks())
ZONE = "us-east-1a"


def report(node: int, phase: str, document: Mapping[str, Any], status: ReportStatus = "ok") -> Report:
    return Report(node, phase, status, None if status == "ok" else "the link went away", document, "0" * 64)


def net(node: int, received: float, phase: str = "net-4", status: ReportStatus = "ok", **more: Any) -> Report:
    document = {
        "received_mb_per_s": received,
        "sent_mb_per_s": received + 1.0,
        "started_at": f"2026-11-21T08:00:0{node}+00:00",
        "duration_s": 20.0 + node,
        "connections": 1,
        "processes": 2,
        "retransmits": 3 * node,
        "iperf3_mb_per_s": None,
        **more,
    }
    return report(node, phase, document, status)


def disk(node: int, value: float, status: ReportStatus = "ok") -> Report:
    document: dict[str, Any] = {
        "stowage": "diskbench",
        "version": 1,
        "name": "2 disks, half of them read",
        "status": status,
        "duration_s": 60,
        "host": {"name": f"ip-10-0-0-{node}", "cpus": 2, "instance_type": "what the node believes"},
        "settings": {"mode": "read-write", "disks": 2, "block_bytes": 1048576, "direct": True},
        "result": {"storage_mb_per_s": value},
    }
    if status != "ok":
        document["failure"] = "the disk went away"
    return report(node, "disk-read-write", document, status)


def found(phase: str, spec: RunSpec, *reports: Report) -> Result:
    return next(each for each in results(spec, ZONE, reports) if each.phase == phase)


def file_of(result: Result) -> ResultFile:
    assert result.file is not None
    return result.file


def read_net(result: Result) -> Reading:
    (reading,) = netbench.read(io.BytesIO(file_of(result).content))
    assert isinstance(reading, Reading)
    return reading


def test_a_network_phase_is_the_mean_and_the_slowest_of_its_nodes() -> None:
    result = found("net-4", NETWORK, *(net(node, 1000.0 + 100 * node) for node in range(4)))
    assert result.complete
    assert result.missing == ()
    assert result.metrics == {
        "network_mb_per_s": 1150.0,
        "network_slowest_mb_per_s": 1000.0,
        "network_sent_mb_per_s": 1151.0,
        "network_retransmits": 4.5,
    }


def test_the_reader_takes_a_network_phase_with_its_size_and_its_place() -> None:
    result = found("net-4", NETWORK, *(net(node, 1000.0, iperf3_mb_per_s=1200.0) for node in range(4)))
    reading = read_net(result)
    assert reading.status == "ok"
    assert {metric.name: metric.value for metric in reading.metrics}["network_mb_per_s"] == 1000.0
    assert reading.duration_s == 23.0
    assert (reading.host.nodes, reading.host.instance_type, reading.host.zone) == (4, "i4i.large", ZONE)
    assert reading.settings["placement_group"] == "true"
    assert reading.settings["iperf3_mb_per_s"] == "1200.0"
    target = Target.from_dict(file_of(result).target)
    assert target.words() == "4 × i4i.large, us-east-1a, in a placement group"


def test_what_is_missing_makes_a_network_phase_partial_and_says_who() -> None:
    result = found("net-4", NETWORK, net(0, 1000.0), net(1, 900.0, status="partial"), net(3, 1.0, status="failed"))
    assert not result.complete
    assert result.missing == (2,)
    assert result.metrics["network_slowest_mb_per_s"] == 900.0
    reading = read_net(result)
    assert reading.status == "partial"
    assert reading.failure is not None
    assert "1 of 4 nodes did not report; node 1: the link went away" in reading.failure


def test_nodes_that_all_measured_a_part_are_named_with_their_reasons() -> None:
    result = found("net-2", NETWORK, *(net(node, 900.0, "net-2", "partial") for node in range(2)))
    assert (result.complete, result.missing) == (False, ())
    assert read_net(result).failure == "node 0: the link went away; node 1: the link went away"


def test_of_machines_that_stowage_did_not_launch_the_file_says_what_they_say() -> None:
    spec = RunSpec("screening", "", 2, "", storage=OwnDisks())
    reports = [disk(node, 500.0) for node in range(2)]
    (first, _) = diskbench.read(
        io.BytesIO(file_of(next(each for each in results(spec, None, reports) if each.file)).content)
    )
    assert isinstance(first, Reading)
    assert (first.host.name, first.host.instance_type) == ("ip-10-0-0-0", "what the node believes")


def test_an_unmeasured_network_phase_has_no_file() -> None:
    unmeasured = found("net-2", NETWORK)
    assert (unmeasured.complete, unmeasured.missing, unmeasured.file, unmeasured.metrics) == (False, (0, 1), None, {})
    failed = found("net-2", NETWORK, report(0, "net-2", {}, "failed"), report(1, "net-2", {}, "failed"))
    assert (failed.complete, failed.missing, failed.file) == (False, (), None)
    assert [node.failure for node in failed.per_node] == ["the link went away"] * 2


def test_bandwidth_is_given_by_cluster_size() -> None:
    reports = [*(net(node, 1500.0, "net-2") for node in range(2)), *(net(node, 1200.0 - node) for node in range(3))]
    scale = scaling(NETWORK, ZONE, reports)
    assert [(each.nodes, each.mean_mb_per_s, each.slowest_mb_per_s, each.reported) for each in scale] == [
        (2, 1500.0, 1500.0, 2),
        (4, 1199.0, 1198.0, 3),
    ]
    assert scaling(NETWORK, ZONE, []) == ()


def test_each_node_s_disks_are_a_measurement_of_their_own() -> None:
    result = found("disk-read-write", DISKS, *(disk(node, 500.0 + node) for node in range(3)))
    assert result.complete
    assert result.metrics == {"storage_mb_per_s": 501.0, "storage_mb_per_s.min": 500.0}
    readings = list(diskbench.read(io.BytesIO(file_of(result).content)))
    assert len(readings) == 3
    for node, reading in enumerate(readings):
        assert isinstance(reading, Reading)
        assert reading.status == "ok"
        assert reading.metrics[0].value == 500.0 + node
        assert (reading.host.instance_type, reading.host.name, reading.host.nodes) == (
            "i4i.large",
            f"ip-10-0-0-{node}",
            1,
        )
    target = Target.from_dict(file_of(result).target)
    assert target.words() == "i4i.large, 2 own disks, us-east-1a"


def test_disks_that_failed_are_told_of_and_not_counted() -> None:
    result = found("disk-read-write", DISKS, disk(0, 500.0), disk(1, 1.0, "failed"), report(2, "disk-read-write", {}))
    assert not result.complete
    assert result.metrics["storage_mb_per_s.min"] == 500.0
    readings = list(diskbench.read(io.BytesIO(file_of(result).content)))
    assert [reading.status for reading in readings if isinstance(reading, Reading)] == ["ok", "failed"]
    assert found("disk-read", DISKS).file is None


def test_volumes_are_named_as_they_were_ordered() -> None:
    spec = RunSpec("redis", "i4i.large", 2, "us-east-1", storage=Volumes("gp3", 500, 6000, None, 2))
    texts = [report(node, "redis-always", {"tool": "redis-benchmark", "text": f"====== {node}"}) for node in range(2)]
    result = found("redis-always", spec, *texts)
    assert result.complete
    assert file_of(result).content == b"====== 0\n====== 1\n"
    target = Target.from_dict(file_of(result).target)
    assert target.words() == "i4i.large, gp3 500 GiB 6,000 IOPS x 2, us-east-1a"
    assert found("redis-everysec", spec, report(0, "redis-everysec", {"text": 7})).file is None


def test_a_disk_of_a_volume_names_its_type() -> None:
    spec = RunSpec("diskbench", "i4i.large", 1, "us-east-1", storage=Volumes("gp3", 500))
    (reading,) = diskbench.read(io.BytesIO(file_of(results(spec, None, [disk(0, 250.0)])[0]).content))
    assert isinstance(reading, Reading)
    assert reading.host.volume_type == "gp3"
    assert reading.host.zone is None


def test_testdfsio_is_what_hadoop_printed_of_the_whole_cluster() -> None:
    spec = RunSpec("testdfsio", "m5.xlarge", 4, "us-east-1")
    printed = report(0, "testdfsio-write", {"tool": "testdfsio", "text": "----- TestDFSIO ----- : write"})
    first, second = results(spec, ZONE, [printed])
    assert (first.phase, first.complete, first.kind) == ("testdfsio-write", True, "testdfsio")
    assert file_of(first).target["nodes"] == 4
    assert (second.complete, second.missing, second.file) == (False, (0,), None)


def test_what_was_not_asked_for_and_what_comes_again_is_left_out() -> None:
    again = net(0, 9999.0)
    result = found("net-4", NETWORK, *(net(node, 1000.0) for node in range(4)), again, net(0, 1.0, "net-3"))
    assert result.metrics["network_mb_per_s"] == 1000.0
    assert [each.phase for each in results(NETWORK, ZONE, [net(7, 1.0)])] == ["net-2", "net-4"]


ANY = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(st.sampled_from(sorted(net(0, 1).document)), held),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from(sorted(net(0, 1.0).document)), ANY, max_size=9), max_size=4))
def test_the_reader_accepts_the_document_for_any_signed_reports(documents: list[dict[str, Any]]) -> None:
    result = found("net-4", NETWORK, *(report(node, "net-4", document) for node, document in enumerate(documents)))
    if result.file is not None:
        json.loads(result.file.content)
        for each in netbench.read(io.BytesIO(result.file.content)):
            assert isinstance(each, Reading | Remark)


SCREENED = RunSpec("screening", "i4i.large", 8, "us-east-1", storage=OwnDisks())


def test_nodes_that_fall_behind_are_dropped_for_a_reason_in_words() -> None:
    reports = [net(node, 1000.0 + node if node != 5 else 700.0, "net-8") for node in range(8)]
    reports += [disk(node, 500.0 if node != 2 else 300.0) for node in range(8)]
    reports += [disk_of(node, mode) for node in range(8) for mode in ("read", "write")]
    screening = screen(SCREENED, reports)
    assert [drop.node for drop in screening.drop] == [2, 5]
    assert screening.drop[0].reasons == (
        "reading and writing at once in disk-read-write: 300 MB/s, 40% below the median of 500",
    )
    assert "700 MB/s" in screening.drop[1].reasons[0]
    assert "8 nodes compared" in screening.words


def disk_of(node: int, mode: str) -> Report:
    return report(node, f"disk-{mode}", {"stowage": "diskbench", "result": {f"{mode}_mb_per_s": 800.0}})


def test_nodes_that_did_not_report_or_failed_are_dropped() -> None:
    reports = [net(node, 1000.0, "net-8") for node in range(6)] + [net(6, 0.0, "net-8", "failed")]
    spec = RunSpec("screening", "i4i.large", 8, "us-east-1")
    screening = screen(spec, reports)
    assert [(drop.node, drop.reasons[0]) for drop in screening.drop] == [
        (6, "net-8 failed: the link went away"),
        (7, "it did not report on net-8"),
    ]


@pytest.mark.parametrize("slower", [0.0, 0.04])
def test_nodes_that_are_nearly_alike_are_all_kept(slower: float) -> None:
    spec = RunSpec("screening", "i4i.large", 8, "us-east-1")
    reports = [net(node, 1000.0 * (1 - slower if node == 3 else 1), "net-8") for node in range(8)]
    assert screen(spec, reports).drop == ()


def test_among_three_nodes_the_slow_one_is_not_identified() -> None:
    spec = RunSpec("screening", "i4i.large", 3, "us-east-1")
    screening = screen(spec, [net(node, 1000.0 if node else 100.0, "net-3") for node in range(3)])
    assert screening.drop == ()
    assert "too few" in screening.words


@given(st.lists(st.floats(900.0, 1100.0), min_size=4, max_size=40), st.floats(0.01, 100.0))
def test_what_is_dropped_does_not_depend_on_the_unit(rates: list[float], factor: float) -> None:
    spec = RunSpec("screening", "i4i.large", len(rates), "us-east-1")
    phase = f"net-{len(rates)}"
    one = screen(spec, [Report(n, phase, "ok", None, {"received_mb_per_s": r}, "") for n, r in enumerate(rates)])
    other = screen(
        spec,
        [Report(n, phase, "ok", None, {"received_mb_per_s": r * factor}, "") for n, r in enumerate(rates)],
    )
    assert {drop.node for drop in one.drop} == {drop.node for drop in other.drop}
    median_and_above = sorted(rates)[len(rates) // 2]
    assert all(rates[drop.node] < median_and_above for drop in one.drop)
