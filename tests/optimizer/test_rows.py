"""Rows of a ranking are predicted together; each equals the prediction of its configuration alone, to the last bit."""

from dataclasses import replace
from typing import Any

import pytest

from optimizer.spaces import space
from soaking import everyday
from stowage.model.choice import Selection
from stowage.model.hardware.steps import Steps
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Row, predict, predict_from
from stowage.model.stacked import predict_rows
from stowage.optimizer.kernel import Answer
from stowage.optimizer.problem import SearchProblem
from stowage.optimizer.search import answered, search
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import WorkloadFile

EBS = {"model": "infrastructure"}
LONE = Workload("", MapReduce("sort", 1e6))
QUESTIONS: dict[str, dict[str, Any]] = {
    "sort on own disks": {"workload": {"job": "sort", "data": "10 TB", "durability": {"model": "none"}}},
    "sort on EBS, half empty": {"workload": {"job": "sort", "data": "10 TB", "durability": EBS}, "credits": 0.5},
    "sort on spot instances": {
        "workload": {"job": "sort", "data": "10 TB", "durability": {"model": "application", "replicas": 2}},
        "place": {"purchase": "spot"},
        "limits": {"deadline": "5 h", "budget": "500 USD"},
    },
    "sort with Hadoop and S3": {
        "workload": {
            "job": "sort",
            "framework": "hadoop-mapreduce",
            "data": "10 TB",
            "durability": {"model": "object-store"},
        }
    },
    "HDFS in two zones": {
        "workload": {"job": "hdfs-write", "data": "10 TB", "durability": {"model": "application", "replicas": 3}},
        "place": {"zones": 2, "placement_group": False},
    },
    "HDFS on EBS for months": {
        "workload": {"job": "hdfs-write", "data": "10 TB", "durability": EBS},
        "objective": "month",
    },
    "log on EBS": {"workload": {"job": "append-log", "data": "10 TB", "durability": EBS}},
    "random I/O on own disks": {"workload": {"job": "random-io", "data": "10 TB", "durability": {"model": "none"}}},
    "random I/O on EBS": {"workload": {"job": "random-io", "data": "10 TB", "durability": EBS}},
    "slow nodes": {
        "workload": {"job": "sort", "data": "10 TB", "durability": {"model": "none"}},
        "limits": {"max_nodes": 100},
        "assume": {"stragglers": {"share": 0.01, "factor": 2.0}},
    },
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_rows_predicted_together_equal_each_predicted_alone(name: str) -> None:
    rows = rows_of(QUESTIONS[name])
    alone = [predict_from(row.inputs, row.configuration, row.workload, sources=False) for row in rows]
    assert len(rows) > 20
    # The texts of floats tell their types and bits apart.
    assert [repr(row) for row in predict_rows(rows)] == [repr(row) for row in alone]


@pytest.mark.parametrize("numbers", everyday((range(45),), (range(45), range(45, 300)), "spaces"), ids=str)
def test_rows_of_odd_catalogs_equal_each_predicted_alone(numbers: range) -> None:
    """Gaps, bursts, curves, spot instances, slow nodes and free choices of copies, as random spaces have them."""
    together = 0
    for number in numbers:
        of = space(number)
        if of.workload.spares or (of.workload.stragglers is not None and of.workload.limits.chance is not None):
            continue
        problem, answer = answered(SearchProblem(of.workload, of.catalog, of.profiles, of.steps), None, frontier=False)
        found = rows_in(problem, answer)
        alone = [predict_from(row.inputs, row.configuration, row.workload, sources=False) for row in found]
        # Several times, so that each shape has enough rows to be predicted together.
        assert predict_rows(found * 4) == alone * 4, number
        together += len(found)
    assert together > len(numbers)


def test_the_best_row_is_known_before_it_is_predicted() -> None:
    knowledge = packaged_knowledge("latest", "us-east-1")
    workload = replace(LONE, selection=Selection(instances=("i3.4xlarge", "d3.2xlarge")))
    plan = search(workload, knowledge.catalog, knowledge.profiles, 1, frontier=False, curves=0)
    [part] = plan.ranked.parts
    assert not vars(part).keys() & {"offered", "median", "forecast"}
    configuration = plan.ranked.rows[0].configuration
    assert plan.ranked[0] == predict(configuration, workload, knowledge.catalog, knowledge.profiles, sources=False)


def rows_of(question: dict[str, Any]) -> list[Row]:
    file = WorkloadFile.model_validate({"place": {}, **question})
    knowledge = packaged_knowledge("latest", "us-east-1")
    (workload,) = possible_workloads(file, knowledge)
    asked = SearchProblem(workload, knowledge.catalog, knowledge.profiles, Steps())
    problem, answer = answered(asked, 50, frontier=False)
    return rows_in(problem, answer)[:30]


def rows_in(problem: SearchProblem, answer: Answer) -> list[Row]:
    found = answer.best[answer.best["lane"] >= 0]
    return [
        Row(problem.inputs(configuration.instance, configuration.layout), configuration, problem.workload_of(lane))
        for configuration, lane in zip(problem.configurations(found), found["lane"].tolist(), strict=True)
    ]
