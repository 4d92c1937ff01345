"""Imports of the model: only the standard library and numpy."""

import ast
import sys
from pathlib import Path

import pytest

import stowage.model

ALLOWED = {"numpy", "stowage"} | set(sys.stdlib_module_names)
WITHOUT_THE_WORLD = {"os", "io", "socket", "subprocess", "time", "random", "threading", "asyncio", "pathlib", "logging"}

MODULES = sorted(Path(stowage.model.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_model_imports_the_standard_library_and_numpy_only(module: Path) -> None:
    tree = ast.parse(module.read_text())
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            imported.add(node.module or "")
    roots = {name.partition(".")[0] for name in imported}
    assert roots <= ALLOWED
    assert not roots & WITHOUT_THE_WORLD
    assert all(name.startswith(("stowage.model", "stowage.frozen")) for name in imported if name.startswith("stowage"))
