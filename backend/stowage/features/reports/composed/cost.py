"""Cost calculation of an option: every part of the cost from prices, counts and times, line by line.

Each computed part is compared with the same part of the stored answer. If they differ, or if the answer lacks a price
that the formula needs, the stored value is shown and labeled "predicted".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isclose

from stowage.features.reports.composed.options import Option, month_label, part_names
from stowage.model.figure import Figure
from stowage.model.forecast import LAUNCH
from stowage.model.formula import FormulaError, evaluate, keys_of, without
from stowage.model.hardware.instance import PRICE_OF
from stowage.model.jobs.flows import Nodes, Phase, Role
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.money.price import IOPS_TIERS, SECONDS_PER_MONTH, Purchase, tiers_formula
from stowage.model.money.terms import DERIVED, SCREENING, TERMS, TRAFFIC, VOLUME_IO, Line
from stowage.model.offer import OBJECT_MB
from stowage.model.report import Amount, Calculation, Standing, Step
from stowage.model.sizes import MB_PER_GIB
from stowage.model.units import HOURS_PER_MONTH
from stowage.workloads import amounts, wording
from stowage.workloads.answers import CostPartsAnswer
from stowage.workloads.refusals import workload_of

AS_PREDICTED = "as predicted"

_EXACT = 1e-9
_PARTS = {f"{term.part}_usd" for term in TERMS}
_GB = f"{MB_PER_GIB:.6f}"
_OBJECT = f"{OBJECT_MB:.6f}"
_TIERS_GB = (51_200, 512_000)
_NEEDS = {"included_iops": "volume_iops", "included_mib_per_s": "volume_mib_per_s"}


@dataclass(slots=True)
class _Sheet:
    """One calculation while its lines are added, with the value of each line."""

    steps: list[Step] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)

    def given(self, key: str, label: str, amount: Amount) -> None:
        """Add a line for an input; do nothing if the calculation already has this input."""
        if key not in self.values:
            self.steps.append(Step(key, label, amount))
            self.values[key] = amount.value

    def predicted(self, key: str, label: str, value: float, unit: str) -> None:
        """Add a line for a value that the model predicts and no formula can compute."""
        amount = Amount(value, unit, amounts.with_unit(value, unit), standing="predicted", source="the model")
        self.given(key, f"{label}, {AS_PREDICTED}", amount)

    def follows(self, key: str, label: str, formula: str, unit: str) -> float:
        """Add a line that a formula computes from earlier lines, and return the value of the line."""
        value = evaluate(formula, self.values)
        self.steps.append(Step(key, label, Amount(value, unit, amounts.with_unit(value, unit)), formula))
        self.values[key] = value
        return value

    def simplified(self, line: Line) -> str:
        """Return the formula of a line without the terms whose inputs this calculation does not have."""
        return without(line.formula, keys_of(line.formula) - self.values.keys()) or "0"

    def derived(self, key: str, label: str) -> None:
        """Add a line for an intermediate quantity, computed by its formula in `DERIVED`."""
        self.follows(key, label, self.simplified(DERIVED[key]), DERIVED[key].unit)

    def total(self, key: str, label: str, amount: Amount) -> None:
        """Add a line for the sum of all cost parts."""
        parts = [step.key for step in self.steps if step.key in _PARTS]
        self.steps.append(Step(key, label, amount, " + ".join(parts) if parts else None))
        self.values[key] = amount.value

    def part(self, part: str, label: str, value: float, formula: str | None) -> None:
        """Add a line for a part of the cost.

        The line shows the formula if the formula reproduces the value. Otherwise the line is labeled "predicted".
        """
        key = f"{part}_usd"
        try:
            found = None if formula is None else evaluate(formula, self.values)
        except FormulaError:
            found = None
        if found is not None and isclose(found, value, rel_tol=_EXACT):
            amount = Amount(value, "USD", wording.usd(value), standing="predicted")
            self.steps.append(Step(key, label, amount, formula))
            self.values[key] = value
        else:
            self.predicted(key, label, value, "USD")


def calculation(option: Option, caption: str = "") -> Calculation:
    """Build the calculation of an option's cost.

    It shows the cost of a run and of a month of runs, or, for an always-on cluster, the cost of a month.

    Parameters
    ----------
    option : Option
        Option with its provenance.
    caption : str
        Caption; if empty, a default caption.
    """
    sheet = _Sheet()
    sheet.given("nodes", "Nodes that work", _chosen(option.row.nodes, "nodes"))
    if option.month_parts is None:
        _run(sheet, option)
    else:
        _month(sheet, option, option.month_parts)
    said = caption or (
        f"How the cost of {option.name} comes about. Lines without a formula are inputs: what was asked, what the "
        "search chose, prices with their sources, and what the model predicts of the times."
    )
    return Calculation("calculation", said, tuple(sheet.steps))


def _run(sheet: _Sheet, option: Option) -> None:
    """Add the lines for the cost of one run and of a month of runs."""
    row = option.row
    _times(sheet, option)
    _prices(sheet, option)
    if row.cost_parts_usd.idle_commitment > 0.0:
        sheet.given("runs_per_month", "Runs a month", _runs(option.runs_per_month))
        sheet.follows("committed_s", "Committed for each run", f"{SECONDS_PER_MONTH:.0f} / runs_per_month", "s")
    if row.cost_parts_usd.rework > 0.0:
        sheet.derived("usd_per_s", "Price of a second of the cluster")
    _parts(sheet, option, row.cost_parts_usd, month=False)
    sheet.total("cost_usd", "One run", amounts.money_range(row.cost_usd))
    sheet.given("runs_per_month", "Runs a month", _runs(option.runs_per_month))
    of_runs = amounts.money_range(row.cost_per_month_usd, "USD/month")
    sheet.steps.append(Step("month_usd", "A month of runs", of_runs, "cost_usd * runs_per_month"))
    if option.stays and row.cost_always_on_usd is not None:
        # The plan is older than the field with the parts of a month.
        sheet.predicted("always_on_usd", month_label(option), row.cost_always_on_usd, "USD/month")


def _month(sheet: _Sheet, option: Option, parts: CostPartsAnswer) -> None:
    """Add the lines for the cost of an always-on cluster in a month of 730 hours, including the charges of its runs."""
    month = Amount(SECONDS_PER_MONTH, "s", f"{HOURS_PER_MONTH:.0f} h", standing="given", source="a month of AWS' bills")
    sheet.given("work_s", "A month", month)
    sheet.derived("billed_s", "Billed")
    _prices(sheet, option)
    if parts.object_store > 0.0 or parts.traffic > 0.0 or parts.volume_io > 0.0:
        sheet.given("runs_per_month", "Runs a month", _runs(option.runs_per_month))
    _parts(sheet, option, parts, month=True)
    sheet.total("always_on_usd", month_label(option), option.month)


def _parts(sheet: _Sheet, option: Option, parts: CostPartsAnswer, *, month: bool) -> None:
    """Add a line for each part of the option's cost, with its formula."""
    charges = dict(_charges(sheet, option))
    lines = {term.part: term.line for term in TERMS}
    for part, label in part_names([option], month=month):
        line, formula = lines[part], charges.get(part)
        if line is not None:
            formula = sheet.simplified(line)
        elif month and formula is not None:
            formula = f"({formula}) * runs_per_month"
        sheet.part(part, label, getattr(parts, part), formula)


