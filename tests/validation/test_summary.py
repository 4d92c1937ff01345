"""Summaries of cases, against plain recomputation; inequalities; invalid data files."""

import statistics
from dataclasses import replace
from datetime import date

import pytest
import yaml

from knowledge import PAPER
from stowage.validation.case import Case, Predicted, Published, Relation, held_against
from stowage.validation.comparison import validate
from stowage.validation.sources import packaged, printed, read
from validation.published import cases, validated

FIGURE = Published(
    "x", "run", "somewhere", date(2015, 8, 27), "job time", "a time", "s", "predicted", "equal", 100.0, 0.5, (), None
)


def p90(values: list[float]) -> float:
    ordered = sorted(values)
    place = 0.9 * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def sizes(found: list[Case]) -> list[float]:
    return [abs(case.error_pct) for case in found if case.error_pct is not None and case.published.relation == "equal"]


def test_the_summary_is_what_plain_sums_give() -> None:
    every = list(cases().values())
    counted = 0
    for kind, groups in validated().summary.items():
        for group, errors in groups.items():
            part = [case for case in every if (case.published.kind, case.published.group) == (kind, group)]
            counted += errors.count
            assert errors.count == len(part)
            found = sizes(part)
            if not found:
                assert errors.median_abs_error_pct is errors.p90_abs_error_pct is None
                continue
            assert errors.median_abs_error_pct == pytest.approx(statistics.median(found))
            assert errors.p90_abs_error_pct == pytest.approx(p90(found))
            largest = max(abs(case.error_pct) for case in part if case.error_pct is not None)
            assert errors.worst is not None
            assert abs(errors.worst.error_pct) == largest
    assert counted == len(every)


def test_experiments_are_counted_once_by_the_median_of_what_is_predicted() -> None:
    by_experiment: dict[str, list[Case]] = {}
    for case in cases().values():
        if case.published.kind == "predicted":
            by_experiment.setdefault(case.published.experiment, []).append(case)
    medians = {name: statistics.median(found) for name, part in by_experiment.items() if (found := sizes(part))}
    experiments = validated().experiments
    assert {row.experiment: row.median_abs_error_pct for row in experiments.rows} == pytest.approx(medians)
    assert experiments.median_abs_error_pct == pytest.approx(statistics.median(medians.values()))
    assert experiments.p90_abs_error_pct == pytest.approx(p90(list(medians.values())))
    assert experiments.worst.error_pct == max(medians.values())
    assert "ebs-volumes" not in medians  # inequalities alone
    assert len([row for row in experiments.rows if row.experiment == "fio"]) == 1


def test_over_independent_experiments_the_median_error_is_at_most_8_percent() -> None:
    assert validated().experiments.median_abs_error_pct <= 8.0


@pytest.mark.parametrize(
    ("relation", "predicted", "error_pct"),
    [
        ("equal", 113.7, 13.7),
        ("at least", 100.0, 0.0),
        ("at least", 250.0, 0.0),
        ("at least", 90.0, -10.0),
        ("at most", 100.0, 0.0),
        ("at most", 90.0, 0.0),
        ("at most", 120.0, 20.0),
    ],
)
def test_an_inequality_is_off_by_what_violates_it(relation: Relation, predicted: float, error_pct: float) -> None:
    case = held_against(replace(FIGURE, relation=relation), Predicted(predicted))
    assert case.error_pct == pytest.approx(error_pct)
    assert case.misses is (abs(error_pct) > 15.0)


def test_without_a_figure_or_a_prediction_there_is_no_error() -> None:
    assert held_against(replace(FIGURE, actual=None), Predicted(1.0)).error_pct is None
    assert held_against(FIGURE, None).error_pct is None


def test_a_range_goes_with_its_value_into_another_unit() -> None:
    assert Predicted(100.0, 80.0, 130.0).over(10.0) == Predicted(10.0, 8.0, 13.0)
    assert Predicted(100.0).over(10.0) == Predicted(10.0)


@pytest.mark.parametrize(
    ("text", "value", "half_unit"), [("888", 888.0, 0.5), ("1,090.08", 1090.08, 0.005), ("4.5", 4.5, 0.05)]
)
def test_rounding_is_known_from_what_is_printed(text: str, value: float, half_unit: float) -> None:
    assert printed(text) == pytest.approx((value, half_unit))


ROW = {
    "id": "x",
    "experiment": "run",
    "source": "paper",
    "place": "Table 9",
    "group": "job time",
    "quantity": "a time",
    "unit": "s",
    "kind": "predicted",
    "actual": ["10", "20.5"],
}
FILE = {
    "sources": {"paper": {"text": "A paper", "kind": "published", "as_of": date(2015, 8, 27)}},
    "experiments": {"run": "A run"},
    "figures": {"nodes": {"value": 3, "unit": "1", "source": "paper"}},
    "cases": [ROW],
}


def as_file(**changes: object) -> bytes:
    return yaml.safe_dump(FILE | changes).encode()


def test_parts_of_a_figure_add_up_and_so_does_their_rounding() -> None:
    [case] = read([as_file()]).cases
    assert (case.actual, case.source) == (30.5, "A paper, Table 9")
    assert case.half_unit == pytest.approx(0.55)


def test_a_number_that_two_cases_share_is_written_once() -> None:
    other = {**{key: value for key, value in ROW.items() if key != "actual"}, "id": "y", "actual_of": "x"}
    sources = read([as_file(cases=[ROW, other])])
    assert sources.actual("x") == sources.actual("y") == 30.5


@pytest.mark.parametrize(
    "changes",
    [
        {"cases": [ROW, ROW]},
        {"cases": [ROW | {"source": "unknown"}]},
        {"cases": [ROW | {"experiment": "none"}]},
        {"figures": {"nodes": {"value": 3, "unit": "1", "source": "unknown"}}},
    ],
    ids=["a case twice", "no such source", "no such experiment", "a figure without a source"],
)
def test_data_that_does_not_hold_together_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        read([as_file(**changes)])


def test_a_case_without_a_prediction_is_refused_and_so_is_a_figure_without_a_number() -> None:
    sources = packaged()
    alone = replace(FIGURE, experiment="fio")
    with pytest.raises(ValueError, match="without a counterpart: x"):
        validate(PAPER.catalog, PAPER.profiles, replace(sources, cases=(*sources.cases, alone)))
    with pytest.raises(ValueError, match="st1-balance has no number"):
        sources.actual("st1-balance")


def test_no_number_of_a_source_is_written_twice() -> None:
    """The same digits at the same place of the same source are one number, which other rows refer to."""
    seen: dict[tuple[str, str, float], str] = {}
    for case in packaged().cases:
        if case.kind == "predicted" and case.actual is not None and case.relation == "equal":
            key = (case.source, case.quantity, case.actual)
            assert key not in seen, (case.id, seen[key])
            seen[key] = case.id
