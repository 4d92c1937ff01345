"""Validation reports: every published result compared with the model's prediction."""

from collections.abc import Iterator

from stowage.features.calibration import validation
from stowage.features.calibration.validation import CaseAnswer, ValidationAnswer
from stowage.features.reports.composed.draft import Draft
from stowage.features.reports.composed.provenance import version_facts
from stowage.model.prediction import Range
from stowage.model.report import (
    Amount,
    Axis,
    Chart,
    Fact,
    Facts,
    Origin,
    Paragraph,
    Point,
    Section,
    Series,
    Table,
)
from stowage.validation.case import MISS_PCT
from stowage.workloads import amounts, wording
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.report_tables import Field, Records, number, text

_MEANING = {
    "predicted": "a performance figure, from inputs that are independent of it",
    "fitted": "parameters are taken from these rows; the error is that of leaving the row out",
    "reproduced": "the inputs are from the same table, or it is arithmetic",
    "context": "shown for comparison, not held to",
}
_WORST = 10
_NOTHING_PCT = 0.005


def validation_draft() -> Draft:
    """Compose the sections of the validation report.

    The report is the same for every team.
    """
    answer = validation.validate(packaged_knowledge)
    knowledge = packaged_knowledge(validation.CATALOG, validation.REGION)
    return Draft(
        sentence=_sentence(answer),
        origin=Origin("validation", (), ()),
        sections=tuple(_sections(answer)),
        versions=version_facts(
            answer.model_version,
            f"{knowledge.catalog.version} of {amounts.day(knowledge.catalog.as_of)}",
            knowledge.digest[:12],
        ),
    )


def _sections(answer: ValidationAnswer) -> Iterator[Section]:
    yield Section("summary", "In short", (Facts(tuple(_facts(answer)), headline=True), Paragraph(_meaning())))
    yield Section("experiments", "How far off, by experiment", (_experiments_chart(answer), _experiments_table(answer)))
    yield Section("errors", "Errors by kind and group", (_errors_table(answer),))
    yield Section("predicted", "Predicted against actual", (_scatter(answer),), detail=True)
    yield Section("worst", "What misses most", (_worst_table(answer),), detail=True)
    yield Section(
        "contradictions",
        "Where sources contradict themselves or each other",
        (
            Records((f"contradiction-{place}", row) for place, row in enumerate(answer.contradictions, start=1)).table(
                "contradictions",
                "What cannot all be true; the figures are used as the reason of each case says.",
                text("title", "What", lambda row: row.title),
                text("text", "How", lambda row: row.text),
                text("source", "Source", lambda row: row.source),
            ),
        ),
        detail=True,
    )
    yield Section("frameworks", "What frameworks reach", (_frameworks_table(answer),), detail=True)
    yield Section("cases", "All published results", (_cases_table(answer),), detail=True)


def _sentence(answer: ValidationAnswer) -> str:
    found = answer.experiments
    name = next((row.name for row in found.rows if row.experiment == found.worst.experiment), found.worst.experiment)
    of = "an independent experiment" if found.count == 1 else f"{found.count:,} independent experiments"
    return (
        f"Over {of} the predictions are off by {_size(found.median_abs_error_pct)} in the median; the worst, {name}, "
        f"by {_size(found.worst.error_pct)}."
    )


def _facts(answer: ValidationAnswer) -> Iterator[Fact]:
    found = answer.experiments
    yield Fact("experiments", "Independent experiments", amounts.count(found.count))
    yield Fact("cases", "Published figures compared", amounts.count(len(answer.cases)))
    yield Fact("median", "Off by, in the median", _pct(found.median_abs_error_pct), "less")
    yield Fact("p90", "Nine in ten within", _pct(found.p90_abs_error_pct), "less")
    yield Fact("worst", "The worst", _pct(found.worst.error_pct), "less")


def _meaning() -> str:
    told = "; ".join(f"{kind}: {meaning}" for kind, meaning in _MEANING.items())
    return (
        "Every published result is listed, those that miss among them. An experiment is one tool on one author's "
        f"set-up: what shares a set-up shares its errors, and counts once. Kinds of cases: {told}."
    )


def _experiments_chart(answer: ValidationAnswer) -> Chart:
    rows = sorted(answer.experiments.rows, key=lambda row: -row.median_abs_error_pct)
    points = tuple(
        Point(row.median_abs_error_pct, float(place), label=_size(row.median_abs_error_pct))
        for place, row in enumerate(rows)
    )
    return Chart(
        key="experiments",
        title="How far off the predictions are, by experiment",
        caption=f"The median error of each experiment's figures. {_sentence(answer)}",
        chart="bars",
        x=Axis("Off by, in the median", "%"),
        y=Axis("", "", "categories", tuple(row.name for row in rows)),
        series=(Series("median error", points, "bars"),),
    )


def _experiments_table(answer: ValidationAnswer) -> Table:
    rows = sorted(answer.experiments.rows, key=lambda row: -row.median_abs_error_pct)
    return Records((row.experiment, row) for row in rows).table(
        "experiments-table",
        "Experiments, the worst first.",
        text("experiment", "Experiment", lambda row: row.name),
        number("figures", "Figures", lambda row: amounts.count(row.figures)),
        number("median_pct", "Off by, in the median", lambda row: _pct(row.median_abs_error_pct)),
    )


