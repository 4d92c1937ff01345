"""Comparison reports: the winners of several saved plans side by side, and the differences between their requests."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from stowage.features.planning import plans
from stowage.features.planning.basis import AnswerBasis, basis_of, file_of, with_sources
from stowage.features.planning.schemas import SavedPlanAnswer
from stowage.features.reports.composed.cost import calculation
from stowage.features.reports.composed.decision import decision_section
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.frontier import Searched
from stowage.features.reports.composed.options import (
    Option,
    bottleneck_sentence,
    exposure_words,
    name_of,
    options_table,
)
from stowage.features.reports.composed.plan import baseline_of, option_sections, takes_sentence, terms_of
from stowage.features.reports.composed.price_terms import words_of
from stowage.features.reports.composed.provenance import (
    assumptions_section,
    provenance_section,
    requests_table,
    since_paragraphs,
    versions_of,
)
from stowage.features.reports.composed.risk import doubts
from stowage.features.reports.schemas import ComparisonOrigin, NewReport
from stowage.frozen import frozen
from stowage.model.report import Calculation, Origin, Paragraph, Section
from stowage.platform.database.database import Database
from stowage.platform.errors import BadInput, Problem
from stowage.workloads import amounts, wording
from stowage.workloads.answers import RankedAnswer


@frozen
class _Compared:
    """One plan of the comparison, with its winner.

    The winner is None if no configuration meets the limits of the plan.
    """

    plan: SavedPlanAnswer
    option: Option | None
    basis: AnswerBasis


def comparison_draft(
    database: Database, org_id: UUID, asked: NewReport, origin: ComparisonOrigin, now: datetime
) -> Draft:
    """Compose the sections of a comparison, with the cheapest option first.

    Options are compared by the cost of a run; if all plans are for always-on clusters, by the monthly cost.

    Raises
    ------
    NotFound
        A plan does not exist, or is another team's.
    BadInput
        A plan is named twice, or no configuration meets the limits of any plan.
    """
    compared = [_compared(database, org_id, plan_id, place) for place, plan_id in enumerate(_ids(origin), start=1)]
    found = [(each, each.option) for each in compared if each.option is not None]
    if not found:
        message = "nothing meets the limits of any of these plans; accepted: plans of which one at least has an answer"
        raise BadInput([Problem("origin.plan_ids", message)])
    all_stay = all(option.stays for _, option in found)
    winner, first = min(found, key=lambda each: _usd(each[1], all_stay=all_stay))
    # In the order of the request, with the recommended option first.
    options = [first, *(option for _, option in found if option is not first)]
    answers = [each.plan.answer for each in compared]
    terms = [answer.price_terms for answer in answers]
    searched = [Searched(each.plan.name, each.plan.answer) for each, _ in found]
    cluster = baseline_of(asked, [each.plan for each in compared])
    today, of_options = option_sections(options, cluster, asked, winner.basis, searched, [_differences(compared)])
    table = options_table(options, _caption(options), first.key)
    sections = [
        Section("options", "The winners side by side", (table,), detail=True),
        *of_options,
        Section("calculation", "How the costs come about", tuple(_calculations(options)), detail=True),
        assumptions_section([(each.plan.name, each.plan.answer.workload) for each in compared], options, terms),
        provenance_section(options, today),
    ]
    said = [
        Paragraph(" ".join(_in_words(options))),
        *_without_answer(compared),
        *_mixed(compared),
        *doubts(first),
        *(note for each in compared for note in since_paragraphs(each.plan.changes, each.plan.name)),
    ]
    return Draft(
        sentence=wording.with_price_terms(_sentence(options, len(compared)), winner.plan.answer.price_terms),
        origin=Origin(
            "comparison", tuple(str(each.plan.id) for each in compared), tuple(e.plan.name for e in compared)
        ),
        sections=(decision_section(first, today, terms_of(winner.plan, asked, now), said), *sections),
        versions=versions_of(answers, winner.plan.currency),
        options=tuple(options),
        price_terms=words_of(terms),
    )


def _ids(origin: ComparisonOrigin) -> Sequence[UUID]:
    """Return the ids of the compared plans.

    Raises
    ------
    BadInput
        A plan is named twice.
    """
    ids = origin.plan_ids
    twice = [place for place, each in enumerate(ids) if each in ids[:place]]
    if twice:
        raise BadInput([Problem(f"origin.plan_ids.{place}", f"{ids[place]} stands there twice") for place in twice])
    return ids


def _compared(database: Database, org_id: UUID, plan_id: UUID, place: int) -> _Compared:
    plan = plans.read_plan(database, org_id, plan_id)
    basis = basis_of(database, org_id, plan)
    if not plan.answer.configurations:
        return _Compared(plan, None, basis)
    file = file_of(plan.answer)
    row: RankedAnswer = with_sources(plan.answer.configurations[0], file, basis)
    return _Compared(plan, Option(f"plan-{place}", name_of(row), row, file, plan.name), basis)


def _sentence(options: Sequence[Option], asked: int) -> str:
    return f"Of {asked} plans “{options[0].of}” costs least: {takes_sentence(options[0])}"


def _usd(option: Option, *, all_stay: bool) -> float:
    """Return the cost by which options are compared [USD].

    This is the cost of a run, or with `all_stay` the monthly cost of an always-on cluster.
    """
    return option.month.value if all_stay else option.row.cost_usd.p50


def _caption(options: Sequence[Option]) -> str:
    what = "month" if all(option.stays for option in options) else "run"
    return (
        f"The winner of each plan, the cheapest {what} first; of the others, how much more a {what} costs than one on "
        f"{options[0].name}."
    )


def _in_words(options: Sequence[Option]) -> Iterator[str]:
    """Yield the sentences that compare the options.

    The first sentence is about the bottleneck of the first option. Each further sentence compares another option with
    the first: its cost, time and risk of data loss.
    """
    first = options[0].row
    all_stay = all(option.stays for option in options)
    least = _usd(options[0], all_stay=all_stay)
    yield bottleneck_sentence(options[0])
    for option in options[1:]:
        row = option.row
        more = _usd(option, all_stay=all_stay) - least
        part = amounts.percent_words(more / least) if least > 0.0 else ""
        what = "month" if all_stay else "run"
        cost = "costs the same" if part == "same" else f"costs {wording.usd(more)} more a {what} ({part})"
        span, of_first = exposure_words(row), exposure_words(first)
        instead = f"{wording.chance(first.loss_probability)}{'' if span == of_first else f' {of_first}'}"
        yield (
            f"“{option.of}” {cost}, takes {wording.duration(row.time_s.p50)}, and loses data {span} with a chance of "
            f"{wording.chance(row.loss_probability)} instead of {instead}."
        )


def _differences(compared: Sequence[_Compared]) -> Section:
    """Build the section that lists the differing fields of the plans' requests."""
    asked = [(each.plan.name, each.plan.answer.workload) for each in compared]
    caption = "What the plans ask differently; all else they share."
    table = requests_table("differences", caption, asked, different=True)
    block = table if table.rows else Paragraph("All plans ask the same.")
    return Section("differences", "What was asked differently", (block,), detail=True)


