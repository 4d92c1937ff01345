"""Comparison of an option with the current cluster: its savings in a table, a tile and a sentence."""

from collections.abc import Iterator

from stowage.features.reports.composed.clusters import Today
from stowage.features.reports.composed.options import Option, exposure_words, kept_words, month_label, name_of, nodes_of
from stowage.model.prediction import Range
from stowage.model.report import Amount, Block, Column, Fact, Facts, Paragraph, Row, Section, Table
from stowage.workloads import amounts, wording
from stowage.workloads.answers import ConfigurationAnswer, InfeasibleAnswer, PredictionAnswer
from stowage.workloads.saving import CostedCluster

_MONTHS = 12.0


def today_section(today: Today, option: Option) -> Section:
    """Build the section that compares the current cluster with the recommended option."""
    found = today.answer
    heading = "Against what we run today"
    if isinstance(found, InfeasibleAnswer):
        return Section("today", heading, (Paragraph(_impossible(today, found), tone="doubt"),), detail=True)
    costs = costs_of(found, today, option)
    blocks: list[Block] = [
        Paragraph(saving_sentence(found, option, costs, kept_elsewhere=today.kept_elsewhere)),
        Facts((*_savings(costs, option), *given_fact(costs))),
        Table(
            "today",
            f"{name_of(found)} today beside {option.name}, by the same model, prices and measurements"
            f"{', except for the given cost' if costs.given else ''}.",
            (
                Column("what", "What"),
                Column("today", "Today", numeric=True),
                Column("recommended", "Recommended", numeric=True),
                Column("difference", "Difference", numeric=True),
            ),
            tuple(_rows(found, option, costs)),
        ),
    ]
    if today.kept_elsewhere:
        then, now = _kept(found), _kept(option.row)
        words = f"Today data is kept in {then}, with the recommended cluster in {now}: they are not equally safe."
        blocks.append(Paragraph(words, tone="doubt"))
    compared = (
        "The cost of today's cluster is given, that of the recommended one predicted: an error of the model is one of "
        "the saving. "
        if costs.given
        else "Both are predictions, not bills: where the model errs it errs on both, and the difference less. "
    )
    blocks.append(Paragraph(f"{compared}Differences and savings are those of the medians."))
    return Section("today", heading, tuple(blocks), detail=True)


def costs_of(found: ConfigurationAnswer, today: Today, option: Option) -> CostedCluster:
    """Return the current cluster with its cost, on the terms of an option: predicted, or given by the user."""
    return CostedCluster.of(found, option.file.objective, option.runs_per_month, today.cluster.given_usd)


def given_fact(costs: CostedCluster) -> Iterator[Fact]:
    """Yield the monthly cost of the current cluster as a fact, if the user gave it."""
    if costs.given:
        yield Fact(
            "given_month", "Cost of today's cluster", amounts.given_money(costs.month_usd, "USD/month", " a month")
        )


def saving_sentence(
    today: ConfigurationAnswer, option: Option, costs: CostedCluster, *, kept_elsewhere: bool = False
) -> str:
    """Return a sentence on the saving or additional cost of an option compared with the current cluster.

    Parameters
    ----------
    costs : CostedCluster
        Current cluster with its cost.
    kept_elsewhere : bool
        True if the current cluster has another durability; if so, the sentence begins with this difference.
    """
    before, now = costs.month_usd, option.month.value
    elsewhere = f" and keeps data in {_kept(today)} instead of {_kept(option.row)}" if kept_elsewhere else ""
    given = f" for {wording.usd(before)} a month, as given" if costs.given else ""
    against = f"Against {name_of(today)}, which runs today{given}{elsewhere},"
    change = amounts.percent(now, before)
    if change is None or change.words == "same":
        return f"{against} the cost is the same."
    # With one run a month, both are the same.
    alone = option.stays or option.runs_per_month == 1.0
    a_run = [] if alone else [f"{wording.usd(abs(costs.run_usd - option.row.cost_usd.p50))} a run"]
    apart = abs(before - now)
    sums = ", ".join([*a_run, f"{wording.usd(apart)} a month"]) + f" and {wording.usd(_MONTHS * apart)} a year"
    return f"{against} it {f'saves {sums}' if now < before else f'costs {sums} more'} ({change.words})."


