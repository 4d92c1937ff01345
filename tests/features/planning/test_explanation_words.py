"""Explanations in words: the texts, and their agreement with the numbers."""

import ast
import re
from pathlib import Path
from typing import Any, cast

import pytest

import stowage
from stowage.features.planning.explanation import words as explanation_words
from stowage.features.planning.explanation.explanation import explain_cluster, overturn_types
from stowage.features.planning.explanation.schemas import ExplanationAnswer
from stowage.features.planning.planning import predict_cluster, preview_plan
from stowage.model.infeasible import Broken, Limit
from stowage.platform.errors import BadInput
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.wording import usd
from stowage.workloads.workload_file import parse_workload

PACKAGE = Path(stowage.__file__).parent
PAPER = {
    "place": {"catalog": "paper-2014"},
    "limits": {"deadline": "30 min", "max_nodes": 200},
    "assume": {"usual": "ignored"},
}
SORT = PAPER | {"workload": {"data": "100 TB"}}


def explained(instance: str, nodes: int, outer: int | None = None, inner: int | None = None) -> ExplanationAnswer:
    cluster: dict[str, Any] = {"instance": instance, "nodes": nodes}
    if outer is not None:
        disks = {"input_output_disks": outer, "intermediate_disks": inner}
        cluster["storage"] = {"kind": "instance-store", **disks}
    return answered(SORT | {"cluster": cluster})


def answered(document: dict[str, Any]) -> ExplanationAnswer:
    return explain_cluster(parse_workload(document), packaged_knowledge)


def sentences(answer: ExplanationAnswer) -> list[str]:
    price = [] if answer.price_against is None else [answer.price_against.sentence]
    found = [answer.sentence, *price]
    found += [row.sentence for row in answer.breaks]
    found += [row.sentence for row in answer.bottlenecks]
    found += [row.sentence for row in answer.network]
    found += [row.sentence for row in answer.next_dollar]
    found += [row.sentence for row in answer.against]
    return [*found, *(row.sentence for row in (*answer.overturn, *answer.margins))]


def test_a_loser_is_told_why() -> None:
    answer = explained("i2.8xlarge", 120, 5, 3)
    assert answer.sentence == (
        "120 × i2.8xlarge (5 data + 3 scratch disks) takes 27 min 33 s for $417; the winner, "
        "98 × i2.8xlarge (4 data + 4 scratch disks), takes "
        "29 min 45 s for $365. What makes the difference: phase 2, its scratch disks, 1.34x the cost: 1.22x the "
        "nodes for 1.09x the time, at the same price of a node-hour."
    )
    assert [row.sentence for row in answer.against] == [
        "Phase 1, map and shuffle, its network, 0.826x: 15 min 23 s, the winner's 18 min 37 s by its network.",
        ("Phase 2, sort and reduce, its scratch disks, 1.09x: 12 min 10 s, the winner's 11 min 8 s by its data disks."),
    ]
    assert [(row.quantity, row.needed) for row in answer.overturn] == [
        ("storage", 2220.0),
        ("price", 5.971),
        ("network", None),
        ("CPU", None),
    ]
    assert answer.overturn[0].sentence == "Its disks would have to be 2,220 MB/s a node, now 1,520 MB/s: 1.46x."
    assert answer.overturn[2].sentence == (
        "However fast its network, it would not win: 24 min 19 s for $373 at best, limited by its scratch disks."
    )
    assert answer.margins == []


def test_the_winner_is_told_what_it_rests_on() -> None:
    answer = explained("i2.8xlarge", 98)
    assert answer.is_winner
    assert answer.winner == answer.configuration
    assert answer.against == []
    assert answer.overturn == []
    assert answer.price_against is None
    assert answer.next_dollar[0].sentence.startswith(
        "With 10% more time, 33 min, 88 × i2.8xlarge (4 data + 4 scratch disks) would"
    )
    assert [row.change for row in answer.next_dollar] == ["+10 %", "-10 %", "+10 %", "+10 %", "+10 %"]
    assert answer.next_dollar[-1].sentence == "CPUs 10% faster would save nothing: they are not what limits."
    assert {row.quantity for row in answer.margins} == {"network", "storage", "CPU", "price"}
    assert all(row.sentence.startswith("It stays ahead") for row in answer.margins)


def test_what_cannot_be_predicted_is_told_what_would_have_to_be_measured() -> None:
    answer = explained("i2.4xlarge", 150)
    assert answer.obstacle is not None
    assert answer.configuration.time_s is None
    assert answer.sentence.endswith("Its network is unknown; with 698 MB/s or more it would win.")


