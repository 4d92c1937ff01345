"""Cost over time in sentences: total cost, break-even of commitments, warnings and assumptions."""

from collections.abc import Iterator

from stowage.frozen import frozen
from stowage.model.jobs.workload import Workload
from stowage.model.money.outlook import TERMS_MONTHS, BreakEven, Outlook, Spending
from stowage.model.money.price import Purchase
from stowage.workloads import amounts, wording
from stowage.workloads.knowledge import Knowledge

NAMES: dict[Purchase, str] = {
    "on-demand": "on demand",
    "spot": "spot",
    "1-year": "1-year commitment",
    "3-year": "3-year commitment",
}


@frozen
class ComputedOutlook:
    """An outlook (cost of a configuration over time) with its inputs."""

    outlook: Outlook
    shared: Outlook
    """The same outlook, but assuming that other jobs use the committed hours that this job does not need."""
    workload: Workload
    knowledge: Knowledge


def sentence(found: ComputedOutlook) -> str:
    """Return the answer as sentences that users can copy."""
    ahead = found.outlook
    whole = [spending for spending in ahead.spendings if spending.end is None]
    if not whole:
        longest = max(ahead.spendings, key=lambda spending: len(spending.months))
        months, total = len(longest.months), wording.usd(longest.sums_usd[-1])
        lasts = f"It lasts for {months_words(months)}: {total} {paid(longest.purchase)}{median_words(ahead)}"
        return f"{lasts}. {growing(found, longest)}"
    best = min(whole, key=lambda spending: spending.sums_usd[-1])
    others = [spending for spending in whole if spending is not best]
    against = next((each for each in others if each.purchase == "on-demand"), others[0] if others else None)
    said = f"Over {months_words(ahead.months)} it costs {wording.usd(best.sums_usd[-1])} {paid(best.purchase)}"
    if against is not None:
        said += f", and {wording.usd(against.sums_usd[-1])} {paid(against.purchase)}"
    return f"{said}{median_words(ahead)}. {growing(found, best)}"


def median_words(ahead: Outlook) -> str:
    """Return the words ``, at the median`` if monthly costs have a range, else an empty text."""
    ranged = any(month.month_usd.p10 != month.month_usd.p90 for each in ahead.spendings for month in each.months)
    return ", at the median" if ranged else ""


def seen_months(ahead: Outlook, even: BreakEven) -> int:
    """Return the number of months over which a commitment and another purchase option can be compared."""
    both = (ahead.under(even.commitment), ahead.under(even.against))
    return min(ahead.months if spending is None else len(spending.months) for spending in both)


def break_even_sentence(ahead: Outlook, even: BreakEven) -> str:
    """Return a sentence on the month in which a commitment has paid off against another purchase option."""
    name, other = NAMES[even.commitment].capitalize(), paid(even.against)
    if even.month is None:
        return f"{name}: has not paid within {months_words(seen_months(ahead, even))}; {other} costs less."
    if ahead.commitment == "used":
        return f"{name}: costs less than {other} from month {even.month} on."
    return f"{name}: has paid against {other} if the job goes on for {months_words(even.month)}."


def paid(purchase: Purchase) -> str:
    """Describe in words how nodes are paid for under a purchase option, e.g. ``at spot prices``."""
    return {
        "on-demand": "on demand",
        "spot": "at spot prices",
        "1-year": "by 1-year commitments",
        "3-year": "by 3-year commitments",
    }[purchase]


def months_words(count: int) -> str:
    """Return a number of months with its noun, e.g. ``12 months``."""
    return "1 month" if count == 1 else f"{count:,} months"


def nodes_words(count: int) -> str:
    """Return a number of nodes with its noun, e.g. ``12 nodes``."""
    return "1 node" if count == 1 else f"{count:,} nodes"


