"""Options of a report: names, costs, phases and bottlenecks, side by side."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stowage.frozen import frozen
from stowage.model.jobs.flows import Durability
from stowage.model.money.terms import TERMS
from stowage.model.report import Amount, Axis, Chart, Column, Fact, Point, Row, Section, Series, Table
from stowage.model.units import SECONDS_PER_YEAR
from stowage.workloads import amounts, wording
from stowage.workloads.answers import (
    ClusterAnswer,
    ConfigurationAnswer,
    CostPartsAnswer,
    PhaseAnswer,
)
from stowage.workloads.report_tables import Field, Records, number, text
from stowage.workloads.risk_levels import risk_level
from stowage.workloads.workload_file import WorkloadFile

_KINDS = {
    "network out": "network",
    "network in": "network",
    "input/output disks": "local disk",
    "intermediate disks": "local disk",
    "shared disks": "local disk",
    "EBS link": "EBS link",
    "EBS volumes": "EBS volumes",
    "object store": "object store",
    "CPU": "CPU",
    "link to the data": "data link",
    "launch": "launch",
}
_A_YEAR, _ABOUT = SECONDS_PER_YEAR, 0.02
_IN_A_YEAR = "in a year"
_MONTHS = 12.0


@frozen
class Option:
    """One configuration in a report."""

    key: str
    """Key by which reports are compared: `rank-1`, `plan-2`."""
    name: str
    """Name of the cluster, as in `98 × i2.8xlarge`."""
    row: ConfigurationAnswer
    """Prediction of the configuration."""
    file: WorkloadFile
    """Workload file of the request, without a cluster."""
    of: str = ""
    """Name of the plan that the option comes from."""

    @property
    def longest(self) -> PhaseAnswer:
        """Phase that takes longest."""
        return max(self.row.phases, key=lambda phase: phase.time_s)

    @property
    def total_s(self) -> float:
        """Time of all phases [s]."""
        return sum(phase.time_s for phase in self.row.phases)

    @property
    def limited_by(self) -> str:
        """Display name of the resource that limits the longest phase."""
        return wording.resource(self.longest.bottleneck)

    @property
    def deadline(self) -> str:
        """Deadline as the user wrote it, or the job's default."""
        usual_s = self.file.to_workload().limits.deadline_s
        return self.file.limits.deadline or ("" if usual_s is None else wording.duration(usual_s))

    @property
    def runs_per_month(self) -> float:
        """Runs per month [1/month]."""
        return self.file.workload.runs_per_month

    @property
    def month(self) -> Amount:
        """Monthly cost of the always-on cluster if this was the objective, else of all runs in a month."""
        always = self.row.cost_always_on_usd
        if self.stays and always is not None:
            return amounts.money(always, "USD/month")
        return amounts.money_range(self.row.cost_per_month_usd, "USD/month")

    @property
    def stays(self) -> bool:
        """Return whether the objective of the request is the monthly cost of an always-on cluster."""
        return self.file.objective == "month"

    @property
    def month_parts(self) -> CostPartsAnswer | None:
        """Return the parts of an always-on cluster's monthly cost.

        The result is None if the plan has another objective, or was stored before plans had this field.
        """
        return self.row.cost_always_on_parts_usd if self.stays else None

    @property
    def all_nodes(self) -> str:
        """Description of all nodes that are paid for: ``29 × d3en.xlarge and 1 × m6g.xlarge as NameNode``."""
        return nodes_of(self.row)


def nodes_of(row: ConfigurationAnswer) -> str:
    """Describe all nodes that a row pays for, including a head node."""
    head = row.head_node
    return wording.nodes_words(
        row.nodes, row.instance, None if head is None else head.role, None if head is None else head.instance
    )


def name_of(row: ClusterAnswer) -> str:
    """Return the name of a cluster, as in ``98 × i2.8xlarge``."""
    return f"{row.nodes:,} × {row.instance}"


def resource_kind(bottleneck: str) -> str:
    """Return the kind of resource that a bottleneck belongs to.

    Charts color bottlenecks by this kind.
    """
    return _KINDS.get(bottleneck, "other")


