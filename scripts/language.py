"""Count what the language of the project forbids: first words of docstrings, and words that hide their noun.

Fields of a dataclass are described below their declaration, not again by name and type in the docstring of the class
(decision 0073). `python scripts/language.py` prints the four counts; with folders, only theirs; with `--list`, each
place.
"""

import argparse
import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("backend", "worker", "migrations", "scripts", "bench", "tests", "frontend/src")

FIRST_WORDS = ("Give", "Say", "Tell", "What", "Whether", "Whose", "How", "Let", "Hold", "Take")
"""No docstring of a function begins with these; the usual verbs are Return, Compute, Check, Store, Build, Convert."""

RIDDLES = re.compile(r"\b(whoever|whatever|nobody|somebody|anew)\b", re.IGNORECASE)
"""Words that stand for a noun which should be named."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A place where the language is not plain."""

    rule: str
    """One of "first word", "begins with What", "riddle", "listed field"."""
    path: Path
    line: int
    text: str


def found_in(path: Path) -> Iterator[Violation]:
    """Yield what a file has of the four rules."""
    text = path.read_text()
    for number, line in enumerate(text.split("\n"), 1):
        for _ in RIDDLES.finditer(line):
            yield Violation("riddle", path, number, line.strip())
    if path.suffix != ".py":
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for rule in _broken(node, said := ast.get_docstring(node) or ""):
                yield Violation(rule, path, getattr(node, "lineno", 1), said.split("\n")[0])


def _broken(node: ast.AST, said: str) -> Iterator[str]:
    """Yield the rules that the docstring of a module, class or function breaks."""
    word = re.split(r"\W", said, maxsplit=1)[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if word in FIRST_WORDS:
            yield "first word"
    elif word == "What":
        yield "begins with What"
    if isinstance(node, ast.ClassDef) and "\nParameters\n---" in said:
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        if "dataclass" in decorators or "frozen" in decorators:
            yield "listed field"


def sources(folders: tuple[str, ...] = FOLDERS) -> Iterator[Path]:
    """Yield the source files of folders, without what is generated and without files that tests read."""
    for folder in folders:
        there = ROOT / folder
        for path in (there,) if there.is_file() else sorted(there.rglob("*")):
            parts = path.relative_to(ROOT).parts
            left_out = {"generated", "node_modules", "fixtures", "__pycache__"} & set(parts)
            if path.suffix in {".py", ".ts", ".tsx", ".c", ".h"} and not left_out and path != Path(__file__).resolve():
                yield path


def main() -> None:
    """Print the counts, or the places."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--list", action="store_true", help="print each place")
    asked = parser.parse_args()
    places = [found for path in sources(tuple(asked.folders)) for found in found_in(path)]
    for rule in ("first word", "begins with What", "riddle", "listed field"):
        of_rule = [found for found in places if found.rule == rule]
        if asked.list:
            for found in of_rule:
                print(f"{found.path.relative_to(ROOT)}:{found.line}: {rule}: {found.text}")
        print(f"{rule}: {len(of_rule)}")


if __name__ == "__main__":
    main()
