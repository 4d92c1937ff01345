"""Formulas of costs and of the steps of a calculation: grammar, parser, evaluation and translation.

::

    sum     = product {("+" | "-") product}
    product = sign {("*" | "/") sign}
    sign    = {"-"} part
    part    = number | key | "(" sum ")" | ("max" | "min") "(" sum "," sum ")" | "ceil" "(" sum ")"

`ceil` treats a value within half a millionth of a whole number as that number, here and in a spreadsheet. Otherwise,
the results of the model and of the spreadsheet could differ, as they may round in a different order.
"""

import math
import re
from collections.abc import Callable, Container, Iterator, Mapping
from operator import itemgetter, sub, truediv
from typing import Any, Final, Literal, TypeVar

from stowage.frozen import frozen
from stowage.model.report import Calculation
from stowage.model.units import Quantity, longer, smaller

Operator = Literal["+", "-", "*", "/"]
Name = Literal["max", "min", "ceil"]

LONGEST: Final = 8_000
"""Most characters of a formula that are parsed; a spreadsheet accepts 8,192."""
MOST_PARTS: Final = 400
"""Most tokens of a formula."""
DEEPEST: Final = 50
"""Deepest nesting of parentheses, signs and functions; a spreadsheet accepts 64."""

_TOKEN: Final = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([a-z][a-z0-9_]*)|([-+*/(),]))")
_ARGUMENTS: Final[Mapping[Name, int]] = {"max": 2, "min": 2, "ceil": 1}
_DECIMALS: Final = 6
"""Decimals to which a number is rounded before `ceil`."""
_Held = TypeVar("_Held")


class FormulaError(ValueError):
    """Error of a formula that cannot be parsed or has no value.

    The message names the part of the formula at fault.
    """


@frozen
class Number:
    """A literal number."""

    value: float


@frozen
class Key:
    """A reference to an earlier step of the calculation, by the key of that step."""

    key: str


@frozen
class Negative:
    """A term after a minus sign."""

    of: "Term"


@frozen
class Pair:
    """Two terms and the operator between them."""

    operator: Operator
    left: "Term"
    right: "Term"


@frozen
class Called:
    """A function call."""

    name: Name
    of: tuple["Term", ...]


Term = Number | Key | Negative | Pair | Called


def parse(formula: str) -> Term:
    """Parse a formula.

    Raises
    ------
    FormulaError
        The text is not a formula.

    Examples
    --------
    >>> parse("2 * hours")
    Pair(operator='*', left=Number(value=2.0), right=Key(key='hours'))
    """
    if len(formula) > LONGEST:
        raise FormulaError(f"the formula has {len(formula):,} characters; at most {LONGEST:,} are read")
    tokens = tuple(_tokens(formula))
    if len(tokens) > MOST_PARTS:
        raise FormulaError(f"the formula has {len(tokens):,} parts; at most {MOST_PARTS} are read")
    reader = _Reader(formula, tokens)
    term = reader.sum(0)
    reader.expect_end()
    return term


def keys_of(formula: str) -> frozenset[str]:
    """Return the keys of the steps that a formula refers to.

    Examples
    --------
    >>> sorted(keys_of("nodes * max(billed_s, 60)"))
    ['billed_s', 'nodes']

    Raises
    ------
    FormulaError
        The text is not a formula.
    """
    return frozenset(_keys(parse(formula)))


def evaluate(formula: str, values: Mapping[str, float]) -> float:
    """Return the value of a formula.

    Parameters
    ----------
    formula : str
    values : Mapping[str, float]
        Values of the earlier steps, by their keys.

    Raises
    ------
    FormulaError
        The formula cannot be parsed, refers to an unknown step, or has no finite value.

    Examples
    --------
    >>> evaluate("nodes * ceil(billed_s / 3600) * usd_per_hour", {"nodes": 2, "billed_s": 4000, "usd_per_hour": 0.5})
    2.0
    """
    try:
        return _value(parse(formula), values)
    except ZeroDivisionError:
        raise FormulaError(f"{formula!a} divides by zero") from None
    except OverflowError:
        raise FormulaError(f"{formula!a} has no finite value") from None


def compiled(formula: str) -> Callable[[Mapping[str, Quantity]], Quantity]:
    """Return a function that evaluates a formula for floats or arrays.

    The operations are in the order as written. Terms that do not apply are the float 0.0 and cost no array operation. A
    product with the float 0.0 is the float 0.0, even if its other factor is an array. A sum with the float 0.0 is its
    other addend.

    Raises
    ------
    FormulaError
        The formula cannot be parsed, or uses `ceil`, which is only for `evaluate`.

    Examples
    --------
    >>> compiled("max(a - b, 0) * 2")({"a": 3.0, "b": 1.0})
    4.0
    """
    return _compiled(parse(formula))