def growing(found: ComputedOutlook, spending: Spending) -> str:
    """Describe the growth of the data and of the number of nodes, from the first to the last month."""
    first, last = spending.months[0], spending.months[-1]
    if found.outlook.growth == 0.0:
        return f"The data stays {wording.size(first.data_mb)}, on {nodes_words(first.nodes)}."
    verb = "grows" if found.outlook.growth > 0.0 else "shrinks"
    data = f"The data {verb} from {wording.size(first.data_mb)} to {wording.size(last.data_mb)} a run"
    if first.nodes == last.nodes:
        return f"{data}; the {nodes_words(first.nodes)} of now do all the way."
    return f"{data}, and the cluster from {first.nodes:,} to {nodes_words(last.nodes)}."


def doubts(found: ComputedOutlook) -> Iterator[str]:
    """Yield the warnings about an outlook.

    They concern purchase options that end early or are missing, and a deadline or budget that is exceeded.
    """
    ahead, limits = found.outlook, found.workload.limits
    for spending in ahead.spendings:
        name = NAMES[spending.purchase].capitalize()
        if spending.end is not None:
            month = len(spending.months)
            yield f"{name} ends with month {month}, and its sums with it: in month {month + 1} {spending.end.reason}."
        asked, first = ahead.configuration.nodes, spending.months[0].nodes
        if first > asked:
            yield f"{name}: {nodes_words(asked)} are late in the first month; it begins with {first:,}."
        if limits.budget_usd is not None and found.workload.objective != "month":
            dear = (month.number for month in spending.months if month.run_usd.p50 > limits.budget_usd)
            since = next(dear, None)
            if since is not None:
                yield f"{name}: from month {since} on a run costs more than the {wording.usd(limits.budget_usd)} asked."
    for purchase, why in ahead.missing:
        yield f"{NAMES[purchase].capitalize()} is left out: {why.reason}."


def assumptions(found: ComputedOutlook) -> Iterator[str]:
    """Yield sentences on the assumptions of an outlook about data, nodes, prices and commitments."""
    ahead, workload, catalog = found.outlook, found.workload, found.knowledge.catalog
    stays = workload.objective == "month"
    runs = "is 1 run" if workload.runs_per_month == 1 else f"are {workload.runs_per_month:g} runs"
    yield "What this rests on:"
    yield (
        f"Month 1 has the data of now; each further month has {_more(ahead.growth)} the month before, in all that the "
        f"job moves and holds. {'The cluster stays all month.' if stays else f'There {runs} a month all along.'}"
    )
    yield (
        "Each node keeps the storage that it has. Nodes are added in the month in which the data no longer fits, or "
        "the deadline is no longer met: as few as do. None is given back. Each month's job is predicted on them."
    )
    yield (
        f"Prices stay those of catalog {catalog.version} of {amounts.day(catalog.as_of)}. Spot is an average of "
        "a price that moves, with the work that interruptions are expected to repeat."
    )
    alone = stays or ahead.commitment == "alone"
    paid_hours = "all 730 hours of a month, used or not" if alone else "the hours it uses; others use the rest"
    yield (
        "A commitment begins with the first day of a month and lasts whole terms of 12 or 36 months: none is made in "
        f"the middle of a month, ended early or sold. This job pays {paid_hours}. Nodes that are added later are "
        "committed from their own first month on. A term that is over is followed by another at the same price."
    )
    yield (
        "A commitment has paid with the first month after which the job may end so that it has cost no more in all, "
        "the rest of its term included; another term must be used as long again. Its price is spread evenly over its "
        "term. What is paid at the start, interest, taxes, support and an account's discounts are not in it."
    )
    yield "Ranges of months are added up end to end: what is off in one month is off alike in all."


def _more(growth: float) -> str:
    if growth == 0.0:
        return "as much as"
    return f"{wording.three_digits(100.0 * abs(growth))}% {'more' if growth > 0.0 else 'less'} than"


def name_of(found: ComputedOutlook, purchase: Purchase) -> str:
    """Return the name of a purchase option.

    For a commitment, the name includes whether only this job uses the committed hours.
    """
    if purchase not in TERMS_MONTHS or found.workload.objective == "month":
        return NAMES[purchase]
    return f"{NAMES[purchase]}, {'this job alone' if found.outlook.commitment == 'alone' else 'others use the rest'}"
