"""Connected AWS accounts: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from stowage.platform.described import Answer
from stowage.platform.jobs.job_answers import JobAnswer
from stowage.platform.written import Name, Section

AccountState = Literal["unchecked", "checking", "connected", "failing"]
FindingOutcome = Literal["granted", "denied", "unknown"]

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
    """An AWS account that is to be connected; its role comes when the template has made it."""

    name: Annotated[Name, Field(min_length=1)]
    bucket_region: Region = "us-east-1"
    """Where the bucket is made through which agents and results travel."""
    month_limit_usd: MonthLimit = 100.0
    """What runs in it may be agreed to cost in a month, together."""


class AwsAccountChange(Section):
    """Changes of an account; omitted fields keep their values."""

    name: Annotated[Name, Field(min_length=1)] | None = None
    role_arn: RoleArn | None = None
    """That the template has made."""
    bucket: Bucket | None = None
    bucket_region: Region | None = None
    month_limit_usd: MonthLimit | None = None


class AwsFindingAnswer(Answer):
    """Result of a dry run of one permission."""

    action: str
    """As policies name it."""
    outcome: FindingOutcome
    words: str


class AwsAccountAnswer(Answer):
    """A connected AWS account; its AWS id and role are visible only to people who may connect accounts."""

    id: UUID
    name: str
    state: AccountState
    account: str | None
    """Twelve digits; null until its role is known, as what follows."""
    role_arn: str | None
    external_id: str | None
    """By which the role knows that it is us, for this team."""
    bucket: str | None
    prefix: str
    bucket_region: str
    month_limit_usd: float
    month_committed_usd: float
    """Spent in this month, and agreed to for runs that are open."""
    open_runs: int
    findings: list[AwsFindingAnswer]
    """Of the last check; empty for callers without the permission to connect accounts."""
    problem: str | None
    """Why runs cannot be launched in it."""
    checked_at: datetime | None
    person: str
    created_at: datetime
    job: JobAnswer | None
    """That checks it, while it does."""


class AwsAccountListAnswer(Answer):
    """Connected AWS accounts, oldest first."""

    accounts: list[AwsAccountAnswer]


class AwsTemplateAnswer(Answer):
    """Template that creates the role and the bucket in the account."""

    name: str
    """Of the file."""
    template: str
    """CloudFormation, YAML, filled in for this connection."""
    console_url: str
    """Where a stack is made of it in the console of AWS."""
    command: str
    """The same from a terminal."""
    external_id: str
    principal: str | None
    """Who will assume the role; null where this service does not know its own identity at AWS: then it is asked
    for when the stack is made."""
