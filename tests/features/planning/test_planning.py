"""Limits on answers: size, and finite numbers."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from knowledge import PAPER
from stowage.catalog.snapshot import LATEST
from stowage.features.planning.planning import (
    MOST_DRAWN_POINTS,
    MOST_POINTS_OF_COLUMNS,
    MOST_ROWS,
    predict_cluster,
    preview_columns,
    preview_plan,
)
from stowage.features.reports.composed.options import Option
from stowage.model.forecast import LAUNCH
from stowage.model.uncertainty.scale import Z90
from stowage.optimizer.search import search
from stowage.platform.errors import BadInput
from stowage.workloads.answers import CandidateAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.stored_answers import answer_of, packed
from stowage.workloads.workload_file import parse_workload

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_a_frontier_of_many_points_is_thinned_and_keeps_both_ends() -> None:
    place, workload = {"catalog": "paper-2014"}, {"data": "100 TB", "framework": "ideal"}
    file = parse_workload({"workload": workload, "place": place, "limits": {"max_nodes": 4000}})
    # Which points within the resolution stand for others also depends on the requested rows.
    whole = search(file.to_workload(), PAPER.catalog, PAPER.profiles, MOST_ROWS).frontier
    answer = preview_plan(file, packaged_knowledge, lambda: 0.0, "first")
    assert answer.frontier_size == len(whole) > MOST_DRAWN_POINTS
    assert len(answer.frontier) == MOST_DRAWN_POINTS
    assert [point.time_s for point in answer.frontier[:1]] == [whole[0].time_s]
    assert [point.time_s for point in answer.frontier[-1:]] == [whole[-1].time_s]
    times = [point.time_s for point in answer.frontier]
    assert times == sorted(set(times))


def test_a_thinned_frontier_with_less_and_less_loss_keeps_both_ends_and_the_safer_points() -> None:
    """More points than fit are best in time and cost, and the slowest point is one that only loses less data."""
    file = parse_workload(
        {
            "workload": {
                "job": "mapreduce",
                "data": "300 GB",
                "durability": {"model": "any"},
                "framework": "hadoop-dfsio",
                "map_selectivity": 2.0,
            },
            "limits": {"deadline": "1 h", "max_nodes": 400, "loss": "0.001 %"},
            "choose": {"families": ["d3en"]},
            "credits": "empty",
        }
    )
    whole = preview_plan(file, packaged_knowledge, lambda: 0.0).frontier
    answer = preview_columns(file, packaged_knowledge, lambda: 0.0)
    stored = answer_of(packed(answer.encoded)).frontier
    assert (len(stored), answer.head.frontier_size) == (MOST_POINTS_OF_COLUMNS, len(whole))
    cheaper, safer = parted(whole)
    assert len(cheaper) > MOST_POINTS_OF_COLUMNS
    assert whole[-1] is safer[-1]
    for ends in (0, -1):
        assert stored[ends].time_s == pytest.approx(whole[ends].time_s, rel=1e-8)
        assert parted(stored)[0][ends].time_s == pytest.approx(cheaper[ends].time_s, rel=1e-8)
        assert parted(stored)[1][ends].time_s == pytest.approx(safer[ends].time_s, rel=1e-8)
    assert len(parted(stored)[1]) == MOST_POINTS_OF_COLUMNS // 4


def parted(frontier: Sequence[CandidateAnswer]) -> tuple[list[CandidateAnswer], list[CandidateAnswer]]:
    """Return points that cost less than all faster ones, and points whose only advantage is less data loss."""
    cheaper, safer = list[CandidateAnswer](), list[CandidateAnswer]()
    for point in frontier:
        (cheaper if all(point.cost_usd < one.cost_usd for one in cheaper) else safer).append(point)
    return cheaper, safer


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_is_answered_from_the_newest_catalog(example: Path) -> None:
    document = yaml.safe_load(example.read_text())
    document["place"] = {**document.get("place", {}), "catalog": "latest"}
    file = parse_workload(document)
    if file.cluster is not None:
        prediction = predict_cluster(file, packaged_knowledge)
        assert isinstance(prediction, PredictionAnswer)
        assert prediction.catalog_version == LATEST
        return
    answer = preview_plan(file, packaged_knowledge, lambda: 0.0, "first")
    assert answer.catalog_version == LATEST
    assert answer.configurations


def test_a_workload_that_names_no_catalog_is_answered_from_the_newest() -> None:
    file = parse_workload({"workload": {"data": "1 TB"}, "limits": {"max_nodes": 5}})
    assert preview_plan(file, packaged_knowledge, lambda: 0.0, "none").catalog_version == LATEST


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ({"catalog": "paper-2014-gce", "region": "us-central1"}, "place.catalog"),
        ({"catalog": "1999"}, "place.catalog"),
        ({"region": "atlantis"}, "place.region"),
    ],
)
def test_without_a_server_too_a_place_must_be_known(place: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput) as refused:
        preview_plan(parse_workload({"workload": {"data": "1 TB"}, "place": place}), packaged_knowledge, lambda: 0.0)
    assert [problem.path for problem in refused.value.problems] == [path]


SLOWEST = {
    "storage_mb_per_s": 0.001,
    "network_mb_per_s": 0.001,
    "ebs_read_mb_per_s": 0.001,
    "ebs_write_mb_per_s": 0.001,
}


@pytest.mark.parametrize("durability", [{"model": "application", "replicas": 100}, {"model": "infrastructure"}])
@pytest.mark.parametrize("data", ["1 B", "1000 EB"])
def test_extremes_of_what_is_accepted_are_answered(data: str, durability: dict[str, Any]) -> None:
    """Answers refuse numbers that are not finite, so an overflow anywhere would raise here."""
    workload = {"data": data, "job": "mapreduce", "map_selectivity": 2.0, "reduce_selectivity": 4.0}
    document = {"workload": workload | {"durability": durability}, "measured": SLOWEST}
    answer = preview_plan(parse_workload(document), packaged_knowledge, lambda: 0.0, "first")
    assert answer.configurations


def test_more_data_than_can_be_counted_is_refused() -> None:
    workload = {"data": "1000 EB", "job": "mapreduce", "map_selectivity": 1000.0, "reduce_selectivity": 1000.0}
    with pytest.raises(BadInput, match=r"over 10\^18 MB") as refused:
        parse_workload({"workload": workload})
    assert [problem.path for problem in refused.value.problems] == ["workload"]


def test_an_error_of_two_sides_is_taken_apart_on_both() -> None:
    """The sources of the range add up to p10 with what lies below the median, and to p90 with what lies above."""
    cluster = {"instance": "i2.8xlarge", "nodes": 178}
    document = {"workload": {"data": "100 TB"}, "place": {"catalog": "paper-2014"}, "cluster": cluster}
    found = predict_cluster(parse_workload(with_framework(document, "unknown")), packaged_knowledge)
    assert isinstance(found, PredictionAnswer)
    above = math.hypot(*(source.log_deviation for source in found.range_sources))
    below = math.hypot(
        *(
            source.log_deviation if source.log_deviation_below is None else source.log_deviation_below
            for source in found.range_sources
        )
    )
    assert found.time_s.p90 / found.time_s.p50 == pytest.approx(math.exp(Z90 * above))
    assert found.time_s.p50 / found.time_s.p10 == pytest.approx(math.exp(Z90 * below))
    assert below < above
    ideal = predict_cluster(parse_workload(with_framework(document, "ideal")), packaged_knowledge)
    assert isinstance(ideal, PredictionAnswer)
    assert {source.log_deviation_below for source in ideal.range_sources} == {None}


def with_framework(document: dict[str, Any], framework: str) -> dict[str, Any]:
    return {**document, "workload": {**document["workload"], "framework": framework}}


def test_a_usual_deadline_limits_an_answer_and_stands_in_it_as_one() -> None:
    document: dict[str, Any] = {"workload": {"job": "hdfs-write", "data": "200 TB", "replication": 3}}
    slow = {**document, "measured": {"network_mb_per_s": 10.0}}
    answer, late = (
        preview_plan(parse_workload(one), packaged_knowledge, lambda: 0.0, "none") for one in (document, slow)
    )
    assert answer.limits.deadline_s == 7 * 86_400.0
    assert answer.sentence.startswith("Cheapest within 7 d with 95% confidence, with 25% of the disks free")
    assert answer.workload["limits"] == {"chance": None}
    # A report names it, too.
    assert Option("first", "", answer.configurations[0], parse_workload(document)).deadline == "7 d"
    assert all(row.meets_deadline is not None and row.time_s.p50 <= 7 * 86_400.0 for row in late.configurations)
    assert "chance" in {row.limit for row in late.rejected}


def test_a_near_miss_says_how_long_re_replication_takes_and_within_it_there_is_an_answer() -> None:
    document: dict[str, Any] = {
        "workload": {"job": "hdfs-write", "data": "200 TB", "replication": 3},
        "limits": {"rereplication": "15 min", "max_nodes": 6},
        "assume": {"usual": "ignored"},
    }
    refused = preview_plan(parse_workload(document), packaged_knowledge, lambda: 0.0, "none")
    assert refused.sentence.endswith("on at most 6 nodes, re-replicating a failed node within 15 min.")
    assert refused.limits.rereplication_s == 900.0
    [miss] = [one for one in refused.near_misses if one.limits == ["re-replication"]]
    assert miss.relaxation.endswith(" to re-replicate a failed node")
    relaxed = parse_workload({**document, "limits": {**document["limits"], **miss.needs}})
    found = preview_plan(relaxed, packaged_knowledge, lambda: 0.0, "none").configurations[0]
    assert (found.nodes, found.instance) == (miss.candidate.nodes, miss.candidate.instance)


def test_a_prediction_lists_what_is_assumed_of_a_run_and_nothing_of_the_search() -> None:
    asked = {"workload": {"data": "10 TB"}, "cluster": {"instance": "i4i.8xlarge", "nodes": 10}}
    answer = predict_cluster(parse_workload(asked), packaged_knowledge)
    assert isinstance(answer, PredictionAnswer)
    assert [each.path for each in answer.assumed] == [
        *("workload.framework", "workload.input", "workload.output", "assume.launch"),
    ]
    assert answer.phases[0].name == LAUNCH
    without = predict_cluster(parse_workload({**asked, "assume": {"usual": "ignored"}}), packaged_knowledge)
    assert isinstance(without, PredictionAnswer)
    assert without.assumed == []


def test_where_it_is_open_how_data_is_kept_what_is_assumed_of_any_way_is_listed_once() -> None:
    asked = {
        "workload": {"job": "hdfs-write", "data": "10 TB", "durability": {"model": "any"}},
        "limits": {"loss": "1 %", "max_nodes": 50},
        "choose": {"families": ["d3en", "m5"]},
    }
    answer = preview_plan(parse_workload(asked), packaged_knowledge, lambda: 0.0, "none")
    paths = [each.path for each in answer.assumed]
    assert "limits.lost_nodes" in paths
    assert len(set(paths)) == len(paths)


def test_an_hdfs_cluster_with_too_few_copies_does_not_hide_a_larger_one_with_more() -> None:
    asked = {
        "workload": {"job": "hdfs-read", "data": "2 TB", "framework": "unknown"},
        "place": {"service": "emr"},
        "objective": "month",
        "limits": {"max_nodes": 400, "loss": "0.1 %"},
        "choose": {"families": ["c6gn", "i4i"]},
    }
    answer = preview_plan(parse_workload(asked), packaged_knowledge, lambda: 0.0, "none")
    first = answer.configurations[0]
    assert (first.nodes, first.instance, first.replicas) == (6, "i4i.xlarge", 2)
    assert all(row.loss_probability <= 0.001 for row in answer.configurations)


def test_a_near_miss_names_the_limits_that_it_breaks() -> None:
    asked = {
        "workload": {"job": "hdfs-read", "data": "2 TB", "framework": "unknown"},
        "limits": {"max_nodes": 3, "loss": "0.1 %", "rereplication": "11 min"},
        "choose": {"families": ["i4i"]},
    }
    answer = preview_plan(parse_workload(asked), packaged_knowledge, lambda: 0.0, "none")
    assert answer.near_misses
    for miss in answer.near_misses:
        assert miss.limits
        assert ("loss" in miss.needs) or (miss.candidate.loss_probability or 0.0) <= 0.001
