"""A report with every kind of block, made by hand, and the same report with hostile texts."""

import dataclasses
import math
from datetime import UTC, date, datetime, timedelta
from typing import Any

from stowage.model.report import (
    Amount,
    Axis,
    Calculation,
    Chart,
    Column,
    Fact,
    Facts,
    Limit,
    Origin,
    Paragraph,
    Point,
    Report,
    Row,
    Section,
    Series,
    Standing,
    Step,
    Table,
)

PAPER = "SoCC 2015, Table 2"
MEASURED = date(2014, 11, 3)
PRICED = date(2014, 10, 1)

NODES, SECONDS, USD_PER_HOUR, REQUESTS, USD_PER_REQUEST, RUNS = 178.0, 1010.0, 6.82, 3_200_000.0, 4e-7, 30.0
RUN_USD = NODES * max(SECONDS, 60) / 3600 * USD_PER_HOUR + REQUESTS * USD_PER_REQUEST

HOSTILE = {
    "markup": "<script>alert('x')</script><img src=x onerror=alert(1)>&amp;<!--",
    "typst": '#panic("x") $x$ *bold* _it_ `raw` @ref <label> \\u{41} // /* = heading #import "/etc/passwd"',
    "formula": '=HYPERLINK("http://example.com","x")',
    "plus": "+1+1",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "tab": "\t=1+1",
    "return": "\r=1+1",
    "csv": 'a,"b"\n"c;d"\r\ne',
    "right to left": "invoice\u202egnp.exe\u202c \u2066\u05d0\u05d1\u05d2\u2069 \u200f\u061c.",
    "arabic": "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 100 TB",
    "zero width": "pay\u200bload\u200c\u200d\ufeff \u00ad\u2060 end",
    "controls": "nul\x00 bell\x07 escape\x1b[31m delete\x7f next\x85 fffe\ufffe ffff\uffff",
    "separators": "line\u2028paragraph\u2029form\x0cvertical\x0bend",
    "combining": "Z" + "\u0301\u0323\u0334" * 60 + "algo",
    "emoji": "\U0001f469\u200d\U0001f4bb \U0001f1e9\U0001f1ea \u65e5\u672c\u8a9e \ufdfd \U0010ffff \U000e0041",
    "template": "{{ 7*7 }} ${7*7} <%= 7*7 %> {% raw %} %s %(x)s {0}",
    "one long word": "x" * 10_000,
    "many words": "lorem ipsum " * 833,
    "spaces": "   \u00a0 \u3000 ",
    "empty": "",
}
"""Hostile text as a user may write it; every format must show it as harmless text."""


def amount(value: float, unit: str, words: str, **more: Any) -> Amount:
    """Return a number with its text; ``range=(low, high, words)`` if it has a range."""
    low, high, range_words = more.pop("range", (None, None, None))
    return Amount(value, unit, words, low=low, high=high, range_words=range_words, **more)


def predicted(value: float, unit: str, words: str, low: float, high: float, range_words: str) -> Amount:
    """Return a number that the model computed."""
    return Amount(value, unit, words, low, high, range_words, "predicted")


def full_report() -> Report:
    """Return a report with every kind of block, in which every field is used at least once."""
    return Report(
        title="Sorting 100 TB every night",
        sentence="178 × i2.8xlarge on its own disks sorts 100 TB in 16 min 50 s (14–19 min) for $341 ($303–$384). "
        "Bottleneck: network (shuffle). Meets 30 min: 99%.",
        words="The nightly sort has to be done before the European markets open.\n\n"
        "We looked at three ways to keep the data. I recommend the first: what is lost can be made again from the "
        "input, which stays in S3.\nThe second costs a third more, and buys nothing that this job needs.",
        author="Ada Planner",
        team="Data Platform",
        made_at=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
        origin=Origin("plan", ("0b7d5a3e-2c51-4a68-9a5e-6a3b8f4f8d11",), ("100 TB sort",)),
        sections=(
            summary(),
            options(),
            cost(),
            frontier(),
            phases(),
            risk(),
            today(),
            outlook(),
            sweep(),
            assumptions(),
            provenance(),
        ),
        versions=(
            Fact("model", "Model", "0.10.0"),
            Fact("catalog", "Catalog", "paper-2014 of 1 Oct 2014"),
            Fact("profiles_count", "Measurements behind them", amount(412, "1", "412")),
        ),
    )


