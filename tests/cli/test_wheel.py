"""The wheel as a user installs it: built, installed in an environment without the checkout, and run there."""

import json
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import httpx2 as httpx
import pytest

from process import PATIENCE_S, answering, ended, environment, free_port, redeemed, start

ROOT = Path(__file__).resolve().parents[2]
SORT = {"workload": {"data": "100 TB"}, "limits": {"max_nodes": 100}}


@dataclass(frozen=True)
class Installed:
    """Return an environment with the wheel, and a folder outside the checkout."""

    environment: Path
    elsewhere: Path

    def run(self, *command: str, **settings: str) -> str:
        """Run a program of the environment; return its output."""
        program, *arguments = command
        return subprocess.run(
            [self.environment / "bin" / program, *arguments],
            cwd=self.elsewhere,
            env=environment(settings),
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Installed]:
    # Not pytest's own folder: where the tests run as root, PostgreSQL is another user and must reach its data.
    with tempfile.TemporaryDirectory(prefix="stowage-wheel-") as path:
        place = Path(path)
        place.chmod(0o711)
        venv.create(place / "venv", with_pip=True, symlinks=True)
        packages = next((place / "venv" / "lib").glob("python*/site-packages"))
        install: list[str | Path] = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--disable-pip-version-check",
            wheel,
        ]
        subprocess.run([place / "venv" / "bin" / "python", *install], check=True)
        # Its dependencies come from this environment. Python reads no .pth files in a folder that a .pth file names, so
        # the checkout, which this environment includes by such a file, cannot be imported.
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        (place / "elsewhere").mkdir()
        yield Installed(place / "venv", place / "elsewhere")


@pytest.mark.soak("tools")
def test_it_holds_both_packages_the_migrations_and_the_page(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    assert {
        "stowage/__main__.py",
        "stowage/catalog/snapshots/aws-2026-07-06.json.gz",
        "stowage/catalog/snapshots/aws-2026-07-06.parts",
        "stowage/catalog/snapshots/paper-2014.yaml",
        "stowage/catalog/snapshots/paper-2014-gce.yaml",
        "stowage/migrations/env.py",
        "stowage/page/index.html",
        "stowage/connect-account.yaml",
        "stowage_worker/__init__.py",
    } <= names
    in_checkout = {f"stowage/migrations/versions/{path.name}" for path in (ROOT / "migrations/versions").glob("*.py")}
    assert in_checkout <= names
    assert not [name for name in names if name.startswith(("tests/", "bench/", "scripts/")) or "__pycache__" in name]


@pytest.mark.soak("tools")
def test_what_is_run_is_what_was_installed(installed: Installed) -> None:
    script = "import stowage, stowage_worker; print(stowage.__file__); print(stowage_worker.__file__)"
    for file in installed.run("python", "-c", script).splitlines():
        assert Path(file).is_relative_to(installed.environment)


@pytest.mark.soak("tools")
def test_it_plans_without_a_checkout(installed: Installed) -> None:
    (installed.elsewhere / "sort.json").write_text(json.dumps(SORT))
    answer = json.loads(installed.run("stowage", "plan", "sort.json", "--json"))
    assert answer["configurations"]


@pytest.mark.soak("tools")
def test_its_doctor_finds_all_that_it_needs_inside(installed: Installed) -> None:
    document = json.loads(installed.run("stowage", "doctor", "--json", STOWAGE_PORT=str(free_port())))
    assert document["problems"] == 0
    words = {finding["item"]: finding["words"] for finding in document["findings"]}
    for item in ("page", "migrations"):
        assert str(installed.environment) in words[item]


@pytest.mark.soak("tools")
def test_it_starts_serves_the_page_saves_a_plan_and_stops(installed: Installed) -> None:
    port = free_port()
    settings = {"STOWAGE_PORT": str(port), "STOWAGE_HOME": str(installed.elsewhere / "state")}
    command = (str(installed.environment / "bin" / "stowage"), "up")
    with ended(start(settings, command, installed.elsewhere)) as process, answering(process, port, settings) as up:
        assert "<!doctype html>" in httpx.get(up.address).text.lower()
        with httpx.Client(base_url=up.address, timeout=PATIENCE_S) as client:
            saved = redeemed(client, up.link).post("/api/v1/plans", json=SORT)
        assert saved.status_code == 201
        assert httpx.get(f"{up.address}/plans/{saved.json()['id']}").status_code == 200
        worker = up.child("stowage long")
        assert worker.cmdline()[0].startswith(str(installed.environment))
