"""Queries of connected AWS accounts: role, bucket, findings of the last check, monthly limit."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, and_, case, func, or_, select, update
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.dialects.postgresql import insert as insert_unless

from stowage.features.benchmarks.store.runs import ENDED
from stowage.features.benchmarks.tables import AccountState, aws_account, run
from stowage.platform.database.columns import columns_of
from stowage.platform.database.tables import job

_OPEN = ("approved", "launching", "running", "collecting", "tearing-down")


@dataclass(frozen=True, slots=True)
class StoredAccount:
    """An AWS account that a team has connected or begun to connect.

    Parameters
    ----------
    id : UUID
    name : str
    account : str or None
        Account number of twelve digits; None until the role of the account is known.
    role_arn : str or None
    external_id : str
    bucket : str or None
    prefix : str
        Ends with a slash.
    bucket_region : str or None
    month_limit_usd : Decimal or None
    state : AccountState
    findings : sequence of mapping
        Result of the dry run of each permission.
    problem : str or None
    checked_at : datetime or None
    person : str
    created_at : datetime
    removed_at : datetime or None
    """

    id: UUID
    name: str
    account: str | None
    role_arn: str | None
    external_id: str
    bucket: str | None
    prefix: str
    bucket_region: str | None
    month_limit_usd: Decimal | None
    state: AccountState
    findings: Sequence[Mapping[str, Any]]
    problem: str | None
    checked_at: datetime | None
    person: str
    created_at: datetime
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Total cost of an account's runs in a period, and the number of its open runs.

    Parameters
    ----------
    committed_usd : Decimal
        Approved cost of the open runs, plus the cost of the runs that ended in the period [USD].
    open_runs : int
    """

    committed_usd: Decimal
    open_runs: int


UNUSED = Usage(Decimal(0), 0)


def add(connection: Connection, new: StoredAccount) -> bool:
    """Store an account; return False if its id is taken, by this or another team."""
    unless_there = insert_unless(aws_account).values(asdict(new)).on_conflict_do_nothing(index_elements=["id"])
    return connection.execute(unless_there.returning(aws_account.c.id)).one_or_none() is not None


def get(connection: Connection, account_id: UUID, *, lock: bool = False) -> StoredAccount | None:
    """Return an account; None if it does not exist, was removed, or belongs to another team.

    Parameters
    ----------
    connection : Connection
    account_id : UUID
    lock : bool
        Whether to lock the account against changes and approvals until the transaction ends.
    """
    query = select(*columns_of(aws_account, StoredAccount)).where(
        aws_account.c.id == account_id, aws_account.c.removed_at.is_(None)
    )
    row = connection.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    return None if row is None else StoredAccount(**row)


def connected(connection: Connection) -> tuple[StoredAccount, ...]:
    """Return the accounts of the team, oldest first."""
    query = (
        select(*columns_of(aws_account, StoredAccount))
        .where(aws_account.c.removed_at.is_(None))
        .order_by(aws_account.c.created_at, aws_account.c.id)
    )
    return tuple(StoredAccount(**row) for row in connection.execute(query).mappings())


def names(connection: Connection) -> dict[UUID, tuple[str, bool]]:
    """Return the name of each account that the team ever had, and whether it is still connected."""
    rows = connection.execute(select(aws_account.c.id, aws_account.c.name, aws_account.c.removed_at.is_(None)))
    return {account_id: (name, there) for account_id, name, there in rows}


def change(connection: Connection, account_id: UUID, values: Mapping[str, Any]) -> None:
    """Update columns of an account."""
    connection.execute(update(aws_account).where(aws_account.c.id == account_id).values(**values))


def store_check(
    connection: Connection,
    account: StoredAccount,
    *,
    state: AccountState,
    findings: Sequence[Mapping[str, Any]],
    problem: str | None,
    at: datetime,
) -> bool:
    """Store the findings of a check, unless the role or the bucket has changed since the check began."""
    same = and_(
        aws_account.c.id == account.id,
        aws_account.c.role_arn == account.role_arn,
        aws_account.c.bucket == account.bucket,
        aws_account.c.bucket_region == account.bucket_region,
        aws_account.c.removed_at.is_(None),
    )
    values = {"state": state, "findings": list(findings), "problem": problem, "checked_at": at}
    return bool(connection.execute(update(aws_account).where(same).values(**values)).rowcount)


def usage(connection: Connection, since: datetime) -> dict[UUID, Usage]:
    """Return the totals of open runs and of runs that ended at or after `since`, for each account with such runs."""
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
    """Return the id of the newest check job of each account."""
    query = (
        select(job.c.subject_id, job.c.id)
        .where(job.c.kind == "account", job.c.subject_id.in_(account_ids))
        .ext(distinct_on(job.c.subject_id))
        .order_by(job.c.subject_id, job.c.created_at.desc())
    )
    return {row.subject_id: row.id for row in connection.execute(query)}
