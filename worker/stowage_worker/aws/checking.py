"""Check of a connected account: identity, trust policy and permissions, by dry runs."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from stowage.runs.cloud import Finding, MetricQuery
from stowage.runs.observation import CloudError
from stowage.runs.spec import RunSpec
from stowage_worker.aws.account import Account
from stowage_worker.aws.images import PARAMETER, image_of
from stowage_worker.aws.metrics import query_of
from stowage_worker.aws.network import Subnet, subnets
from stowage_worker.aws.roles import assume
from stowage_worker.aws.room import QUOTAS, dry_request
from stowage_worker.aws.tags import CONNECTION, tagged
from stowage_worker.aws.trouble import DRY

_OUTSIDER = "stowage-checks-that-any-other-id-is-refused"
_PROBE = "stowage-check"
_TYPE = "t3.micro"

_PROOFS = 2
"""Findings that are checked first: the account of the role, and that the role requires our external id."""

_WISHES: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    (
        "servicequotas:GetServiceQuota",
        {"ServiceCode": "ec2", "QuotaCode": QUOTAS["standard"][0]},
        "Without it a run finds out only when it is launched that a quota does not suffice.",
    ),
    (
        "elasticmapreduce:ListClusters",
        {"ClusterStates": ["RUNNING"]},
        "Only TestDFSIO needs it: the template's parameter EnableEmr grants it.",
    ),
)
"""Requests that only some runs need, with the reason."""

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
    findings += [_tried(account, action, **request) for action, request in _questions(account)]
    findings += _files(account)
    there = _subnet(account)
    findings += [_tried(account, action, DryRun=True, **request) for action, request in _dry_runs(account, there)]
    findings.append(_launch(account, there))
    findings += [_optional(_tried(account, action, **request), words) for action, request, words in _WISHES]
    findings += [
        Finding(action, "unknown", f"It can be tried only on a {what} of a run: the first run shows it.")
        for action, what in _NOT_TRIED.items()
    ]
    return findings


def _identity(account: Account) -> Finding:
    told = account.ask("sts:GetCallerIdentity")
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


def _questions(account: Account) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests that only read, each with its action."""
    for action in (
        "ec2:DescribeInstances",
        "ec2:DescribeVolumes",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribePlacementGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcs",
        "ec2:DescribeRouteTables",
        "ec2:DescribeInstanceTypeOfferings",
    ):
        yield action, {"DryRun": True}
    yield "ec2:DescribeInstanceTypes", {"DryRun": True, "InstanceTypes": [_TYPE]}
    yield "ssm:GetParameter", {"Name": PARAMETER.format(processor="x86_64")}
    now = account.clock()
    reads = MetricQuery("AWS/EBS", "VolumeReadBytes", "VolumeId", "vol-none", "Sum", 300)
    yield (
        "cloudwatch:GetMetricData",
        {"MetricDataQueries": [query_of("m0", reads)], "StartTime": now - timedelta(minutes=10), "EndTime": now},
    )
    # Another account could own a bucket of this name and receive our files, so S3 checks the owner.
    owner = account.connection.account
    yield "s3:ListBucket", {"Prefix": account.connection.prefix, "MaxKeys": 1, "ExpectedBucketOwner": owner}


def _files(account: Account) -> Iterator[Finding]:
    """Write, read and delete a file of a few bytes, because S3 has no dry runs."""
    key = account.connection.prefix + _PROBE
    put = _tried(account, "s3:PutObject", Key=key, Body=b"{}")
    yield put
    for action in ("s3:GetObject", "s3:DeleteObject"):
        if put.outcome == "granted":
            yield _tried(account, action, Key=key)
        else:
            yield Finding(action, "unknown", "There was no file to try it on.")


def _subnet(account: Account) -> Subnet | None:
    """Return a subnet to try requests in; None if there is none or subnets cannot be listed."""
    try:
        return next(iter(subnets(account).values()), None)
    except CloudError:
        # The finding on the denied request is among those of `_questions`.
        return None


def _dry_runs(account: Account, there: Subnet | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield requests that would create groups, each with its action."""
    listed = [{"Key": CONNECTION, "Value": str(account.connection.id)}]
    yield (
        "ec2:CreatePlacementGroup",
        {"GroupName": _PROBE, "Strategy": "cluster", "TagSpecifications": tagged(["placement-group"], listed)},
    )
    yield (
        "ec2:CreateSecurityGroup",
        {
            "GroupName": _PROBE,
            "Description": "Only tried",
            "VpcId": "vpc-none" if there is None else there.vpc,
            "TagSpecifications": tagged(["security-group"], listed),
        },
    )


def _launch(account: Account, there: Subnet | None) -> Finding:
    """Try a dry-run launch in the default security group.

    AWS denies this launch to a role that may use only the security groups of runs, which do not exist yet. So the
    permission counts as unknown after a denial.
    """
    action = "ec2:RunInstances"
    if there is None:
        return Finding(action, "unknown", f"No subnet is known in {account.region} to try it in.")
    spec = RunSpec("diskbench", _TYPE, 1, account.region)
    try:
        account.ask(action, but={DRY}, **dry_request(account, spec, there, image_of(account, "x86_64")))
    except CloudError as error:
        if error.kind == "denied":
            words = (
                "A dry launch was refused, as it is where nodes may stand in security groups of runs alone, and there "
                "is none to try it in. The first run shows it, and costs nothing where it is refused."
            )
            return Finding(action, "unknown", words)
        return Finding(action, "unknown", error.words)
    return Finding(action, "granted", "A dry launch would have been taken.")


def _tried(account: Account, action: str, **request: Any) -> Finding:  # noqa: ANN401 - as AWS takes it
    try:
        account.ask(action, but={DRY}, where="the account", **request)
    except CloudError as error:
        return Finding(action, "denied" if error.kind == "denied" else "unknown", error.words)
    return Finding(action, "granted", "Tried.")


def _optional(found: Finding, words: str) -> Finding:
    return found if found.outcome == "granted" else Finding(found.action, "unknown", f"{words} {found.words}")
