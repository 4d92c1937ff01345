"""Formulas of calculations: they evaluate like Python's expressions, and invalid ones are refused with a reason."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cost_terms import INPUTS
from documents.sample import full_report
from stowage.model.formula import (
    DEEPEST,
    LONGEST,
    MOST_PARTS,
    FormulaError,
    compiled,
    computed,
    evaluate,
    keys_of,
    parse,
    translate,
    without,
)
from stowage.model.money.terms import DERIVED, TERMS
from stowage.model.report import Amount, Calculation, Step

VALUES = {"nodes": 178.0, "billed_s": 1010.0, "usd_per_hour": 6.82, "a1": -2.5, "zero": 0.0}


@dataclass(frozen=True)
class Known:
    """A formula with its value, built together by Python's own arithmetic."""

    text: str
    value: float
    binds: int
    """Precedence: 2 for terms that never need parentheses, 1 for products, 0 for sums."""

    def within(self, binds: int) -> str:
        return self.text if self.binds >= binds else f"({self.text})"


def number(value: float) -> Known:
    return Known(repr(value), value, 2)


def key(name: str) -> Known:
    return Known(name, VALUES[name], 2)


def lasting(value: float, *of: Known) -> float:
    """Return a value; NaN if it or an operand is not finite."""
    return value if math.isfinite(value) and all(math.isfinite(each.value) for each in of) else math.nan


def added(left: Known, right: Known) -> Known:
    return Known(f"{left.within(0)} + {right.within(1)}", left.value + right.value, 0)


def taken(left: Known, right: Known) -> Known:
    return Known(f"{left.within(0)}-{right.within(1)}", left.value - right.value, 0)


def times(left: Known, right: Known) -> Known:
    return Known(f"{left.within(1)}*{right.within(2)}", left.value * right.value, 1)


def divided(left: Known, right: Known) -> Known:
    value = left.value / right.value if right.value else math.nan
    return Known(f"{left.within(1)} / {right.within(2)}", value, 1)


def largest(left: Known, right: Known) -> Known:
    return Known(f"max({left.text}, {right.text})", max(left.value, right.value), 2)


def smallest(left: Known, right: Known) -> Known:
    return Known(f"min( {left.text},{right.text} )", min(left.value, right.value), 2)


def negative(of: Known) -> Known:
    return Known(f"-{of.within(2)}", -of.value, 2 if of.binds == 2 else 1)


def whole(of: Known) -> Known:
    value = float(math.ceil(round(of.value, 6))) if math.isfinite(of.value) else math.nan
    return Known(f"ceil({of.text})", value, 2)


def parted(of: Known) -> Known:
    return Known(f"({of.text})", of.value, 2)


PAIRS: list[Callable[[Known, Known], Known]] = [added, taken, times, divided, largest, smallest]
SINGLE: list[Callable[[Known], Known]] = [negative, whole, parted]


def grown(parts: st.SearchStrategy[Known]) -> st.SearchStrategy[Known]:
    pairs = st.builds(paired, st.sampled_from(PAIRS), parts, parts)
    return pairs | st.builds(lambda make, of: make(of), st.sampled_from(SINGLE), parts)


def paired(make: Callable[[Known, Known], Known], left: Known, right: Known) -> Known:
    made = make(left, right)
    return replace(made, value=lasting(made.value, left, right))


formulas = st.recursive(
    st.floats(0.0, 1e9, allow_subnormal=False).map(number) | st.sampled_from(sorted(VALUES)).map(key),
    grown,
    max_leaves=20,
)


@given(formulas)
def test_a_formula_has_the_value_that_python_gives(known: Known) -> None:
    if math.isfinite(known.value):
        assert evaluate(known.text, VALUES) == known.value
    else:
        with pytest.raises(FormulaError):
            evaluate(known.text, VALUES)


@given(formulas)
def test_a_compiled_formula_has_the_same_value(known: Known) -> None:
    if "ceil" not in known.text and math.isfinite(known.value):
        assert compiled(known.text)(VALUES) == known.value


def test_what_is_rounded_up_is_only_evaluated() -> None:
    with pytest.raises(FormulaError, match="ceil"):
        compiled("ceil(nodes)")


def test_a_term_without_its_inputs_keeps_signs_and_what_is_left() -> None:
    assert without("-a * 2 - b", {"b"}) == "-a * 2"
    assert without("a - -b", {"a"}) == "-(-b)"
    assert without("-a", {"a"}) is None
    assert without("max(a, b) + min(a, c)", {"a"}) == "b + c"
    assert without("max(a, b) + 1", {"a", "b"}) == "1"


@given(values=st.fixed_dictionaries({name: st.floats(0.0, 1e6) for name in (*INPUTS, *DERIVED)}), data=st.data())
def test_a_term_without_an_input_is_the_term_with_this_input_at_0(
    values: dict[str, float], data: st.DataObject
) -> None:
    line = data.draw(st.sampled_from([*DERIVED.values(), *(term.line for term in TERMS if term.line is not None)]))
    missing = data.draw(st.sets(st.sampled_from(sorted(keys_of(line.formula)))))
    full = evaluate(line.formula, values | dict.fromkeys(missing, 0.0))
    kept = without(line.formula, missing)
    assert (0.0 if kept is None else max(evaluate(kept, values), 0.0)) == pytest.approx(max(full, 0.0))


