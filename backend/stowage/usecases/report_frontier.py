"""Cost over time: what no other candidate beats, and where the options stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stowage.model.report import Axis, Chart, Drawn, Limit, Paragraph, Point, Section, Series
from stowage.usecases import wording
from stowage.usecases.answers import CandidateAnswer, LimitsAnswer, PlanAnswer
from stowage.usecases.report_options import Option, resource_kind

MOST_FRONTIER, MOST_BEHIND = 300, 900
"""Points that are drawn: more are not told apart, and the report carries each of them for ever."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Searched:
    """A plan whose frontier is drawn.

    Parameters
    ----------
    name : str
        What its line is called.
    answer : PlanAnswer
    """

    name: str
    answer: PlanAnswer


def frontier_section(searched: Sequence[Searched], options: Sequence[Option]) -> Section:
    """Draw the frontiers of one plan or several, with the options in them."""
    series = [*_behind(searched), *(_line(one) for one in searched if one.answer.frontier), *_options(options)]
    chart = Chart(
        key="frontier",
        title="Cost and time",
        caption=_caption(searched, options),
        chart="scatter",
        x=Axis("Time of one run", "s", "log"),
        y=Axis("Cost of one run", "USD", "log"),
        series=tuple(each for each in series if each.points),
        limits=tuple(limit_lines(searched)),
    )
    said = [_searched_sentence(one, alone=len(searched) == 1) for one in searched]
    return Section("frontier", "What else is possible", (chart, Paragraph("\n".join(said))), detail=True)


def limit_lines(searched: Sequence[Searched]) -> Iterable[Limit]:
    """Give deadlines and budgets, each once."""
    found: dict[tuple[str, float], Limit] = {}
    for one in searched:
        limits: LimitsAnswer = one.answer.limits
        if limits.deadline_s is not None:
            words = f"deadline {wording.duration(limits.deadline_s)}"
            found["x", limits.deadline_s] = Limit("x", limits.deadline_s, words)
        if limits.budget_usd is not None:
            found["y", limits.budget_usd] = Limit("y", limits.budget_usd, f"budget {wording.usd(limits.budget_usd)}")
    return found.values()


def thinned(items: Sequence[_Item], most: int) -> list[_Item]:
    """Keep so many of a sequence, evenly, both ends included."""
    if len(items) <= most:
        return list(items)
    return [items[round(place * (len(items) - 1) / (most - 1))] for place in range(most)]


def _line(one: Searched) -> Series:
    """Draw what nothing beats; where the chance of loss is a third side of it, as points: no line runs through them."""
    frontier = one.answer.frontier
    drawn: Drawn = "step" if frontier[0].loss_probability is None else "points"
    return Series(one.name, _points(thinned(frontier, MOST_FRONTIER)), drawn)


def _behind(searched: Sequence[Searched]) -> Iterable[Series]:
    """Give other node counts of the ranked types, behind everything else."""
    found: dict[tuple[float, float], CandidateAnswer] = {}
    for one in searched:
        for curve in one.answer.curves:
            for point in curve.points:
                found.setdefault((point.time_s, point.cost_usd), point)
    yield Series("other node counts", _points(thinned(list(found.values()), MOST_BEHIND)), faint=True)


def _options(options: Sequence[Option]) -> Iterable[Series]:
    """Give the options with their ranges, in the colours of what limits them."""
    by_kind: dict[str, list[Point]] = {}
    for place, option in enumerate(options):
        row = option.row
        point = Point(
            row.time_s.p50,
            row.cost_usd.p50,
            row.cost_usd.p10,
            row.cost_usd.p90,
            label=option.name,
            ringed=place == 0,
        )
        by_kind.setdefault(resource_kind(option.longest.bottleneck), []).append(point)
    return [Series(f"limited by {kind}", tuple(points), resource=kind) for kind, points in by_kind.items()]


def _points(candidates: Iterable[CandidateAnswer]) -> tuple[Point, ...]:
    # A logarithmic axis has no place for nothing.
    return tuple(Point(each.time_s, each.cost_usd) for each in candidates if each.time_s > 0.0 and each.cost_usd > 0.0)


def _caption(searched: Sequence[Searched], options: Sequence[Option]) -> str:
    frontier = searched[0].answer.frontier
    chosen = f"Ringed: {options[0].name}."
    if len(searched) > 1 or len(frontier) < 2:
        return f"What no other candidate beats in both, and the options with their ranges. {chosen}"
    fast, cheap = min(frontier, key=lambda one: one.time_s), min(frontier, key=lambda one: one.cost_usd)
    if fast is cheap:
        return f"One candidate is both the fastest and the cheapest. {chosen}"
    return (
        f"From {wording.duration(fast.time_s)} for {wording.usd(fast.cost_usd)} to {wording.duration(cheap.time_s)} "
        f"for {wording.usd(cheap.cost_usd)}: nothing beats the line in both. {chosen}"
    )


def _searched_sentence(one: Searched, *, alone: bool) -> str:
    answer = one.answer
    said = (
        f"{answer.candidates:,} candidates were searched: {answer.computed:,} computed, "
        f"{answer.excluded_by_bound:,} excluded by a bound that none of them could meet."
    )
    return said if alone else f"{one.name}: {said}"
