"""Validation reports: every published result compared with the model's prediction."""

from collections.abc import Iterator

from stowage.features.calibration import validation
from stowage.features.calibration.validation import CaseAnswer, ValidationAnswer
from stowage.features.reports.composed.draft import Draft
from stowage.model.report import (
    Amount,
    Axis,
    Chart,
    Column,
    Fact,
    Facts,
    Origin,
    Paragraph,
    Point,
    Row,
    Section,
    Series,
    Table,
)
from stowage.validation.case import MISS_PCT
from stowage.workloads import amounts, wording
from stowage.workloads.answers import RangeAnswer
from stowage.workloads.knowledge import packaged_knowledge

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
        versions=(
            Fact("model", "Model", answer.model_version),
            Fact(
                "catalog",
                "Catalog",
                f"{knowledge.catalog.version} of {amounts.day(knowledge.catalog.as_of)}",
            ),
            Fact("profiles", "Measurements (digest)", knowledge.digest[:12]),
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
            Table(
                "contradictions",
                "What cannot all be true; the figures are used as the reason of each case says.",
                (Column("title", "What"), Column("text", "How"), Column("source", "Source")),
                tuple(
                    Row(f"contradiction-{place}", (row.title, row.text, row.source))
                    for place, row in enumerate(answer.contradictions, start=1)
                ),
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
    return Table(
        "experiments-table",
        "Experiments, the worst first.",
        (
            Column("experiment", "Experiment"),
            Column("figures", "Figures", numeric=True),
            Column("median_pct", "Off by, in the median", numeric=True),
        ),
        tuple(
            Row(row.experiment, (row.name, amounts.count(row.figures), _pct(row.median_abs_error_pct))) for row in rows
        ),
    )


def _errors_table(answer: ValidationAnswer) -> Table:
    rows = []
    for kind, groups in answer.summary.items():
        for group, errors in groups.items():
            worst = None if errors.worst is None else f"{errors.worst.id}, {_signed(errors.worst.error_pct)}"
            median, p90 = errors.median_abs_error_pct, errors.p90_abs_error_pct
            cells = (
                kind,
                group,
                amounts.count(errors.count),
                None if median is None else _pct(median),
                None if p90 is None else _pct(p90),
                worst,
            )
            rows.append(Row(f"{kind} {group}", cells))
    return Table(
        "errors",
        "Errors relative to what was published; inequalities do not enter the quantiles.",
        (
            Column("kind", "Kind"),
            Column("group", "Group"),
            Column("count", "Figures", numeric=True),
            Column("median_pct", "Median error", numeric=True),
            Column("p90_pct", "Nine in ten within", numeric=True),
            Column("worst", "The worst"),
        ),
        tuple(rows),
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
    return Table(
        "worst",
        f"The {len(worst):,} that are furthest off, of {len(missed):,} that miss by more than {MISS_PCT:g}%.",
        (
            Column("case", "What"),
            Column("predicted", "Predicted", numeric=True),
            Column("actual", "Actual", numeric=True),
            Column("error_pct", "Error", numeric=True),
            Column("reason", "Why"),
        ),
        tuple(
            Row(case.id, (case.quantity, _predicted(case), _actual(case), _error(case), case.reason)) for case in worst
        ),
    )


def _cases_table(answer: ValidationAnswer) -> Table:
    return Table(
        "cases",
        "Every published result beside what the model says of it; ranges are p10 to p90.",
        (
            Column("case", "What"),
            Column("kind", "Kind"),
            Column("group", "Group"),
            Column("predicted", "Predicted", numeric=True),
            Column("actual", "Actual", numeric=True),
            Column("error_pct", "Error", numeric=True),
            Column("source", "Source"),
        ),
        tuple(
            Row(
                case.id,
                (case.quantity, case.kind, case.group, _predicted(case), _actual(case), _error(case), case.source),
            )
            for case in answer.cases
        ),
    )


def _frameworks_table(answer: ValidationAnswer) -> Table:
    return Table(
        "frameworks",
        "Efficiency profiles, and what they were fitted to.",
        (
            Column("name", "Framework"),
            Column("what", "What it is"),
            Column("evidence", "Evidence"),
            Column("error", "Deviation of ln(actual / predicted)", numeric=True),
        ),
        tuple(
            Row(
                row.name,
                (
                    f"{row.name} {row.version}",
                    row.what,
                    row.evidence,
                    amounts.number(row.error_log_deviation, "1", "estimated"),
                ),
            )
            for row in answer.frameworks
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


def _range_words(p10: float, p50: float, p90: float, unit: str) -> str:
    found = RangeAnswer(p10=p10, p50=p50, p90=p90)
    if unit == "s":
        return amounts.time_range(found).range_words or wording.duration(p50)
    if unit == "USD":
        return amounts.money_span(p10, p90)
    return f"{wording.three_digits(p10)}–{amounts.with_unit(p90, unit)}"


def _pct(value: float) -> Amount:
    return Amount(value, "%", _size(value), standing="predicted")


def _size(error_pct: float) -> str:
    """Format the absolute value of an error [%].

    Errors so small that they come from rounding are shown as 0%.
    """
    size = abs(error_pct)
    return "0%" if size < _NOTHING_PCT else f"{wording.three_digits(size)}%"


def _signed(error_pct: float) -> str:
    size = _size(error_pct)
    return size if size == "0%" else f"{'−' if error_pct < 0.0 else '+'}{size}"
