"""Many configurations in one call: each gets the same floats as alone, in any combination."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import IN_2014
from many import CASES, LIMITS, MEASURED, NODES, SLOW, TYPES, inputs_of, on_types, stacked
from soaking import everyday
from stowage.model.cluster import Ebs, Layout
from stowage.model.forecast import Forecast, forecast
from stowage.model.jobs.flows import Durability
from stowage.model.jobs.mapreduce import MapReduce
from stowage.model.jobs.workload import Assumptions, Measured, Workload
from stowage.model.offer import offer_of


@pytest.fixture(params=list(CASES.values()), ids=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Layout, Workload]:
    layout, workload = request.param
    return layout, workload


def values(found: Forecast) -> dict[str, Any]:
    """Name every number of a forecast."""
    evaluation = found.evaluation
    phases = {f"{phase.name}: {name}": time_s for phase in evaluation.phases for name, time_s in phase.resource_times_s}
    costs = {field.name: getattr(evaluation.cost, field.name) for field in fields(evaluation.cost)}
    return {
        **phases,
        **costs,
        "time": evaluation.time_s,
        "work": evaluation.work_s,
        "total": evaluation.cost.total,
        "deviation": found.log_deviation,
        **{f"time {name}": value for name, value in found.time_s._asdict().items()},
        **{f"cost {name}": value for name, value in found.cost_usd._asdict().items()},
        "deadline": found.meets_deadline,
        "budget": found.meets_budget,
    }


def hold_each_to_itself(together: Forecast, alone: Sequence[Forecast]) -> None:
    found = {name: np.broadcast_to(np.asarray(value), len(alone)) for name, value in values(together).items()}
    for index, one in enumerate(alone):
        for name, value in values(one).items():
            assert found[name][index] == value, (name, index)


@pytest.mark.parametrize(
    "of",
    # With slow volumes the work grows with the nodes: 70,000 of them take 25 s.
    everyday([*((name, 7e4) for name in CASES if name != SLOW), (SLOW, 178.0)], product(CASES, (178.0, 7e4)), "spaces"),
    ids=str,
)
def test_node_counts_at_once_are_what_each_is_alone(of: tuple[str, float]) -> None:
    name, most = of
    layout, workload = CASES[name]
    inputs, nodes = inputs_of("r5d.4xlarge", layout, workload), NODES[most >= NODES]
    together = forecast(offer_of(inputs, layout, workload, nodes), workload, nodes)
    alone = [
        forecast(offer_of(inputs, layout, workload, float(count)), workload, float(count)) for count in nodes.tolist()
    ]
    hold_each_to_itself(together, alone)


@pytest.mark.parametrize("name", [name for name, (layout, _) in CASES.items() if isinstance(layout, Ebs)])
def test_volume_sizes_at_once_are_what_each_is_alone(name: str) -> None:
    layout, workload = CASES[name]
    assert isinstance(layout, Ebs)
    inputs = inputs_of("r5d.4xlarge", layout, workload)
    sizes = np.array([125.0, 170.0, 171.0, 334.0, 1_000.0, 1_024.0])
    counts = NODES[: sizes.size]
    together = forecast(offer_of(inputs, layout, workload, counts, sizes), workload, counts)
    alone = [
        forecast(offer_of(inputs, replace(layout, size_gib=int(size)), workload, float(count)), workload, float(count))
        for size, count in zip(sizes, counts, strict=True)
    ]
    hold_each_to_itself(together, alone)


@pytest.mark.parametrize("always", [False, True], ids=["where they differ", "everywhere"])
def test_types_stacked_into_arrays_are_what_each_is_alone(case: tuple[Layout, Workload], *, always: bool) -> None:
    layout, workload = case
    # The largest type has one constant network rate, so that there is no burst credit to combine.
    measured = replace(MEASURED, network_credit_mb=None)
    workload = replace(workload, measured=measured, place=replace(workload.place, purchase="on-demand"))
    picked = [(instance, count) for instance in TYPES for count in (2, 19)]
    offers, counts = on_types(layout, workload, picked)
    together = forecast(stacked(offers, always=always), workload, counts)
    alone = [forecast(offer, workload, float(count)) for offer, count in zip(offers, counts, strict=True)]
    hold_each_to_itself(together, alone)


@given(
    picked=st.lists(st.tuples(st.sampled_from(TYPES[:2]), st.integers(2, 3_000)), min_size=2, max_size=6),
    name=st.sampled_from(list(CASES)),
)
@settings(max_examples=40)
def test_types_that_fall_back_are_stacked_into_arrays_too(picked: list[tuple[str, int]], name: str) -> None:
    layout, workload = CASES[name]
    offers, counts = on_types(layout, workload, picked)
    together = forecast(stacked(offers, always=False), workload, counts)
    alone = [forecast(offer, workload, float(count)) for offer, count in zip(offers, counts, strict=True)]
    hold_each_to_itself(together, alone)


def test_measured_networks_and_links_of_2014_are_what_each_is_alone() -> None:
    workload = Workload("", MapReduce("sort", 1e8, durability=Durability("infrastructure")), measured=Measured(900.0))
    layout = Ebs("gp2", 135, 8)
    workload = replace(workload, assume=Assumptions(network="unlimited"), limits=LIMITS)
    inputs = inputs_of("i2.4xlarge", layout, workload, IN_2014)
    together = forecast(offer_of(inputs, layout, workload, NODES), workload, NODES)
    alone = [forecast(offer_of(inputs, layout, workload, count), workload, count) for count in NODES.tolist()]
    hold_each_to_itself(together, alone)