def _times(sheet: _Sheet, option: Option) -> None:
    """Add the lines for the time of the job and for the billed time."""
    row, figures = option.row, _by_quantity(option)
    # The rework after interruptions is billed separately.
    phases = [phase for phase in row.phases if phase.kind != "rework"]
    for number, phase in enumerate(phases, start=1):
        sheet.predicted(f"phase_{number}_s", f"Time of {phase.name}", phase.time_s, "s")
    work = " + ".join(f"phase_{number}_s" for number in range(1, len(phases) + 1))
    sheet.follows("work_s", "The job's own time", work or "0", "s")
    launch, minimum = figures.get("launch_s"), figures.get("minimum_billed_s")
    # The times of the phases may already include the launch.
    if launch is not None and not any(phase.name == LAUNCH for phase in row.phases):
        sheet.given("launch_s", "Launch and set-up", _figure(launch))
    if minimum is not None:
        sheet.given("minimum_billed_s", "Billed at least", _figure(minimum))
    sheet.derived("billed_s", "Billed")
    rework_s = row.time_s.p50 - sheet.values["work_s"]
    if row.cost_parts_usd.rework > 0.0 and rework_s > 0.0:
        sheet.predicted("rework_s", "Time that interruptions add", rework_s, "s")
    if row.cost_parts_usd.rework > 0.0 or row.cost_parts_usd.idle_commitment > 0.0:
        sheet.derived("last_billed_s", "Billed with the time that interruptions add")


