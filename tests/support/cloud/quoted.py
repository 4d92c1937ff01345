"""A connected account and a run with a quote, as rows."""

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID, uuid4

from stowage.catalog.snapshot import LATEST, packaged
from stowage.features.benchmarks.store import aws_accounts, runs
from stowage.features.benchmarks.store.aws_accounts import StoredAccount
from stowage.features.benchmarks.store.runs import NewRun, StoredRun
from stowage.features.benchmarks.stored_runs import content_of, written_quote, written_spec
from stowage.model.infeasible import Infeasible
from stowage.platform.database.database import Database
from stowage.runs.quote import Quote, prices_of, quote
from stowage.runs.run import Run
from stowage.runs.spec import NetPlan, RunSpec

ACCOUNT = "123456789012"
SPEC = RunSpec("netbench", "c5.large", 2, "us-east-1", net=NetPlan(measured_s=2.0, warm_up_s=0.5))
KEY = bytes(range(32))


def connected(
    database: Database,
    org_id: UUID,
    *,
    bucket: str = "stowage-runs",
    account: str = ACCOUNT,
    now: datetime | None = None,
) -> UUID:
    """Connect an account as if it had been checked; return its id."""
    account_id = uuid4()
    stored = StoredAccount(
        id=account_id,
        name="Benchmarks",
        account=account,
        role_arn=f"arn:aws:iam::{account}:role/stowage",
        external_id=external_id_of(account_id),
        bucket=bucket,
        prefix="stowage/",
        bucket_region="us-east-1",
        month_limit_usd=Decimal(100),
        state="connected",
        findings=[],
        problem=None,
        checked_at=now,
        person="Ada",
        created_at=now or datetime.now(UTC),
    )
    with database.transaction(org_id) as connection:
        assert aws_accounts.add(connection, stored)
    return account_id


def external_id_of(account_id: UUID) -> str:
    """Return the connection by which the account's role trusts the service."""
    return f"external-{account_id}"


def quote_of(spec: RunSpec, now: datetime) -> Quote:
    """Quote a run by the packaged catalog."""
    prices = prices_of(spec, packaged(LATEST).in_region(spec.region))
    assert not isinstance(prices, Infeasible)
    return quote(spec, prices, now)


def quoted(
    database: Database, org_id: UUID, account_id: UUID, *, spec: RunSpec = SPEC, now: datetime | None = None
) -> UUID:
    """Store a run with its quote; return its id."""
    run_id, at = uuid4(), now or datetime.now(UTC)
    worth = quote_of(spec, at)
    new = NewRun(
        id=run_id,
        account_id=account_id,
        name="Network of two",
        spec=written_spec(spec),
        quote=written_quote(worth),
        quoted_usd=worth.total_usd,
        content=content_of(Run(run_id, spec, worth, "quoted", at)),
        key=KEY,
        person="Ada",
        created_at=at,
    )
    with database.transaction(org_id) as connection:
        assert runs.insert(connection, new)
    return run_id


def approved(database: Database, org_id: UUID, account_id: UUID, *, spec: RunSpec = SPEC) -> UUID:
    """Store an approved run; return its id."""
    run_id = quoted(database, org_id, account_id, spec=spec)
    with database.transaction(org_id) as connection:
        usd = read(database, org_id, run_id).quoted_usd
        assert runs.agree(connection, run_id, usd=usd, by="Ada", at=datetime.now(UTC))
    return run_id


def read(database: Database, org_id: UUID, run_id: UUID) -> StoredRun:
    """Read an existing run."""
    with database.transaction(org_id) as connection:
        stored = runs.get(connection, run_id)
    assert stored is not None
    return stored
