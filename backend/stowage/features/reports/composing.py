"""Composition of reports from stored plans, comparisons, sweeps, runs and the validation."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from stowage.documents.text import one_line, shown, with_texts
from stowage.features.reports.composed.clusters import deployable_file
from stowage.features.reports.composed.comparison import comparison_draft
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.plan import plan_draft
from stowage.features.reports.composed.run import run_draft
from stowage.features.reports.composed.sweep import sweep_draft
from stowage.features.reports.composed.validation import validation_draft
from stowage.features.reports.schemas import (
    ComparisonOrigin,
    DeployableAnswer,
    NewReport,
    PlanOrigin,
    RunOrigin,
    SweepOrigin,
    ValidationOrigin,
)
from stowage.frozen import frozen
from stowage.model.report import Report
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem

_UNTITLED = "Untitled report"
"""Title of a report whose own title has no visible character."""
_OF_SEVERAL_LINES = {"text", "words"}
"""Fields of blocks that keep their line breaks."""


@frozen
class Composed:
    """A composed report, with its deployable configurations."""

    report: Report
    deployable: list[DeployableAnswer]
    """Configurations, the recommended one first; empty if the report has no configuration."""


def compose(
    database: Database,
    org_id: UUID,
    asked: NewReport,
    *,
    author: str,
    team: str,
    now: datetime,
) -> Composed:
    """Load the data of a report, and compose all its sections.

    Parameters
    ----------
    org_id : UUID
        The team.
    author, team : str
        Current names of the author and the team.
    now : datetime
        Current time, with a time zone.

    Raises
    ------
    NotFound
        The plan, sweep or run does not exist, or is another team's.
    BadInput
        The origin cannot be reported (for example, it is still being computed), or another field of the request does
        not fit the origin.
    """
    _refuse_what_does_not_fit(asked)
    draft = _draft(database, org_id, asked, now)
    report = Report(
        title=asked.title,
        sentence=draft.sentence,
        words=asked.words,
        author=author,
        team=team,
        made_at=now,
        origin=draft.origin,
        sections=draft.sections,
        versions=draft.versions,
    )
    return Composed(
        report=replace(
            with_texts(report, lambda text, name, _of: _plain(text, name)), title=one_line(asked.title) or _UNTITLED
        ),
        deployable=[
            DeployableAnswer(name=option.name, file=deployable_file(option), purchase=option.row.purchase)
            for option in draft.options
        ],
    )


def _draft(database: Database, org_id: UUID, asked: NewReport, now: datetime) -> Draft:
    origin = asked.origin
    match origin:
        case PlanOrigin():
            return plan_draft(database, org_id, asked, origin)
        case ComparisonOrigin():
            return comparison_draft(database, org_id, asked, origin)
        case SweepOrigin():
            return sweep_draft(database, org_id, origin)
        case RunOrigin():
            return run_draft(database, org_id, origin, now)
        case ValidationOrigin():
            return validation_draft()


def _refuse_what_does_not_fit(asked: NewReport) -> None:
    """Check that a current cluster is given only for a report that recommends an option.

    Without a recommended option, there is nothing to compare the current cluster with.

    Raises
    ------
    BadInput
        A current cluster is given, but the report recommends no option.
    """
    if asked.today is not None and not isinstance(asked.origin, PlanOrigin | ComparisonOrigin):
        message = f"a report of a {asked.origin.kind} recommends no cluster; accepted: leave it out"
        raise BadInput([Problem("today", message)])


def _plain(text: str, name: str) -> str:
    """Return the sanitized text of a field, the same for all renderers."""
    return shown(text) if name in _OF_SEVERAL_LINES else one_line(text)
