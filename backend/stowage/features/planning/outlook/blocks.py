"""Cost over time of a configuration as sentences, charts and tables, for reports and for the page."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from stowage.features.planning.outlook import words
from stowage.model.money.outlook import TERMS_MONTHS, Month, Spending
from stowage.model.money.price import Purchase
from stowage.model.prediction import Range
from stowage.model.report import (
    Amount,
    Axis,
    Block,
    Chart,
    Column,
    Fact,
    Facts,
    Limit,
    Paragraph,
    Point,
    Row,
    Series,
    Table,
)
from stowage.workloads import amounts, wording
from stowage.workloads.report_tables import Field, Records, number, text

MONTHS_TABLE = "outlook-months"
"""Key of the table of months, which a report typesets separately."""

_FAR = 20.0
"""Ratio of two lines above which an axis is logarithmic: on a linear axis the lower one would look flat."""
_YEAR = 12


def blocks(found: words.ComputedOutlook) -> tuple[Block, ...]:
    """Build the blocks on cost over time: sentences, key figures, charts, tables, and assumptions."""
    return (
        Paragraph(words.sentence(found)),
        *(Paragraph(text, "doubt") for text in words.doubts(found)),
        _facts(found),
        _break_evens(found),
        _sums(found),
        _monthly(found),
        _ways(found),
        *_years(found),
        _by_month(found),
        Paragraph("\n".join(words.assumptions(found))),
    )


def _facts(found: words.ComputedOutlook) -> Facts:
    ahead = found.outlook
    any_of = ahead.spendings[0]
    first, last = any_of.months[0], any_of.months[-1]
    totals = [
        Fact(
            f"total_{spending.purchase.replace('-', '_')}",
            f"{_span(1, len(spending.months))} {words.NAMES[spending.purchase]}",
            _total(spending.months),
            "less",
        )
        for spending in ahead.spendings
    ]
    return Facts(
        (
            *totals,
            Fact("growth", "Growth of the data", _percent(100.0 * ahead.growth)),
            Fact("data", f"Data of a run in month {last.number}", amounts.data(last.data_mb)),
            Fact("nodes", f"Nodes in month {last.number}", amounts.count(float(last.nodes), "nodes")),
            Fact("used", "Hours used in the first month", amounts.share(first.used)),
        )
    )


def _break_evens(found: words.ComputedOutlook) -> Block:
    ahead = found.outlook
    facts = []
    for even in ahead.break_evens:
        key = f"break_even_{even.commitment}_{even.against}".replace("-", "_")
        label = f"{words.NAMES[even.commitment].capitalize()} has paid against {words.paid(even.against)}"
        value: Amount | str = f"not within {words.months_words(words.seen_months(ahead, even))}"
        if even.month is not None:
            value = Amount(float(even.month), "months", f"after {words.months_words(even.month)}", standing="predicted")
        facts.append(Fact(key, label, value, "less"))
    on_demand = ahead.under("on-demand")
    for kind in TERMS_MONTHS:
        spending = ahead.under(kind)
        if spending is not None and on_demand is not None and found.workload.objective != "month":
            share = spending.usd_per_hour / on_demand.usd_per_hour
            label = f"{words.NAMES[kind].capitalize()} pays against on demand from this share of hours used on"
            facts.append(Fact(f"share_{kind.replace('-', '_')}", label, amounts.share(share, None), "less"))
    if not facts:
        return Paragraph("No commitment has a price here: there is no break-even to tell.")
    return Facts(tuple(facts))


def _sums(found: words.ComputedOutlook) -> Chart:
    ahead = found.outlook
    series = tuple(
        Series(
            words.NAMES[spending.purchase],
            tuple(
                Point(float(month.number), sum_usd, *bounds)
                for month, sum_usd, bounds in zip(
                    spending.months, spending.sums_usd, _running(spending.months), strict=True
                )
            ),
            "line",
        )
        for spending in ahead.spendings
    )
    limits = tuple(
        Limit("x", float(even.month), f"{even.commitment} against {words.NAMES[even.against]}: month {even.month}")
        for even in ahead.break_evens
        if even.month is not None
    )
    return Chart(
        "outlook-cumulative",
        "Paid until the end of each month",
        f"What is paid in all, by way to pay{_of_whom(found)}. {_cheapest(found)}",
        "lines",
        Axis("Month", "months"),
        Axis("Paid in all", "USD", _scale(series)),
        series,
        limits,
    )


def _monthly(found: words.ComputedOutlook) -> Chart:
    series = tuple(
        Series(
            words.NAMES[spending.purchase],
            tuple(
                Point(float(month.number), month.month_usd.p50, *_ends(month.month_usd)) for month in spending.months
            ),
            "line",
        )
        for spending in found.outlook.spendings
    )
    ranged = any(point.low is not None for each in series for point in each.points)
    return Chart(
        "outlook-monthly",
        "Cost of each month",
        f"What each month costs, by way to pay{_of_whom(found)}{', with its range' if ranged else ''}. "
        f"{words.growing(found, found.outlook.spendings[0])}",
        "lines",
        Axis("Month", "months"),
        Axis("Cost of a month", "USD", _scale(series)),
        series,
    )


def _ways(found: words.ComputedOutlook) -> Table:
    """Build the table that compares the purchase options: price, first and last month, and total cost."""
    whole = [spending for spending in found.outlook.spendings if spending.end is None]
    best = min(whole, key=lambda spending: spending.sums_usd[-1], default=None)
    named: dict[str, tuple[str, Spending]] = {
        each.purchase: (words.name_of(found, each.purchase), each) for each in found.outlook.spendings
    }
    if found.shared is not found.outlook and found.workload.objective != "month":
        for each in found.shared.spendings:
            named[f"{each.purchase}-shared"] = (f"{words.NAMES[each.purchase]}, others use the rest", each)
    caption = "Ways to pay." if best is None else "Ways to pay. The cheapest over all months is marked."
    return Records(named.items(), chosen=lambda row: row[1] is best).table(
        "outlook-ways",
        caption,
        text("purchase", "Way to pay", lambda row: row[0]),
        number(
            "usd_per_hour",
            "Node",
            lambda row: Amount(row[1].usd_per_hour, "USD/h", f"{wording.usd(row[1].usd_per_hour)}/h"),
        ),
        number("first_usd", "First month", lambda row: amounts.money_range(row[1].months[0].month_usd)),
        number("last_usd", "Last month", lambda row: amounts.money_range(row[1].months[-1].month_usd)),
        number("months", "Months", lambda row: amounts.count(float(row[1].months[-1].number), "months")),
        number("total_usd", "In all", lambda row: _total(row[1].months)),
        number("owed_usd", "Owed beyond", lambda row: amounts.money(row[1].months[-1].owed_usd)),
    )


def _years(found: words.ComputedOutlook) -> Iterator[Table]:
    """Yield the table of costs by year and in total, or nothing if all of its cells would be empty."""
    ahead = found.outlook
    rows = []
    for year, start in enumerate(range(1, ahead.months + 1, _YEAR), start=1):
        end = min(start + _YEAR - 1, ahead.months)
        rows.append(_period(found, f"year-{year}", f"Year {year}", start, end))
    rows.append(_period(found, "all", "All", 1, ahead.months))
    if all(cell is None for row in rows for cell in row.cells[1:]):
        return
    columns = (
        Column("year", "Year"),
        Column("data_mb", "Data at its end", numeric=True),
        Column("nodes", "Nodes at its end", numeric=True),
        *(
            Column(_column(each.purchase), words.name_of(found, each.purchase), numeric=True)
            for each in ahead.spendings
        ),
    )
    yield Table("outlook-years", "Cost by year and way to pay; an empty cell cannot be done.", columns, tuple(rows))


def _period(found: words.ComputedOutlook, key: str, name: str, start: int, end: int) -> Row:
    cells: list[Amount | str | None] = [f"{name} ({_span(start, end).lower()})"]
    lasting = max(found.outlook.spendings, key=lambda spending: len(spending.months)).months
    until = lasting[end - 1] if len(lasting) >= end else None
    cells.append(None if until is None else amounts.data(until.data_mb))
    cells.append(None if until is None else amounts.count(float(until.nodes), "nodes"))
    for spending in found.outlook.spendings:
        of_period = [month for month in spending.months if start <= month.number <= end]
        # A partial sum next to a full one would look cheap.
        cells.append(_total(of_period) if len(of_period) == end - start + 1 else None)
    return Row(key, tuple(cells))


def _by_month(found: words.ComputedOutlook) -> Table:
    ahead = found.outlook
    lasting = max(ahead.spendings, key=lambda spending: len(spending.months)).months
    apart = [each for each in ahead.spendings if [m.nodes for m in each.months] != [m.nodes for m in lasting]]
    return Records((str(month.number), month) for month in lasting).table(
        MONTHS_TABLE,
        "Each month: data, nodes, time and cost by way to pay.",
        text("month", "Month", lambda month: str(month.number)),
        number("data_mb", "Data of a run", lambda month: amounts.data(month.data_mb)),
        number("nodes", "Nodes", lambda month: amounts.count(float(month.nodes), "nodes")),
        *(
            _of_spending(
                each,
                f"nodes_{each.purchase.replace('-', '_')}",
                f"Nodes, {words.NAMES[each.purchase]}",
                lambda month: amounts.count(float(month.nodes), "nodes"),
            )
            for each in apart
        ),
        number("time_s", "Time of a run", lambda month: amounts.time_range(month.time_s)),
        *(
            _of_spending(
                each,
                _column(each.purchase),
                words.name_of(found, each.purchase),
                lambda month: amounts.money_range(month.month_usd),
            )
            for each in ahead.spendings
        ),
    )


def _of_spending(spending: Spending, key: str, head: str, cell: Callable[[Month], Amount]) -> Field[Month]:
    """Declare a column with an amount of each month of a spending, which may end before others."""
    months = {month.number: month for month in spending.months}
    return number(key, head, lambda month: cell(months[month.number]) if month.number in months else None)


def _of_whom(found: words.ComputedOutlook) -> str:
    if found.workload.objective == "month" or not any(
        each.purchase in TERMS_MONTHS for each in found.outlook.spendings
    ):
        return ""
    return " (commitments for this job alone)" if found.outlook.commitment == "alone" else " (commitments shared)"


def _cheapest(found: words.ComputedOutlook) -> str:
    evens = [even for even in found.outlook.break_evens if even.month is not None]
    if not found.outlook.break_evens:
        return "No commitment has a price here."
    return "Lines across mark where commitments have paid." if evens else "No commitment pays within these months."


def _column(purchase: Purchase) -> str:
    return f"{purchase.replace('-', '_')}_usd"


def _span(start: int, end: int) -> str:
    return f"Month {start}" if start == end else f"Months {start}–{end}"


def _percent(value: float) -> Amount:
    return Amount(value, "%", f"{'−' if value < 0.0 else ''}{wording.three_digits(abs(value))}%", standing="given")


def _total(months: Sequence[Month]) -> Amount:
    added = (sum(getattr(month.month_usd, end) for month in months) for end in ("p10", "p50", "p90"))
    return amounts.money_range(Range(*added))


def _ends(found: Range) -> tuple[float | None, float | None]:
    return (None, None) if found.p10 == found.p90 else (found.p10, found.p90)


def _running(months: Sequence[Month]) -> Iterator[tuple[float | None, float | None]]:
    low = high = 0.0
    for month in months:
        low, high = low + month.month_usd.p10, high + month.month_usd.p90
        yield (None, None) if low == high else (low, high)


def _scale(series: Sequence[Series]) -> Literal["linear", "log"]:
    """Return whether the axis of a chart is linear or logarithmic.

    It is logarithmic if the last values of the lines are far apart, as small lines would be unreadable otherwise.
    """
    ends = [one.points[-1].y for one in series]
    return "log" if min(ends) > 0.0 and max(ends) > _FAR * min(ends) else "linear"
