"""Provenance of a report: the request, the assumptions, every input with its source, and the versions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stowage.features.planning.schemas import ChangeAnswer
from stowage.features.reports.composed.clusters import Today
from stowage.features.reports.composed.options import Option
from stowage.features.reports.composed.price_terms import details_of, words_of
from stowage.model.figure import Figure
from stowage.model.money.currency import Currency
from stowage.model.report import Block, Column, Fact, Facts, Paragraph, Row, Section, Table
from stowage.workloads import amounts
from stowage.workloads.answers import PlanAnswer
from stowage.workloads.of_catalog import TermsAnswer
from stowage.workloads.report_tables import Field, Records, number, text

_STANDING = ("measured", "published", "estimated", "given")
"""Order of the kinds: measured inputs first, since the answer is judged by them."""
_CHANGED = {"catalog": "catalog", "profiles": "measurements", "price terms": "price terms", "model": "model"}


def assumptions_section(
    asked: Sequence[tuple[str, Mapping[str, Any]]], options: Sequence[Option], terms: Sequence[TermsAnswer | None] = ()
) -> Section:
    """Build the section on the requests and on the estimated inputs of the recommended option.

    Parameters
    ----------
    asked : sequence of (str, Mapping)
        Name and workload file of each plan. Fields with default values are left out of the files.
    options : sequence of Option
        Options, the recommended one first.
    terms : sequence of TermsAnswer or None
        Price terms of each answer.
    """
    blocks = [requests_table("asked", "What was asked; all else is as by default.", asked)]
    estimated = [figure for figure in (options[0].row.provenance if options else []) if figure.kind == "estimated"]
    if estimated:
        blocks.append(
            Records(unique_keys(estimated)).table(
                "assumed",
                f"What is estimated of {options[0].name}, because it is neither measured nor published.",
                text("quantity", "Figure", lambda figure: figure.quantity),
                number("value", "Value", amounts.figure),
                text("why", "How it is known", lambda figure: figure.source),
            )
        )
    discounts = words_of(terms)
    prices = (
        "without tax, support or discounts that were negotiated"
        if discounts is None
        else f"less the team's price terms ({details_of(terms)}), without tax or support"
    )
    said = Paragraph(
        "Times are a job's own, from its start to its end; launch and set-up are billed besides. A plan without a "
        f"chance of its own is held to its limits at the median. Prices are the catalog's of its date, {prices}."
    )
    return Section("assumptions", "What was asked and assumed", (*blocks, said), detail=True)


def requests_table(
    key: str, caption: str, asked: Sequence[tuple[str, Mapping[str, Any]]], *, different: bool = False
) -> Table:
    """Build the table of the fields of several requests, with a column for each request.

    With `different`, it has only the fields in which the requests differ.
    """
    told = [dict(leaves(document)) for _, document in asked]
    fields = dict.fromkeys(field for found in told for field in found)
    shown = [field for field in fields if not different or len({found.get(field) for found in told}) > 1]
    missing = "by default" if different else None
    columns = (Column(f"asked_{place}", name) for place, (name, _) in enumerate(asked, start=1))
    rows = tuple(Row(field, (field, *(found.get(field, missing) for found in told))) for field in shown)
    return Table(key, caption, (Column("field", "Asked"), *columns), rows)


def provenance_section(options: Sequence[Option], today: Today | None = None) -> Section:
    """Build the section that lists every input of the options, with its source and date.

    Parameters
    ----------
    today : Today or None
        Current cluster. Its monthly cost is listed too if the user gave it.
    """
    found: dict[tuple[str, float, str], tuple[Figure, list[int]]] = {}
    for place, option in enumerate(options, start=1):
        for figure in option.row.provenance:
            known = found.setdefault((figure.quantity, figure.value, figure.source), (figure, []))
            if place not in known[1]:
                known[1].append(place)
    ordered = sorted(found.values(), key=lambda each: _STANDING.index(each[0].kind))
    several = len(options) > 1
    used = {
        id(figure): "all" if len(places) == len(options) else ", ".join(map(str, places)) for figure, places in ordered
    }
    of_options: Field[Figure] = text("options", "Options", lambda figure: used[id(figure)])
    caption = "Every figure that went into the predictions; made far worse, each changes them."
    if several:
        caption += " Options are counted in their order above."
    table = Records(unique_keys(figure for figure, _ in ordered)).table(
        "provenance",
        caption,
        text("quantity", "Figure", lambda figure: figure.quantity),
        *([of_options] if several else []),
        number("value", "Value", amounts.figure),
        text("kind", "Known by", lambda figure: figure.kind),
        text("as_of", "As of", lambda figure: None if figure.as_of is None else amounts.day(figure.as_of)),
        text("source", "Source", lambda figure: figure.source),
    )
    blocks: list[Block] = [table] if ordered else []
    if today is not None and today.cluster.given_usd is not None:
        cost = amounts.given_money(today.cluster.given_usd, "USD/month", " a month")
        blocks.append(Facts((Fact("given_month", f"Cost of {today.name} today", cost),)))
    unlisted = [option.name for option in options if not option.row.provenance]
    if unlisted:
        said = f"The stored answer does not list what it rests on for {', '.join(unlisted)}."
        blocks.append(Paragraph(said, tone="doubt"))
    return Section("provenance", "Where the figures are from", tuple(blocks), detail=True)


def versions_of(answers: Sequence[PlanAnswer], currency: Currency | None = None) -> tuple[Fact, ...]:
    """Return the versions of model, catalog and measurements from which the answers were computed.

    Equal versions are listed once. With a currency, its rate is listed too.
    """
    rate = () if currency is None else (Fact("currency", "Currency", currency.words),)
    versions = version_facts(
        _each(answer.model_version for answer in answers),
        _each(f"{answer.catalog_version} of {amounts.day(answer.catalog_as_of)}" for answer in answers),
        _each(answer.profiles_digest[:12] for answer in answers),
        [answer.price_terms for answer in answers],
    )
    return (*versions, *rate)


def version_facts(
    model: str, catalog: str, profiles: str, terms: Sequence[TermsAnswer | None] = ()
) -> tuple[Fact, ...]:
    """Return the versions and price terms from which a report was computed."""
    discounts = [] if words_of(terms) is None else [Fact("price_terms", "Price terms", details_of(terms))]
    return (
        Fact("model", "Model", model),
        Fact("catalog", "Catalog", catalog),
        Fact("profiles", "Measurements (digest)", profiles),
        *discounts,
    )


def since_paragraphs(changes: Sequence[ChangeAnswer], name: str = "") -> Iterator[Paragraph]:
    """Yield a note on the versions that have changed since a plan was answered.

    There is no note if the same request would use the same catalog, measurements and model today.
    """
    if changes:
        what = "; ".join(f"{_CHANGED[change.what]} {change.then}, now {change.now}" for change in changes)
        whose = f"{name}: the" if name else "The"
        yield Paragraph(
            f"{whose} answer is of its day. The same question would rest on other versions by now: {what}.",
            tone="doubt",
        )


def unique_keys(figures: Iterable[Figure]) -> Iterator[tuple[str, Figure]]:
    """Yield each input of the predictions with a unique key.

    The key is the quantity of the input. If an earlier input has the same quantity, a number is appended.
    """
    seen: dict[str, int] = {}
    for figure in figures:
        number = seen[figure.quantity] = seen.get(figure.quantity, 0) + 1
        yield (figure.quantity if number == 1 else f"{figure.quantity} #{number}"), figure


def leaves(document: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and value of each field in a nested document, except null fields.

    Examples
    --------
    >>> list(leaves({"workload": {"data": "1 TB"}, "choose": {"families": ["i3", "i4i"]}}))
    [('workload.data', '1 TB'), ('choose.families', 'i3, i4i')]
    """
    for name, value in document.items():
        path = f"{before}{name}"
        if value is None:
            continue
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            for place, each in enumerate(value, start=1):
                yield from (
                    leaves(each, f"{path}.{place}.") if isinstance(each, Mapping) else [(f"{path}.{place}", str(each))]
                )
        else:
            yield path, _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.12g}"
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)


def _each(words: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(words))
