"""Selections, quotas, and the order of rows in a ranking."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge import AWS_2026, PAPER, a_type, on_own_disks, predicted, sort
from stowage.model.choice import Objective, Quotas, Selection, VolumeQuota
from stowage.model.cluster import Configuration, Ebs
from stowage.model.hardware.instance import InstanceType, Trait
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.workload import Commitment, Limits, Place, Workload
from stowage.model.money.cost import Cost
from stowage.model.plan import rank_key
from stowage.model.prediction import Prediction, Range, predict


def of(name: str, *traits: Trait) -> InstanceType:
    instance = a_type(name, (1.0, 1.0), (1.0, 1.0), vcpus=8.0, memory_gib=1.0, disk_count=0.0)
    return replace(instance, traits=frozenset(traits))


I3 = of("i3.16xlarge", "nitro", "x86_64")
GRAVITON = of("im4gn.large", "nitro", "arm64")
METAL = of("i3en.metal-24xl", "bare metal", "x86_64")
OLD = of("m1.xlarge", "previous generation")
UNKNOWN = of("x9.large")
EVERY = ("i3.16xlarge", "im4gn.large", "i3en.metal-24xl", "m1.xlarge", "x9.large")


@pytest.mark.parametrize(
    ("selection", "refused"),
    [
        ({}, {}),
        ({"families": ("i3", "i3en")}, {"im4gn.large": "family", "m1.xlarge": "family", "x9.large": "family"}),
        ({"not_families": ("i3",)}, {"i3.16xlarge": "family"}),
        ({"sizes": ("large",)}, {"i3.16xlarge": "size", "i3en.metal-24xl": "size", "m1.xlarge": "size"}),
        (
            {"sizes": ("metal",)},
            {"i3.16xlarge": "size", "im4gn.large": "size", "m1.xlarge": "size", "x9.large": "size"},
        ),
        ({"not_sizes": ("metal",)}, {"i3en.metal-24xl": "size"}),
        ({"not_sizes": ("metal-24xl", "xlarge")}, {"i3en.metal-24xl": "size", "m1.xlarge": "size"}),
        (
            {"instances": ("i3.16xlarge", "m1.xlarge")},
            {"im4gn.large": "instance", "i3en.metal-24xl": "instance", "x9.large": "instance"},
        ),
        ({"not_instances": ("m1.xlarge",)}, {"m1.xlarge": "instance"}),
        ({"architectures": ("x86_64",)}, {"im4gn.large": "architecture"}),
        (
            {"architectures": ("arm64",)},
            dict.fromkeys(("i3.16xlarge", "i3en.metal-24xl", "m1.xlarge", "x9.large"), "architecture"),
        ),
        ({"architectures": ("x86_64", "arm64")}, {}),
        ({"generation": "current"}, {"m1.xlarge": "generation"}),
        ({"min_vcpus": 8.0, "min_memory_gib": 1.0}, {}),
        (
            {"min_vcpus": 8.5},
            dict.fromkeys(EVERY, "vCPUs"),
        ),
        (
            {"min_memory_gib": 4.0},
            dict.fromkeys(EVERY, "memory"),
        ),
        ({"measured_only": True}, {}),
    ],
)
def test_each_rule_refuses_what_it_says_and_nothing_else(selection: dict[str, Any], refused: dict[str, str]) -> None:
    rules = {
        instance.name: Selection(**selection).refuses(instance) for instance in (I3, GRAVITON, METAL, OLD, UNKNOWN)
    }
    assert {name: rule for name, rule in rules.items() if rule is not None} == refused


def test_lists_of_volumes_allow_and_deny() -> None:
    every = ("gp2", "gp3", "st1")
    assert [name for name in every if Selection().takes_volume(name)] == list(every)
    assert [name for name in every if Selection(volumes=("gp3", "st1")).takes_volume(name)] == ["gp3", "st1"]
    assert [name for name in every if Selection(not_volumes=("gp3",)).takes_volume(name)] == ["gp2", "st1"]


@pytest.mark.parametrize(
    ("quotas", "zones", "head_vcpus", "most"),
    [
        (Quotas(), 1, 8.0, None),
        (Quotas(vcpus=64.0), 1, 0.0, 8),
        (Quotas(vcpus=64.0), 1, 1.0, 7),
        (Quotas(vcpus=63.9), 1, 0.0, 7),
        (Quotas(vcpus=4.0), 1, 8.0, 0),
        (Quotas(nodes={"i3.16xlarge": 3, "m1.xlarge": 1}), 2, 0.0, 3),
        (Quotas(nodes={"m1.xlarge": 1}), 1, 0.0, None),
        (Quotas(nodes_per_zone=5), 1, 0.0, 5),
        (Quotas(nodes_per_zone=5), 3, 0.0, 15),
        (Quotas(vcpus=64.0, nodes={"i3.16xlarge": 20}, nodes_per_zone=2), 3, 0.0, 6),
        (Quotas(nodes_per_cluster=4, nodes_per_zone=2), 3, 0.0, 4),
        (Quotas(volumes={"gp3": VolumeQuota(size_gib=1.0)}), 1, 0.0, None),
    ],
)
def test_the_tightest_quota_says_how_many_nodes(
    quotas: Quotas, zones: int, head_vcpus: float, most: int | None
) -> None:
    assert quotas.most_nodes(I3, zones, head_vcpus) == most


def test_workloads_with_quotas_can_still_be_told_apart_by_hash() -> None:
    assert len({Quotas(nodes={"a1.large": 1}), Quotas(nodes={"a1.large": 1}), Quotas(vcpus=2.0)}) == 2


@pytest.mark.parametrize(
    ("objective", "first"),
    [
        # (time, cost, nodes, always on, loss): each pair is decided by a different one of them.
        ("cost", [(9.0, 1.0, 9, 9.0, 0.5), (1.0, 2.0, 1, 1.0, 0.1)]),
        ("cost", [(9.0, 1.0, 8, 9.0, 0.5), (1.0, 1.0000000001, 9, 1.0, 0.1)]),
        ("cost", [(1.0, 1.0, 8, 9.0, 0.5), (2.0, 1.0, 8, 1.0, 0.1)]),
        ("cost", [(1.0000000001, 1.0, 8, 9.0, 0.1), (1.0, 1.0, 8, 1.0, 0.5)]),
        ("time", [(1.0, 9.0, 9, 9.0, 0.5), (2.0, 1.0, 1, 1.0, 0.1)]),
        ("time", [(1.0000000001, 1.0, 9, 9.0, 0.5), (1.0, 2.0, 1, 1.0, 0.1)]),
        ("time", [(1.0, 1.0, 8, 9.0, 0.5), (1.0, 1.0, 9, 1.0, 0.1)]),
        ("time", [(1.0, 1.0, 8, 9.0, 0.1), (1.0, 1.0, 8, 1.0, 0.5)]),
        ("month", [(9.0, 9.0, 9, 1.0, 0.5), (1.0, 1.0, 1, 2.0, 0.1)]),
        ("month", [(9.0, 9.0, 8, 1.0, 0.5), (1.0, 1.0, 9, 1.0, 0.1)]),
        ("month", [(1.0, 9.0, 8, 1.0, 0.5), (2.0, 1.0, 8, 1.0, 0.1)]),
    ],
)
def test_rows_are_ranked_by_what_is_looked_for_and_ties_by_what_comes_next(
    objective: Objective, first: list[tuple[float, float, int, float, float]]
) -> None:
    row = predicted(on_own_disks(70, 4, 4), sort())
    better, worse = (
        replace(
            row,
            configuration=replace(row.configuration, nodes=nodes),
            time_s=Range(time_s, time_s, time_s),
            cost_usd=Range(cost_usd, cost_usd, cost_usd),
            always_on=Cost(month_usd, 0.0, 0.0, 0.0),
            loss_probability=loss,
        )
        for time_s, cost_usd, nodes, month_usd, loss in first
    )
    assert rank_key(better, objective) < rank_key(worse, objective)


def test_a_prediction_says_how_it_is_paid_for_and_how_data_is_kept() -> None:
    workload = sort()
    found = predicted(on_own_disks(70, 4, 4), workload)
    assert (found.purchase, found.durability) == ("on-demand", workload.job.durability)


def test_without_sources_a_prediction_says_the_same_but_for_its_provenance() -> None:
    configuration, workload = on_own_disks(70, 4, 4), sort()
    whole = predicted(configuration, workload)
    short = predict(configuration, workload, PAPER.catalog, PAPER.profiles, sources=False)
    assert whole.provenance
    assert short == replace(whole, provenance=(), causes=())


def test_nothing_can_be_predicted_of_a_way_to_pay_that_was_left_open() -> None:
    with pytest.raises(ValueError, match="one way to pay"):
        predicted(on_own_disks(70, 4, 4), replace(sort(), place=Place(purchase="any")))


def on_a_commitment(commitment: Commitment, runs_per_month: float = 10.0) -> Prediction:
    job = Hdfs("hdfs-write", 10e6, Durability("infrastructure"))
    place = Place(purchase="1-year", commitment=commitment)
    workload = Workload("", job, runs_per_month=runs_per_month, place=place, limits=Limits(budget_usd=200.0))
    return predicted(Configuration("r5.xlarge", 20, Ebs("gp3", 500, 2)), workload, AWS_2026)


def test_a_commitment_that_others_use_costs_its_hours_and_one_for_a_job_alone_its_months() -> None:
    shared, alone = on_a_commitment("used"), on_a_commitment("alone")
    assert shared.purchase == alone.purchase == "1-year"
    assert shared.cost.idle_commitment == 0.0
    # The NameNode is paid on demand, and each run bears a tenth of the month of the other nodes.
    assert float(alone.cost.instances + alone.cost.launch + alone.cost.idle_commitment) == pytest.approx(
        20 * 0.159 * 730.0 / 10.0
    )
    assert float(alone.cost.head_nodes) == float(shared.cost.head_nodes)
    assert alone.always_on_usd == shared.always_on_usd
    assert alone.time_s == shared.time_s


def test_the_range_of_a_cost_is_narrow_where_a_commitment_is_not_used_up() -> None:
    alone = on_a_commitment("alone")
    assert alone.cost_usd.p50 == pytest.approx(float(alone.cost.total))
    assert 1.0 <= alone.cost_usd.p90 / alone.cost_usd.p10 < alone.time_s.p90 / alone.time_s.p10
    assert alone.meets_budget == 0.0
    assert on_a_commitment("alone", 1000.0).meets_budget == 1.0


def test_runs_that_follow_each_other_without_a_pause_leave_nothing_idle() -> None:
    busy = on_a_commitment("alone", 100_000.0)
    assert busy.cost.idle_commitment == 0.0
    assert float(busy.cost.total) == float(on_a_commitment("used").cost.total)
