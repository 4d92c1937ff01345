"""Risks of the options in a report: missing the limits, losing data, and uncertain predictions."""

import math
from collections.abc import Iterator, Sequence

from stowage.features.reports.composed.options import Option, categories, loss_facts
from stowage.model.figure import Figure
from stowage.model.report import Amount, Axis, Block, Chart, Fact, Facts, Paragraph, Point, Section, Series
from stowage.workloads import amounts, wording

_SURE = 0.9
_NOTICEABLE = 0.0005
_RATES = ("MB/s", "MiB/s", "IOPS", "1/s")
_RULED_BY = {
    "network": ("network", "single_flow"),
    "disks": ("storage",),
    "EBS link": ("ebs_",),
    "EBS volumes": ("gp", "io", "st", "sc", "standard"),
    "object store": ("object_store",),
    "CPU": ("cpu",),
}
"""Prefixes, after the instance type, of the rates of each bottleneck."""
_ESTIMATED = {
    "network": ("the network throughput of {instance}", "A network benchmark of {instance}"),
    "disks": ("the throughput of the disks of {instance}", "A disk benchmark of {instance}"),
    "EBS link": ("the EBS throughput of {instance}", "A benchmark of EBS volumes on {instance}"),
    "EBS volumes": ("the throughput of the EBS volumes", "A benchmark of the volumes"),
    "object store": ("the throughput of the object store", "The log of a finished run of this job"),
    "CPU": ("how much data a vCPU processes in this job", "The log of a finished run of this job"),
}
"""For each bottleneck: its rate in words, and what replaces an estimate of the rate by a measurement."""


def risk_section(options: Sequence[Option]) -> Section:
    """Build the section on the risks of the options.

    It also shows the sources of uncertainty of the first option's time.
    """
    blocks: list[Block] = [Facts(tuple(_facts(options[0])))]
    chances = _misses(options)
    if chances is not None:
        blocks.append(chances)
    sources = _sources(options[0])
    if sources is not None:
        blocks.append(sources)
    blocks.append(
        Paragraph(
            "Ranges are from p10 to p90: one run in ten takes less than the lower end, one in ten more than the upper. "
            "More measurements make them narrower."
        )
    )
    return Section("risk", "Risks", tuple(blocks), detail=True)


def doubts(option: Option) -> Iterator[Paragraph]:
    """Yield the warnings about an option."""
    row, deadline = option.row, option.deadline
    asked = option.file.limits.chance is not None
    if row.meets_deadline is not None and row.meets_deadline < _SURE and not asked:
        yield _doubt(
            f"The deadline of {deadline} is met with a chance of {wording.chance(row.meets_deadline)}: the plan holds "
            "it at the median. Asked for with a chance of its own, it would take more nodes."
        )
    if row.meets_budget is not None and row.meets_budget < _SURE:
        yield _doubt(f"The budget is kept with a chance of {wording.chance(row.meets_budget)}.")
    if row.on_empty is not None:
        yield _doubt(
            f"It lives on burst credits: started with empty ones it takes {wording.duration(row.on_empty.time_s)} and "
            f"costs {wording.usd(row.on_empty.cost_usd)}."
        )
    if row.purchase == "spot":
        yield _doubt(
            "Spot prices move, and AWS may take nodes back at any time: the cost holds at the average price, with the "
            "rework that interruptions are expected to add."
        )
    estimate = _deciding_estimate(option)
    if estimate is not None:
        yield _doubt(_estimate_words(option, *estimate))


