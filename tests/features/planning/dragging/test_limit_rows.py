"""Rows under limits: a look-up in the columns of one answer, against a search for each limit."""

import gzip
import json
import math
import random
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from soaking import everyday
from stowage.features.planning.limits import (
    CONFIDENCES,
    LimitRowsAnswer,
    NewLimits,
    rows_under_limits,
)
from stowage.features.planning.planning import FIRST_ROWS
from stowage.model.cluster import Ebs, InstanceStore
from stowage.model.prediction import Prediction
from stowage.model.uncertainty.scale import Z90
from stowage.optimizer.search import search
from stowage.workloads.answer_conversion import configuration_fields
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.refusals import possible_workloads
from stowage.workloads.workload_file import parse_workload

DEADLINES = sorted({float(f"{value:.3g}") for value in np.geomspace(30.0, 1_209_600.0, 330)})
BUDGETS = sorted({float(f"{value:.2g}") for value in np.geomspace(1.0, 1e6, 400)})

SORT = {"workload": {"data": "10 TB"}}
FILL = {"workload": {"job": "hdfs-write", "data": "20 TB"}}
VOLUMES = {"workload": {"job": "hdfs-write", "data": "20 TB", "durability": {"model": "infrastructure"}}}
FASTEST = {"workload": {"data": "10 TB"}, "objective": "time"}
MONTH = {
    "workload": {"job": "random-io", "data": "1 TB", "durability": {"model": "infrastructure"}},
    "objective": "month",
}
STORE = {"workload": {"data": "5 TB", "durability": {"model": "object-store"}}}
SPOT = {"workload": {"data": "5 TB"}, "place": {"purchase": "spot"}}
LARGE = {"workload": {"data": "100 TB"}, "limits": {"max_nodes": 1_000}}
KINDS: dict[str, tuple[dict[str, Any], int]] = {
    "sort": (SORT, 300),
    "fill": (FILL, 250),
    "volumes": (VOLUMES, 100),
    "fastest": (FASTEST, 200),
    "month": (MONTH, 50),
    "store": (STORE, 50),
    "spot": (SPOT, 50),
}
"""Workloads, and the number of limits of each: 1,000 together, of which a tenth are compared every day."""


@cache
def _answered(document: str) -> LimitRowsAnswer | None:
    asked = {"workload": json.loads(document), "deadlines_s": DEADLINES, "budgets_usd": BUDGETS}
    return rows_under_limits(NewLimits.model_validate(asked), packaged_knowledge)


def answered(document: dict[str, Any]) -> LimitRowsAnswer:
    found = _answered(json.dumps(document))
    assert found is not None
    return found


def looked_up(answer: LimitRowsAnswer, level: int, slot: int) -> list[int]:
    """Return the steps of the first rows under a limit, best first."""
    steps = answer.steps
    since = np.cumsum(np.array(steps.since), axis=0)[level]
    rows: dict[int, int] = {}
    values = {"cost": steps.cost_usd, "time": steps.time_s, "month": steps.month_usd}[answer.objective]
    order = np.empty(len(steps.shift), np.int64)
    for place, step in enumerate(np.argsort(np.array(values), kind="stable")):
        order[place + steps.shift[step]] = step
    for step in order:
        if since[step] <= slot:
            rows.setdefault(steps.row[step], int(step))
        if len(rows) == FIRST_ROWS:
            break
    return list(rows.values())


def ranked(document: dict[str, Any], confidence: float, limit: float | None) -> tuple[list[Prediction], Any]:
    file = parse_workload(document)
    knowledge = packaged_knowledge("latest", file.place.region)
    (workload,) = possible_workloads(file, knowledge)
    by_cost = workload.objective == "time"
    chance = None if confidence == CONFIDENCES[0] or limit is None or by_cost else confidence
    limits = replace(
        workload.limits,
        deadline_s=None if by_cost else limit,
        budget_usd=limit if by_cost else None,
        chance=chance,
    )
    asked = replace(workload, limits=limits)
    plan = search(asked, knowledge.catalog, knowledge.profiles, FIRST_ROWS, frontier=False, curves=0)
    return list(plan.ranked), asked


def configured(answer: LimitRowsAnswer, step: int) -> tuple[Any, ...]:
    steps, kind = answer.steps, answer.kinds[answer.steps.row[step]]
    layout = tuple(column[step] for column in steps.layout)
    return kind.instance, steps.nodes[step], kind.volume_type, layout, steps.replicas[step]


def layout_of(row: Prediction) -> tuple[Any, tuple[int, ...]]:
    layout = row.configuration.layout
    if isinstance(layout, Ebs):
        return layout.volume_type, (layout.count, layout.size_gib, layout.iops or 0, layout.throughput_mib_per_s or 0)
    if isinstance(layout, InstanceStore):
        return None, (layout.input_output_disks, layout.intermediate_disks, 0, 0)
    return None, (0, 0, 0, 0)


