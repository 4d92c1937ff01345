"""Mistakes as files: `stowage predict`'s exact answer to each, and its exit status."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from stowage.cli.commands import cli

FILES = sorted((Path(__file__).parent / "bad").rglob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_mistake_is_answered_with_the_limit_and_what_would_do(file: Path) -> None:
    expected = json.loads(file.with_suffix(".json").read_text())
    found = CliRunner().invoke(cli, ["predict", str(file), "--json"])
    assert json.loads(found.stdout) == expected["answer"]
    assert found.exit_code == expected["status"]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_people_are_told_the_same(file: Path) -> None:
    expected = json.loads(file.with_suffix(".json").read_text())["answer"]
    found = CliRunner().invoke(cli, ["predict", str(file)])
    if "errors" in expected:
        told = [f"stowage: {problem['path']}: {problem['message']}" for problem in expected["errors"]]
        assert found.stderr.splitlines() == told
        assert found.stdout == ""
    else:
        # The terminal's width breaks the lines.
        said = " ".join(found.stdout.split())
        assert f"Not possible: {expected['reason']}." in said
        assert f"needed: {expected['nearest']}" in said


def test_every_answer_has_its_question() -> None:
    answers = {file.stem for file in (Path(__file__).parent / "bad").rglob("*.json")}
    assert answers == {file.stem for file in FILES}
    assert len(FILES) > 20
