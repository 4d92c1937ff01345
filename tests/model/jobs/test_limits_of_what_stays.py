"""Limits of permanent clusters: time to re-replicate a failed node, and memory for the blocks of HDFS."""

from dataclasses import replace

import pytest

from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Limits, Workload

COPIES = Durability("application", 3)
# 8 PB in blocks of 128 MiB are 59.6 million blocks.
ARCHIVE = Workload("", Hdfs("hdfs-write", 8e9, COPIES), limits=Limits(rereplication_s=1e3, gib_per_million_blocks=1.0))


def test_permanent_data_is_re_replicated_within_the_limit() -> None:
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
def test_data_that_is_not_re_replicated_has_no_such_limit(workload: Workload) -> None:
    assert workload.rereplicated_within_s is None


def test_hdfs_blocks_need_memory_of_the_head_node_if_that_is_limited() -> None:
    assert ARCHIVE.head_memory_gib == pytest.approx(8e15 / 128 / 2**20 / 1e6)
    assert replace(ARCHIVE, limits=Limits()).head_memory_gib == 0.0
    assert replace(ARCHIVE, job=MapReduce("sort", 1e6)).head_memory_gib == 0.0