def without(formula: str, missing: Container[str]) -> str | None:
    """Return a formula without the terms of missing keys.

    The value of a missing key is 0. A `max` or `min` keeps its other argument, as no quantity is negative. The result
    is None if nothing is left of the formula.

    Raises
    ------
    FormulaError
        The formula cannot be parsed.

    Examples
    --------
    >>> without("nodes * (usd_per_hour + emr_usd_per_hour) / 3600", {"emr_usd_per_hour"})
    'nodes * usd_per_hour / 3600'
    >>> without("max(work_s + launch_s, minimum_billed_s)", {"launch_s", "minimum_billed_s"})
    'work_s'
    """
    kept = _without(parse(formula), missing)
    return None if kept is None else _written(kept, str, _AS_TEXT)


def translate(formula: str, cells: Mapping[str, str]) -> str:
    """Translate a formula into the notation of a spreadsheet.

    The result does not begin with an equals sign.

    Parameters
    ----------
    formula : str
    cells : Mapping[str, str]
        Address or name of the cell that holds each step, by its key.

    Raises
    ------
    FormulaError
        The formula cannot be parsed, or refers to a step without a cell.

    Examples
    --------
    >>> translate("nodes * (a - b) / ceil(a)", {"nodes": "$B$2", "a": "$B$3", "b": "$B$4"})
    '$B$2*($B$3-$B$4)/(-INT(-ROUND($B$3,6)))'
    """
    return _written(parse(formula), lambda key: _found(key, cells), _FOR_A_SPREADSHEET)


def computed(calculation: Calculation, changed: Mapping[str, float] | None = None) -> dict[str, float]:
    """Compute every step of a calculation from its inputs.

    Parameters
    ----------
    calculation : Calculation
    changed : Mapping[str, float], optional
        New values of inputs of the calculation, by their keys.

    Returns
    -------
    dict of str to float
        The value of each step, by its key.

    Raises
    ------
    FormulaError
        A formula cannot be parsed, has no value, or refers to a step that does not precede it; a key is used twice; a
        key of ``changed`` is not that of an input.
    """
    changed = {} if changed is None else changed
    inputs = {step.key for step in calculation.steps if step.formula is None}
    stray = sorted(changed.keys() - inputs)
    if stray:
        raise FormulaError(f"{stray[0]!a} is no input of this calculation; they are {', '.join(sorted(inputs))}")
    values: dict[str, float] = {}
    for step in calculation.steps:
        if step.key in values:
            raise FormulaError(f"{step.key!a} stands there twice")
        if step.formula is None:
            values[step.key] = changed.get(step.key, step.amount.value)
        else:
            values[step.key] = evaluate(step.formula, values)
    return values


def _tokens(formula: str) -> Iterator[str]:
    at, end = 0, len(formula.rstrip())
    while at < end:
        found = _TOKEN.match(formula, at)
        if found is None:
            rest = formula[at:].lstrip()
            raise FormulaError(f"{rest[:20]!a} is no part of a formula; accepted: numbers, keys, + - * / ( ) and ,")
        yield next(part for part in found.groups() if part is not None)
        at = found.end()


class _Reader:
    """Recursive-descent parser: one method for each rule of the grammar."""

    def __init__(self, formula: str, tokens: tuple[str, ...]) -> None:
        self._formula = formula
        self._tokens = tokens
        self._at = 0

    def sum(self, depth: int) -> Term:
        term = self._product(depth)
        while (operator := self._took("+", "-")) is not None:
            term = Pair(operator, term, self._product(depth))
        return term

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            raise self._stray()

    def _product(self, depth: int) -> Term:
        term = self._sign(depth)
        while (operator := self._took("*", "/")) is not None:
            term = Pair(operator, term, self._sign(depth))
        return term

    def _sign(self, depth: int) -> Term:
        if depth > DEEPEST:
            raise FormulaError(f"{self._formula[:40]!a} is nested more than {DEEPEST} deep")
        return self._part(depth) if self._took("-") is None else Negative(self._sign(depth + 1))

    def _part(self, depth: int) -> Term:
        found = self._next()
        if found == "(":
            term = self.sum(depth + 1)
            self._expect(")")
            return term
        if found[0].isdigit() or found[0] == ".":
            return Number(float(found))
        if not found[0].isalpha():
            raise self._stray(back=1)
        for name, count in _ARGUMENTS.items():
            if found == name:
                return Called(name, self._arguments(count, depth + 1))
        return Key(found)

    def _arguments(self, count: int, depth: int) -> tuple[Term, ...]:
        self._expect("(")
        terms = [self.sum(depth)]
        for _ in range(count - 1):
            self._expect(",")
            terms.append(self.sum(depth))
        self._expect(")")
        return tuple(terms)

    def _took(self, *accepted: Operator) -> Operator | None:
        part = self._tokens[self._at] if self._at < len(self._tokens) else None
        for operator in accepted:
            if part == operator:
                self._at += 1
                return operator
        return None

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise FormulaError(f"{self._formula[:40]!a} ends where something must follow")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise self._stray(back=1, instead=f"; {token} must stand there")

    def _stray(self, back: int = 0, instead: str = "") -> FormulaError:
        token = self._tokens[self._at - back]
        return FormulaError(f"{token!a} stands in {self._formula[:40]!a} where it means nothing{instead}")


