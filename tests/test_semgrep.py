"""The rules in .semgrep: each finds what it is for and leaves alone what it is not, and our code breaks none.

semgrep has an environment of its own (`scripts/setup test`); where that could not be made, these tests are left out by
name, and the soak, which leaves nothing out, fails.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / ".semgrep"
FILES = sorted(RULES.glob("*.yaml"))
LOOKED_AT = ("backend", "worker", "migrations", "frontend/src")


@pytest.fixture(scope="module")
def semgrep(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give a function that runs semgrep, without network and without a home."""
    found = sorted(ROOT.glob(".tools/semgrep-*/bin/semgrep"))
    if not found:
        if "STOWAGE_SOAK" in os.environ:
            pytest.fail("semgrep is not set up")
        pytest.skip("semgrep is not set up: scripts/setup test")
    home = tmp_path_factory.mktemp("home")
    environment = {"PATH": f"{found[-1].parent}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(home)}
    quiet = ["--metrics", "off", "--disable-version-check", "--json"]

    def run(*arguments: str) -> Any:
        done = subprocess.run(
            [found[-1], *quiet, *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise AssertionError(done.stdout + done.stderr) from None

    return run


def rules_of(file: Path) -> set[str]:
    return {rule["id"] for rule in yaml.safe_load(file.read_text())["rules"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_rule_finds_its_bad_examples_and_leaves_the_good_ones(semgrep: Any, file: Path) -> None:
    [examples] = [path for path in RULES.iterdir() if path.stem == file.stem and path != file]
    text = examples.read_text()
    for rule in rules_of(file):
        assert f"ruleid: {rule}" in text
    told = semgrep("--test", "--config", str(file), str(examples))
    checks = {name: check for result in told["results"].values() for name, check in result["checks"].items()}
    assert {name.rsplit(".", 1)[-1] for name in checks} == rules_of(file)
    assert [name for name, check in checks.items() if not check["passed"]] == []


@pytest.mark.parametrize("when", ["always", pytest.param("in the soak too", marks=pytest.mark.soak)])
def test_our_code_breaks_no_rule(semgrep: Any, when: str) -> None:  # noqa: ARG001 - the soak leaves nothing out
    told = semgrep("--config", str(RULES), *LOOKED_AT)
    assert told["errors"] == []
    assert [f"{each['path']}:{each['start']['line']} {each['check_id']}" for each in told["results"]] == []
    # It did look: at every kind of file.
    scanned = {Path(path).suffix for path in told["paths"]["scanned"]}
    assert {".py", ".ts", ".tsx"} <= scanned


def test_every_exception_of_a_rule_is_a_file_that_is_there() -> None:
    for file in FILES:
        for rule in yaml.safe_load(file.read_text())["rules"]:
            for path in rule.get("paths", {}).get("exclude", []):
                assert (ROOT / path).is_file(), (rule["id"], path)