def summary() -> Section:
    """Return the first section."""
    headline = Facts(
        (
            Fact("configuration", "What", "178 × i2.8xlarge"),
            Fact("time", "Time", predicted(SECONDS, "s", "16 min 50 s", 862, 1_152, "14–19 min"), "less"),
            Fact("cost", "Cost of a run", predicted(RUN_USD, "USD", "$342", 303.4, 384.2, "$303–$384"), "less"),
            Fact(
                "month", "Cost of a month", amount(RUN_USD * RUNS, "USD/month", "$10,300", standing="predicted"), "less"
            ),
            Fact("in_time", "Done in 30 min", amount(0.9912, "1", "99%", standing="predicted"), "more"),
            Fact("loss", "Chance of loss in a year", amount(2.1e-4, "1", "0.021%", standing="estimated"), "less"),
        ),
        headline=True,
    )
    return Section(
        "summary",
        "Summary",
        (
            headline,
            Paragraph(
                "The shuffle moves 99.4 TB between the nodes and fills their network for 11 min 20 s of 16 min 50 s; "
                "the disks wait for it. Faster disks would not help, and more nodes would: each adds network."
            ),
            Paragraph(
                "The network's figure at 178 nodes is read from one published point; between 50 and 178 nodes it is "
                "estimated.",
                tone="doubt",
            ),
        ),
    )


def options() -> Section:
    """Return options side by side."""
    heads = (("option", "Option", False), ("time_s", "Time", True), ("cost_usd", "Cost of a run", True))
    more = (("loss", "Loss in a year", True), ("storage", "Storage", False), ("limit", "Limited by", False))
    rows = (
        ("local", "178 × i2.8xlarge", SECONDS, "16 min 50 s", "14–19 min", RUN_USD, "$342", 2.1e-4, "0.021%"),
        (
            "copies",
            "178 × i2.8xlarge, two copies",
            1_390.0,
            "23 min 10 s",
            "20–27 min",
            469.0,
            "$469",
            3e-8,
            "3 × 10⁻⁸",
        ),
        ("ebs", "200 × r3.8xlarge, EBS", 1_755.0, "29 min 15 s", "25–35 min", 288.0, "$288", 1.1e-3, "0.11%"),
    )
    storage = ("own disks, 4 + 4", "own disks, 4 + 4", "8 gp2 volumes of 135 GiB")
    limits = ("network", "network", None)
    return Section(
        "options",
        "Options side by side",
        (
            Table(
                "options",
                "The first is the cheapest that is done in 30 min with 90%.",
                tuple(Column(key, head, numeric) for key, head, numeric in (*heads, *more)),
                tuple(
                    Row(
                        key,
                        (
                            name,
                            predicted(time_s, "s", time, time_s * 0.86, time_s * 1.15, span),
                            predicted(
                                usd, "USD", usd_words, usd * 0.89, usd * 1.12, f"${usd * 0.89:.0f}–${usd * 1.12:.0f}"
                            ),
                            amount(loss, "1", loss_words, standing="estimated"),
                            disks,
                            limit,
                        ),
                        chosen=key == "local",
                    )
                    for (key, name, time_s, time, span, usd, usd_words, loss, loss_words), disks, limit in zip(
                        rows, storage, limits, strict=True
                    )
                ),
                sideways=True,
            ),
        ),
    )


OPTIONS = ("178 × i2.8xlarge", "178 × i2.8xlarge, two copies", "200 × r3.8xlarge, EBS")


