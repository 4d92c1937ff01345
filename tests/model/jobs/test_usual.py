"""Defaults for settings that a question does not state."""

import pytest

from stowage.model.choice import Objective
from stowage.model.jobs.append_log import AppendLog
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.hdfs import Hdfs
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.random_io import RandomIo
from stowage.model.jobs.spelled import FreePhases
from stowage.model.jobs.usual import NOTHING_USUAL, Usual, usual_of
from stowage.model.jobs.workload import Job

TB = 1e6
SORT = MapReduce("sort", TB)
HDFS = Hdfs("hdfs-write", TB)
COPIES = Durability("application", 3)


def usual(job: Job, framework: str = "ideal", objective: Objective = "cost") -> Usual:
    return usual_of(job, framework, objective)


def limits(found: Usual) -> dict[str, float]:
    return {figure.quantity: figure.value for figure in found.figures}


def test_a_sort_comes_from_the_object_store_goes_there_and_waits_for_its_launch() -> None:
    found = usual(SORT)
    assert (found.input, found.output, found.launch) == ("object-store", "object-store", "counted")
    assert limits(found) == {"limits.free_space": 0.2, "choose.min_vcpus": 4.0, "choose.min_memory": 8.0}


def test_a_sort_on_a_cluster_that_stays_finds_its_data_there() -> None:
    found = usual(SORT, objective="month")
    assert (found.input, found.output, found.launch) == ("in-place", "in-place", "billed")


def test_a_sort_that_reads_the_object_store_itself_is_not_loaded() -> None:
    found = usual(MapReduce("sort", TB, durability=Durability("object-store")))
    assert (found.input, found.output, found.launch) == ("in-place", "in-place", "counted")


def test_hdfs_keeps_a_quarter_free_and_room_for_a_lost_node() -> None:
    found = usual(HDFS)
    assert (found.input, found.output, found.launch) == ("in-place", "in-place", "billed")
    assert found.head == "general"
    assert limits(found) == {
        "place.primary": 1.0,
        "limits.free_space": 0.25,
        "limits.lost_nodes": 1.0,
        "limits.rereplication": 86_400.0,
        "limits.deadline": 604_800.0,
        "credits": 0.0,
        "limits.namenode_memory": 1.0,
        "choose.min_vcpus": 4.0,
        "choose.min_memory": 8.0,
    }


@pytest.mark.parametrize("kept", [Durability("none", 1), Durability("infrastructure", 3)])
def test_a_single_copy_and_volumes_need_no_room_for_a_lost_node(kept: Durability) -> None:
    found = limits(usual(Hdfs("hdfs-write", TB, durability=kept)))
    assert {"limits.lost_nodes", "limits.rereplication"}.isdisjoint(found)


def test_only_writing_files_fills_a_cluster() -> None:
    assert "limits.deadline" in limits(usual(Hdfs("hdfs-write", TB, durability=Durability("infrastructure"))))
    for job in (SORT, Hdfs("hdfs-read", TB), AppendLog(TB, 1.0)):
        assert "limits.deadline" not in limits(usual(job))


@pytest.mark.parametrize("job", [AppendLog(TB, 1.0), RandomIo(TB, 16.0, 0.5, 1.0, TB, Durability())])
def test_a_log_and_a_database_may_run_on_a_small_node(job: Job) -> None:
    found = limits(usual(job))
    assert found == {"limits.free_space": 0.2, "credits": 0.0, "choose.min_vcpus": 2.0, "choose.min_memory": 4.0}


def test_copies_whose_number_follows_from_the_cluster_are_copies() -> None:
    job = Hdfs("hdfs-write", TB, durability=Durability("none", 1), default_copies=True)
    assert limits(usual(job))["limits.lost_nodes"] == 1.0


def test_a_log_in_copies_survives_a_node() -> None:
    found = limits(usual(AppendLog(TB, 1.0, durability=COPIES)))
    assert (found["limits.lost_nodes"], found["limits.rereplication"]) == (1.0, 86_400.0)


