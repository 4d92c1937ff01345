"""A connected account for tests: simulated, without machines; actions that the template does not allow are denied."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

from aws_enforced import Enforced
from laboratory.account import ACCOUNT, BUCKET, REGION, ROLE, Account, account
from laboratory.between import Answer, Between, Call, between
from laboratory.supplied import Supplied
from stowage.runs.actions import Launch
from stowage.runs.cloud import Connection
from stowage.runs.quote import Quote
from stowage.runs.run import Run
from stowage.runs.spec import RunSpec

EXTERNAL_ID = "stowage-0192d3c4-5e6f-7081"
KEY = bytes(range(32))
A_PAGE = 100
"""Names in a page of a bucket that is listed; AWS lists 1,000, or fewer."""


@dataclass
class Simulated:
    """The account in the simulation, the endpoint in front of it, and the added features."""

    account: Account
    between: Between
    supplied: Supplied
    enforced: Enforced

    def answers(self) -> dict[str, str]:
        """Return the settings that make boto3 use this endpoint."""
        return {
            "AWS_ENDPOINT_URL": self.between.address,
            "AWS_ACCESS_KEY_ID": "AKIASTOWAGE",
            "AWS_SECRET_ACCESS_KEY": "example",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        }


@contextmanager
def connected_account() -> Iterator[Simulated]:
    with account() as behind, between(behind.moto) as endpoint:
        endpoint.external_id = EXTERNAL_ID
        supplied = Supplied(behind)
        supplied.stand_in(endpoint)
        enforced = Enforced(endpoint.supplies, behind, supplied, BUCKET)
        enforced.trust(EXTERNAL_ID)
        endpoint.supplies = enforced
        simulated = Simulated(behind, endpoint, supplied, enforced)
        _give_a_way_out(behind)
        before = {name: os.environ.get(name) for name in simulated.answers()}
        os.environ.update(simulated.answers())
        try:
            yield simulated
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name)
                else:
                    os.environ[name] = value


def _give_a_way_out(behind: Account) -> None:
    """Add an internet gateway to the default VPC: AWS has one, the simulation none."""
    ec2 = behind.ec2
    vpc = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0]["VpcId"]
    if ec2.describe_internet_gateways(Filters=[{"Name": "attachment.vpc-id", "Values": [vpc]}])["InternetGateways"]:
        return
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"][0]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)


def list_endlessly(aws: Simulated, name: Callable[[int], str], *, folders: bool = False) -> list[int]:
    """Make the bucket list another page of `A_PAGE` names for every request.

    Parameters
    ----------
    aws : Simulated
    name : callable
        Returns the name for the number of an object, or of a folder.
    folders : bool
        Whether a listing by ``/`` returns folders.

    Returns
    -------
    list of int
        Grows by one with each page.
    """
    asked: list[int] = []

    def listed(call: Call, _: Callable[[], Answer]) -> Answer:
        asked.append(len(asked))
        at = "2026-11-20T08:00:00.000Z"
        first = len(asked) * A_PAGE
        if folders and call.parameters.get("delimiter") == "/":
            told = "".join(
                f"<CommonPrefixes><Prefix>{name(first + each)}</Prefix></CommonPrefixes>" for each in range(A_PAGE)
            )
        else:
            told = "".join(
                f"<Contents><Key>{name(first + each)}</Key><LastModified>{at}</LastModified><ETag>&quot;e&quot;</ETag>"
                "<Size>1</Size><StorageClass>STANDARD</StorageClass></Contents>"
                for each in range(A_PAGE)
            )
        body = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{BUCKET}</Name><KeyCount>{A_PAGE}</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>true</IsTruncated>"
            f"<NextContinuationToken>t{len(asked)}</NextContinuationToken>{told}</ListBucketResult>"
        )
        return Answer(200, body.encode(), (("Content-Type", "application/xml"),))

    aws.between.supplies["s3:ListBucket"] = listed
    return asked


def connection(external_id: str = EXTERNAL_ID, **changed: str) -> Connection:
    told = {"account": ACCOUNT, "role_arn": ROLE, "bucket": BUCKET, "prefix": "stowage/", "bucket_region": REGION}
    return Connection(id=uuid4(), org_id=uuid4(), external_id=external_id, **(told | changed))


def quote(now: datetime, spot_usd_per_hour: float | None = None) -> Quote:
    return Quote(
        total_usd=Decimal("3.21"),
        parts=(),
        longest_s=1800.0,
        made_at=now,
        valid_until=now + timedelta(days=1),
        node_usd_per_hour=0.2,
        volume_usd_per_hour=0.01,
        requests_usd=0.01,
        spot_usd_per_hour=spot_usd_per_hour,
    )


def run_of(spec: RunSpec, run_id: UUID | None = None) -> Run:
    now = datetime.now(UTC)
    offered = 0.0417 if spec.market == "spot" else None
    return Run(run_id or uuid4(), spec, quote(now, offered), "approved", now, agreed_usd=Decimal("3.21"))


def launch_of(run: Run, attempt: int = 0, zone: str | None = None) -> Launch:
    ends_at = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=30)
    return Launch(attempt, zone or run.spec.zone, ends_at, longest_s=1800.0)


def asked(aws: Simulated, run: Run) -> dict[str, str]:
    """Return the parameters of a run's launch request, as sent over the wire."""
    calls = [call for _, call, status in aws.between.calls if call.action == "ec2:RunInstances" and status == 200]
    return next(dict(call.parameters) for call in calls if str(run.id) in call.parameters.values())
