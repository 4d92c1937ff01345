"""Composition of reports from stored plans, comparisons, sweeps, runs and the validation."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from uuid import UUID

from stowage.documents.text import one_line, shown, with_texts
from stowage.features.reports.composed.clusters import deployable_file
from stowage.features.reports.composed.comparison import comparison_draft
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.plan import plan_draft
from stowage.features.reports.composed.price_terms import with_terms
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
_LATEST = timedelta(days=3 * 365)
"""Longest time to decide: the three years that savings are stated for."""
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
    _refuse_what_does_not_fit(asked, now.date())
    draft = _draft(database, org_id, asked, now)
    report = Report(
        title=asked.title,
        sentence=draft.sentence,
        words=asked.words,
        author=author,
        team=team,
        made_at=now,
        origin=draft.origin,
        sections=with_terms(draft.sections, draft.price_terms),
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
            return plan_draft(database, org_id, asked, origin, now)
        case ComparisonOrigin():
            return comparison_draft(database, org_id, asked, origin, now)
        case SweepOrigin():
            return sweep_draft(database, org_id, origin)
        case RunOrigin():
            return run_draft(database, org_id, origin, now)
        case ValidationOrigin():
            return validation_draft()


def _refuse_what_does_not_fit(asked: NewReport, today: date) -> None:
    """Check that a current cluster and a day to decide by are given only for a report that recommends an option.

    Without a recommended option, there is nothing to compare the current cluster with.

    Raises
    ------
    BadInput
        One of them is given, but the report recommends no option; or the day has passed, or is too far ahead.
    """
    recommends = isinstance(asked.origin, PlanOrigin | ComparisonOrigin)
    message = f"a report of a {asked.origin.kind} recommends no cluster; accepted: leave it out"
    given = [name for name in ("today", "decide_by") if getattr(asked, name) is not None]
    if given and not recommends:
        raise BadInput([Problem(name, message) for name in given])
    latest = today + _LATEST
    if asked.decide_by is not None and not today <= asked.decide_by <= latest:
        raise BadInput([Problem("decide_by", f"{asked.decide_by} is not between {today} and {latest}")])


def _plain(text: str, name: str) -> str:
    """Return the sanitized text of a field, the same for all renderers."""
    return shown(text) if name in _OF_SEVERAL_LINES else one_line(text)
