"""Savings of saved plans: what a plan stores of its saving, and the marks of users."""

from datetime import datetime
from typing import Any

from stowage.features.planning import store
from stowage.features.planning.decided import NewSavingMark
from stowage.features.planning.schemas import DecidedAnswer, SavedPlanAnswer
from stowage.model.money.currency import Currency
from stowage.platform.database.database import Connection
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.workloads.answers import PlanHead, PredictionAnswer, RankedAnswer
from stowage.workloads.saving import SavingAnswer, SavingMark, saving_of
from stowage.workloads.stored import parse_stored_workload


def to_store(decided: DecidedAnswer, answer: PlanHead, first: RankedAnswer | None) -> dict[str, Any] | None:
    """Return the saving of a plan's first configuration as the JSON document that is stored.

    Returns None if the plan has no baseline, the baseline cannot run the job, no configuration meets the limits, or
    the predicted costs of the two include different price terms.
    """
    if decided.today is None or first is None:
        return None
    baseline, given_usd = decided.today.answer, decided.today.cluster.given_usd
    if not isinstance(baseline, PredictionAnswer):
        return None
    if given_usd is None and baseline.price_terms != answer.price_terms:
        return None
    runs_per_month = parse_stored_workload(answer.workload).workload.runs_per_month
    terms = None if answer.price_terms is None else answer.price_terms.words
    found = saving_of(baseline, first, answer.objective, runs_per_month, terms, given_usd=given_usd)
    # Without defaults, as plans are stored whose baseline could not have a given cost: Home compares baselines.
    return found.model_dump(mode="json", exclude={"currency"}, exclude_computed_fields=True, exclude_defaults=True)


def changes_of(plan: SavedPlanAnswer, decided: DecidedAnswer) -> dict[str, Any]:
    """Return the columns that change when a plan's decisions are replaced.

    A mark stays as long as the baseline does: with another baseline, the saving is another one.
    """
    first = next(iter(plan.answer.configurations), None)
    changed: dict[str, Any] = {"saving": to_store(decided, plan.answer, first)}
    clusters = [None if each.today is None else each.today.cluster for each in (plan.decided, decided)]
    return changed if clusters[0] == clusters[1] else {**store.NOT_MARKED, **changed}


def fields_of(plan: store.PlanSummary, currency: Currency | None) -> dict[str, Any]:
    """Return the fields of an answer about a plan that describe its saving, also stated in the team's currency."""
    saving = None if plan.saving is None else SavingAnswer.model_validate({**plan.saving, "currency": currency})
    return {"saving": saving, "saving_mark": mark_of(plan)}


def mark_of(plan: store.PlanSummary) -> SavingMark:
    """Return the mark of a plan's saving."""
    reason, person = plan.saving_reason or "", plan.saving_person
    if plan.saving_done_at is not None:
        return SavingMark(state="done", reason=reason, person=person, at=plan.saving_done_at)
    if plan.saving_dismissed_at is not None:
        return SavingMark(state="dismissed", reason=reason, person=person, at=plan.saving_dismissed_at)
    return SavingMark()


def mark(connection: Connection, plan: store.StoredPlan, asked: NewSavingMark, by: str, now: datetime) -> None:
    """Store the mark of a plan's saving.

    Raises
    ------
    BadInput
        The saving is dismissed without a reason.
    Conflict
        The plan has no saving.
    """
    if plan.saving is None:
        raise Conflict("The plan has no saving: it has no baseline, or nothing to compare with it.")
    if asked.state == "dismissed" and not asked.reason:
        raise BadInput([Problem("reason", "is missing: say why the saving is dismissed")])
    values: dict[str, object] = dict(store.NOT_MARKED)
    if asked.state != "open":
        values |= {f"saving_{asked.state}_at": now, "saving_reason": asked.reason, "saving_person": by}
    store.change(connection, plan.id, values)
