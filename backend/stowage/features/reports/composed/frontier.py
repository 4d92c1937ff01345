"""Chart of cost against time: the Pareto frontiers of plans, and the options of the report."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from stowage.features.reports.composed.options import Option, resource_kind
from stowage.frozen import frozen
from stowage.model.report import Axis, Chart, Drawn, Limit, Paragraph, Point, Section, Series
from stowage.workloads import wording
from stowage.workloads.answer_conversion import evenly
from stowage.workloads.answers import CandidateAnswer, LimitsAnswer, PlanAnswer

MOST_FRONTIER, MOST_BEHIND = 300, 900
"""Most points drawn: more would not be distinguishable, and the report stores each of them for good."""

_Item = TypeVar("_Item")


@frozen
class Searched:
    """One plan whose Pareto frontier is drawn."""

    name: str
    """Name of the plan's line in the chart."""
    answer: PlanAnswer

    @property
    def by_month(self) -> bool:
        """Return whether the Pareto frontier of the plan shows monthly costs.

        The frontier of an older plan shows costs of a run, even if its objective is the monthly cost.
        """
        answer = self.answer
        return answer.objective == "month" and all(point.cost_always_on_usd is not None for point in answer.frontier)


def frontier_section(searched: Sequence[Searched], options: Sequence[Option]) -> Section:
    """Build the section with the chart of the plans' Pareto frontiers and the options."""
    month = all(one.by_month for one in searched)
    lines = (_line(one, month=month) for one in searched if one.answer.frontier)
    series = [*_behind(searched, month=month), *lines, *_options(options, month=month)]
    chart = Chart(
        key="frontier",
        title="Cost and time",
        caption=_caption(searched, options, month=month),
        chart="scatter",
        x=Axis("Time of one run", "s", "log"),
        y=Axis("Always-on monthly cost" if month else "Cost of one run", "USD", "log"),
        series=tuple(each for each in series if each.points),
        limits=tuple(limit_lines(searched, month=month)),
    )
    said = [_searched_sentence(one, alone=len(searched) == 1) for one in searched]
    return Section("frontier", "What else is possible", (chart, Paragraph("\n".join(said))), detail=True)


def limit_lines(searched: Sequence[Searched], *, month: bool = False) -> Iterable[Limit]:
    """Return the deadlines and budgets to draw as lines in the chart, without duplicates.

    A chart of monthly costs shows no budgets, because a budget limits the cost of a run.
    """
    found: dict[tuple[str, float], Limit] = {}
    for one in searched:
        limits: LimitsAnswer = one.answer.limits
        if limits.deadline_s is not None:
            words = f"deadline {wording.duration(limits.deadline_s)}"
            found["x", limits.deadline_s] = Limit("x", limits.deadline_s, words)
        if limits.budget_usd is not None and not month:
            found["y", limits.budget_usd] = Limit("y", limits.budget_usd, f"budget {wording.usd(limits.budget_usd)}")
    return found.values()


def thinned(items: Sequence[_Item], most: int) -> list[_Item]:
    """Return at most `most` evenly spaced items of a sequence, including its first and last item."""
    return [items[place] for place in evenly(len(items), most)]


def _usd(point: CandidateAnswer, *, month: bool) -> float:
    """Return the cost at which a point is drawn [USD]."""
    always = point.cost_always_on_usd
    return always if month and always is not None else point.cost_usd


def _line(one: Searched, *, month: bool) -> Series:
    """Build the chart series of a plan's Pareto frontier.

    The frontier is drawn as points instead of a line if the probability of loss is a third dimension, or if the chart
    and the frontier have costs of different periods (run or month).
    """
    frontier = one.answer.frontier
    drawn: Drawn = "step" if frontier[0].loss_probability is None and one.by_month == month else "points"
    return Series(one.name, _points(thinned(frontier, MOST_FRONTIER), month=month), drawn)


def _behind(searched: Sequence[Searched], *, month: bool) -> Iterable[Series]:
    """Yield the faint background series: the ranked instance types at other node counts."""
    found: dict[tuple[float, float], CandidateAnswer] = {}
    for one in searched:
        for curve in one.answer.curves:
            for point in curve.points:
                found.setdefault((point.time_s, _usd(point, month=month)), point)
    yield Series("other node counts", _points(thinned(list(found.values()), MOST_BEHIND), month=month), faint=True)


def _options(options: Sequence[Option], *, month: bool) -> Iterable[Series]:
    """Return the chart series of the options, with their cost ranges.

    Options with the same kind of bottleneck form one series, which has one color.
    """
    by_kind: dict[str, list[Point]] = {}
    for place, option in enumerate(options):
        row = option.row
        cost = row.cost_usd
        usd = (option.month.value, option.month.low, option.month.high) if month else (cost.p50, cost.p10, cost.p90)
        point = Point(
            row.time_s.p50,
            *usd,
            label=option.name,
            ringed=place == 0,
        )
        by_kind.setdefault(resource_kind(option.longest.bottleneck), []).append(point)
    return [Series(f"limited by {kind}", tuple(points), resource=kind) for kind, points in by_kind.items()]


def _points(candidates: Iterable[CandidateAnswer], *, month: bool) -> tuple[Point, ...]:
    # A logarithmic axis has no position for 0.
    found = ((each.time_s, _usd(each, month=month)) for each in candidates)
    return tuple(Point(time_s, usd) for time_s, usd in found if time_s > 0.0 and usd > 0.0)


def _caption(searched: Sequence[Searched], options: Sequence[Option], *, month: bool) -> str:
    frontier = searched[0].answer.frontier
    chosen = f"Ringed: {options[0].name}."
    if len(searched) > 1 or len(frontier) < 2:
        return f"What no other candidate beats in both, and the options with their ranges. {chosen}"
    fast = min(frontier, key=lambda one: one.time_s)
    cheap = min(frontier, key=lambda one: _usd(one, month=month))
    a_month = " a month" if month else ""
    if fast is cheap:
        return f"One candidate is both the fastest and the cheapest. {chosen}"
    return (
        f"From {wording.duration(fast.time_s)} for {wording.usd(_usd(fast, month=month))}{a_month} "
        f"({fast.nodes:,} × {fast.instance}) to {wording.duration(cheap.time_s)} for "
        f"{wording.usd(_usd(cheap, month=month))}{a_month} ({cheap.nodes:,} × {cheap.instance}): "
        f"nothing beats the line in both. {chosen}"
    )


def _searched_sentence(one: Searched, *, alone: bool) -> str:
    answer = one.answer
    said = (
        f"{answer.candidates:,} candidates were searched: {answer.computed:,} computed, "
        f"{answer.excluded_by_bound:,} excluded by a bound that none of them could meet."
    )
    return said if alone else f"{one.name}: {said}"
