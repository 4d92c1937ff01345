"""Memory of the HDFS head node for all blocks: the search against the plain loop, and the text of an answer."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from knowledge import known
from optimizer.certificate import assert_equal
from optimizer.oracle import enumerate_all
from optimizer.spaces import space
from optimizer.test_exact import check
from soaking import everyday
from stowage.catalog.snapshot import LATEST
from stowage.features.planning.explanation import words as explanation_words
from stowage.model.choice import Selection
from stowage.model.cluster import Configuration, InstanceStore
from stowage.model.infeasible import Broken
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.workload import Limits, Place, Workload
from stowage.optimizer.merge import search_open
from stowage.optimizer.outcome import Outcome, outcome_of
from stowage.optimizer.search import search

NEWEST = known(LATEST)
# 8 PB in blocks of 128 MiB are 59.6 million blocks.
ARCHIVE = Workload(
    "",
    Hdfs("hdfs-write", 8e9),
    limits=Limits(gib_per_million_blocks=1.0, max_nodes=400),
    selection=Selection(families=("d3en",)),
)


CHOSEN = (42, 63, 73, 118, 153, 154, 167, 171, 249, 272, 278, 306, 307, 343, 365, 434, 558)
"""Some spaces below 600 whose head node needs memory."""


@pytest.mark.parametrize("numbers", everyday((CHOSEN,), (CHOSEN, range(600)), "spaces"), ids=["chosen", "below 600"])
def test_what_leads_its_blocks_with_too_little_memory_is_refused_and_nothing_else(numbers: Sequence[int]) -> None:
    refused = ranked = 0
    for number in numbers:
        of = space(number)
        if of.workload.head_memory_gib == 0.0:
            continue
        found = check(number, of)
        refused += found.refused["head node memory"] > 0
        ranked += bool(found.rows)
    assert refused > 3
    assert ranked > 10


def test_a_type_leads_a_cluster_of_its_own_only_with_memory_for_all_blocks() -> None:
    plan = search(ARCHIVE, NEWEST.catalog, NEWEST.profiles)
    assert_equal(plan, enumerate_all(ARCHIVE, NEWEST.catalog, NEWEST.profiles, at_once=True))
    [refused] = [row for row in plan.rejected if row.limit == "head node memory"]
    assert set(refused.instances) == {"d3en.xlarge", "d3en.2xlarge"}
    assert refused.reason == "its head node has less than the 59.6 GiB that so many blocks of HDFS need"
    assert {row.configuration.instance for row in plan.ranked} <= {
        "d3en.4xlarge",
        "d3en.6xlarge",
        "d3en.8xlarge",
        "d3en.12xlarge",
    }


def test_a_head_node_of_another_type_needs_the_memory_instead() -> None:
    large = replace(ARCHIVE, place=Place(primary="r6g.2xlarge"))
    plan = search(large, NEWEST.catalog, NEWEST.profiles, 1)
    assert "head node memory" not in {row.limit for row in plan.rejected}
    small = replace(ARCHIVE, place=Place(primary="m6g.xlarge"))
    for workloads in ((small,), (small, small)):
        plan = search_open(workloads, NEWEST.catalog, NEWEST.profiles, 1)
        assert plan.ranked == ()
        assert [miss.limits for miss in plan.near_misses] == [("head node memory",)]


def test_an_explanation_names_the_memory_that_is_needed() -> None:
    configuration = Configuration("d3en.xlarge", 1_200, InstanceStore(2, 0))
    unlimited = replace(ARCHIVE, limits=replace(ARCHIVE.limits, max_nodes=None))
    found = outcome_of(configuration, unlimited, NEWEST.catalog, NEWEST.profiles)
    assert isinstance(found, Outcome)
    [row] = found.broken
    assert row == Broken("head node memory", 16.0, ARCHIVE.head_memory_gib, "d3en.xlarge")
    words = "Its head node, d3en.xlarge, has 16 GiB of memory; so many blocks of HDFS need 59.6."
    assert explanation_words.broken(row) == words
    assert explanation_words.bound(row) == "the 59.6 GiB of memory that the head node needs"
