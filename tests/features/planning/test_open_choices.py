"""Objectives, selections, quotas, and choices that a workload leaves open: in the file, in answers, in sentences."""

from typing import Any

import pytest

from knowledge import PAPER
from soaking import everyday
from stowage.features.planning.planning import predict_cluster, preview_plan
from stowage.features.planning.regions import compare_regions
from stowage.model.choice import Quotas, Selection, VolumeQuota
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.workload import Limits
from stowage.platform.errors import BadInput
from stowage.workloads import wording
from stowage.workloads.answers import InfeasibleAnswer, PlanAnswer, PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile, parse_workload

IN_2014 = {"catalog": "paper-2014"}
OPEN = {"durability": {"model": "any"}}


def file_of(workload: dict[str, Any] | None = None, place: dict[str, Any] | None = None, **more: Any) -> WorkloadFile:
    assume = {"usual": "ignored", **more.pop("assume", {})}
    asked = {"workload": {"data": "10 TB", **(workload or {})}, "place": place or IN_2014, "assume": assume}
    return parse_workload({**asked, **more})


def planned(file: WorkloadFile, sources: Any = "none") -> PlanAnswer:
    return preview_plan(file, packaged_knowledge, lambda: 0.0, sources)


def problems(file: WorkloadFile) -> dict[str, str]:
    with pytest.raises(BadInput) as refused:
        planned(file)
    return {problem.path: problem.message for problem in refused.value.problems}


def refused(**document: Any) -> list[tuple[str, str]]:
    with pytest.raises(BadInput) as found:
        parse_workload({"workload": {"data": "10 TB"}, **document})
    return [(problem.path, problem.message) for problem in found.value.problems]


# The file


CHOICES: dict[str, Any] = {
    "objective": "time",
    "limits": {
        "deadline": "1 h",
        "chance": "95 %",
        "loss": "0.1%",
        "free_space": "25 %",
        "lost_nodes": 1,
        "rereplication": "2 h",
    },
    "choose": {
        "families": ["i3", "i3en"],
        "not_sizes": ["metal"],
        "architectures": ["x86_64"],
        "generation": "current",
        "not_instances": ["i3.large"],
        "volumes": ["gp3"],
        "min_vcpus": 4.0,
        "min_memory": "8 GiB",
        "measured_only": True,
    },
    "quotas": {
        "vcpus": 640,
        "nodes": {"i3.16xlarge": 20},
        "nodes_per_zone": 100,
        "volumes": {"gp3": {"size": "50 TiB", "iops": 100_000}, "st1": {}},
    },
}


def test_what_may_be_chosen_and_how_much_of_it_is_read() -> None:
    workload = file_of(**CHOICES).to_workload()
    assert workload.objective == "time"
    assert workload.limits == Limits(
        deadline_s=3600.0, chance=0.95, loss=0.001, free_space=0.25, lost_nodes=1, rereplication_s=7200.0
    )
    assert workload.selection == Selection(
        families=("i3", "i3en"),
        not_sizes=("metal",),
        architectures=("x86_64",),
        generation="current",
        not_instances=("i3.large",),
        volumes=("gp3",),
        min_vcpus=4.0,
        min_memory_gib=8.0,
        measured_only=True,
    )
    volumes = {"gp3": VolumeQuota(51_200.0, 100_000.0), "st1": VolumeQuota()}
    assert workload.quotas == Quotas(640.0, {"i3.16xlarge": 20}, 100, volumes)


def test_a_file_with_choices_is_written_as_it_was_read() -> None:
    file = file_of(OPEN, {**IN_2014, "purchase": "any"}, **CHOICES)
    assert parse_workload(file.written()) == file
    assert file.written()["limits"] == CHOICES["limits"]
    assert "choose" not in file_of().written()
    assert "quotas" not in file_of().written()


def test_without_choices_a_workload_takes_all_there_is() -> None:
    workload = file_of().to_workload()
    assert (workload.objective, workload.selection, workload.quotas) == ("cost", Selection(), Quotas())


