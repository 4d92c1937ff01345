"""Routes of connected AWS accounts under /api/v1.

Workers assume a role in the account. No long-lived keys are used.
"""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Response

from stowage.features.benchmarks import aws_accounts
from stowage.features.benchmarks.aws_account_answers import (
    AwsAccountAnswer,
    AwsAccountChange,
    AwsAccountListAnswer,
    AwsTemplateAnswer,
    NewAwsAccount,
)
from stowage.web.admission import Person, needs, starts
from stowage.web.parameters import OnceOnly
from stowage.web.responses import CONFLICT, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["accounts"], responses=TEAM_REFUSALS)

Reading = Annotated[TeamServices, needs("runs.read")]
Owning = Annotated[TeamServices, needs("accounts.write")]
Checking = Annotated[TeamServices, starts("account")]


@router.get("/aws-accounts")
def list_aws_accounts(services: Reading) -> AwsAccountListAnswer:
    """List the AWS accounts that the team has connected, oldest first."""
    whole = "accounts.write" in services.asker.permissions
    return aws_accounts.list_accounts(services.database, services.org_id, whole=whole, now=datetime.now(UTC))


@router.post("/aws-accounts", status_code=201, responses=CONFLICT)
def add_aws_account(
    new: NewAwsAccount, _person: Person, services: Owning, response: Response, key: OnceOnly = None
) -> AwsAccountAnswer:
    """Begin to connect an account, and create its external id. The template then creates the role in the account."""
    added = aws_accounts.add_account(
        services.database,
        services.org_id,
        new,
        account_id=key or uuid4(),
        person=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/aws-accounts/{added.id}"
    return added


@router.get("/aws-accounts/{account_id}")
def read_aws_account(account_id: UUID, services: Reading) -> AwsAccountAnswer:
    """Return a connected account with the findings of its last check."""
    whole = "accounts.write" in services.asker.permissions
    return aws_accounts.read_account(services.database, services.org_id, account_id, whole=whole, now=datetime.now(UTC))


@router.patch("/aws-accounts/{account_id}", responses=CONFLICT)
def change_aws_account(
    account_id: UUID, change: AwsAccountChange, _person: Person, services: Owning
) -> AwsAccountAnswer:
    """Change the role, the bucket or the monthly cost limit of an account."""
    return aws_accounts.change_account(services.database, services.org_id, account_id, change, now=datetime.now(UTC))


@router.post("/aws-accounts/{account_id}/check", status_code=202, responses=CONFLICT)
def check_aws_account(account_id: UUID, _person: Person, services: Checking) -> AwsAccountAnswer:
    """Start a check of an account.

    A worker assumes the role and tries each permission by a dry run. Nothing is created.
    """
    return aws_accounts.start_check(
        services.database,
        services.org_id,
        services.queue,
        account_id,
        by=services.actor.name,
        now=datetime.now(UTC),
    )


@router.get("/aws-accounts/{account_id}/template")
def read_aws_account_template(account_id: UUID, services: Owning) -> AwsTemplateAnswer:
    """Return the CloudFormation template that creates the role and the bucket, filled in for this account."""
    return aws_accounts.template_of(
        services.database, services.org_id, account_id, principal=services.outside.aws_principal
    )


@router.delete("/aws-accounts/{account_id}", status_code=204, responses=CONFLICT)
def remove_aws_account(account_id: UUID, _person: Person, services: Owning) -> None:
    """Remove an account that has no open run. Its external id is never reused."""
    aws_accounts.remove_account(services.database, services.org_id, account_id, now=datetime.now(UTC))