def cost() -> Section:
    """Return the cost: its parts, and the calculation of the sum."""
    by_part = {"instances": (340.5, 467.4, 241.0), "EBS volumes": (0.0, 0.0, 45.4), "S3 requests": (1.28, 1.28, 1.28)}
    chart = Chart(
        "cost-by-part",
        "Cost of a run by part",
        "Instances are nearly all of it; only the third option pays for volumes.",
        "stacked",
        Axis("Cost of a run", "USD"),
        Axis("", "", "categories", OPTIONS),
        tuple(
            Series(part, tuple(Point(usd, float(place), ringed=place == 0) for place, usd in enumerate(sums)), "bars")
            for part, sums in by_part.items()
        ),
    )
    given: dict[str, Any] = {"standing": "given", "source": "the workload"}
    priced: dict[str, Any] = {
        "standing": "published",
        "source": "AWS price list of previous-generation types, on demand, us-east-1",
        "as_of": PRICED,
    }
    instances_usd = NODES * max(SECONDS, 60) / 3600 * USD_PER_HOUR
    requests_usd = REQUESTS * USD_PER_REQUEST
    steps = (
        Step("nodes", "Nodes", amount(NODES, "nodes", "178", **given)),
        Step("time_s", "Time of a run", predicted(SECONDS, "s", "16 min 50 s", 862, 1_152, "14–19 min")),
        Step("billed_s", "Billed, 60 s at least", amount(SECONDS, "s", "16 min 50 s"), "max(time_s, 60)"),
        Step("usd_per_hour", "Price of a node", amount(USD_PER_HOUR, "USD/h", "$6.82 an hour", **priced)),
        Step(
            "instances_usd",
            "Instances",
            amount(instances_usd, "USD", "$341"),
            "nodes * billed_s / 3600 * usd_per_hour",
        ),
        Step("requests", "Requests to S3", amount(REQUESTS, "1", "3,200,000", standing="estimated")),
        Step("usd_per_request", "Price of a request", amount(USD_PER_REQUEST, "USD", "$0.0000004", **priced)),
        Step("requests_usd", "Requests", amount(requests_usd, "USD", "$1.28"), "requests * usd_per_request"),
        Step("run_usd", "A run", amount(RUN_USD, "USD", "$342"), "instances_usd + requests_usd"),
        Step("runs", "Runs a month", amount(RUNS, "1", "30", **given)),
        Step("month_usd", "A month", amount(RUN_USD * RUNS, "USD/month", "$10,300"), "run_usd * runs"),
        Step(
            "batches",
            "Batches of 50 nodes, on a day without the cheapest eighth",
            amount(float(math.ceil((NODES - 1) / 50) - min(1.0, -2.0 / 4)), "1", "4.5"),
            "ceil((nodes - 1) / 50) - min(1, -2 / 4)",
        ),
    )
    return Section(
        "cost", "Cost by part", (chart, Calculation("cost", "How the cost of the first option comes about.", steps))
    )


def frontier() -> Section:
    """Return cost over time, on logarithmic axes, with a deadline and a budget."""
    curve = [(100.0 + 60.0 * step, 18_000.0 / (5.0 + step) + 55.0) for step in range(36)]
    cloud = [
        (t * (1.1 + 0.3 * math.sin(3 * i)), c * (1.25 + 0.2 * math.cos(5 * i))) for i, (t, c) in enumerate(curve * 4)
    ]
    local = [Point(t, c, c * 0.9, c * 1.12) for t, c in curve[::4]]
    ebs = [Point(t * 1.3, c * 0.92, c * 0.8, c * 1.05) for t, c in curve[12::4]]
    chosen = Point(SECONDS, RUN_USD, 303.4, 384.2, "178 × i2.8xlarge", ringed=True)
    return Section(
        "frontier",
        "Cost and time",
        (
            Chart(
                "frontier",
                "What each time costs",
                "Every candidate, the cheapest for each time, and the options; below 5 min the cost rises steeply.",
                "scatter",
                Axis("Time of one run", "s", "log"),
                Axis("Cost of one run", "USD", "log"),
                (
                    Series("candidates", tuple(Point(t, c) for t, c in cloud), faint=True),
                    Series("cheapest for its time", tuple(Point(t, c) for t, c in curve), "step"),
                    Series("network", (*local, chosen), resource="network"),
                    Series("EBS volumes", tuple(ebs), resource="EBS volumes"),
                ),
                (Limit("x", 1_800.0, "deadline 30 min"), Limit("y", 500.0, "budget $500")),
            ),
        ),
    )


def phases() -> Section:
    """Return time by phase, coloured by bottleneck."""
    seconds = {
        ("map and shuffle", "network"): (680.0, 900.0, 0.0),
        ("sort and reduce", "local disk"): (330.0, 490.0, 0.0),
        ("map and shuffle", "EBS volumes"): (0.0, 0.0, 1_020.0),
        ("sort and reduce", "EBS link"): (0.0, 0.0, 735.0),
    }
    return Section(
        "time",
        "Time by phase",
        (
            Chart(
                "time-by-phase",
                "Time by phase, coloured by what limits it",
                "On their own disks the options are limited by the network in the shuffle and by the disks after it.",
                "stacked",
                Axis("Time of one run", "s"),
                Axis("", "", "categories", OPTIONS),
                tuple(
                    Series(name, tuple(Point(s, float(i)) for i, s in enumerate(times) if s), "bars", resource)
                    for (name, resource), times in seconds.items()
                ),
            ),
            Table(
                "phases",
                "What each phase of the first option moves, and what ends it.",
                (
                    Column("phase", "Phase"),
                    Column("moved_gb", "Moved by a node", numeric=True),
                    Column("time_s", "Time", numeric=True),
                    Column("limit", "Limited by"),
                ),
                (
                    Row(
                        "map and shuffle",
                        ("map and shuffle", amount(562, "GB", "562 GB"), amount(680, "s", "11 min 20 s"), "network in"),
                    ),
                    Row(
                        "sort and reduce",
                        ("sort and reduce", amount(562, "GB", "562 GB"), amount(330, "s", "5 min 30 s"), "local disks"),
                    ),
                ),
            ),
        ),
    )