def test_what_cannot_hold_the_data_is_told_so() -> None:
    answer = explained("i2.4xlarge", 10)
    assert answer.obstacle is not None
    assert answer.obstacle.nearest is not None
    assert answer.sentence.startswith("10 × i2.4xlarge (2 data + 2 scratch disks) cannot do it.")
    assert answer.overturn == []


@pytest.mark.parametrize(
    ("limits", "beyond"),
    [
        ({"deadline": "10 min"}, "beyond the deadline of 10 min"),
        ({"budget": "$100"}, "beyond the budget of $100"),
        ({"max_nodes": 80}, "beyond the 80 nodes that are allowed"),
        ({"deadline": "30 min", "chance": "99 %"}, "beyond 99% confidence of meeting the deadline"),
        ({"loss": "0"}, "beyond the chance of loss of 0%"),
    ],
)
def test_every_limit_has_its_words(limits: dict[str, Any], beyond: str) -> None:
    document = SORT | {"limits": limits, "cluster": {"instance": "i2.8xlarge", "nodes": 98}}
    answer = answered(document)
    assert beyond in answer.sentence
    assert len(answer.breaks) == 1


def test_quotas_and_choices_have_theirs() -> None:
    cluster = {"cluster": {"instance": "i2.8xlarge", "nodes": 98}}
    answer = answered(SORT | cluster | {"quotas": {"nodes": {"i2.8xlarge": 60}}})
    assert "beyond the quota of 60 nodes" in answer.sentence
    assert answer.breaks[0].sentence == "It takes 98 nodes; the quota allows 60."
    answer = answered(SORT | cluster | {"choose": {"not_families": ["i2"]}})
    assert "beyond what may be chosen" in answer.sentence
    assert answer.breaks[0].sentence == "It may not be chosen: what is allowed leaves out its family."


def test_by_the_month_it_is_nodes_and_price_that_differ() -> None:
    answer = answered(SORT | {"objective": "month", "cluster": {"instance": "i2.8xlarge", "nodes": 120}})
    assert "a month" in answer.sentence
    assert "x the nodes at the same price" in answer.sentence


def test_by_the_month_what_more_of_a_thing_buys_is_of_the_month() -> None:
    document = SORT | {"objective": "month", "cluster": {"instance": "i2.8xlarge", "nodes": 120}}
    answer = answered(document)
    assert not any(" for $" in said for said in sentences(answer))
    longer, shorter, *parts = answer.next_dollar
    for row, deadline in ((longer, "1980 s"), (shorter, "1620 s")):
        moved = preview_plan(
            parse_workload(document | {"limits": {"deadline": deadline, "max_nodes": 200}}),
            packaged_knowledge,
            lambda: 0.0,
            "none",
        ).configurations[0]
        month_usd = moved.cost_always_on_usd or 0.0
        assert row.month_usd == month_usd > 0.0
        assert answer.winner is not None
        assert answer.winner.month_usd is not None
        assert row.saved_month_usd == pytest.approx(answer.winner.month_usd - month_usd)
        assert f"{usd(month_usd)} a month, " in row.sentence
        assert row.usd_per_minute is None
    assert longer.sentence.endswith("a month less.")
    assert shorter.sentence.endswith("a month more.")
    faster = [row for row in parts if row.saved_s]
    assert faster
    for row in faster:
        assert (row.month_usd, row.saved_month_usd) == (answer.configuration.month_usd, 0.0)
        assert row.sentence.endswith("a run; a month costs the same, as the cluster stays.")
        assert row.worth_usd_per_node_hour is None


def test_by_time_it_is_the_phase() -> None:
    document = SORT | {"objective": "time", "cluster": {"instance": "i2.8xlarge", "nodes": 120}}
    document["limits"] = {"budget": "$500", "max_nodes": 200}
    answer = answered(document)
    assert re.search(r"What makes the difference: phase \d, its [a-z/ ]+, [\d.]+x\.", answer.sentence)
    assert [row.what for row in answer.next_dollar][:2] == ["budget", "budget"]