def phase_kind(phase: PhaseAnswer) -> str:
    """Return the kind that determines the color of a phase in charts.

    It is ``loading`` for load and unload phases, and the kind of the bottleneck for other phases.
    """
    return "loading" if phase.kind in {"load", "unload"} else resource_kind(phase.bottleneck)


def exposure_words(row: ConfigurationAnswer) -> str:
    """Return the exposure window in words, as in ``in a year`` or ``during the job``."""
    span, time_s = row.loss_exposure_s, row.time_s.p50
    if abs(span - _A_YEAR) <= _ABOUT * _A_YEAR:
        return _IN_A_YEAR
    return "during the job" if abs(span - time_s) <= _ABOUT * time_s else f"in {wording.duration(span)}"


def loss_facts(option: Option) -> Iterator[Fact]:
    """Yield the probability of data loss in a year of runs, and that over the exposure window if it is another one."""
    row = option.row
    lost, span = row.loss_probability, exposure_words(row)
    yearly = lost if span == _IN_A_YEAR else _loss_of_a_year(option)
    if yearly is not None:
        runs = wording.three_digits(_MONTHS * option.runs_per_month)
        label = _IN_A_YEAR if span == _IN_A_YEAR else f"{_IN_A_YEAR} of {runs} runs"
        words = f"{wording.chance(yearly)} ({risk_level(1.0 - yearly)})"
        yield Fact("loss_year", f"Risk of losing data {label}", replace(amounts.chance(yearly), words=words), "less")
    if span != _IN_A_YEAR:
        yield Fact("loss", f"Risk of losing data {span}", amounts.chance(lost), "less")


def _loss_of_a_year(option: Option) -> float | None:
    """Return the probability that at least one of a year's runs loses data.

    The result is None in three cases: there is at most one run in a year, each run is certain to lose data, or the
    exposure windows of all runs together exceed a year.
    """
    row = option.row
    lost = row.loss_probability
    runs = _MONTHS * option.runs_per_month
    if row.loss_exposure_s * runs > (1.0 + _ABOUT) * SECONDS_PER_YEAR or lost >= 1.0 or runs <= 1.0:
        return None
    return -math.expm1(runs * math.log1p(-lost))


def month_label(option: Option) -> str:
    """Return the label of an option's monthly cost."""
    if option.stays:
        return "Always-on monthly cost"
    runs = option.runs_per_month
    return f"Cost of a month of {wording.three_digits(runs)} run{'' if runs == 1.0 else 's'}"


def kept_words(row: ConfigurationAnswer) -> str | None:
    """Describe the durability of a row in words.

    The result is None if the plan was stored before rows had a durability.
    """
    if row.durability is None:
        return None
    return wording.kept(Durability(row.durability, row.replicas or 1))


def options_table(options: Sequence[Option], caption: str, chosen: str) -> Table:
    """Build the table of options side by side, one per row.

    Parameters
    ----------
    options : sequence of Option
        Options. Percentages are relative to the cost of the first option: of a run, or if all options are always-on
        clusters, of a month.
    chosen : str
        Key of the recommended option.
    """
    table = Records(((option.key, option) for option in options), lambda option: option.key == chosen).table(
        "options", caption, *_option_fields(options)
    )
    return replace(table, sideways=True)