def risk() -> Section:
    """Return probabilities as bars with whiskers."""
    return Section(
        "risk",
        "Risk",
        (
            Facts(
                (
                    Fact(
                        "late",
                        "Chance to miss the deadline",
                        amount(0.0088, "1", "0.88%", standing="predicted"),
                        "less",
                    ),
                    Fact(
                        "spread", "Where the range comes from", "measured spread 61%, age of profiles 30%, the rest 9%"
                    ),
                    Fact("copies", "Copies", amount(1, "1", "one copy")),
                )
            ),
            Chart(
                "late",
                "Chance to miss the deadline",
                "The third option misses it in nearly every second run.",
                "bars",
                Axis("Chance", "1"),
                Axis("", "", "categories", OPTIONS),
                (
                    Series(
                        "late",
                        (
                            Point(0.0088, 0.0, 0.004, 0.02, "0.88%", ringed=True),
                            Point(0.06, 1.0, 0.03, 0.1, "6%"),
                            Point(0.46, 2.0, 0.39, 0.55, "46%"),
                        ),
                        "bars",
                    ),
                ),
                (Limit("x", 0.1, "10%, as asked"),),
            ),
        ),
    )


def today() -> Section:
    """Return the current cluster next to the recommended one."""
    heads = (
        ("figure", "", False),
        ("today", "Today", True),
        ("recommended", "Recommended", True),
        ("less", "Saving", True),
    )
    return Section(
        "today",
        "Against what we run today",
        (
            Paragraph("A year costs $124,000 instead of $201,000: $77,000 less, or 38%."),
            Table(
                "today",
                "The recommended one is quicker and cheaper than today's 240 × m3.2xlarge.",
                tuple(Column(key, head, numeric) for key, head, numeric in heads),
                (
                    Row(
                        "time",
                        (
                            "Time of a run",
                            predicted(2_400, "s", "40 min", 2_000, 2_800, "33–47 min"),
                            predicted(SECONDS, "s", "16 min 50 s", 862, 1_152, "14–19 min"),
                            amount(-57.9, "%", "\N{MINUS SIGN}57.9%"),
                        ),
                    ),
                    Row(
                        "year",
                        (
                            "Cost of a year",
                            amount(201_000, "USD/year", "$201,000", standing="predicted"),
                            amount(RUN_USD * RUNS * 12, "USD/year", "$123,000", standing="predicted"),
                            amount(-38.7, "%", "\N{MINUS SIGN}38.7%"),
                        ),
                    ),
                ),
            ),
        ),
    )


def outlook() -> Section:
    """Return cost over the months, with a band and a break-even."""
    months = range(1, 37)
    monthly = {"on demand": 10_260.0, "1 year, nothing upfront": 7_900.0, "spot": 5_200.0}
    band = Series(
        "on demand, p10 to p90",
        tuple(Point(float(m), 10_260 * 1.02**m, 9_100 * 1.02**m, 11_500 * 1.02**m) for m in months),
        "band",
        faint=True,
    )
    lines = tuple(
        Series(name, tuple(Point(float(m), usd * 1.02**m) for m in months), "line") for name, usd in monthly.items()
    )
    years = [(year, sum(10_260 * 1.02**m for m in range(12 * year - 11, 12 * year + 1))) for year in (1, 2, 3)]
    return Section(
        "outlook",
        "Cost over three years",
        (
            Chart(
                "outlook",
                "Cost of a month, with data growing by 2% a month",
                "A commitment of a year pays from the seventh month.",
                "lines",
                Axis("Months from now", "months"),
                Axis("Cost of a month", "USD"),
                (band, *lines),
                (Limit("x", 7.0, "commitment pays"),),
            ),
            Table(
                "outlook",
                "Sums of the years.",
                (Column("year", "Year"), Column("on_demand_usd", "On demand", numeric=True)),
                tuple(
                    Row(f"year {year}", (f"Year {year}", amount(usd, "USD", f"${usd:,.0f}", standing="predicted")))
                    for year, usd in years
                ),
            ),
        ),
    )


