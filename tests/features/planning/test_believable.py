"""Implausible results that a new user reported, tested again (docs/believable.md)."""

import re
from typing import Any

import pytest

from commands import stowage
from stowage.features.planning.planning import predict_cluster, preview_plan
from stowage.model.hardware.instance import InstanceType
from stowage.workloads.answers import PlanAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

ARCHIVE: dict[str, Any] = {"workload": {"job": "hdfs-write", "data": "200 TB", "replication": 3}, "objective": "month"}
ON_VOLUMES = {**ARCHIVE, "workload": {**ARCHIVE["workload"], "durability": {"model": "infrastructure"}}}
SORT: dict[str, Any] = {"workload": {"data": "100 TB"}}
IN_S3 = {"workload": {"data": "100 TB", "durability": {"model": "object-store"}}}


def planned(document: dict[str, Any]) -> PlanAnswer:
    return preview_plan(parse_workload(document), packaged_knowledge, lambda: 0.0, "first")


def _disks_mb(instance: InstanceType) -> float:
    assert instance.disk_size_gb is not None
    return instance.disk_count.value * instance.disk_size_gb.value * 1e3


@pytest.mark.parametrize(
    "document", [ARCHIVE, ON_VOLUMES, SORT, IN_S3], ids=["HDFS", "HDFS on EBS", "sort", "sort in S3"]
)
def test_no_node_that_is_ranked_is_too_small_for_the_daemons_that_run_on_it(document: dict[str, Any]) -> None:
    types = packaged_knowledge("latest", "us-east-1").catalog.instance_types
    rows = planned(document).configurations
    assert rows
    for row in rows:
        assert types[row.instance].vcpus.value >= 4, row.instance
        assert types[row.instance].memory_gib.value >= 8, row.instance


def test_a_cluster_that_stays_has_free_space_and_room_for_a_lost_node() -> None:
    types = packaged_knowledge("latest", "us-east-1").catalog.instance_types
    answer = planned({**ARCHIVE, "choose": {"families": ["d3en"]}})
    copies_mb = 3 * 200e6
    for row in answer.configurations:
        node_mb = _disks_mb(types[row.instance])
        assert copies_mb / (row.nodes * node_mb) <= 0.75
        assert copies_mb / ((row.nodes - 1) * node_mb) <= 1.0
    said = [each.words for each in answer.assumed]
    assert "25% of disks and volumes stay free" in said
    assert "there is room for the loss of 1 node" in said
    assert "with room for the loss of 1 node" in answer.sentence


@pytest.mark.parametrize("document", [ARCHIVE, ON_VOLUMES], ids=["own disks", "EBS"])
def test_a_cluster_that_stays_is_filled_within_a_week_unless_a_deadline_says_otherwise(
    document: dict[str, Any],
) -> None:
    week_s = 7 * 86_400.0
    usual = planned(document)
    assert usual.limits.deadline_s == week_s
    assert all(row.time_s.p50 <= week_s for row in usual.configurations)
    assert "within 7 d" in usual.sentence
    assert "the cluster is filled within 7 d" in [each.words for each in usual.assumed]
    patient = planned({**document, "limits": {"deadline": "60 d"}})
    assert patient.limits.deadline_s == 60 * 86_400.0
    assert "limits.deadline" not in [each.path for each in patient.assumed]


def test_a_sort_is_loaded_launched_and_unloaded_within_its_deadline() -> None:
    answer = planned({"workload": {"data": "40 TB"}, "limits": {"deadline": "2 h", "chance": "95 %"}})
    assert {"the input is loaded from the object store", "launch and set-up count in the time"} <= {
        each.words for each in answer.assumed
    }
    row = answer.configurations[0]
    cluster = {"instance": row.instance, "nodes": row.nodes, "storage": row.storage.model_dump(exclude_none=True)}
    found = predict_cluster(parse_workload({**answer.workload, "cluster": cluster}), packaged_knowledge)
    assert isinstance(found, PredictionAnswer)
    names = [phase.name for phase in found.phases]
    assert names == [
        "launch and set-up",
        "load from the object store",
        *("map", "fetch", "fetch, sort and reduce", "sort and reduce"),
        "unload to the object store",
        "start-up and coordination",
    ]
    assert sum(phase.time_s for phase in found.phases) == pytest.approx(found.time_s.p50, rel=1e-3)
    # No cluster is available at once: the fastest option also waits for its launch.
    assert all(point.time_s > found.phases[0].time_s for point in answer.frontier)