def _kept(row: ConfigurationAnswer) -> str:
    return kept_words(row) or row.storage_words


def _impossible(today: Today, found: InfeasibleAnswer) -> str:
    said = f"{today.name}, which was named as what runs today, cannot do this job: {found.reason}."
    return said if found.nearest is None else f"{said} It would take {found.nearest}."


def _savings(costs: CostedCluster, option: Option) -> Iterator[Fact]:
    run, month = (costs.run_usd, option.row.cost_usd.p50), (costs.month_usd, option.month.value)
    if not option.stays:
        yield Fact("saving_run", "Saving of a run", saved(*run, "USD"), "more")
    yield Fact("saving_month", "Saving of a month", saved(*month, "USD/month"), "more")
    yield Fact("saving_year", "Saving of a year", saved(_MONTHS * month[0], _MONTHS * month[1], "USD/year"), "more")


def saved(before: float, now: float, unit: str) -> Amount:
    """Return the saving as an amount of money.

    If the costs are practically equal, its text says that there is no saving.
    """
    value = before - now
    words = f"−{wording.usd(-value)}" if value < 0.0 else wording.usd(value)
    same = abs(value) <= amounts.SAME * abs(before)
    return Amount(value, unit, "none: it costs the same" if same else words, standing="predicted")


def _year(month: Amount) -> Amount:
    """Compute the cost of a year from the cost of a month.

    The range of the cost is multiplied by 12 too, because all months have the same error.
    """
    if month.standing == "given":
        return amounts.given_money(_MONTHS * month.value, "USD/year")
    found = Range(
        p10=_MONTHS * (month.value if month.low is None else month.low),
        p50=_MONTHS * month.value,
        p90=_MONTHS * (month.value if month.high is None else month.high),
    )
    return amounts.money_range(found, "USD/year")


def _rows(today: PredictionAnswer, option: Option, costs: CostedCluster) -> Iterator[Row]:
    row = option.row
    yield Row("configuration", ("Cluster", nodes_of(today), option.all_nodes, None))
    yield Row("storage", ("Storage", today.storage_words, row.storage_words, None))
    if kept_words(row) is not None:
        yield Row("kept", ("Data is kept in", kept_words(today), kept_words(row), None))
    if row.purchase is not None and today.purchase is not None:
        yield Row("paid", ("Paid for", wording.payment(today.purchase), wording.payment(row.purchase), None))
    times = amounts.percent(row.time_s.p50, today.time_s.p50)
    yield Row("time", ("Time", amounts.time_range(today.time_s), amounts.time_range(row.time_s), times))
    if not option.stays:
        run = amounts.given_money(costs.run_usd, "USD") if costs.given else amounts.money_range(today.cost_usd)
        change = amounts.percent(row.cost_usd.p50, costs.run_usd)
        yield Row("cost", ("Cost of a run", run, amounts.money_range(row.cost_usd), change))
    of_today = Option("today", name_of(today), today, option.file).month
    if costs.given:
        of_today = amounts.given_money(costs.month_usd, "USD/month")
    months = amounts.percent(option.month.value, of_today.value)
    yield Row("month", (month_label(option), of_today, option.month, months))
    year = _year(of_today), _year(option.month)
    yield Row("year", ("Cost of a year", *year, amounts.difference(year[1].value, year[0].value, "USD/year")))
    if row.meets_deadline is not None and today.meets_deadline is not None:
        met = amounts.chance(today.meets_deadline), amounts.chance(row.meets_deadline)
        yield Row("in_time", (f"Done within {option.deadline}", *met, None))
    lost = amounts.chance(today.loss_probability), amounts.chance(row.loss_probability)
    spans = {exposure_words(today), exposure_words(row)}
    exposed = spans.pop() if len(spans) == 1 else "while it can be lost"
    yield Row("loss", (f"Loses data {exposed}", *lost, None))
    limited = Option("today", name_of(today), today, option.file).limited_by
    yield Row("limited_by", ("Limited by", limited, option.limited_by, None))
