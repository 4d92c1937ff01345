"""The answers with which the page's look-up is tested (`frontend/tests/fixtures/limits.json`) are those of today.

To write them again: `.venv/bin/python tests/features/planning/dragging/test_page_fixture.py`, and in `frontend`
`npx biome format --write tests/fixtures/limits.json`.
"""

import json
from itertools import product
from pathlib import Path
from typing import Any

from stowage.features.planning.limits import CONFIDENCES, NewLimits, rows_under_limits
from stowage.features.planning.planning import preview_plan
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

FIXTURE = Path(__file__).parents[4] / "frontend" / "tests" / "fixtures" / "limits.json"
DEADLINES = [300.0, 600.0, 900.0, 1800.0, 2700.0, 3600.0, 7200.0, 10800.0, 21600.0, 86400.0]
BUDGETS = [10.0, 20.0, 50.0, 100.0, 150.0, 200.0, 500.0]
FAMILIES = ["i3", "d3"]
SHOWN = {"rank", "instance", "nodes", "storage_words", "head_node", "purchase", "durability", "replicas"}
SORT: dict[str, Any] = {"workload": {"data": "2 TB"}, "choose": {"families": FAMILIES}}
FILL: dict[str, Any] = {
    "workload": {"job": "hdfs-write", "data": "2 TB", "durability": {"model": "infrastructure"}},
    "choose": {"families": ["m5"], "sizes": ["xlarge", "4xlarge"], "volumes": ["gp3", "st1"]},
}
FASTEST: dict[str, Any] = {**SORT, "objective": "time"}


def rows_within(document: dict[str, Any], deadline_s: float | None, budget_usd: float | None, confidence: float) -> Any:
    limits = {
        "deadline": "none" if deadline_s is None else f"{deadline_s:g} s",
        "budget": None if budget_usd is None else f"{budget_usd:g} USD",
        "chance": None if deadline_s is None else f"{100 * confidence:g} %",
    }
    given = {name: limit for name, limit in limits.items() if limit is not None}
    answer = preview_plan(parse_workload({**document, "limits": given}), packaged_knowledge, lambda: 0.0, "none")
    return [
        {
            **row.model_dump(mode="json", include=SHOWN),
            "time_s": [float(f"{value:.6g}") for value in (row.time_s.p10, row.time_s.p50, row.time_s.p90)],
            "cost_usd": [float(f"{value:.6g}") for value in (row.cost_usd.p10, row.cost_usd.p50, row.cost_usd.p90)],
            "meets_deadline": None if row.meets_deadline is None else round(row.meets_deadline, 6),
        }
        for row in answer.configurations
    ]


def answers() -> dict[str, Any]:
    found = {}
    for name, document in (("sort", SORT), ("volumes", FILL), ("fastest", FASTEST)):
        asked = {"workload": document, "deadlines_s": DEADLINES, "budgets_usd": BUDGETS}
        answer = rows_under_limits(NewLimits.model_validate(asked), packaged_knowledge)
        assert answer is not None
        limits = [
            *product([*DEADLINES[::4], 1_000.0, None], [None, 60.0], CONFIDENCES[::3]),
            *product([None, 9_000.0], [BUDGETS[2], None], CONFIDENCES[:1]),
        ]
        found[name] = {
            "answer": answer.model_dump(mode="json"),
            "asked": [
                {
                    "limits": {"deadline_s": deadline_s, "budget_usd": budget_usd, "confidence": confidence},
                    "rows": rows_within(document, deadline_s, budget_usd, confidence),
                }
                for deadline_s, budget_usd, confidence in limits
            ],
        }
    return found


def test_the_page_is_tested_with_answers_of_today() -> None:
    assert json.loads(FIXTURE.read_text()) == answers()


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(answers(), separators=(",", ":")) + "\n")