def _option_fields(options: Sequence[Option]) -> list[Field[Option]]:
    """Return the columns of the options table.

    Columns without a value in any row are left out. The purchase option is also left out if every row is on-demand, the
    monthly cost if every row has one run per month.
    """
    first, all_stay = options[0], all(option.stays for option in options)
    of_run = all(option.runs_per_month == 1.0 and not option.stays for option in options)
    on_demand = all(option.row.purchase in {None, "on-demand"} for option in options)

    def usd(option: Option) -> float:
        return option.month.value if all_stay else option.row.cost_usd.p50

    def month(option: Option) -> Amount:
        # The other rows show months of runs.
        apart = option.stays and not all_stay
        return replace(option.month, words=f"{option.month.words}, always on") if apart else option.month

    def paid(option: Option) -> str | None:
        return None if on_demand or option.row.purchase is None else wording.payment(option.row.purchase)

    fields: list[Field[Option]] = [
        text("option", "Option", lambda option: option.name),
        text("plan", "Plan", lambda option: option.of or None),
        text(
            "head_node",
            "One more node",
            lambda option: None if (head := option.row.head_node) is None else f"{head.role}, {head.instance}",
        ),
        number("time_s", "Time of a run" if all_stay else "Time", lambda option: amounts.time_range(option.row.time_s)),
        number(
            "cost_usd", "Cost of a run", lambda option: None if all_stay else amounts.money_range(option.row.cost_usd)
        ),
        number(
            "cost_pct",
            f"{'Month' if all_stay else 'Run'} against the first",
            lambda option: None if option is first else amounts.percent(usd(option), usd(first)),
        ),
        number(
            "month_usd",
            "Always-on monthly cost" if all_stay else "Cost of a month",
            lambda option: None if of_run else month(option),
        ),
        number("in_time", "Meets the deadline", lambda option: _chance(option.row.meets_deadline)),
        number("in_budget", "Keeps to the budget", lambda option: _chance(option.row.meets_budget)),
        number(
            "loss",
            f"Loses data {_exposures(options)}",
            lambda option: amounts.chance(option.row.loss_probability),
        ),
        text("limited_by", "Limited by", lambda option: option.limited_by),
        text("storage", "Storage", lambda option: option.row.storage_words),
        text("kept", "Data is kept in", lambda option: kept_words(option.row)),
        text("paid", "Paid for", paid),
    ]
    return [field for field in fields if any(field.cell(option) is not None for option in options)]


def _chance(value: float | None) -> Amount | None:
    return None if value is None else amounts.chance(value)


def cost_section(options: Sequence[Option]) -> Section:
    """Build the section on the cost of each option, by part.

    If all options are always-on clusters, it shows the monthly cost, else the cost of a run.
    """
    month = all(option.month_parts is not None for option in options)
    parts, what = part_names(options, month=month), "month" if month else "run"
    chart = Chart(
        key="cost-by-part",
        title=f"Cost of a {what} by part",
        caption=_cost_caption(options, parts, month=month),
        chart="stacked",
        x=Axis(f"Cost of a {what}", "USD"),
        y=categories(options),
        series=tuple(
            Series(
                name,
                tuple(
                    Point(_part(option, part, month=month), float(place), ringed=place == 0)
                    for place, option in enumerate(options)
                ),
                "bars",
            )
            for part, name in parts
        ),
    )
    table = Table(
        "cost-parts",
        "The same in figures, at the median.",
        (
            Column("part", f"Part of a {what}"),
            *(Column(_column(option, "usd"), option.name, numeric=True) for option in options),
        ),
        (
            *(
                Row(part, (name, *(amounts.money(_part(option, part, month=month)) for option in options)))
                for part, name in parts
            ),
            Row("total", (f"One {what}", *(_total(option, month=month) for option in options)), chosen=True),
        ),
    )
    return Section("cost", f"What a {what} costs, by part", (chart, table), detail=True)


def part_names(options: Sequence[Option], *, month: bool) -> list[tuple[str, str]]:
    """Return the key and label of each part of the cost that some option pays for, in display order.

    With `month`, these are the parts of the monthly cost, else the parts of the cost of a run.
    """
    words = {term.part: (term.month_label if month else "") or term.label for term in TERMS}
    roles = {option.row.head_node.role for option in options if option.row.head_node is not None}
    if len(roles) == 1:
        words["head_nodes"] = roles.pop()
    return [
        (part, name)
        for part, name in words.items()
        if any(_part(option, part, month=month) > 0.0 for option in options)
    ]


