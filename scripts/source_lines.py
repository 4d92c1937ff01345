"""Count lines of source: backend, worker, C and page; no blank lines, comments, docstrings and generated files.

`python scripts/source_lines.py` prints the counts by room in Markdown; with a commit, those of the commit beside them.
"""

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("backend", "worker", "frontend/src")
SUFFIXES = {".py", ".c", ".h", ".ts", ".tsx", ".css"}
_GENERATED = {"generated", "fixtures", "cost_terms.h"}

_NOT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}

_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""",
    re.DOTALL,
)
"""Comments, and texts in which a comment cannot begin, of C, TypeScript and CSS."""


def lines_of_python(text: str) -> int:
    """Count the lines with code of a Python file."""
    documentation = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - documentation)


def lines_of_others(text: str, *, slashes: bool) -> int:
    """Count the lines with code of a C, TypeScript or CSS file; in CSS two slashes begin no comment."""

    def shortened(found: re.Match[str]) -> str:
        comment = found["comment"]
        if comment is None or (comment.startswith("//") and not slashes):
            return found[0]
        return "\n" * comment.count("\n")

    return sum(1 for line in _TOKEN.sub(shortened, text).split("\n") if line.strip())


def room_of(path: Path) -> str:
    """Return the room that a file belongs to: ``backend/features/planning``, ``frontend/features/plan``."""
    parts = [part for part in path.parts[:-1] if part not in {"stowage", "stowage_worker", "src"}]
    return "/".join(parts[: 3 if "features" in parts else 2])


def files(commit: str | None) -> Iterator[tuple[Path, str]]:
    """Yield each source file with its text: of the working copy, or of a commit."""
    listing = (
        ["git", "ls-files", *FOLDERS] if commit is None else ["git", "ls-tree", "-r", "--name-only", commit, *FOLDERS]
    )
    for name in subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        path = Path(name)
        if path.suffix not in SUFFIXES or _GENERATED & set(path.parts) or path.name.endswith(".d.ts"):
            continue
        if commit is None:
            if (ROOT / path).exists():
                yield path, (ROOT / path).read_text()
        else:
            shown = subprocess.run(["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, check=True)
            yield path, shown.stdout.decode()


def count(commit: str | None) -> Counter[str]:
    """Count the lines of code by room."""
    counts: Counter[str] = Counter()
    for path, text in files(commit):
        python = path.suffix == ".py"
        counts[room_of(path)] += (
            lines_of_python(text) if python else lines_of_others(text, slashes=path.suffix != ".css")
        )
    return counts


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", help="commit to compare with")
    commit = parser.parse_args().commit
    now, then = count(None), count(commit) if commit else Counter[str]()
    print(f"| room | {f'{commit} | ' if commit else ''}now |\n|---|{'--:|' if commit else ''}--:|")
    for room in sorted(now | then):
        print(f"| {room} | {f'{then[room]:,} | ' if commit else ''}{now[room]:,} |")
    print(f"| total | {f'{then.total():,} | ' if commit else ''}{now.total():,} |")


if __name__ == "__main__":
    main()