def _prices(sheet: _Sheet, option: Option) -> None:
    """Add the lines for the hourly prices of the nodes and the monthly prices of their volumes.

    Prices that the stored answer does not use are left out.
    """
    row, figures = option.row, _by_quantity(option)
    if row.head_node is not None:
        sheet.given("head_nodes", "Head nodes", _chosen(1.0, "nodes"))
    hourly = (
        ("usd_per_hour", f"{row.instance}.{PRICE_OF[row.purchase or option_purchase(option)]}", "Price of a node"),
        ("ebs_link_usd_per_hour", f"{row.instance}.ebs_usd_per_hour", "Its link to EBS"),
        ("emr_usd_per_hour", "emr_usd_per_hour", "EMR's fee for a node"),
        ("head_usd_per_hour", "head_usd_per_hour", "Price of the head node"),
        ("head_emr_usd_per_hour", "head_emr_usd_per_hour", "EMR's fee for the head node"),
    )
    for key, quantity, label in hourly:
        found = figures.get(quantity)
        if found is not None and (found.value > 0.0 or key == "usd_per_hour"):
            sheet.given(key, label, _an_hour(found))
    volume = row.storage.type if row.storage.kind == "ebs" else None
    if volume is None:
        return
    ordered = (
        ("volumes", "cluster.storage.count", "Volumes of a node"),
        ("volume_gib", "cluster.storage.size", "Size of a volume"),
        ("usd_per_gib_month", f"{volume}.usd_per_gib_month", "Price of a GiB"),
        ("volume_iops", "cluster.storage.iops", "IOPS of a volume"),
        ("included_iops", f"{volume}.included_iops", "Of them included"),
        ("usd_per_iops_month", f"{volume}.usd_per_iops_month", "Price of one of the others"),
        ("usd_per_iops_month_2", f"{volume}.usd_per_iops_month_above_32000", "Price of one above 32,000"),
        ("usd_per_iops_month_3", f"{volume}.usd_per_iops_month_above_64000", "Price of one above 64,000"),
        ("volume_mib_per_s", "cluster.storage.throughput", "Throughput of a volume"),
        ("included_mib_per_s", f"{volume}.included_mib_per_s", "Of it included"),
        ("usd_per_mib_per_s_month", f"{volume}.usd_per_mib_per_s_month", "Price of a MiB/s of the rest"),
    )
    for key, quantity, label in ordered:
        found = figures.get(quantity)
        # The included performance matters only where performance is provisioned.
        if found is not None and ("included" not in quantity or _NEEDS[key] in sheet.values):
            sheet.given(key, label, _figure(found))
    if {"volumes", "volume_gib", "usd_per_gib_month"} <= sheet.values.keys():
        sheet.follows("volume_usd_per_month", "A volume for a month", _volume_month(sheet), "USD")
        sheet.follows("volumes_usd_per_month", "A node's volumes for a month", "volumes * volume_usd_per_month", "USD")


def option_purchase(option: Option) -> Purchase:
    """Return the purchase option from the request of a plan.

    It is used for old stored answers, whose rows do not have this field. In the requests of these plans, ``any`` means
    on-demand.
    """
    purchase = option.file.place.purchase
    return "on-demand" if purchase == "any" else purchase


