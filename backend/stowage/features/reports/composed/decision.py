"""Decision of a report: what to do, the saving, the risk, the conditions, and by when."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from stowage.features.reports.composed.clusters import Today
from stowage.features.reports.composed.options import Option, loss_facts, month_label, nodes_of
from stowage.features.reports.composed.sureness import saves_nothing
from stowage.features.reports.composed.today import costs_of, given_fact, saved
from stowage.frozen import frozen
from stowage.model.money.currency import Currency
from stowage.model.report import Amount, Block, Fact, Facts, Paragraph, Section
from stowage.workloads import amounts, wording
from stowage.workloads.answers import ConfigurationAnswer, PredictionAnswer
from stowage.workloads.question import question_sentence
from stowage.workloads.risk_levels import risk_level
from stowage.workloads.saving import MONTHS, SavingAnswer, saving_of


@frozen
class Terms:
    """Terms of a decision: its prices and its date."""

    prices: str
    """Catalog version with its date."""
    discounts: str | None
    """Discounts that the costs include, in a few words; None for published prices."""
    published: date
    decide_by: date
    """Day by which to decide."""
    currency: Currency | None = None
    """Currency in which sums are also stated, at the rate of the publication; None for US dollars only."""


def decision_section(option: Option, today: Today | None, terms: Terms, notes: Iterable[Block]) -> Section:
    """Build the first section of a report: the decision on one page.

    Parameters
    ----------
    option : Option
        Recommended option.
    today : Today or None
        Current cluster, which is the baseline of the saving; None if the report names none.
    notes : iterable of Block
        Further paragraphs, such as warnings; they follow the conditions.
    """
    baseline = None if today is None or not isinstance(today.answer, PredictionAnswer) else today.answer
    saving = (
        None
        if baseline is None
        else saving_of(
            baseline,
            option.row,
            option.file.objective,
            option.runs_per_month,
            terms.discounts,
            terms.currency,
            None if today is None else today.cluster.given_usd,
        )
    )
    facts = [Fact("configuration", "What to do", _what_to_do(option, today, terms.currency))]
    *money, three_years = _money(option, saving, terms.currency)
    # On a phone, the saving and the risks are on the first screen.
    facts += [*money, *_risks(option), three_years]
    facts.append(Fact("decide_by", "Decide by", amounts.day(terms.decide_by)))
    blocks: list[Block] = [Facts(tuple(facts), headline=True)]
    if saving is not None:
        blocks.append(Paragraph(saving.sentence))
        if not saving.same_durability:
            blocks.append(Paragraph("The two clusters keep data with different durability.", tone="doubt"))
    elif today is None:
        blocks.append(Paragraph("No saving is stated: the report names no current cluster to compare with."))
    blocks.append(Facts(tuple(_conditions(option, baseline, saving, terms))))
    return Section("summary", "Decision", (*blocks, *notes))


def _what_to_do(option: Option, today: Today | None, currency: Currency | None) -> str:
    """Return the recommended action in a few words."""
    row = option.row
    chosen = f"{option.all_nodes}, {row.storage_words}"
    if today is None:
        return f"Run {chosen}"
    named = today.name
    found = today.answer
    if not isinstance(found, PredictionAnswer):
        return f"Replace {named}, which cannot run this job, with {chosen}"
    if _alike(found, row):
        return f"Keep {named}"
    more = option.month.value - costs_of(found, today, option).month_usd
    if more <= amounts.SAME * abs(option.month.value):
        return f"Replace {named} with {chosen}"
    met, met_now = row.meets_deadline, found.meets_deadline
    if met is not None and met_now is not None and met > met_now:
        return f"Replace {named} with {chosen}, to be done within {option.deadline}"
    return f"Keep {named}, unless more speed or durability is worth {_with_about(more, currency)} a month"


def _alike(today: ConfigurationAnswer, row: ConfigurationAnswer) -> bool:
    return (nodes_of(today), today.storage, today.purchase) == (nodes_of(row), row.storage, row.purchase)


def _with_about(amount_usd: float, currency: Currency | None) -> str:
    about = wording.about(amount_usd, currency)
    return wording.usd(amount_usd) + (f" ({about})" if about else "")


def _converted(amount: Amount, currency: Currency | None) -> Amount:
    """Return an amount of money whose text also has the sum in the team's currency."""
    return replace(amount, words=amount.words + wording.about(amount.value, currency, before=", "))


