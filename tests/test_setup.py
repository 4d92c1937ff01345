"""scripts/setup creates only what is missing or stale; programs stand in for uv, npm and the like."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
USED = ("bash", "cat", "dirname", "find", "id", "mkdir", "rm", "sha256sum", "sort", "touch", "xargs", "ln", "env")
SNAPSHOT = "backend/stowage/catalog/snapshots/aws-2026-07-06"
LIBRARIES = ("backend/stowage/optimizer/libkernel.so", "backend/stowage/measure/libreaders.so")
PROGRAMS = {
    "cc": "",
    "chromium": "",
    "node": "",
    # Creates the files of the real program, without content.
    "uv": f"""
        case "$*" in
          venv*) rm -rf .venv; mkdir -p .venv/bin .venv/lib; ln -s {sys.executable} .venv/bin/python ;;
          *--editable*) touch .venv/bin/stowage {" ".join(LIBRARIES)} {SNAPSHOT}.parts ;;
        esac
        echo "uv $*" >> "$CALLS" """,
    "npm": """
        case "$*" in
          *ci*) mkdir -p frontend/node_modules ;;
          *build*) mkdir -p frontend/dist; touch frontend/dist/index.html ;;
        esac
        echo "npm $*" >> "$CALLS" """,
}
FILES = (
    *("requirements.lock", "pyproject.toml", "hatch_build.py"),
    *("backend/stowage/optimizer/csrc/kernel.c", "backend/stowage/measure/csrc/records.c"),
    *("backend/stowage/catalog/parts.py", f"{SNAPSHOT}.json.gz"),
    *("backend/stowage/part.py", "worker/stowage_worker/part.py"),
    *("frontend/package.json", "frontend/package-lock.json", "frontend/.npmrc", "frontend/index.html"),
    *("frontend/src/main.tsx", "frontend/src/old.tsx", "frontend/src/named.tsx"),
    *("frontend/public/icon.svg", "frontend/vite.config.ts"),
)


class Clone:
    """A small tree like the repository's, in which `setup` runs."""

    def __init__(self, root: Path, programs: Path) -> None:
        self.root, self.programs, self.calls = root, programs, root.parent / "calls"

    def setup(self, *mode: str) -> tuple[list[str], str]:
        """Run it; return the programs that it called to create something, and its output."""
        self.calls.write_text("")
        done = subprocess.run(
            [self.root / "scripts/setup", *mode],
            env={"PATH": str(self.programs), "PYTHON": sys.executable, "CALLS": str(self.calls)},
            capture_output=True,
            text=True,
            check=False,
        )
        made = [
            name
            for call in self.calls.read_text().splitlines()
            for name in ("venv", "sync", "editable", "ci", "build")
            if name in call.replace("--no-build-isolation", "").split() or f"--{name}" in call.split()
        ]
        # npm runs beside Python's.
        made.sort(key=["ci", "build"].__contains__)
        return made, done.stdout + done.stderr + (f"exit {done.returncode}" if done.returncode else "")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    """Return a tree without any generated files."""
    return cloned(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """Return a tree after `setup`, to which each test makes a change of its own."""
    clone = cloned(tmp_path_factory.mktemp("made"))
    clone.setup()
    return clone


def cloned(folder: Path) -> Clone:
    programs, root = folder / "bin", folder / "clone"
    programs.mkdir()
    for name in USED:
        (programs / name).symlink_to(str(shutil.which(name)))
    for name, text in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name}\n")
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/setup", root / "scripts/setup")
    return Clone(root, programs)


def test_everything_is_made_once_and_then_nothing_is_run_or_printed(clone: Clone) -> None:
    made, said = clone.setup()
    assert made == ["venv", "sync", "editable", "ci", "build"]
    # Each slow step is announced before it begins.
    steps = ["Python packages", "compiling", "Stowage itself", "npm packages", "the page"]
    lines = [line for line in said.splitlines() if line.startswith("setup: ")]
    said_steps = [step for line in lines for step in steps if step in line]
    assert sorted(said_steps, key=steps[3:].__contains__) == steps
    assert clone.setup() == ([], "")
    assert clone.setup("packages") == ([], "")


