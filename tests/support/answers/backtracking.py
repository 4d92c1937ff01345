"""Static detection of regular expressions whose matching can take more than linear time (ReDoS).

A pattern becomes its position automaton (Glushkov): a node for each position that consumes a character, with edges to
its possible successors. Python's matcher walks it depth first and tries every path until one accepts. A text is slow
if it has many paths that all fail:

* exponential: some word leads from a node back to itself in two ways: ``(a*)*b``
* polynomial: some word cycles at one node, cycles at another one, and leads from the first to the second: ``a*a*b``.
  A search starts at every position of the text, which acts like such a node in front: ``a*b`` is quadratic when
  searched in ``aaa…`` and linear when matched at the beginning.

Unlike checkers for JavaScript's patterns, it knows that the matcher never backtracks into a possessive repetition of
single characters. Its approximations err towards reporting: other assertions count both as passed and as failed, and
counted repetitions are cut to a few (a bounded repetition costs a constant factor).

**Source** Weideman, van der Merwe, Berglund, Watson, "Analyzing Matching Time Behavior of Backtracking Regular
Expression Matchers by Using Ambiguity of NFA", CIAA 2016: conditions EDA and IDA.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any, Literal, TypeVar

Verdict = Literal["exponential", "polynomial"]
_State = TypeVar("_State", bound=Hashable)

# The parser of patterns is private to Python, and has no stubs.
code: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_SAMPLES = " \t\n\r\v\f\x1c\x00aAzZ_09-\x7f\x85é\u07c0\u0660\u2167\u2003\u4e00\U0001f600"
"""A character of each kind that classes without ranges distinguish."""
_COPIES = 2
"""Copies of a counted repetition beyond its minimum."""
_LARGE = 1_000
"""Maxima from here on count as unbounded."""
_ASCII, _DOTALL, _IGNORECASE, _MULTILINE, _UNICODE = (
    each.value for each in (re.ASCII, re.DOTALL, re.IGNORECASE, re.MULTILINE, re.UNICODE)
)
"""Plain numbers: those of the enumeration take ten times as long to combine."""


@dataclass(frozen=True, slots=True)
class _Guard:
    """Condition of an empty step: accepted characters before and after it; None accepts any."""

    before: frozenset[str] | None = None
    behind: frozenset[str] | None = None

    def passes(self, before: str, behind: str) -> bool:
        return (self.before is None or before in self.before) and (self.behind is None or behind in self.behind)


@dataclass(slots=True)
class _Automaton:
    """Points with empty steps between them, and nodes that consume a character between two points."""

    steps: dict[int, list[tuple[int, _Guard | None]]] = field(default_factory=lambda: defaultdict(list))
    nodes: list[tuple[frozenset[str], int]] = field(default_factory=list)
    nodes_at: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    points: int = 0

    def point(self) -> int:
        self.points += 1
        return self.points

    def step(self, start: int, end: int, guard: _Guard | None = None) -> None:
        self.steps[start].append((end, guard))

    def consume(self, start: int, characters: frozenset[str]) -> int:
        end = self.point()
        self.nodes_at[start].append(len(self.nodes))
        self.nodes.append((characters, end))
        return end


def verdict_on(pattern: str | bytes, flags: int = 0, *, searched: bool = True) -> Verdict | None:
    r"""Return how a pattern can take more than linear time; None if it is linear.

    Parameters
    ----------
    pattern : str or bytes
    flags : int
    searched : bool
        Whether it is tried at every position of a text, as by `search`, `sub`, `split`, `findall` and `finditer`.

    Examples
    --------
    >>> [verdict_on(each) for each in (r"(a*)*b", r"\s+$", r"\s+", r"x\s*+y")]
    ['exponential', 'polynomial', None, None]
    >>> verdict_on(r"\s+$", searched=False), verdict_on(r"\s*\s*x", searched=False)
    (None, 'polynomial')
    """
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = parser.parse(text, flags & ~(re.UNICODE if isinstance(pattern, bytes) else 0))
    return _Analysis(tree, int(tree.state.flags), searched=searched).verdict()


class _Analysis:
    def __init__(self, tree: Any, flags: int, *, searched: bool) -> None:
        self._flags = flags
        self._alphabet = frozenset(_classes(tree, flags))
        self._automaton = _Automaton()
        start = self._automaton.point()
        first = self._automaton.point()
        self._automaton.step(start, first)
        if searched:
            self._automaton.step(self._automaton.consume(start, self._alphabet), start)
        self._end = self._built(tree, first)
        self._nodes = range(len(self._automaton.nodes))
        self._letters = sorted(self._alphabet)
        self._before = self._alike_before()
        self._reach: dict[int, set[int]] = {}
        self._follow = lru_cache(maxsize=None)(self._found_behind)

    def verdict(self) -> Verdict | None:
        # Once the pattern accepts, nothing after it can fail: cycles through an accepting point are harmless.
        failing = [each for each in self._nodes if not self._accepts(self._automaton.nodes[each][1])]
        cycles = self._cycles(failing)
        if any(self._doubles(each) for each in cycles):
            return "exponential"
        if any(self._feeds(first, second) for first, second in product(cycles, cycles)):
            return "polynomial"
        return None

    # Construction of the automaton.

    def _built(self, tree: Any, start: int) -> int:
        for operation, argument in tree:
            start = self._add(operation, argument, start)
        return start

    def _add(self, operation: Any, argument: Any, start: int) -> int:
        auto = self._automaton
        if operation in {code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN}:
            return auto.consume(start, self._set(operation, argument))
        if operation is code.SUBPATTERN:
            return self._built(argument[3], start)
        if operation is code.ATOMIC_GROUP:
            return self._built(argument, start)
        if operation is code.BRANCH:
            end = auto.point()
            for branch in argument[1]:
                auto.step(self._built(branch, start), end)
            return end
        if operation in {code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT}:
            least, most, body = argument
            return self._repeated(operation, least, most, body, start)
        end = auto.point()
        if operation is code.AT:
            auto.step(start, end, self._anchor(argument))
        elif operation in {code.ASSERT, code.ASSERT_NOT} and (guard := self._looks(operation, *argument)) is not None:
            auto.step(start, end, guard)
        elif operation in {code.ASSERT, code.ASSERT_NOT, code.GROUPREF, code.GROUPREF_EXISTS}:
            auto.step(start, end, _Guard())
        else:
            raise NotImplementedError(str(operation))
        return end

    def _repeated(self, operation: Any, least: int, most: Any, body: Any, start: int) -> int:
        auto = self._automaton
        forever = most is code.MAXREPEAT or most >= _LARGE
        for _ in range(min(least, _COPIES)):
            start = self._built(body, start)
        end = auto.point()
        if forever:
            inside = auto.point()
            auto.step(start, inside)
            behind = self._built(body, inside)
            auto.step(behind, inside)
            single = self._single(body)
            guard = None
            if operation is code.POSSESSIVE_REPEAT and single is not None:
                # It is greedy to the end: the next character is not one of its own.
                guard = _Guard(behind=self._alphabet - single)
            auto.step(inside, end, guard)
            return end
        auto.step(start, end)
        for _ in range(min(most - least, _COPIES)):
            start = self._built(body, start)
            auto.step(start, end)
        return end

    def _single(self, body: Any) -> frozenset[str] | None:
        if len(body) != 1:
            return None
        operation, argument = body[0]
        if operation is code.SUBPATTERN:
            return self._single(argument[3])
        if operation in {code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN}:
            return self._set(operation, argument)
        return None

    def _set(self, operation: Any, argument: Any) -> frozenset[str]:
        return frozenset(each for each in self._alphabet if _takes(operation, argument, each, self._flags))

    def _anchor(self, where: Any) -> _Guard:
        line_end = frozenset("\n") & self._alphabet
        if where is code.AT_BEGINNING and self._flags & _MULTILINE:
            return _Guard(before=line_end)
        if where in {code.AT_BEGINNING, code.AT_BEGINNING_STRING}:
            return _Guard(before=frozenset())
        if where is code.AT_END:
            return _Guard(behind=line_end)
        if where is code.AT_END_STRING:
            return _Guard(behind=frozenset())
        return _Guard()

    def _looks(self, operation: Any, direction: int, body: Any) -> _Guard | None:
        single = self._single(body)
        if single is None:
            return None
        passes = single if operation is code.ASSERT else self._alphabet - single
        if direction > 0:
            return _Guard(behind=passes)
        return _Guard(before=passes)

    # Analysis of the automaton.

    def _alike_before(self) -> dict[str, str]:
        """Return for each character the first one that no guard distinguishes from it as the character before."""
        steps = self._automaton.steps.values()
        guards = [guard.before for ends in steps for _, guard in ends if guard is not None and guard.before is not None]
        kinds: dict[tuple[bool, ...], str] = {}
        return {each: kinds.setdefault(tuple(each in before for before in guards), each) for each in self._letters}

    def _found_behind(self, node: int, before: str, behind: str) -> tuple[tuple[int, int], ...]:
        """Return the nodes that consume `behind` after one that consumed `before`, with the number of ways to each."""
        found: dict[int, int] = defaultdict(int)

        def walk(point: int, passed: tuple[int, ...]) -> None:
            for each in self._automaton.nodes_at.get(point, ()):
                if behind in self._automaton.nodes[each][0]:
                    found[each] = min(found[each] + 1, 2)
            for end, guard in self._automaton.steps.get(point, ()):
                # A second pass through a repetition that can be empty: the two ways of `(a*)*`.
                if passed.count(end) < 2 and (guard is None or guard.passes(before, behind)):
                    walk(end, (*passed, end))

        end = self._automaton.nodes[node][1]
        walk(end, (end,))
        return tuple(found.items())

    def _words(self, node: int) -> frozenset[str]:
        return self._automaton.nodes[node][0]

    def _lasts(self, words: frozenset[str]) -> set[str]:
        return {self._before[each] for each in words}

    def _successors(self, node: int) -> set[int]:
        return {
            each
            for before in self._lasts(self._words(node))
            for behind in self._letters
            for each, _ in self._follow(node, before, behind)
        }

    def _cycles(self, nodes: list[int]) -> list[list[int]]:
        """Return the strongly connected components: nodes that can recur, with those between."""
        direct = {node: self._successors(node) & set(nodes) for node in nodes}
        for node in nodes:
            seen, left = set[int](), list(direct[node])
            while left:
                if (each := left.pop()) not in seen:
                    seen.add(each)
                    left += direct[each]
            self._reach[node] = seen
        cycles = {
            frozenset(each for each in self._reach[node] if node in self._reach[each])
            for node in nodes
            if node in self._reach[node]
        }
        return sorted(sorted(each) for each in cycles)

    def _accepts(self, point: int, passed: frozenset[int] = frozenset()) -> bool:
        """Check whether the pattern accepts at a point regardless of the following text."""
        return point == self._end or any(
            guard is None and end not in passed and self._accepts(end, passed | {end})
            for end, guard in self._automaton.steps.get(point, ())
        )

    def _doubles(self, component: list[int]) -> bool:
        inside = set(component)
        return any(self._two_ways(node, inside) for node in component)

    def _two_ways(self, node: int, inside: set[int]) -> bool:
        """Check whether some word leads from a node to itself in two ways."""

        def following(state: tuple[int, int, str, bool]) -> Iterator[tuple[int, int, str, bool]]:
            first, second, before, apart = state
            for letter in self._letters:
                ends = [each for each in self._follow(first, before, letter) if each[0] in inside]
                if not ends:
                    continue
                others = [each for each in self._follow(second, before, letter) if each[0] in inside]
                for (end, ways), (other, other_ways) in product(ends, others):
                    parted = apart or end != other or (first == second and max(ways, other_ways) > 1)
                    yield end, other, self._before[letter], parted

        def is_cycle(state: tuple[int, int, str, bool]) -> bool:
            first, second, _, apart = state
            return apart and first == second == node

        return any(_leads_to((node, node, last, False), following, is_cycle) for last in self._lasts(self._words(node)))

    def _feeds(self, first: list[int], second: list[int]) -> bool:
        """Check whether some word cycles in two components and leads from the first to the second."""
        if first == second or second[0] not in self._reach[first[0]]:
            return False
        return any(self._ambiguous(one, other, set(first), set(second)) for one, other in product(first, second))

    def _ambiguous(self, one: int, other: int, first: set[int], second: set[int]) -> bool:
        between = {each for each in self._reach if other in self._reach[each] or each == other}

        def following(state: tuple[int, int, int, str]) -> Iterator[tuple[int, int, int, str]]:
            cycling, moving, fed, before = state
            for letter in self._letters:
                ends = [each for each, _ in self._follow(fed, before, letter) if each in second]
                starts = [each for each, _ in self._follow(cycling, before, letter) if each in first]
                if ends and starts:
                    middles = [each for each, _ in self._follow(moving, before, letter) if each in between]
                    yield from ((*nodes, self._before[letter]) for nodes in product(starts, middles, ends))

        def is_fed(state: tuple[int, int, int, str]) -> bool:
            return state[:3] == (one, other, other)

        words = self._words(one) & self._words(other)
        return any(_leads_to((one, one, other, last), following, is_fed) for last in self._lasts(words))


def _leads_to(
    start: _State, following: Callable[[_State], Iterable[_State]], is_goal: Callable[[_State], bool]
) -> bool:
    """Check whether steps lead from a state to a goal; depth first."""
    left, seen = [start], {start}
    while left:
        for state in following(left.pop()):
            if is_goal(state):
                return True
            if state not in seen:
                seen.add(state)
                left.append(state)
    return False


def _takes(operation: Any, argument: Any, character: str, flags: int) -> bool:
    if operation is code.ANY:
        return bool(flags & _DOTALL) or character != "\n"
    spellings = {character}
    if flags & _IGNORECASE:
        spellings |= {character.lower(), character.upper()}
    if operation is code.LITERAL:
        return chr(argument) in spellings
    if operation is code.NOT_LITERAL:
        return chr(argument) not in spellings
    negated = bool(argument) and argument[0][0] is code.NEGATE
    return negated != any(_among(item, each, flags) for item in argument for each in spellings)


def _among(item: tuple[Any, Any], character: str, flags: int) -> bool:
    operation, argument = item
    if operation is code.LITERAL:
        return bool(ord(character) == argument)
    if operation is code.RANGE:
        return bool(argument[0] <= ord(character) <= argument[1])
    if operation is code.CATEGORY:
        kind = str(argument).rpartition("_")[2].lower()
        ascii_only = re.ASCII if flags & _ASCII or not flags & _UNICODE else 0
        matches = re.match({"digit": r"\d", "space": r"\s", "word": r"\w"}[kind], character, ascii_only) is not None
        return matches != ("NOT" in str(argument))
    return False


def _classes(tree: Any, flags: int) -> Iterator[str]:
    """Yield one character of each class that the pattern distinguishes."""
    tests = list(_tests(tree))
    characters = set(_SAMPLES)
    for operation, argument in tests:
        items = argument if operation is code.IN else [(operation, argument)]
        for item, value in items:
            if item in {code.LITERAL, code.NOT_LITERAL}:
                characters.add(chr(value))
            elif item is code.RANGE:
                ends = (value[0] - 1, value[0], value[1], value[1] + 1)
                characters |= {chr(each) for each in ends if 0 <= each < 0x110000}
    seen: set[tuple[bool, ...]] = set()
    # Line ends are a class of their own, because anchors match there.
    for each in sorted(characters):
        told = (each == "\n", *(_takes(operation, argument, each, flags) for operation, argument in tests))
        if told not in seen:
            seen.add(told)
            yield each


def _tests(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the nodes of the syntax tree that consume a single character."""
    for operation, argument in tree:
        if operation in {code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN}:
            yield operation, argument
            continue
        for each in argument if isinstance(argument, tuple) else (argument,):
            for inner in each if isinstance(each, list) else (each,):
                if isinstance(inner, parser.SubPattern):
                    yield from _tests(inner)
