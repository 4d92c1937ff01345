"""A node of a run, from the same file that instances fetch: from the roll call to the shutdown."""

import io
import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from agent_nodes import (
    RUN,
    PostOffice,
    disk_phase,
    give_orders,
    key_of,
    machine,
    net_phase,
    orders,
    post_office,
)
from stowage.measure.reading import Reading
from stowage.measure.recognise import recognise
from stowage.runs.assembly import results
from stowage.runs.report import Report, Status, read_report, read_status
from stowage.runs.spec import OwnDisks, RunSpec


@pytest.fixture
def office() -> Iterator[PostOffice]:
    with post_office() as found:
        yield found


@pytest.fixture
def disks(tmp_path: Path) -> str:
    """Return two files that stand for disks."""
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        with path.open("wb") as file:
            file.truncate(16 << 20)
    return ":".join(map(str, paths))


def test_a_node_does_its_phases_tells_of_them_and_shuts_down(tmp_path: Path, office: PostOffice, disks: str) -> None:
    give_orders(office, orders(0, 1, [disk_phase("read-write"), disk_phase("read")]))
    with machine(tmp_path / "m", office, disks=disks) as node:
        assert node.process.wait(60) == 0
        for mode in ("read-write", "read"):
            told = office.told(f"/nodes/0/reports/disk-{mode}", 0)
            assert (told["stowage"], told["node"], told["phase"]) == ("report", 0, f"disk-{mode}")
            assert told["status"] == "ok", told
            assert told["document"]["settings"]["disks"] == 2
        status = office.told("/nodes/0/status", 0)
        assert (status["state"], status["progress"]) == ("done", 1.0)
        assert any("disk-read: ok" in line for line in status["log"])
        assert node.shutdowns == ["-h now"]
    assert len(office.files["/nodes/0/reports/disk-read"]) == 1
    for content in office.files["/nodes/0/status"]:
        assert isinstance(read_status(content, key_of(0), UUID(RUN), 0), Status)


@pytest.mark.soak("tools")
def test_what_nodes_report_becomes_the_results_of_a_run(tmp_path: Path, disks: str) -> None:
    """Run two nodes from their orders to files that the measurement readers accept."""
    spec = RunSpec("screening", "i4i.large", 2, "us-east-1", storage=OwnDisks())
    phases = [net_phase(2), *(disk_phase(mode) for mode in ("read-write", "read", "write"))]
    reports = []
    with ExitStack() as stack:
        offices = [stack.enter_context(post_office()) for _ in range(2)]
        for number, office in enumerate(offices):
            give_orders(office, orders(number, 2, phases))
            stack.enter_context(machine(tmp_path / f"m{number}", office, disks=disks.split(":")[number]))
        for number, office in enumerate(offices):
            for phase in phases:
                path = f"/nodes/{number}/reports/{phase['name']}"
                office.wait_for(lambda path=path, office=office: path in office.files)
                report = read_report(office.files[path][0], key_of(number), UUID(RUN), number, str(phase["name"]))
                assert isinstance(report, Report), report
                reports.append(report)
    found = results(spec, "us-east-1a", reports)
    assert [(result.phase, result.complete, result.missing) for result in found] == [
        (phase["name"], True, ()) for phase in phases
    ]
    for result in found:
        assert result.file is not None
        reader, whole = recognise(io.BytesIO(result.file.content))
        readings = [reading for reading in reader.read(whole) if isinstance(reading, Reading)]
        assert {reading.status for reading in readings} == {"ok"}
        assert len(readings) == (1 if result.kind == "net" else 2)


def test_a_node_waits_until_the_roll_knows_it(tmp_path: Path, office: PostOffice) -> None:
    give_orders(office, orders(0, 1, []), instance="i-another")
    with machine(tmp_path / "m", office) as node:
        office.wait_for(lambda: node.process.poll() is None)
        assert "/nodes/0/status" not in office.files
        give_orders(office, orders(0, 1, []))
        assert node.process.wait(30) == 0
        assert node.shutdowns == ["-h now"]


def test_a_node_that_is_told_to_stop_sends_what_it_has(tmp_path: Path, office: PostOffice, disks: str) -> None:
    phases = [disk_phase("read-write", measured_s=600), disk_phase("read")]
    give_orders(office, orders(0, 1, phases))
    with machine(tmp_path / "m", office, disks=disks) as node:

        def reads() -> bool:
            told = [office.told(path, 0) for path in office.files if path.endswith("status")]
            return any(said["progress"] > 0.002 for said in told)

        office.wait_for(reads)
        give_orders(office, orders(0, 1, phases, revision=2, stop=True))
        assert node.process.wait(60) == 0
        cut = office.told("/nodes/0/reports/disk-read-write", 0)
        assert (cut["status"], cut["failure"]) == ("partial", "it was stopped")
        assert cut["document"]["result"]["storage_mb_per_s"] > 0
        never = office.told("/nodes/0/reports/disk-read", 0)
        assert (never["status"], never["failure"]) == ("failed", "not begun: Stowage asked to stop")
        assert node.shutdowns == ["-h now"]


