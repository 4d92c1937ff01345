"""Changed answers of watched plans: which changes are reported, how they are worded, and when plans are checked.

The current answer is compared with the answer last reported to the team, not with the previous check. Gradual changes
are therefore reported once they add up to the threshold, no change is reported twice, and a change back is reported.

All functions are pure.
"""

from calendar import monthrange
from datetime import UTC, datetime, timedelta
from typing import Literal

from stowage.features.planning.watches.schemas import PlanOutcome, PlanWinner
from stowage.features.planning.watches.tables import Every
from stowage.frozen import frozen
from stowage.measure.profiling.changes import Trend
from stowage.model.choice import Objective
from stowage.model.jobs.flows import Durability
from stowage.workloads import wording

NewsKind = Literal["winner", "cost", "time", "nothing", "something"]
"""Another configuration wins; the winner's cost (of a run or a month) or time changed, depending on the objective; no
configuration meets the limits any more; a configuration meets them again."""

_PERIODS: dict[Every, timedelta] = {"day": timedelta(days=1), "week": timedelta(days=7)}


@frozen
class News:
    """A change that a team is notified of."""

    kind: NewsKind
    words: str
    """Text of the alert."""
    direction: Trend | None
    """Whether the cost or time is higher (regression) or lower (improvement) than last reported; None if equal."""
    factor: float | None
    """Ratio of the current to the last reported cost or time, as the plan's objective requires; None if unknown."""


def news(known: PlanOutcome, now: PlanOutcome, percent: float) -> News | None:
    """Return the change to report to a team; None if there is nothing to report.

    Parameters
    ----------
    known : PlanOutcome
        Answer that was last reported to the team: by the last alert, or else when the plan was saved.
    percent : float
        Threshold for a change of the cost or time that is the plan's objective [%], above 0.
    """
    # A plan's objective does not change; of an older answer, the value of the current objective is compared.
    old, new, sought = known.winner, now.winner, now.objective
    why = _why(known, now)
    if old is None and new is None:
        return None
    if new is None:
        return News("nothing", f"Nothing meets the limits any more; {_told(old, sought)} did.{why}", "regression", None)
    if old is None:
        return News(
            "something", f"{_told(new, sought)} meets the limits; nothing did before.{why}", "improvement", None
        )
    before, after = _number(old, sought), _number(new, sought)
    factor = None if before is None or after is None or not before else after / before
    direction = _direction(before, after)
    if not is_same(old, new):
        words = f"{_told(new, sought, old)} comes first instead of {_told(old, sought, new, short=True)}"
        return News("winner", f"{words}{_change(factor, sought)}.{why}", direction, factor)
    if before is None or after is None or abs(after - before) * 100.0 <= percent * before:
        return None
    words = f"{_name(new)} stays first and {'takes' if sought == 'time' else 'costs'} {_amount(new, sought)}"
    words += f" instead of {_amount(old, sought, short=True)}{_change(factor, sought)}.{why}"
    return News("time" if sought == "time" else "cost", words, direction, factor)


def is_same(old: PlanWinner, new: PlanWinner) -> bool:
    """Return whether two answers have the same winner, with equal purchase option and durability.

    Purchase option and durability are compared only if `old` has these fields: answers of old plans lack them.
    """
    if (old.instance, old.nodes, old.storage) != (new.instance, new.nodes, new.storage):
        return False
    said = ((old.purchase, new.purchase), (old.durability, new.durability), (old.replicas, new.replicas))
    return all(before is None or before == after for before, after in said)


