"""Explanations of a configuration in sentences, with numbers of three significant digits.

The winner is the configuration that ranks first in a search.
"""

from collections.abc import Callable, Mapping

from stowage.frozen import frozen
from stowage.model.cluster import Configuration
from stowage.model.infeasible import Broken, Limit
from stowage.model.jobs.workload import Workload
from stowage.model.prediction import Prediction
from stowage.optimizer.explain import Against, Bottleneck, Explanation, NetworkCase, NextDollar
from stowage.optimizer.outcome import Outcome
from stowage.optimizer.overturn import FARTHEST, Lever, Overturn
from stowage.optimizer.overturning_network import TypeOverturn
from stowage.workloads import wording

_NOTICEABLE_USD, _NOTICEABLE_S = 5e-7, 5e-4
_CLEAR = 1.005
"""Ratio from which a difference is mentioned: a smaller one does not show in three digits."""

_NAMES: dict[str, str] = {
    "network": "network",
    "storage": "disks",
    "storage IOPS": "disks",
    "EBS link": "EBS link",
    "EBS volumes": "EBS volumes",
    "object store": "object store",
    "CPU": "CPUs",
    "price": "price",
    "data link": "link to the data",
    "framework": "framework",
}
_PLURAL = frozenset({"disks", "EBS volumes", "CPUs"})
_BEST = {"cost": "cheapest", "time": "fastest", "month": "cheapest to keep"}


def name(configuration: Configuration) -> str:
    """Return the name of a configuration: number of nodes, instance type, and storage layout."""
    layout = wording.layout_words(configuration.layout)
    return f"{configuration.nodes:,} × {configuration.instance} ({layout})"


def amounts(outcome: Outcome | Prediction, workload: Workload) -> str:
    """Describe the predicted time and cost of a run, and the monthly cost of an always-on cluster."""
    if isinstance(outcome, Prediction):
        time_s, cost_usd, month_usd = outcome.time_s.p50, outcome.cost_usd.p50, outcome.always_on_usd
    else:
        time_s, cost_usd, month_usd = outcome.time_s, outcome.cost_usd, outcome.month_usd
    if workload.objective == "month":
        return f"{wording.usd(month_usd)} a month, {wording.duration(time_s)} a run"
    return f"{wording.duration(time_s)} for {wording.usd(cost_usd)}"


def bottleneck(place: int, row: Bottleneck) -> str:
    """Return a sentence on the bottleneck of a phase."""
    what = wording.resource(row.resource)
    verb = "limit" if what.endswith(("disks", "volumes")) else "limits"
    return f"Phase {place}, {row.phase}: the {what} {verb} it; {wording.duration(row.time_s)}, {row.share:.0%} of all."


def network(row: NetworkCase, rows: tuple[NetworkCase, ...], workload: Workload) -> str:
    """Describe the time and cost of a run with another network.

    If the objective is the monthly cost, only the time is described, because the network does not change that cost.
    """
    kinds = {
        "infinite": "With an infinitely fast network",
        "ideal": "With a network that keeps its rate in a cluster of any size",
        "observed": "With the network as it is known",
    }
    observed = next((one for one in rows if one.network == "observed"), None)
    alike = row.network == "ideal" and observed is not None and observed.time_s == row.time_s
    told = ", the same: no fall with the size of the cluster counts here" if alike else ""
    money = " a run" if workload.objective == "month" else f" for {wording.usd(row.cost_usd)}"
    return f"{kinds[row.network]} {wording.duration(row.time_s)}{money}{told}."


@frozen
class MonthBought:
    """Monthly cost of an always-on cluster after one limit has changed, or one resource has become faster."""

    month_usd: float | None
    """Monthly cost [USD]; None if no configuration meets the limits after the change."""
    saved_usd: float | None
    """Monthly saving [USD]; None as for `month_usd`."""


