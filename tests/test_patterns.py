"""Every regular expression of the source matches in linear time."""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from backtracking import verdict_on

ROOT = Path(__file__).parents[1]
PACKAGES = ("backend/stowage", "worker/stowage_worker")
SEARCHING = {"search", "sub", "subn", "split", "findall", "finditer"}
FLAGS_AT = {"compile": 1, "match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of the source, and whether it is tried at every position of a text."""

    where: str
    text: str | bytes
    flags: int
    searched: bool


def sources() -> list[Path]:
    return [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]


@lru_cache(maxsize=1)
def everything() -> str:
    return "\n".join(file.read_text() for file in sources())


def patterns_of(file: Path) -> Iterator[Pattern]:
    """Yield the patterns of a file: arguments of calls of `re`, with their flags, evaluated in the module."""
    text = file.read_text()
    if "re." not in text:
        return
    nodes = list(ast.walk(ast.parse(text)))
    calls = [node for node in nodes if isinstance(node, ast.Call) and is_of_re(node.func)]
    if not calls:
        return
    package = next(each for each in PACKAGES if (ROOT / each) in file.parents)
    parts = file.relative_to((ROOT / package).parent).with_suffix("").parts
    module = vars(importlib.import_module(".".join(parts).removesuffix(".__init__")))
    names, methods = names_of(nodes), methods_of(nodes)
    for call in calls:
        assert isinstance(call.func, ast.Attribute)
        function = call.func.attr
        at = FLAGS_AT[function]
        flags = [each.value for each in call.keywords if each.arg == "flags"] + call.args[at : at + 1]
        pattern, *given = (evaluated(each, module, file) for each in (call.args[0], *flags))
        if isinstance(pattern, re.Pattern):
            given, pattern = [pattern.flags], pattern.pattern
        assert isinstance(pattern, str | bytes)
        searched = function in SEARCHING
        if function == "compile":
            searched = is_searched(methods, names.get(id(call)), names)
        where = f"{file.relative_to(ROOT)}:{call.lineno}"
        yield Pattern(where, pattern, int(given[0]) if given else 0, searched)  # type: ignore[call-overload]


def is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FLAGS_AT
    )


def evaluated(expression: ast.expr, module: dict[str, object], file: Path) -> object:
    try:
        return eval(compile(ast.Expression(expression), str(file), "eval"), dict(module))  # noqa: S307 - our source
    except NameError as error:
        line = f"{file}:{expression.lineno}"
        raise AssertionError(f"{line}: a pattern must be a constant of its module: {error}") from None


def names_of(nodes: Iterable[ast.AST]) -> dict[int, str]:
    """Return the name to which each call of `re.compile` is bound, alone or in a collection."""
    return {
        id(call): target.id
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call)
    }


def methods_of(nodes: Iterable[ast.AST]) -> list[tuple[ast.expr, str]]:
    """Return the receivers of methods with the name of a search, each with that name."""
    return [
        (node.func.value, node.func.attr)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHING
    ]


def is_searched(methods: Iterable[tuple[ast.expr, str]], name: str | None, names: Mapping[int, str]) -> bool:
    """Check whether a compiled pattern is searched: by its name, or by a name that can stand for it."""
    if name is not None and not name.startswith("_"):
        return re.search(rf"\b{name}\.(?:{'|'.join(SEARCHING)})\(", everything()) is not None
    known = set(names.values())
    for receiver, method in methods:
        if isinstance(receiver, ast.Name) and receiver.id in known:
            if receiver.id == name:
                return True
        # Strings have a method of this name, too.
        elif method not in {"split", "sub"} and not (isinstance(receiver, ast.Name) and receiver.id == "re"):
            return True
    return False


PATTERNS = [pattern for file in sources() for pattern in patterns_of(file)]


def test_the_patterns_of_the_source_are_found() -> None:
    assert len(PATTERNS) > 250
    # No module imports `re` under another name.
    assert re.findall(r"(?m)^\s*(?:from (?:re|regex) import|import (?:re as|regex))\b.*", everything()) == []
    assert set(re.findall(r"(?<![\w.])re\.([a-z]\w*)\(", everything())) <= {*FLAGS_AT, "escape"}


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.where)
def test_no_pattern_takes_more_than_linear_time(pattern: Pattern) -> None:
    assert verdict_on(pattern.text, pattern.flags, searched=pattern.searched) is None, pattern.text


@pytest.mark.parametrize(
    ("pattern", "searched", "verdict"),
    [
        (r"(a*)*b", False, "exponential"),
        (r"(a|a)*b", False, "exponential"),
        (r"(?:\d+,?)+x", False, "exponential"),
        (r"(?:\d++,?)+x", False, None),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", False, "exponential"),
        (r"(a|ab)*c", False, None),
        (r".*a.*b", False, "polynomial"),
        (r".*,.*", False, None),
        (r"\d+\.?\d+x", False, "polynomial"),
        (r"\s+$", True, "polynomial"),
        (r"\s+$", False, None),
        (r"\s+", True, None),
        (r"x\s*+y", True, None),
        (r"(?m)^\s*x", True, "polynomial"),
        (r"(?m)^[ \t]*x", True, None),
        (r"\A\s*x", True, None),
        (r"(?<!\d)\d+x", True, None),
        (r"\d+(?!\d)x", True, "polynomial"),
        # Patterns that were quadratic or worse before they were fixed.
        (r"([;\t\r\n])(\s*)([=+])", True, "polynomial"),
        (r"(?m)^====== .+ ======\s*\n\s+\d+ requests completed in ", True, "polynomial"),
        (rb'\s*(?:"[A-Z]+","[\d.]+"\s*\n)+', False, None),
    ],
)
def test_the_checker_classifies_known_patterns(pattern: str | bytes, searched: bool, verdict: str | None) -> None:  # noqa: FBT001 - a table
    assert verdict_on(pattern, searched=searched) == verdict
