"""External checks of deployment files: linters, parsers, simulations of AWS, AWS' own models."""

import contextlib
import io
import json
import re
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

import boto3
import hcl2
import pytest
import yaml
from botocore.model import ServiceModel
from botocore.session import Session
from botocore.validate import ParamValidator

KEYS: Mapping[str, Any] = {"aws_access_key_id": "AKIADEPLOYMENT", "aws_secret_access_key": "none"}


def linted(template: str) -> list[str]:
    """Return cfn-lint's findings in a template."""
    import cfnlint.api  # type: ignore[import-untyped] # noqa: PLC0415 - no types; it takes seconds to load

    found = cfnlint.api.lint(template, config=cfnlint.api.ManualArgs(regions=["us-east-1"]))
    return [f"{each.rule.id} {each.message}" for each in found]


class _Reader(yaml.CSafeLoader):
    """YAML loader that reads CloudFormation's short functions as mappings of their name."""


def _read_call(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        return {suffix: loader.construct_scalar(node)}
    assert isinstance(node, yaml.SequenceNode)
    return {suffix: loader.construct_sequence(node, deep=True)}


_Reader.add_multi_constructor("!", _read_call)


@cache
def template_of(text: str) -> Any:
    """Read a template."""
    return yaml.load(text, Loader=_Reader)  # noqa: S506 - it is a SafeLoader


@dataclass(frozen=True, slots=True)
class Built:
    """Resources that a stack created."""

    nodes: int
    types: Counter[str]
    open_to: list[str]
    ended_after_deletion: bool


def cluster_of_stack(template: str, region: str) -> Built:
    """Create a stack in the simulation, read its resources, and delete it."""
    stacks = boto3.client("cloudformation", region, **KEYS)
    ec2: Any = boto3.client("ec2", region, **KEYS)
    # The simulation knows no placement groups, and treats every device as a volume.
    template = re.sub(r" +- DeviceName: .*\n +VirtualName: .*\n", "", template)
    plain = re.sub(r"  Together:\n(    .*\n)+", "", template).replace("      PlacementGroup: !Ref Together\n", "")
    assert "Together" not in plain
    stacks.create_stack(StackName="built", TemplateBody=plain, Capabilities=["CAPABILITY_IAM"])
    assert stacks.describe_stacks(StackName="built")["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE"
    instances = _instances(ec2)
    groups = ec2.describe_security_groups(Filters=[{"Name": "group-name", "Values": ["built*"]}])["SecurityGroups"]
    open_to = [each["CidrIp"] for group in groups for rule in group["IpPermissions"] for each in rule["IpRanges"]]
    stacks.delete_stack(StackName="built")
    left = [each for each in _instances(ec2) if each["State"]["Name"] in {"pending", "running"}]
    return Built(len(instances), Counter(each["InstanceType"] for each in instances), open_to, not left)


def _instances(ec2: Any) -> list[Any]:
    return [each for made in ec2.describe_instances()["Reservations"] for each in made["Instances"]]


ARGUMENTS: Mapping[str, frozenset[str]] = {
    name: frozenset(arguments.split())
    for name, arguments in {
        "aws_launch_template": (
            "name_prefix image_id instance_type key_name vpc_security_group_ids tags user_data ebs_optimized "
            "credit_specification instance_market_options iam_instance_profile metadata_options "
            "block_device_mappings tag_specifications"
        ),
        "aws_launch_template/credit_specification": "cpu_credits",
        "aws_launch_template/instance_market_options": "market_type spot_options",
        "aws_launch_template/instance_market_options/spot_options": "spot_instance_type",
        "aws_launch_template/iam_instance_profile": "arn name",
        "aws_launch_template/metadata_options": "http_endpoint http_tokens http_put_response_hop_limit",
        "aws_launch_template/block_device_mappings": "device_name ebs no_device virtual_name",
        "aws_launch_template/block_device_mappings/ebs": (
            "delete_on_termination encrypted iops kms_key_id snapshot_id throughput volume_size volume_type"
        ),
        "aws_launch_template/tag_specifications": "resource_type tags",
        "aws_autoscaling_group": (
            "name_prefix min_size max_size desired_capacity vpc_zone_identifier health_check_type placement_group "
            "suspended_processes wait_for_capacity_timeout launch_template tag"
        ),
        "aws_autoscaling_group/launch_template": "id name version",
        "aws_autoscaling_group/tag": "key value propagate_at_launch",
        "aws_placement_group": "name strategy tags partition_count spread_level",
        "aws_security_group": "name_prefix description vpc_id tags ingress egress",
        "aws_security_group/ingress": "description from_port to_port protocol self cidr_blocks",
        "aws_security_group/egress": "description from_port to_port protocol self cidr_blocks",
        "aws_iam_role": "name_prefix tags assume_role_policy",
        "aws_iam_role_policy_attachment": "role policy_arn",
        "aws_iam_role_policy": "count name role policy",
        "aws_iam_instance_profile": "name_prefix role tags",
        "data.aws_partition": "",
        "data.aws_ec2_instance_type_offerings": "location_type filter",
        "data.aws_ec2_instance_type_offerings/filter": "name values",
        "data.aws_vpc": "count default",
        "data.aws_subnet": "for_each availability_zone default_for_az",
        "data.aws_ssm_parameter": "name",
    }.items()
}
"""Arguments of the resources and data sources in our files.

Source: documentation of the provider hashicorp/aws, website/docs/r/launch_template.html.markdown and
website/docs/r/autoscaling_group.html.markdown, read on 2026-11-21; the smaller ones (placement_group, security_group,
iam_*, and the data sources) from memory of its pages with these names: `terraform validate` has checked none of them.
"""

_META = frozenset({"count", "for_each", "depends_on", "lifecycle"})


@cache
def terraform_of(text: str) -> Any:
    """Parse Terraform."""
    return hcl2.loads(text)


def unknown_arguments(text: str) -> list[str]:
    """Return the arguments of a file that are not in the list."""
    document = terraform_of(text)
    found = []
    for kind, prefix in (("resource", ""), ("data", "data.")):
        for block in document.get(kind, []):
            for name, bodies in _plain(block).items():
                for body in bodies.values():
                    found += list(_unknown(prefix + name, body))
    return found


def _unknown(path: str, body: Mapping[str, Any]) -> Iterator[str]:
    if path not in ARGUMENTS:
        yield path
        return
    for name, value in body.items():
        if name.startswith("__"):
            continue
        if name == "dynamic":
            yield from _unknown_in_dynamic(path, value)
            continue
        if name not in ARGUMENTS[path] | _META:
            yield f"{path}: {name}"
        if f"{path}/{name}" in ARGUMENTS:
            for each in value:
                yield from _unknown(f"{path}/{name}", each)


def _unknown_in_dynamic(path: str, blocks: list[Any]) -> Iterator[str]:
    for each in blocks:
        for name, inner in _plain(each).items():
            for content in inner["content"]:
                yield from _unknown(f"{path}/{name}", content)


def _plain(block: Mapping[str, Any]) -> dict[str, Any]:
    """Remove quotes from the labels of a block, and fields that the parser adds."""
    return {
        key.strip('"'): _plain(value) if isinstance(value, Mapping) else value
        for key, value in block.items()
        if not key.startswith("__")
    }


@cache
def _service_model(service: str) -> ServiceModel:
    return Session().get_service_model(service)


def faults_of_request(service: str, operation: str, request: Mapping[str, Any]) -> str:
    """Return the errors that AWS' own model finds in a request; empty if there are none."""
    model = _service_model(service).operation_model(operation)
    assert model.input_shape is not None
    report = ParamValidator().validate(dict(request), model.input_shape)
    return str(report.generate_report()) if report.has_errors() else ""


def run_script(text: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a script within this process, as a user would; return its exit status and its output."""
    path = folder / "cluster.py"
    path.write_text(text, encoding="utf-8")
    printed, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
        status = runpy.run_path(str(path))["main"](list(arguments))
    return status, printed.getvalue(), complained.getvalue()


def shown_requests(text: str, folder: Path) -> list[dict[str, Any]]:
    """Return the requests that a script prints."""
    status, printed, _ = run_script(text, folder)
    assert status == 0
    return list(json.loads(printed))


def fio_reads(text: str, folder: Path) -> str:
    """Return fio's error for a job file; empty if there is none."""
    if which("fio") is None:
        pytest.skip("fio is not installed: apt-get install fio")
    path = folder / "check.fio"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(["fio", "--parse-only", path], capture_output=True, text=True, timeout=30, check=False)  # noqa: S607 - of the test's machine
    return "" if done.returncode == 0 else done.stdout + done.stderr


def shell_faults(scripts: Mapping[str, str], folder: Path) -> str:
    """Return shellcheck's findings in scripts; all at once, since it starts slowly."""
    paths = []
    for name, text in scripts.items():
        path = folder / f"{name}.sh"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    # It is installed next to the Python that runs the tests.
    shellcheck = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run([shellcheck, "--shell=bash", *paths], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr
