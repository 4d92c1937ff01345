"""Imports of the package: only the model, numpy and the reader of its own files."""

import ast
import sys
from pathlib import Path

import stowage.validation

ROOM = Path(stowage.validation.__file__).parent
ALLOWED = ("stowage.model", "stowage.frozen", "stowage.validation", "numpy", "yaml")
READS_FILES = {"sources.py"}
FITS = {"hierarchy.py": "scipy.special"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_it_imports_the_model_and_little_else() -> None:
    for path in ROOM.glob("*.py"):
        for name in imported(path):
            own = name.startswith(ALLOWED) or FITS.get(path.name) == name
            assert own or name.partition(".")[0] in sys.stdlib_module_names, (path.name, name)
            if name in {"yaml", "importlib"}:
                assert path.name in READS_FILES


def test_nothing_is_read_from_outside_the_package() -> None:
    for path in (*ROOM.rglob("*.py"), *ROOM.rglob("*.yaml")):
        assert "shared/" not in path.read_text()