def test_the_head_node_is_a_small_general_purpose_type_by_default() -> None:
    """Three large nodes behave like thirty small ones: 3 × d3en.12xlarge pay for no fourth."""
    types = packaged_knowledge("latest", "us-east-1").catalog.instance_types
    answer = planned({**ARCHIVE, "choose": {"families": ["d3en"]}})
    assert {row.head_node.instance for row in answer.configurations if row.head_node} == {"m5.xlarge"}
    month = types["m5.xlarge"].usd_per_hour
    parts = answer.configurations[0].cost_always_on_parts_usd
    assert month is not None
    assert parts is not None
    assert parts.head_nodes == pytest.approx(730.0 * month.value)
    assert "and 1 × m5.xlarge as NameNode" in answer.sentence
    assert "place.primary" in [each.path for each in answer.assumed]
    for place, usual in (({"primary": "workers"}, "applied"), ({}, "ignored")):
        asked = {**ARCHIVE, "place": place, "choose": {"families": ["d3en"]}, "assume": {"usual": usual}}
        of_workers = planned(asked)
        assert all(row.head_node and row.head_node.instance == row.instance for row in of_workers.configurations)
        assert "place.primary" not in [each.path for each in of_workers.assumed]


def test_a_head_node_has_memory_for_the_blocks_of_its_files() -> None:
    """2 PB in blocks of 32 MiB are 60 million blocks: 60 GiB of heap."""
    asked = {"workload": {**ARCHIVE["workload"], "data": "2 PB", "block_size": "32 MiB"}, "objective": "month"}
    answer = planned(asked)
    assert {row.head_node.instance for row in answer.configurations if row.head_node} == {"m5.4xlarge"}


@pytest.mark.parametrize(("service", "copies"), [("ec2", 3), ("emr", 2)])
def test_hdfs_uses_the_default_replication_of_its_service(service: str, copies: int) -> None:
    """Hadoop's dfs.replication is 3; EMR sets 2 from 4 to 9 nodes: 2.3 TB need 7 x 950 GB with a quarter free."""
    asked = {
        "workload": {"job": "hdfs-write", "data": "2.3 TB"},
        "place": {"service": service},
        "choose": {"instances": ["i3.xlarge"]},
        "limits": {"max_nodes": 9 if service == "emr" else 20},
    }
    answer = planned(asked)
    [row] = answer.configurations
    assert row.replicas == copies
    assert "with room for the loss of 1 node, re-replicating a failed node within 24 h: " in answer.sentence
    cluster = {"instance": row.instance, "nodes": row.nodes, "storage": row.storage.model_dump(exclude_none=True)}
    found = predict_cluster(parse_workload({**answer.workload, "cluster": cluster}), packaged_knowledge)
    assert isinstance(found, PredictionAnswer)
    listed = {figure.quantity: (figure.value, figure.kind) for figure in found.provenance}
    named = "emr_replication" if service == "emr" else "hadoop_replication"
    assert listed[named] == (float(copies), "published")


def test_data_elsewhere_is_loaded_at_the_rate_of_its_link() -> None:
    """40 TB over 10 Gbit/s take 8 h 53 min on every cluster."""
    document = {"workload": {"data": "40 TB", "input": {"elsewhere": "10 Gbit/s"}}, "limits": {"deadline": "48 h"}}
    answer = planned(document)
    assert "sort 40 TB from elsewhere at 10 Gbit/s to the object store in " in answer.sentence
    assert "Bottleneck: link to the data (load from elsewhere)." in answer.sentence
    assert all(point.time_s > 32_000.0 for point in answer.frontier)
    for row in answer.configurations:
        [loading] = [phase for phase in row.phases if phase.kind == "load"]
        assert loading.time_s >= 32_000.0
    assert "workload.input" not in [each.path for each in answer.assumed]
    late = planned({**document, "limits": {"deadline": "8 h"}})
    assert not late.configurations
    assert {row.limit for row in late.rejected} >= {"chance"}


def test_the_terminal_calls_both_risks_by_their_names() -> None:
    table = stowage("plan", "-", stdin='{"workload": {"data": "40 TB"}, "limits": {"deadline": "2 h"}}').stdout
    assert re.search(r"deadline .*\n.* risk ", table)
    assert not re.search(r"\blate\b", table)
    cluster = '"cluster": {"instance": "i8g.8xlarge", "nodes": 46}'
    one = stowage(
        "predict", "-", stdin=f'{{"workload": {{"data": "40 TB"}}, "limits": {{"deadline": "2 h"}}, {cluster}}}'
    )
    assert "risk of missing the deadline: " in one.stdout
    assert "Chance of losing data in " in one.stdout
