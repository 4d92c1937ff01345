"""Terraform: parsed, every argument checked against the provider's documentation, and texts compared exactly."""

from dataclasses import replace

import pytest

from deployed import HOSTILE, SHAPES, shape, texts
from documents_checked import terraform_of, unknown_arguments
from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.quoting import hcl_heredoc, hcl_string
from stowage.documents.deploy.terraform import configuration

CONFIGURATIONS = [name for name in SHAPES if name != "no image"]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_argument_is_one_of_the_providers(name: str) -> None:
    assert unknown_arguments(texts(name)["terraform"]) == []


def test_an_argument_that_is_none_is_found() -> None:
    wrong = texts("paper")["terraform"].replace("http_tokens ", "http_token ")
    assert unknown_arguments(wrong) == ["aws_launch_template/metadata_options: http_token"] * 1


@pytest.mark.parametrize("name", ["paper", "emr on spot"])
def test_what_a_node_runs_arrives_to_the_letter(name: str) -> None:
    text = texts(name)["terraform"]
    _, _, behind = text.partition("<<END_OF_SCRIPT\n")
    body, _, _ = behind.partition("END_OF_SCRIPT\n")
    assert body.replace("$${", "${").replace("%%{", "%{") == user_data(shape(name))


@pytest.mark.parametrize("name", ["paper", "emr on spot", "object store"])
def test_the_group_is_the_cluster(name: str) -> None:
    document = terraform_of(texts(name)["terraform"])
    groups = {
        label.strip('"'): body
        for block in document["resource"]
        for kind, bodies in block.items()
        if kind.strip('"') == "aws_autoscaling_group"
        for label, body in bodies.items()
    }
    nodes = groups["nodes"]
    assert nodes["min_size"] == nodes["max_size"] == nodes["desired_capacity"] == shape(name).nodes
    assert ("primary" in groups) == (shape(name).primary is not None)


def test_a_zone_must_have_the_type_of_the_primary_too() -> None:
    offered = "data.aws_ec2_instance_type_offerings"
    assert f"setintersection({offered}.nodes.locations, {offered}.primary.locations)" in texts("hdfs")["terraform"]
    assert f"  offered            = {offered}.nodes.locations\n" in texts("paper")["terraform"]


@pytest.mark.parametrize(("rate", "version"), [(1_000, ">= 5.40.0, < 7.0.0"), (1_250, "> 6.8.0, < 7.0.0")])
def test_fast_volumes_need_a_provider_that_takes_them(rate: int, version: str) -> None:
    made = shape("emr on spot")
    assert made.volumes is not None
    text = configuration(replace(made, volumes=replace(made.volumes, throughput_mib_per_s=rate)))
    assert f'version = "{version}"' in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_string_is_never_looked_into(text: str) -> None:
    document = terraform_of(f"x = {hcl_string(text)}\n")
    assert list(document) == ["x"]
    assert "${" not in hcl_string(text).replace("$${", "")
    assert "%{" not in hcl_string(text).replace("%%{", "")
    assert hcl_string(text).isprintable()


@pytest.mark.parametrize("text", ["without an end", "a\nEND_OF_SCRIPT\nb\n"])
def test_a_text_that_would_end_the_heredoc_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="heredoc"):
        hcl_heredoc(text)