def sweep() -> Section:
    """Return a grid as in a sweep's report, with a cell that has no answer."""
    sizes, nodes = ("10 TB", "30 TB", "100 TB"), ("50", "100", "150", "200")
    cells = [(x, y) for x in range(len(sizes)) for y in range(len(nodes)) if (x, y) != (2, 0)]
    return Section(
        "cells",
        "Data and nodes",
        (
            Chart(
                "cells",
                "Cost of a run by data and nodes",
                "The smallest cluster cannot hold 100 TB.",
                "grid",
                Axis("Data", "", "categories", sizes),
                Axis("Nodes", "", "categories", nodes),
                (
                    Series(
                        "cost",
                        tuple(
                            Point(
                                float(x),
                                float(y),
                                label=f"${(x + 1) * 40 + y * 9}",
                                value=(x + 1) * 40.0 + y * 9,
                                ringed=(x, y) == (1, 1),
                            )
                            for x, y in cells
                        ),
                        resource="network",
                    ),
                ),
            ),
        ),
        detail=True,
    )


def assumptions() -> Section:
    """Return the assumptions."""
    return Section(
        "assumptions",
        "Assumptions",
        (
            Facts(
                (
                    Fact("credits", "Burst credits at the start", "full"),
                    Fact("shuffle", "Shuffle", "(n \N{MINUS SIGN} 1)/n of the bytes leave their node"),
                )
            ),
            Paragraph("Volumes start with full credit. A run that starts sooner after another takes longer."),
        ),
        detail=True,
    )


def provenance() -> Section:
    """Return a long table, as the table of all figures is."""
    kinds: tuple[Standing, ...] = ("measured", "published", "estimated", "given")
    rows = []
    for number in range(60):
        standing, target = kinds[number % 4], ("i2.8xlarge", "r3.8xlarge", "gp2")[number % 3]
        value = 15.15 * (number + 1) ** 2
        figure = amount(
            value, "MB/s", f"{value:,.1f} MB/s", standing=standing, source=PAPER, as_of=MEASURED + timedelta(number)
        )
        rows.append(
            Row(
                f"figure {number}",
                (
                    f"{target}.storage_mb_per_s[{number}]",
                    figure,
                    PAPER,
                    standing,
                    (MEASURED + timedelta(number)).isoformat(),
                ),
            )
        )
    return Section(
        "provenance",
        "Where the numbers come from",
        (
            Table(
                "provenance",
                "Every figure that the recommended option rests on.",
                (
                    Column("quantity", "Quantity"),
                    Column("value", "Value", numeric=True),
                    Column("source", "Source"),
                    Column("standing", "Standing"),
                    Column("as_of", "Date"),
                ),
                tuple(rows),
            ),
        ),
        detail=True,
    )


_OURS = frozenset(
    {"key", "kind", "unit", "formula", "resource", "standing", "object_ids", "axis", "drawn", "chart", "scale"}
) | {
    "tone",
    "better",
    "shades",
}


def hostile_report() -> Report:
    """Return the full report with a hostile text in place of each text from a user, a file or AWS."""
    texts = tuple(HOSTILE.values())
    count = 0

    def next_text() -> str:
        nonlocal count
        count += 1
        return texts[(count - 1) % len(texts)]

    def spoiled(part: Any) -> Any:
        if isinstance(part, str):
            return next_text()
        if isinstance(part, tuple):
            return tuple(spoiled(each) for each in part)
        if dataclasses.is_dataclass(part) and not isinstance(part, type):
            fields = [field.name for field in dataclasses.fields(part) if field.name not in _OURS]
            return dataclasses.replace(part, **{name: spoiled(getattr(part, name)) for name in fields})
        return part

    made: Report = spoiled(full_report())
    return made


def texts_of(part: Any) -> list[str]:
    """Return all texts shown in a part of a report, in order."""
    return [part] if isinstance(part, str) else [text for each in _within(part, _OURS) for text in texts_of(each)]


def amounts_of(part: Any) -> list[Amount]:
    """Return all numbers that have texts in a part of a report, in order."""
    return [part] if isinstance(part, Amount) else [found for each in _within(part) for found in amounts_of(each)]


def _within(part: Any, left_out: frozenset[str] = frozenset()) -> tuple[Any, ...]:
    if dataclasses.is_dataclass(part):
        return tuple(getattr(part, field.name) for field in dataclasses.fields(part) if field.name not in left_out)
    return part if isinstance(part, tuple) else ()
