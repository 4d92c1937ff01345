"""ARCHITECTURE.md, docs/rules.md and docs/requests.md name modules and tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STARTS = ("", "backend/stowage", "worker", "docs")
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|md|c))`|\]\(([\w./-]+)\)")


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "docs/rules.md", "docs/requests.md"])
def test_every_path_that_a_page_names_exists(page: str) -> None:
    named = [first or second for first, second in PATH.findall((ROOT / page).read_text())]
    assert named
    places = (ROOT / page).parent, *(ROOT / start for start in STARTS), *(ROOT / "backend/stowage").iterdir()
    assert [path for path in named if not any((place / path).exists() for place in places)] == []


def test_every_rule_names_its_check() -> None:
    rows = [line.strip("|").split(" | ") for line in (ROOT / "docs/rules.md").read_text().splitlines() if "| " in line]
    assert len(rows) > 60
    assert [row[0] for row in rows if len(row) != 2 or not row[1].strip()] == []


def test_the_architecture_fits_on_a_screen_and_a_half() -> None:
    assert (ROOT / "ARCHITECTURE.md").read_text().count("\n") <= 75
