"""`make test`: budgets, the table, stale slices, and the page of soak runs."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from defects import DEFECTS, Defect
from slices import SLICES

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def run_tests() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_tests", ROOT / "scripts/run_tests.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up their module.
    sys.modules["run_tests"] = module
    spec.loader.exec_module(module)
    return module


def test_every_folder_of_tests_has_a_budget_and_every_budget_a_folder(run_tests: ModuleType) -> None:
    budgets = run_tests.budgets_in((ROOT / "CONTRIBUTING.md").read_text())
    listed = {path for name in budgets for path in name.split() if "/" in path}
    assert all((ROOT / path).exists() for path in listed)
    for test in (ROOT / "tests").rglob("test_*.py"):
        path = test.relative_to(ROOT)
        assert len(listed & {str(part) for part in (path, *path.parents)}) == 1, path
    assert sum(budgets.values()) <= 16 * 60


def test_the_paths_of_every_slice_exist_and_hold_all_its_tests() -> None:
    marked = {path: path.read_text() for path in (ROOT / "tests").glob("*/**/test_*.py")}
    for name, part in SLICES.items():
        folders = [ROOT / path for text in part.folders for path in re.sub(" -k .*| --ignore", "", text).split()]
        assert all(path.exists() for path in (*folders, *(ROOT / path for path in part.covers)))
        theirs = [path for path, text in marked.items() if f'soak("{name}"' in text]
        assert theirs
        assert [path for path in theirs if not any(path.is_relative_to(folder) for folder in folders)] == []


def test_parts_of_a_slice_that_select_by_name_are_complementary() -> None:
    for part in SLICES.values():
        selected = [text.partition(" -k ") for text in part.folders if " -k " in text]
        for path, _, word in selected:
            other = word[5:-1] if word.startswith("'not ") else f"'not {word}'"
            assert (path, " -k ", other) in selected, (path, word)


def test_states_that_only_the_slice_checks_with_axe_are_in_tests_that_it_selects() -> None:
    for path in (ROOT / "tests" / "e2e").glob("test_*.py"):
        text = path.read_text()
        assert ("violations_in_soak(" in text) == ("every_day=True" in text), path


def test_the_table_marks_what_is_over_its_budget(run_tests: ModuleType) -> None:
    outcomes = [
        run_tests.Outcome("tests/api", 10, 0, (), 4.0, 9.0),
        run_tests.Outcome("tests/cli", 3, 0, ("tests/cli/test_up.py::test_it",), 5.0, 2.0),
    ]
    head, api, cli, together = run_tests.table_of(outcomes, {"tests/api": 8.0, "tests/cli": 8.0}, 6.0)
    assert head.split() == ["folder", "tests", "wall", "s", "CPU", "s", "budget"]
    assert api.split() == ["tests/api", "10", "4", "9", "8", "over"]
    assert cli.split() == ["tests/cli", "4", "5", "2", "8"]
    assert together.split() == ["together", "14", "6", "11", "16"]


def test_a_slice_is_stale_after_a_change_to_what_it_covers_and_before_its_first_green_run(
    run_tests: ModuleType,
) -> None:
    page = "# Soak\n"
    everything = "\n".join(f"- {name}: 5 passed, 0 failed in 6 s, CPU 7 s" for name in SLICES)
    page = run_tests.with_section(page, f"## 2026-11-20, commit aaaa111, x86_64, 2 cores\n\n{everything}")
    failed = "- fuzz: 4 passed, 1 failed in 6 s, CPU 7 s\n  - failed: `tests/measure/test_fuzz.py::test_it`"
    page = run_tests.with_section(page, f"## 2026-11-21, commit bbbb222, x86_64, 2 cores\n\n{failed}")
    assert page.index("bbbb222") < page.index("aaaa111")

    def changed(commit: str, paths: Sequence[str]) -> bool:
        assert commit == "aaaa111"
        return "backend/stowage/measure" in paths

    assert [line.split()[1] for line in run_tests.stale(page, changed)] == ["fuzz"]
    assert [line.split()[1] for line in run_tests.stale("# Soak\n", changed)] == list(SLICES)


def test_what_fails_is_named_and_what_fails_without_a_test_is_named_by_its_job(
    run_tests: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_tests, "OUTPUT", tmp_path)
    (tmp_path / "test_two.py").write_text("def test_good(): pass\ndef test_bad(): assert False\n")
    _, outcome = run_tests._ended(run_tests._pytest("two", [str(tmp_path / "test_two.py")]), set())  # noqa: SLF001
    assert (outcome.passed, len(outcome.failed)) == (1, 1)
    assert outcome.failed[0].endswith("::test_bad")
    assert outcome.cpu_s > 0.0
    _, crashed = run_tests._ended(run_tests.Job("crash", (sys.executable, "-c", "raise SystemExit(3)")), set())  # noqa: SLF001
    assert crashed.failed == ("crash (exit status 3)",)
    hangs = run_tests.Job("hangs", ("sleep", "1000"), ends_within_s=0.5)
    _, interrupted = run_tests._ended(hangs, set())  # noqa: SLF001
    assert interrupted.failed == ("hangs (exit status 130)",)


def test_a_test_that_hangs_ends_with_what_its_threads_did(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import threading\ndef test_hangs(): threading.Event().wait()\n")
    options = ("-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-o", "faulthandler_timeout=1")
    told = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "in test_hangs" in told.stderr


def test_a_command_has_ended_when_all_that_it_left_behind_has(tmp_path: Path) -> None:
    left = tmp_path / "left"
    command = f"(sleep 0.5; echo done > {left}) & exit 3"
    ended = subprocess.run([sys.executable, ROOT / "scripts/family.py", "sh", "-c", command], check=False)
    assert (ended.returncode, left.read_text()) == (3, "done\n")


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.what)
def test_a_defect_of_the_mutation_check_can_be_applied(defect: Defect) -> None:
    assert (ROOT / defect.file).read_text().count(defect.right) == 1