def test_packages_alone_do_not_build_the_page(clone: Clone) -> None:
    assert clone.setup("packages")[0] == ["venv", "sync", "editable", "ci"]
    assert clone.setup()[0] == ["build"]


def append(name: str) -> Callable[[Path], object]:
    return lambda root: (root / name).write_text(f"# {name}, changed\n")


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a changed source of the page": (append("frontend/src/main.tsx"), ["build"]),
    "a removed source of the page": (lambda root: (root / "frontend/src/old.tsx").unlink(), ["build"]),
    "a renamed source of the page": (
        lambda root: (root / "frontend/src/named.tsx").rename(root / "frontend/src/renamed.tsx"),
        ["build"],
    ),
    "a page that is gone": (lambda root: shutil.rmtree(root / "frontend/dist"), ["build"]),
    "a changed lock of npm": (append("frontend/package-lock.json"), ["ci", "build"]),
    "npm packages that are gone": (lambda root: shutil.rmtree(root / "frontend/node_modules"), ["ci", "build"]),
    "a changed lock of Python": (append("requirements.lock"), ["sync", "editable"]),
    "a changed kernel": (append("backend/stowage/optimizer/csrc/kernel.c"), ["sync", "editable"]),
    "a kernel that is gone": (lambda root: (root / LIBRARIES[0]).unlink(), ["sync", "editable"]),
    "changed loops of the readers": (append("backend/stowage/measure/csrc/records.c"), ["sync", "editable"]),
    "loops of the readers that are gone": (lambda root: (root / LIBRARIES[1]).unlink(), ["sync", "editable"]),
    "a file that was touched": (lambda root: os.utime(root / "frontend/src/main.tsx", (1, 1)), []),
    "a lock that was touched": (lambda root: os.utime(root / "requirements.lock", (1, 1)), []),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_makes_what_depends_on_it(made: Clone, change: str) -> None:
    alter, expected = CHANGES[change]
    alter(made.root)
    called, said = made.setup()
    assert called == expected
    assert bool(said) == bool(expected)
    assert made.setup() == ([], "")


def test_changed_sources_of_the_service_are_compiled(clone: Clone) -> None:
    clone.setup()
    (clone.root / "backend/stowage/new.py").write_text("")
    assert clone.setup() == ([], "")
    assert list((clone.root / "backend/stowage/__pycache__").glob("new.*.pyc"))


def test_a_copy_of_the_tree_gets_an_environment_of_its_own(clone: Clone) -> None:
    clone.setup()
    copy = Clone(clone.root.with_name("copy"), clone.programs)
    shutil.copytree(clone.root, copy.root, symlinks=True)
    assert copy.setup()[0] == ["venv", "sync", "editable"]
    assert clone.setup() == ([], "")


@pytest.mark.parametrize(
    ("error", "calls"), [("ETARGET", ["--prefer-offline", "--prefer-online"]), ("ECONNREFUSED", ["--prefer-offline"])]
)
def test_the_registry_is_asked_again_only_if_the_cache_is_older_than_the_lock(
    clone: Clone, error: str, calls: list[str]
) -> None:
    npm = clone.programs / "npm"
    refusal = f"case $* in *--prefer-offline) echo npm $* >> $CALLS; echo code {error}; exit 1;; esac"
    npm.write_text(npm.read_text().replace("#!/bin/sh", f"#!/bin/sh\n{refusal}"))
    _, said = clone.setup()
    asked = [call.rpartition(" ")[2] for call in clone.calls.read_text().splitlines() if " ci " in call]
    assert asked == calls
    assert (f"code {error}" in said) == said.endswith("exit 1") == (error != "ETARGET")


def test_a_program_that_is_missing_is_named(clone: Clone) -> None:
    (clone.programs / "node").unlink()
    made, said = clone.setup()
    assert made == []
    assert said.endswith("setup: no Node.js: install Node 20.19 or newer with npm; the page is built with it\nexit 1")
