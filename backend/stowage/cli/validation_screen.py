"""Terminal output of `stowage validate`, which compares published results with their predictions."""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stowage.features.calibration.validation import CaseAnswer, ValidationAnswer
from stowage.validation.case import MISS_PCT, Kind
from stowage.validation.summary import Experiments
from stowage.workloads import wording

_KINDS: dict[Kind, str] = {
    "predicted": "performance, from inputs that are independent of it",
    "fitted": "parameters are taken from these rows; each is predicted without its own",
    "reproduced": "inputs from the same table, or arithmetic on published figures",
    "context": "shown, not held to",
}
"""Kinds of cases in display order, the most important first."""

_WIDEST = 120
_ROUNDING_PCT = 0.05
_MOST_FIVE_DIGITS = 99_999.5


def show_validation(answer: ValidationAnswer) -> None:
    """Print a validation.

    Its parts are the errors by framework, all cases by kind, the reasons for large errors, contradictions between
    sources, comparisons with physical limits, and the efficiency profiles.
    """
    console = Console(highlight=False)
    console.width = min(console.width, _WIDEST)
    console.print(Text(sentence(answer.experiments), style="bold"))
    console.print(
        f"{len(answer.cases)} published figures, model {answer.model_version}. Nine in ten experiments are within "
        f"{size(answer.experiments.p90_abs_error_pct)}.",
        style="dim",
    )
    console.print("\nPrediction errors of finished jobs, by framework, kind of job and cluster size:")
    console.print(_accuracies(answer))
    console.print(
        "Off by: in the median, predicted over measured time. Held: by the 80% range. Left out: without the job's "
        "source; fitted: to the job itself; predicted: without any of these jobs; laboratory: runs on one machine, "
        "from those on at most 4 nodes.",
        style="dim",
    )
    for kind, meaning in _KINDS.items():
        cases = [case for case in answer.cases if case.kind == kind]
        console.print(Text.assemble(f"\n{kind.capitalize()}: ", (f"{meaning}.", "dim")))
        console.print(_summary(answer, kind), markup=False)
        console.print(_table(cases))
    _print_misses(console, answer)
    console.print("\nWhat the sources contradict:")
    for row in answer.contradictions:
        console.print(Padding(Text(row.title), (0, 0, 0, 2)))
        console.print(Padding(Text(f"{row.text} ({row.source})", style="dim"), (0, 0, 0, 4)))
    console.print(f"\n{_limits_sentence(answer)}")
    console.print("\nEfficiency profiles:")
    for framework in answer.frameworks:
        leaves = framework.best_single_efficiency_leaves_pct
        single = "" if leaves is None else f"; one efficiency for all would leave {size(leaves)}"
        faster = framework.faster_log_deviation
        below = "" if faster is None else f" towards slow, {faster:.0%} towards fast"
        name = f"{framework.name} {framework.version}, spread {framework.error_log_deviation:.0%}{below}{single}"
        console.print(Padding(Text(name), (0, 0, 0, 2)))
        console.print(Padding(Text(framework.evidence, style="dim"), (0, 0, 0, 4)))


def _accuracies(answer: ValidationAnswer) -> Table:
    table = Table(
        "framework", "job", "nodes", "off by", "at most", "held", "known", box=box.SIMPLE, padding=(0, 1, 0, 0)
    )
    for row in answer.accuracies:
        nodes = f"{row.fewest_nodes}-{row.most_nodes}" if row.fewest_nodes < row.most_nodes else f"{row.most_nodes}"
        table.add_row(
            row.framework,
            row.kind.removeprefix("HDFS "),
            nodes,
            size(row.median_abs_error_pct),
            size(row.largest_abs_error_pct),
            f"{row.held} of {row.jobs}",
            row.known,
        )
    return table


