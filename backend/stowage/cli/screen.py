"""Terminal output of plans and predictions."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stowage.features.planning.planning import MOST_ROWS
from stowage.model.choice import Objective
from stowage.model.figure import Figure
from stowage.model.jobs.flows import Durability
from stowage.model.prediction import Range
from stowage.workloads import wording
from stowage.workloads.answers import (
    AssumedAnswer,
    ConfigurationAnswer,
    InfeasibleAnswer,
    PlanAnswer,
    PredictionAnswer,
    RegionsAnswer,
)
from stowage.workloads.risk_levels import risk_level

_BAR_CELLS = 24
_WIDTH_WITH_BARS = 120
_MOST_ROWS = 15
_RISK_STYLES = {"low": "green", "moderate": "yellow", "high": "red"}


def show_plan(answer: PlanAnswer, confidences: Sequence[str] = ()) -> None:
    """Print a ranking, or the closest options if nothing meets the limits.

    `confidences` are sentences on what other confidences of meeting the deadline save or cost.
    """
    console = _console()
    console.print(Text(answer.sentence, style="bold"))
    if answer.configurations:
        console.print(_ranking(answer, console.width))
        heads = _heads_words(answer.configurations)
        if heads is not None:
            console.print(heads)
        if answer.configurations_size > _MOST_ROWS:
            size = f"{'' if answer.configurations_size < MOST_ROWS else 'at least '}{answer.configurations_size:,}"
            console.print(f"The first {_MOST_ROWS} of {size}; --json gives up to {MOST_ROWS}.")
    for sentence in confidences:
        console.print(sentence)
    for miss in answer.near_misses:
        console.print(f"  nearest: {miss.sentence}")
    if answer.rejected:
        console.print("\nNot among the answers:")
        widest = max(9, *(len(f"{row.count:,}") for row in answer.rejected))
        for row in answer.rejected:
            line = Text(f"{row.count:>{widest},}  {row.reason} ({_listed(row.instances)})")
            console.print(Padding(line, (0, 0, 0, 2)))
    _show_assumed(console, answer.assumed, "\nLimits assumed")
    if answer.price_terms is not None:
        console.print(f"Price terms: {answer.price_terms.details}.")
    console.print(
        f"\n{answer.candidates:,} candidates, {answer.computed:,} computed, in {wording.duration(answer.elapsed_s)}. "
        f"Catalog {answer.catalog_version} of {answer.catalog_as_of}, model {answer.model_version}.",
        style="dim",
    )


def show_regions(answer: RegionsAnswer) -> None:
    """Print the best option of every region, then the reasons for regions without one."""
    console = _console()
    table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
    for heading in ("region", "configuration", *_measures(answer.objective), "paid"):
        right = heading in _measures(answer.objective)
        terms = answer.price_terms
        named = f"{heading}\nincl. {terms.words}" if terms is not None and heading in _SUMS else heading
        table.add_column(named, justify="right" if right else "left", no_wrap=heading != "configuration")
    for region in answer.regions:
        best = region.best
        if best is not None:
            table.add_row(
                region.region,
                _two_lines(f"{best.nodes:,} × {best.instance}", best.storage_words),
                *(
                    (wording.usd(best.cost_always_on_usd), wording.duration(best.time_s))
                    if answer.objective == "month"
                    else (wording.duration(best.time_s), wording.usd(best.cost_usd))
                ),
                best.purchase or "",
            )
    if table.rows:
        console.print(table)
    for region in answer.regions:
        if region.best is None:
            console.print(Text(f"{region.region}: {region.sentence}"))
    console.print(
        f"\n{len(answer.regions)} regions of catalog {answer.catalog_version}, "
        f"in {wording.duration(answer.elapsed_s)}.",
        style="dim",
    )


def _causes(answer: PredictionAnswer) -> str:
    """Return a text with the causes of the time in excess of the physical limit.

    Each cause has its share of this excess time, and the largest comes first. The text is empty if there are no causes.
    """
    added_s = sum(cause.time_s for cause in answer.causes)
    if added_s <= 0.0:
        return ""
    most = sorted(answer.causes, key=lambda cause: cause.time_s, reverse=True)
    told = [f"{cause.name} {cause.time_s / added_s:.0%}" for cause in most if cause.time_s >= 0.005 * added_s]
    return f". Above the limit: {', '.join(told)}"


def show_prediction(answer: PredictionAnswer, objective: Objective) -> None:
    """Print a prediction with its phases, costs and inputs.

    The costs are those of a month if the objective is the monthly cost, else those of a run.
    """
    console = _console()
    console.print(Text(answer.sentence, style="bold"))
    phases = Table("phase", "time", "limited by", "busy", box=box.SIMPLE)
    for phase in answer.phases:
        busy = ", ".join(f"{name} {share:.0%}" for name, share in phase.utilization.items() if share)
        phases.add_row(phase.name, wording.duration(phase.time_s), wording.resource(phase.bottleneck), busy)
    console.print(phases)
    if answer.physical_limit_s:
        times = answer.time_s.p50 / answer.physical_limit_s
        console.print(
            f"Physical limit: {wording.duration(answer.physical_limit_s)}; the prediction is {times:.2g} times that"
            f"{_causes(answer)}."
        )
    month = answer.cost_always_on_parts_usd if objective == "month" else None
    parts = {name: usd for name, usd in (month or answer.cost_parts_usd).model_dump().items() if usd}
    told = ", ".join(
        f"{_part_words(name, answer, month=month is not None)} {wording.usd(usd)}" for name, usd in parts.items()
    )
    terms = "" if answer.price_terms is None else f" (incl. {answer.price_terms.words})"
    console.print(f"Cost of a month{terms}: {told}" if month else f"Cost{terms}: {told}")
    if answer.on_empty is not None:
        money = "" if month else f" for {wording.usd(answer.on_empty.cost_usd)}"
        console.print(f"Lives on burst credit: with empty buckets {wording.duration(answer.on_empty.time_s)}{money}.")
    if answer.latency is not None:
        console.print(
            f"{wording.three_digits(answer.latency.io_per_s)} I/Os a second on each node, "
            f"{wording.three_digits(answer.latency.mean_ms)} ms each on average; p99 is not known."
        )
    _show_assumed(console, answer.assumed, "Assumed")
    if answer.price_terms is not None:
        console.print(f"Price terms: {answer.price_terms.details}.")
    chances = _chances(answer)
    if chances:
        console.print(chances)
    console.print(
        f"Chance of losing data in {wording.exposure(answer.loss_exposure_s)}: "
        f"{wording.chance(answer.loss_probability)}"
    )
    console.print("\nIt rests on:")
    for figure in answer.provenance:
        dated = f", {figure.as_of}" if figure.as_of else ""
        console.print(f"  {figure.quantity} = {_value(figure)}  [{figure.kind}{dated}]", markup=False)
        console.print(Padding(Text(figure.source, style="dim"), (0, 0, 0, 6)))


def _show_assumed(console: Console, assumed: Sequence[AssumedAnswer], what: str) -> None:
    """Print the assumptions for fields that the workload file leaves out, and how to switch them off."""
    if assumed:
        words = "; ".join(each.words for each in assumed)
        console.print(f"{what}: {words}. Without: assume: {{usual: ignored}}.")


def show_infeasible(answer: InfeasibleAnswer) -> None:
    """Print the reason why a cluster cannot run the job, and the minimum that it would need."""
    console = _console()
    console.print(Text(f"Not possible: {answer.reason}.", style="bold"))
    if answer.nearest is not None:
        console.print(f"  needed: {answer.nearest}")


def _ranking(answer: PlanAnswer, width: int) -> Table:
    """Return the table of ranked configurations.

    A row has two lines: nodes, median time and median cost, and below them the storage and the ranges.
    """
    rows = answer.configurations[:_MOST_ROWS]
    slowest = max(row.time_s.p90 for row in rows)
    table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
    with_risk = any(row.meets_deadline is not None for row in rows)
    with_bars = width >= _WIDTH_WITH_BARS
    payments, ways = _left_open(answer)
    numbers = _measures(answer.objective)
    terms = answer.price_terms
    words = [*(["paid"] if payments else []), *(["kept"] if ways else []), "limited by"]
    for heading in ["#", "configuration", *numbers, *words] + ["deadline risk"] * with_risk + [""] * with_bars:
        # In a narrow terminal text is truncated, numbers never.
        table.add_column(
            f"{heading}\nincl. {terms.words}" if terms is not None and heading in _SUMS else heading,
            justify="right" if heading in {"#", *numbers, "deadline risk"} else "left",
            no_wrap=heading not in {*words, "deadline risk"},
            max_width=20 if heading in words else None,
        )
    for row in rows:
        longest = max(row.phases, key=lambda phase: phase.time_s)
        cells: list[str | Text] = [
            str(row.rank),
            _two_lines(f"{row.nodes:,} × {row.instance}", row.storage_words),
        ]
        time = _two_lines(wording.duration(row.time_s.p50), wording.duration_range(row.time_s))
        if answer.objective == "month" and row.cost_always_on_usd is not None:
            cells += [wording.usd(row.cost_always_on_usd), time]
        else:
            cost = row.cost_usd
            cells += [time, _two_lines(wording.usd(cost.p50), f"{wording.usd(cost.p10)}–{wording.usd(cost.p90)}")]
        if payments:
            cells.append(row.purchase or "")
        if ways and row.durability is not None:
            cells.append(wording.kept(Durability(row.durability, row.replicas or 1)))
        cells.append(wording.resource(longest.bottleneck))
        if with_risk:
            cells.append(_risk(row.meets_deadline))
        if with_bars:
            cells.append(_bar(row.time_s, slowest))
        table.add_row(*cells)
    return table


_SUMS = ("cost", "a month")
"""Headings of columns with costs."""


def _risk(met: float | None) -> Text:
    """Return the risk of missing the deadline with its level, in the color of the level."""
    if met is None:
        return Text("")
    level = risk_level(met)
    return Text(f"{wording.risk(met)} {level}", style=_RISK_STYLES[level])


def _measures(objective: Objective) -> list[str]:
    """Return the headings of the columns for time and cost.

    If the objective is the monthly cost, its column comes first.
    """
    return ["a month", "time of a run"] if objective == "month" else ["time", "cost"]


def _heads_words(rows: Sequence[ConfigurationAnswer]) -> str | None:
    """Return a note that the costs include a head node; None if no cluster has a head node."""
    heads = {(row.head_node.role, row.head_node.instance) for row in rows if row.head_node is not None}
    if not heads:
        return None
    role, instance = heads.pop()
    # Without its own type, the head node has the type of the row's other nodes.
    what = "one more node of the same type" if heads else f"1 × {instance}"
    return f"Costs include {what} as {role}."


def _part_words(part: str, answer: PredictionAnswer, *, month: bool) -> str:
    if part == "head_nodes" and answer.head_node is not None:
        return answer.head_node.role
    return "worker nodes" if month and part == "instances" else part.replace("_", " ")


def _left_open(answer: PlanAnswer) -> tuple[bool, bool]:
    """Return two flags about what the search has chosen because the workload leaves it open.

    The first flag is for the purchase option, the second for the durability.
    """
    durability = answer.workload["workload"].get("durability", {})
    return answer.workload.get("place", {}).get("purchase") == "any", durability.get("model") == "any"


def _two_lines(first: str, second: str) -> Text:
    return Text.assemble(first, "\n", (second, "dim"))


def _bar(times: Range, slowest: float) -> str:
    """Draw the times of a row as a bar, solid up to p50 and light up to p90.

    The bar of the row with the longest p90 has the full length.
    """
    solid, whole = (round(_BAR_CELLS * seconds / slowest) for seconds in (times.p50, times.p90))
    return "█" * solid + "░" * (whole - solid)


def _chances(row: ConfigurationAnswer) -> str:
    parts = []
    if row.meets_deadline is not None:
        level = risk_level(row.meets_deadline)
        parts.append(f"risk of missing the deadline: {wording.risk(row.meets_deadline)} ({level})")
    if row.meets_budget is not None:
        parts.append(f"keeps the budget: {wording.chance(row.meets_budget)}")
    return ", ".join(parts)


def _value(figure: Figure) -> str:
    unit = "" if figure.unit == "1" else f" {figure.unit}"
    return f"{figure.value:.6g}{unit}"


def _listed(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _console() -> Console:
    return Console(highlight=False, soft_wrap=False)
