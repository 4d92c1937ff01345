"""What a cluster that stays is held against: time to copy again what a failed node held, memory for HDFS's blocks."""

from dataclasses import replace

import pytest

from stowage.model.flows import Durability
from stowage.model.hdfs import Hdfs
from stowage.model.mapreduce import MapReduce
from stowage.model.workload import Limits, Workload

COPIES = Durability("application", 3)
# 8 PB in blocks of 128 MiB are 59.6 million blocks.
ARCHIVE = Workload("", Hdfs("hdfs-write", 8e9, COPIES), limits=Limits(rereplication_s=1e3, gib_per_million_blocks=1.0))


def test_copies_of_data_that_stays_are_made_again_in_time() -> None:
    assert ARCHIVE.rereplicated_within_s == 1e3
    assert replace(ARCHIVE, job=MapReduce("sort", 1e6, durability=COPIES), kept_s=2.6e6).rereplicated_within_s == 1e3


@pytest.mark.parametrize(
    "workload",
    [
        replace(ARCHIVE, limits=Limits()),
        replace(ARCHIVE, job=Hdfs("hdfs-write", 8e9, Durability("none"))),
        replace(ARCHIVE, job=Hdfs("hdfs-write", 8e9, Durability("infrastructure"))),
        replace(ARCHIVE, job=MapReduce("sort", 1e6, durability=COPIES)),
    ],
    ids=["no limit", "a single copy", "volumes outlive their node", "a job's own minutes"],
)
def test_what_is_not_copied_again_has_no_such_limit(workload: Workload) -> None:
    assert workload.rereplicated_within_s is None


def test_blocks_of_hdfs_need_memory_of_the_head_node_where_it_is_asked_for() -> None:
    assert ARCHIVE.head_memory_gib == pytest.approx(8e15 / 128 / 2**20 / 1e6)
    assert replace(ARCHIVE, limits=Limits()).head_memory_gib == 0.0
    assert replace(ARCHIVE, job=MapReduce("sort", 1e6)).head_memory_gib == 0.0
