"""Deployments: conversion of a workload file with its cluster, and the notes on it."""

from pathlib import Path
from typing import Any

import pytest

from deployed import SHAPES, ebs, question
from stowage.features.planning.deployment.deployments import deploy
from stowage.features.planning.deployment.schemas import DeploymentAnswer, NewDeployment
from stowage.platform.errors import BadInput
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import read_workload_file

ROOT = Path(__file__).parents[3]

FORMATS = ["boto3", "cloudformation", "emr", "fio-input-output", "fio-intermediate", "terraform"]


def deployed(file: dict[str, Any], **besides: Any) -> DeploymentAnswer:
    answer = deploy(NewDeployment.model_validate({"name": "Nightly", "file": file, **besides}), packaged_knowledge)
    assert answer.feasible, answer
    return answer


@pytest.mark.parametrize("name", SHAPES)
def test_each_format_is_made_or_refused_with_words(name: str) -> None:
    answer = deployed(SHAPES[name])
    assert sorted([each.format for each in answer.files] + [each.format for each in answer.refusals]) == FORMATS
    assert all(each.reason for each in answer.refusals)


def test_each_file_begins_with_what_it_builds_and_what_is_untested() -> None:
    answer = deployed(SHAPES["paper"])
    for file in answer.files:
        if file.language == "json":
            continue
        head = file.text.removeprefix("#!/usr/bin/env python3\n").partition("\n\n")[0].splitlines()
        assert all(line.startswith("#") for line in head), file.format
        said = " ".join(line.lstrip("# ") for line in head)
        assert answer.what in said, file.format
        for words in ("Predicted: ", "catalog paper-2014 of 2014-10-01", "Not tried: "):
            assert words in said, (file.format, words)


@pytest.mark.parametrize(
    ("purchase", "spot", "words"),
    [("spot", True, "two minutes' notice"), ("3-year", False, "A commitment is bought in the account, not by a file")],
)
def test_payment_is_the_bodys_where_it_names_one(purchase: str, spot: bool, words: str) -> None:  # noqa: FBT001 - a case
    answer = deployed(question("i4i.4xlarge", 5), purchase=purchase)
    [template] = [each.text for each in answer.files if each.format == "cloudformation"]
    assert ("InstanceMarketOptions" in template) == spot
    assert words in " ".join(answer.notes)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (question("i4i.4xlarge", 5, cluster={"spares": 2}), "2 of the 7 nodes are spares"),
        (SHAPES["hdfs that stays on st1"], "volumes outlive their nodes"),
        (SHAPES["object store"], "The bucket is yours"),
        (SHAPES["emr on spot"], "The prediction holds for EMR"),
        (
            question("i4i.4xlarge", 3, workload={"job": "hdfs-write", "block_size": "100 kB"}),
            "they have 1,048,576 bytes",
        ),
        (
            question("r5d.4xlarge", 3, ebs(first_read_mib_per_s=20), model="infrastructure"),
            "these files make new and empty ones",
        ),
    ],
    ids=["spares", "kept", "bucket", "emr", "blocks", "snapshot"],
)
def test_what_holds_for_all_files_is_said(file: dict[str, Any], words: str) -> None:
    assert words in " ".join(deployed(file).notes)


def test_spares_are_launched_too() -> None:
    answer = deployed(question("i4i.4xlarge", 5, cluster={"spares": 2}))
    assert answer.what.startswith("7 x i4i.4xlarge")


def test_a_cluster_that_cannot_do_the_job_is_not_deployed() -> None:
    asked = NewDeployment.model_validate({"file": question("i4i.4xlarge", 1, workload={"data": "900 TB"})})
    assert deploy(asked, packaged_knowledge).feasible is False


@pytest.mark.parametrize(
    ("file", "path"),
    [({"workload": {"data": "1 TB"}}, "file.cluster"), (question("i9.large", 1), "file.cluster.instance")],
    ids=["no cluster", "no such type"],
)
def test_a_bad_field_is_named_by_its_path_in_the_body(file: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput) as refused:
        deploy(NewDeployment.model_validate({"file": file}), packaged_knowledge)
    assert [each.path for each in refused.value.problems] == [path]


def test_the_same_answer_every_time() -> None:
    assert deployed(SHAPES["emr on spot"]) == deployed(SHAPES["emr on spot"])


@pytest.mark.parametrize("format_", ["cloudformation", "terraform", "emr", "fio-input-output"])
def test_the_examples_in_the_guide_are_what_is_written_today(format_: str) -> None:
    file = read_workload_file((ROOT / "examples/evaluation-application.yaml").read_bytes())
    answer = deploy(NewDeployment(name="Sort with two copies", file=file), packaged_knowledge)
    assert isinstance(answer, DeploymentAnswer)
    [made] = [each for each in answer.files if each.format == format_]
    assert (ROOT / "docs/examples" / made.name).read_text() == made.text
    assert made.name in (ROOT / "docs/guides/deploying.md").read_text()
