"""Plan reports: the best options of a saved plan, the first of which is recommended."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from stowage.features.planning import plans
from stowage.features.planning.basis import AnswerBasis, basis_of, file_of, with_sources
from stowage.features.planning.decided import TodayCluster
from stowage.features.planning.outlook import blocks as outlook_blocks
from stowage.features.planning.outlook import outlooks
from stowage.features.planning.planning import MOST_ROWS
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.composed.clusters import Today, deployable_file, predict_today
from stowage.features.reports.composed.cost import calculation
from stowage.features.reports.composed.decision import Terms, decision_section
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.frontier import Searched, frontier_section
from stowage.features.reports.composed.options import (
    Option,
    bottleneck_sentence,
    cost_section,
    name_of,
    options_table,
    time_section,
)
from stowage.features.reports.composed.pins import pins_sections
from stowage.features.reports.composed.price_terms import words_of
from stowage.features.reports.composed.provenance import (
    assumptions_section,
    provenance_section,
    since_paragraphs,
    versions_of,
)
from stowage.features.reports.composed.risk import doubts, risk_section
from stowage.features.reports.composed.today import today_section
from stowage.features.reports.schemas import NewReport, PlanOrigin
from stowage.model.report import Amount, Block, Fact, Facts, Origin, Paragraph, Section, Table
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem
from stowage.workloads import amounts, wording
from stowage.workloads.answers import CandidateAnswer, PlanAnswer, RankedAnswer
from stowage.workloads.report_tables import Records, number, text
from stowage.workloads.workload_file import parse_workload

_USUAL = (1, 2, 3)
_DECIDED_WITHIN = timedelta(days=30)
"""Time to decide, unless the author names a day: prices and measurements may have changed by then."""


def plan_draft(database: Database, org_id: UUID, asked: NewReport, origin: PlanOrigin, now: datetime) -> Draft:
    """Compose the sections of a plan's report.

    Raises
    ------
    NotFound
        The plan does not exist, or is another team's.
    BadInput
        The plan does not have a requested rank, or its catalog does not have the instance type of the current cluster.
    """
    plan = plans.read_plan(database, org_id, origin.plan_id)
    if not plan.answer.configurations:
        return _nothing_fits(plan, origin)
    basis = basis_of(database, org_id, plan)
    options = tuple(_options(plan, origin, basis))
    first, answer = options[0], plan.answer
    is_winner = first.key == "rank-1"
    compared = options_table(options, _options_caption(answer, options), first.key)
    sections = [Section("options", "The options side by side", (compared,), detail=True), *pins_sections(plan, first)]
    cluster = baseline_of(asked, [plan])
    today, of_options = option_sections(options, cluster, asked, basis, [Searched("not beaten in both", answer)])
    of_options += [
        Section("calculation", "How the cost comes about", (calculation(first),), detail=True),
        assumptions_section([(plan.name, answer.workload)], options, [answer.price_terms]),
        provenance_section(options, today),
    ]
    notes = [*doubts(first), *since_paragraphs(plan.changes)]
    summary = decision_section(first, today, terms_of(plan, asked, now), notes)
    return Draft(
        sentence=answer.sentence if is_winner else wording.with_price_terms(option_sentence(first), answer.price_terms),
        origin=Origin("plan", (str(plan.id),), (plan.name,)),
        sections=(summary, *sections, *of_options),
        versions=versions_of([answer], plan.currency),
        options=options,
        price_terms=words_of([answer.price_terms]),
    )


def option_sentence(option: Option) -> str:
    """Return sentences for users to copy, on the time, cost and bottleneck of an option."""
    return f"{takes_sentence(option)} {bottleneck_sentence(option)}"


def takes_sentence(option: Option) -> str:
    """Return a sentence on the time and cost of an option."""
    row = option.row
    time, cost = amounts.time_range(row.time_s), amounts.money_range(row.cost_usd)
    time_span = "" if time.range_words is None else f" ({time.range_words})"
    cost_span = "" if cost.range_words is None else f" ({cost.range_words})"
    one = row.nodes == 1 and row.head_node is None
    named = f"{option.all_nodes} ({row.storage_words})"
    if option.stays:
        costs = "costs" if one else "cost"
        return f"{named} {costs} {option.month.words} a month, always on. One run takes {time.words}{time_span}."
    takes = "takes" if one else "take"
    return f"{named} {takes} {time.words}{time_span} for {cost.words}{cost_span}."


def baseline_of(asked: NewReport, of: Sequence[SavedPlanAnswer]) -> TodayCluster | None:
    """Return the current cluster that a report compares with: the requested one, else the first one saved with a plan.

    The result is None if the request excludes it by null.
    """
    if "today" in asked.model_fields_set:
        return asked.today
    return next((plan.decided.today.cluster for plan in of if plan.decided.today is not None), None)


def terms_of(plan: SavedPlanAnswer, asked: NewReport, now: datetime) -> Terms:
    """Return the terms of a decision: the prices of a plan, and the requested or usual day by which to decide."""
    answer = plan.answer
    today = now.date()
    prices = f"catalog {answer.catalog_version} of {amounts.day(answer.catalog_as_of)}"
    decide_by = asked.decide_by or today + _DECIDED_WITHIN
    return Terms(prices, words_of([answer.price_terms]), today, decide_by, plan.currency)


def option_sections(
    options: Sequence[Option],
    cluster: TodayCluster | None,
    asked: NewReport,
    basis: AnswerBasis,
    searched: Sequence[Searched],
    differences: Sequence[Section] = (),
) -> tuple[Today | None, list[Section]]:
    """Build the sections on cost, current cluster, frontier, time, risks and outlook of the options.

    Parameters
    ----------
    cluster : TodayCluster or None
        Current cluster.
    basis : AnswerBasis
        Basis of the first option's answer.
    differences : sequence of Section
        Sections that follow the comparison with the current cluster.

    Returns
    -------
    tuple of (Today or None, list of Section)
        Prediction of the current cluster, if there is one; and the sections.
    """
    today, sections = None, [cost_section(options)]
    if cluster is not None:
        today = predict_today(cluster, options[0], basis)
        sections.append(_against(today, options[0], basis))
    sections += [*differences, frontier_section(searched, options), time_section(options), risk_section(options)]
    if asked.outlook is not None:
        sections += _outlook_sections(options[0], asked.outlook.growth_pct_per_month, asked.outlook.months, basis)
    return today, sections


def _against(today: Today, option: Option, basis: AnswerBasis) -> Section:
    """Build the section that compares an option with the current cluster."""
    section = today_section(today, option)
    return section if basis.same else replace(section, blocks=(*section.blocks, _by_another_model()))


def _outlook_sections(
    option: Option, growth_pct_per_month: float, months: int, basis: AnswerBasis
) -> tuple[Section, ...]:
    """Build the sections on the cost of an option as data grows.

    One section compares purchase options. If requested, another section lists the cost month by month.
    """
    file = parse_workload(deployable_file(option))
    blocks: Sequence[Block] = outlooks.outlook_blocks(file, basis.source, growth_pct_per_month, months)
    if not basis.same:
        blocks = (*blocks, _by_another_model())
    monthly = tuple(each for each in blocks if isinstance(each, Table) and each.key == outlook_blocks.MONTHS_TABLE)
    sections = [
        Section("outlook", "Cost over time", tuple(each for each in blocks if each not in monthly), detail=True)
    ]
    if monthly:
        sections.append(Section("months", "Cost over time, month by month", monthly, detail=True))
    return tuple(sections)


def _by_another_model() -> Paragraph:
    return Paragraph(
        "This part is predicted by the model and the measurements of the day of the report; the plan's own numbers are "
        "those of the plan's day.",
        tone="doubt",
    )


def _options(plan: SavedPlanAnswer, origin: PlanOrigin, basis: AnswerBasis) -> Iterator[Option]:
    rows = plan.answer.configurations
    file = file_of(plan.answer)
    for rank in _ranks(origin, len(rows)):
        row: RankedAnswer = with_sources(rows[rank - 1], file, basis)
        yield Option(f"rank-{rank}", name_of(row), row, file)


def _ranks(origin: PlanOrigin, size: int) -> Sequence[int]:
    """Return the ranks of the options to show: the requested ranks, or by default the first three that exist.

    Raises
    ------
    BadInput
        A rank does not exist, or is named twice.
    """
    if tuple(origin.ranks) == _USUAL:
        return [rank for rank in _USUAL if rank <= size]
    problems = []
    for place, rank in enumerate(origin.ranks):
        if rank > size:
            rows = "1" if size == 1 else f"1 to {size}"
            problems.append(Problem(f"origin.ranks.{place}", f"{rank} is no row of this plan; accepted: {rows}"))
        elif rank in origin.ranks[:place]:
            problems.append(Problem(f"origin.ranks.{place}", f"{rank} stands there twice"))
    if problems:
        raise BadInput(problems)
    return origin.ranks


def _options_caption(answer: PlanAnswer, options: Sequence[Option]) -> str:
    best = {"cost": "the cheapest run", "time": "the fastest run", "month": "the cheapest month"}[answer.objective]
    if options[0].key == "rank-1":
        at_least = "" if answer.configurations_size < MOST_ROWS else "at least "
        said = f"Of {at_least}{answer.configurations_size:,} that meet the limits the first is {best}."
    else:
        said = f"Number {options[0].key.removeprefix('rank-')} of the ranking is recommended; looked for was {best}."
    return f"{said} Ranges are p10 to p90." if len(options) > 1 else f"{said} Its range is p10 to p90."


def _nothing_fits(plan: SavedPlanAnswer, origin: PlanOrigin) -> Draft:
    """Compose the report of a plan without a feasible configuration.

    The report shows the nearest candidates and the reasons for exclusion.

    Raises
    ------
    BadInput
        The request names ranks.
    """
    if tuple(origin.ranks) != _USUAL:
        raise BadInput(
            [Problem("origin.ranks", "nothing meets the limits of this plan: it has no rows to choose from")]
        )
    answer = plan.answer
    facts = Facts(
        (
            Fact("configuration", "What to do", "Change a limit: no configuration meets all of them"),
            Fact("fit", "Configurations that meet the limits", amounts.count(0), "more"),
            Fact("candidates", "Candidates searched", amounts.count(answer.candidates)),
        ),
        headline=True,
    )
    said = Paragraph(" ".join([answer.sentence, *(miss.sentence for miss in answer.near_misses[:1])]), tone="doubt")
    return Draft(
        sentence=answer.sentence,
        origin=Origin("plan", (str(plan.id),), (plan.name,)),
        sections=(
            Section("summary", "Decision", (facts, said, *since_paragraphs(plan.changes))),
            *([_nearest_section(answer)] if answer.near_misses else []),
            *([_rejected_section(answer)] if answer.rejected else []),
            assumptions_section([(plan.name, answer.workload)], (), [answer.price_terms]),
        ),
        versions=versions_of([answer]),
        price_terms=words_of([answer.price_terms]),
    )


def _nearest_section(answer: PlanAnswer) -> Section:
    """Build the section on the candidates that come nearest to the limits of the plan."""
    of_month = any(miss.candidate.cost_always_on_usd is not None for miss in answer.near_misses)
    misses = [(f"miss-{place}", miss) for place, miss in enumerate(answer.near_misses, start=1)]
    table = Records(misses, chosen=lambda miss: miss is answer.near_misses[0]).table(
        "near-misses",
        "The nearest candidates outside the limits, at the median.",
        text("candidate", "Closest options", lambda miss: name_of(miss.candidate)),
        number("time_s", "Time", lambda miss: amounts.seconds(miss.candidate.time_s)),
        number("cost_usd", "Monthly cost" if of_month else "Cost of a run", lambda miss: _missed_usd(miss.candidate)),
        text("needs", "It would need", lambda miss: miss.relaxation),
    )
    return Section("options", "Closest options", (table,), detail=True)


def _rejected_section(answer: PlanAnswer) -> Section:
    """Build the section that lists the reasons for exclusion, each with the number of excluded candidates."""
    table = Records((f"{place}-{row.limit}", row) for place, row in enumerate(answer.rejected, start=1)).table(
        "rejected",
        "What excludes how many candidates.",
        text("reason", "Reason", lambda row: row.reason),
        number("count", "Candidates", lambda row: amounts.count(row.count)),
        text("types", "Types", lambda row: ", ".join(row.instances[:_MOST_NAMED])),
    )
    return Section("rejected", "What excludes the others", (table,), detail=True)


_MOST_NAMED = 10


def _missed_usd(candidate: CandidateAnswer) -> Amount:
    """Return the cost of a candidate that does not meet the limits.

    This is the monthly cost if the plan is for an always-on cluster, else the cost of a run.
    """
    month_usd = candidate.cost_always_on_usd
    return amounts.money(candidate.cost_usd) if month_usd is None else amounts.money(month_usd, "USD/month")