def time_section(options: Sequence[Option]) -> Section:
    """Build the section on the time of each phase."""
    stacks: dict[tuple[str, str], dict[int, float]] = {}
    for place, option in enumerate(options):
        for phase in option.row.phases:
            found = stacks.setdefault((phase.name, phase_kind(phase)), {})
            found[place] = found.get(place, 0.0) + phase.time_s
    chart = Chart(
        key="time-by-phase",
        title="Time by phase and bottleneck; loading and unloading separately",
        caption=" ".join(f"{option.name}: {bottleneck_sentence(option)}" for option in options[:2]),
        chart="stacked",
        x=Axis("Time of one run", "s"),
        y=categories(options),
        series=tuple(
            Series(
                name,
                tuple(Point(time_s, float(place), ringed=place == 0) for place, time_s in found.items()),
                "bars",
                kind,
            )
            for (name, kind), found in stacks.items()
        ),
    )
    rows = [
        (f"{option.key}-phase-{place}", (option, phase))
        for option in options
        for place, phase in enumerate(option.row.phases, start=1)
    ]
    table = Records(rows, chosen=lambda row: row[1] is row[0].longest).table(
        "phases",
        "What each phase takes at the median, what limits it, and what would limit it next. Marked: the longest.",
        text("option", "Option", lambda row: row[0].name),
        text("phase", "Phase", lambda row: row[1].name),
        number("time_s", "Time", lambda row: amounts.seconds(row[1].time_s)),
        number(
            "share",
            "Share",
            lambda row: amounts.share(row[1].time_s / row[0].total_s) if row[0].total_s > 0.0 else None,
        ),
        text("limited_by", "Limited by", lambda row: wording.resource(row[1].bottleneck)),
        text("next", "Next busiest", lambda row: _next_busiest(row[1])),
    )
    return Section("time", "Where the time goes", (chart, table), detail=True)


def bottleneck_sentence(option: Option) -> str:
    """Return a sentence on the bottleneck of the longest phase, and that phase's share of the time."""
    phase = option.longest
    limit = option.limited_by
    verb = "limit" if limit.endswith(("disks", "volumes")) else "limits"
    total_s = option.total_s
    said = f"The {limit} {verb} {phase.name}"
    if len(option.row.phases) == 1 or total_s <= 0.0:
        return f"{said}."
    return (
        f"{said}, {wording.duration(phase.time_s)} of {wording.duration(total_s)} "
        f"({wording.three_digits(100.0 * phase.time_s / total_s)}%)."
    )


def categories(options: Sequence[Option]) -> Axis:
    """Return the chart axis that lists the options, with the first option on top."""
    names = [option.name for option in options]
    told = [
        f"{option.name}, {option.row.storage_words}" if names.count(option.name) > 1 else option.name
        for option in options
    ]
    return Axis("", "", "categories", tuple(told))


def _column(option: Option, unit: str) -> str:
    return f"{option.key.replace('-', '_')}_{unit}"


def _part(option: Option, part: str, *, month: bool) -> float:
    parts = option.month_parts if month else option.row.cost_parts_usd
    return 0.0 if parts is None else float(getattr(parts, part))


def _total(option: Option, *, month: bool) -> Amount:
    return option.month if month else amounts.money_range(option.row.cost_usd)


def _cost_caption(options: Sequence[Option], parts: Sequence[tuple[str, str]], *, month: bool) -> str:
    option, what = options[0], "month" if month else "run"
    total = _total(option, month=month).value
    if not parts or total <= 0.0:
        return f"A {what} costs nothing that is counted here."
    part, name = max(parts, key=lambda each: _part(option, each[0], month=month))
    share = wording.three_digits(100.0 * _part(option, part, month=month) / total)
    # Acronyms stay in capitals.
    told = name if name[:2].isupper() else f"{name[0].lower()}{name[1:]}"
    return f"Of {wording.usd(total)} that a {what} on {option.name} costs, {share}% are: {told}."


def _exposures(options: Sequence[Option]) -> str:
    found = {exposure_words(option.row) for option in options}
    return found.pop() if len(found) == 1 else "while it can be lost"


def _next_busiest(phase: PhaseAnswer) -> str | None:
    """Describe the busiest resource after the bottleneck, with its utilization.

    The result is None if the phase uses no other resource.
    """
    kind = wording.resource(phase.bottleneck)
    others = [(share, wording.resource(name)) for name, share in phase.utilization.items() if share > 0.0]
    others = [(share, name) for share, name in others if name != kind]
    if not others:
        return None
    share, name = max(others)
    return f"{name}, {wording.three_digits(100.0 * share)}% of the time"
