"""docs/security.md names the mitigation of each threat, and existing tests."""

import ast
import re
from pathlib import Path

from stowage.platform.access import GRANTS, SCOPES

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_is_named_is_there() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 50
    missing = [f"{file}::{test}" for file, test in named if not (ROOT / file).is_file()]
    missing += [f"{file}::{test}" for file, test in named if test and not missing and test not in names_in(file)]
    assert missing == []


def test_every_threat_names_what_stops_it_and_a_test() -> None:
    threats = rows(section("Threats"))
    assert len(threats) > 25
    for threat, stopped_by, test in threats:
        assert stopped_by, threat
        assert all(name for _, name in NAMED.findall(test)), threat
        assert NAMED.findall(test), threat


def test_the_table_of_who_may_do_what_is_the_one_in_the_code() -> None:
    written = {row[0].split("`")[1]: row[1:] for row in rows(section("Who may do what"))}
    for permission, (*marks, scopes) in written.items():
        # In the order of the columns of the table.
        assert [mark == "x" for mark in marks] == [permission in granted for granted in GRANTS.values()], permission
        holding = [scope for scope, held in SCOPES.items() if permission in held]
        assert scopes == (", ".join(holding) or "never"), permission
    assert set(written) == GRANTS["owner"]
