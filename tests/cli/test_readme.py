"""README and its commands: the output that README shows is what they print."""

import json
import re
from pathlib import Path

from commands import stowage
from stowage.features.calibration.validation import validate
from stowage.workloads.knowledge import packaged_knowledge

ROOT = Path(__file__).parents[2]
EXAMPLES = ("2io", "application", "infrastructure")


def told() -> list[list[float]]:
    """Return the rows of README's table of three evaluations [s]: predicted, by equations, measured."""
    readme = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| (?:one copy|two copies|input and output) .*$", readme, re.MULTILINE)
    return [
        [float(cell.removesuffix(" s").replace(",", "")) for cell in row.split(" | ")[1:]]
        for row in (row.rstrip(" |") for row in rows)
    ]


def test_the_loop_gives_the_second_column_and_validate_the_first() -> None:
    rows = told()
    assert len(rows) == 3
    for row, name in zip(rows, EXAMPLES, strict=True):
        found = json.loads(stowage("predict", f"examples/evaluation-{name}.yaml", "--json").stdout)
        assert row[1] == round(found["time_s"]["p50"])
    readme = (ROOT / "README.md").read_text()
    assert "for case in 2io application infrastructure" in readme
    # The text says which command prints which column, and why they differ.
    assert "The first command prints the first column, the loop the" in readme
    answer = validate(packaged_knowledge)
    validated = {(case.actual, round(case.predicted)) for case in answer.cases if case.predicted and case.actual}
    assert {(measured, predicted) for predicted, _, measured in rows} <= validated