def _keys(term: Term) -> Iterator[str]:
    match term:
        case Key(key):
            yield key
        case Negative(of):
            yield from _keys(of)
        case Pair(_, left, right):
            yield from (*_keys(left), *_keys(right))
        case Called(_, of):
            yield from (key for each in of for key in _keys(each))
        case _:
            pass


def _plus(left: Quantity, right: Quantity) -> Quantity:
    if isinstance(right, float) and right == 0.0:
        return left
    return right if isinstance(left, float) and left == 0.0 else left + right


def _times(left: Quantity, right: Quantity) -> Quantity:
    if (isinstance(left, float) and left == 0.0) or (isinstance(right, float) and right == 0.0):
        return 0.0
    return left * right


_OPERATIONS: Final[Mapping[Operator, Callable[[Any, Any], Any]]] = {
    "+": _plus,
    "-": sub,
    "*": _times,
    "/": truediv,
}


def _value(term: Term, values: Mapping[str, float]) -> float:
    match term:
        case Number(number):
            return number
        case Key(key):
            return float(_found(key, values))
        case Negative(of):
            return -_value(of, values)
        case Pair(operator, left, right):
            value: float = _OPERATIONS[operator](_value(left, values), _value(right, values))
            # A spreadsheet has no infinity, not even in intermediate results.
            if not math.isfinite(value):
                raise OverflowError
            return value
        case _:
            return _called(term.name, [_value(each, values) for each in term.of])


def _compiled(term: Term) -> Callable[[Mapping[str, Quantity]], Quantity]:
    match term:
        case Number(value):
            return lambda _: value
        case Key(key):
            return itemgetter(key)
        case Negative(of):
            negated = _compiled(of)
            return lambda values: -negated(values)
        case Pair(operator, left, right):
            operation, first, second = _OPERATIONS[operator], _compiled(left), _compiled(right)
            return lambda values: operation(first(values), second(values))
        case Called("ceil", _):
            raise FormulaError("ceil rounds to decimals first, which only `evaluate` does")
        case _:
            chosen = longer if term.name == "max" else smaller
            first, second = map(_compiled, term.of)
            return lambda values: chosen(first(values), second(values))


def _called(name: Name, values: list[float]) -> float:
    if name == "ceil":
        return float(math.ceil(round(values[0], _DECIMALS)))
    return max(values) if name == "max" else min(values)


def _found(key: str, held: Mapping[str, _Held]) -> _Held:
    if key not in held:
        raise FormulaError(f"{key!a} does not stand above; there are {', '.join(sorted(held)) or 'no steps'}")
    return held[key]


def _without(term: Term, missing: Container[str]) -> Term | None:
    match term:
        case Number():
            return term
        case Key(key):
            return None if key in missing else term
        case Negative(of):
            kept = _without(of, missing)
            return None if kept is None else Negative(kept)
        case Pair(operator, left, right):
            before, after = _without(left, missing), _without(right, missing)
            if before is not None and after is not None:
                return Pair(operator, before, after)
            if operator in {"*", "/"}:
                return None
            return Negative(after) if operator == "-" and after is not None else before or after
        case _:
            kept_arguments = tuple(kept for each in term.of if (kept := _without(each, missing)) is not None)
            if len(kept_arguments) == len(term.of):
                return Called(term.name, kept_arguments)
            return kept_arguments[0] if kept_arguments else None


@frozen
class _Style:
    """One notation of formulas as text.

    It has the space around operators, the pattern of `ceil`, and the names of the other functions.
    """

    space: str
    ceil: str
    function: Callable[[str], str]


_FOR_A_SPREADSHEET: Final = _Style("", f"(-INT(-ROUND({{}},{_DECIMALS})))", str.upper)
_AS_TEXT: Final = _Style(" ", "ceil({})", str)


def _written(term: Term, named: Callable[[str], str], style: _Style) -> str:
    match term:
        case Number(value):
            return repr(value).upper().removesuffix(".0")
        case Key(key):
            return named(key)
        case Negative(of):
            return f"-{_within(of, named, style, apart=isinstance(of, Negative | Pair))}"
        case Pair(operator, left, right):
            binds = operator in {"*", "/"}
            # The order of operations stays as parsed: another order would round differently.
            apart = isinstance(right, Negative) or _is_sum(right) or (binds and isinstance(right, Pair))
            before = _within(left, named, style, apart=binds and _is_sum(left))
            return f"{before}{style.space}{operator}{style.space}{_within(right, named, style, apart=apart)}"
        case Called("ceil", of):
            return style.ceil.format(_written(of[0], named, style))
        case _:
            arguments = f",{style.space}".join(_written(each, named, style) for each in term.of)
            return f"{style.function(term.name)}({arguments})"


def _within(term: Term, named: Callable[[str], str], style: _Style, *, apart: bool) -> str:
    written = _written(term, named, style)
    return f"({written})" if apart else written


def _is_sum(term: Term) -> bool:
    return isinstance(term, Pair) and term.operator in {"+", "-"}
