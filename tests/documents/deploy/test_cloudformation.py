"""CloudFormation templates: cfn-lint finds no error, and a simulation of AWS builds the requested resources."""

from dataclasses import replace

import pytest
from moto import mock_aws

from deployed import SHAPES, shape, texts, written
from documents_checked import cluster_of_stack, linted, template_of
from soaking import everyday
from stowage.documents.deploy.cloudformation import TAKEN_DIRECTLY_BYTES, template

TEMPLATES = [name for name in SHAPES if name != "no image"]


@pytest.mark.soak("tools")
@pytest.mark.parametrize("name", TEMPLATES)
def test_cfn_lint_finds_nothing_in_any_shape(name: str) -> None:
    assert linted(texts(name)["cloudformation"]) == []


# The simulation loses the IOPS that a launch template names.
@pytest.mark.parametrize(
    "name",
    everyday(("emr on spot",), (name for name in TEMPLATES if name != "io2, three zones"), "tools"),
)
def test_the_stack_is_the_cluster(name: str) -> None:
    made = shape(name)
    with mock_aws():
        built = cluster_of_stack(texts(name)["cloudformation"], made.region)
    assert built.types[made.instance] >= made.nodes
    assert built.nodes == made.nodes + (made.primary is not None)
    assert built.open_to == []
    assert built.ended_after_deletion


def test_nothing_is_reached_from_outside_and_nothing_is_left_open() -> None:
    document = template_of(texts("emr on spot")["cloudformation"])
    resources = document["Resources"]
    assert "SecurityGroupIngress" not in resources["SecurityGroup"]["Properties"]
    assert resources["AmongNodes"]["Properties"]["SourceSecurityGroupId"] == {"GetAtt": "SecurityGroup.GroupId"}
    data = resources["NodeTemplate"]["Properties"]["LaunchTemplateData"]
    assert data["MetadataOptions"]["HttpTokens"] == "required"
    assert all(mapping["Ebs"]["Encrypted"] for mapping in data["BlockDeviceMappings"])
    assert data["InstanceMarketOptions"]["MarketType"] == "spot"
    assert "InstanceMarketOptions" not in resources["PrimaryTemplate"]["Properties"]["LaunchTemplateData"]


def test_volumes_are_those_of_the_configuration() -> None:
    document = template_of(texts("emr on spot")["cloudformation"])
    data = document["Resources"]["NodeTemplate"]["Properties"]["LaunchTemplateData"]
    volumes = [mapping["Ebs"] for mapping in data["BlockDeviceMappings"][1:]]
    assert len(volumes) == 3
    assert {(each["VolumeType"], each["VolumeSize"], each["Iops"], each["Throughput"]) for each in volumes} == {
        ("gp3", 500, 6000, 500)
    }


@pytest.mark.parametrize(("name", "kept"), [("hdfs that stays on st1", "yes"), ("emr on spot", "no")])
def test_volumes_outlive_their_nodes_where_the_data_stays(name: str, kept: str) -> None:
    document = template_of(texts(name)["cloudformation"])
    assert document["Parameters"]["KeepVolumes"]["Default"] == kept


@pytest.mark.parametrize(
    ("name", "zones"), [("paper", "the first zone of"), ("io2, three zones", "the first 3 zones of")]
)
def test_that_a_template_cannot_choose_zones_is_said(name: str, zones: str) -> None:
    said = " ".join(written(shape(name))[0]["cloudformation"].notes)
    assert zones in said
    assert ("AZRebalance" in said) == (shape(name).zones > 1)


@pytest.mark.parametrize(("volumes", "through_a_bucket"), [(60, False), (127, True)])
def test_a_template_that_is_not_taken_directly_says_so(
    volumes: int,
    through_a_bucket: bool,  # noqa: FBT001 - a case
) -> None:
    made = shape("emr on spot")
    assert made.volumes is not None
    text = template(replace(made, name="\u754c" * 200, volumes=replace(made.volumes, count=volumes)))
    assert (len(text.encode()) > TAKEN_DIRECTLY_BYTES) == through_a_bucket
    assert ("--s3-bucket BUCKET" in text) == through_a_bucket
