"""Print how the code is laid out: files and lines of each room, imports between features, what is too large.

`python scripts/rooms.py` prints tables in Markdown; `tests/test_rooms.py` holds the limits.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = (ROOT / "backend", ROOT / "worker")
FEATURES = ROOT / "backend" / "stowage" / "features"
MOST_FILES, MOST_FILES_OF_FEATURE = 25, 20
MOST_LINES, MOST_LINES_OF_FUNCTION = 500, 60


@dataclass(frozen=True, slots=True)
class Import:
    """A module that imports another of the project."""

    by: str
    """Dotted name of the importing module."""
    of: str
    """Dotted name of the imported module."""


def modules() -> Mapping[str, Path]:
    """Return the file of each module of the backend and the worker, by dotted name."""
    found = {}
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> tuple[Import, ...]:
    """Return all imports between modules of the project, each once."""
    known = modules()
    found: set[Import] = set()
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {Import(name, alias.name) for alias in node.names if alias.name in known}
            elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module in known:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    found.add(Import(name, full if full in known else node.module))
    return tuple(sorted(found, key=lambda each: (each.by, each.of)))


def feature_of(module: str) -> str | None:
    """Return the feature that a module belongs to; None outside of the features."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["stowage", "features"] and len(parts) > 2 and parts[2] != "tables" else None


def crossings() -> Mapping[tuple[str, str], int]:
    """Return the number of imports from one feature to another, by (importing feature, imported feature)."""
    pairs = ((feature_of(each.by), feature_of(each.of)) for each in imports())
    return Counter((by, of) for by, of in pairs if by is not None and of is not None and by != of)


def long_functions(folder: Path) -> Iterator[tuple[Path, str, int]]:
    """Yield file, name and lines of each function over the limit, docstring included."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST_LINES_OF_FUNCTION:
                    yield path, node.name, lines


def long_files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield each Python file over the limit, with its lines."""
    for path in sorted(folder.rglob("*.py")):
        lines = path.read_text().count("\n")
        if lines > MOST_LINES:
            yield path, lines


def folders_of(folder: Path, *endings: str) -> Iterator[tuple[Path, int]]:
    """Yield each folder below one, with the number of its own files of some endings."""
    for below in (folder, *sorted(path for path in folder.rglob("*") if path.is_dir())):
        if not {"__pycache__", "node_modules", "generated"} & set(below.relative_to(ROOT).parts):
            yield below, sum(path.suffix in endings for path in below.iterdir())


def main() -> None:
    """Print the tables."""
    print("| room | files | lines |\n|---|---:|---:|")
    rooms = [path for path in (ROOT / "backend" / "stowage").iterdir() if path.is_dir() and path != FEATURES]
    for room in sorted((*rooms, *(path for path in FEATURES.iterdir() if path.is_dir()), ROOT / "worker")):
        files = sorted(room.rglob("*.py"))
        if files:
            lines = sum(path.read_text().count("\n") for path in files)
            print(f"| {room.relative_to(ROOT)} | {len(files)} | {lines:,} |")
    crossed = crossings()
    names = sorted({name for pair in crossed for name in pair})
    print(f"\n| imports | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for by in names:
        print(f"| {by} | {' | '.join(str(crossed.get((by, of), '')) for of in names)} |")
    print(f"\n{sum(crossed.values())} imports cross between features.")
    for path, name, lines in (each for folder in SOURCES for each in long_functions(folder)):
        print(f"{path.relative_to(ROOT)}: {name} has {lines} lines")
    for path, lines in (each for folder in SOURCES for each in long_files(folder)):
        print(f"{path.relative_to(ROOT)} has {lines} lines")


if __name__ == "__main__":
    main()
