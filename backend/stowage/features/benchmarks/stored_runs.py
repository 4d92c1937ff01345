"""Conversion of runs, specifications and quotes between stored rows or JSON documents and the types of the model."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter

from stowage.features.benchmarks.store import runs as store
from stowage.features.benchmarks.store.runs import Reconciled, StoredRun
from stowage.platform.database.database import Connection
from stowage.runs.quote import Quote
from stowage.runs.run import Run
from stowage.runs.spec import RunSpec

_RUN, _SPEC, _QUOTE = TypeAdapter(Run), TypeAdapter(RunSpec), TypeAdapter(Quote)

_COLUMNS = {
    **{name: name for name in ("id", "spec", "quote", "state", "created_at", "agreed_usd", "launched_at", "deadline")},
    "approved_at": "agreed_at",
    "finished_at": "finished_at",
}
"""Columns of fields of a run, by the field."""


def written_spec(spec: RunSpec) -> dict[str, Any]:
    """Convert a specification to a JSON document."""
    document: dict[str, Any] = _SPEC.dump_python(spec, mode="json")
    return document


def written_quote(quote: Quote) -> dict[str, Any]:
    """Convert a quote to a JSON document."""
    document: dict[str, Any] = _QUOTE.dump_python(quote, mode="json")
    return document


def content_of(run: Run) -> dict[str, Any]:
    """Return the fields of a run that have no column of their own, as a JSON document."""
    document: dict[str, Any] = _RUN.dump_python(run, mode="json", exclude={*_COLUMNS, "reports", "cancel_asked"})
    return document


def run_of(stored: StoredRun, reports: frozenset[tuple[int, str]] = frozenset()) -> Run:
    """Convert the stored row of a run to a `Run`.

    Parameters
    ----------
    reports : frozenset of (int, str)
        Nodes and phases that have a report.
    """
    told = {field: getattr(stored, column) for field, column in _COLUMNS.items()}
    told |= {"reports": reports, "cancel_asked": stored.cancel_asked_at is not None}
    return _RUN.validate_python({**stored.content, **told})


def read_run(connection: Connection, run_id: UUID) -> tuple[Run, UUID] | None:
    """Return a run, with the id of its AWS account.

    The result is None if the run does not exist or belongs to another team.
    """
    stored = store.get(connection, run_id)
    return None if stored is None else (run_of(stored), stored.account_id)


def launched_runs(connection: Connection, ended_after: datetime) -> list[tuple[Run, UUID]]:
    """Return the team's launched runs that have not ended or ended after `ended_after`, with their account ids."""
    return [(run_of(stored), stored.account_id) for stored in store.launched(connection, ended_after)]


def reconciled(run: Run, spent_usd: float) -> Reconciled:
    """Return the columns that a reconciliation updates, with their values from a run.

    Parameters
    ----------
    spent_usd : float
        Cost of the run so far [USD].
    """
    return Reconciled(
        state=run.state,
        content=content_of(run),
        launched_at=run.launched_at,
        deadline=run.deadline,
        finished_at=run.finished_at,
        spent_usd=Decimal(repr(spent_usd)),
    )