def _volume_month(sheet: _Sheet) -> str:
    """Return the formula of a volume's monthly cost, for its size and its separately charged performance."""
    has = sheet.values.__contains__
    terms = ["volume_gib * usd_per_gib_month"]
    by_iops = [key for key in ("usd_per_iops_month", "usd_per_iops_month_2", "usd_per_iops_month_3") if has(key)]
    if by_iops and has("volume_iops"):
        terms.append(tiers_formula(_beyond(sheet, "volume_iops", "included_iops"), by_iops, IOPS_TIERS))
    if has("usd_per_mib_per_s_month") and has("volume_mib_per_s"):
        terms.append(f"{_beyond(sheet, 'volume_mib_per_s', 'included_mib_per_s')} * usd_per_mib_per_s_month")
    return " + ".join(terms)


def _beyond(sheet: _Sheet, amount: str, included: str) -> str:
    return f"max({amount} - {included}, 0)" if included in sheet.values else amount


def _charges(sheet: _Sheet, option: Option) -> Iterator[tuple[str, str]]:
    """Yield the cost part and the formula of each charge that a run causes, such as traffic between zones.

    The lines for the inputs of a formula are added to the calculation before the formula is yielded.
    """
    parts = option.month_parts or option.row.cost_parts_usd
    if parts.screening > 0.0:
        yield from _screening(sheet, option)
    if parts.traffic > 0.0:
        yield from _traffic(sheet, option)
    if parts.volume_io > 0.0:
        yield from _volume_io(sheet, option)
    if parts.object_store > 0.0:
        yield from _object_store(sheet, option)


def _screening(sheet: _Sheet, option: Option) -> Iterator[tuple[str, str]]:
    figures = _by_quantity(option)
    spares, measured, launch = figures.get("cluster.spares"), figures.get("screening_s"), figures.get("launch_s")
    if spares is not None and measured is not None:
        sheet.given("spares", "Spare nodes", _chosen(spares.value, "nodes"))
        sheet.given("screening_s", "Measuring all nodes before the job", _figure(measured))
        if launch is not None:
            sheet.given("launch_s", "Launch and set-up", _figure(launch))
        yield "screening", sheet.simplified(SCREENING)


def _traffic(sheet: _Sheet, option: Option) -> Iterator[tuple[str, str]]:
    """Yield the cost part and the formula of the charge for traffic between zones.

    The model predicts how much data the nodes exchange.
    """
    figures = _by_quantity(option)
    price, zones = figures.get("between_zones_usd_per_gb"), figures.get("place.zones")
    if price is not None and zones is not None and price.value > 0.0 and zones.value > 1.0:
        sheet.given("zones", "Availability zones", _asked(zones.value, "zones", f"{zones.value:,.0f} zones"))
        sheet.follows("share_between_zones", "Share of the traffic between them", "(zones - 1) / zones", "1")
        sheet.given("usd_per_gb_between_zones", "Price of this traffic, in each direction", _figure(price))
        usd_per_mb = evaluate(TRAFFIC.formula, sheet.values | {"sent_mb": 1.0})
        sent_mb = option.row.cost_parts_usd.traffic / usd_per_mb
        sheet.predicted("sent_mb", "What nodes send to each other", sent_mb, "MB")
        yield "traffic", TRAFFIC.formula


def _volume_io(sheet: _Sheet, option: Option) -> Iterator[tuple[str, str]]:
    """Yield the cost part and the formula of the charge for EBS volume I/Os.

    The model predicts the number of I/Os.
    """
    storage = option.row.storage
    price = _by_quantity(option).get(f"{storage.type}.usd_per_million_io") if storage.kind == "ebs" else None
    if price is not None and price.value > 0.0:
        sheet.given("usd_per_million_io", "Price of a million I/Os", _figure(price))
        operations = option.row.cost_parts_usd.volume_io / price.value * 1e6
        sheet.predicted("operations", "I/Os of all volumes", operations, "I/Os")
        yield "volume_io", VOLUME_IO.formula


