"""Queries of connected AWS accounts, and of the costs of their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, and_, case, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from stowage.features.benchmarks.tables import AccountState, aws_account, run
from stowage.frozen import frozen
from stowage.platform.database.rows import Rows
from stowage.platform.database.tables import job
from stowage.runs.run import ENDED

_OPEN = ("approved", "launching", "running", "collecting", "tearing-down")


@frozen(kw_only=True)
class StoredAccount:
    """An AWS account that a team has connected or begun to connect."""

    id: UUID
    name: str
    account: str | None = None
    """Account number of twelve digits; None until the role of the account is known."""
    role_arn: str | None = None
    external_id: str
    bucket: str | None = None
    prefix: str
    """Prefix of the run files in the bucket; ends with a slash."""
    bucket_region: str | None
    month_limit_usd: Decimal | None
    state: AccountState = "unchecked"
    findings: Sequence[Mapping[str, Any]] = field(default_factory=list)
    """Result of the dry run of each permission."""
    problem: str | None = None
    checked_at: datetime | None = None
    person: str
    created_at: datetime
    removed_at: datetime | None = None


@frozen
class NamedAccount:
    """An account that the team has connected now or had connected before."""

    name: str
    connected: bool
    """Whether the account is still connected."""


@frozen
class Usage:
    """Cost of an account's runs in a period, with the number of open runs."""

    committed_usd: Decimal
    """Approved cost of open runs plus the cost of runs that ended in the period [USD]."""
    open_runs: int


UNUSED = Usage(Decimal(0), 0)


_ACCOUNTS = Rows(aws_account, StoredAccount, noun="account", there=aws_account.c.removed_at.is_(None))
add, get, demand, change = _ACCOUNTS.add, _ACCOUNTS.get, _ACCOUNTS.demand, _ACCOUNTS.change


def connected(connection: Connection) -> tuple[StoredAccount, ...]:
    """Return the connected accounts of the team, oldest first."""
    return _ACCOUNTS.list_all(connection, order=(aws_account.c.created_at, aws_account.c.id))


def names(connection: Connection) -> dict[UUID, NamedAccount]:
    """Return the name of each account that the team ever had, by account id.

    Removed accounts are included.
    """
    rows = connection.execute(select(aws_account.c.id, aws_account.c.name, aws_account.c.removed_at.is_(None)))
    return {account_id: NamedAccount(name, there) for account_id, name, there in rows}


def store_check(
    connection: Connection,
    account: StoredAccount,
    *,
    state: AccountState,
    findings: Sequence[Mapping[str, Any]],
    problem: str | None,
    at: datetime,
) -> bool:
    """Store the findings of a check, and return whether they were stored.

    They are not stored if the role or the bucket has changed since the check began, or if the account was removed.
    """
    same = (aws_account.c[name] == getattr(account, name) for name in ("role_arn", "bucket", "bucket_region"))
    values = {"state": state, "findings": list(findings), "problem": problem, "checked_at": at}
    return change(connection, account.id, values, *same)


def usage(connection: Connection, since: datetime) -> dict[UUID, Usage]:
    """Return the cost of runs and the number of open runs of each account, by account id.

    The cost covers open runs, and runs that ended at or after `since`. Accounts without such runs are left out.
    """
    is_open = run.c.state.in_(_OPEN)
    query = (
        select(
            run.c.account_id,
            func.sum(case((is_open, run.c.agreed_usd), else_=run.c.spent_usd)),
            func.count().filter(is_open),
        )
        .where(or_(is_open, and_(run.c.state.in_(ENDED), run.c.finished_at >= since)))
        .group_by(run.c.account_id)
    )
    return {account_id: Usage(committed, opened) for account_id, committed, opened in connection.execute(query)}


def newest_checks(connection: Connection, account_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return the id of each account's newest check job, by account id."""
    query = (
        select(job.c.subject_id, job.c.id)
        .where(job.c.kind == "account", job.c.subject_id.in_(account_ids))
        .ext(distinct_on(job.c.subject_id))
        .order_by(job.c.subject_id, job.c.created_at.desc())
    )
    return {row.subject_id: row.id for row in connection.execute(query)}