def next_dollar(row: NextDollar, workload: Workload, month: MonthBought | None = None) -> str:
    """Describe the effect of one changed limit or one faster resource on time and cost.

    With `month`, the cost is that of a month instead of a run.
    """
    if row.what in {"deadline", "budget"}:
        return _moved_limit(row, workload, month)
    what = _NAMES[row.what]
    subject = f"{what} {abs(row.change):.0%} faster"
    if row.saved_s is None or row.saved_usd is None or abs(row.saved_s) < _NOTICEABLE_S:
        return f"{_capital(subject)} would save nothing: {_they(what)} not what limits."
    saved = f"{_capital(subject)} would save {wording.duration(row.saved_s)}"
    if month is not None:
        return f"{saved} a run; a month costs the same, as the cluster stays."
    if row.saved_usd < _NOTICEABLE_USD or row.price is None:
        return f"{saved} a run, and no money."
    return f"{saved} and {wording.usd(row.saved_usd)} a run: worth up to {_price(row.price)} more per node-hour."


def _moved_limit(row: NextDollar, workload: Workload, month: MonthBought | None) -> str:
    more = "more" if row.change > 0.0 else "less"
    if row.what == "deadline":
        bound_s = (workload.limits.deadline_s or 0.0) * (1.0 + row.change)
        moved = f"With {abs(row.change):.0%} {more} time, {wording.duration(bound_s)},"
    else:
        bound_usd = (workload.limits.budget_usd or 0.0) * (1.0 + row.change)
        moved = f"With {abs(row.change):.0%} {more} money, {wording.usd(bound_usd)},"
    if row.time_s is None or row.cost_usd is None or row.configuration is None:
        return f"{moved} nothing would be within the limits."
    if month is not None and month.month_usd is not None:
        return _moved_month(row, moved, month.month_usd, month.saved_usd)
    found = f"{moved} {name(row.configuration)} would do it: {wording.duration(row.time_s)} for "
    found += wording.usd(row.cost_usd)
    if row.saved_usd is None or row.saved_s is None:
        return f"{found}."
    if abs(row.saved_usd) < _NOTICEABLE_USD and abs(row.saved_s) < _NOTICEABLE_S:
        return f"{moved} the answer would be the same."
    if row.what == "budget":
        side = "less" if row.saved_s >= 0.0 else "more"
        return f"{found}, {wording.duration(abs(row.saved_s))} {side}."
    side = "less" if row.saved_usd >= 0.0 else "more"
    worth = "" if row.price is None else f", {_price(row.price)} for each minute"
    return f"{found}, {wording.usd(abs(row.saved_usd))} {side}{worth}."


def _moved_month(row: NextDollar, moved: str, month_usd: float, saved_usd: float | None) -> str:
    if row.configuration is None or row.time_s is None:
        raise ValueError("what costs a month is a configuration with a time")
    if saved_usd is not None and abs(saved_usd) < _NOTICEABLE_USD and abs(row.saved_s or 0.0) < _NOTICEABLE_S:
        return f"{moved} the answer would be the same."
    found = f"{moved} {name(row.configuration)} would do it: {wording.usd(month_usd)} a month, "
    found += f"{wording.duration(row.time_s)} a run"
    if saved_usd is None:
        return f"{found}."
    return f"{found}, {wording.usd(abs(saved_usd))} a month {'less' if saved_usd >= 0.0 else 'more'}."


def against(place: int, row: Against) -> str:
    """Return a sentence that compares a phase with the corresponding phase of the winner."""
    mine, its = wording.resource(row.resource), wording.resource(row.winner_resource)
    factor = "" if row.factor is None else f", {times(row.factor)}"
    return (
        f"Phase {place}, {row.phase}, its {mine}{factor}: {wording.duration(row.time_s)}, the winner's "
        f"{wording.duration(row.winner_time_s)} by its {its}."
    )


def price_against(outcome: Outcome, winner: Outcome) -> str:
    """Return a sentence that compares price and number of nodes with those of the winner."""
    factor = outcome.node_hour_usd / winner.node_hour_usd if winner.node_hour_usd > 0.0 else 1.0
    paid = (
        f"A node-hour costs {_price(outcome.node_hour_usd)}, as the winner's"
        if 1.0 / _CLEAR < factor < _CLEAR
        else f"A node-hour costs {_price(outcome.node_hour_usd)}, {times(factor)} the winner's "
        f"{_price(winner.node_hour_usd)}"
    )
    nodes, its = outcome.configuration.nodes, winner.configuration.nodes
    return f"{paid}; of nodes it takes " + (
        f"as many, {nodes:,}." if nodes == its else f"{nodes:,} instead of {its:,}."
    )