def test_hadoop_s_daemons_need_more_memory() -> None:
    assert limits(usual(HDFS, "hadoop-dfsio"))["choose.min_memory"] == 16.0


@pytest.mark.parametrize(
    ("job", "framework"),
    [
        (SORT, "spark"),
        (HDFS, "hadoop-dfsio"),
        (RandomIo(TB, 16.0, working_set_mb=TB), "ideal"),
        (FreePhases(TB, ()), "ideal"),
    ],
    ids=["sort", "HDFS", "random I/O", "phases"],
)
def test_a_job_runs_on_what_most_people_run_it_on_and_its_daemons_need_their_memory(job: Job, framework: str) -> None:
    silent = usual_of(job, None, "cost")
    assert silent.framework == framework
    assert silent == usual_of(job, framework, "cost")
    assert usual_of(job, "hadoop-mapreduce", "cost").framework == "hadoop-mapreduce"


def test_phases_that_are_spelled_out_say_themselves_what_they_move() -> None:
    found = usual(FreePhases(TB, ()))
    assert (found.input, found.launch, found.figures) == ("in-place", "counted", ())


def test_every_figure_names_its_source_and_what_is_not_usual_is_nothing() -> None:
    every = [figure for job in (SORT, HDFS) for figure in usual(job, "hadoop-dfsio").figures]
    assert all(figure.source and figure.as_of is not None for figure in every)
    assert {figure.quantity for figure in every if figure.kind != "estimated"} == {
        "limits.namenode_memory",
        "place.primary",
    }
    assert [NOTHING_USUAL.value(figure.quantity) for figure in every] == [0.0] * len(every)
    assert NOTHING_USUAL.value("credits", 1.0) == 1.0


def test_a_service_takes_so_many_nodes() -> None:
    def most(job: Job, **service: str) -> float:
        return usual_of(job, "ideal", "cost", **service).value("quotas.nodes_per_cluster")  # type: ignore[arg-type] # by name

    assert [most(job, service="emr") for job in (SORT, HDFS, FreePhases(TB, ()))] == [2_000.0] * 3
    assert most(SORT) == 0.0


def test_only_hdfs_and_emr_have_a_head_node() -> None:
    def head(job: Job, **service: str) -> str:
        return usual_of(job, "ideal", "cost", **service).head  # type: ignore[arg-type] # by name

    assert [head(job) for job in (SORT, HDFS, FreePhases(TB, ()))] == ["workers", "general", "workers"]
    assert [head(job, service="emr") for job in (SORT, HDFS, FreePhases(TB, ()))] == ["general"] * 3


def test_what_stays_starts_with_empty_burst_buckets_and_what_ends_with_full_ones() -> None:
    assert all(usual(job).value("credits", 1.0) == 0.0 for job in (HDFS, AppendLog(TB, 1.0)))
    assert (usual(HDFS).credits.value, usual(SORT).credits.value, NOTHING_USUAL.credits.value) == (0.0, 1.0, 1.0)
    # A nightly backup finds its buckets refilled, and has no default deadline.
    nightly = usual_of(HDFS, "ideal", "month", 30.0)
    assert nightly.value("credits", 1.0) == 1.0
    assert "limits.deadline" not in limits(nightly)
    assert usual_of(AppendLog(TB, 1.0), "ideal", "month", 30.0).value("credits", 1.0) == 0.0
    assert all(usual(SORT, objective=objective).value("credits", 1.0) == 1.0 for objective in ("cost", "month"))


def test_a_deadline_is_met_with_confidence_by_default() -> None:
    bare = usual(MapReduce("sort", 1e6))
    assert bare.value("limits.chance") == 0.0
    assert bare.with_confidence(slow_nodes=False).value("limits.chance") == 0.95
    assert bare.with_confidence(slow_nodes=True).value("limits.chance") == 0.5
    assert bare.with_confidence(slow_nodes=False).figures[:-1] == bare.figures
