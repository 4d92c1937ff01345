import hashlib
import hmac
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runs.simulated import approved
from stowage.runs.mailbox import ROLL, Wanted, orders_key, report_key, status_key, to_fetch
from stowage.runs.observation import ObservedObject
from stowage.runs.orders import (
    Addresses,
    expected,
    needed_s,
    node_key,
    orders,
    peers_key,
    phases,
    roll,
)
from stowage.runs.report import REPORT_MOST_BYTES, STATUS_MOST_BYTES
from stowage.runs.run import Run
from stowage.runs.spec import DiskPlan, NetPlan, OwnDisks, RunSpec, Volumes
from stowage_worker.agent.orders import read_orders, read_roll

KEY = bytes(range(32))
AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def spec(benchmark: str, nodes: int = 4, **rest: object) -> RunSpec:
    return RunSpec(benchmark, "i4i.large", nodes, "us-east-1", **rest)  # type: ignore[arg-type] # names of a test


def running(of: RunSpec) -> Run:
    nodes = tuple((f"i-{node}", f"10.0.0.{node + 4}") for node in range(of.nodes))
    return replace(approved(of), nodes=nodes, ends_at=AT + timedelta(minutes=14))


def test_the_network_is_measured_at_powers_of_two_and_with_all_nodes() -> None:
    assert [phase.name for phase in phases(spec("netbench", 2))] == ["net-2"]
    assert [phase.name for phase in phases(spec("netbench", 8))] == ["net-2", "net-4", "net-8"]
    assert [phase.name for phase in phases(spec("netbench", 13))] == ["net-2", "net-4", "net-8", "net-13"]


def test_iperf3_compares_once_and_only_where_it_is_asked_for() -> None:
    compared = [phase.settings["compare"] for phase in phases(spec("netbench", 8))]
    assert compared == [True, False, False]
    plain = phases(spec("netbench", 8, net=NetPlan(compare=False)))
    assert not any(phase.settings["compare"] for phase in plain)


def test_a_screening_measures_all_nodes_at_once_and_then_their_disks() -> None:
    found = phases(spec("screening", 6, storage=OwnDisks()))
    assert [phase.name for phase in found] == ["net-6", "disk-read-write", "disk-read", "disk-write"]
    assert [phase.name for phase in phases(spec("screening", 6))] == ["net-6"]


def test_disks_are_filled_once_before_anything_is_read() -> None:
    fills = [each.settings.get("fill_s") for each in phases(spec("diskbench", 1, storage=OwnDisks()))]
    assert fills == [70.0, None, None]
    plan = DiskPlan(modes=("write", "read"), measured_s=5.0, warm_up_s=1.0)
    later = phases(spec("diskbench", 1, storage=OwnDisks(), disk=plan))
    assert [each.settings.get("fill_s") for each in later] == [None, 6.0]


def test_what_is_not_filled_is_left_out_of_the_orders() -> None:
    run = running(spec("diskbench", 1, storage=OwnDisks()))
    told = json.loads(orders(run, 0, KEY, addresses(), revision=1, stop=False))["phases"]
    assert ["fill_s" in phase for phase in told] == [True, False, False]


def test_redis_is_measured_once_for_each_way_to_force_its_file() -> None:
    found = phases(spec("redis", 1, storage=Volumes("gp3", 100)))
    assert [(each.name, each.settings["what"]) for each in found] == [
        ("redis-everysec", "ebs"),
        ("redis-always", "ebs"),
    ]


def test_every_report_that_is_waited_for_is_one_that_some_node_was_told_to_make() -> None:
    for of in (
        spec("netbench", 6),
        spec("screening", 3, storage=OwnDisks()),
        spec("diskbench", 2, storage=Volumes("gp3", 100)),
        spec("redis", 2, storage=OwnDisks()),
    ):
        run = running(of)
        told = set()
        for node in range(of.nodes):
            said = read_orders(orders(run, node, KEY, addresses(), revision=1, stop=False))
            told |= {(node, phase.name) for phase in said.phases}
        assert told == expected(of)


def test_a_run_of_nothing_but_phases_needs_their_time_and_that_of_installing() -> None:
    of = spec("netbench", 2, net=NetPlan(measured_s=20.0, warm_up_s=3.0, compare=False))
    assert needed_s(of) == 120.0 + 33.0
    assert needed_s(spec("testdfsio", 3)) > 600.0


def addresses() -> Addresses:
    names = {name: f"https://b.s3.amazonaws.com/{name}?put" for name in ("net-2", "net-4")}
    return Addresses("https://b.s3.amazonaws.com/orders?get", "https://b.s3.amazonaws.com/status?put", names)


@pytest.mark.parametrize("node", [0, 3])
def test_the_agent_understands_its_orders_to_the_last_field(node: int) -> None:
    run = running(spec("netbench"))
    told = read_orders(orders(run, node, KEY, addresses(), revision=2, stop=node == 3))
    assert (told.run, told.node, told.nodes, told.revision) == (str(run.id), node, 4, 2)
    assert told.stop is (node == 3)
    assert run.ends_at is not None
    assert told.ends_at == run.ends_at.timestamp()
    assert told.key == hmac.digest(KEY, b"node:%d" % node, hashlib.sha256)
    assert told.peers_key == peers_key(KEY)
    names = [phase.name for phase in told.phases]
    assert names == (["net-2", "net-4"] if node == 0 else ["net-4"])


def test_keys_of_nodes_differ_and_say_nothing_of_the_run_s() -> None:
    keys = {node_key(KEY, node) for node in range(200)} | {peers_key(KEY), KEY}
    assert len(keys) == 202


def test_the_roll_gives_each_instance_its_number_and_its_own_address() -> None:
    run = running(spec("netbench", 2))
    urls = {"i-0": "https://b/0?get", "i-1": "https://b/1?get"}
    content = roll(run, urls)
    assert read_roll(content, "i-1") == "https://b/1?get"
    assert read_roll(content, "i-2") is None
    assert [each["node"] for each in json.loads(content)["nodes"].values()] == [0, 1]


def test_what_is_fetched_is_what_nodes_may_have_written_and_what_is_new() -> None:
    run = running(spec("netbench", 2))
    keys = [
        *(ROLL, orders_key(0), status_key(0), status_key(1), status_key(2), report_key(0, "net-2")),
        *(report_key(1, "net-4"), report_key(1, "net-2"), "nodes/0001/../x.json", "nodes/1/net-2.json"),
    ]
    there = [ObservedObject(key, 10, "e1") for key in keys]
    etags = {status_key(0): "e0", status_key(1): "e1"}
    assert to_fetch(run, there, etags) == (
        Wanted(status_key(0), 0, None, "e1", STATUS_MOST_BYTES + 1),
        Wanted(report_key(0, "net-2"), 0, "net-2", "e1", REPORT_MOST_BYTES + 1),
        Wanted(report_key(1, "net-2"), 1, "net-2", "e1", REPORT_MOST_BYTES + 1),
    )