def _errors_table(answer: ValidationAnswer) -> Table:
    every = [(kind, group, errors) for kind, groups in answer.summary.items() for group, errors in groups.items()]
    return Records((f"{kind} {group}", (kind, group, errors)) for kind, group, errors in every).table(
        "errors",
        "Errors relative to what was published; inequalities do not enter the quantiles.",
        text("kind", "Kind", lambda row: row[0]),
        text("group", "Group", lambda row: row[1]),
        number("count", "Figures", lambda row: amounts.count(row[2].count)),
        number("median_pct", "Median error", lambda row: _pct_or_none(row[2].median_abs_error_pct)),
        number("p90_pct", "Nine in ten within", lambda row: _pct_or_none(row[2].p90_abs_error_pct)),
        text(
            "worst",
            "The worst",
            lambda row: None if (worst := row[2].worst) is None else f"{worst.id}, {_signed(worst.error_pct)}",
        ),
    )


def _scatter(answer: ValidationAnswer) -> Chart:
    """Build the scatter chart of predicted and actual times of jobs, with the line of equality."""
    times = [case for case in answer.cases if case.unit == "s" and case.predicted and case.actual]
    by_kind: dict[str, list[Point]] = {}
    for case in times:
        span = case.range
        point = Point(
            case.actual or 0.0,
            case.predicted or 0.0,
            None if span is None or span.p10 <= 0.0 else span.p10,
            None if span is None else span.p90,
        )
        by_kind.setdefault(case.kind, []).append(point)
    ends = [value for case in times for value in (case.actual, case.predicted) if value]
    low, high = min(ends), max(ends)
    same = Series("predicted = actual", (Point(low, low), Point(high, high)), "line", faint=True)
    return Chart(
        key="predicted-actual",
        title="Predicted and actual times",
        caption=f"{len(times):,} published times in seconds: on the line the prediction is exact, above it too long.",
        chart="scatter",
        x=Axis("Actual", "s", "log"),
        y=Axis("Predicted", "s", "log"),
        series=(same, *(Series(kind, tuple(points)) for kind, points in by_kind.items())),
    )


def _worst_table(answer: ValidationAnswer) -> Table:
    missed = [case for case in answer.cases if case.error_pct is not None and abs(case.error_pct) > MISS_PCT]
    worst = sorted(missed, key=lambda case: -abs(case.error_pct or 0.0))[:_WORST]
    return Records((case.id, case) for case in worst).table(
        "worst",
        f"The {len(worst):,} that are furthest off, of {len(missed):,} that miss by more than {MISS_PCT:g}%.",
        text("case", "What", lambda case: case.quantity),
        *_COMPARED,
        text("reason", "Why", lambda case: case.reason),
    )


def _cases_table(answer: ValidationAnswer) -> Table:
    return Records((case.id, case) for case in answer.cases).table(
        "cases",
        "Every published result beside what the model says of it; ranges are p10 to p90.",
        text("case", "What", lambda case: case.quantity),
        text("kind", "Kind", lambda case: case.kind),
        text("group", "Group", lambda case: case.group),
        *_COMPARED,
        text("source", "Source", lambda case: case.source),
    )


def _frameworks_table(answer: ValidationAnswer) -> Table:
    return Records((row.name, row) for row in answer.frameworks).table(
        "frameworks",
        "Efficiency profiles, and what they were fitted to.",
        text("name", "Framework", lambda row: f"{row.name} {row.version}"),
        text("what", "What it is", lambda row: row.what),
        text("evidence", "Evidence", lambda row: row.evidence),
        number(
            "error",
            "Deviation of ln(actual / predicted)",
            lambda row: amounts.number(row.error_log_deviation, "1", "estimated"),
        ),
    )


def _predicted(case: CaseAnswer) -> Amount | None:
    if case.predicted is None:
        return None
    words = amounts.with_unit(case.predicted, case.unit)
    span = case.range
    if span is None:
        return Amount(case.predicted, case.unit, words, standing="predicted")
    range_words = _range_words(span.p10, case.predicted, span.p90, case.unit)
    return Amount(case.predicted, case.unit, words, span.p10, span.p90, range_words, "predicted")


def _actual(case: CaseAnswer) -> Amount | None:
    if case.actual is None:
        return None
    words = amounts.with_unit(case.actual, case.unit)
    return Amount(case.actual, case.unit, words, standing="published", source=case.source, as_of=case.source_date)


def _error(case: CaseAnswer) -> Amount | None:
    if case.error_pct is None:
        return None
    return Amount(case.error_pct, "%", _signed(case.error_pct), standing="predicted")


_COMPARED: tuple[Field[CaseAnswer], ...] = (
    number("predicted", "Predicted", _predicted),
    number("actual", "Actual", _actual),
    number("error_pct", "Error", _error),
)


def _range_words(p10: float, p50: float, p90: float, unit: str) -> str:
    found = Range(p10, p50, p90)
    if unit == "s":
        return amounts.time_range(found).range_words or wording.duration(p50)
    if unit == "USD":
        return amounts.money_span(p10, p90)
    return f"{wording.three_digits(p10)}–{amounts.with_unit(p90, unit)}"


def _pct(value: float) -> Amount:
    return Amount(value, "%", _size(value), standing="predicted")


def _pct_or_none(value: float | None) -> Amount | None:
    return None if value is None else _pct(value)


def _size(error_pct: float) -> str:
    """Format the absolute value of an error [%].

    Errors so small that they come from rounding are shown as 0%.
    """
    size = abs(error_pct)
    return "0%" if size < _NOTHING_PCT else f"{wording.three_digits(size)}%"


def _signed(error_pct: float) -> str:
    size = _size(error_pct)
    return size if size == "0%" else f"{'−' if error_pct < 0.0 else '+'}{size}"