def test_a_node_that_is_taken_back_sends_what_it_has(tmp_path: Path, office: PostOffice, disks: str) -> None:
    give_orders(office, orders(0, 1, [disk_phase("read", measured_s=600)]))
    office.is_interrupted = True
    with machine(tmp_path / "m", office, disks=disks) as node:
        assert node.process.wait(60) == 0
        told = office.told("/nodes/0/reports/disk-read", 0)
        assert told["status"] in ("partial", "failed")
        assert office.told("/nodes/0/status", 0)["words"] == "EC2 takes this spot instance back"


def test_a_node_whose_machine_shuts_down_sends_what_it_has(tmp_path: Path, office: PostOffice, disks: str) -> None:
    give_orders(office, orders(0, 1, [disk_phase("read", measured_s=600)]))
    with machine(tmp_path / "m", office, disks=disks) as node:
        office.wait_for(lambda: "/nodes/0/status" in office.files)
        node.process.send_signal(signal.SIGTERM)
        assert node.process.wait(60) == 0
        assert office.told("/nodes/0/reports/disk-read", 0)["status"] in ("partial", "failed")


def test_a_node_ends_before_its_time_is_over(tmp_path: Path, office: PostOffice, disks: str) -> None:
    ends_at = time.time() + 22.0  # the last 20 are reserved for sending
    give_orders(office, orders(0, 1, [disk_phase("read", measured_s=600)], ends_at=ends_at))
    with machine(tmp_path / "m", office, disks=disks) as node:
        assert node.process.wait(60) == 0
        assert office.told("/nodes/0/reports/disk-read", 0)["status"] in ("partial", "failed")
        assert office.told("/nodes/0/status", 0)["words"] == "its time is over"


def test_reports_are_sent_again_until_they_are_taken(tmp_path: Path, office: PostOffice, disks: str) -> None:
    office.refused = 3
    give_orders(office, orders(0, 1, [disk_phase("write")]))
    with machine(tmp_path / "m", office, disks=disks) as node:
        assert node.process.wait(60) == 0
    assert office.refused == 0
    assert office.told("/nodes/0/reports/disk-write", 0)["status"] == "ok"


def test_a_node_without_a_disk_says_so(tmp_path: Path, office: PostOffice) -> None:
    give_orders(office, orders(0, 1, [disk_phase("read")]))
    with machine(tmp_path / "m", office, disks=str(tmp_path / "nowhere")) as node:
        assert node.process.wait(60) == 0
    told = office.told("/nodes/0/reports/disk-read", 0)
    assert told["status"] == "failed"
    assert told["failure"].endswith("nowhere: No such file or directory")


def test_a_phase_that_cannot_be_takes_only_itself_along(tmp_path: Path, office: PostOffice, disks: str) -> None:
    """The orders do not name the other node's address."""
    give_orders(office, orders(0, 2, [net_phase(2), disk_phase("write")], peers=[]))
    with machine(tmp_path / "m", office, disks=disks) as node:
        assert node.process.wait(60) == 0
    assert office.told("/nodes/0/reports/net-2", 0)["status"] == "failed"
    assert office.told("/nodes/0/reports/disk-write", 0)["status"] == "ok"


@pytest.mark.soak("tools")
def test_a_phase_that_is_killed_takes_only_itself_along(tmp_path: Path, office: PostOffice, disks: str) -> None:
    phases = [disk_phase("read", measured_s=600), disk_phase("write")]
    give_orders(office, orders(0, 1, phases))
    with machine(tmp_path / "m", office, disks=disks) as node:

        def is_reading() -> bool:
            return any(
                "2 disks, read" in office.told(path, 0)["words"] for path in office.files if path.endswith("status")
            )

        office.wait_for(is_reading)
        [phase] = psutil.Process(node.process.pid).children()
        left = phase.children(recursive=True)
        phase.kill()
        assert node.process.wait(60) == 0
        psutil.wait_procs(left, 10)
        assert [each for each in left if each.is_running()] == []
    told = office.told("/nodes/0/reports/disk-read", 0)
    assert (told["status"], told["failure"]) == ("failed", "it ended with status -9 and told nothing")
    assert office.told("/nodes/0/reports/disk-write", 0)["status"] == "ok"


def test_orders_that_change_the_node_are_not_followed(tmp_path: Path, office: PostOffice, disks: str) -> None:
    give_orders(office, orders(0, 2, [disk_phase("read", measured_s=1)]))
    with machine(tmp_path / "m", office, disks=disks) as node:
        office.wait_for(lambda: "/nodes/0/status" in office.files)
        other = orders(1, 2, [], revision=9, stop=True)
        office.put("/orders/0", json.dumps(other).encode())
        assert node.process.wait(60) == 0
    assert office.told("/nodes/0/reports/disk-read", 0)["status"] == "ok"


def test_a_node_that_cannot_report_ends_itself(tmp_path: Path, office: PostOffice) -> None:
    office.instance = None
    with machine(tmp_path / "m", office, "--ends-at", str(time.time() + 1.0)) as node:
        assert node.process.wait(30) == 0
        assert node.shutdowns == ["-h now"]