@frozen
class _LimitWords:
    """Texts about a limit, with places for the `value` of a configuration, the `bound` and `what` is limited."""

    broken: str
    """Sentence on a configuration that exceeds the limit."""
    bound: str
    """Name of the limit with its value."""
    write: Callable[[float], str] = "{:,.0f}".format
    """Converts value and bound to text."""


_LIMITS: Mapping[Limit, _LimitWords] = {
    "deadline": _LimitWords("It takes {value}; the deadline is {bound}.", "the deadline of {bound}", wording.duration),
    "budget": _LimitWords("It costs {value}; the budget is {bound}.", "the budget of {bound}", wording.usd),
    "chance": _LimitWords(
        "It meets the deadline in {value} of runs; the limit is {bound}.",
        "{bound} confidence of meeting the deadline",
        wording.chance,
    ),
    "loss": _LimitWords(
        "It loses data with a chance of {value}; at most {bound} is allowed.",
        "the chance of loss of {bound}",
        wording.chance,
    ),
    "re-replication": _LimitWords(
        "The copies of a failed node exist again after {value}; {bound} is the limit.",
        "the {bound} for re-replicating a failed node",
        wording.duration,
    ),
    "never finishes": _LimitWords(
        "It never finishes: nodes are lost faster than work is done.", "any time: it never finishes"
    ),
    "max nodes": _LimitWords(
        "It has {value} nodes; at most {bound} are allowed.", "the {bound} nodes that are allowed"
    ),
    "free space": _LimitWords(
        "It has {value} nodes; the free space and node failures to survive need {bound}.",
        "the {bound} nodes that free space and node failures to survive need",
    ),
    "head node memory": _LimitWords(
        "Its head node, {what}, has {value} GiB of memory; so many blocks of HDFS need {bound}.",
        "the {bound} GiB of memory that the head node needs",
        "{:,.3g}".format,
    ),
    "quota": _LimitWords("It takes {value} {what}; the quota allows {bound}.", "the quota of {bound} {what}"),
    "selection": _LimitWords("It may not be chosen: what is allowed leaves out its {what}.", "what may be chosen"),
}


def broken(row: Broken) -> str:
    """Return a sentence that compares a configuration with a limit that it exceeds."""
    return _about_limit(row, _LIMITS[row.limit].broken)


def bound(row: Broken) -> str:
    """Return the name of a limit with its value, e.g. ``the budget of $50``."""
    return _about_limit(row, _LIMITS[row.limit].bound)


def _about_limit(row: Broken, text: str) -> str:
    write = _LIMITS[row.limit].write
    return text.format(value=write(row.value or 0.0), bound=write(row.bound or 0.0), what=row.what)


def overturn(row: Overturn, workload: Workload) -> str:
    """Describe the value of one quantity at which a configuration would win."""
    what = _NAMES[row.lever]
    if row.verdict == "unknown":
        missing = "something else is not known" if row.obstacle is None else row.obstacle.reason
        return f"Its {what} alone would not do: {missing}."
    if row.verdict == "limit":
        stands = " ".join(broken(one) for one in row.at_most.broken) if row.at_most is not None else ""
        return f"{_however(row.lever)}, it would not win. {stands}".strip()
    if row.needed is None:
        then = "" if row.at_most is None else f": {amounts(row.at_most, workload)} at best{_still(row.at_most)}"
        return f"{_however(row.lever)}, it would not win{then}."
    needed = quantity(row.needed, row.unit)
    if row.now is None:
        return f"Its {what} is unknown; with {needed} or more it would win."
    verb = "would have to be" if row.lever != "price" else "would have to be at most"
    per = " a node" if row.unit in {"MB/s", "1/s"} else ""
    return f"Its {what} {verb} {needed}{per}, now {quantity(row.now, row.unit)}: {times(row.needed / row.now)}."