@pytest.mark.parametrize("share", everyday((0.1,), (0.1, 1.0), "spaces"))
@pytest.mark.parametrize("kind", KINDS)
def test_a_look_up_has_the_same_rows_as_a_search(kind: str, share: float) -> None:
    document, most = KINDS[kind]
    answer, dice, count = answered(document), random.Random(kind), round(share * most)  # noqa: S311 - no secret
    compared, empty = 0, 0
    for _ in range(count):
        level = dice.randrange(len(answer.steps.since))
        slot = dice.randrange(len(answer.limits) + 1)
        if slot in answer.unsure[level]:
            continue
        limit = answer.limits[slot] if slot < len(answer.limits) else None
        rows, _ = ranked(document, CONFIDENCES[level], limit)
        assert [configured(answer, step) for step in looked_up(answer, level, slot)] == [
            (row.configuration.instance, row.configuration.nodes, *layout_of(row), row.durability.replicas)
            for row in rows
        ], (CONFIDENCES[level], limit)
        compared += 1
        empty += not rows
    assert compared >= 0.98 * count - 1
    assert empty < 0.7 * count


@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_of_a_step_are_those_of_its_row(kind: str) -> None:
    document, _ = KINDS[kind]
    answer = answered(document)
    slot = (2 * len(answer.limits)) // 3
    rows, workload = ranked(document, CONFIDENCES[0], answer.limits[slot])
    steps = answer.steps
    assert rows
    for step, row in zip(looked_up(answer, 0, slot), rows, strict=True):
        fields = configuration_fields(row, workload)
        below = (steps.deviation_below or steps.deviation)[step] / 1_000_000
        deviation = steps.deviation[step] / 1_000_000
        time_s, cost = steps.time_s[step], steps.cost_usd[step]
        near = pytest.approx
        assert time_s == near(row.time_s.p50, rel=1e-5)
        assert time_s * math.exp(Z90 * deviation) == near(row.time_s.p90, rel=2e-5)
        assert time_s / math.exp(Z90 * below) == near(row.time_s.p10, rel=2e-5)
        assert cost == near(row.cost_usd.p50, rel=1e-5)
        assert cost * steps.cost_low[step] / 100_000 == near(row.cost_usd.p10, rel=2e-5)
        assert cost * steps.cost_high[step] / 100_000 == near(row.cost_usd.p90, rel=2e-5)
        assert answer.kinds[steps.row[step]].head_node == fields["head_node"]
        if steps.month_usd is not None:
            assert steps.month_usd[step] == near(row.always_on_usd, rel=1e-5)
        phases = [
            (phase.name, phase.kind, steps.phases[at][step] / 1_000, answer.bottlenecks[steps.bottlenecks[at][step]])
            for at, phase in enumerate(answer.phases)
            if steps.phases[at][step] > 0
        ]
        expected: list[tuple[Any, ...]] = [
            (phase.name, phase.kind, near(phase.time_s / row.time_s.p50, abs=6e-4), phase.bottleneck)
            for phase in fields["phases"]
            if phase.time_s / row.time_s.p50 > 5e-4
        ]
        assert [*map(_undirected, phases)] == [*map(_undirected, expected)]
        longest = max(fields["phases"], key=lambda phase: phase.time_s)
        assert answer.phases[steps.longest[step]].name == longest.name


def _undirected(phase: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a phase without the direction of its network, which no page shows."""
    return (*phase[:3], "network" if phase[3].startswith("network") else phase[3])


@pytest.mark.parametrize("kind", [*KINDS, "large"])
def test_an_answer_is_at_most_400_kb_compressed(kind: str) -> None:
    answer = answered(KINDS[kind][0] if kind in KINDS else LARGE)
    # As the API compresses it.
    assert len(gzip.compress(answer.model_dump_json().encode(), 3)) <= 400_000


def test_the_own_limits_of_a_workload_do_not_matter() -> None:
    limits = {"deadline": "3 h", "budget": "400 USD", "chance": "80 %"}
    assert answered({**SORT, "limits": limits}).steps == answered(SORT).steps


@pytest.mark.parametrize(
    ("document", "deadline_s", "confidence"),
    [
        (SORT, None, 0.95),
        (FILL, 604_800.0, 0.95),
        ({**SORT, "assume": {"usual": "ignored"}}, None, 0.5),
        ({**SORT, "limits": {"deadline": "3 h", "chance": "80 %"}}, None, 0.95),
    ],
)
def test_limits_that_apply_without_own_ones_are_stated(
    document: dict[str, Any], deadline_s: float | None, confidence: float
) -> None:
    answer = answered(document)
    assert (answer.usual_deadline_s, answer.usual_confidence) == (deadline_s, confidence)


@pytest.mark.parametrize(
    "document",
    [
        {"workload": {"data": "1 TB", "durability": {"model": "any"}}, "limits": {"loss": "0.1 %"}},
        {"workload": {"data": "1 TB"}, "place": {"purchase": "any"}},
        {"workload": {"data": "1 TB"}, "limits": {"loss": "1 %"}},
        {"workload": {"data": "1 TB"}, "assume": {"stragglers": {"share": 0.1, "factor": 3}}},
    ],
)
def test_a_question_that_a_look_up_cannot_answer_has_none(document: dict[str, Any]) -> None:
    assert _answered(json.dumps(document)) is None


def test_limits_too_tight_for_a_short_search_are_left_out() -> None:
    answer = answered({"workload": {"data": "1 TB", "durability": {"model": "infrastructure"}}})
    assert DEADLINES[0] < answer.limits[0]
    assert answer.limits == DEADLINES[-len(answer.limits) :]
