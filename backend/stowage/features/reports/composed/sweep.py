"""Sweep reports: the best option for one workload in each cell of a grid of two variables, with its cost."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.options import name_of, resource_kind
from stowage.features.reports.composed.price_terms import words_of
from stowage.features.reports.composed.provenance import assumptions_section, version_facts
from stowage.features.reports.schemas import SweepOrigin
from stowage.features.sweeps import sweeps
from stowage.features.sweeps.schemas import NEAR_TIE, CellBestAnswer, SweepAnswer, SweepCellAnswer
from stowage.features.sweeps.sweep_file import QUANTITIES, AxisSection
from stowage.model.report import (
    Amount,
    Axis,
    Chart,
    Fact,
    Facts,
    Origin,
    Paragraph,
    Point,
    Section,
    Series,
    Table,
)
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem
from stowage.workloads import amounts, wording
from stowage.workloads.answers import DescribedCluster
from stowage.workloads.report_tables import Cell, Records, number, text

_MODELS = {"none": "none", "application": "copies", "infrastructure": "EBS", "object-store": "S3"}

_SIZES = {"nano": 0.03, "micro": 0.06, "small": 0.125, "medium": 0.25, "large": 0.5, "xlarge": 1.0, "metal": 1000.0}
"""Rank of sizes by name; other sizes have a number."""

_Won = tuple[SweepCellAnswer, CellBestAnswer]


def sweep_draft(database: Database, org_id: UUID, origin: SweepOrigin) -> Draft:
    """Compose the sections of a sweep's report.

    Raises
    ------
    NotFound
        The sweep does not exist, or is another team's.
    BadInput
        The sweep is still being computed, or no cell was computed.
    """
    sweep = sweeps.read_sweep(database, org_id, origin.sweep_id)
    job = sweep.job
    if job.state in {"queued", "running"}:
        message = f"is still being computed, {job.done:,} of {job.total:,} cells; accepted: a sweep that is done"
        raise BadInput([Problem("origin.sweep_id", message)])
    if not sweep.cells:
        raise BadInput([Problem("origin.sweep_id", "has no cell that was computed; accepted: a sweep that is done")])
    return Draft(
        sentence=_sentence(sweep),
        origin=Origin("sweep", (str(sweep.id),), (sweep.name,)),
        sections=tuple(_sections(sweep)),
        versions=version_facts(
            sweep.model_version, sweep.catalog_version, sweep.profiles_digest[:12], [sweep.price_terms]
        ),
        price_terms=words_of([sweep.price_terms]),
    )


def _sections(sweep: SweepAnswer) -> Sequence[Section]:
    won = _won(sweep)
    notes = [Paragraph(_what_to_see(sweep))]
    if len(sweep.cells) < sweep.job.total:
        notes.append(
            Paragraph(
                f"Only {len(sweep.cells):,} of {sweep.job.total:,} cells were computed before the sweep was ended.",
                tone="doubt",
            )
        )
    sections = [Section("summary", "In short", (Facts(tuple(_facts(sweep)), headline=True), *notes))]
    if won:
        sections += [
            Section("cost", f"What a {_priced(sweep)} costs", (_cost_grid(sweep),)),
            Section("winners", "Who wins where", (_winners_table(sweep), _winners_grid(sweep))),
            Section("time", "How long it takes", (_time_grid(sweep), _limits_grid(sweep)), detail=True),
        ]
    sections += [
        Section("cells", "All cells", (_cells_table(sweep),), detail=True),
        assumptions_section([("In every cell", _held(sweep))], (), [sweep.price_terms]),
    ]
    return sections


def _held(sweep: SweepAnswer) -> dict[str, Any]:
    """Return the fields of the base workload that apply to every cell.

    These are all fields except the cluster and the fields that the two axes set.
    """
    held = {name: dict(part) if isinstance(part, dict) else part for name, part in sweep.base.items()}
    held.pop("cluster", None)
    for axis in (sweep.columns, sweep.rows):
        varied = QUANTITIES[axis.quantity]
        held.get(varied.section, {}).pop(varied.field, None)
    return {name: part for name, part in held.items() if part != {}}


def _won(sweep: SweepAnswer) -> list[_Won]:
    return [(cell, cell.best) for cell in sweep.cells if cell.best is not None]


def winner_name(best: DescribedCluster) -> str:
    """Return the name of a winner: instance type and storage, without the number of nodes."""
    return f"{best.instance} with {best.storage.type}" if best.storage.kind == "ebs" else best.instance


def _priced(sweep: SweepAnswer) -> Literal["month", "run"]:
    """Return the period for which the report shows costs.

    The period is a month if the base workload is for an always-on cluster, else a run. It is also a run for old sweeps,
    which were stored without monthly costs.
    """
    all_stay = all(best.cost_always_on_usd is not None for _, best in _won(sweep))
    return "month" if sweep.base.get("objective") == "month" and all_stay else "run"


def _cost_usd(sweep: SweepAnswer, best: CellBestAnswer) -> float:
    month_usd = best.cost_always_on_usd
    return month_usd if _priced(sweep) == "month" and month_usd is not None else best.cost_usd.p50


def _cost(sweep: SweepAnswer, best: CellBestAnswer) -> Amount:
    if _priced(sweep) == "month":
        return amounts.money(_cost_usd(sweep, best), "USD/month")
    return amounts.money_range(best.cost_usd)


def _by_winner(sweep: SweepAnswer) -> dict[str, list[_Won]]:
    """Group the cells by winner.

    Winners with the most cells come first. Winners with equally many cells are sorted by name.
    """
    found: dict[str, list[_Won]] = {}
    for cell, best in _won(sweep):
        found.setdefault(winner_name(best), []).append((cell, best))
    return dict(sorted(found.items(), key=lambda each: (-len(each[1]), each[0])))


def _sentence(sweep: SweepAnswer) -> str:
    return f"{sweep.name}: {_what_to_see(sweep)}"


def _what_to_see(sweep: SweepAnswer) -> str:
    won, winners = _won(sweep), _by_winner(sweep)
    if not won:
        return f"Nothing fits in any of {len(sweep.cells):,} cells."
    costs = [_cost_usd(sweep, best) for _, best in won]
    span = _span(costs, wording.usd).replace("–", " to ")
    name, cells = next(iter(winners.items()))
    who = (
        f"{name} is the best wherever something fits"
        if len(winners) == 1
        else f"{name} is the best in {len(cells):,} of {len(won):,} cells, {list(winners)[1]} in "
        f"{len(list(winners.values())[1]):,}"
    )
    none = len(sweep.cells) - len(won)
    rest = "" if none == 0 else f" Nothing fits in {none:,} of {len(sweep.cells):,} cells."
    return f"A {_priced(sweep)} costs {span}; {who}.{rest}"


def _facts(sweep: SweepAnswer) -> Sequence[Fact]:
    won = _won(sweep)
    found = [Fact("cells", "Cells", amounts.count(len(sweep.cells)))]
    found.append(Fact("fits", "Cells in which something fits", amounts.count(len(won)), "more"))
    if won:
        cheapest = min(won, key=lambda each: _cost_usd(sweep, each[1]))[1]
        dearest = max(won, key=lambda each: _cost_usd(sweep, each[1]))[1]
        fastest = min(won, key=lambda each: each[1].time_s.p50)[1]
        found += [
            Fact("winners", "Types that win somewhere", amounts.count(len(_by_winner(sweep)))),
            Fact("cheapest", f"Cheapest {_priced(sweep)}", _cost(sweep, cheapest), "less"),
            Fact("dearest", f"Dearest {_priced(sweep)}", _cost(sweep, dearest), "less"),
            Fact("fastest", "Fastest run", amounts.time_range(fastest.time_s), "less"),
        ]
    return found


def _axis(axis: AxisSection) -> Axis:
    return Axis(QUANTITIES[axis.quantity].label, "", "categories", tuple(_spoken(axis, value) for value in axis.values))


def _spoken(axis: AxisSection, value: str) -> str:
    """Return an axis value as text for display."""
    if axis.quantity == "replicas":
        return "1 copy" if value == "1" else f"{value} copies"
    return _MODELS.get(value, value) if axis.quantity == "durability" else value


def _grid(sweep: SweepAnswer, key: str, title: str, caption: str, series: Sequence[Series]) -> Chart:
    x, y = _axis(sweep.columns), _axis(sweep.rows)
    near = sum(best.near_tie for _, best in _won(sweep))
    if near:
        ties = "1 near-tie" if near == 1 else f"{near:,} near-ties"
        caption += f" ≈ marks {ties}: another type is within {NEAR_TIE:.0%}."
    none = tuple(Point(float(cell.column), float(cell.row), label="—") for cell in sweep.cells if cell.best is None)
    empty = (Series("none fits", none, faint=True),) if none else ()
    return Chart(key, title, caption, "grid", x, y, (*series, *empty))


def _shaded(
    sweep: SweepAnswer, name: str, of: Callable[[CellBestAnswer], float], write: Callable[[float], str]
) -> Series:
    return Series(
        name,
        tuple(
            Point(float(cell.column), float(cell.row), label=write(of(best)), value=of(best), near_tie=best.near_tie)
            for cell, best in _won(sweep)
        ),
        shades="ratios",
    )


def _cost_grid(sweep: SweepAnswer) -> Chart:
    of = _priced(sweep)
    series = _shaded(sweep, f"cost of a {of}", lambda best: _cost_usd(sweep, best), wording.usd)
    caption = f"{_from(series, wording.usd, f' a {of}')}; equal steps of colour are equal ratios."
    return _grid(sweep, "cost-grid", f"Cost of a {of}", caption, [series])


def _time_grid(sweep: SweepAnswer) -> Chart:
    series = _shaded(sweep, "time of a run", lambda best: best.time_s.p50, one_unit)
    caption = f"{_from(series, wording.duration)}; equal steps of colour are equal ratios."
    return _grid(sweep, "time-grid", "Time of a run", caption, [series])


def _from(series: Series, write: Callable[[float], str], of: str = "") -> str:
    """Return the range of a grid's values in words.

    If all values are equal, the single value is returned instead.
    """
    low, _, high = _span([point.value or 0.0 for point in series.points], write).partition("–")
    return f"From {low} to {high}{of}" if high else f"{low}{of} in every cell"


def _winners_grid(sweep: SweepAnswer) -> Chart:
    winners = _by_winner(sweep)
    hues = _hues({name: cells[0][1].instance for name, cells in winners.items()})
    series = [
        Series(
            name,
            tuple(
                Point(float(cell.column), float(cell.row), label=f"{best.nodes:,}", near_tie=best.near_tie)
                for cell, best in cells
            ),
            family=hues[name][0],
            strength=hues[name][1],
        )
        for name, cells in winners.items()
    ]
    caption = f"{_what_to_see(sweep)} In the cells: the number of nodes."
    return _grid(sweep, "winners-grid", "Winner of each cell", caption, series)


def _hues(winners: Mapping[str, str]) -> dict[str, tuple[int, float]]:
    """Return hue and strength of the color of each winner, as on the page of the sweep.

    Families are sorted by name; a larger size is stronger.

    Parameters
    ----------
    winners : mapping
        Instance type of each winner.

    Examples
    --------
    >>> _hues({name: name for name in ("i4i.16xlarge", "d3en.xlarge", "i4i.large")})
    {'d3en.xlarge': (0, 0.5), 'i4i.large': (1, 0.0), 'i4i.16xlarge': (1, 1.0)}
    """
    families: dict[str, list[tuple[float, str]]] = {}
    for name, instance in winners.items():
        family, rank = _family(instance)
        families.setdefault(family, []).append((rank, name))
    return {
        name: (hue, at / (len(families[family]) - 1) if len(families[family]) > 1 else 0.5)
        for hue, family in enumerate(sorted(families))
        for at, (_, name) in enumerate(sorted(families[family]))
    }


def _family(instance: str) -> tuple[str, float]:
    """Return the family of an instance type, and the rank of its size: `i4i.2xlarge`, `n1-standard-8`."""
    found = re.fullmatch(r"(.+?)(?:\.|-(?=\d+$))([^.]+)", instance)
    family, size = (instance, "") if found is None else (found[1], found[2])
    number = re.search(r"\d+", size)
    return family, _SIZES.get(size, 0.0 if number is None else float(number[0]))


def _limits_grid(sweep: SweepAnswer) -> Chart:
    found: dict[str, list[Point]] = {}
    for cell, best in _won(sweep):
        label = _short(wording.resource(best.bottleneck))
        point = Point(float(cell.column), float(cell.row), label=label, near_tie=best.near_tie)
        found.setdefault(resource_kind(best.bottleneck), []).append(point)
    series = [Series(kind, tuple(points), resource=kind) for kind, points in found.items()]
    caption = f"What limits the longest phase of each winner: {', '.join(found)}."
    return _grid(sweep, "limits-grid", "What limits", caption, series)


def _winners_table(sweep: SweepAnswer) -> Table:
    winners = {name: [best for _, best in cells] for name, cells in _by_winner(sweep).items()}
    first = next(iter(winners))
    return Records(((name, (name, best)) for name, best in winners.items()), lambda row: row[0] == first).table(
        "winners",
        "Who wins how often, and at what cost and in what time, from the least to the most.",
        text("winner", "Winner", lambda row: row[0]),
        number("cells", "Cells", lambda row: amounts.count(len(row[1]))),
        text("nodes", "Nodes", lambda row: _span([float(best.nodes) for best in row[1]], "{:,.0f}".format)),
        text(
            "cost_usd",
            f"Cost of a {_priced(sweep)}",
            lambda row: _span([_cost_usd(sweep, best) for best in row[1]], wording.usd),
        ),
        text("time_s", "Time", lambda row: _span([best.time_s.p50 for best in row[1]], wording.duration)),
    )


def _cells_table(sweep: SweepAnswer) -> Table:
    columns, rows = sweep.columns, sweep.rows
    named = [(f"{columns.values[cell.column]} / {rows.values[cell.row]}", cell) for cell in sweep.cells]

    def of_best(cell_of: Callable[[CellBestAnswer], Cell]) -> Callable[[SweepCellAnswer], Cell]:
        return lambda cell: None if cell.best is None else cell_of(cell.best)

    return Records(named).table(
        "cells",
        "The winner of every cell; ranges are p10 to p90.",
        text("column", QUANTITIES[columns.quantity].label, lambda cell: _spoken(columns, columns.values[cell.column])),
        text("row", QUANTITIES[rows.quantity].label, lambda cell: _spoken(rows, rows.values[cell.row])),
        text("winner", "Winner", lambda cell: "none fits" if cell.best is None else name_of(cell.best)),
        text("storage", "Storage", of_best(lambda best: best.storage_words)),
        number("time_s", "Time", of_best(lambda best: amounts.time_range(best.time_s))),
        number("cost_usd", f"Cost of a {_priced(sweep)}", of_best(lambda best: _cost(sweep, best))),
        number(
            "in_time",
            "Meets the deadline",
            of_best(lambda best: None if best.meets_deadline is None else amounts.chance(best.meets_deadline)),
        ),
        text("near_tie", f"Near-tie (within {NEAR_TIE:.0%})", of_best(_near_tie)),
        text(
            "limited_by",
            "Limited by",
            lambda cell: cell.sentence if cell.best is None else wording.resource(cell.best.bottleneck),
        ),
    )


def _near_tie(best: CellBestAnswer) -> str | None:
    """Return the second-best type of a cell and how far it is behind, if this is a near-tie."""
    second = best.runner_up
    return f"{winner_name(second)}, {second.behind:+.1%}" if second is not None and best.near_tie else None


def one_unit(seconds: float) -> str:
    """Format a duration [s] in its largest unit, for cells and other narrow places.

    Examples
    --------
    >>> [one_unit(value) for value in (0.5, 90.0, 1010.0, 90000.0, 400000.0)]
    ['500 ms', '90 s', '16.8 min', '25 h', '4.63 d']
    """
    if seconds < 1.0:
        return wording.duration(seconds)
    units = ((120.0, 1.0, "s"), (7_200.0, 60.0, "min"), (172_800.0, 3_600.0, "h"))
    size, unit = next(((size, unit) for end, size, unit in units if seconds < end), (86_400.0, "d"))
    return f"{wording.three_digits(seconds / size)} {unit}"


def _short(limit: str) -> str:
    """Shorten the name of a bottleneck to fit into a cell."""
    return "disks" if limit.endswith("disks") else limit


def _span(values: Sequence[float], write: Callable[[float], str]) -> str:
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low}–{high}"
