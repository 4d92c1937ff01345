"""Wording of numbers and answers in texts for users.

Numbers have three significant digits and a unit. Ranges have an en dash.
"""

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Protocol

from stowage.model.cluster import Ebs, InstanceStore, Layout, ObjectStore
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.workload import DataPlace, Elsewhere, JobName, Workload
from stowage.model.money.currency import Currency
from stowage.model.money.price import Purchase
from stowage.model.plan import Plan
from stowage.model.prediction import Prediction, Range
from stowage.model.units import SECONDS_PER_YEAR
from stowage.platform.written import MOST_NODES
from stowage.workloads.risk_levels import risk_level

_SIZES = ((1e12, "EB"), (1e9, "PB"), (1e6, "TB"), (1e3, "GB"), (1.0, "MB"), (1e-3, "kB"))
_PER_HOUR, _PER_DAY = 3_600.0, 86_400.0


def three_digits(value: float) -> str:
    """Format a number with three significant digits and thousands separators.

    Examples
    --------
    >>> [three_digits(value) for value in (1234.5, 12.345, 0.98765, 0.0)]
    ['1,230', '12.3', '0.988', '0']
    """
    if value == 0.0:
        return "0"
    rounded = float(f"{value:.2e}")
    places = max(0, 2 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:,.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def size(data_mb: float) -> str:
    """Format a data size in decimal units.

    Examples
    --------
    >>> size(100e6)
    '100 TB'
    """
    factor, unit = next(((factor, unit) for factor, unit in _SIZES if data_mb >= factor), _SIZES[-1])
    return f"{three_digits(data_mb / factor)} {unit}"


def duration(seconds: float) -> str:
    """Format a duration in its two largest units.

    Examples
    --------
    >>> [duration(s) for s in (0.0213, 1.5, 59.6, 1010.0, 3599.7, 200000.0)]
    ['21.3 ms', '1.5 s', '1 min', '16 min 50 s', '1 h', '2 d 8 h']
    """
    if seconds < 1.0:
        return f"{three_digits(1000.0 * seconds)} ms"
    if seconds < 10.0:
        return f"{three_digits(seconds)} s"
    if round(seconds) < _PER_HOUR:
        return _two_units(round(seconds), 60, "min", "s")
    if round(seconds / 60) < 2 * 24 * 60:
        return _two_units(round(seconds / 60), 60, "h", "min")
    return _two_units(round(seconds / _PER_HOUR), 24, "d", "h")


def exposure(seconds: float) -> str:
    """Format an exposure window: the time for which data is exposed to loss.

    Examples
    --------
    >>> [exposure(s) for s in (31557600.0, 1800.0)]
    ['a year', '30 min']
    """
    return "a year" if abs(seconds / SECONDS_PER_YEAR - 1.0) < 0.01 else duration(seconds)


def whole_seconds(seconds: int) -> str:
    """Format a duration to the second.

    Parsing the result returns the same duration.

    Examples
    --------
    >>> [whole_seconds(s) for s in (901, 9065, 86400)]
    ['15 min 1 s', '2 h 31 min 5 s', '24 h']
    """
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{count} {unit}" for count, unit in ((hours, "h"), (minutes, "min"), (rest, "s")) if count]
    return " ".join(parts) or "0 s"


def _written_s(seconds: float) -> float:
    """Return the rounded duration that `duration` would print [s]."""
    if seconds < 1.0:
        return float(f"{1000.0 * seconds:.2e}") / 1000.0
    if seconds < 10.0:
        return float(f"{seconds:.2e}")
    if round(seconds) < _PER_HOUR:
        return round(seconds)
    if round(seconds / 60) < 2 * 24 * 60:
        return 60.0 * round(seconds / 60)
    return _PER_HOUR * round(seconds / _PER_HOUR)


def moment(when: datetime) -> str:
    """Format a date and time in UTC.

    Examples
    --------
    >>> moment(datetime(2026, 11, 3, 9, 5, tzinfo=UTC))
    '3 Nov 2026 09:05'
    """
    when = when.astimezone(UTC)
    return f"{when.day} {when:%b %Y %H:%M}"


def duration_range(quantiles: Range) -> str:
    """Format a range of durations, from p10 to p90, in one unit.

    The formatted range always includes p50 as `duration` formats it. If rounding would move an end of the range past
    p50, that end is rounded in the other direction.

    Examples
    --------
    >>> duration_range(Range(1510.0, 1785.0, 2109.0))
    '25–35 min'
    >>> duration(1010.0), duration_range(Range(1005.0, 1010.0, 1015.0))
    ('16 min 50 s', '16–17 min')
    """
    units = ((1.0, "s"), (60.0, "min"), (_PER_HOUR, "h"))
    seconds, unit = next((pair for pair in units if quantiles.p90 < 120 * pair[0]), (_PER_DAY, "d"))
    whole = quantiles.p10 / seconds >= 10
    centre = _written_s(quantiles.p50) / seconds

    def end(value: float, outwards: Callable[[float], int]) -> str:
        written = round(value) if whole else float(f"{value:.2e}")
        if (written > centre) if outwards is math.floor else (written < centre):
            step = 1.0 if whole else 10.0 ** (math.floor(math.log10(centre)) - 2)
            written = step * outwards(round(centre / step, 6))
        return f"{written:,.0f}" if whole else three_digits(written)

    return f"{end(quantiles.p10 / seconds, math.floor)}–{end(quantiles.p90 / seconds, math.ceil)} {unit}"


def link_rate(mb_per_s: float) -> str:
    """Format the rate of a link [MB/s] in bits per second.

    Examples
    --------
    >>> [link_rate(rate) for rate in (1250.0, 12.5, 0.01)]
    ['10 Gbit/s', '100 Mbit/s', '0.08 Mbit/s']
    """
    mbit = 8.0 * mb_per_s
    return f"{three_digits(mbit / 1000.0)} Gbit/s" if mbit >= 1000.0 else f"{three_digits(mbit)} Mbit/s"


def usd(amount: float) -> str:
    """Format a sum of money.

    Examples
    --------
    >>> [usd(amount) for amount in (324.53, 2.5, 1234.0, 0.004)]
    ['$325', '$2.50', '$1,230', '$0.004']
    """
    return _money(amount, "$")


def _money(amount: float, sign: str) -> str:
    text = three_digits(amount)
    whole, point, cents = text.partition(".")
    return f"{sign}{whole}.{cents.ljust(2, '0')}" if point and amount >= 0.1 else f"{sign}{text}"


def about(amount_usd: float, currency: Currency | None, before: str = "") -> str:
    """Convert a sum to a team's currency, at the rate that the team has stated; empty without a currency.

    Parameters
    ----------
    amount_usd : float
        Sum [USD]; below 0 for a cost among savings.
    currency : Currency or None
        The team's currency.
    before : str
        Text in front of the sum, if there is one.

    Examples
    --------
    >>> from datetime import date
    >>> euro = Currency("EUR", 0.86, date(2026, 11, 28))
    >>> about(1120.0, euro), about(2.5, euro, before=", "), about(1120.0, None, before=", ")
    ('about €963', ', about €2.15', '')
    """
    if currency is None:
        return ""
    minus = "−" if amount_usd < 0.0 else ""
    return f"{before}about {minus}{_money(abs(amount_usd) * currency.usd_rate, currency.sign)}"


def chance(probability: float) -> str:
    """Format a probability in percent.

    The result is "0%" or "100%" only if the probability is exactly 0 or 1.

    Examples
    --------
    >>> [chance(p) for p in (0.5, 0.9999, 1.0, 1e-9, 0.00043)]
    ['50%', 'over 99.9%', '100%', 'under 0.0001%', '0.043%']
    """
    percent = 100.0 * probability
    if 99.9 < percent < 100.0:
        return "over 99.9%"
    if 0.0 < percent < 1e-4:
        return "under 0.0001%"
    return f"{float(f'{percent:.2g}'):.7g}%" if percent < 99.0 else f"{percent:.3g}%"


def risk(met: float) -> str:
    """Format the risk of missing a target.

    The argument ``met`` is the probability of meeting the target. The result is never "0%", even if ``met`` is 1.

    Examples
    --------
    >>> [risk(p) for p in (0.95, 0.99957, 1.0)]
    ['5%', '0.043%', 'under 0.0001%']
    """
    return chance(1.0 - met) if met < 1.0 else chance(math.nextafter(0.0, 1.0))


_DISKS = {"intermediate disks": "scratch disks", "input/output disks": "data disks"}
"""Display names of the disks, by the name of their resource in the model."""


def resource(name: str) -> str:
    """Return the display name of a resource.

    It is "network" for both directions of the network.
    """
    return "network" if name.startswith("network ") else _DISKS.get(name, name)


def layout_words(layout: Layout) -> str:
    """Describe a storage layout in a few words.

    Examples
    --------
    >>> layout_words(Ebs("gp3", 512, 2, iops=6000, throughput_mib_per_s=500))
    '2 × 512 GiB gp3 of 6,000 IOPS and 500 MiB/s'
    """
    if isinstance(layout, Ebs):
        provisioned = [f"{layout.iops:,} IOPS"] if layout.iops is not None else []
        if layout.throughput_mib_per_s is not None:
            provisioned.append(f"{layout.throughput_mib_per_s:,} MiB/s")
        performance = f" of {' and '.join(provisioned)}" if provisioned else ""
        return f"{layout.count} × {layout.size_gib:,} GiB {layout.volume_type}{performance}"
    if isinstance(layout, ObjectStore):
        return "object store"
    if layout.intermediate_disks == 0:
        disks = layout.input_output_disks
        return "1 shared disk" if disks == 1 else f"{disks} shared disks"
    return f"{layout.input_output_disks} data + {layout.intermediate_disks} scratch disks"


def nodes_words(nodes: int, instance: str, role: str | None, head_instance: str | None) -> str:
    """Describe all nodes that are paid for, including head nodes.

    Examples
    --------
    >>> nodes_words(29, "d3en.xlarge", "NameNode", "m6g.xlarge")
    '29 × d3en.xlarge and 1 × m6g.xlarge as NameNode'
    >>> nodes_words(98, "i2.8xlarge", None, None)
    '98 × i2.8xlarge'
    """
    workers = f"{nodes:,} × {instance}"
    return workers if role is None else f"{workers} and 1 × {head_instance} as {role}"


def plan_sentence(workload: Workload, plan: Plan) -> str:
    """Describe the result of a search in a sentence that users can copy."""
    if plan.ranked:
        best = plan.ranked[0]
        # The limits that apply depend on the replication factor at this node count.
        found = workload.at(best.configuration.nodes)
        return f"{_superlative(found)}: {prediction_sentence(found, best)}"
    most_copies = workload.by_replication(workload.limits.max_nodes or MOST_NODES)[-1][0]
    within = limits_words(most_copies)
    asked = f"{task_words(workload, plural=False)} {within}".strip()
    if plan.near_misses and "network bandwidth unknown" not in plan.near_misses[0].limits:
        return f"No configuration {asked}."
    if any(not row.limit.endswith("unknown") for row in plan.rejected):
        return f"No configuration {asked}."
    return f"No configuration {asked}: of no type are all the needed figures known."


def prediction_sentence(workload: Workload, prediction: Prediction) -> str:
    """Describe a prediction in sentences that users can copy.

    They state the time and cost, the bottleneck, and the conditions.
    """
    configuration, stays = prediction.configuration, workload.objective == "month"
    plural = configuration.nodes + workload.head_nodes != 1
    where = _where(configuration.layout, plural=plural)
    longest = max(prediction.phases, key=lambda phase: float(phase.time_s))
    limit = resource(longest.bottleneck)
    nodes = nodes_words(configuration.nodes, configuration.instance, workload.head_role, prediction.head_instance)
    subject = f"{nodes} {where}"
    time = f"{duration(prediction.time_s.p50)} ({duration_range(prediction.time_s)})"
    if stays:
        takes = (
            f"{subject} {'cost' if plural else 'costs'} {usd(prediction.always_on_usd)} a month, always on. "
            f"One run {task_words(workload, plural=False)} in {time}."
        )
    else:
        takes = (
            f"{subject} {task_words(workload, plural=plural)} in {time} for "
            f"{usd(prediction.cost_usd.p50)} ({usd(prediction.cost_usd.p10)}–{usd(prediction.cost_usd.p90)})."
        )
    without_limit = longest.kind in {"launch", "rework"}
    most = f"Most of it is {longest.name}." if without_limit else f"Bottleneck: {limit} ({longest.name})."
    said = [takes, *_risk_words(workload, prediction), most]
    if (run := workload.reached.today) is not None:
        said.append(
            f"Scaled to what runs today: {run.nodes:,} × {run.instance} took {duration(run.time_s)}, predicted "
            f"{duration(run.predicted_s)} without that."
        )
    if prediction.purchase != "on-demand":
        said.append(f"It is paid for {payment(prediction.purchase)}{_of_spot(prediction)}.")
    if prediction.on_empty is not None:
        empty = prediction.on_empty
        # A month costs the same, no matter how long its runs take.
        cost = "" if stays else f" and costs {usd(empty.cost_usd)}"
        said.append(f"It lives on burst credits: started with empty ones it takes {duration(empty.time_s)}{cost}.")
    return " ".join(said)


class _Terms(Protocol):
    @property
    def words(self) -> str: ...


def with_price_terms(sentences: str, terms: _Terms | None) -> str:
    """Return sentences that state costs, followed by the price terms that the costs include.

    Examples
    --------
    >>> from stowage.model.money.price_terms import PriceTerms
    >>> with_price_terms("It costs $8.80.", PriceTerms(overall=12.0))
    'It costs $8.80. Price terms: 12% discount.'
    """
    return sentences if terms is None else f"{sentences} Price terms: {terms.words}."


def _risk_words(workload: Workload, prediction: Prediction) -> Iterator[str]:
    """Yield the sentence on the risk of missing the deadline; nothing without a deadline."""
    deadline_s, met = workload.limits.deadline_s, prediction.meets_deadline
    if deadline_s is not None and met is not None:
        # No prediction is certain, even where its chance rounds to 1.
        share = chance(min(met, math.nextafter(1.0, 0.0)))
        yield f"It meets {duration(deadline_s)} in {share} of runs ({risk_level(met)} risk)."


def _of_spot(prediction: Prediction) -> str:
    """Return the date of a prediction's spot price in words; empty if it has none.

    The price may be older than the catalog.
    """
    if prediction.purchase != "spot":
        return ""
    days = [figure.as_of for figure in prediction.provenance if figure.quantity.endswith("spot_usd_per_hour")]
    return f" of {days[0]}" if days and days[0] is not None else ""


def payment(purchase: Purchase) -> str:
    """Describe a purchase option in words.

    Examples
    --------
    >>> [payment(purchase) for purchase in ("on-demand", "spot", "3-year")]
    ['on demand', 'at spot prices', 'by a commitment for 3 years']
    """
    words: dict[Purchase, str] = {
        "on-demand": "on demand",
        "spot": "at spot prices",
        "1-year": "by a commitment for a year",
        "3-year": "by a commitment for 3 years",
    }
    return words[purchase]


def kept(durability: Durability) -> str:
    """Describe a durability in words.

    Examples
    --------
    >>> [kept(Durability(*way)) for way in (("none", 1), ("application", 2), ("infrastructure", 1))]
    ['one copy', '2 copies', 'EBS volumes']
    """
    if durability.model == "infrastructure":
        return "EBS volumes" if durability.replicas == 1 else f"{durability.replicas} copies on EBS volumes"
    if durability.model == "object-store":
        return "object store"
    return "one copy" if durability.replicas == 1 else f"{durability.replicas} copies"


def _superlative(workload: Workload) -> str:
    """Describe the best configuration of a search by the objective and the limits.

    Example: "Cheapest within 15 min".
    """
    best = {"cost": "Cheapest", "time": "Fastest", "month": "Cheapest month"}[workload.objective]
    return f"{best} {limits_words(workload)}".strip()


def limits_words(workload: Workload) -> str:
    """Describe the limits of a workload in words; empty if there are no limits."""
    limits = workload.limits
    parts = []
    if limits.deadline_s is not None:
        surely = "" if limits.chance is None else f" with {chance(limits.chance)} confidence"
        parts.append(f"within {duration(limits.deadline_s)}{surely}")
    if limits.budget_usd is not None:
        parts.append(f"for at most {usd(limits.budget_usd)}")
    if limits.max_nodes is not None:
        parts.append(f"on at most {limits.max_nodes:,} node{'s' if limits.max_nodes > 1 else ''}")
    if limits.free_space > 0.0:
        parts.append(f"with {100.0 * limits.free_space:.7g}% of the disks free")
    if workload.survived_losses > 0:
        lost = workload.survived_losses
        parts.append(f"with room for the loss of {lost} node{'s' if lost > 1 else ''}")
    if workload.rereplicated_within_s is not None:
        parts.append(f"re-replicating a failed node within {duration(workload.rereplicated_within_s)}")
    if limits.loss is not None:
        parts.append(f"losing data with a chance of at most {100.0 * limits.loss:.7g}%")
    return ", ".join(parts)


_VERBS: dict[JobName, tuple[str, str, str]] = {
    "sort": ("sort", "sorts", ""),
    "mapreduce": ("map and reduce", "maps and reduces", ""),
    "hdfs-write": ("write", "writes", " to HDFS"),
    "hdfs-read": ("read", "reads", " from HDFS"),
    "append-log": ("append", "appends", " to a log"),
    "random-io": ("move", "moves", " in random I/O"),
    "phases": ("work through", "works through", ""),
}


def _where(layout: Layout, *, plural: bool) -> str:
    if isinstance(layout, InstanceStore):
        return f"on {'their' if plural else 'its'} own disks"
    return "on EBS volumes" if isinstance(layout, Ebs) else "from and to the object store"


def task_words(workload: Workload, *, plural: bool = True) -> str:
    """Describe the job and its data as a verb phrase: `sort 100 TB`, or `sorts 100 TB` for one node."""
    job = workload.job
    many, one, rest = _VERBS[job.kind]
    ends = (("from", workload.loaded_from), ("to", workload.unloaded_to))
    words: dict[str, list[str]] = {}
    for end, place in ends:
        if place != "in-place":
            words.setdefault(_place(place), []).append(end)
    copied = "".join(f" {' and '.join(of_place)} {place}" for place, of_place in words.items())
    return f"{many if plural else one} {size(job.data_mb)}{rest}{copied}"


def _place(place: DataPlace) -> str:
    """Describe the place from which data is loaded, or to which it is unloaded."""
    return f"elsewhere at {link_rate(place.link_mb_per_s)}" if isinstance(place, Elsewhere) else "the object store"


def _two_units(count: int, per_large: int, large: str, small: str) -> str:
    whole, rest = divmod(count, per_large)
    parts = ([f"{whole:,} {large}"] if whole else []) + ([f"{rest} {small}"] if rest or not whole else [])
    return " ".join(parts)