def next_check(starts_at: datetime, every: Every, now: datetime) -> datetime:
    """Return the time of the next check of a watched plan.

    It is the end of the period that contains ``now``. Missed checks are skipped.

    Parameters
    ----------
    starts_at : datetime
        Start of the first period.
    every : {'day', 'week', 'month'}
        A month ends on the same day of the next month, or on its last day.

    Examples
    --------
    >>> next_check(datetime(2026, 1, 31, 9, tzinfo=UTC), "month", datetime(2026, 2, 1, tzinfo=UTC)).isoformat()
    '2026-02-28T09:00:00+00:00'
    >>> next_check(datetime(2026, 1, 31, 9, tzinfo=UTC), "month", datetime(2026, 3, 1, tzinfo=UTC)).isoformat()
    '2026-03-31T09:00:00+00:00'
    """
    # Times from the database may be in a zone with daylight saving time, whose days differ in length.
    starts_at, now = starts_at.astimezone(UTC), now.astimezone(UTC)
    if every == "month":
        months = max(1, (now.year - starts_at.year) * 12 + now.month - starts_at.month)
        end = _months_later(starts_at, months)
        return end if end > now else _months_later(starts_at, months + 1)
    period = _PERIODS[every]
    return starts_at + max(1, (now - starts_at) // period + 1) * period


def _months_later(moment: datetime, months: int) -> datetime:
    years, month = divmod(moment.month - 1 + months, 12)
    year = moment.year + years
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _number(winner: PlanWinner, sought: Objective) -> float | None:
    """Return the winner's value of the plan's objective: its cost [USD] or time [s].

    Return None if an old answer lacks the value.
    """
    return {"cost": winner.cost_usd, "month": winner.month_usd, "time": winner.time_s}[sought]


def _direction(before: float | None, after: float | None) -> Trend | None:
    if before is None or after is None or before == after:
        return None
    return "regression" if after > before else "improvement"


def _change(factor: float | None, sought: Objective) -> str:
    if factor is None or factor == 1.0:
        return ""
    more, less = ("longer", "shorter") if sought == "time" else ("more", "less")
    return f", {wording.three_digits(abs(factor - 1.0) * 100.0)}% {more if factor > 1.0 else less}"


def _told(
    winner: PlanWinner | None, sought: Objective, beside: PlanWinner | None = None, *, short: bool = False
) -> str:
    """Describe a configuration with its cost or time.

    Properties are named only if they differ from those of the configuration `beside`. `short` leaves out the period of
    the cost, for use after the first mention.
    """
    if winner is None:
        return ""
    joined = "in" if sought == "time" else "for"
    return f"{_name(winner, beside)} {joined} {_amount(winner, sought, short=short)}"


def _amount(winner: PlanWinner, sought: Objective, *, short: bool = False) -> str:
    number = _number(winner, sought)
    if sought == "time":
        return wording.duration(winner.time_s)
    if number is None:
        return f"{wording.usd(winner.cost_usd)} a run"
    return wording.usd(number) if short else f"{wording.usd(number)} a {'month' if sought == 'month' else 'run'}"


def _name(winner: PlanWinner, beside: PlanWinner | None = None) -> str:
    """Return the name of a configuration, with the properties in which it differs from the configuration `beside`."""
    words = f"{winner.nodes:,} × {winner.instance}"
    if winner.storage.kind == "ebs":
        words += f" on {winner.storage_words}"
    if beside is None:
        return words
    ways = []
    is_alike = (winner.instance, winner.nodes) == (beside.instance, beside.nodes)
    if is_alike and winner.storage.kind != "ebs" and winner.storage != beside.storage:
        ways.append(winner.storage_words)
    if winner.purchase is not None and winner.purchase != beside.purchase:
        ways.append(wording.payment(winner.purchase))
    if winner.durability is not None and (winner.durability, winner.replicas) != (beside.durability, beside.replicas):
        ways.append(wording.kept(Durability(winner.durability, winner.replicas or 1)))
    return f"{words} ({', '.join(ways)})" if ways else words


def _why(known: PlanOutcome, now: PlanOutcome) -> str:
    """Describe the differences between the inputs of two answers: catalog, measurements and model."""
    causes = []
    if known.catalog_version != now.catalog_version:
        causes.append(f"catalog {now.catalog_version} instead of {known.catalog_version}")
    if known.price_terms != now.price_terms:
        causes.append(f"price terms ({_terms(now)} instead of {_terms(known)})")
    if not causes and known.profiles_digest != now.profiles_digest:
        causes.append("what has been measured or published since")
    if known.model_version != now.model_version:
        causes.append(f"model {now.model_version} instead of {known.model_version}")
    return f" By {' and '.join(causes)}." if causes else ""


def _terms(outcome: PlanOutcome) -> str:
    return "no discount" if outcome.price_terms is None else outcome.price_terms.words
