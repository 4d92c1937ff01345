"""Run reports: the results of a benchmark run, their scaling, and the cost compared with the quote.

Ids and addresses of AWS resources are left out, because reports are meant to be shared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from stowage.features.benchmarks import runs
from stowage.features.benchmarks.schemas import ResourceAnswer, RunAnswer, RunResultAnswer
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.provenance import leaves
from stowage.features.reports.schemas import RunOrigin
from stowage.model.report import (
    Amount,
    Axis,
    Block,
    Chart,
    Column,
    Fact,
    Facts,
    Origin,
    Paragraph,
    Point,
    Row,
    Section,
    Series,
    Table,
)
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem
from stowage.runs.assembly import Scale
from stowage.runs.run import ENDED
from stowage.workloads import amounts, wording
from stowage.workloads.answers import HeadlineAnswer
from stowage.workloads.report_tables import Records, number, text

_RESOURCES = {
    "instance": "Instances",
    "volume": "Volumes",
    "security-group": "Security groups",
    "placement-group": "Placement groups",
    "emr-cluster": "EMR clusters",
    "objects": "Folders of files in S3",
}
_NAMED = ("mb_per_s", "io_per_s", "ops_per_s", "iops")
"""Suffixes of the metrics that the headline shows."""
_MOST_FACTS = 3


def run_draft(database: Database, org_id: UUID, origin: RunOrigin, now: datetime) -> Draft:
    """Compose the sections of a run's report.

    Raises
    ------
    NotFound
        The run does not exist, or is another team's.
    BadInput
        The run has not ended yet.
    """
    run = runs.read_run(database, org_id, origin.run_id, now)
    if run.state not in ENDED:
        message = f"has not ended yet, it is {run.state}; accepted: a run that is done, failed or cancelled"
        raise BadInput([Problem("origin.run_id", message)])
    return Draft(
        sentence=_sentence(run),
        origin=Origin("run", (str(run.id),), (run.name,)),
        sections=tuple(_sections(run)),
        versions=tuple(_versions(run)),
    )


def _sections(run: RunAnswer) -> Iterator[Section]:
    yield Section("summary", "In short", (Facts(tuple(_facts(run)), headline=True), *_notes(run)))
    if run.results:
        blocks: list[Block] = [_results_table(run.results)]
        if run.screening is not None:
            blocks.append(Paragraph(run.screening.words))
        yield Section("results", "What was measured", tuple(blocks))
    if run.scaling:
        yield Section("scaling", "How the network goes with the cluster", (_scaling_chart(run), _scaling_table(run)))
    yield Section("cost", "What it cost, against its quote", tuple(_cost(run)))
    if any(result.per_node for result in run.results):
        yield Section("nodes", "Node by node", (_nodes_table(run),), detail=True)
    if run.resources:
        yield Section("resources", "What was made in the account", (_resources_table(run),), detail=True)
    yield Section("assumptions", "Under which conditions", (_conditions(run),), detail=True)


def _sentence(run: RunAnswer) -> str:
    spent = f"It cost {_cents(run.spent_usd)}." if run.spent_usd > 0.0 else "Nothing was spent."
    best = [f"{metric.what} ({result.name}): {_words(metric)}" for result, metric in _told(run)]
    measured = f" {best[0]}." if best else ""
    return f"{run.name}: {run.spec_words}. {run.sentence}{measured} {spent}"


def _facts(run: RunAnswer) -> Iterator[Fact]:
    yield Fact("measured_on", "What was measured", run.spec_words)
    for result, metric in _foremost(run):
        yield Fact(f"{result.phase}.{metric.name}", f"{metric.what} ({result.name})", _measured(metric), "more")
    yield _spent(run)
    quoted = Amount(run.quoted_usd, "USD", f"at most {_cents(run.quoted_usd)}", standing="predicted")
    yield Fact("quoted", "Quoted", quoted, "less")


def _spent(run: RunAnswer) -> Fact:
    spent = Amount(run.spent_usd, "USD", _cents(run.spent_usd), standing="measured")
    return Fact("spent", "Spent", spent, "less")


def _notes(run: RunAnswer) -> Iterator[Paragraph]:
    if run.failure is None or run.failure.casefold() not in run.sentence.casefold():
        yield Paragraph(run.sentence)
    if run.failure is not None:
        yield Paragraph(f"It did not go as it was meant to: {run.failure}.", tone="doubt")
    missing = [result.name for result in run.results if not result.complete]
    if missing:
        yield Paragraph(f"Not all nodes reported, or not well, of: {', '.join(missing)}.", tone="doubt")
    if not run.results:
        yield Paragraph("It measured nothing.", tone="doubt")
    if not run.verified:
        yield Paragraph("It could not be seen whether anything is left in the account.", tone="doubt")


def _foremost(run: RunAnswer) -> list[tuple[RunResultAnswer, HeadlineAnswer]]:
    """Return the results and metrics to show in the summary, at most `_MOST_FACTS`.

    Each phase contributes one rate, the total of all nodes. For a benchmark at growing cluster sizes, the results of
    the largest sizes are returned.
    """
    found = []
    for result in run.results:
        rates = [metric for metric in result.metrics if metric.name.endswith(_NAMED)]
        found += [(result, metric) for metric in rates[:1]]
    return found[-_MOST_FACTS:] if run.scaling else found[:_MOST_FACTS]


def _told(run: RunAnswer) -> list[tuple[RunResultAnswer, HeadlineAnswer]]:
    """Return the one result and metric to highlight, or an empty list if no result has a rate.

    They belong to the largest cluster size if the run measured several sizes, else to the first phase.
    """
    found = _foremost(run)
    return found[-1:] if run.scaling else found[:1]


def _results_table(results: Sequence[RunResultAnswer]) -> Table:
    rows: list[tuple[str, tuple[RunResultAnswer, HeadlineAnswer | None]]] = []
    for result in results:
        rows += [(f"{result.phase}.{metric.name}", (result, metric)) for metric in result.metrics]
        rows += [] if result.metrics else [(result.phase, (result, None))]
    nothing = "nothing that holds for all nodes"
    return Records(rows).table(
        "results",
        "What each phase measured, of all nodes together.",
        text("phase", "Phase", lambda row: row[0].name),
        text("metric", "Figure", lambda row: nothing if row[1] is None else row[1].what),
        number("value", "Value", lambda row: None if row[1] is None else _measured(row[1])),
        text(
            "complete",
            "Complete",
            lambda row: "no" if row[1] is None else "yes" if row[0].complete else "not all nodes",
        ),
    )


def _scaling_chart(run: RunAnswer) -> Chart:
    points = run.scaling
    series = [
        Series("mean of the nodes", tuple(Point(float(p.nodes), p.mean_mb_per_s) for p in points), "line", "network"),
        Series("slowest node", tuple(Point(float(p.nodes), p.slowest_mb_per_s) for p in points), "line"),
    ]
    published = run.published_scaling
    if published is not None:
        known = tuple(Point(float(p.nodes), p.mb_per_s) for p in published.points)
        series.append(Series(f"{published.kind} before", known, "line", faint=True))
    first, last = points[0], points[-1]
    caption = (
        f"At {last.nodes:,} nodes the slowest receives {amounts.with_unit(last.slowest_mb_per_s, 'MB/s')}, "
        f"{wording.three_digits(100.0 * last.slowest_mb_per_s / first.mean_mb_per_s)}% of the mean at {first.nodes:,}."
        if first.mean_mb_per_s > 0.0
        else "Bandwidth of a node by the number of nodes that send to each other."
    )
    return Chart(
        key="scaling",
        title="Network bandwidth of a node by cluster size",
        caption=caption,
        chart="lines",
        x=Axis("Nodes", "nodes"),
        y=Axis("Received by a node", "MB/s"),
        series=tuple(series),
    )


def _scaling_table(run: RunAnswer) -> Table:
    said = run.published_scaling
    known = {} if said is None else {point.nodes: point.mb_per_s for point in said.points}

    def before(point: Scale) -> Amount | None:
        value = known.get(point.nodes)
        if value is None or said is None:
            return None
        return replace(amounts.number(value, "MB/s", said.kind), source=said.source)

    return Records((f"nodes-{point.nodes}", point) for point in run.scaling).table(
        "scaling-table",
        "The slowest node's bandwidth is what a job waits for; before: what predictions took without this run.",
        number("nodes", "Nodes", lambda point: amounts.count(point.nodes, "nodes")),
        number("mean_mb_per_s", "Mean", lambda point: amounts.number(point.mean_mb_per_s, "MB/s", "measured")),
        number("slowest_mb_per_s", "Slowest", lambda point: amounts.number(point.slowest_mb_per_s, "MB/s", "measured")),
        number("before_mb_per_s", "Before", before),
        number(
            "difference_pct",
            "Slowest against before",
            lambda point: amounts.percent(point.slowest_mb_per_s, known.get(point.nodes, 0.0)),
        ),
    )


def _cost(run: RunAnswer) -> Iterator[Block]:
    quoted = Amount(run.quoted_usd, "USD", _cents(run.quoted_usd), standing="predicted")
    facts = [Fact("quoted", "Quoted, at most", quoted, "less"), _spent(run)]
    if run.quoted_usd > 0.0:
        facts.append(Fact("share", "Spent of what was quoted", amounts.share(run.spent_usd / run.quoted_usd, None)))
    yield Facts(tuple(facts))
    yield Records((f"{place}-{part.name}", part) for place, part in enumerate(run.quote.parts, start=1)).table(
        "quote",
        "How the quote came about: an upper bound, for all nodes until the time limit.",
        text("part", "Part", lambda part: part.name),
        number(
            "usd",
            "At most",
            lambda part: Amount(part.usd, "USD", _part_words(part.usd), standing=part.kind, source=part.source),
        ),
        text("how", "How", lambda part: part.words),
        text("source", "Price by", lambda part: part.source if part.as_of is None else f"{part.source}, {part.as_of}"),
    )


def _nodes_table(run: RunAnswer) -> Table:
    rows = []
    for result in run.results:
        for node in result.per_node:
            for metric in node.metrics:
                cells = (f"node {node.node}", result.name, metric.what, _measured(metric))
                rows.append(Row(f"{node.node}.{result.phase}.{metric.name}", cells))
            if node.failure is not None:
                failed = (f"node {node.node}", result.name, node.failure, None)
                rows.append(Row(f"{node.node}.{result.phase}", failed))
    columns = (
        Column("node", "Node"),
        Column("phase", "Phase"),
        Column("metric", "Figure"),
        Column("value", "Value", numeric=True),
    )
    return Table("nodes", "What each node reported.", columns, tuple(rows))


def _resources_table(run: RunAnswer) -> Table:
    by_kind: dict[str, list[ResourceAnswer]] = {}
    for each in run.resources:
        by_kind.setdefault(each.kind, []).append(each)

    def hourly(found: list[ResourceAnswer]) -> Amount | None:
        usd = sum(each.usd_per_hour for each in found)
        return Amount(usd, "USD/h", f"{wording.usd(usd)}/h", standing="published") if usd > 0.0 else None

    def at_the_end(found: list[ResourceAnswer]) -> str:
        left = sum(each.gone_at is None for each in found)
        return "all gone" if left == 0 else f"{left:,} not seen to be gone"

    return Records(by_kind.items()).table(
        "resources",
        "What the run made, and what became of it.",
        text("kind", "What", lambda found: _RESOURCES.get(found[0].kind, found[0].kind)),
        number("count", "Count", lambda found: amounts.count(len(found))),
        number("usd_per_hour", "Together", hourly),
        text("gone", "At the end", at_the_end),
    )


def _conditions(run: RunAnswer) -> Table:
    document: dict[str, Any] = run.model_dump(mode="json", include={"spec"}, exclude_none=True)["spec"]
    # Settings of benchmarks that did not run do not apply to this run.
    used = {"diskbench": {"disk"}, "netbench": {"net"}, "screening": {"disk", "net"}, "redis": {"redis"}}
    settings = used.get(run.spec.benchmark, {"dfsio"})
    shown = {
        key: value for key, value in document.items() if key not in {"disk", "net", "redis", "dfsio"} or key in settings
    }
    rows = [Row(path, (path.replace("_", " "), value)) for path, value in leaves(shown)]
    zone = next((node.zone for node in run.nodes if node.zone is not None), None)
    if zone is not None and run.spec.zone is None:
        rows.append(Row("zone_found", ("zone that had room", zone)))
    columns = (Column("setting", "Setting"), Column("value", "Value"))
    return Table("conditions", "What was asked for, and where it ran.", columns, tuple(rows))


def _versions(run: RunAnswer) -> Iterator[Fact]:
    if run.launched_at is not None:
        yield Fact("launched", "Launched", f"{wording.moment(run.launched_at)} UTC")
    if run.finished_at is not None:
        yield Fact("finished", "Finished", f"{wording.moment(run.finished_at)} UTC")
    yield Fact("kept", "Its results", "kept as measurements" if run.accepted else "not kept as measurements")


def _measured(metric: HeadlineAnswer) -> Amount:
    return Amount(metric.value, metric.unit, _words(metric), standing="measured")


def _words(metric: HeadlineAnswer) -> str:
    return amounts.with_unit(metric.value, metric.unit)


def _part_words(value: float) -> str:
    """Format one part of a quoted cost.

    Amounts of a dollar or more are shown to the cent, like the total. Smaller amounts have three significant digits.
    """
    return _cents(value) if value >= 1.0 else wording.usd(value)


def _cents(value: float) -> str:
    """Format an amount of money to the cent.

    Amounts below half a cent have three significant digits.
    """
    return wording.usd(value) if 0.0 < value < 0.005 else f"${value:,.2f}"
