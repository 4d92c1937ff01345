"""Plans whose stored answers may be out of date: changed inputs, and newer answers of watched plans."""

from collections.abc import Iterable, Sequence
from typing import Literal
from uuid import UUID

from stowage.features.planning import today
from stowage.features.planning.schemas import ChangeAnswer
from stowage.features.planning.store import PLANS, PlanSummary
from stowage.features.planning.watches import store as watch_store
from stowage.features.planning.watches.schemas import ReportedOutcome
from stowage.platform.database.database import Connection
from stowage.workloads import amounts, wording

_INPUTS: dict[Literal["catalog", "profiles", "price terms", "model"], str] = {
    "catalog": "the catalog of prices",
    "profiles": "measurements",
    "price terms": "the price terms",
    "model": "the model",
}


def sentences_of(connection: Connection, plan_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return in a sentence what has changed since the answer of each plan was computed.

    It is the newest answer that the watch of a plan reported, else the inputs that have changed; nothing is searched.
    Plans without a change, and deleted ones, are left out.
    """
    plans = PLANS.summaries.get_all(connection, plan_ids)
    if not plans:
        return {}
    now, watches = today.of(connection), watch_store.get_all(connection, list(plans))
    found = {}
    for plan_id, plan in plans.items():
        watch = watches.get(plan_id)
        news = None if watch is None else _news(plan, ReportedOutcome.model_validate(watch.told))
        words = news or _changed(now.since(plan).changes)
        if words is not None:
            found[plan_id] = words
    return found


def _news(plan: PlanSummary, told: ReportedOutcome) -> str | None:
    """Return what a watch reported since the answer of its plan; None if it reported nothing else."""
    if told.at <= plan.created_at:
        return None
    first, now = plan.best_instance and f"{plan.best_nodes:,} × {plan.best_instance}", told.winner
    if now is None:
        words = f"nothing meets the limits now, where {first} did" if first else None
    elif (name := f"{now.nodes:,} × {now.instance}") != first:
        words = f"{name} now comes first" + (f" instead of {first}" if first else ", where nothing met the limits")
    else:
        pairs = {
            "cost": (plan.best_cost_usd, now.cost_usd, wording.usd),
            "month": (plan.best_month_usd, now.month_usd, wording.usd),
            "time": (plan.best_time_s, now.time_s, wording.duration),
        }
        before, after, said = pairs[told.objective]
        if before is None or after is None or said(before) == said(after):
            return None
        words = f"{name} still comes first, with {said(after)} instead of {said(before)}"
    return words and f"Since then the answer changed: {words} (checked on {amounts.day(told.at.date())})."


def _changed(changes: Iterable[ChangeAnswer]) -> str | None:
    inputs = list(dict.fromkeys(_INPUTS[change.what] for change in changes))
    if not inputs:
        return None
    listed = " and ".join([", ".join(inputs[:-1])] * (len(inputs) > 1) + inputs[-1:])
    return f"Since this answer was computed, {listed} changed: the answer may be another one today."