def _object_store(sheet: _Sheet, option: Option) -> Iterator[tuple[str, str]]:
    """Yield the cost part and the formula of the charge of the object store.

    The charge covers requests, and storage for as long as the data is kept.
    """
    figures = _by_quantity(option)
    moved = _moved_mb(option)
    if moved is None:
        return
    read_mb, written_mb = moved
    terms = []
    for key, moved_mb, quantity, what in (
        ("written_mb", written_mb, "put_usd_per_1000", "written to"),
        ("read_mb", read_mb, "get_usd_per_1000", "read from"),
    ):
        price = figures.get(f"object_store.{quantity}")
        if price is not None and moved_mb > 0.0:
            words = wording.size(moved_mb)
            amount = Amount(moved_mb, "MB", words, standing="given", source="the workload")
            sheet.given(key, f"What is {what} the object store", amount)
            sheet.given(quantity, "Price of 1,000 such requests", _figure(price))
            terms.append(f"ceil({key} / {_OBJECT}) / 1000 * {quantity}")
    kept_s = figures.get("workload.kept")
    names = ("usd_per_gb_month", "usd_per_gb_month_above_50_tb", "usd_per_gb_month_above_500_tb")
    tiers = [figures.get(f"object_store.{name}") for name in names]
    if kept_s is not None and any(tiers) and "written_mb" in sheet.values:
        runs = option.runs_per_month
        ends = ("", " above 51,200 GB", " above 512,000 GB")
        sheet.given("kept_s", "For how long it is kept", _figure(kept_s))
        sheet.given("runs_per_month", "Runs a month", _runs(runs))
        held = f"runs_per_month * written_mb / {_GB} * kept_s / {SECONDS_PER_MONTH:.0f}"
        sheet.follows("held_gb", "Held on average", held, "GB")
        priced = [(name, price, end) for name, price, end in zip(names, tiers, ends, strict=True) if price is not None]
        for name, price, end in priced:
            sheet.given(name, f"Price of a GB for a month{end}", _figure(price))
        stored = tiers_formula("held_gb", [name for name, _, _ in priced], _TIERS_GB)
        terms.append(f"({stored}) / runs_per_month")
    if terms:
        yield "object_store", " + ".join(terms)


def _moved_mb(option: Option) -> tuple[float, float] | None:
    """Return how much data all nodes read from and write to the object store [MB]; None if this is unknown."""
    workload = workload_of(option.file.to_workloads(), option.row.nodes, None, option.row.durability, None)
    if workload is None:
        return None
    job = workload.job
    nodes = float(option.row.nodes)
    # Memory and CPUs do not change how much is read and written at the ends of a job.
    cluster = Nodes(nodes, 1e12, 1.0, whole_shuffle=option.file.assume.shuffle == "whole")
    flat = replace(workload, job=replace(job, skew=1.0)) if isinstance(job, MapReduce) else workload
    phases = flat.phases(cluster)
    read, written = workload.object_roles
    return _sum_mb(phases, read, nodes), _sum_mb(phases, written, nodes)


def _sum_mb(phases: tuple[Phase, ...], role: Role, nodes: float) -> float:
    return sum((float(phase.flows_mb[role]) * nodes for phase in phases if role in phase.flows_mb), 0.0)


def _by_quantity(option: Option) -> dict[str, Figure]:
    return {figure.quantity: figure for figure in option.row.provenance}


def _chosen(value: float, unit: str) -> Amount:
    standing: Standing = "given"
    return replace(amounts.count(value, unit, standing), source="the configuration")


def _runs(value: float) -> Amount:
    return _asked(value, "runs", f"{wording.three_digits(value)} {'run' if value == 1.0 else 'runs'}")


def _asked(value: float, unit: str, words: str) -> Amount:
    return Amount(value, unit, words, standing="given", source="the workload")


def _figure(found: Figure) -> Amount:
    """Convert an input of the prediction to a displayed amount; durations get a readable unit."""
    plain = amounts.figure(found)
    return replace(plain, words=wording.duration(found.value)) if found.unit == "s" else plain


def _an_hour(found: Figure) -> Amount:
    words = f"{wording.usd(found.value)}/h"
    return Amount(found.value, found.unit, words, standing=found.kind, source=found.source, as_of=found.as_of)