def _calculations(options: Sequence[Option]) -> Iterator[Calculation]:
    for option in options:
        made = calculation(option, f"{option.of}: how the cost of {option.name} comes about.")
        yield Calculation(f"{made.key}-{option.key}", made.caption, made.steps)


def _without_answer(compared: Sequence[_Compared]) -> Iterator[Paragraph]:
    for each in compared:
        if each.option is None:
            answer = each.plan.answer
            nearest = [miss.sentence for miss in answer.near_misses[:1]]
            yield Paragraph(" ".join([f"“{each.plan.name}”:", answer.sentence, *nearest]), tone="doubt")


def _mixed(compared: Sequence[_Compared]) -> Iterator[Paragraph]:
    """Yield a warning if the plans were computed with different versions of the catalog, model or measurements."""
    answers = [each.plan.answer for each in compared]
    kinds: dict[str, set[object]] = {
        "catalog": {answer.catalog_version for answer in answers},
        "model": {answer.model_version for answer in answers},
        "price terms": {answer.price_terms for answer in answers},
        "measurements": {(answer.catalog_version, answer.profiles_digest) for answer in answers},
    }
    if len(kinds["catalog"]) > 1 or len(kinds["price terms"]) > 1:
        # The digest of the measurements covers catalog and price terms, so it always differs with them.
        del kinds["measurements"]
    different = [name for name, found in kinds.items() if len(found) > 1]
    if different:
        yield Paragraph(
            f"The plans do not rest on the same {' and '.join(different)}: part of the differences comes from there. "
            "Saved again, all would rest on what is newest.",
            tone="doubt",
        )
