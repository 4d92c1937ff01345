"""Requests and answers of the routes for connected AWS accounts."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from stowage.features.benchmarks.tables import AccountState
from stowage.platform.described import Answer
from stowage.platform.jobs.job import Job
from stowage.platform.written import Name, Section
from stowage.runs.cloud import Finding

RoleArn = Annotated[
    str,
    Field(
        max_length=600,
        pattern=r"^arn:aws[a-z-]{0,20}:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,512}$",
        examples=["arn:aws:iam::123456789012:role/stowage"],
    ),
]
Bucket = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", examples=["stowage-runs"])]
Region = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]{1,12}){1,3}-[0-9]{1,2}$", examples=["us-east-1"])]
MonthLimit = Annotated[float, Field(ge=0, le=1e6, strict=True, allow_inf_nan=False)]


class NewAwsAccount(Section):
    """An AWS account to connect. Its role is set later, after the template has created it."""

    name: Annotated[Name, Field(min_length=1)]
    bucket_region: Region = "us-east-1"
    """Region of the bucket that carries agents and results."""
    month_limit_usd: MonthLimit = 100.0
    """Limit of the approved cost of all runs in the account in a month."""


class AwsAccountChange(Section):
    """Changes of an account. Omitted fields keep their values."""

    name: Annotated[Name, Field(min_length=1)] | None = None
    role_arn: RoleArn | None = None
    """ARN of the role that the template created."""
    bucket: Bucket | None = None
    bucket_region: Region | None = None
    month_limit_usd: MonthLimit | None = None


class AwsAccountAnswer(Answer):
    """A connected AWS account. Its number, role and bucket are shown only to callers who may connect accounts."""

    id: UUID
    name: str
    state: AccountState
    account: str | None
    """Twelve digits. This and the role fields are null until the role is known."""
    role_arn: str | None
    external_id: str | None
    """External id in the trust policy of the role; unique to this connection."""
    bucket: str | None
    prefix: str
    bucket_region: str
    month_limit_usd: float
    month_committed_usd: float
    """Spent this month plus the approved cost of open runs."""
    open_runs: int
    findings: list[Finding]
    """Findings of the last check; empty for callers who may not connect accounts."""
    problem: str | None
    """Reason that runs cannot be launched in the account."""
    checked_at: datetime | None
    person: str
    created_at: datetime
    job: Job | None
    """Job that is checking the account, while it runs."""


class AwsAccountListAnswer(Answer):
    """Connected AWS accounts, oldest first."""

    accounts: list[AwsAccountAnswer]


class AwsTemplateAnswer(Answer):
    """CloudFormation template that creates the role and the bucket in the account."""

    name: str
    """File name of the template."""
    template: str
    """CloudFormation template in YAML, filled in for this connection."""
    console_url: str
    """Page of the AWS console that creates the stack."""
    command: str
    """AWS CLI command that creates the stack."""
    external_id: str
    principal: str | None
    """ARN of the identity that will assume the role. Null if this service does not know its own AWS identity:
    CloudFormation then asks for the ARN when the stack is created."""