@pytest.mark.parametrize(
    "document",
    [
        SORT | {"cluster": {"instance": "i2.8xlarge", "nodes": 98}},
        SORT | {"cluster": {"instance": "i2.8xlarge", "nodes": 130}},
        {
            "workload": {"data": "10 TB", "durability": {"model": "infrastructure"}},
            "cluster": {
                "instance": "r5d.4xlarge",
                "nodes": 50,
                "storage": {"kind": "ebs", "type": "gp3", "size": "60 GiB", "count": 8},
            },
        },
        {
            "workload": {"data": "1 TB", "durability": {"model": "object-store"}},
            "cluster": {"instance": "i3.4xlarge", "nodes": 5, "storage": {"kind": "object-store"}},
        },
        {"workload": {"data": "1 TB", "job": "hdfs-write"}, "cluster": {"instance": "i3.4xlarge", "nodes": 5}},
        {
            "workload": {"data": "1 TB", "durability": {"model": "any"}},
            "limits": {"loss": "1 %"},
            "place": {"catalog": "paper-2014", "purchase": "any"},
            "cluster": {"instance": "i2.8xlarge", "nodes": 5},
        },
    ],
    ids=["winner", "loser", "EBS", "object store", "HDFS", "anything"],
)
def test_the_numbers_are_those_of_plan_and_predict(document: dict[str, Any]) -> None:
    file = parse_workload(document)
    answer = explain_cluster(file, packaged_knowledge)
    best = preview_plan(file, packaged_knowledge, lambda: 0.0, "none").configurations[0]
    assert answer.winner is not None
    assert (answer.winner.instance, answer.winner.nodes, answer.winner.storage) == (
        best.instance,
        best.nodes,
        best.storage,
    )
    assert answer.winner.cost_usd == best.cost_usd.p50
    prediction = predict_cluster(file, packaged_knowledge)
    if prediction.feasible:
        assert answer.configuration.time_s == prediction.time_s.p50
        assert answer.configuration.cost_usd == prediction.cost_usd.p50
    for sentence in sentences(answer):
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")
        assert not re.search(r"\.\.|None|nan|inf\b|  ", sentence), sentence


def test_spares_are_counted() -> None:
    cluster = {"instance": "i2.8xlarge", "nodes": 98}
    plain = answered(SORT | {"cluster": cluster})
    spared = answered(SORT | {"cluster": cluster | {"spares": 5}})
    assert plain.is_winner
    assert not spared.is_winner
    assert spared.configuration.cost_usd != plain.configuration.cost_usd
    assert spared.winner == plain.winner


def test_a_cluster_is_needed() -> None:
    with pytest.raises(BadInput) as refused:
        answered(SORT)
    assert [problem.path for problem in refused.value.problems] == ["cluster"]


def test_types_are_listed_by_how_little_network_they_would_need() -> None:
    answer = overturn_types(parse_workload(SORT), packaged_knowledge)
    assert answer.winner is not None
    assert answer.winner.instance == "i2.8xlarge"
    found = [(row.instance, row.verdict, row.needed_mb_per_s) for row in answer.types][:3]
    assert found == [("i2.8xlarge", "winner", None), ("i2.4xlarge", "found", 449.0), ("hs1.8xlarge", "found", 671.0)]
    assert len(answer.types) == 17
    assert answer.types[1].sentence == (
        "i2.4xlarge would win with 449 MB/s a node or more (not measured): 195 × i2.4xlarge (2 data + 2 scratch disks) "
        "takes 29 min 54 s for $365."
    )
    words = {row.instance: row.sentence for row in answer.types}
    assert words["c3.large"] == "No network would make c3.large win: capacity needs more nodes than allowed."
    assert words["cc2.8xlarge"] == "The price of cc2.8xlarge is not known: the paper prints no price of it."


def test_types_are_not_compared_in_what_is_left_open() -> None:
    with pytest.raises(BadInput) as refused:
        overturn_types(parse_workload(SORT | {"place": {"catalog": "latest", "purchase": "any"}}), packaged_knowledge)
    assert [problem.path for problem in refused.value.problems] == ["place.purchase"]


def limits_that_are_broken() -> set[str]:
    """Return the limits of all `Broken` that the model and the search make, as their source names them."""
    calls = (
        node
        for folder in ("model", "optimizer")
        for path in (PACKAGE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Broken"
    )
    return {str(limit.value) for call in calls for limit in call.args[:1] if isinstance(limit, ast.Constant)}


def test_each_limit_that_a_configuration_can_break_is_described() -> None:
    found = limits_that_are_broken()
    assert {"deadline", "quota", "never finishes"} <= found
    for limit in found:
        row = Broken(cast("Limit", limit), 2.0, 1.0, "nodes")
        assert explanation_words.broken(row).endswith(".")
        assert explanation_words.bound(row)
