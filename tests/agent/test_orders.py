"""Parsing of orders from arbitrary bytes: they are read completely, or refused with the name of a field."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_nodes import RUN, address, disk_phase, key_of, net_phase, orders
from stowage_worker.agent.orders import (
    MOST_BYTES,
    BadOrdersError,
    DiskPhase,
    NetPhase,
    Orders,
    RedisPhase,
    read_orders,
    read_roll,
)

WHOLE = orders(
    1,
    4,
    [
        disk_phase("read-write"),
        net_phase(4, processes=None, compare=True),
        {"name": "redis-always", "kind": "redis", "appendfsync": "always", "measured_s": 30, "what": "instance-store"},
    ],
    orders_url="https://bucket.s3.us-east-1.amazonaws.com/p/orders/0001.json?X-Amz-Signature=0",
    status_url="http://127.0.0.1:9000/b/status",
    reports={"net-4": "https://b/x"},
    ends_at=1795250000.5,
    stop=False,
    later_field={"is": "left alone"},
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["file:///etc/passwd", "http://[", "https://x\ny", "-rf", "../../x", "net-4", "127.0.0.1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


def read(said: object) -> Orders:
    return read_orders(json.dumps(said).encode())


def check(found: Orders) -> None:
    """Check the invariants of orders that were parsed."""
    assert 0 <= found.node < found.nodes <= 1000
    assert set(found.peers) <= set(range(found.nodes))
    for url in (found.orders_url, found.status_url, *found.reports.values()):
        assert url is None or url.startswith(("http://", "https://"))
    assert 0.05 <= found.poll_s <= 600
    assert len({phase.name for phase in found.phases}) == len(found.phases)
    for phase in found.phases:
        assert 0 < phase.measured_s <= 3600
        assert phase.name.replace("-", "").isalnum()
        if isinstance(phase, DiskPhase):
            assert phase.block_bytes % 512 == 0
            assert phase.mode in ("read-write", "read", "write")
        if isinstance(phase, NetPhase):
            assert 2 <= phase.nodes <= 1000
            assert 1 <= phase.connections <= 16


def test_orders_are_read() -> None:
    found = read(WHOLE)
    check(found)
    assert (found.run, found.node, found.nodes, found.key, found.stop) == (RUN, 1, 4, key_of(1), False)
    assert found.ends_at == 1795250000.5
    assert found.peers == {node: address(node) for node in range(4)}
    disk, net, redis = found.phases
    assert disk == DiskPhase("disk-read-write", "read-write", 0.4, 0.1, 1 << 18, "ebs", 0.3)
    assert net == NetPhase("net-4", 4, 0.5, 0.1, 1, None, compare=True, gather_s=20.0)
    assert redis == RedisPhase("redis-always", "always", 30.0, "instance-store")


@given(st.binary(max_size=300) | json_values.map(lambda value: json.dumps(value, default=str).encode()))
def test_anything_else_is_refused(content: bytes) -> None:
    for read_it in (read_orders, lambda roll: read_roll(roll, "i-1")):
        with pytest.raises(BadOrdersError):
            read_it(content)


@given(st.data())
def test_a_field_that_is_anything_is_refused_or_sane(data: st.DataObject) -> None:
    said: dict[str, Any] = json.loads(json.dumps(WHOLE))
    held: Any = said
    while isinstance(held, dict | list) and held:
        name = data.draw(st.sampled_from(sorted(held) if isinstance(held, dict) else range(len(held))))
        if not isinstance(held[name], dict | list) or not held[name] or data.draw(st.booleans()):
            held[name] = data.draw(json_values)
            break
        held = held[name]
    try:
        found = read_orders(json.dumps(said).encode())
    except BadOrdersError as refused:
        assert str(refused)
    else:
        check(found)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stowage": "report"}, "no document of orders"),
        ({"version": 2}, "version is 2"),
        ({"run": "../x"}, "run is not of its form"),
        ({"node": 4}, "node is no whole number from 0 to 3"),
        ({"node": True}, "node is no whole number"),
        ({"nodes": 100_000}, "nodes is no whole number from 1 to 1000"),
        ({"key": "00"}, "key is not of its form"),
        ({"poll_s": 0}, "poll_s is not between"),
        ({"poll_s": math.inf}, "poll_s is not between"),
        ({"ends_at": "soon"}, "ends_at is no number"),
        ({"stop": 1}, "stop is neither true nor false"),
        ({"orders_url": "file:///etc/shadow"}, "orders_url is no http or https address"),
        ({"status_url": "https://a/\r\nX: y"}, "status_url is no http or https address"),
        ({"reports": {"../x": "https://a/"}}, "reports holds something else"),
        ({"peers": [{"node": 0, "address": "localhost"}]}, r"peers\[0\].address is no IP address"),
        ({"peers": [{"node": 9, "address": "127.0.0.1"}]}, "node is no whole number"),
        ({"phases": [net_phase(2), net_phase(2)]}, "two of them have the same name"),
        ({"phases": [net_phase(1)]}, r"phases\[0\].nodes is no whole number from 2"),
        ({"phases": [net_phase(2, connections=17)]}, r"phases\[0\].connections"),
        ({"phases": [disk_phase("erase")]}, r"phases\[0\].mode is none of"),
        ({"phases": [disk_phase("read", block_bytes=1000)]}, "no multiple of 512"),
        ({"phases": [disk_phase("read", name="; reboot")]}, "name is not of its form"),
        ({"phases": [disk_phase("read", kind="shell")]}, "kind is none of disk, net, redis"),
        ({"phases": [[]]}, r"phases\[0\] is no object"),
    ],
)
def test_the_field_is_named(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadOrdersError, match=words):
        read({**WHOLE, **change})


def test_too_much_is_not_read() -> None:
    with pytest.raises(BadOrdersError, match="more than"):
        read_orders(b" " * (MOST_BYTES + 1))


def test_depth_is_refused() -> None:
    with pytest.raises(BadOrdersError):
        read_orders(b"[" * 100_000)


def test_a_roll_names_where_the_orders_are() -> None:
    roll = {"stowage": "roll", "version": 1, "nodes": {"i-1": {"node": 0, "orders_url": "https://a/b"}, "i-2": {}}}
    content = json.dumps(roll).encode()
    assert read_roll(content, "i-1") == "https://a/b"
    assert read_roll(content, "i-3") is None
    with pytest.raises(BadOrdersError, match="orders_url"):
        read_roll(content, "i-2")
    with pytest.raises(BadOrdersError, match="no object of instances"):
        read_roll(json.dumps({**roll, "nodes": []}).encode(), "i-1")