@given(formulas)
def test_what_is_written_for_a_spreadsheet_is_the_same_formula(known: Known) -> None:
    """Parsed again, with spreadsheet function names mapped back to ours, it has the same parts in order."""
    cells = {name: f"cell_{name}" for name in VALUES}
    written = translate(known.text, cells)
    if "ROUND" not in written:
        again = written.replace("MAX", "max").replace("MIN", "min").replace("E", "e")
        values = {f"cell_{name}": value for name, value in VALUES.items()}
        if math.isfinite(known.value):
            assert evaluate(again, values) == known.value


@given(st.text(st.sampled_from("ab1.e+-*/(),  max"), max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text)
    except FormulaError:
        return
    assert keys_of(text) <= set(text.replace("(", " ").replace(")", " ").split()) or keys_of(text)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("", "ends where something must follow"),
        ("2 *", "ends where something must follow"),
        ("(2", "ends where something must follow"),
        ("2 3", "'3' stands in"),
        ("2)", "'\\)' stands in"),
        ("*2", "'\\*' stands in"),
        ("max(1)", "'\\)' stands in .*; , must stand there"),
        ("max(1, 2, 3)", "',' stands in .*; \\) must stand there"),
        ("ceil 2", "'2' stands in .*; \\( must stand there"),
        ("__import__('os')", "is no part of a formula"),
        ("Nodes", "is no part of a formula"),
        ("2 ** 3", "'\\*' stands in"),
        ("1 / 0", "divides by zero"),
        ("1e308 * 10", "has no finite value"),
        ("ceil(1e308 * 10)", "has no finite value"),
        ("1 / (1e308 * 10)", "has no finite value"),
        ("unknown + 1", "'unknown' does not stand above; there are a1, billed_s"),
        ("(" * (DEEPEST + 2) + "1" + ")" * (DEEPEST + 2), "nested more than"),
        ("-" * (DEEPEST + 2) + "1", "nested more than"),
        ("1" * (LONGEST + 1), "at most 8,000 are read"),
        ("1+" * MOST_PARTS + "1", "at most 400 are read"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_what_is_no_formula_is_refused_in_words(formula: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        evaluate(formula, VALUES)


def test_the_longest_chain_that_is_read_is_computed() -> None:
    count = MOST_PARTS // 2
    assert evaluate("+".join(["1"] * count), {}) == count
    assert translate("-".join(["nodes"] * count), {"nodes": "A1"}).count("A1") == count


def test_what_is_nearly_a_whole_number_is_not_rounded_up() -> None:
    assert evaluate("ceil(0.1 * 3 * 10)", {}) == 3.0
    assert evaluate("ceil(3.00001)", {}) == 4.0
    assert evaluate("ceil(-1.5)", {}) == -1.0


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("a - (b - c)", "A-(B-C)"),
        ("a - b - c", "A-B-C"),
        ("a / (b * c)", "A/(B*C)"),
        ("(a + b) * c", "(A+B)*C"),
        ("a + (b + c)", "A+(B+C)"),
        ("-(a + b)", "-(A+B)"),
        ("--a", "-(-A)"),
        ("a * -b", "A*(-B)"),
        ("max(a, min(b, 2.5e-7))", "MAX(A,MIN(B,2.5E-07))"),
        ("ceil(a / b) * 3600", "(-INT(-ROUND(A/B,6)))*3600"),
    ],
)
def test_a_spreadsheet_adds_and_multiplies_in_our_order(formula: str, written: str) -> None:
    assert translate(formula, {"a": "A", "b": "B", "c": "C"}) == written


def test_every_calculation_of_the_sample_gives_its_amounts() -> None:
    found = [block for s in full_report().sections for block in s.blocks if isinstance(block, Calculation)]
    assert found
    for calculation in found:
        values = computed(calculation)
        for step in calculation.steps:
            assert values[step.key] == pytest.approx(step.amount.value, rel=1e-9)


def step(name: str, value: float, formula: str | None = None) -> Step:
    return Step(name, name, Amount(value, "USD", f"${value:g}"), formula)


def test_a_changed_input_changes_what_follows_from_it_and_nothing_else() -> None:
    calculation = Calculation("c", "C.", (step("a", 2.0), step("b", 3.0), step("sum", 5.0, "a + b"), step("d", 1.0)))
    assert computed(calculation, {"a": 10.0}) == {"a": 10.0, "b": 3.0, "sum": 13.0, "d": 1.0}


@pytest.mark.parametrize(
    ("steps", "changed", "said"),
    [
        ((step("a", 1.0, "b"), step("b", 1.0)), {}, "'b' does not stand above; there are no steps"),
        ((step("a", 1.0), step("a", 1.0)), {}, "'a' stands there twice"),
        ((step("a", 1.0), step("b", 1.0, "a")), {"b": 2.0}, "'b' is no input of this calculation; they are a"),
    ],
    ids=["below", "twice", "no input"],
)
def test_a_calculation_that_does_not_hang_together_is_refused(
    steps: tuple[Step, ...], changed: dict[str, float], said: str
) -> None:
    with pytest.raises(FormulaError, match=said):
        computed(Calculation("c", "C.", steps), changed)
