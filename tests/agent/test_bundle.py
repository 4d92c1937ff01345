"""The agent as one file: small, reproducible from the same sources, and runnable on a stock Linux."""

import ast
import hashlib
import importlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import stowage_worker.agent
from agent_nodes import orders
from stowage_worker.agent.bundle import bundle, starter

SOURCES = sorted(Path(stowage_worker.agent.__file__).parent.glob("*.py"))


def test_equal_sources_are_equal_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = bundle()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert bundle() == first


def test_it_holds_every_module_but_its_packer() -> None:
    with zipfile.ZipFile(io.BytesIO(bundle())) as archive:
        names = set(archive.namelist())
    modules = {f"stowage_worker/agent/{path.name}" for path in SOURCES if path.name != "bundle.py"}
    assert names == modules | {"__main__.py", "stowage_worker/__init__.py"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_reads_as_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_needs_the_standard_library_alone(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            names = [node.module or ""]
        for name in names:
            assert name.partition(".")[0] in sys.stdlib_module_names or name.startswith("stowage_worker.agent"), name


def test_it_does_not_hide_what_it_shadows() -> None:
    """Check that our modules never shadow those of the standard library: they are in a package."""
    for path in SOURCES:
        assert importlib.import_module(f"stowage_worker.agent.{path.stem}") is not sys.modules.get(path.stem)


def test_the_file_runs_by_itself(tmp_path: Path) -> None:
    (tmp_path / "agent.pyz").write_bytes(bundle())
    # -I: the modules of this checkout cannot be imported.
    command = [sys.executable, "-I", str(tmp_path / "agent.pyz"), "net-node", "--orders", str(tmp_path / "orders")]
    (tmp_path / "orders").write_text("{}")
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no document of orders" in done.stderr


def started(content: bytes, command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=content,
        capture_output=True,
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def test_it_is_started_through_a_pipe_and_leaves_nothing(tmp_path: Path) -> None:
    command = starter(["net-node", "--orders", "-"], python=sys.executable)
    done = started(bundle() + b'{"stowage": "roll"}\n', command, tmp_path)
    assert done.returncode == 2
    assert b"no document of orders" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_what_arrives_damaged_is_not_run(tmp_path: Path, damage: str) -> None:
    content = bundle()
    said = content[:-1] if damage == "cut" else content[:-1] + bytes([content[-1] ^ 1])
    done = started(said, starter(["net-node", "--orders", "-"], python=sys.executable), tmp_path)
    assert done.returncode == 1
    assert b"the agent " in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_arguments_are_arguments(tmp_path: Path) -> None:
    """Check that the shell never interprets the contents of a path."""
    mark = tmp_path / "mark"
    command = starter(["disk", "--path", f"$(touch {mark}); touch {mark} 'x"], python=sys.executable)
    done = started(bundle(), command, tmp_path)
    assert done.returncode == 2
    assert not mark.exists()


def test_what_is_told_by_hash() -> None:
    assert hashlib.sha256(bundle()).hexdigest() in starter([])


def test_orders_of_these_tests_are_orders() -> None:
    assert orders(0, 1, [])["stowage"] == "orders"
