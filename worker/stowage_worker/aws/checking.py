"""Check of a connected account: identity, trust policy and permissions, by dry runs."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from stowage.features.benchmarks.cloud import Finding
from stowage.runs.observation import CloudError
from stowage.runs.spec import RunSpec
from stowage_worker.aws.account import Account
from stowage_worker.aws.images import PARAMETER, image_of
from stowage_worker.aws.network import subnets
from stowage_worker.aws.roles import assume
from stowage_worker.aws.room import QUOTAS, dry_request
from stowage_worker.aws.tags import CONNECTION, tagged
from stowage_worker.aws.trouble import DRY, asking

_OUTSIDER = "stowage-checks-that-any-other-id-is-refused"
_PROBE = "stowage-check"
_TYPE = "t3.micro"

_PROOFS = 2
"""Findings that are checked first: the account of the role, and that the role requires our external id."""

_NOT_TRIED = {
    "ec2:TerminateInstances": "instance",
    "ec2:DeleteVolume": "volume",
    "ec2:DeleteSecurityGroup": "security group",
    "ec2:DeletePlacementGroup": "placement group",
}


def check(account: Account) -> list[Finding]:
    """Check the role's trust policy and permissions.

    Permissions are tried by dry runs, by read requests, and by a small file in the bucket. No permission is tried if
    the role is not in the connection's account or can be assumed without the external id: the role may belong to
    another team, whose account must not be read or written.

    Raises
    ------
    CloudError
        The role cannot be assumed.
    """
    findings = [_identity(account)]
    if findings[0].outcome == "granted":
        findings += _trust(account)
    if {each.outcome for each in findings} != {"granted"} or len(findings) < _PROOFS:
        return findings
    findings += [_tried(action, call) for action, call in _questions(account)]
    findings += _files(account)
    findings += [_tried(action, call) for action, call in _dry_runs(account)]
    findings.append(_launch(account))
    findings += [_optional(action, call, words) for action, call, words in _wishes(account)]
    findings += [
        Finding(action, "unknown", f"It can be tried only on a {what} of a run: the first run shows it.")
        for action, what in _NOT_TRIED.items()
    ]
    return findings


def _identity(account: Account) -> Finding:
    with asking("sts:GetCallerIdentity", account.region):
        told = account.client("sts").get_caller_identity()
    if told["Account"] != account.connection.account:
        words = f"The role is of account {told['Account']}, not of {account.connection.account}."
        return Finding("sts:AssumeRole", "denied", words)
    return Finding("sts:AssumeRole", "granted", f"We are {told['Arn']}.")


def _trust(account: Account) -> Iterator[Finding]:
    """Try to assume the role as another team would: without the external id, and with a wrong one."""
    for external_id, words in ((None, "without an external id"), (_OUTSIDER, "with any external id")):
        try:
            assume(account.connection, external_id)
        except CloudError as error:
            if error.kind != "denied":
                yield Finding("sts:ExternalId", "unknown", f"It was not found out: {error.words}")
                return
        else:
            yield Finding(
                "sts:ExternalId",
                "denied",
                f"The role can be assumed {words}: others who know its name could have Stowage act in this account. "
                "Make its trust policy demand sts:ExternalId, as the template does.",
            )
            return
    yield Finding("sts:ExternalId", "granted", "The role is refused without this connection's id.")


def _questions(account: Account) -> Iterator[tuple[str, Callable[[], Any]]]:
    ec2: Any = account.ec2
    for action in (
        "describe_instances",
        "describe_volumes",
        "describe_security_groups",
        "describe_placement_groups",
        "describe_subnets",
        "describe_vpcs",
        "describe_route_tables",
        "describe_instance_type_offerings",
    ):
        words = "".join(word.capitalize() for word in action.split("_"))
        yield f"ec2:{words}", partial(getattr(ec2, action), DryRun=True)
    yield "ec2:DescribeInstanceTypes", lambda: ec2.describe_instance_types(DryRun=True, InstanceTypes=[_TYPE])
    parameter = PARAMETER.format(processor="x86_64")
    yield "ssm:GetParameter", lambda: account.client("ssm").get_parameter(Name=parameter)
    yield "cloudwatch:GetMetricData", lambda: _metric(account)
    bucket, files = account.connection.bucket, account.bucket()
    # Another account could own a bucket of this name and receive our files, so S3 checks the owner.
    yield (
        "s3:ListBucket",
        lambda: files.list_objects_v2(
            Bucket=bucket,
            Prefix=account.connection.prefix,
            MaxKeys=1,
            ExpectedBucketOwner=account.connection.account,
        ),
    )


def _files(account: Account) -> Iterator[Finding]:
    """Write, read and delete a file of a few bytes, because S3 has no dry runs."""
    files, where = account.bucket(), {"Bucket": account.connection.bucket, "Key": account.connection.prefix + _PROBE}
    put = _tried("s3:PutObject", lambda: files.put_object(**where, Body=b"{}"))
    yield put
    for action, call in (
        ("s3:GetObject", lambda: files.get_object(**where)["Body"].read(1)),
        ("s3:DeleteObject", lambda: files.delete_object(**where)),
    ):
        if put.outcome == "granted":
            yield _tried(action, call)
        else:
            yield Finding(action, "unknown", "There was no file to try it on.")


def _dry_runs(account: Account) -> Iterator[tuple[str, Callable[[], Any]]]:
    listed = [{"Key": CONNECTION, "Value": str(account.connection.id)}]
    yield (
        "ec2:CreatePlacementGroup",
        lambda: account.ec2.create_placement_group(
            DryRun=True, GroupName=_PROBE, Strategy="cluster", TagSpecifications=tagged(["placement-group"], listed)
        ),
    )
    yield (
        "ec2:CreateSecurityGroup",
        lambda: account.ec2.create_security_group(
            DryRun=True,
            GroupName=_PROBE,
            Description="Only tried",
            VpcId=next((each.vpc for each in subnets(account).values()), "vpc-none"),
            TagSpecifications=tagged(["security-group"], listed),
        ),
    )


def _launch(account: Account) -> Finding:
    """Try a dry-run launch in the default security group.

    AWS denies this launch to a role that may use only the security groups of runs, which do not exist yet. So the
    permission counts as unknown after a denial.
    """
    action = "ec2:RunInstances"
    there = next(iter(subnets(account).values()), None)
    if there is None:
        return Finding(action, "unknown", f"There is no subnet in {account.region} to try it in.")
    spec = RunSpec("diskbench", _TYPE, 1, account.region)
    try:
        with asking(action, account.region, {DRY}):
            account.ec2.run_instances(**dry_request(account, spec, there, image_of(account, "x86_64")))
    except CloudError as error:
        if error.kind == "denied":
            words = (
                "A dry launch was refused, as it is where nodes may stand in security groups of runs alone, and there "
                "is none to try it in. The first run shows it, and costs nothing where it is refused."
            )
            return Finding(action, "unknown", words)
        return Finding(action, "unknown", error.words)
    return Finding(action, "granted", "A dry launch would have been taken.")


def _wishes(account: Account) -> Iterator[tuple[str, Callable[[], Any], str]]:
    yield (
        "servicequotas:GetServiceQuota",
        lambda: account.client("service-quotas").get_service_quota(ServiceCode="ec2", QuotaCode=QUOTAS["standard"][0]),
        "Without it a run finds out only when it is launched that a quota does not suffice.",
    )
    yield (
        "elasticmapreduce:ListClusters",
        lambda: account.client("emr").list_clusters(ClusterStates=["RUNNING"]),
        "Only TestDFSIO needs it: the template's parameter EnableEmr grants it.",
    )


def _metric(account: Account) -> object:
    now = account.clock()
    answer: object = account.client("cloudwatch").get_metric_data(
        MetricDataQueries=[
            {
                "Id": "m0",
                "MetricStat": {
                    "Metric": {"Namespace": "AWS/EBS", "MetricName": "VolumeReadBytes", "Dimensions": []},
                    "Period": 300,
                    "Stat": "Sum",
                },
            }
        ],
        StartTime=now - timedelta(minutes=10),
        EndTime=now,
    )
    return answer


def _tried(action: str, call: Callable[[], Any]) -> Finding:
    try:
        with asking(action, "the account", {DRY}):
            call()
    except CloudError as error:
        return Finding(action, "denied" if error.kind == "denied" else "unknown", error.words)
    return Finding(action, "granted", "Tried.")


def _optional(action: str, call: Callable[[], Any], words: str) -> Finding:
    found = _tried(action, call)
    return found if found.outcome == "granted" else Finding(action, "unknown", f"{words} {found.words}")
