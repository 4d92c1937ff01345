"""The template of a connection: its role allows exactly the actions that Stowage requests of AWS."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

import pytest
from botocore import xform_name
from botocore.session import Session

from aws_policy import PRINCIPAL, Asked, Template, allows
from laboratory.account import ACCOUNT
from stowage.features.benchmarks.account_template import filled

ROOT = Path(__file__).parents[2]
OURS = UUID("0192d3c4-5e6f-7081-92a3-b4c5d6e7f809")
OTHER = "0192d3c4-5e6f-7081-92a3-000000000000"
MINE = {"aws:RequestTag/stowage-connection": str(OURS)}
TAGGED = {"aws:ResourceTag/stowage-connection": str(OURS)}
HERE = {"aws:RequestedRegion": "us-east-1"}
IN_ACCOUNT = {"aws:ResourceAccount": ACCOUNT}
BUCKET = f"arn:aws:s3:::stowage-{ACCOUNT}-0192d3c4"

SERVICES = {
    "ec2": "ec2",
    "s3": "s3",
    "ssm": "ssm",
    "sts": "sts",
    "cloudwatch": "cloudwatch",
    "emr": "elasticmapreduce",
    "service-quotas": "servicequotas",
}
NAMED_OTHERWISE = {"s3:ListObjectsV2": "s3:ListBucket", "s3:DeleteObjects": "s3:DeleteObject"}
FREE = {"sts:GetCallerIdentity"}
"""Needs no permission (STS API reference, GetCallerIdentity)."""
BY_ITS_OWN_ROLE = {"sts:AssumeRole"}
IMPLIED = {"ec2:CreateTags", "elasticmapreduce:AddTags", "iam:PassRole"}
"""Actions that EC2, EMR and IAM also authorize if something is created with tags, or gets a role."""
OF_THE_CATALOG = {"reader.py", "session.py"}


def arn(kind: str, name: str = "x-0123456789abcdef0", account: str = ACCOUNT) -> str:
    return f"arn:aws:ec2:us-east-1:{account}:{kind}/{name}"


def instance(**more: str) -> dict[str, str]:
    return {**HERE, **MINE, "ec2:InstanceType": "i4i.large", "ec2:MetadataHttpTokens": "required", **more}


ALLOWED: Mapping[str, Asked] = {
    "ours is ended": Asked("ec2:TerminateInstances", arn("instance"), TAGGED),
    "our volume is deleted": Asked("ec2:DeleteVolume", arn("volume"), TAGGED),
    "a tagged instance is launched": Asked("ec2:RunInstances", arn("instance", "*"), instance()),
    "from an image of Amazon": Asked("ec2:RunInstances", "arn:aws:ec2:us-east-1::image/ami-1", {"ec2:Owner": "amazon"}),
    "in any subnet": Asked("ec2:RunInstances", arn("subnet"), HERE),
    "in a group of ours": Asked("ec2:RunInstances", arn("security-group"), TAGGED),
    "files of runs are written": Asked("s3:PutObject", f"{BUCKET}/stowage/run/orders/0000.json", IN_ACCOUNT),
    "files of runs are listed": Asked("s3:ListBucket", BUCKET, {**IN_ACCOUNT, "s3:prefix": "stowage/run/"}),
}

NOT_OURS = {"aws:ResourceTag/stowage-connection": OTHER}
FORBIDDEN: Mapping[str, Asked] = {
    "ending an untagged instance": Asked("ec2:TerminateInstances", arn("instance")),
    "ending an instance of another connection": Asked("ec2:TerminateInstances", arn("instance"), NOT_OURS),
    "stopping an instance": Asked("ec2:StopInstances", arn("instance"), TAGGED),
    "deleting an untagged volume": Asked("ec2:DeleteVolume", arn("volume"), {"aws:ResourceTag/Name": "database"}),
    "deleting an untagged group": Asked("ec2:DeleteSecurityGroup", arn("security-group")),
    "opening an untagged group": Asked("ec2:AuthorizeSecurityGroupIngress", arn("security-group")),
    "making a database look like ours": Asked("ec2:CreateTags", arn("volume"), {**MINE, "aws:TagKeys": ["Name"]}),
    "taking tags away": Asked("ec2:DeleteTags", arn("instance"), TAGGED),
    "launching without the tag": Asked(
        "ec2:RunInstances", arn("instance", "*"), {**HERE, "ec2:MetadataHttpTokens": "required"}
    ),
    "launching for another connection": Asked(
        "ec2:RunInstances", arn("instance", "*"), instance(**{"aws:RequestTag/stowage-connection": OTHER})
    ),
    "launching with the old metadata service": Asked(
        "ec2:RunInstances", arn("instance", "*"), instance(**{"ec2:MetadataHttpTokens": "optional"})
    ),
    "launching into an untagged group": Asked("ec2:RunInstances", arn("security-group")),
    "launching with another user's key pair": Asked("ec2:RunInstances", arn("key-pair"), TAGGED),
    "launching from another account's snapshot": Asked("ec2:RunInstances", arn("snapshot"), TAGGED),
    "launching from a template": Asked("ec2:RunInstances", arn("launch-template"), TAGGED),
    "launching from another account's image": Asked(
        "ec2:RunInstances", "arn:aws:ec2:us-east-1::image/ami-1", {"ec2:Owner": "210987654321"}
    ),
    "a volume without the tag": Asked("ec2:RunInstances", arn("volume", "*"), HERE),
    "attaching a volume": Asked("ec2:AttachVolume", arn("volume"), TAGGED),
    "copying a volume": Asked("ec2:CreateSnapshot", arn("volume"), TAGGED),
    "reading an instance's console": Asked("ec2:GetConsoleOutput", arn("instance"), TAGGED),
    "reading what instances start with": Asked("ec2:DescribeInstanceAttribute", arn("instance"), HERE),
    "changing an instance": Asked("ec2:ModifyInstanceAttribute", arn("instance"), TAGGED),
    "reading another bucket's files": Asked("s3:GetObject", "arn:aws:s3:::payroll/2026.csv"),
    "reading beside the prefix": Asked("s3:GetObject", f"{BUCKET}/other/file", IN_ACCOUNT),
    "listing beside the prefix": Asked("s3:ListBucket", BUCKET, {**IN_ACCOUNT, "s3:prefix": ""}),
    "writing to another account's bucket of the same name": Asked(
        "s3:PutObject", f"{BUCKET}/stowage/run/orders/0000.json", {"aws:ResourceAccount": "999999999999"}
    ),
    "changing the bucket's policy": Asked("s3:PutBucketPolicy", BUCKET),
    "reading a secret parameter": Asked("ssm:GetParameter", "arn:aws:ssm:us-east-1:210987654321:parameter/password"),
    "running commands on instances": Asked("ssm:SendCommand", arn("instance"), TAGGED),
    "becoming another role": Asked("sts:AssumeRole", "arn:aws:iam::210987654321:role/admin"),
    "handing an instance a role": Asked(
        "iam:PassRole", "arn:aws:iam::210987654321:role/admin", {"iam:PassedToService": "ec2.amazonaws.com"}
    ),
    "making a role": Asked("iam:CreateRole", "arn:aws:iam::210987654321:role/mine"),
    "starting a cluster": Asked("elasticmapreduce:RunJobFlow", "*", {**HERE, **MINE}),
}


@pytest.fixture(scope="module")
def template() -> Template:
    return Template(OURS)


@pytest.mark.soak("tools")
def test_cloudformation_understands_the_template_as_it_is_and_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "connect-account.yaml"
    path.write_text(filled(external_id="Zm9v-" * 8, connection_id=OURS, principal_arn=PRINCIPAL))
    command = [str(Path(sys.executable).parent / "cfn-lint"), "--", "infra/connect-account.yaml", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("value", ['"; x', "a b", "two\nlines", "!Ref AWS::AccountId", "ü" * 30])
def test_what_is_no_id_is_not_filled_in(value: str) -> None:
    with pytest.raises(ValueError, match="is no id"):
        filled(external_id=value, connection_id=OURS, principal_arn=PRINCIPAL)


@pytest.mark.parametrize("what", ALLOWED)
def test_the_role_may(template: Template, what: str) -> None:
    assert allows(template.statements(), ALLOWED[what])


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_role_may_not(template: Template, what: str) -> None:
    assert not allows(template.statements(), FORBIDDEN[what])


@pytest.mark.parametrize(
    "what",
    [
        "ending an untagged instance",
        "ending an instance of another connection",
        "deleting an untagged volume",
        "deleting an untagged group",
        "opening an untagged group",
        "making a database look like ours",
        "taking tags away",
        "launching without the tag",
        "launching for another connection",
        "a volume without the tag",
    ],
)
def test_another_policy_that_allows_everything_does_not_lift_a_prohibition(template: Template, what: str) -> None:
    administrator = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    assert not allows([*template.statements(), administrator], FORBIDDEN[what])


def test_iam_takes_policies_of_that_length() -> None:
    # All inline policies of a role together, without spaces (IAM user guide, "IAM and STS quotas", 2026-11-20).
    statements = Template(OURS, EnableEmr="yes", Regions=",".join(["ap-northeast-1"] * 5)).statements()
    assert len(json.dumps(statements, separators=(",", ":"))) < 0.9 * 10_240


def test_the_owner_bounds_regions_types_and_subnets() -> None:
    mine = arn("subnet", "subnet-mine")
    bounded = Template(OURS, Regions="us-east-1,eu-*", InstanceTypes="i4i.*,m5.large", SubnetArns=mine).statements()
    assert allows(bounded, Asked("ec2:RunInstances", arn("instance", "*"), instance()))
    for changed in ({"aws:RequestedRegion": "us-west-2"}, {"ec2:InstanceType": "p5.48xlarge"}):
        assert not allows(bounded, Asked("ec2:RunInstances", arn("instance", "*"), instance(**changed)))
    assert allows(bounded, Asked("ec2:RunInstances", mine, HERE))
    looks = {
        region: Asked("ec2:DescribeInstances", "*", {"aws:RequestedRegion": region})
        for region in ("eu-north-1", "ap-south-1")
    }
    assert [region for region, asked in looks.items() if allows(bounded, asked)] == ["eu-north-1"]
    assert not allows(bounded, Asked("ec2:RunInstances", arn("subnet", "subnet-other"), HERE))


def test_the_role_is_only_for_who_has_the_external_id() -> None:
    [trust] = Template(OURS, ExternalId="the-right-one").trust()
    assert trust["Principal"] == {"AWS": PRINCIPAL}
    name = {"sts:RoleSessionName": f"stowage-{OURS}"}
    assert allows([trust], Asked("sts:AssumeRole", "*", {**name, "sts:ExternalId": "the-right-one"}))
    assert not allows([trust], Asked("sts:AssumeRole", "*", {**name, "sts:ExternalId": "another"}))
    assert not allows([trust], Asked("sts:AssumeRole", "*", name))
    assert not allows([trust], Asked("sts:AssumeRole", "*", {"sts:ExternalId": "the-right-one"}))


def test_the_bucket_is_private_short_lived_and_spoken_to_in_secret(template: Template) -> None:
    bucket = template.resource("Bucket")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert bucket["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    [rule] = bucket["LifecycleConfiguration"]["Rules"]
    assert (rule["Status"], rule["ExpirationInDays"], rule["Prefix"]) == ("Enabled", 1, "stowage/")
    statements = template.resource("BucketPolicy")["PolicyDocument"]["Statement"]
    everything = [*statements, {"Effect": "Allow", "Action": "*", "Resource": "*"}]
    good = {"aws:SecureTransport": "true", "s3:TlsVersion": "1.3", "s3:signatureAge": "3599000"}
    assert allows(everything, Asked("s3:GetObject", f"{BUCKET}/stowage/x", good))
    for bad in ({"aws:SecureTransport": "false"}, {"s3:TlsVersion": "1.1"}, {"s3:signatureAge": "3600001"}):
        assert not allows(everything, Asked("s3:GetObject", f"{BUCKET}/stowage/x", {**good, **bad}))


def test_emr_is_there_only_where_it_is_asked_for() -> None:
    assert not any("elasticmapreduce" in str(each) for each in Template(OURS).statements())
    with_emr = Template(OURS, EnableEmr="yes").statements()
    assert allows(with_emr, FORBIDDEN["starting a cluster"])
    cluster = f"arn:aws:elasticmapreduce:us-east-1:{ACCOUNT}:cluster/j-1"
    assert not allows(with_emr, Asked("elasticmapreduce:TerminateJobFlows", cluster))
    assert not allows(with_emr, Asked("elasticmapreduce:AddTags", cluster, {**MINE, **NOT_OURS}))
    assert not allows(with_emr, FORBIDDEN["handing an instance a role"])


def test_the_role_may_do_what_the_code_asks_and_nothing_more() -> None:
    statements = Template(OURS, EnableEmr="yes").statements()
    granted = {
        action
        for each in statements
        if each["Effect"] == "Allow"
        for action in ([each["Action"]] if isinstance(each["Action"], str) else each["Action"])
    }
    assert not any("*" in action for action in granted)
    assert granted == set(asked_by_the_code()) - FREE - BY_ITS_OWN_ROLE | IMPLIED


def asked_by_the_code() -> Iterator[str]:
    """Yield the actions of all AWS operations that the code of connected accounts calls, or names by their action."""
    operations = dict(_operations())
    operations |= {action: action for action in operations.values()}
    folder = ROOT / "worker" / "stowage_worker" / "aws"
    for path in sorted(folder.glob("*.py")):
        if path.name not in OF_THE_CATALOG:
            for node in ast.walk(ast.parse(path.read_text())):
                name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
                if isinstance(name, str) and name in operations:
                    yield operations[name]


def _operations() -> Iterator[tuple[str, str]]:
    session = Session()
    for service, prefix in SERVICES.items():
        for operation in session.get_service_model(service).operation_names:
            action = f"{prefix}:{operation}"
            yield xform_name(operation), NAMED_OTHERWISE.get(action, action)