def _money(option: Option, saving: SavingAnswer | None, currency: Currency | None) -> Iterator[Fact]:
    """Yield the saving of a month and of three years with the range of the new cost, or the cost without a baseline."""
    if saving is None:
        yield Fact("month", month_label(option), _converted(option.month, currency), "less")
        three_years = amounts.money(MONTHS * option.month.value, "USD/3 years")
        yield Fact("three_years", "Cost over three years", _converted(three_years, currency), "less")
        return
    of_month = saved(saving.baseline.month_usd, saving.chosen.month_usd, "USD/month")
    change = amounts.percent(saving.chosen.month_usd, saving.baseline.month_usd)
    both = MONTHS * saving.baseline.month_usd, MONTHS * saving.chosen.month_usd
    of_years = saved(*both, "USD/3 years")
    if change is not None and change.words != "same":
        of_month = _converted(replace(of_month, words=f"{of_month.words} ({change.words})"), currency)
        of_years = _converted(of_years, currency)
    yield Fact("saving_month", "Saving a month", of_month, "more")
    yield Fact("month", month_label(option), _converted(option.month, currency), "less")
    yield Fact("saving_three_years", "Saving over three years", of_years, "more")


def _risks(option: Option) -> Iterator[Fact]:
    row = option.row
    if row.meets_deadline is not None:
        label = f"Risk of missing the deadline of {option.deadline}"
        risk = amounts.risk(row.meets_deadline)
        yield Fact(
            "misses_deadline", label, replace(risk, words=f"{risk.words} ({risk_level(row.meets_deadline)})"), "less"
        )
    yield from loss_facts(option)


def _conditions(
    option: Option, baseline: PredictionAnswer | None, saving: SavingAnswer | None, terms: Terms
) -> Iterator[Fact]:
    """Yield the conditions under which the decision holds."""
    row = option.row
    yield Fact("question", "For", question_sentence(option.file))
    yield Fact("time", "Time of a run", amounts.time_range(row.time_s), "less")
    if not option.stays:
        yield Fact("cost", "Cost of a run", amounts.money_range(row.cost_usd), "less")
    if saving is not None:
        yield from given_fact(saving.baseline)
    if baseline is not None and saving is not None:
        yield from saves_nothing(baseline, saving.baseline, option)
    if row.meets_deadline is not None:
        yield Fact("in_time", f"Confidence of {option.deadline}", amounts.chance(row.meets_deadline), "more")
    paid = wording.payment(row.purchase or "on-demand")
    besides = "no tax, support or negotiated discount"
    if terms.discounts is not None:
        besides = f"incl. {terms.discounts}; no tax or support"
    yield Fact("prices", "Prices", f"Paid {paid}, {terms.prices}; {besides}")
    if terms.currency is not None:
        yield Fact("rate", f"Sums in {terms.currency.code}", terms.currency.words)
    yield Fact("held", "Three years", _unchanged(option))
    yield Fact("until", "Valid", _valid(saving, terms))


def _unchanged(option: Option) -> str:
    if option.stays:
        return f"{MONTHS} months at today's prices, with the cluster always on and the data unchanged"
    runs = wording.three_digits(option.runs_per_month)
    return (
        f"{MONTHS} months at today's prices, with {runs} run{'' if runs == '1' else 's'} a month and the data unchanged"
    )


def _valid(saving: SavingAnswer | None, terms: Terms) -> str:
    days = (terms.decide_by - terms.published).days
    said = f"Until {amounts.day(terms.decide_by)}, {days} day{'' if days == 1 else 's'} after publication; then compare"
    worth = saving is not None and saving.month_usd > amounts.SAME * saving.baseline.month_usd
    if saving is None or not worth:
        return f"{said} again"
    return f"{said} again. Each month of waiting costs {_with_about(saving.month_usd, terms.currency)}"