def margin(row: Overturn) -> str:
    """Return a sentence on how much worse a quantity may get before a winner loses."""
    what = _NAMES[row.lever]
    worse = "higher" if row.lever == "price" else "slower"
    verb = "are" if what in _PLURAL else "is"
    if row.verdict == "never":
        return f"It stays ahead even where its {what} {verb} {FARTHEST:,.0f} times {worse}."
    now = "" if row.now is None else quantity(row.now, row.unit)
    if row.needed is None:
        return f"It stays ahead only while its {what} {verb} {now} as now."
    bound = "at most" if row.lever == "price" else "at least"
    return f"It stays ahead while its {what} {verb} {bound} {quantity(row.needed, row.unit)}, now {now}."


def explanation(found: Explanation, workload: Workload) -> str:
    """Explain a configuration in one or two sentences."""
    named = name(found.configuration)
    if not isinstance(found.outcome, Outcome):
        cannot = "cannot be predicted" if found.outcome.limit.endswith("unknown") else "cannot do it"
        helps = next((row for row in found.overturn if row.needed is not None), None)
        needed = "" if helps is None else f" {overturn(helps, workload)}"
        return f"{named} {cannot}. {_capital(found.outcome.reason)}.{needed}"
    does = f"{named} takes {amounts(found.outcome, workload)}"
    if found.wins:
        return f"{does}{_ahead(found, workload)}"
    its_best = ""
    if found.own_best is not None and found.own_best.configuration != _winning(found):
        its_best = f" The best of its type, {name(found.own_best.configuration)}, takes "
        its_best += f"{amounts(found.own_best, workload)}."
    winner = found.winner
    its = "" if winner is None else f"{name(winner.configuration)}, takes {amounts(winner, workload)}"
    if found.outcome.broken:
        beyond = " and ".join(bound(row) for row in found.outcome.broken)
        return f"{does}, beyond {beyond}." + (f" The winner, {its}." if its else "") + its_best
    if winner is None:
        raise ValueError("without a winner, any configuration within the limits wins")
    return f"{does}; the winner, {its}. {why_lost(found, found.outcome, winner, workload)}{its_best}"


def _winning(found: Explanation) -> Configuration | None:
    return None if found.winner is None else found.winner.configuration


def _ahead(found: Explanation, workload: Workload) -> str:
    if not found.is_winner:
        return ", as good as the best that the search tries." if found.winner is not None else "."
    longest = max(found.bottlenecks, key=lambda row: row.time_s, default=None)
    said = f" and is the {_BEST[workload.objective]} of all within the limits."
    if longest is not None:
        what = wording.resource(longest.resource)
        said += f" The {what} {'limit' if what.endswith(('disks', 'volumes')) else 'limits'} {longest.phase}."
    if found.runner_up is not None:
        said += f" The next type, {name(found.runner_up.configuration)}, takes {amounts(found.runner_up, workload)}."
    return said


def why_lost(found: Explanation, outcome: Outcome, winner: Outcome, workload: Workload) -> str:
    """Return a sentence on the main reason why a configuration does not win.

    The reason is the phase in which it loses most time or cost to the winner. For the monthly cost, it is the number
    and the price of the nodes.
    """
    nodes = outcome.configuration.nodes / winner.configuration.nodes
    price = outcome.node_hour_usd / winner.node_hour_usd if winner.node_hour_usd > 0.0 else 1.0
    if workload.objective == "month":
        return f"What makes the difference: {_times_or_same(nodes, 'nodes')} at {_times_or_same(price, 'price')}."
    by_time = workload.objective == "time"
    weight = 1.0 if by_time else nodes * price
    phases = [
        (weight * row.time_s - row.winner_time_s, place, row)
        for place, row in enumerate(found.against, start=1)
        if row.winner_time_s > 0.0
    ]
    worst = max(phases, key=lambda phase: phase[0], default=None)
    if worst is None or weight * worst[2].time_s < _CLEAR * worst[2].winner_time_s:
        what = "take" if by_time else "cost"
        return f"In each phase they {what} the same to within half a percent."
    _, place, row = worst
    time = row.time_s / row.winner_time_s
    said = f"What makes the difference: phase {place}, its {wording.resource(row.resource)}, {times(weight * time)}"
    if by_time:
        return f"{said}."
    made_of = f"{_times_or_same(nodes, 'nodes')} for {_times_or_same(time, 'time')}"
    return f"{said} the cost: {made_of}, at {_times_or_same(price, 'price')} of a node-hour."