def sentence(experiments: Experiments) -> str:
    """Return a sentence with the median and the largest error of predicted times and costs."""
    worst = next(row.name for row in experiments.rows if row.experiment == experiments.worst.experiment)
    return (
        f"Over {experiments.count} independent experiments the predictions are off by "
        f"{size(experiments.median_abs_error_pct)} in the median; the worst, {worst}, by "
        f"{size(experiments.worst.error_pct)}."
    )


def _limits_sentence(answer: ValidationAnswer) -> str:
    times = [run.actual_s / run.limit_s for run in answer.limits if run.limit_s]
    faster = sum(one < 1.0 for one in times)
    return (
        f"Physical limits: {faster or 'none'} of {len(times)} published runs is faster than the limit of its hardware; "
        f"the nearest takes {min(times):.3g} times its limit. Of {len(answer.limits) - len(times)} more the sources "
        "state neither disks nor network."
    )


def size(error_pct: float) -> str:
    """Format the absolute value of an error [%], with one decimal; "0%" if it rounds to 0."""
    return "0%" if abs(error_pct) < _ROUNDING_PCT else f"{abs(error_pct):.1f}%"


def _summary(answer: ValidationAnswer, kind: Kind) -> str:
    parts = []
    for group, errors in answer.summary.get(kind, {}).items():
        median = errors.median_abs_error_pct
        off = "" if median is None else f", off by {size(median)} in the median"
        parts.append(f"{group}: {errors.count}{off}")
    return "; ".join(parts)


def _table(cases: list[CaseAnswer]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("figure", ratio=1)
    for heading in ("predicted", "actual", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    for case in cases:
        table.add_row(
            Text(case.quantity),
            _predicted(case),
            _actual(case),
            Text(_error(case), style=_style(case)),
        )
    return table


def _predicted(case: CaseAnswer) -> Text:
    """Format the prediction of a case, with its range on a second line.

    The unit is omitted, because it follows the actual value.
    """
    found = Text("-" if case.predicted is None else _number(case.predicted))
    if case.range is not None:
        low, high = wording.three_digits(case.range.p10), wording.three_digits(case.range.p90)
        found.append(f"\n{low}–{high}", style="dim")
    return found


def _error(case: CaseAnswer) -> str:
    if case.error_pct is None:
        return "-"
    if case.relation != "equal":
        sign = "≥" if case.relation == "at least" else "≤"
        return f"{sign} holds" if case.error_pct == 0.0 else f"{sign} fails, {case.error_pct:+.1f}%"
    if size(case.error_pct) == "0%":
        return "0%"
    return f"{case.error_pct:+.1f}%" + (" miss" if _misses(case) else "")


def _style(case: CaseAnswer) -> str:
    if case.error_pct is None:
        return "dim"
    return "yellow" if _misses(case) else "green"


def _misses(case: CaseAnswer) -> bool:
    return case.error_pct is not None and abs(case.error_pct) > MISS_PCT


def _print_misses(console: Console, answer: ValidationAnswer) -> None:
    console.print(f"\nOff by more than {MISS_PCT:.0f}%, and why:")
    by_reason: dict[str, list[CaseAnswer]] = {}
    for case in answer.cases:
        if _misses(case):
            by_reason.setdefault(case.reason or "", []).append(case)
    for reason, cases in by_reason.items():
        for case in cases:
            console.print(Padding(Text(f"{case.quantity}: {_error(case)}"), (0, 0, 0, 2)))
        console.print(Padding(Text(f"{reason}.", style="dim"), (0, 0, 0, 4)))


def _actual(case: CaseAnswer) -> str:
    """Format the published value of a case with its unit.

    Times are in seconds and money is in USD, as in the sources.
    """
    if case.actual is None:
        return "-"
    return _number(case.actual) if case.unit == "1" else f"{_number(case.actual)} {case.unit}"


def _number(value: float) -> str:
    """Format a number with five significant digits (as in the sources) and no exponent."""
    return f"{value:,.0f}" if abs(value) >= _MOST_FIVE_DIGITS else f"{value:,.5g}"
