"""Quotes of runs: the upper bound of the cost, reasons against a launch, and the plans that would benefit."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from stowage.features.benchmarks.aws_accounts import month_of
from stowage.features.benchmarks.schemas import (
    PlanTouchedAnswer,
    QuoteAnswer,
    QuotedAnswer,
    RunRequest,
)
from stowage.features.benchmarks.store import aws_accounts
from stowage.features.benchmarks.store.aws_accounts import UNUSED, StoredAccount
from stowage.features.catalog import catalogs
from stowage.features.planning import store as plan_store
from stowage.features.planning.store import Winner
from stowage.model.figure import Figure
from stowage.model.hardware.catalog import Catalog
from stowage.model.infeasible import Infeasible
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem, problems_at
from stowage.runs import checks
from stowage.runs.pace import Pace
from stowage.runs.quote import Quote, prices_of, quote
from stowage.runs.spec import Benchmark, RunSpec
from stowage.workloads import stored_answers
from stowage.workloads.stored import parse_stored_workload

MOST_PLANS = 20
"""Number of newest plans that are checked for figures that a run would measure."""

_MEASURED: Mapping[Benchmark, tuple[str, ...]] = {
    "diskbench": ("storage",),
    "netbench": ("network",),
    "screening": ("network", "storage"),
    "redis": (),
    "testdfsio": (),
}
"""Redis and TestDFSIO measure a job, not a disk or a network, so no plan uses their figures."""
_QUANTITIES: Mapping[str, tuple[str, ...]] = {
    "network": ("network_", "single_flow_"),
    "instance-store": ("storage_",),
    "ebs": ("ebs_",),
}
"""Prefixes of the measured quantities' names, after the instance type."""


def quote_run(database: Database, org_id: UUID, asked: RunRequest, *, pace: Pace, now: datetime) -> QuoteAnswer:
    """Return the quote of a run, with the saved plans that would benefit from its results. Nothing is stored.

    Parameters
    ----------
    pace : Pace
        Intervals and timeouts of the reconciliation: a run that cannot finish within its time limit is refused.

    Raises
    ------
    BadInput
        The run is not possible, or a price is missing from the catalog; the error names each field.
    NotFound
        There is no such account, or it is another team's.
    """
    spec = asked.spec
    quoted = quote_of(database, spec, pace, now)
    problems: list[str] = []
    with database.transaction(org_id) as connection:
        if asked.account_id is not None:
            account = aws_accounts.demand(connection, asked.account_id)
            used = aws_accounts.usage(connection, month_of(now)).get(account.id, UNUSED)
            problems = obstacles(account, used.committed_usd, quoted.total_usd)
        plans = plan_store.won_by(connection, spec.instance, limit=MOST_PLANS)
    changes = [
        PlanTouchedAnswer(plan_id=each.id, name=each.name, words=words)
        for each in plans
        if (words := _touched(spec, each)) is not None
    ]
    return QuoteAnswer.from_fields(quoted_answer(quoted), problems=problems, changes=changes)


def quote_of(database: Database, spec: RunSpec, pace: Pace, now: datetime) -> Quote:
    """Return the upper bound of a run's cost, after checking its specification against the newest catalog.

    Raises
    ------
    BadInput
        The run is not possible, or a price is missing from the catalog; paths begin with ``spec``.
    """
    catalog = _catalog(database, spec.region)
    problems = [
        Problem(f"spec.{each.path}".removesuffix("."), each.message) for each in checks.problems(spec, catalog, pace)
    ]
    if problems:
        raise BadInput(problems)
    prices = prices_of(spec, catalog)
    if isinstance(prices, Infeasible):
        raise BadInput([Problem("spec.instance", f"cannot be bounded: {prices.reason}")])
    return quote(spec, prices, now)


def obstacles(account: StoredAccount, committed_usd: Decimal, more_usd: Decimal) -> list[str]:
    """Return the known reasons against launching a run in an account.

    Parameters
    ----------
    committed_usd : Decimal
        Cost of the account's runs that ended this month, plus the approved cost of its open runs [USD].
    more_usd : Decimal
        Upper bound of the cost of the run [USD].
    """
    found = []
    if account.state == "failing":
        found.append(f"The last check of {account.name} did not end well: {account.problem}")
    elif account.state == "checking":
        found.append(f"{account.name} is being checked; wait for what that finds.")
    elif account.state != "connected":
        found.append(f"{account.name} is not checked yet: check it first.")
    limit = account.month_limit_usd
    if limit is not None and committed_usd + more_usd > limit:
        left = max(limit - committed_usd, Decimal(0))
        found.append(
            f"Of the ${limit:,.2f} that runs in {account.name} may cost in a month ${left:,.2f} are left, and this run"
            f" may cost ${more_usd:,.2f}."
        )
    return found


def quoted_answer(quoted: Quote) -> QuotedAnswer:
    """Convert a quote to an API answer."""
    return QuotedAnswer.from_fields(
        quoted,
        total_usd=float(quoted.total_usd),
        sentence=f"At most ${quoted.total_usd:,.2f}: everything ends after {_minutes(quoted.longest_s)} at the latest.",
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:,.4g} min"


def _catalog(database: Database, region: str) -> Catalog:
    with problems_at(lambda _: "spec.region"):
        return catalogs.published_knowledge(database)("latest", region).catalog


def _touched(spec: RunSpec, plan: Winner) -> str | None:
    """Return a sentence on how a run would improve the prediction of a plan's winner.

    It names inputs of the prediction that the run would measure. The result is None if there are no such inputs.
    """
    best = stored_answers.first_row(plan.answer)
    if best is None:
        return None
    try:
        place = parse_stored_workload(plan.workload).place
    except BadInput:
        # Written for an earlier version.
        return None
    if place.region != spec.region:
        return None
    # Network results outside a placement group do not apply inside one, and vice versa.
    network = place.placement_group is spec.placement_group
    rests_on = [each for each in best.provenance if _is_measured(each, spec, network=network)]
    if not rests_on:
        return None
    first = rests_on[0]
    what = first.quantity.removeprefix(f"{best.instance}.").removesuffix("_mb_per_s").replace("_", " ")
    more = f" and {len(rests_on) - 1} more" if len(rests_on) > 1 else ""
    return (
        f"Its winner, {best.nodes:,} × {best.instance}, rests on {what} {first.value:,.4g} {first.unit},"
        f" {first.kind}{more}: this run measures it."
    )


def _is_measured(figure: Figure, spec: RunSpec, *, network: bool) -> bool:
    name = figure.quantity.removeprefix(f"{spec.instance}.")
    if name == figure.quantity or not name.endswith("_mb_per_s"):
        return False
    of = {"network": "network" if network else None, "storage": None if spec.storage is None else spec.storage.kind}
    return any(
        name.startswith(_QUANTITIES[kind]) for each in _MEASURED[spec.benchmark] if (kind := of[each]) is not None
    )
