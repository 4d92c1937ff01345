"""Connection of AWS accounts through a role that this service may assume.

Long-lived keys of an account are never requested or stored. A CloudFormation template creates the role in the account.
The role requires an external id, which is generated for one connection of one team and is never reused.

An id that is unknown or of another team raises `NotFound`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, get_args
from urllib.parse import urlencode
from uuid import UUID, uuid4

from stowage.features.benchmarks import account_template
from stowage.features.benchmarks.aws_account_answers import (
    AwsAccountAnswer,
    AwsAccountChange,
    AwsAccountListAnswer,
    AwsTemplateAnswer,
    NewAwsAccount,
)
from stowage.features.benchmarks.store import aws_accounts as store
from stowage.features.benchmarks.store import run_news
from stowage.features.benchmarks.store import runs as run_store
from stowage.features.benchmarks.store.aws_accounts import UNUSED, StoredAccount, Usage
from stowage.features.benchmarks.store.run_news import NewEvent
from stowage.platform.database.database import Connection as Transaction
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job, NewJob
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.secrets import new_secret
from stowage.runs.cloud import Clouds, Connection, Finding, Outcome
from stowage.runs.observation import CloudError

MOST_ACCOUNTS = 20
"""Maximum number of connected accounts of a team."""
PREFIX = "stowage/"
TEMPLATE_NAME = "connect-account.yaml"

DOUBT = timedelta(days=7)
"""An account cannot be removed for this long after a run ended without a verified tear-down: the sweep still needs the
account. Nodes terminate themselves within hours, so an account with a deleted role is not blocked for longer."""

_IN_DOUBT = "Of a run in it was not seen that nothing is left, and the sweep looks for that here."
_DEMANDED = frozenset({"sts:AssumeRole", "sts:ExternalId"})
"""Checks that must have a known outcome: Stowage can assume the role, and others cannot."""
_HIDDEN = ("account", "role_arn", "external_id", "bucket")
"""Fields that are shown only to callers who may connect accounts."""
_UNSETTABLE = {"name", "bucket_region", "month_limit_usd"}
"""Fields that every account has: null means the same as leaving the field out."""


def add_account(
    database: Database, org_id: UUID, new: NewAwsAccount, *, account_id: UUID, person: str, now: datetime
) -> AwsAccountAnswer:
    """Begin to connect an account; do nothing if an account with this id exists.

    Raises
    ------
    NotFound
        The id belongs to another team's account.
    Conflict
        The team has too many accounts.
    """
    stored = StoredAccount(
        id=account_id,
        name=new.name,
        external_id=new_secret(),
        prefix=PREFIX,
        bucket_region=new.bucket_region,
        month_limit_usd=Decimal(repr(new.month_limit_usd)),
        person=person,
        created_at=now,
    )
    with database.transaction(org_id) as connection:
        if store.get(connection, account_id) is None:
            if len(store.connected(connection)) >= MOST_ACCOUNTS:
                raise Conflict(f"The team has connected {MOST_ACCOUNTS} accounts; remove one first.")
            store.add(connection, stored)
    return read_account(database, org_id, account_id, whole=True, now=now)


def list_accounts(database: Database, org_id: UUID, *, whole: bool, now: datetime) -> AwsAccountListAnswer:
    """List the team's accounts, oldest first.

    Parameters
    ----------
    whole : bool
        Whether the caller may connect accounts and therefore see account numbers, roles and buckets.
    """
    with database.transaction(org_id) as connection:
        accounts = store.connected(connection)
        answers = _answers(connection, accounts, whole=whole, now=now)
    return AwsAccountListAnswer(accounts=answers)


def read_account(database: Database, org_id: UUID, account_id: UUID, *, whole: bool, now: datetime) -> AwsAccountAnswer:
    """Return an account with the findings of its last check."""
    with database.transaction(org_id) as connection:
        [answer] = _answers(connection, [store.demand(connection, account_id)], whole=whole, now=now)
    return answer


def change_account(
    database: Database, org_id: UUID, account_id: UUID, asked: AwsAccountChange, *, now: datetime
) -> AwsAccountAnswer:
    """Change the given fields of an account. A new role or bucket resets the account to unchecked.

    Raises
    ------
    Conflict
        A run is open in the account, and its tear-down needs the current role. Or a run ended without a verified
        tear-down, and the sweep needs the current account and bucket to find its remaining resources.
    """
    with database.transaction(org_id) as connection:
        before = store.demand(connection, account_id, lock=True)
        values = _changed(before, asked)
        moves = {"role_arn", "bucket", "bucket_region"} & values.keys()
        if moves:
            _refuse_open(connection, account_id, "change the role or the bucket", now)
            if {"account", "bucket", "bucket_region"} & values.keys() and run_store.in_doubt(connection, account_id):
                raise Conflict(f"{_IN_DOUBT} Connect the other account or bucket beside this one.")
            values |= {"state": "unchecked", "findings": [], "problem": None, "checked_at": None}
        if values:
            store.change(connection, account_id, values)
    return read_account(database, org_id, account_id, whole=True, now=now)


def start_check(
    database: Database, org_id: UUID, queue: Queue, account_id: UUID, *, by: str, now: datetime
) -> AwsAccountAnswer:
    """Start a check of an account's role; do nothing while a check is in progress.

    Raises
    ------
    Conflict
        The role or the bucket of the account is not known yet.
    """
    job_id = uuid4()
    with database.transaction(org_id) as connection:
        account = store.demand(connection, account_id, lock=True)
        if account.role_arn is None or account.bucket is None:
            raise Conflict("Its role is not known yet: make it by the template, and say its ARN and the bucket.")
        running = _check_of(connection, account_id)
        is_new = running is None or running.state not in job_store.UNFINISHED
        if is_new:
            job_store.insert(connection, NewJob(job_id, "account", account_id, by, now))
            store.change(connection, account_id, {"state": "checking", "problem": None})
    if is_new:
        jobs.enqueue(database, org_id, queue, job_id, "account")
    return read_account(database, org_id, account_id, whole=True, now=now)


def check_part(part: ClaimedPart, clouds: Clouds) -> None:
    """Check the role of an account, and store the findings.

    This is the work of jobs of kind `account`: assume the role, and try each permission by a dry run.

    Raises
    ------
    ClaimLost
        The job was cancelled, or another worker runs the check.
    CannotGoOn
        The account was removed meanwhile.
    """
    with part.database.transaction(part.org_id) as connection:
        account = store.get(connection, part.job.subject_id)
    reached = None if account is None else connection_of(account, part.org_id)
    if account is None or reached is None:
        raise jobs.CannotGoOn("The account is not connected any more.")
    with jobs.beating(part):
        try:
            findings = list(clouds.of(reached, reached.bucket_region).check())
            problem = _problem(findings)
            stored = [asdict(each) for each in findings]
        except CloudError as error:
            # This check has no result, so the findings of the previous check of the same role still hold.
            stored, problem = [dict(each) for each in account.findings], error.words
    with part.database.transaction(part.org_id) as connection:
        job_store.advance(connection, part.claim, 1)
        store.store_check(
            connection,
            account,
            state="connected" if problem is None else "failing",
            findings=stored,
            problem=problem,
            at=datetime.now(UTC),
        )
        job_store.finish(connection, part.claim)


def template_of(database: Database, org_id: UUID, account_id: UUID, *, principal: str | None) -> AwsTemplateAnswer:
    """Return the CloudFormation template that creates the role and the bucket of an account.

    Parameters
    ----------
    principal : str or None
        ARN of the identity that will assume the role, which is this service; None if the service does not know its ARN.
    """
    with database.transaction(org_id) as connection:
        account = store.demand(connection, account_id)
    text = account_template.filled(
        external_id=account.external_id, connection_id=account.id, principal_arn=principal or ""
    )
    region = account.bucket_region or "us-east-1"
    stack = f"stowage-{str(account.id)[:8]}"
    return AwsTemplateAnswer(
        name=TEMPLATE_NAME,
        template=text,
        console_url=f"https://{region}.console.aws.amazon.com/cloudformation/home?{urlencode({'region': region})}"
        "#/stacks/create",
        command=f"aws cloudformation deploy --region {region} --stack-name {stack} --template-file {TEMPLATE_NAME}"
        " --capabilities CAPABILITY_NAMED_IAM",
        external_id=account.external_id,
        principal=principal,
    )


def remove_account(database: Database, org_id: UUID, account_id: UUID, *, now: datetime) -> None:
    """Remove an account, so that its role is not assumed any more.

    The external id of the account is never reused.

    Raises
    ------
    Conflict
        A run is open in the account, or ended without a verified tear-down less than `DOUBT` ago.
    """
    with database.transaction(org_id) as connection:
        store.demand(connection, account_id, lock=True)
        _refuse_open(connection, account_id, "remove it", now)
        if run_store.in_doubt(connection, account_id, ended_after=now - DOUBT):
            raise Conflict(f"{_IN_DOUBT} Wait for it, or for {DOUBT.days} days, and remove it then.")
        for run in run_store.in_doubt(connection, account_id):
            words = "The account was removed: resources that may be left are no longer looked for."
            run_news.add_events(connection, run.id, [NewEvent(now, "remark", words, {})])
        store.change(connection, account_id, {"removed_at": now})


def connection_of(account: StoredAccount, org_id: UUID) -> Connection | None:
    """Return the connection to an account; None if its role or bucket is not known yet."""
    if account.role_arn is None or account.bucket is None or account.account is None:
        return None
    return Connection(
        id=account.id,
        org_id=org_id,
        account=account.account,
        role_arn=account.role_arn,
        external_id=account.external_id,
        bucket=account.bucket,
        prefix=account.prefix,
        bucket_region=account.bucket_region or "us-east-1",
    )


def is_proven(account: StoredAccount) -> bool:
    """Return whether a check has shown that an account's role requires the external id.

    Later checks keep the result True while they run, and also if they find a missing permission. A new role makes the
    result False until its first check. While the result is False, only checks assume the role.
    """
    granted = {each["action"] for each in account.findings if each["outcome"] == "granted"}
    return account.state == "connected" or (account.state != "unchecked" and granted >= _DEMANDED)


def month_of(now: datetime) -> datetime:
    """Return the beginning of the current month in UTC.

    >>> month_of(datetime(2026, 11, 21, 8, 30, tzinfo=UTC)).isoformat()
    '2026-11-01T00:00:00+00:00'
    """
    return now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _changed(before: StoredAccount, asked: AwsAccountChange) -> dict[str, Any]:
    """Return the columns whose values a request changes, with their new values."""
    values = asked.model_dump(exclude_unset=True)
    problems = [
        Problem(name, "cannot be without a value; leave it out to keep it as it is")
        for name, value in values.items()
        if value is None and name in _UNSETTABLE
    ]
    if problems:
        raise BadInput(problems)
    if values.get("month_limit_usd") is not None:
        values["month_limit_usd"] = Decimal(repr(values["month_limit_usd"]))
    if "role_arn" in values:
        role = values["role_arn"]
        values["account"] = None if role is None else role.split(":")[4]
    return {name: value for name, value in values.items() if value != getattr(before, name)}


def _problem(findings: list[Finding]) -> str | None:
    """Return a text on the first permission that is missing or unchecked; None if there is no problem.

    A permission is a problem if it was denied, or if it is required and was not checked.
    """
    against = [
        each
        for each in findings
        if each.outcome == "denied" or (each.outcome == "unknown" and each.action in _DEMANDED)
    ]
    if not against:
        unsaid = sorted(_DEMANDED - {each.action for each in findings})
        return f"{unsaid[0]}: the check did not come to it." if unsaid else None
    more = f", and {len(against) - 1} more" if len(against) > 1 else ""
    return f"{against[0].action}: {against[0].words}{more}"


def _refuse_open(connection: Transaction, account_id: UUID, what: str, now: datetime) -> None:
    if store.usage(connection, month_of(now)).get(account_id, UNUSED).open_runs:
        raise Conflict(f"A run is open in it; wait until it has ended, or cancel it, and {what} then.")


def _check_of(connection: Transaction, account_id: UUID) -> Job | None:
    job_id = store.newest_checks(connection, [account_id]).get(account_id)
    return None if job_id is None else job_store.get(connection, job_id)


def _answers(
    connection: Transaction, accounts: tuple[StoredAccount, ...] | list[StoredAccount], *, whole: bool, now: datetime
) -> list[AwsAccountAnswer]:
    used = store.usage(connection, month_of(now))
    checks = store.newest_checks(connection, [each.id for each in accounts])
    found = job_store.get_all(connection, list(checks.values()))
    return [
        _answer(each, used.get(each.id, UNUSED), found.get(checks.get(each.id, each.id)), whole=whole)
        for each in accounts
    ]


def _answer(account: StoredAccount, used: Usage, check: Job | None, *, whole: bool) -> AwsAccountAnswer:
    checking = check is not None and check.state in job_store.UNFINISHED
    state, problem = account.state, account.problem
    if state == "checking" and not checking:
        # The job was cancelled or failed before it stored a result for the account.
        state = "unchecked"
        problem = None if check is None or check.reason is None else f"The check did not end well: {check.reason}"
    hidden: dict[str, Any] = {} if whole else dict.fromkeys(_HIDDEN)
    return AwsAccountAnswer.from_fields(
        account,
        **hidden,
        state=state,
        bucket_region=account.bucket_region or "us-east-1",
        month_limit_usd=float(account.month_limit_usd or 0),
        month_committed_usd=float(used.committed_usd),
        open_runs=used.open_runs,
        findings=[_finding(each) for each in account.findings] if whole else [],
        problem=problem,
        job=check if check is not None and checking else None,
    )


def _finding(stored: Mapping[str, Any]) -> Finding:
    """Convert a stored finding; another version of Stowage may have stored an outcome that this one does not know."""
    outcome: Outcome = stored["outcome"] if stored["outcome"] in get_args(Outcome) else "unknown"
    return Finding(stored["action"], outcome, stored["words"])
