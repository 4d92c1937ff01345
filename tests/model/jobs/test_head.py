"""Instance type of the head node."""

from dataclasses import replace

import pytest

from stowage.model.figure import Figure
from stowage.model.hardware.instance import InstanceType
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.head import head_of, shared_head
from stowage.model.jobs.workload import Limits, Place, Workload

WRITE = Workload("", Hdfs("hdfs-write", 200e6), place=Place(head="general"))


def a_type(name: str, memory_gib: float = 16.0, usd_per_hour: float | None = 0.2) -> InstanceType:
    def figure(quantity: str, value: float) -> Figure:
        return Figure(quantity, value, "1", "made up", "given")

    return InstanceType(
        name=name,
        vcpus=figure("vcpus", 4.0),
        memory_gib=figure("memory_gib", memory_gib),
        disk_count=figure("disk_count", 0.0),
        disk_size_gb=None,
        disk_media=None,
        placement_group=True,
        usd_per_hour=None if usd_per_hour is None else figure("usd_per_hour", usd_per_hour),
        ebs_usd_per_hour=None,
        gaps={},
    )


WORKER = a_type("d3en.xlarge")


def head(*types: InstanceType, of: Workload = WRITE) -> str:
    return head_of(of, WORKER, {one.name: one for one in (WORKER, *types)}).name


def test_the_head_node_is_the_smallest_general_purpose_type_on_sale() -> None:
    large, own, newer = a_type("m5.2xlarge", 32.0), a_type("m5.xlarge"), a_type("m6g.xlarge")
    assert head(large, newer, own) == "m5.xlarge"
    assert head(large, newer) == "m6g.xlarge"
    assert head(large) == "m5.2xlarge"
    assert head(large, a_type("m5.xlarge", usd_per_hour=None)) == "m5.2xlarge"


def test_the_head_node_has_memory_for_its_blocks() -> None:
    """200 TB in blocks of 128 MB are 1.5625 million."""
    asked = replace(WRITE, job=Hdfs("hdfs-write", 200e6, block_mb=128.0), limits=Limits(gib_per_million_blocks=20.0))
    assert asked.head_memory_gib == pytest.approx(31.25)
    assert head(a_type("m5.xlarge"), a_type("m5.2xlarge", 32.0), of=asked) == "m5.2xlarge"
    assert head(a_type("m5.xlarge"), of=asked) == "d3en.xlarge"


def test_without_a_general_purpose_type_the_head_node_is_of_the_workers_type() -> None:
    assert head() == "d3en.xlarge"
    plain = replace(WRITE, place=Place())
    assert head(a_type("m5.xlarge"), of=plain) == "d3en.xlarge"
    assert shared_head(plain, {}) is None


def test_a_named_type_is_used_unchanged() -> None:
    named = replace(WRITE, place=Place(primary="t3.nano", head="general"))
    assert head(a_type("t3.nano"), a_type("m5.xlarge"), of=named) == "t3.nano"
    with pytest.raises(KeyError):
        head(a_type("m5.xlarge"), of=named)
