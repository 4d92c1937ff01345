"""docs/believable.md names an existing test for each of its rows."""

import re
from pathlib import Path

import pytest

from test_security_page import names_in, rows

ROOT = Path(__file__).resolve().parents[1]
ROWS = rows((ROOT / "docs" / "believable.md").read_text())
NAMED = re.compile(r"`((?:tests|frontend/tests)/[\w/.]+\.(?:py|tsx?))::([^`]+)`")


def test_there_are_all_rows_of_the_issue() -> None:
    assert [row[0] for row in ROWS] == [str(number) for number in range(1, 21)]
    assert all(len(row) == 4 and all(row) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_tests_that_are_there(row: list[str]) -> None:
    named = NAMED.findall(row[3])
    assert named
    for file, test in named:
        if file.endswith(".py"):
            assert test in names_in(file), f"{file}::{test}"
        else:
            assert f'"{test}"' in (ROOT / file).read_text(), f"{file}::{test}"


def test_examples_in_fields_do_not_look_like_limits() -> None:
    """A number in an empty field is labelled as an example, unless it is the default, as in questions about the job."""
    files = (ROOT / "frontend" / "src" / "features" / "plan").rglob("*.tsx")
    form = "".join(file.read_text() for file in files if file.name != "JobQuestions.tsx")
    examples = re.findall(r'(?:placeholder="|\btext\("\w+", [^,"]*(?:"[^"]*")?, ")([^"]*[1-9][^"]*)"', form)
    assert "e.g. 30 min" in examples
    one_zone = "1"
    assert {text for text in examples if not text.startswith("e.g. ")} <= {one_zone}