def _times_or_same(factor: float, of: str) -> str:
    if 1.0 / _CLEAR < factor < _CLEAR:
        return "as many nodes" if of == "nodes" else f"the same {of}"
    return f"{times(factor)} the {of}"


def type_overturn(row: TypeOverturn, workload: Workload) -> str:
    """Return a sentence on the network rate with which an instance type would win."""
    words = {"storage_mb_per_s": "disks", "storage_iops": "disks", "ebs_read_mb_per_s": "EBS link"}
    assumed = " and ".join(dict.fromkeys(words[one] for one in row.assumed if one in words))
    if_so = f", if its {assumed}, which has not been measured, never limited" if assumed else ""
    if row.verdict == "winner":
        return f"{row.instance} wins."
    if row.verdict == "unknown":
        return f"{_capital(row.obstacle.reason)}." if row.obstacle is not None else "Something else is not known."
    if row.verdict == "limit":
        why = row.rejected[0].reason if row.rejected else "" if row.obstacle is None else row.obstacle.reason
        return f"No network would make {row.instance} win: {why or 'nothing of it is within the limits'}."
    then = "" if row.best is None else f": {name(row.best.configuration)} takes {amounts(row.best, workload)}"
    if row.needed is None:
        return f"No network would make {row.instance} win{if_so}{then} with one that never limits."
    now = "not measured" if row.now is None else f"now {quantity(row.now, 'MB/s')}"
    return f"{row.instance} would win with {quantity(row.needed, 'MB/s')} a node or more ({now}){if_so}{then}."


def quantity(value: float, unit: str) -> str:
    """Return a rate or a price with its unit.

    Examples
    --------
    >>> [quantity(1050.0, "MB/s"), quantity(0.17543, "USD/h"), quantity(64000.0, "1/s")]
    ['1,050 MB/s', '$0.1754 an hour', '64,000 IOPS']
    """
    if unit == "USD/h":
        return f"{_price(value)} an hour"
    return f"{wording.three_digits(value)} {'IOPS' if unit == '1/s' else unit}"


def times(factor: float) -> str:
    """Return a factor as text with three significant digits.

    Examples
    --------
    >>> [times(factor) for factor in (1.9, 0.504, 12.34)]
    ['1.9x', '0.504x', '12.3x']
    """
    return f"{wording.three_digits(factor)}x"


def _price(usd: float) -> str:
    """Return a price per hour or minute with four significant digits, because such prices are small.

    Examples
    --------
    >>> [_price(usd) for usd in (6.82, 0.3717778, 1234.5678)]
    ['$6.82', '$0.3718', '$1,235']
    """
    if usd == 0.0:
        return "$0"
    text = f"{usd:,.0f}" if usd >= 1_000.0 else f"{usd:.4g}"
    whole, point, cents = text.partition(".")
    return f"${whole}.{cents.ljust(2, '0')}" if point else f"${text}"


def _however(lever: Lever) -> str:
    return f"However {'low' if lever == 'price' else 'fast'} its {_NAMES[lever]}"


def _still(outcome: Outcome) -> str:
    """Return the end of a sentence on what still limits a configuration after its best possible improvement.

    It names the limits that are exceeded, or else the bottleneck.
    """
    if outcome.broken:
        return f", beyond {' and '.join(bound(row) for row in outcome.broken)}"
    return f", limited by its {wording.resource(outcome.longest.bottleneck)}"


def _they(what: str) -> str:
    return "they are" if what in _PLURAL else "it is"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