def _facts(option: Option) -> Iterator[Fact]:
    row = option.row
    if row.meets_deadline is not None:
        yield Fact("misses_deadline", f"Takes longer than {option.deadline}", amounts.risk(row.meets_deadline), "less")
    if row.meets_budget is not None:
        dearer = f"Costs more than {option.file.limits.budget}"
        yield Fact("misses_budget", dearer, amounts.risk(row.meets_budget), "less")
    yield from loss_facts(option)
    if row.on_empty is not None:
        yield Fact("time_on_empty", "Time on empty burst credits", amounts.seconds(row.on_empty.time_s), "less")
        yield Fact("cost_on_empty", "Cost on empty burst credits", amounts.money(row.on_empty.cost_usd), "less")
    if row.promise is not None:
        promise = row.promise
        share = f"{wording.three_digits(100.0 * promise.share)}%"
        words = f"at least {share} of it, {wording.three_digits(100.0 * promise.time)}% of the time"
        amount = Amount(promise.share, "1", words, standing="published", source=promise.source)
        yield Fact("promise", "What AWS designs the volumes' performance for", amount, "more")
    if row.latency is not None:
        latency = Amount(
            row.latency.mean_ms, "ms", f"{wording.three_digits(row.latency.mean_ms)} ms", standing="predicted"
        )
        yield Fact("latency", "Mean latency of an I/O", latency, "less")


def _misses(options: Sequence[Option]) -> Chart | None:
    """Build the chart of each option's probability of missing the deadline."""
    missed = [(place, option.row.meets_deadline) for place, option in enumerate(options)]
    points = tuple(
        Point(1.0 - meets, float(place), label=wording.chance(1.0 - meets), ringed=place == 0)
        for place, meets in missed
        if meets is not None
    )
    # If no option can be late, the chart would be empty.
    if len(points) < 2 or not any(point.x > 0.0 for point in points):
        return None
    return Chart(
        key="misses",
        title="Chance to miss the deadline",
        caption="How likely a run is to take longer than what was asked for. In bold: the first option.",
        chart="bars",
        x=Axis("Chance to miss the deadline", "1"),
        y=categories(options),
        series=(Series("chance to miss the deadline", points, "bars"),),
    )


def _sources(option: Option) -> Chart | None:
    """Build the chart of how much each source of uncertainty affects the time.

    The result is None if no source has a noticeable effect.
    """
    found = sorted(option.row.range_sources, key=lambda source: -source.log_deviation)
    found = [source for source in found if source.log_deviation > _NOTICEABLE]
    if not found:
        return None
    points = []
    for place, source in enumerate(found):
        below = source.log_deviation if source.log_deviation_below is None else source.log_deviation_below
        up, down = math.expm1(source.log_deviation), -math.expm1(-below)
        words = f"−{wording.three_digits(100.0 * down)}% to +{wording.three_digits(100.0 * up)}%"
        points.append(Point(up, float(place), label=words))
    return Chart(
        key="range-sources",
        title="What makes the range wide",
        caption=(
            f"By how much one standard deviation of each source makes a run on {option.name} longer. It is moved most "
            f"by {found[0].name}."
        ),
        chart="bars",
        x=Axis("Longer by", "1"),
        y=Axis("", "", "categories", tuple(source.name for source in found)),
        series=(Series("longer by", tuple(points), "bars"),),
    )


def _deciding_estimate(option: Option) -> tuple[str, Figure] | None:
    """Return the bottleneck of the longest phase and its rate, if this rate is only estimated.

    The result is None if the rate comes from a better source.
    """
    limit = option.limited_by
    kind = next((kind for kind in _RULED_BY if limit.endswith(kind)), None)
    if kind is None:
        return None
    for figure in option.row.provenance:
        if figure.kind != "estimated" or not any(rate in figure.unit for rate in _RATES):
            continue
        quantity = figure.quantity.removeprefix(f"{option.row.instance}.")
        if quantity.startswith(_RULED_BY[kind]):
            return kind, figure
    return None


def _estimate_words(option: Option, kind: str, estimate: Figure) -> str:
    """Return which rate is estimated, by whom, and what would settle it, without names of the model's figures."""
    what, settles = (words.format(instance=option.row.instance) for words in _ESTIMATED[kind])
    return (
        f"The figure that limits the time most is an estimate by Stowage, not a measurement: {what}, "
        f"{amounts.figure(estimate).words}. {settles} would settle it. The reasons for the estimate stand under "
        "“What was asked and assumed”."
    )


def _doubt(text: str) -> Paragraph:
    return Paragraph(text, tone="doubt")