@pytest.mark.parametrize(
    ("text", "share"), [("95 %", 0.95), ("95%", 0.95), (0.95, 0.95), ("0.95", 0.95), ("1e-3", 1e-3)]
)
def test_a_chance_is_a_number_or_percent(text: object, share: float) -> None:
    assert file_of(limits={"deadline": "1 h", "chance": text}).to_workload().limits.chance == share


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        ({"limits": {"chance": "95 %"}}, "limits.chance", "there is none; give limits.deadline"),
        ({"limits": {"deadline": "1 h", "chance": "100 %"}}, "limits.chance", "cannot be asked of a prediction"),
        ({"limits": {"deadline": "1 h", "chance": 0}}, "limits.chance", "cannot be asked of a prediction"),
        ({"limits": {"deadline": "1 h", "chance": "95 % or so"}}, "limits.chance", "is not a share; write 95 %"),
        ({"limits": {"deadline": "1 h", "chance": "nan"}}, "limits.chance", "is not a share"),
        ({"limits": {"loss": "101 %"}}, "limits.loss", "is not a share"),
        ({"limits": {"loss": -0.1}}, "limits.loss", "is not a share"),
        ({"limits": {"free_space": "95 %"}}, "limits.free_space", "accepted: 0 % to 90 %"),
        ({"limits": {"free_space": "much"}}, "limits.free_space", "is not a share"),
        ({"limits": {"lost_nodes": -1}}, "limits.lost_nodes", "accepted: 0 or more"),
        ({"limits": {"rereplication": "soon"}}, "limits.rereplication", "a duration like"),
        ({"limits": {"deadline": "none", "chance": "95 %"}}, "limits.chance", "there is none"),
        ({"choose": {"min_memory": "lots"}}, "choose.min_memory", "lots"),
        ({"limits": {"loss": "little"}}, "limits.loss", "is not a share"),
        ({"objective": "dearest"}, "objective", "accepted: 'cost', 'time' or 'month'"),
        ({"objective": "month", "place": {"purchase": "spot"}}, "objective", "whose nodes do not stay"),
        ({"choose": {"families": "i3"}}, "choose.families", "is not a list"),
        ({"choose": {"architectures": ["mips"]}}, "choose.architectures.0", "accepted: 'x86_64' or 'arm64'"),
        ({"choose": {"generation": "next"}}, "choose.generation", "accepted: 'any' or 'current'"),
        ({"choose": {"colour": "red"}}, "choose.colour", "is not a field"),
        ({"quotas": {"vcpus": 0}}, "quotas.vcpus", "accepted: above 0"),
        ({"quotas": {"nodes": {"m1": 0}}}, "quotas.nodes.m1", "accepted: 1 or more"),
        ({"quotas": {"nodes_per_zone": 1.5}}, "quotas.nodes_per_zone", "is not a whole number"),
        ({"quotas": {"volumes": {"gp3": {"size": "1"}}}}, "quotas.volumes.gp3.size", "has no unit"),
        ({"quotas": {"volumes": {"gp3": {"iops": 0}}}}, "quotas.volumes.gp3.iops", "accepted: above 0"),
        (
            {"workload": {"data": "1 TB", "durability": {"model": "any", "replicas": 2}}},
            "workload.durability.replicas",
            "is not a field",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_field(document: dict[str, Any], path: str, message: str) -> None:
    [(found, words)] = refused(**document)
    assert found == path
    assert message in words


def test_a_deadline_that_cannot_be_read_is_the_only_fault_of_a_chance() -> None:
    assert [path for path, _ in refused(limits={"deadline": "soon", "chance": "95 %"})] == ["limits.deadline"]


def test_a_place_that_cannot_be_read_is_the_only_fault_of_an_objective() -> None:
    assert [path for path, _ in refused(place={"purchase": "lease"}, objective="month")] == ["place.purchase"]


# Open choices


def ways(file: WorkloadFile) -> list[tuple[str, Durability]]:
    return [(one.place.paid_by, one.job.durability) for one in file.to_workloads()]


def test_of_a_sort_every_way_to_keep_data_is_tried() -> None:
    assert ways(file_of(OPEN)) == [
        ("on-demand", Durability("none")),
        ("on-demand", Durability("application", 2)),
        ("on-demand", Durability("application", 3)),
        ("on-demand", Durability("infrastructure")),
        ("on-demand", Durability("object-store")),
    ]


def test_hdfs_keeps_the_copies_it_is_given_or_those_that_are_tried() -> None:
    given = file_of({**OPEN, "job": "hdfs-write", "replication": 3})
    assert [kept for _, kept in ways(given)] == [Durability("none", 3), Durability("infrastructure", 3)]
    plain = file_of({**OPEN, "job": "hdfs-write"})
    # Hadoop's default of three copies is tried once.
    assert [kept for _, kept in ways(plain)] == [
        Durability("none", 3),
        Durability("application", 2),
        Durability("infrastructure", 3),
    ]
    left = file_of({**OPEN, "job": "hdfs-write"}, place={"service": "emr"}).to_workloads()
    assert [(one.job.durability.model, one.job.default_copies) for one in left] == [
        ("none", True),
        ("application", False),
        ("application", False),
        ("infrastructure", True),
    ]


def test_phases_are_not_copied_by_anybody() -> None:
    phases = [{"name": "read", "input_read": "1 TB"}]
    kept = [kept.model for _, kept in ways(file_of({**OPEN, "job": "phases", "phases": phases}))]
    assert kept == ["none", "infrastructure", "object-store"]


def test_every_way_to_pay_is_tried_and_commitments_are_made_for_the_job_alone() -> None:
    found = file_of(place={"purchase": "any"}).to_workloads()
    assert [one.place.purchase for one in found] == ["on-demand", "spot", "1-year", "3-year"]
    assert [one.bears_commitment for one in found] == [False, False, True, True]
    assert not file_of(place={"purchase": "1-year"}).to_workload().bears_commitment


def test_nodes_that_stay_are_not_paid_for_at_spot_prices() -> None:
    found = file_of(place={"purchase": "any"}, objective="month").to_workloads()
    assert [one.place.purchase for one in found] == ["on-demand", "1-year", "3-year"]


def test_ways_to_pay_that_the_catalog_has_no_price_for_are_left_out() -> None:
    file = file_of(place={**IN_2014, "purchase": "any"})
    knowledge = packaged_knowledge("paper-2014", "us-east-1")
    assert [one.place.purchase for one in possible_workloads(file, knowledge)] == ["on-demand"]


# Refusals


def test_names_that_the_catalog_does_not_know_are_refused_with_the_nearest() -> None:
    found = problems(
        file_of(
            place={**IN_2014, "primary": "i2.8xlarg"},
            choose={
                "families": ["i2", "i22"],
                "not_families": ["x"],
                "sizes": ["8xlarges"],
                "not_sizes": ["metal"],
                "instances": ["i2.8xlarge", "i2.9xlarge"],
                "not_instances": ["i2.99xlarge"],
                "volumes": ["gp9"],
                "not_volumes": ["gp22"],
            },
            quotas={"nodes": {"i2.16xlarge": 3}, "volumes": {"gp1": {"iops": 1}}},
        )
    )
    assert set(found) == {
        "place.primary",
        "choose.families.1",
        "choose.not_families.0",
        "choose.sizes.0",
        "choose.not_sizes.0",
        "choose.instances.1",
        "choose.not_instances.0",
        "choose.volumes.0",
        "choose.not_volumes.0",
        "quotas.nodes",
        "quotas.volumes",
    }
    assert "'i22' is not a family of catalog paper-2014; accepted are, for example, i2" in found["choose.families.1"]
    assert "8xlarge" in found["choose.sizes.0"]
    assert "i2.8xlarge" in found["choose.instances.1"]
    assert "gp2" in found["choose.volumes.0"]


def test_metal_is_a_size_where_some_size_begins_with_it() -> None:
    knowledge = packaged_knowledge("latest", "us-east-1")
    assert possible_workloads(file_of(place={"catalog": "latest"}, choose={"not_sizes": ["metal"]}), knowledge)


def test_an_open_durability_needs_a_limit_on_the_chance_of_loss() -> None:
    assert "is missing" in problems(file_of(OPEN))["limits.loss"]


def test_a_chance_is_not_searched_where_slow_nodes_are_assumed() -> None:
    late = {"stragglers": {"share": 0.1, "factor": 3}}
    found = problems(file_of(limits={"deadline": "1 h", "chance": "90 %"}, assume=late))
    assert "50 %, or no slow nodes" in found["limits.chance"]


# Answers


def test_the_objective_decides_what_comes_first_and_begins_the_sentence() -> None:
    cheapest, fastest, month = (
        planned(file_of(objective=objective, limits={"max_nodes": 100})) for objective in ("cost", "time", "month")
    )
    assert [answer.objective for answer in (cheapest, fastest, month)] == ["cost", "time", "month"]
    assert min(row.cost_usd.p50 for row in fastest.configurations) >= cheapest.configurations[0].cost_usd.p50
    assert min(row.time_s.p50 for row in cheapest.configurations) >= fastest.configurations[0].time_s.p50
    months = [row.cost_always_on_usd for row in month.configurations]
    assert months[0] == min(usd for usd in months if usd is not None)
    assert cheapest.sentence.startswith("Cheapest on at most 100 nodes: ")
    assert fastest.sentence.startswith("Fastest on at most 100 nodes: ")
    assert month.sentence.startswith("Cheapest month on at most 100 nodes: ")
    assert f" {wording.usd(months[0] or 0.0)} a month, always on. One run " in month.sentence


def test_a_chance_and_a_budget_are_named_in_the_sentence() -> None:
    limits = {"deadline": "1 h", "chance": "95 %", "budget": "$500"}
    answer = planned(file_of(objective="time", limits=limits))
    assert answer.sentence.startswith("Fastest within 1 h with 95% confidence, for at most $500: ")
    assert answer.limits.chance == 0.95
    assert all(row.meets_deadline is not None and row.meets_deadline >= 0.95 for row in answer.configurations)


def test_a_deadline_that_would_do_is_one_that_is_met_with_the_chance_that_is_asked_for() -> None:
    limits = {"deadline": "5 min", "max_nodes": 20}
    missed = planned(file_of(limits={**limits, "chance": "99 %"}))
    needed = next(miss.needs for miss in missed.near_misses if "deadline" in miss.needs)
    assert planned(file_of(limits={**limits, **needed, "chance": "99 %"})).configurations


def test_rows_say_how_they_are_paid_for_and_how_data_is_kept() -> None:
    answer = planned(file_of(OPEN, limits={"loss": "50 %", "max_nodes": 100}))
    assert {(row.purchase, row.durability, row.replicas) for row in answer.configurations} >= {
        ("on-demand", "none", 1),
        ("on-demand", "object-store", 1),
    }
    assert len({point.durability for point in answer.frontier}) > 1
    assert all(point.loss_probability is not None for point in answer.frontier)
    assert answer.limits.loss == 0.5


def test_spot_prices_are_named_in_the_sentence() -> None:
    place = {"catalog": "latest", "purchase": "spot"}
    answer = planned(file_of(place=place, limits={"max_nodes": 5}, choose={"families": ["i4i"]}))
    assert answer.sentence.endswith("It is paid for at spot prices.")
    assert {row.purchase for row in answer.configurations} == {"spot"}


def test_a_winner_that_lives_on_credits_says_what_it_costs_without() -> None:
    file = parse_workload(
        {
            "workload": {"data": "200 GB", "job": "hdfs-write", "durability": {"model": "infrastructure"}},
            "cluster": {
                "instance": "r5.xlarge",
                "nodes": 5,
                "storage": {"kind": "ebs", "type": "st1", "size": "512 GiB", "count": 2},
            },
            "credits": "full",
        }
    )
    answer = predict_cluster(file, packaged_knowledge)
    assert isinstance(answer, PredictionAnswer)
    assert answer.on_empty is not None
    assert "It lives on burst credits: started with empty ones it takes" in answer.sentence
    kept = predict_cluster(parse_workload({**file.written(), "credits": "empty"}), packaged_knowledge)
    assert isinstance(kept, PredictionAnswer)
    assert "credits" not in kept.sentence


@pytest.mark.parametrize(("sources", "listed"), [("all", "all"), ("first", "first"), ("none", "none")])
def test_sources_and_courses_are_given_where_they_are_asked_for(sources: str, listed: str) -> None:
    rows = planned(file_of(), sources).configurations
    assert len(rows) > 1
    expected = {"all": [True] * len(rows), "first": [True, *[False] * (len(rows) - 1)], "none": [False] * len(rows)}
    assert [row.sources for row in rows] == expected[listed]
    assert [bool(row.provenance) for row in rows] == expected[listed]
    assert not any(row.courses for row in rows if not row.sources)


@pytest.mark.parametrize(
    ("more", "words", "needs"),
    [
        ({"limits": {"loss": "1e-12 %"}}, "a chance of loss of", "loss"),
        ({"quotas": {"vcpus": 2}}, "a quota of", None),
        ({"quotas": {"nodes_per_zone": 1}, "workload": {"data": "100 TB"}}, "larger quotas", None),
        ({"choose": {"instances": ["m1.small"]}}, "a wider choice of types", None),
    ],
)
def test_what_other_limits_leave_nothing_of_is_told_with_what_would_be_enough(
    more: dict[str, Any], words: str, needs: str | None
) -> None:
    document = {"workload": {"data": "10 TB"}, "place": IN_2014, **more}
    answer = planned(parse_workload(document))
    assert answer.configurations == []
    assert "are all the needed figures known" not in answer.sentence
    [miss] = answer.near_misses
    assert words in miss.sentence
    assert set(miss.needs) == ({needs} if needs else set())
    if needs == "loss":
        wider = {**document, "limits": {**document["limits"], "loss": miss.needs["loss"]}}
        assert planned(parse_workload(wider)).configurations


def row_again(file: WorkloadFile, answer: PlanAnswer, place: int) -> PredictionAnswer | InfeasibleAnswer:
    row = answer.configurations[place]
    cluster = {"instance": row.instance, "nodes": row.nodes, "storage": row.storage.model_dump(exclude_none=True)}
    return predict_cluster(parse_workload({**file.written(), "cluster": cluster}), packaged_knowledge)


@pytest.mark.parametrize("objective", everyday(("cost", "month"), ("cost", "time", "month"), "spaces"))
def test_a_row_of_what_was_left_open_can_be_asked_for_again(objective: str) -> None:
    """The same file with the row's cluster: the prediction uses the same purchase option and durability."""
    file = parse_workload(
        {
            "workload": {"data": "10 TB", "durability": {"model": "any"}, "runs_per_month": 200},
            "place": {"purchase": "any"},
            "objective": objective,
            "limits": {"loss": "0.1 %", "deadline": "2 h", "max_nodes": 50},
            "choose": {"families": ["i4i", "m5d"]},
        }
    )
    answer = planned(file)
    assert len(answer.configurations) > 3
    for place, row in enumerate(answer.configurations[:3]):
        again = row_again(file, answer, place)
        assert isinstance(again, PredictionAnswer)
        assert (again.purchase, again.durability, again.replicas) == (row.purchase, row.durability, row.replicas)
        assert (again.time_s, again.cost_usd) == (row.time_s, row.cost_usd)
        assert again.sources


def test_a_cluster_says_which_storage_an_open_durability_is_kept_on() -> None:
    cluster = {"instance": "i2.8xlarge", "nodes": 10, "storage": {"kind": "object-store"}}
    file = file_of(OPEN, limits={"loss": "1 %"}, cluster=cluster)
    answer = predict_cluster(file, packaged_knowledge)
    assert isinstance(answer, PredictionAnswer)
    assert answer.durability == "object-store"
    lonely = file_of({**OPEN, "job": "hdfs-write"}, limits={"loss": "1 %"}, cluster=cluster)
    with pytest.raises(BadInput) as found:
        predict_cluster(lonely, packaged_knowledge)
    assert found.value.problems[0].path == "cluster.storage.kind"
    assert "ebs, instance-store" in found.value.problems[0].message


# Regions


def test_every_region_is_searched_and_the_best_comes_first() -> None:
    file = parse_workload({"workload": {"data": "10 TB"}, "limits": {"max_nodes": 20}, "choose": {"families": ["i4i"]}})
    answer = compare_regions(file, packaged_knowledge, lambda: 0.0)
    everywhere = packaged_knowledge("latest", "us-east-1").regions
    assert sorted(region.region for region in answer.regions) == sorted(everywhere)
    costs = [region.best.cost_usd for region in answer.regions if region.best is not None]
    assert costs == sorted(costs)
    assert len(costs) > 10
    first = answer.regions[0]
    there = planned(parse_workload({**file.written(), "place": {"region": first.region}}))
    assert first.best is not None
    assert first.sentence == there.sentence
    # Moving 10 TB once: free at home, a cent per GB to the other region in the east, two elsewhere.
    moves = {region.region: region.move_usd for region in answer.regions}
    assert answer.moved_gb == pytest.approx(1e7 / 1_073.741824)
    assert moves["us-east-1"] == 0.0
    assert moves["us-east-2"] == pytest.approx(0.01 * answer.moved_gb)
    assert moves["eu-west-1"] == pytest.approx(0.02 * answer.moved_gb)
    assert moves["us-gov-west-1"] is None
    assert (first.best.instance, first.best.nodes) == (
        there.configurations[0].instance,
        there.configurations[0].nodes,
    )


def test_a_region_without_what_is_asked_for_says_so_and_comes_last() -> None:
    place = {"catalog": "latest", "primary": "c3.large"}
    file = parse_workload(
        {"workload": {"data": "1 TB", "job": "hdfs-write"}, "place": place, "limits": {"max_nodes": 5}}
    )
    answer = compare_regions(file, packaged_knowledge, lambda: 0.0)
    without = [region for region in answer.regions if region.best is None]
    assert without
    assert answer.regions[-len(without) :] == without
    assert all("'c3.large' is not an instance type" in region.sentence for region in without)


def test_nothing_is_moved_for_a_job_that_writes_new_data() -> None:
    file = parse_workload({"workload": {"job": "append-log", "data": "1 TB"}, "choose": {"families": ["i4i"]}})
    answer = compare_regions(file, packaged_knowledge, lambda: 0.0)
    assert answer.moved_gb == 0.0
    assert {region.move_usd for region in answer.regions} == {0.0}


def test_of_random_io_the_stored_data_is_moved_however_much_is_read_and_written() -> None:
    kept = {"job": "random-io", "data": "1 TB", "io": "16 KiB", "working_set": "4 TB"}
    file = parse_workload({"workload": kept, "choose": {"families": ["i4i"]}})
    answer = compare_regions(file, packaged_knowledge, lambda: 0.0)
    assert answer.moved_gb == pytest.approx(4e6 / 1_073.741824)


def test_regions_where_nothing_meets_the_limits_are_listed_by_name() -> None:
    file = file_of(limits={"deadline": "1 s"})
    [region] = compare_regions(file, packaged_knowledge, lambda: 0.0).regions
    assert region.best is None
    assert region.sentence.startswith("No configuration")
    assert PAPER.catalog.region == region.region
